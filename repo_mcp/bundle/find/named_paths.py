"""What a path in a prompt means here: the files of the index whose paths end most like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.bundle.weights import PlaceWeights

_INDEX_NAMES: Final = ("__init__.py", "index.ts", "index.tsx", "index.js", "mod.rs")


class PathMatch(NamedTuple):
    """What a path is here: files, or a folder; `shared` counts the names at the end that agree."""

    files: tuple[str, ...]
    folder: str
    shared: int
    # names of the path as it was written
    parts: int


_NOTHING: Final = PathMatch((), "", 0, 0)


class NamedPaths:
    """Finds what several paths mean in one pass over those of the index."""

    def __init__(self, snapshot: Snapshot, written: Iterable[str]) -> None:
        """Look for all of them."""
        asked = {path: _parts(path) for path in dict.fromkeys(written)}
        self._found = dict.fromkeys(asked, _NOTHING)
        wanted = {path: parts for path, parts in asked.items() if parts}
        if not wanted:
            return
        self._paths = _alike(snapshot, wanted.values())
        for path, parts in wanted.items():
            self._found[path] = self._meant(snapshot, parts)

    def get(self, written: str) -> PathMatch:
        """What this one of them means; nothing where no path of the index ends so."""
        return self._found.get(written, _NOTHING)

    def _meant(self, snapshot: Snapshot, parts: Sequence[str]) -> PathMatch:
        name = parts[-1]
        best = 0
        alike: list[str] = []
        for path in self._paths.get(name, ()):
            shared = _shared(path.split("/"), parts)
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
        """A path without an ending: a folder, or a file whose ending was not written."""
        files: list[str] = []
        folders: set[str] = set()
        for path in _holding(snapshot, stem):
            before, _, after = path.partition(stem)
            if after.startswith(".") and "/" not in after:
                files.append(path)
            elif after.startswith("/"):
                folders.add(before + stem)
        code = [path for path in files if not path.endswith((".md", ".rst", ".txt"))] or files
        if code and len(code) <= 2 * PlaceWeights.MOST_ALIKE:
            return PathMatch(tuple(_nearest(code)), "", count, count)
        if count < 2:
            return _NOTHING
        ordered = sorted(folders, key=lambda folder: (folder.count("/"), folder))
        return (
            PathMatch((), ordered[0], count, count)
            if len(ordered) == PlaceWeights.MOST_FOLDERS
            else (PathMatch((), stem, count, count) if stem in folders else _NOTHING)
        )


def _holding(snapshot: Snapshot, stem: str) -> Iterator[str]:
    """Paths of live files in which some folders and the beginning of a name are these."""
    wanted = b"/" + stem.encode("utf-8", "surrogatepass")
    for segment in snapshot.segments:
        table = segment.reader.files
        text = b"\n/" + b"\n/".join(table.paths) + b"\n"
        at = text.find(wanted)
        while at >= 0:
            begin, end = text.rfind(b"\n", 0, at + 1) + 2, text.find(b"\n", at)
            path = text[begin:end]
            number = table.find(path)
            if number is not None and number not in segment.dead_files:
                yield path.decode("utf-8", "surrogatepass")
            at = text.find(wanted, end)


def _alike(snapshot: Snapshot, wanted: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Paths of live files by their last name, of the names that are wanted."""
    names = {parts[-1].encode("utf-8", "surrogatepass") for parts in wanted}
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


def _shared(path: Sequence[str], parts: Sequence[str]) -> int:
    count = 0
    for one, other in zip(reversed(path), reversed(parts), strict=False):
        if one != other:
            break
        count += 1
    return count


def _nearest(paths: Sequence[str]) -> list[str]:
    """The ones that lie least deep; none where too many are alike."""
    ordered = sorted(paths, key=lambda path: (path.count("/"), path))
    if len(ordered) <= PlaceWeights.MOST_ALIKE:
        return ordered
    least = ordered[0].count("/")
    first = [path for path in ordered if path.count("/") == least]
    return first if len(first) == 1 else []
