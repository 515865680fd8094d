"""Servers with other settings on one data folder keep an index each, and at most four of them."""

from __future__ import annotations

import fcntl
import os
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.indexing.keep import index_folder
from repo_mcp.indexing.keep.index_folder import IndexFolder, index_folders
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served

WEEK = 7 * 24 * 3600


def claimed(data: Path, signature: str, now: float | None = None) -> IndexFolder:
    folder = IndexFolder(str(data), signature, *([] if now is None else [lambda: now]))
    folder.claim()
    return folder


def test_the_first_uses_the_data_folder_and_others_have_their_own(tmp_path: Path) -> None:
    first, second, again = (claimed(tmp_path, signature) for signature in ("a", "b", "a"))
    assert first.path == again.path == str(tmp_path)
    assert second.path == str(tmp_path / "other-1")
    assert not first.claim()


@pytest.mark.parametrize(("other", "folder"), [("a", "."), ("b", "other-1")])
def test_processes_that_claim_at_once_share_a_folder_if_their_settings_are_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, folder: str
) -> None:
    lock = index_folder._UseLock
    rivals: list[IndexFolder] = []

    def take_alone(self: index_folder._UseLock) -> bool:
        if not rivals:  # both have seen that no folder has their settings
            rivals.append(IndexFolder(str(tmp_path), other))
            rivals[0].claim()
        return original(self)

    original = lock.take_alone
    monkeypatch.setattr(lock, "take_alone", take_alone)
    assert claimed(tmp_path, "a").path == str(tmp_path / folder)


def test_a_folder_taken_while_its_lock_is_converted_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = index_folder._UseLock
    rivals: list[IndexFolder] = []

    def share(self: index_folder._UseLock) -> None:
        if not rivals:  # converting gives up the exclusive lock before it takes the shared one
            fcntl.flock(self._file, fcntl.LOCK_UN)
            rivals.append(IndexFolder(str(tmp_path), "b"))
            rivals[0].claim()
        original(self)

    original = lock.share
    monkeypatch.setattr(lock, "share", share)
    assert claimed(tmp_path, "a").path != rivals[0].path == str(tmp_path)


def test_a_folder_that_nobody_uses_is_taken(tmp_path: Path) -> None:
    first = claimed(tmp_path, "a")
    first.release()
    second = claimed(tmp_path, "b")
    assert second.path == str(tmp_path)


def test_a_process_finds_its_index_again(tmp_path: Path) -> None:
    first, second = claimed(tmp_path, "a"), claimed(tmp_path, "b")
    second.release()
    assert IndexFolder(str(tmp_path), "b").path == second.path
    first.release()
    assert claimed(tmp_path, "b").path == second.path
    assert claimed(tmp_path, "a").path == str(tmp_path)


def test_a_fifth_process_with_other_settings_is_refused(tmp_path: Path) -> None:
    held = [claimed(tmp_path, signature) for signature in "abcd"]
    assert {item.path for item in held} == set(index_folders(str(tmp_path)))
    with pytest.raises(Problem) as caught:
        claimed(tmp_path, "e")
    assert caught.value.code == "data_shared"


def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "other-1").symlink_to(tmp_path / "elsewhere")
    held = claimed(tmp_path / "data", "a")
    other = claimed(tmp_path / "data", "b")
    assert held.path == other.path == str(tmp_path / "data")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "text"])
def test_a_mark_that_came_with_the_repository_is_no_obstacle(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        (tmp_path / "in_use").mkdir()
    else:
        (tmp_path / "in_use").write_text("x" * 100)
    assert claimed(tmp_path, "a").path == str(tmp_path)


def test_a_folder_is_forgotten_after_a_week(tmp_path: Path) -> None:
    first, second, third = (claimed(tmp_path, signature) for signature in "abc")
    second.release()
    used = (tmp_path / "in_use").stat().st_mtime
    for path in (first.path, second.path, third.path):
        os.utime(Path(path) / "in_use", (used, used))
    for now, forgotten in ((used + WEEK - 1, []), (used + WEEK + 1, [second.path])):
        with claimed(tmp_path, "a", now).forgotten() as found:
            assert found == forgotten


def test_servers_with_other_settings_do_not_rebuild_each_other(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha", "b.py": "beta"})
    data = tmp_path / "data"
    with ExitStack() as stack:
        plain = stack.enter_context(closing(served(root, data).manager))
        narrow = stack.enter_context(closing(served(root, data, exclude_globs=("b.py",)).manager))
        assert plain.refresh(FOREVER).added == 2
        assert narrow.refresh(FOREVER).added == 1
        for manager, paths in ((plain, ["a.py", "b.py"]), (narrow, ["a.py"])) * 2:
            again = manager.refresh(FOREVER)
            assert (again.added, again.updated, again.removed) == (0, 0, 0)
            assert indexed(manager) == paths
    after = served(root, data, exclude_globs=("b.py",)).manager
    assert (after.refresh(FOREVER).added, segment_names(after)) == (0, segment_names(narrow))


def test_other_settings_take_the_place_of_those_of_an_ended_server(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha", "b.py": "beta"})
    data = tmp_path / "data"
    with closing(served(root, data).manager) as plain:
        plain.refresh(FOREVER)
    with closing(served(root, data, exclude_globs=("b.py",)).manager) as narrow:
        narrow.refresh(FOREVER)
        assert indexed(narrow) == ["a.py"]
    assert not list(data.glob("other-*"))


def test_an_index_that_was_not_used_for_a_week_is_removed(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha", "b.py": "beta"})
    data = tmp_path / "data"
    with closing(served(root, data).manager) as plain:
        plain.refresh(FOREVER)
        with closing(served(root, data, exclude_globs=("b.py",)).manager) as narrow:
            narrow.refresh(FOREVER)
        assert list(data.glob("other-1/index/seg-*"))
        os.utime(data / "other-1" / "in_use", (0, 0))
        plain.refresh(FOREVER)
        assert not list(data.glob("other-1/index/seg-*"))
        assert indexed(plain) == ["a.py", "b.py"]
