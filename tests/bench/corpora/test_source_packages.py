"""The list of source packages is sound, and a tree of them is put together and counted."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.corpora import source_packages
from bench.corpora.apt import source_entries
from bench.corpora.source_packages import (
    SourceArchive,
    SourcePackage,
    count_files,
    put_together,
    read_list,
)

LIST = Path(source_packages.__file__).with_suffix(".toml")
PACKAGE = SourcePackage("a", "1-1", 0, 1, 5, nested=False)
ROW = '{ name = "%s", version = "1", tarballs = 3, files = 2, bytes = 1 }'


class LocalApt:
    """An apt with one tarball of some bytes, which hands out others if it is told to."""

    def __init__(self, data: bytes) -> None:
        self.fetches = 0
        self.is_damaged = False
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w:xz") as tar:
            info = tarfile.TarInfo("a-1/a.py")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        self.packed = file.getvalue()

    def run(self, arguments: Sequence[str], folder: Path) -> str:
        assert {"source", "--download-only", "--tar-only", "a=1-1"} <= {*arguments}
        if "--print-uris" in arguments:
            sha256 = hashlib.sha256(self.packed).hexdigest()
            return f"'mirror/a' a_1.orig.tar.xz {len(self.packed)} SHA256:{sha256}\n"
        self.fetches += 1
        data = bytes(len(self.packed)) if self.is_damaged else self.packed
        (folder / "a_1.orig.tar.xz").write_bytes(data)
        return ""


def test_the_list_is_of_a_million_files_at_most_with_exact_versions() -> None:
    packages = read_list(LIST.read_text("utf-8"))
    assert 300_000 <= sum(package.files for package in packages) <= 1_000_000
    assert 8e9 <= sum(package.bytes for package in packages) <= 20e9
    assert all("-" in package.version and package.tarballs for package in packages)


@pytest.mark.parametrize("names", [["a", "a"], ["../a"], ["a/b"], ["a=1"], ["-a"], [""]])
def test_a_name_that_is_none_or_stands_twice_is_refused(names: list[str]) -> None:
    text = f"package = [{', '.join(ROW % name for name in ['bb', *names])}]"
    with pytest.raises(ValueError, match="rows, or not a package's name"):
        read_list(text)


def test_a_row_becomes_a_package() -> None:
    assert read_list(f"package = [{ROW % 'bb'}]") == [
        SourcePackage("bb", "1", 3, 2, 1, nested=False)
    ]


def test_entries_of_both_forms_become_those_of_sources() -> None:
    assert source_entries("# a deb\ndeb [a=b] mirror suite main\ndeb-src mirror suite main\n") == (
        "# a deb\ndeb-src [a=b] mirror suite main\ndeb-src mirror suite main\n"
    )
    assert source_entries("Types: deb\nURIs: mirror\n") == "Types: deb-src\nURIs: mirror\n"


def test_a_package_is_unpacked_again_only_if_its_tarballs_changed(tmp_path: Path) -> None:
    keep, root = tmp_path / "keep", tmp_path / "root"
    archive = SourceArchive(keep / "tarballs", LocalApt(b"one").run)
    assert put_together(PACKAGE, archive, root, keep) == 0
    (root / "a" / "a.py").write_bytes(b"edited")
    put_together(PACKAGE, archive, root, keep)
    assert (root / "a" / "a.py").read_bytes() == b"edited"
    changed = SourceArchive(keep / "tarballs", LocalApt(b"other").run)
    put_together(PACKAGE, changed, root, keep)
    assert (root / "a" / "a.py").read_bytes() == b"other"


def test_a_package_that_was_not_finished_is_unpacked_again_from_its_tarball(tmp_path: Path) -> None:
    keep, root, apt = tmp_path / "keep", tmp_path / "root", LocalApt(b"one")
    archive = SourceArchive(keep / "tarballs", apt.run)
    archive.fetch(PACKAGE, archive.tarballs(PACKAGE))
    for leftover in (root / "a", keep / "unpacking" / "a", keep / "unpacking" / "a.unpacking"):
        leftover.mkdir(parents=True)
        (leftover / "b.py").touch()
    put_together(PACKAGE, archive, root, keep)
    assert [path.name for path in (root / "a").iterdir()] == ["a.py"]
    assert apt.fetches == 1


def test_a_tarball_without_the_hash_that_apt_names_is_refused(tmp_path: Path) -> None:
    apt = LocalApt(b"one")
    apt.is_damaged = True
    archive = SourceArchive(tmp_path / "tarballs", apt.run)
    with pytest.raises(ValueError, match=r"a_1\.orig\.tar\.xz: not the file that apt names"):
        put_together(PACKAGE, archive, tmp_path / "root", tmp_path)
    assert not (tmp_path / "root").exists()


def test_a_package_without_a_tarball_is_refused(tmp_path: Path) -> None:
    archive = SourceArchive(tmp_path / "tarballs", lambda _arguments, _folder: "")
    with pytest.raises(ValueError, match="a=1-1: apt names no upstream tarball"):
        archive.tarballs(PACKAGE)


def test_tarballs_of_one_package_are_deleted(tmp_path: Path) -> None:
    archive = SourceArchive(tmp_path / "tarballs", LocalApt(b"one").run)
    archive.fetch(PACKAGE, archive.tarballs(PACKAGE))
    other = archive.folder / "ab_1.orig.tar.gz"
    other.touch()
    archive.delete(PACKAGE)
    assert list(archive.folder.iterdir()) == [other]


def test_regular_files_are_counted_by_language(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("src/a.py", "src/b.py", "c.rs", "picture.xyz"):
        (tmp_path / name).write_text("12345", "utf-8")
    (tmp_path / "link.py").symlink_to("src/a.py")
    counts = count_files(tmp_path)
    assert counts.files == {"python": 2, "rust": 1, "other": 1}
    assert counts.bytes == 20
    row = counts.row("a", "1-1")
    assert " ".join(row.split()) == "a 1-1 4 20 python 2, other 1, rust 1"
