"""The state of the root: its path may lead elsewhere, and our own data may lie in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import RootState, Sandbox, open_root
from repo_mcp.safety.sandbox.posix import PosixDoor
from repo_mcp.safety.sandbox.windows import WindowsDoor
from tests.repo_mcp.fences import BOTH
from tests.repo_mcp.safety.sandbox.fake_windows import FakeKernel, folder, link
from tests.repo_mcp.tree_files import write

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only there has a descriptor a path")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "a"})


@pytest.mark.parametrize("by_kernel", BOTH)
def test_the_state_of_a_root_follows_its_path(root: Path, *, by_kernel: bool) -> None:
    door = PosixDoor(str(root), use_openat2=by_kernel)
    away = root.with_name("away")
    assert door.root_state() is RootState.SAME
    root.rename(away)
    assert door.root_state() is RootState.MISSING
    root.write_text("")
    assert door.root_state() is RootState.MISSING
    root.unlink()
    root.mkdir()
    assert door.root_state() is RootState.REPLACED
    root.rmdir()
    root.symlink_to(away)  # it was moved to another disk: the folder is the same
    assert door.root_state() is RootState.SAME
    root.unlink()
    away.rename(root)
    assert door.root_state() is RootState.SAME


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="all may read everything")
def test_a_root_that_can_not_be_read_counts_as_missing(root: Path) -> None:
    door = PosixDoor(str(root))
    root.chmod(0)
    assert door.root_state() is RootState.MISSING
    with pytest.raises(Problem, match="can't be read"):
        open_root(str(root))
    root.chmod(0o700)
    assert door.root_state() is RootState.SAME


@pytest.mark.parametrize("by_kernel", BOTH)
def test_a_root_is_opened_again_only_where_no_link_is_on_the_way(
    root: Path, *, by_kernel: bool
) -> None:
    link_, real = root.parent / "link", str(root)
    link_.symlink_to(root.parent)
    named = str(link_ / "root")
    assert PosixDoor(named, use_openat2=by_kernel).roots == (named, real)
    with pytest.raises(OSError):  # noqa: PT011 its number depends on the way
        PosixDoor(named, real=named, use_openat2=by_kernel)
    root.rename(root.with_name("away"))
    root.symlink_to("away")
    with pytest.raises(OSError):  # noqa: PT011 as above
        PosixDoor(real, real=real, use_openat2=by_kernel)


@pytest.mark.parametrize("by_kernel", BOTH)
def test_a_link_that_leads_elsewhere_does_not_move_the_root(root: Path, *, by_kernel: bool) -> None:
    named = root.with_name("link")
    named.symlink_to(root)
    door = PosixDoor(str(named), use_openat2=by_kernel)
    assert door.root_state() is RootState.SAME
    named.unlink()
    assert door.root_state() is RootState.LINK_MOVED
    named.symlink_to(root.parent)
    assert door.root_state() is RootState.LINK_MOVED


@pytest.mark.parametrize(
    ("instead", "reason"),
    [("nothing", "does not exist"), ("file", "not a folder"), ("link", "a link has taken")],
)
def test_a_root_that_can_not_be_opened_is_missing_for_a_reason(
    root: Path, instead: str, reason: str
) -> None:
    root.rename(root.with_name("away"))
    if instead == "file":
        root.write_text("")
    if instead == "link":
        root.symlink_to("away")
    with pytest.raises(Problem, match=reason) as caught:
        open_root(str(root), str(root))
    assert caught.value.code == "root_missing"
    assert "away" not in caught.value.reason


def test_what_another_process_opens_has_to_be_the_same_folder(root: Path) -> None:
    first = open_root(str(root))
    assert open_root(str(root), str(root), first.folder).folder == first.folder
    root.rename(root.with_name("away"))
    root.mkdir()
    with pytest.raises(Problem) as caught:
        open_root(str(root), str(root), first.folder)
    assert caught.value.code == "reopened"


@on_linux
@pytest.mark.parametrize("spelling", ["root", "link"])
def test_own_data_stay_in_the_open_root(root: Path, spelling: str) -> None:
    root.with_name("link").symlink_to(root)
    named = str(root.with_name(spelling))
    fence = Sandbox(named, Denylist(), max_file_bytes=9, door=PosixDoor(named))
    data, outside = f"{named}/data/index", str(root.with_name("data"))
    root.rename(root.with_name("away"))
    root.mkdir()
    Path(fence.own_path(data)).mkdir(parents=True)
    assert (root.with_name("away") / "data" / "index").is_dir()
    assert list(root.iterdir()) == []
    assert fence.own_path(outside) == outside
    assert Path(fence.own_path(str(root))).samefile(root.with_name("away"))


@on_linux
def test_the_last_one_to_drop_a_root_closes_it(root: Path) -> None:
    door = PosixDoor(str(root))
    path = door.anchor
    fences = [Sandbox(str(root), Denylist(), max_file_bytes=9, door=door) for _ in range(2)]
    del door, fences[0]
    assert Path(path).samefile(root)
    fences.clear()
    assert not Path(path).exists() or not Path(path).samefile(root)


def test_a_closed_root_opens_nothing(root: Path) -> None:
    fence = Sandbox(str(root), Denylist(), max_file_bytes=9)
    fence.close()
    fence.close()
    with pytest.raises(Problem) as caught:
        fence.read("a.py")
    assert caught.value.code == "unreadable"


def test_windows_compares_open_folders() -> None:
    kernel = FakeKernel()
    repo = kernel.drive.put("repo", **folder())
    door = WindowsDoor(kernel, "C:\\repo", real="C:\\Repo")
    assert door.root_state() is RootState.SAME
    repo.move(kernel.drive, "away")
    assert door.root_state() is RootState.MISSING
    kernel.drive.put("repo")
    assert door.root_state() is RootState.MISSING
    del kernel.drive.entries["repo"]
    kernel.drive.put("repo", **folder())
    assert door.root_state() is RootState.REPLACED
    assert kernel.open_handles == 1
    door.close()
    door.close()
    assert kernel.open_handles == 0


def test_windows_follows_a_link_to_the_root_at_the_start_only() -> None:
    kernel = FakeKernel()
    kernel.drive.put("repo", **folder())
    kernel.drive.put("other", **folder())
    kernel.drive.put("link", **link("repo"))
    door = WindowsDoor(kernel, "C:\\link")
    assert door.roots == ("C:\\link", "C:\\repo")
    assert door.root_state() is RootState.SAME
    kernel.drive.put("link", **link("other"))
    assert door.root_state() is RootState.LINK_MOVED
    kernel.drive.put("repo", **link("other"))
    with pytest.raises(NotADirectoryError):
        WindowsDoor(kernel, "C:\\link", real="C:\\repo")
    door.close()
    assert kernel.open_handles == 0
