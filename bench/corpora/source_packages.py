"""Puts together a large tree of real sources: upstream's tarballs of Debian's source packages.

    python -m bench.corpora.source_packages ROOT --keep FOLDER [--delete-tarballs]

The packages, their exact versions and sizes stand in source_packages.toml. `apt-get` fetches them
from the sources that this machine is configured with, with lists of its own below FOLDER, and each
tarball has to have the hash that apt knows. All of a package is unpacked into `ROOT/PACKAGE`,
without Debian's patches and the links that lead out of it, which are counted. A package that is
there, unpacked from tarballs of these hashes, stays: a run that was stopped goes on where it was.
FOLDER and ROOT lie on one file system. Lists are as old as `FOLDER/apt`: without it they are new.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.corpora.apt import Apt
from bench.corpora.tarballs import Tarball, is_intact, read_tarballs, unpack_package
from code_graph import Languages

_LIST: Final = Path(__file__).with_suffix(".toml")
_PACKAGE_NAME: Final = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_OTHER: Final = "other"
# many files are smaller than a block of the disk
_BYTES_ON_DISK: Final = 1.3


@dataclass(frozen=True, slots=True)
class SourcePackage:
    """A package of the list: its version, the bytes of its tarballs, its files and their bytes."""

    name: str
    version: str
    tarballs: int
    files: int
    bytes: int
    # its tarball holds tarballs in place of sources
    nested: bool


@dataclass(slots=True)
class SourceCounts:
    """The bytes of the regular files of a tree, and how many of them are of each language."""

    bytes: int = 0
    files: Counter[str] = field(default_factory=Counter)

    def add(self, other: SourceCounts) -> None:
        """Count another tree too."""
        self.bytes += other.bytes
        self.files.update(other.files)

    def row(self, name: str, version: str) -> str:
        """A row of the table."""
        by_files = sorted(self.files.items(), key=lambda pair: (-pair[1], pair[0]))
        languages = ", ".join(f"{language} {files:,}" for language, files in by_files)
        return f"{name:20} {version:34} {self.files.total():9,} {self.bytes:14,}  {languages}"


def read_list(text: str) -> list[SourcePackage]:
    """The packages of a list, each named once, by a name that is one of Debian."""
    packages = [
        SourcePackage(
            row["name"],
            row["version"],
            row["tarballs"],
            row["files"],
            row["bytes"],
            row.get("nested", False),
        )
        for row in tomllib.loads(text)["package"]
    ]
    for name, rows in Counter(package.name for package in packages).items():
        if rows > 1 or not _PACKAGE_NAME.fullmatch(name):
            raise ValueError(f"{name}: in {rows} rows, or not a package's name")
    return packages


class SourceArchive:
    """Upstream tarballs in a folder, which `run` fetches: apt, by its arguments and a folder."""

    def __init__(self, folder: Path, run: Callable[[Sequence[str], Path], str]) -> None:
        self.folder = folder
        self._run = run
        folder.mkdir(parents=True, exist_ok=True)

    def tarballs(self, package: SourcePackage) -> list[Tarball]:
        """The tarballs of a package."""
        # apt names no file that lies in its working folder
        output = self._run([*_choice(package), "--print-uris"], self.folder.parent)
        tarballs = read_tarballs(output)
        if not tarballs or tarballs[0].component:
            raise ValueError(f"{package.name}={package.version}: apt names no upstream tarball")
        return tarballs

    def fetch(self, package: SourcePackage, tarballs: Sequence[Tarball]) -> None:
        """Fetch what is not there of a package, or not what apt names."""
        wrong = [wanted for wanted in tarballs if not is_intact(self.folder / wanted.name, wanted)]
        if not wrong:
            return
        self._run(_choice(package), self.folder)
        for tarball in wrong:
            if not is_intact(self.folder / tarball.name, tarball):
                raise ValueError(f"{tarball.name}: not the file that apt names")

    def delete(self, package: SourcePackage) -> None:
        """Delete the tarballs of a package."""
        for path in self.folder.glob(f"{package.name}_*"):
            path.unlink()


def _choice(package: SourcePackage) -> list[str]:
    return ["source", "--download-only", "--tar-only", f"{package.name}={package.version}"]


def put_together(package: SourcePackage, archive: SourceArchive, root: Path, keep: Path) -> int:
    """Fetch and unpack a package, unless it is there; returns how many links are left out."""
    tarballs = archive.tarballs(package)
    folder, mark, work = root / package.name, keep / "marks" / package.name, keep / "unpacking"
    hashes = "".join(f"{tarball.sha256} {tarball.name}\n" for tarball in tarballs)
    if folder.is_dir() and mark.exists() and mark.read_text("utf-8") == hashes:
        return 0
    archive.fetch(package, tarballs)
    for leftover in (work, folder):
        shutil.rmtree(leftover, ignore_errors=True)
    links = unpack_package(tarballs, archive.folder, work / package.name, nested=package.nested)
    root.mkdir(exist_ok=True)
    (work / package.name).rename(folder)
    mark.parent.mkdir(exist_ok=True)
    mark.write_text(hashes, "utf-8")
    return len(links)


def count_files(folder: Path) -> SourceCounts:
    """Count a tree's regular files, by the languages that their paths tell."""
    languages = Languages()
    counts = SourceCounts()
    for entry in _regular_files(str(folder)):
        counts.bytes += entry.stat(follow_symlinks=False).st_size
        counts.files[languages.language_of(os.path.relpath(entry.path, folder)) or _OTHER] += 1
    return counts


def _regular_files(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _regular_files(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry


def _check_room(packages: Sequence[SourcePackage], root: Path) -> None:
    missing = [package for package in packages if not (root / package.name).exists()]
    needed = sum(package.tarballs + package.bytes * _BYTES_ON_DISK for package in missing)
    if shutil.disk_usage(root).free < needed:
        raise OSError(f"{root}: {needed / 1e9:.0f} GB are needed")


def main() -> int:
    """Put the tree together and print its table; 1 if it is not the one of the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--delete-tarballs", action="store_true")
    given = parser.parse_args()
    root, keep = given.root.resolve(), given.keep.resolve()
    root.mkdir(parents=True, exist_ok=True)
    packages = read_list(_LIST.read_text("utf-8"))
    _check_room(packages, root)
    archive = SourceArchive(keep / "tarballs", Apt(keep / "apt").run)
    whole = SourceCounts()
    different = []
    for package in packages:
        try:
            links = put_together(package, archive, root, keep)
        except (ValueError, subprocess.CalledProcessError) as error:
            print(f"{package.name} could not be had: {error}", flush=True)
            different.append(package.name)
            continue
        if given.delete_tarballs:
            archive.delete(package)
        counts = count_files(root / package.name)
        whole.add(counts)
        if (counts.files.total(), counts.bytes) != (package.files, package.bytes):
            different.append(package.name)
        print(counts.row(package.name, package.version), flush=True)
        if links:
            print(f"{package.name}: {links} links left out", flush=True)
    print(whole.row("all", ""))
    if different:
        print("not as the list says:", ", ".join(different))
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
