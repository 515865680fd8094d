"""Upstream tarballs of source packages: their names in apt's output, their hashes, unpacking."""

from __future__ import annotations

import hashlib
import re
import shutil
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

_LINE: Final = re.compile(r"'[^']+' (?P<name>\S+) (?P<size>\d+) SHA256:(?P<sha256>[0-9a-f]{64})")
_NAME: Final = re.compile(r"[^/]+\.orig(?:-(?P<component>[A-Za-z0-9-]+))?\.tar\.\w+")


@dataclass(frozen=True, slots=True)
class Tarball:
    """A tarball as apt names it, and the folder of its package that it becomes, or empty."""

    name: str
    size: int
    sha256: str
    component: str


def read_tarballs(output: str) -> list[Tarball]:
    """The tarballs in apt's output, that of the whole package first."""
    lines = [line for line in map(_LINE.fullmatch, output.splitlines()) if line]
    tarballs = [_tarball(line["name"], int(line["size"]), line["sha256"]) for line in lines]
    return sorted(tarballs, key=lambda tarball: tarball.component)


def _tarball(name: str, size: int, sha256: str) -> Tarball:
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise ValueError(f"{name}: not the name of an upstream tarball")
    return Tarball(name, size, sha256, parts["component"] or "")


def is_intact(path: Path, tarball: Tarball) -> bool:
    """True if a file has the size and the hash of a tarball."""
    if not path.is_file() or path.stat().st_size != tarball.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == tarball.sha256


def unpack_package(
    tarballs: Sequence[Tarball], archive: Path, folder: Path, *, nested: bool
) -> list[str]:
    """Unpack a package as a new folder; returns the links that would lead out of it, left out.

    A nested package has its sources in tarballs within the tarball, which stay beside them.
    """
    links: list[str] = []
    for tarball in tarballs:
        links += unpack(archive / tarball.name, folder / tarball.component)
    for inner in sorted(folder.glob("*.tar.*")) if nested else ():
        links += unpack(inner, folder / inner.name.partition(".tar.")[0])
    return links


def unpack(path: Path, folder: Path) -> list[str]:
    """Unpack a tarball as a new folder; returns the links that would lead out of it, left out.

    The folder is that at the tarball's top, if all lies in one. A path out of it is an error.
    """
    links: list[str] = []
    work = folder.with_name(f"{folder.name}.unpacking")
    with tarfile.open(path, "r|*") as tar:
        # the filter refuses paths out of the folder
        tar.extractall(work, filter=partial(_inside, links))  # noqa: S202
    tops = list(work.iterdir())
    if len(tops) == 1 and tops[0].is_dir() and not tops[0].is_symlink():
        tops[0].rename(folder)
        shutil.rmtree(work)
    else:
        work.rename(folder)
    return links


def _inside(links: list[str], member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    try:
        return tarfile.data_filter(member, folder)
    except (tarfile.AbsoluteLinkError, tarfile.LinkOutsideDestinationError):
        links.append(member.name)
        return None
