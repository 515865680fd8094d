"""The symbol page: callers and callees, as pictures and as tables."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from tests.repo_mcp.web.browsing import Browser, Document
from tests.repo_mcp.web.test_hostile import check

FILES: dict[str, str | bytes] = {
    "box.py": "def inner() -> int:\n    return 1\n\n\ndef middle() -> int:\n    return inner()\n",
    "use.py": "from box import middle\n\n\ndef outer() -> int:\n    return middle() + middle()\n",
    "far.py": "import outside\n\n\ndef far(thing):\n    thing.total()\n    outside.box.total()\n",
    "sum.py": "class Sum:\n    def total(self):\n        return 1\n",
    "a<b>&c.py": "def odd_name() -> int:\n    return odd_name()\n",
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("symbol"), FILES)


def page_of(browser: Browser, name: str) -> Document:
    found = browser.get(f"/symbol.json?q={name}").json["result"]["results"]
    node = next(item["node_id"] for item in found if item["name"] == name)
    return check(browser.get(f"/symbol?id={node}"))


def test_names_are_found_by_their_words(browser: Browser) -> None:
    page = check(browser.get("/symbol?q=mid*"))
    rows = [item for item in page.all("a") if "/symbol?id=" in item["href"]]
    assert ["".join(item.text) for item in rows] == ["box.middle"]


def test_symbols_of_a_file_are_listed(browser: Browser) -> None:
    page = check(browser.get("/symbol?path=box.py"))
    names = ["".join(item.text) for item in page.all("a") if "?id=" in item["href"]]
    assert names == ["box.inner", "box.middle"]
    file = check(browser.get("/file?path=box.py"))
    assert "/symbol?path=box.py" in [item["href"] for item in file.all("a")]


def test_callers_and_callees_are_listed_with_their_places(browser: Browser) -> None:
    page = page_of(browser, "middle")
    places = [item["href"] for item in page.all("a") if "/file?" in item["href"]]
    assert {"/file?path=use.py&line=5#L5", "/file?path=box.py&line=6#L6"} <= set(places)


def test_calls_of_the_name_that_are_not_resolved_are_listed_with_their_places(
    browser: Browser,
) -> None:
    found = browser.get("/symbol.json?q=total").json["result"]["results"]
    page = check(browser.get(f"/symbol?id={found[0]['node_id']}"))
    rows = {text.strip() for text in page.texts("bdi")}
    assert "far.py:5 in far" in rows
    assert any(row.startswith("far.py:6 in far: ") for row in rows)


def test_the_picture_has_what_the_tables_have(browser: Browser) -> None:
    page = page_of(browser, "middle")
    boxes = {item["href"] for item in page.all("a", "box")}
    listed = {
        item["href"]
        for item in page.all("a")
        if item["href"].startswith("/symbol?id=") and "class" not in item.attributes
    }
    assert boxes == listed
    labels = {text.strip() for text in page.texts("text", "label")}
    assert {"box.inner", "box.middle", "use.outer"} <= labels


def test_each_table_has_its_json(browser: Browser) -> None:
    page = page_of(browser, "middle")
    targets = [item["href"] for item in page.all("a", "aside") if ".json" in item["href"]]
    names = {urlsplit(target).path for target in targets}
    assert names == {
        *("/symbol.json", "/callers.json", "/callees.json"),
        *("/dependents.json", "/dependencies.json"),
    }
    (callers,) = [target for target in targets if "callers" in target]
    rows = browser.get(callers).json["result"]["results"]
    assert [row["name"] for row in rows] == ["outer"]


def test_a_symbol_that_calls_itself_is_one_box(browser: Browser) -> None:
    page = page_of(browser, "odd_name")
    assert page.texts("text", "label").count("a<b>&c.odd_name") <= len(page.all("svg"))
    assert "a<b>&c.py:1" in "".join(page.texts("text", "note"))


@pytest.mark.parametrize("node", ["0000000000000000", "x", "<script>"])
def test_what_is_no_symbol_is_said_so(browser: Browser, node: str) -> None:
    assert browser.get(f"/symbol?id={quote(node)}").status in {400, 404}


def test_nothing_found_says_how_to_look(browser: Browser) -> None:
    page = check(browser.get("/symbol?q=zzzzz"))
    assert "No symbol fits" in " ".join(page.texts("p", "hint"))


def test_without_symbols_the_page_says_why(tmp_path: Path) -> None:
    answer = Browser(tmp_path, {"a.txt": "words\n"}).get("/symbol?q=words")
    assert answer.status in {200, 503}
    check(answer)


def test_a_symbol_is_shown_by_its_name_with_its_definition_and_its_tests(tmp_path: Path) -> None:
    more = {
        **FILES,
        "tests/test_use.py": "from use import outer\n\n\ndef test_it():\n    outer()\n",
    }
    page = check(Browser(tmp_path, more).get("/symbol?name=box.py:6"))
    shown = "\n".join("".join(item.text) for item in page.all("bdi"))
    assert "box.middle" in shown
    assert "    return inner()" in page.texts("code")
    assert "tests/test_use.py: test_it 4" in shown


def test_uses_in_code_come_first_and_tests_are_folded_behind_them(tmp_path: Path) -> None:
    tests: dict[str, str | bytes] = {
        f"tests/test_{name}.py": "from box import inner\n\n\ndef test_it():\n    inner()\n"
        for name in "abc"
    }
    far = "from use import outer\n\n\ndef test_far():\n    outer()\n"
    page = check(
        Browser(tmp_path, {**FILES, **tests, "tests/test_far.py": far}).get("/symbol?name=inner")
    )
    order = [item for item in page.elements if item.tag in {"h2", "details"}]
    texts = [" ".join("".join(item.text).split()) for item in order]
    callers = next(at for at, text in enumerate(texts) if text.startswith("Callers"))
    assert order[callers + 1].tag == "details"
    assert texts[callers + 1].startswith("3 tests")
    assert texts[-1].startswith("Tests that a change reaches: 1 line tests/test_far.py")
    folded = "".join("".join(item.text) for item in page.all("details"))
    (row,) = [item for item in page.all("th") if "".join(item.text).split()[0] == "box.middle"][:1]
    assert "".join(row.text) not in folded
    assert not [text for text in texts[:callers] if "Tests" in text]


def test_a_picture_has_the_code_that_calls_and_one_box_of_tests(tmp_path: Path) -> None:
    tests: dict[str, str | bytes] = {
        f"test_{name}.py": "from box import inner\n\n\ndef test_it():\n    inner()\n"
        for name in "abcdefghijklm"
    }
    found = Browser(tmp_path, {**FILES, **tests})
    found.get("/symbol?q=inner")
    page = check(found.get("/symbol?name=box.inner"))
    calls = [text.strip() for text in page.texts("text", "label")]
    assert calls[: calls.index("13 tests") + 1] == ["box.inner", "box.middle", "13 tests"]
    assert "#callers" in {item["href"] for item in page.all("a", "box")}


def test_a_picture_has_no_more_than_twelve_boxes_and_counts_the_rest(tmp_path: Path) -> None:
    users: dict[str, str | bytes] = {
        f"use{at}/one.py": f"from box import inner\n\n\ndef use{at}():\n    inner()\n"
        for at in range(20)
    }
    found = Browser(tmp_path, {**FILES, **users})
    found.get("/symbol?q=inner")
    page = check(found.get("/symbol?name=box.inner"))
    (first, *_) = [
        item for item in page.all("svg") if "label" in "".join(map(str, item.attributes))
    ]
    assert "+ 11 more" in "".join(first.text)
    boxes = page.texts("text", "label")
    assert len(boxes) <= 24
    assert {"use0.one.use0", "one.use0"} & {text.strip() for text in boxes}
