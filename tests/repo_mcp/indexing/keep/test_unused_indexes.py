"""The folder of indexes of packages stays within its bounds."""

from __future__ import annotations

import os
from pathlib import Path

from repo_mcp.indexing.keep.unused_indexes import USED, remove_unused
from tests.repo_mcp.tree_files import write

DAY = 24 * 3600


def shelf(folder: Path, name: str, size: int, used: float) -> Path:
    write(folder / name, {"index/a": "x" * size, USED: ""})
    os.utime(folder / name / USED, (used, used))
    return folder / name


def test_what_was_asked_the_longest_ago_goes_first(tmp_path: Path) -> None:
    now = 100.0 * DAY
    old = shelf(tmp_path, "npm/old", 100, 1)
    older = shelf(tmp_path, "python/older", 100, 0)
    new = shelf(tmp_path, "python/new", 1000, now - 10)
    assert remove_unused(tmp_path.as_posix(), 1_100, lambda: now) == [str(older)]
    assert old.exists()
    assert new.exists()
    # a running server may have this one open
    assert remove_unused(tmp_path.as_posix(), 10, lambda: now) == [str(old)]
    assert new.exists()


def test_a_folder_that_is_not_there_is_within_bounds(tmp_path: Path) -> None:
    assert remove_unused(str(tmp_path / "nothing"), 0) == []


def test_files_with_several_names_take_room_once(tmp_path: Path) -> None:
    now = 100.0 * DAY
    first = shelf(tmp_path, "npm/first", 1000, 0)
    second = shelf(tmp_path, "npm/second", 0, 1)
    os.link(first / "index/a", second / "index/b")
    assert remove_unused(tmp_path.as_posix(), 1_100, lambda: now) == []
    assert remove_unused(tmp_path.as_posix(), 900, lambda: now) == [str(first)]
