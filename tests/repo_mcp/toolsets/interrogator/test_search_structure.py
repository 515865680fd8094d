"""`repo.search` in mode structure: lines where code of a shape begins, in pages, counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write

CODE = """\
def first():
    value = get(1, 2)
    return get(
        value,
        3,
    )


class Second:
    def method(self):
        return get(4, 5)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "src/a.py": CODE,
        "src/b.js": "get(6, 7);\nget(8);\n",
        "src/c.txt": "get(1, 2)\n",
        "secrets.py": "get(9, 9)\n",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    caller = Caller(root, tmp_path / "data")
    caller.result("repo.refresh_index")
    return caller


def lines(result: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Every line where a match begins: path, number, text."""
    return [
        (file["path"], int(row.partition(": ")[0]), row.partition(": ")[2])
        for file in result["files"]
        for row in file["lines"].split("\n")
        if row.partition(": ")[0].isdecimal()
    ]


def test_lines_are_those_where_a_match_begins_and_ends_are_told(call: Caller) -> None:
    found = call.result("repo.search", query="get($A, $B)", mode="structure")
    assert lines(found) == [
        ("src/a.py", 2, "    value = get(1, 2)"),
        ("src/a.py", 3, "    return get("),
        ("src/a.py", 11, "        return get(4, 5)"),
        ("src/b.js", 1, "get(6, 7);"),
    ]
    assert [file["ends"] for file in found["files"]] == ["3-6", ""]
    assert (found["matching_lines"], found["matching_files"]) == (4, 2)
    assert (found["counted_all"], found["truncated"]) == (True, False)


def test_text_tells_where_matches_end(call: Caller) -> None:
    answer = call.answer("repo.search", query="get($A, 3)", mode="structure")
    text = answer["content"][0]["text"]
    assert text.startswith(
        "1 matching line in 1 file\nsrc/a.py (3-6)\n@ first\n"
        "3:     return get(\n4-         value,\n5-         3,\n6-     )\n"
    )


def test_a_long_match_is_shown_up_to_a_bound(call: Caller, root: Path) -> None:
    write(root, {"src/d.py": "get(\n" + "    1,\n" * 30 + ")\n"})
    call.result("repo.refresh_index")
    found = call.result("repo.search", query="get($$$A)", mode="structure", file_glob="src/d.py")
    (file,) = found["files"]
    assert (len(file["lines"].split("\n")), file["ends"]) == (12, "1-32")
    plain = call.result(
        "repo.search", query="get($$$A)", mode="structure", file_glob="src/d.py", show="lines"
    )
    assert plain["files"][0]["lines"] == file["lines"]


def test_pages_have_every_line_once(call: Caller) -> None:
    given = {"query": "get($$$A)", "mode": "structure", "top_k": 2}
    whole = lines(call.result("repo.search", query="get($$$A)", mode="structure"))
    shown, cursor, pages = [], None, 0
    while cursor != "":
        found = call.result("repo.search", **given, cursor=cursor)
        assert found["truncated"] is bool(found["cursor"])
        shown += lines(found)
        cursor, pages = found["cursor"], pages + 1
    assert sorted(shown) == sorted(whole)
    assert (len(whole), pages) == (5, 3)


def test_a_language_is_that_of_the_pattern(call: Caller) -> None:
    found = call.result("repo.search", query="get($A, $B)", mode="structure", language="js")
    assert [file["path"] for file in found["files"]] == ["src/b.js"]


def test_the_other_options_of_lines_hold(call: Caller) -> None:
    given = {"query": "get($A, $B)", "mode": "structure"}
    symbols = call.result("repo.search", **given, file_glob="*.py", show="symbols")
    assert "@ Second.method\n11:         return get(4, 5)" in symbols["files"][0]["lines"]
    files = call.result("repo.search", **given, show="files")
    assert [(file["path"], file["count"]) for file in files["files"]] == [
        ("src/a.py", 3),
        ("src/b.js", 1),
    ]
    around = call.result("repo.search", query="get($A, 3)", mode="structure", context_lines=1)
    assert around["files"][0]["lines"].split("\n")[1:4] == [
        "2-     value = get(1, 2)",
        "3:     return get(",
        "4-         value,",
    ]


def test_options_of_texts_are_said_to_be_ignored(call: Caller) -> None:
    answer = call.answer("repo.search", query="GET($A)", mode="structure", ignore_case=True)
    warnings = answer["structuredContent"]["warnings"]
    assert any("ignore_case ignored" in text for text in map(str, warnings))
    assert any("the pattern is a call of python" in text for text in map(str, warnings))


def test_a_bad_pattern_is_an_error_that_says_what_to_do(call: Caller) -> None:
    problem = call.refusal("repo.search", query="a\nb", mode="structure", language="python")
    assert "several pieces of code" in str(problem)
    assert "A pattern is one piece of code" in str(problem)


def test_a_file_that_changed_is_matched_as_it_is(call: Caller, root: Path) -> None:
    write(root, {"src/b.js": "\n\nget(10, 11);\n"})
    found = call.result("repo.search", query="get($A, $B)", mode="structure", language="js")
    assert lines(found) == [("src/b.js", 3, "get(10, 11);")]
