"""Tarballs are those that apt names, have its hashes, and stay in the folder of their package."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.corpora.tarballs import Tarball, is_intact, read_tarballs, unpack, unpack_package

SHA256 = "ab" * 32
OUTPUT = f"""Reading package lists...
Need to get 7 B of source archives.
'mirror/n/nodejs_18%2bdfsg.orig-ada.tar.xz' nodejs_18+dfsg.orig-ada.tar.xz 3 SHA256:{SHA256}
'mirror/n/nodejs_18%2bdfsg.orig.tar.gz' nodejs_18+dfsg.orig.tar.gz 4 SHA256:{SHA256}
"""


def member(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    """A member of so many bytes; for a link they are where it leads."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(data) if kind == tarfile.REGTYPE else 0
    info.linkname = "" if kind == tarfile.REGTYPE else data.decode()
    return info


def write(path: Path, files: Mapping[str, bytes], links: Mapping[str, str]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w:xz") as tar:
        for name, data in files.items():
            tar.addfile(member(name, data), io.BytesIO(data))
        for name, target in links.items():
            tar.addfile(member(name, target.encode(), tarfile.SYMTYPE))
    return path


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_the_tarball_of_the_package_comes_before_its_components() -> None:
    assert read_tarballs(OUTPUT) == [
        Tarball("nodejs_18+dfsg.orig.tar.gz", 4, SHA256, ""),
        Tarball("nodejs_18+dfsg.orig-ada.tar.xz", 3, SHA256, "ada"),
    ]


@pytest.mark.parametrize("name", ["a_1.debian.tar.xz", "../a_1.orig.tar.xz", "a_1.orig-...tar.xz"])
def test_a_name_that_is_no_upstream_tarball_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of an upstream tarball"):
        read_tarballs(f"'mirror/a' {name} 3 SHA256:{SHA256}")


def test_a_file_is_intact_if_its_size_and_hash_are_the_tarballs(tmp_path: Path) -> None:
    path = tmp_path / "a"
    tarball = Tarball("a", 3, hashlib.sha256(b"abc").hexdigest(), "")
    assert not is_intact(path, tarball)
    for data, intact in ((b"abc", True), (b"xyz", False), (b"abcd", False)):
        path.write_bytes(data)
        assert is_intact(path, tarball) is intact


@pytest.mark.parametrize("top", ["", "a-1/"])
def test_a_folder_around_all_becomes_the_package(tmp_path: Path, top: str) -> None:
    path = write(tmp_path / "a.tar.xz", {f"{top}b/c": b"1", f"{top}d": b"2"}, {})
    assert unpack(path, tmp_path / "a") == []
    assert tree(tmp_path / "a") == {"b/c": b"1", "d": b"2"}
    assert {child.name for child in tmp_path.iterdir()} == {"a.tar.xz", "a"}


def test_a_path_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "in" / "a.tar.xz", {"../../b": b"1"}, {})
    with pytest.raises(tarfile.OutsideDestinationError):
        unpack(path, tmp_path / "in" / "a")
    assert not (tmp_path / "b").exists()


def test_links_out_of_the_folder_are_left_out_and_told(tmp_path: Path) -> None:
    links = {"a/inside": "b", "a/above": "../../b", "a/absolute": "/b"}
    path = write(tmp_path / "a.tar.xz", {"a/b": b"1"}, links)
    assert unpack(path, tmp_path / "a") == ["a/above", "a/absolute"]
    assert tree(tmp_path / "a") == {"b": b"1", "inside": b"1"}


@pytest.mark.parametrize("nested", [False, True])
def test_components_and_nested_tarballs_become_folders(tmp_path: Path, *, nested: bool) -> None:
    inner = write(tmp_path / "inner.tar.xz", {"inner-1/c": b"3"}, {}).read_bytes()
    archive = tmp_path / "archive"
    write(archive / "a.tar.xz", {"a/b": b"1", "a/inner-1.2.tar.xz": inner}, {})
    write(archive / "a-docs.tar.xz", {"docs-1/d": b"2"}, {})
    tarballs = [Tarball("a.tar.xz", 0, "", ""), Tarball("a-docs.tar.xz", 0, "", "docs")]
    assert unpack_package(tarballs, archive, tmp_path / "a", nested=nested) == []
    files = {"b": b"1", "inner-1.2.tar.xz": inner, "docs/d": b"2"}
    assert tree(tmp_path / "a") == (files | {"inner-1.2/c": b"3"} if nested else files)
