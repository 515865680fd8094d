"""Compiled code lists a folder as Python does, whatever the names and kinds of its entries."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

import repo_mcp.native
from repo_mcp.safety.sandbox import posix

NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: not {b"/"[0], 0} & {*name} and name not in {b".", b".."}
)
KINDS = st.sampled_from(["file", "folder", "link", "broken link", "pipe", "socket"])

pytestmark = pytest.mark.skipif(repo_mcp.native.NATIVE is None, reason="nothing is compiled here")


def make(path: Path, kind: str) -> None:
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(".")
    elif kind == "broken link":
        path.symlink_to("nowhere")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.fsencode(path))
    else:
        path.write_bytes(os.fsencode(path.name))
        os.utime(path, ns=(0, len(path.name) * 1_000_000_007 - (1 << 33)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(NAMES, KINDS, max_size=9))
@example({})
@example({"é".encode(): "file", b"a\xff": "file", b"a": "folder"})
@example({"é".encode(): "file", b"z": "file", "\U0001f600".encode(): "link"})
def test_a_folder_is_listed_alike(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[bytes, str]
) -> None:
    folder = tmp_path_factory.mktemp("listed")
    for name, kind in entries.items():
        make(folder / os.fsdecode(name), kind)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        expected, found = posix._listed(descriptor), posix._listed_by_native(descriptor)
    finally:
        os.close(descriptor)
    assert (found is None) == (expected.unreadable_names > 0)
    if found is not None:
        assert list(found.entries) == list(expected.entries)
        assert found.columns == expected.columns
        assert found.device == expected.device


def test_a_descriptor_that_is_no_folder_is_an_error(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file, pytest.raises(NotADirectoryError):
        posix._listed_by_native(file.fileno())
    with pytest.raises(OSError, match="Bad file descriptor"):
        posix._listed_by_native(-1)
