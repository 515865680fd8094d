"""Makes the searched copies of the repositories: unpacked, with queried documentation blanked."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from bench.ranking import judgements, packages
from bench.ranking.judgements import Judgement, Place
from bench.ranking.repositories import Repository
from repo_mcp.text.files import decode

# larger files are neither indexed by default nor queried
MAX_BYTES: Final = 1 << 20
_MAIN: Final = (".orig.tar.", ".tgz", ".whl")


def prepared(repository: Repository, keep: Path) -> Path:
    """The repository's searched tree, rebuilt if its sources have changed."""
    blanked = [item for item in judgements.read("documented") if item.repository == repository.name]
    places = [item.removed for item in blanked if item.removed]
    found = [path.name for package in repository.packages for path in packages.fetch(package, keep)]
    stamp = _stamp(repository, places, found)
    root = keep / "trees" / repository.name
    mark = _mark(root)
    if not mark.exists() or mark.read_text() != stamp:
        mark.unlink(missing_ok=True)
        unpack(repository, keep, root)
        blank(root, places)
        mark.write_text(stamp)
    return root


def made(root: Path) -> str:
    """A digest of the sources of a tree."""
    return _mark(root).read_text()


def _mark(root: Path) -> Path:
    return root.with_name(f"{root.name}.made")


def unpack(repository: Repository, keep: Path, root: Path) -> None:
    """Replace a folder with the published repository."""
    shutil.rmtree(root, ignore_errors=True)
    known = packages.checksums()
    for package in repository.packages:
        found = packages.fetch(package, keep)
        packages.verify(found, known)
        alone = len(repository.packages) == 1
        into = root if alone else root / package.folder
        for archive in found:
            if any(part in archive.name for part in _MAIN):
                _extract(archive, into, repository)


def _extract(archive: Path, into: Path, repository: Repository) -> None:
    rows = list(_members(archive))
    tops = {parts[0] for parts, _, _ in rows}
    depth = 1 if len(tops) == 1 else 0
    for parts, size, content in rows:
        inner = PurePosixPath(*parts[depth:])
        if _wanted(inner, size, repository):
            target = into / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content())


def _members(archive: Path) -> Iterator[tuple[tuple[str, ...], int, Callable[[], bytes]]]:
    """The regular files of an archive: parts of the path, size, and a reader."""
    if archive.suffix == ".whl":
        packed = zipfile.ZipFile(archive)
        for info in packed.infolist():
            if not info.is_dir():
                yield PurePosixPath(info.filename).parts, info.file_size, partial(packed.read, info)
        return
    tar = tarfile.open(archive)  # noqa: SIM115 read when its members are asked for
    for member in tar.getmembers():
        if member.isfile():
            parts = PurePosixPath(member.name).parts
            yield parts, member.size, partial(_read, tar, member)


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    source = tar.extractfile(member)
    return source.read() if source is not None else b""


def _wanted(inner: PurePosixPath, size: int, repository: Repository) -> bool:
    kept = not repository.keep or any(inner.is_relative_to(folder) for folder in repository.keep)
    dropped = any(inner.is_relative_to(folder) for folder in repository.drop)
    return kept and not dropped and ".." not in inner.parts and size <= MAX_BYTES


def blank(root: Path, places: Iterable[Place]) -> None:
    """Empty these lines; every other line keeps its number."""
    by_path: defaultdict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_path[place.path].append(place)
    for path, parts in by_path.items():
        rows = (root / path).read_bytes().split(b"\n")
        for part in parts:
            rows[part.first - 1 : part.last] = [b""] * (part.last - part.first + 1)
        (root / path).write_bytes(b"\n".join(rows))


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every text file, in path order."""
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        text = decode(path.read_bytes())
        if text is not None:
            yield path.relative_to(root).as_posix(), text.content


def _stamp(repository: Repository, places: Sequence[Place], archives: Sequence[str]) -> str:
    known = packages.checksums()
    sums = [known.get(name, "unknown") for name in archives]
    parts = [repr(repository), *map(str, places), *sums]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def grouped(items: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Judgements by repository."""
    found: defaultdict[str, list[Judgement]] = defaultdict(list)
    for item in items:
        found[item.repository].append(item)
    return dict(found)
