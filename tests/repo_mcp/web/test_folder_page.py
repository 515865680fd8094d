"""The first page and the pages of folders: the tree, what is in it, and what changed last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_mcp.repository import ChangedFile
from repo_mcp.repository.survey import changed_last
from tests.repo_mcp.web.browsing import Browser, Document

FILES: dict[str, str | bytes] = {
    "app/main.py": "def run() -> None: ...\n\n\nclass Box:\n    def open(self) -> None: ...\n",
    "app/store/disk.py": "def put() -> None: ...\n",
    "app/store/deep/more.py": "LIMIT = 1\n",
    "docs/read.md": "# Notes\n",
    "top.go": "package main\n",
    "picture.png": b"\x89PNG\r\n\x1a\n\0",
}
BEGIN = 1_700_000_000.0


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("folder"), FILES)


def entries(browser: Browser, target: str) -> dict[str, dict[str, object]]:
    result = browser.get(target).json["result"]
    return {item["name"]: item for item in result["entries"]}


def test_a_folder_has_its_folders_first_and_the_files_in_each_counted(browser: Browser) -> None:
    found = entries(browser, "/folder.json")
    assert [*found] == ["app", "docs", "picture.png", "top.go"]
    assert [item["files"] for item in found.values()] == [3, 1, 0, 0]
    page = Document(browser.get("/folder").text)
    assert "5 indexed files" in page.texts("p", "summary")[0]
    inner = entries(browser, "/folder.json?path=app/store/")
    assert [(name, item["files"]) for name, item in inner.items()] == [("deep", 1), ("disk.py", 0)]


@pytest.mark.parametrize(
    ("target", "columns"),
    [
        ("/folder", ["Name", "Files", "Declarations", "Language", "Size"]),
        ("/folder?path=app", ["Name", "Files", "Declarations", "Language", "Size"]),
        ("/folder?path=app/store/deep", ["Name", "Declarations", "Language", "Size"]),
    ],
)
def test_a_column_without_a_value_is_not_shown(
    browser: Browser, target: str, columns: list[str]
) -> None:
    page = Document(browser.get(target).text)
    assert [text for text in page.texts("th") if text in {*columns, "Declarations"}] == columns
    width = len(columns) - 1
    assert len(page.all("td")) == width * sum(item["scope"] == "row" for item in page.all("th"))


def test_a_tree_of_folders_alone_has_their_files_alone(tmp_path: Path) -> None:
    page = Document(Browser(tmp_path, {"a/a.py": "x = 1\n", "b/b.py": "y = 1\n"}).get("/").text)
    assert page.texts("th")[:3] == ["Name", "Files", "a/"]


def test_a_file_tells_its_language_and_how_much_it_declares(browser: Browser) -> None:
    found = entries(browser, "/folder.json?path=app")["main.py"]
    assert (found["language"], found["declarations"]) == ("python", 3)
    assert found["size"] == len(str(FILES["app/main.py"]))


def test_folders_lead_to_folders_and_files_and_back(browser: Browser) -> None:
    page = Document(browser.get("/folder?path=app/store").text)
    links = {item["href"] for item in page.all("a")}
    assert {"/folder", "/folder?path=app", "/folder?path=app/store/deep"} <= links
    assert {"/file?path=app/store/disk.py", "/uses?path=app/store", "/"} <= links
    file = Document(browser.get("/file?path=app/store/disk.py").text)
    above = {"/folder", "/folder?path=app", "/folder?path=app/store", "/uses?path=app/store"}
    assert above <= {item["href"] for item in file.all("a")}


@pytest.mark.parametrize(
    ("name", "status"), [("nowhere", 404), ("app/main.py", 404), ("../root", 403), (".git", 403)]
)
def test_what_is_no_folder_of_the_repository_is_not_listed(
    browser: Browser, name: str, status: int
) -> None:
    answer = browser.get(f"/folder?path={name}")
    assert answer.status == browser.get(f"/folder.json?path={name}").status == status
    assert Document(answer.text).all("table", "tree") == []


def test_denied_and_ignored_entries_are_in_no_listing(tmp_path: Path) -> None:
    more = {".ssh/keys.py": "x = 1\n", ".env": "T=1\n", ".gitignore": "out/\n", "out/a.py": "y\n"}
    found = Browser(tmp_path, {**FILES, **more})
    for target in ("/", "/folder"):
        text = found.get(target).text
        assert not [name for name in (".ssh", ".env", "out/") if name in text]
    assert found.get("/folder?path=.ssh").status == 403


def test_the_first_page_shows_tree_languages_and_the_files_that_declare_most(
    browser: Browser,
) -> None:
    page = Document(browser.get("/").text)
    headings = page.texts("h2")
    assert headings == ["Files", "Languages", "Most declarations", "Changed last"]
    rows = page.texts("th")
    assert {"app/", "docs/", "top.go", "python", "markdown"} <= set(rows)
    result = browser.get("/home.json").json["result"]
    assert next(item["path"] for item in result["declaring"]) == "app/main.py"
    assert {item["name"]: item["files"] for item in result["languages"]}["python"] == 3
    assert page.all("form")[0]["action"] == "/search"


def test_the_first_page_of_an_empty_folder_has_no_numbers(tmp_path: Path) -> None:
    page = Document(Browser(tmp_path, {".env": "T=1\n"}).get("/").text)
    assert page.texts("h2") == ["Files"]
    assert page.all("table") == []


def test_changed_files_come_first_on_the_first_page(tmp_path: Path) -> None:
    browser = Browser(tmp_path, FILES)
    for number, name in enumerate(FILES):
        os.utime(browser.root / name, (BEGIN + 3600 * number,) * 2)
    result = browser.get("/home.json").json["result"]
    newest = [item["path"] for item in result["changed"]]
    assert newest == [name for name in reversed(FILES) if name != "picture.png"]
    assert result["changed"][0]["time"].startswith("2023-11-15T02:13:20")


def test_files_that_one_checkout_has_written_are_not_what_changed() -> None:
    checkout = [ChangedFile(f"{number}.py", BEGIN + number / 10) for number in range(40)]
    later = [ChangedFile("b.py", BEGIN + 500), ChangedFile("a.py", BEGIN + 900)]
    assert changed_last(checkout) == []
    assert changed_last([*checkout, *later]) == later[::-1]
    assert changed_last(checkout[:3]) == checkout[2::-1]


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/search?q=run",
        "/file?path=app/main.py",
        "/folder?path=app",
        "/bundle",
        "/symbol",
        "/uses",
        "/audit",
        "/status",
        "/nowhere",
        "/file?path=.env",
    ],
)
def test_every_page_names_the_repository_and_has_one_field_to_search_it(
    browser: Browser, target: str
) -> None:
    page = Document(browser.get(target).text)
    assert page.texts("a", "home") == ["root"]
    assert page.texts("title")[0].endswith(" · root")
    fields = [item for item in page.all("form") if item["action"] == "/search"]
    assert len(fields) == 1
    assert "q" in [item.attributes.get("name") for item in page.all("input")]
