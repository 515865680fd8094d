"""Pages of a revision show its files, and lead to pages of the same revision."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from repo_mcp.web.addresses import OF_REVISIONS
from tests.repo_mcp.git.gaps import blob_of, delete_object
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.web.browsing import Browser, Document

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
OLD = "def old_tax(price):\n    return price\n\n\ndef pay():\n    return old_tax(1)\n"
PAGES = [
    "/search?q=tax&rev=v1",
    "/search?q=rev:v1+tax",
    "/search?q=_tax&mode=literal&rev=v1",
    "/file?path=src/tax.py&rev=v1",
    "/file?path=src/gone.py&rev=v1",
    "/folder?rev=v1",
    "/folder?path=src&rev=v1",
    "/symbol?q=tax&rev=v1",
    "/symbol?name=old_tax&rev=v1",
    "/symbol?path=src/tax.py&rev=v1",
    "/ask?names=old_tax&rev=v1",
    "/bundle?prompt=tax+of+a+price&rev=v1",
    "/uses?rev=v1",
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    folder = tmp_path_factory.mktemp("revisions")
    root = write(folder / "root", {"src/tax.py": OLD, "src/gone.py": "GONE = 1\n"})
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first")
    run_git(root, "tag", "v1")
    (root / "src/gone.py").unlink()
    write(root, {"src/tax.py": OLD.replace("old_tax", "new_tax")})
    run_git(root, "commit", "-qam", "second")
    return Browser(folder, {})


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_of_the_revision_and_so_are_those_that_it_leads_to(
    browser: Browser, page: str
) -> None:
    answer = browser.get(page)
    assert answer.status == 200
    assert "new_tax" not in answer.text
    shown = Document(answer.text)
    assert any("v1" in text for text in shown.texts("span"))
    targets = [urlsplit(item["href"]) for item in shown.all("a")]
    assert targets
    for target in targets:
        if target.path in OF_REVISIONS:
            assert parse_qs(target.query)["rev"] == ["v1"], target
    hidden = {
        item["name"]: item["value"] for item in shown.all("input") if item["type"] == "hidden"
    }
    assert "rev:v1" in page or hidden["rev"] == "v1"


def test_the_present_is_shown_without_a_revision(browser: Browser) -> None:
    for page in PAGES:
        path = page.partition("?")[0]
        answer = browser.get("/search?q=tax" if "rev:" in page else page.replace("rev=v1", ""))
        if "gone" in page or "old_tax" in page:
            continue
        assert "old_tax" not in answer.text, path
        assert "rev=" not in answer.text
        assert not any("as of" in text for text in Document(answer.text).texts("span"))


def test_the_past_keeps_its_own_parameter(browser: Browser) -> None:
    answer = browser.get("/history?rev=v1")
    assert answer.status == 200
    assert not any("as of" in text for text in Document(answer.text).texts("span"))


@pytest.mark.parametrize("name", ["nothing", "<script>", '"onmouseover="x', "v1 v2", "\x1b[31m"])
def test_a_name_of_no_revision_is_an_error_and_no_markup(browser: Browser, name: str) -> None:
    for page in ("/search?q=tax", "/file?path=src/tax.py", "/folder?path=src", "/symbol?q=tax"):
        answer = browser.get(f"{page}&rev={quote(name)}")
        assert answer.status == 400
        assert "<script>" not in answer.text
        assert "\x1b" not in answer.text


def test_data_are_of_the_revision(browser: Browser) -> None:
    found = browser.get("/search.json?q=tax&rev=v1").json
    assert "old_tax" in str(found)
    assert "new_tax" not in str(found)
    assert [
        item["path"]
        for item in browser.get("/folder.json?path=src&rev=v1").json["result"]["entries"]
    ] == [
        "src/gone.py",
        "src/tax.py",
    ]


def test_a_page_names_a_folder_of_its_revision_that_can_not_be_read(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"src/tax.py": OLD, "rates.py": OLD})
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first")
    lost = blob_of(root, "HEAD:src")
    delete_object(root, lost)
    browser = Browser(tmp_path, {})
    for page in ("/search?q=tax&rev=HEAD", "/symbol?q=tax&rev=HEAD", "/folder?rev=HEAD"):
        assert f"src (tree {lost[:12]} is not there)" in browser.get(page).text, page
