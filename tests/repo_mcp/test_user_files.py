"""Files that the user names are written whole, over nothing but their own kind."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from repo_mcp.errors import Problem
from repo_mcp.user_files import ChangedError, open_regular, replace, write_new, write_own

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and modes are those of POSIX")
NEW = b"<kind> new"


def put(path: Path, data: bytes = NEW) -> int:
    return write_own(
        str(path), lambda file: file.write(data), lambda found: found.startswith(b"<kind>"), "other"
    )


def left(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def test_a_new_file_and_one_of_the_same_kind_are_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert put(path) == len(NEW)
    path.chmod(0o640)
    put(path, b"<kind> newer")
    assert path.read_bytes() == b"<kind> newer"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert left(tmp_path) == ["file"]


@pytest.mark.parametrize("data", [b"", b"mine", b" <kind>"])
def test_a_file_of_another_kind_stays_also_an_empty_one(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(Problem, match="other"):
        put(path)
    assert path.read_bytes() == data
    assert left(tmp_path) == ["file"]


def test_no_link_is_followed_and_no_pipe_waited_for(tmp_path: Path) -> None:
    whole, dangling, pipe = (tmp_path / name for name in ("whole", "dangling", "pipe"))
    (tmp_path / "page").write_bytes(b"<kind> old")
    whole.symlink_to("page")
    dangling.symlink_to("nowhere")
    os.mkfifo(pipe)
    for path, reason in ((whole, "a link"), (dangling, "a link"), (pipe, "not a regular file")):
        with pytest.raises(OSError, match=reason):
            put(path)
    with pytest.raises(OSError, match="not a regular file"):
        put(tmp_path)
    assert (tmp_path / "page").read_bytes() == b"<kind> old"
    assert left(tmp_path) == ["dangling", "page", "pipe", "whole"]
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(str(pipe))


@pytest.mark.parametrize("have_links", [True, False])
def test_what_comes_to_a_place_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, have_links: bool
) -> None:
    path = tmp_path / "file"

    def write(file: BinaryIO) -> None:
        file.write(NEW)
        path.write_bytes(b"of another program")

    def link(*_: object) -> None:
        raise OSError(errno.EPERM, "this file system has no links")

    if not have_links:
        monkeypatch.setattr(os, "link", link)
    with pytest.raises(FileExistsError):
        write_new(str(path), write)
    assert path.read_bytes() == b"of another program"
    found = path.stat()

    def write_again(file: BinaryIO) -> None:
        file.write(NEW)
        path.write_bytes(b"of one more")

    with pytest.raises(ChangedError, match="another program changed it"):
        replace(str(path), write_again, found)
    assert path.read_bytes() == b"of one more"
    assert left(tmp_path) == ["file"]
    path.unlink()
    write_new(str(path), lambda file: file.write(NEW))
    assert path.read_bytes() == NEW


@pytest.mark.parametrize("is_new", [True, False])
def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, *, is_new: bool) -> None:
    path = tmp_path / "file"
    if not is_new:
        path.write_bytes(b"<kind> old")

    def fail(file: BinaryIO) -> None:
        file.write(NEW)
        raise OSError(errno.ENOSPC, "no space left")

    own: Callable[[bytes], bool] = lambda _: True  # noqa: E731 two lines for one word
    with pytest.raises(OSError, match="no space"):
        write_own(str(path), fail, own, "other")
    assert left(tmp_path) == ([] if is_new else ["file"])
    assert is_new or path.read_bytes() == b"<kind> old"
