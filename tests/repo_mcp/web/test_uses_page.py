"""The page of uses: files and folders in a folder, and their uses of each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.web.browsing import Browser, Document

FILES: dict[str, str | bytes] = {
    "app/main.py": "from app.store.disk import put\n\n\ndef run() -> None:\n    put(1)\n",
    "app/store/disk.py": "from app.words import cut\n\n\ndef put(x: int) -> None:\n    cut(x)\n",
    "app/store/more.py": "from app.store.disk import put\n\n\ndef again() -> None:\n    put(2)\n",
    "app/words.py": "def cut(x: int) -> int:\n    return x\n",
    "tools/build.py": "from app.main import run\n\n\ndef build() -> None:\n    run()\n",
    "notes/read.md": "# Notes\n",
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("folder"), FILES)


def rows(page: Document) -> list[tuple[str, str]]:
    sources = page.texts("th")[3:]
    return list(zip(sources, page.texts("td")[::2], strict=True))


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("", {("tools/", "app/")}),
        ("app", {("main.py", "store/"), ("store/", "words.py")}),
        ("app/store", {("more.py", "disk.py")}),
        ("tools", set()),
        ("notes", set()),
    ],
)
def test_what_is_in_a_folder_uses_what_else(
    browser: Browser, folder: str, expected: set[tuple[str, str]]
) -> None:
    page = Document(browser.get(f"/uses?path={folder}").text)
    assert set(rows(page)) == expected
    assert len(page.all("g", "arrow")) == len(expected)
    result = browser.get(f"/uses.json?path={folder}").json["result"]
    named = {name for pair in expected for name in pair}
    assert {name.removeprefix(f"{folder}/") for name in result["nodes"]} == named
    assert result["left_out"] == 0


def test_boxes_and_crumbs_lead_to_folders_and_files(browser: Browser) -> None:
    page = Document(browser.get("/uses?path=app").text)
    boxes = {item["href"] for item in page.all("a", "box")}
    assert boxes == {"/file?path=app/main.py", "/uses?path=app/store", "/file?path=app/words.py"}
    inner = Document(browser.get("/uses?path=app/store/").text)
    assert {"/uses", "/uses?path=app"} <= {item["href"] for item in inner.all("a")}
    file = Document(browser.get("/file?path=app/store/disk.py").text)
    assert "/uses?path=app/store" in {item["href"] for item in file.all("a")}


@pytest.mark.parametrize("name", ["nowhere", "app/main.py", "app/st", "../root", "%ff"])
def test_what_is_no_folder_is_not_found(browser: Browser, name: str) -> None:
    answer = browser.get(f"/uses?path={name}")
    assert answer.status == 404
    assert browser.get(f"/uses.json?path={name}").json["result"]["code"] == "not_found"
    assert Document(answer.text).all("svg") == []


def test_denied_folders_are_in_no_picture(tmp_path: Path) -> None:
    found = Browser(tmp_path, {**FILES, ".ssh/keys.py": "from app.main import run\n\nrun()\n"})
    assert ".ssh" not in found.get("/uses").text
    assert found.get("/uses?path=.ssh").status == 404


def test_tests_are_one_box_of_a_picture_and_lead_to_the_table(tmp_path: Path) -> None:
    tests: dict[str, str | bytes] = {
        f"test_{name}.py": "from words import cut\n\n\ndef test_it():\n    cut(1)\n"
        for name in "abcdefghijklm"
    }
    found = Browser(tmp_path, {**tests, "words.py": "def cut(x): ...\n"})
    page = Document(found.get("/uses").text)
    labels = {text.strip() for text in page.texts("text", "label")}
    assert labels == {"13 test files and folders", "words.py"}
    assert {item["href"] for item in page.all("a", "box")} == {"#uses", "/file?path=words.py"}
    assert len(found.get("/uses.json").json["result"]["nodes"]) == 14


def test_more_folders_than_a_picture_holds_are_a_matrix(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"part{at}/use.py": f"import part{at + 1}.use as x\n\n\ndef f{at}():\n    x.f{at + 1}()\n"
        for at in range(13)
    }
    page = Document(
        Browser(tmp_path, {**files, "part13/use.py": "def f13(): ...\n"}).get("/uses").text
    )
    assert page.all("svg") == []
    (matrix,) = page.all("table", "matrix")
    assert page.texts("th")[0] == "Uses"
    heads = [text.strip() for text in page.texts("th")[15:29]]
    assert heads == [f"{at + 1} part{at}/" for at in range(14)]
    # each uses the one after it: one above the diagonal of each row but the last
    filled = [item for item in page.all("td") if "".join(item.text).strip()][:13]
    assert [item["class"] for item in filled] == ["number h4"] * 13
    assert "".join(matrix.text).count("\n") > 14
