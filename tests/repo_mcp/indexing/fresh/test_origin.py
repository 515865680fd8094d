"""A copied index is rebuilt, and leftovers of killed processes are removed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from repo_mcp import side_files
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served


def test_an_index_that_came_with_the_repository_is_rebuilt(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    honest = served(root, root / ".repo_mcp").manager
    honest.refresh(FOREVER)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    manager = served(copy, copy / ".repo_mcp").manager
    assert manager.state().status == "missing"
    assert manager.refresh(FOREVER).added == 1
    assert segment_names(manager) == segment_names(honest)
    again = served(copy, copy / ".repo_mcp").manager
    assert again.state().status == "ready"
    assert again.refresh(FOREVER).added == 0


def test_an_index_of_a_moved_tree_is_kept(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    served(root, root / ".repo_mcp").manager.refresh(FOREVER)
    moved = root.rename(tmp_path / "moved")
    manager = served(moved, moved / ".repo_mcp").manager
    assert indexed(manager) == ["a.py"]


@pytest.mark.parametrize("damage", ["", "12\n", None])
def test_an_index_without_its_origin_file_is_rebuilt(tmp_path: Path, damage: str | None) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    data = tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    if damage is None:
        (data / "place").unlink()
    else:
        (data / "place").write_text(damage)
    assert served(root, data).manager.refresh(FOREVER).added == 1


def test_leftovers_of_a_killed_process_are_removed_once_they_are_old(tmp_path: Path) -> None:
    write(tmp_path, {"stat.cache.aa.tmp": "x", "stat.cache.bb.tmp": "x", "stat.cache": "x"})
    os.utime(tmp_path / "stat.cache.aa.tmp", (0, 0))
    side_files.prepare(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "stat.cache",
        "stat.cache.bb.tmp",
    ]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "name").mkdir()
    with pytest.raises(OSError, match="name"):
        side_files.put(str(tmp_path), "name", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def test_a_record_that_can_not_be_written_is_no_failure(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha"})
    (tmp_path / "data" / "refresh.json").mkdir(parents=True)
    (tmp_path / "data" / "stat.cache").mkdir()
    manager = served(root, tmp_path / "data").manager
    assert manager.refresh(FOREVER).added == 1
    assert manager.state().status == "ready"
