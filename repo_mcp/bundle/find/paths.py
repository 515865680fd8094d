"""Resolves the files that a prompt names by the end of a path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.bundle.weights import PlaceWeights as Weights


class PathMatch(NamedTuple):
    """The files or the folder that a path means; `shared` counts the trailing names that agree."""

    files: tuple[str, ...]
    folder: str
    shared: int
    # number of names in the written path
    parts: int


_NOTHING: Final = PathMatch((), "", 0, 0)


class NamedPaths:
    """Resolves several paths in one pass over the paths of the index."""

    def __init__(self, snapshot: Snapshot, written: Iterable[str]) -> None:
        parts = {path: names for path in written if (names := _parts(path))}
        self._paths = _paths_by_name(snapshot, parts.values()) if parts else {}
        self._matches = {path: self._match(snapshot, names) for path, names in parts.items()}

    def get(self, written: str) -> PathMatch:
        """The match of a path, empty if no path in the index ends with its last name."""
        return self._matches.get(written, _NOTHING)

    def _match(self, snapshot: Snapshot, parts: Sequence[str]) -> PathMatch:
        name = parts[-1]
        best = 0
        alike: list[str] = []
        for path in self._paths.get(name, ()):
            shared = _count_shared(path.split("/"), parts)
            if shared > best:
                best = shared
                alike = []
            if shared == best:
                alike.append(path)
        if alike:
            return PathMatch(tuple(_nearest(alike)), "", best, len(parts))
        stem = "/".join(parts)
        if "." not in name:
            return self._module(snapshot, stem, len(parts))
        return _NOTHING

    def _module(self, snapshot: Snapshot, stem: str, count: int) -> PathMatch:
        """The match of a path without an extension: a folder, or files with any extension."""
        files: list[str] = []
        folders: set[str] = set()
        for path in _paths_with(snapshot, stem):
            before, _, after = path.partition(stem)
            if after.startswith(".") and "/" not in after:
                files.append(path)
            elif after.startswith("/"):
                folders.add(before + stem)
        code = [path for path in files if not path.endswith((".md", ".rst", ".txt"))] or files
        if code and len(code) <= 2 * Weights.MOST_ALIKE:
            return PathMatch(tuple(_nearest(code)), "", count, count)
        if count < 2:
            return _NOTHING
        ordered = sorted(folders, key=lambda folder: (folder.count("/"), folder))
        return (
            PathMatch((), ordered[0], count, count)
            if len(ordered) == 1
            else (PathMatch((), stem, count, count) if stem in folders else _NOTHING)
        )


def _paths_with(snapshot: Snapshot, stem: str) -> Iterator[str]:
    """Paths of live files in which a name begins with `stem`, which may have folders."""
    needle = b"/" + stem.encode("utf-8", "surrogatepass")
    for segment in snapshot.segments:
        table = segment.reader.files.paths
        text = b"\n/" + b"\n/".join(table.all) + b"\n"
        at = text.find(needle)
        while at >= 0:
            begin, end = text.rfind(b"\n", 0, at + 1) + 2, text.find(b"\n", at)
            path = text[begin:end]
            number = table.find(path)
            if number is not None and number not in segment.dead_files:
                yield path.decode("utf-8", "surrogatepass")
            at = text.find(needle, end)


def _paths_by_name(snapshot: Snapshot, written: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Paths of live files by name, for the last names of `written`."""
    names = {parts[-1].encode("utf-8", "surrogatepass") for parts in written}
    ends = tuple(b"/" + name for name in names)
    found: dict[str, list[str]] = {}
    for segment in snapshot.segments:
        for raw, _ in segment.live_files():
            if raw.endswith(ends) or raw in names:
                path = raw.decode("utf-8", "surrogatepass")
                found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _parts(path: str) -> list[str]:
    plain = path.replace("\\", "/").partition("?")[0]
    return [part for part in plain.split("/") if part not in {"", ".", ".."}]


def _count_shared(path: Sequence[str], parts: Sequence[str]) -> int:
    count = 0
    for one, other in zip(reversed(path), reversed(parts), strict=False):
        if one != other:
            break
        count += 1
    return count


def _nearest(paths: Sequence[str]) -> list[str]:
    """The paths, if few; else the one nearest to the root, if it is the only one at its depth."""
    ordered = sorted(paths, key=lambda path: (path.count("/"), path))
    if len(ordered) <= Weights.MOST_ALIKE:
        return ordered
    least = ordered[0].count("/")
    first = [path for path in ordered if path.count("/") == least]
    return first if len(first) == 1 else []
