"""Lines, line ranges, paths and folder counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.content import lines
from repo_mcp.repository import (
    FileContent,
    Folders,
    LineRange,
    RangeFault,
    RangeProblem,
    SourceFiles,
    collapse_path,
    fullest_folders,
    list_folder,
)
from repo_mcp.text.cutting import number_lines
from repo_mcp.text.files import Text
from tests.repo_mcp.trees import FOREVER, sandbox, served, write

PARTS = st.lists(st.sampled_from(["a", "b", "ab", "c.d"]), min_size=1, max_size=4).map("/".join)


@given(st.sets(PARTS, min_size=1))
def test_folders_count_every_file_once(found: set[str]) -> None:
    listed = sorted(found)
    folders = fullest_folders(listed)
    assert sum(count for _, count in folders) == len(listed)
    for folder, _ in folders:
        below = "" if folder == "." else f"{folder}/"
        assert any(path.startswith(below) or path == folder for path in listed)


def test_the_files_below_a_folder_of_folders_are_listed_if_they_are_few(tmp_path: Path) -> None:
    names = ["one/a.py", "one/b.py", "two/c.py"]
    manager = served(
        write(tmp_path / "root", dict.fromkeys(names, "x\n")), tmp_path / "data"
    ).manager
    manager.refresh(FOREVER)
    snapshot = manager.snapshot()
    assert snapshot is not None
    assert list_folder(snapshot, "", 3) == ("", [], names)
    for few in (0, 2):
        assert list_folder(snapshot, "", few) == ("", [("one", 2), ("two", 1)], [])


def test_nothing_is_listed_in_a_folder_of_an_ignored_one(tmp_path: Path) -> None:
    root = write(tmp_path, {".gitignore": "build/\n", "build/out/a.py": "x\n", "src/a.py": "x\n"})
    folders = Folders(sandbox(root))
    found = {
        path: [item.name for item in folders.entries(folders.find(path))]
        for path in ("build", "build/out", "src")
    }
    assert found == {"build": [], "build/out": [], "src": ["a.py"]}


def test_files_that_are_gone_are_outdated_as_those_that_were_changed(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"same.py": "x\n", "gone.py": "x\n", "other.py": "x\n"})
    parts = served(root, tmp_path / "data")
    parts.manager.refresh(FOREVER)
    snapshot = parts.manager.snapshot()
    assert snapshot is not None
    write(root, {"other.py": "y\n"})
    (root / "gone.py").unlink()
    found = SourceFiles(parts.sandbox, snapshot).outdated(["same.py", "gone.py", "other.py"])
    assert (found.changed, found.gone) == (frozenset({"other.py"}), frozenset({"gone.py"}))
    assert found.paths == {"other.py", "gone.py"}


@given(text=st.text(st.characters(codec="utf-8")) | st.text("a\r\n\u2028\x0c"))
def test_lines_join_to_the_text_and_split_at_line_feeds_only(text: str) -> None:
    content = FileContent("a.txt", text.encode(), Text(text, "utf-8"))
    rows = content.lines_with_ends
    assert "".join(rows) == text
    assert [row.removesuffix("\n").removesuffix("\r") for row in rows] == lines(text)
    assert content.lines == lines(text)


def test_a_binary_file_has_no_lines() -> None:
    content = FileContent("a.bin", b"\0", None)
    assert (content.lines, content.lines_with_ends) == ([], [])


def test_lines_are_numbered_from_the_first_of_a_part() -> None:
    assert number_lines(["x", "y"], 9) == ["9: x", "10: y"]


@pytest.mark.parametrize(
    ("first", "last", "total", "found"),
    [(1, None, 3, (1, 3)), (2, 9, 3, (2, 3)), (3, 3, 3, (3, 3)), (1, None, 0, (1, 0))],
)
def test_a_range_ends_with_the_file(
    first: int, last: int | None, total: int, found: tuple[int, int]
) -> None:
    assert LineRange(first, last).within(total) == found


@pytest.mark.parametrize(
    ("first", "last", "total", "least", "fault"),
    [
        (0, None, 3, 1, RangeFault.BEFORE_FIRST),
        (1, 0, 3, 1, RangeFault.BEFORE_FIRST),
        (3, 2, 3, 1, RangeFault.BACKWARDS),
        (4, None, 3, 1, RangeFault.AFTER_LAST),
        (1, 1, 0, 0, RangeFault.AFTER_LAST),
    ],
)
def test_a_range_without_lines_is_refused(
    first: int, last: int | None, total: int, least: int, fault: RangeFault
) -> None:
    with pytest.raises(RangeProblem) as caught:
        LineRange(first, last).within(total, least=least)
    assert (caught.value.fault, caught.value.code) == (fault, "argument_invalid")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ""),
        ("a/b", "a/b"),
        ("a/../b", "b"),
        ("a/b/../../c", "c"),
        ("a/..", ""),
        ("./a/./../b//c", "b/c"),
        ("/r/a/../b", "/r/b"),
        ("a..b/..c", "a..b/..c"),
        ("..", ".."),
        ("a/../..", "a/../.."),
        ("a/../../a", "a/../../a"),
        ("/..", "/.."),
        ("a\\..\\b", "a\\..\\b"),
    ],
)
def test_dot_dot_is_resolved_only_inside_the_root(path: str, expected: str) -> None:
    assert collapse_path(path) == expected
