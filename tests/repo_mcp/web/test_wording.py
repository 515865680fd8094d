"""Pages say what a person can do, tools what a model can: the records are the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo_mcp.bundle.reasons import Notice, NoticeCode
from repo_mcp.errors import TABLE, Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.catalog import TOOLSETS
from repo_mcp.web.wording import page_hint, page_warnings
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.web.browsing import Browser, Document

# names that are no words
TOOLS = sorted({tool.name for toolset in TOOLSETS for tool in toolset.tools if "_" in tool.name})
FOR_MODELS = re.compile(
    rf"\brepo\.\w|{'|'.join(map(re.escape, TOOLS))}"
    r"|[Cc]all again|the user|the other tools|max_chars|cursor|\bmode \w|file_glob|top_k"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    files: dict[str, str | bytes] = {
        "src/a.py": "def one():\n    return 1\n",
        "tests/test_a.py": "from src.a import one\n\n\ndef test_one():\n    one()\n",
        "wide.txt": f"{'x' * 200_000}\n",
        ".env": "TOKEN=1",
    }
    limits = {"max_total_bytes_per_response": 40_000}
    return Browser(tmp_path_factory.mktemp("worded"), files, limits=limits)


@pytest.mark.parametrize("code", TABLE)
def test_no_hint_of_a_page_speaks_of_tools(code: str) -> None:
    hint = page_hint(Problem(code))
    assert hint
    assert not FOR_MODELS.search(hint)


@pytest.mark.parametrize(
    "target",
    [
        "/file?path=nowhere.py",
        "/file?path=.env",
        "/file?path=wide.txt",
        "/symbol?name=nothing_here",
        "/symbol?path=nowhere.py",
        "/search?q=one&folder=nowhere",
        "/search?q=one&mode=literal&lang=go",
        "/search?q=ONE&mode=literal&case=1",
        f"/search?q={'one+two+' * 300}",
        "/search?q=(&mode=regex",
        "/history",
        "/ask?q=nothing_here",
        "/ask?names=.env",
        "/changes",
        "/folder?path=nowhere",
    ],
)
def test_no_page_speaks_of_tools(browser: Browser, target: str) -> None:
    page = Document(browser.get(target).text)
    shown = [*page.texts("ul", "warnings"), *page.texts("div", "failure")]
    assert [text for text in shown if FOR_MODELS.search(text)] == []


def test_pages_name_the_files_that_are_elsewhere(browser: Browser) -> None:
    for target, said in (
        ("/search?q=one&mode=literal&folder=src&kind=tests", "tests/test_a.py"),
        ("/search?q=ONE&mode=literal&case=1", "in other letter case, some do: src/a.py"),
    ):
        (told,) = Document(browser.get(target).text).texts("ul", "warnings")
        assert said in told, target


def test_a_bundle_says_what_a_person_can_do(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "src/tax.py": "def add_tax(price):\n    return price\n",
        "tests/test_tax.py": "from src.tax import add_tax\n\n\ndef test_tax():\n    add_tax(1)\n",
    }
    browser = Browser(tmp_path, files)
    write(browser.root, {"src/tax.py": "def add_tax(price, rate):\n    return price * rate\n"})
    target = "/bundle?prompt=add_tax+of+a+price"
    page = browser.get(target)
    shown = Document(page.text)
    told = "".join(shown.texts("ul", "warnings"))
    assert "tick With tests to get them" in told
    assert not FOR_MODELS.search(told)
    assert "include_tests" not in page.text
    assert "refresh_index" not in page.text
    # the JSON of the page is as the tool words it
    told = " ".join(browser.get(f"/bundle.json?{target.partition('?')[2]}").json["warnings"])
    assert "include_tests" in told
    # as it is kept
    assert "include_tests" not in browser.get("/bundle").text


@pytest.mark.parametrize("code", NoticeCode)
def test_each_notice_of_a_bundle_is_told_to_people(code: NoticeCode) -> None:
    (told,) = page_warnings([Notice(code, 2, "x").warning])
    assert not FOR_MODELS.search(told)
    assert "include_tests" not in told
    assert Notice(code).warning.code == f"bundle_{code.value}"


def test_advice_has_the_words_of_pages() -> None:
    stale = AnswerWarning("stale", "2 files changed", "refresh")
    assert page_warnings([stale, stale]) == ["2 files changed: `repo-mcp index` takes them in"]


def test_a_lost_repository_is_told_to_people(tmp_path: Path) -> None:
    browser = Browser(tmp_path, {"a.py": "x = 1\n"})
    browser.root.rename(tmp_path / "elsewhere")
    for target in ("/", "/folder", "/symbol?q=x", "/uses", "/history"):
        (said,) = Document(browser.get(target).text).texts("div", "failure")
        assert "missing" in said
        assert not FOR_MODELS.search(said)
