"""Lists files that match a glob: from the index if it has them all, else by a walk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, takewhile
from typing import Final

import numpy as np

from code_graph.paths.file_types import EXTENSIONS, is_text_name
from code_graph.paths.globs import alternatives, split_globs
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.repository.open_index import OpenIndex
from repo_mcp.repository.repository import Repository
from repo_mcp.safety.sandbox import StatKey
from repo_mcp.search import PathText
from repo_mcp.text.globs import compile_globs

# paths matched with a glob between two checks for cancellation
_AT_ONCE: Final = 8192
# timeout of a walk: a hundred thousand files take less
_WALK_SECONDS: Final = 5.0
_WILDCARDS: Final = frozenset("*?[")
# reasons for which a file is not indexed but listed
_LISTED: Final = frozenset({"", "large"})
# a call can't name a path with one of these
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_MOST_FOLDERS: Final = 12
# of an overview of the repository: folders, and levels of them
_MOST_LISTED: Final = 60
_MOST_LEVELS: Final = 3


# bytes of a tiny file, so many of one size as are summed up, and the share of a list that may be
_TINY: Final = 32
_LEAST_TINY: Final = 10
_MOST_TINY: Final = 0.8
_NEARLY: Final = 0.9


class FileList(NamedTuple):
    """Matching files in byte order of their paths; `keys` has stat keys if they were walked.

    `is_indexed` says whether they come from the index; `complete`, whether the walk was finished.
    """

    paths: Sequence[str]
    keys: Mapping[str, StatKey]
    is_indexed: bool
    complete: bool


class FileLister:
    """Lists the files of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._manager = repository.manager
        included = repository.settings.include_extensions
        self._extensions = EXTENSIONS | {item.lower() for item in included}

    def list_files(
        self, glob: str | None, index: OpenIndex, budget: Budget, *, hidden: bool
    ) -> FileList:
        """Files that match; hidden ones only with `hidden`, or if the glob names them."""
        selection = _PathSelection(glob, hidden=hidden)
        if index.snapshot is not None and index.complete and not self._walks(selection):
            paths = _indexed_paths(index.snapshot, selection, budget)
            return FileList(paths, {}, is_indexed=True, complete=True)
        limit = budget.within(_WALK_SECONDS)
        found: dict[str, StatKey] = {}
        complete = True
        for item in self._manager.discovery().below(selection.folder, limit):
            if limit.spent:
                complete = False
                break
            listed = item.reason in _LISTED and not _CONTROL.search(item.path)
            if listed and item.key is not None and selection.shows(item.path):
                found[item.path] = item.key
        return FileList(list(found), found, is_indexed=False, complete=complete)

    def _walks(self, selection: _PathSelection) -> bool:
        """True if the glob may match files that are not indexed, as images are."""
        ending = selection.ending
        if ending:
            return not is_text_name(f"x{ending}", self._extensions)
        return bool(selection.folder)


def with_folders(glob: str) -> str:
    """The globs with each one without wildcards as the folder of that name; empty if none is."""
    plain, excluded = split_globs(glob)
    if not any(map(_is_plain, plain)):
        return ""
    inside = [f"{item.rstrip('/')}/**" if _is_plain(item) else item for item in plain]
    return ", ".join([*inside, *(f"!{item}" for item in excluded)])


def _is_plain(pattern: str) -> bool:
    """True if a pattern has no wildcards, so that it may name a folder."""
    return not _WILDCARDS & set(pattern) and len(alternatives(pattern)) == 1


def has_match(snapshot: Snapshot, glob: str, budget: Budget) -> bool:
    """True if a glob matches a file of the index."""
    for segment in snapshot.segments:
        budget.check()
        if PathText(segment.reader.files.paths.all).matching_list(glob).any():
            return True
    return False


def fullest_folders(paths: Sequence[str]) -> list[tuple[str, int]]:
    """Subfolders of the common folder of these sorted paths, by file count, largest first.

    Files directly in the common folder count under its own name, "." for the root.
    """
    above = _common(paths[0], paths[-1]) if paths else ""
    begin = len(above)
    counts: Counter[str] = Counter()
    for path in paths:
        slash = path.find("/", begin)
        counts[path[:slash] if slash >= 0 else above.rstrip("/") or "."] += 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FOLDERS]


def folder_counts(paths: Sequence[str]) -> list[tuple[str, int]]:
    """Folders by path with the files in and below them: top ones, and what is in the fullest."""
    counts: Counter[str] = Counter()
    inner: dict[str, dict[str, None]] = {}
    for path in paths:
        at, above = path.find("/"), ""
        for _ in range(_MOST_LEVELS):
            if at < 0:
                break
            folder = path[:at]
            counts[folder] += 1
            inner.setdefault(above, {})[folder] = None
            at, above = path.find("/", at + 1), folder
    shown = sorted(inner.get("", ()), key=lambda folder: (-counts[folder], folder))[:_MOST_LISTED]
    pending = [*shown]
    while pending:
        fullest = min(pending, key=lambda folder: (-counts[folder], folder))
        pending.remove(fullest)
        more = [*inner.get(fullest, ())]
        if len(shown) + len(more) <= _MOST_LISTED:
            shown += more
            pending += more
    listed = sorted(shown, key=lambda folder: folder.split("/"))
    return [(folder, counts[folder]) for folder in listed]


class TinyFiles(NamedTuple):
    """Files of one size in and below a folder, which say nothing one by one."""

    folder: str
    size: int
    paths: Sequence[str]


def tiny_files(listed: FileList) -> list[TinyFiles]:
    """Files that are empty, or as tiny as many others near them; none where most files are so.

    Only where the walk has told their sizes.
    """
    by_size: dict[int, list[str]] = {}
    for path in listed.paths:
        key = listed.keys.get(path)
        if key is not None and key.size <= _TINY:
            by_size.setdefault(key.size, []).append(path)
    found = [_around(size, paths) for size, paths in sorted(by_size.items())]
    found = [item for item in found if item.folder and len(item.paths) >= _LEAST_TINY]
    count = sum(len(item.paths) for item in found)
    return found if count <= len(listed.paths) * _MOST_TINY else []


def _around(size: int, paths: Sequence[str]) -> TinyFiles:
    """The files of a size in the deepest folder that has nearly all of them."""
    while True:
        above = _common(paths[0], paths[-1])
        counts = Counter(path[: path.find("/", len(above)) + 1] for path in paths)
        inner, count = counts.most_common(1)[0]
        if len(inner) <= len(above) or count < len(paths) * _NEARLY:
            return TinyFiles(above.rstrip("/"), size, paths)
        paths = [path for path in paths if path.startswith(inner)]


class _PathSelection:
    """Selects paths by glob and visibility."""

    def __init__(self, glob: str | None, *, hidden: bool) -> None:
        self.glob = glob
        self._matches = None if glob is None else compile_globs(glob).matches
        plain, _ = split_globs(glob or "")
        texts = (pattern.removeprefix("./").lstrip("/") for pattern in plain)
        patterns = [item.split("/") for text in texts for item in alternatives(text)]
        # folder and extension that all matches share, empty if the glob fixes none
        self.folder = _shared(map(_fixed_folder, patterns))
        self.ending = _shared(_ending(parts[-1]) for parts in patterns)
        # a glob that names a hidden folder or file selects it
        self.hidden = hidden or any(part.startswith(".") for parts in patterns for part in parts)

    def shows(self, path: str) -> bool:
        """True if this path is selected."""
        hidden = not self.hidden and (path.startswith(".") or "/." in path)
        return not hidden and (self._matches is None or self._matches(path))


def _fixed_folder(parts: Sequence[str]) -> str:
    """The folders before the first name with a wildcard."""
    return "/".join(takewhile(lambda part: not _WILDCARDS & set(part), parts[:-1]))


def _shared(texts: Iterable[str]) -> str:
    """The text that all are; empty if they differ."""
    found = {*texts}
    return found.pop() if len(found) == 1 else ""


def _ending(name: str) -> str:
    """The extension of all names that match a part of a glob; empty if it varies."""
    _, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and ending and not _WILDCARDS & set(ending) else ""


def _indexed_paths(snapshot: Snapshot, selection: _PathSelection, budget: Budget) -> list[str]:
    paths = sorted(_paths(snapshot, selection.glob, budget))
    budget.check()
    if not selection.hidden:
        paths = [path for path in paths if b"/." not in path and not path.startswith(b".")]
    budget.check()
    return [path.decode("utf-8", "surrogatepass") for path in paths]


def _paths(snapshot: Snapshot, glob: str | None, budget: Budget) -> Iterator[bytes]:
    for segment in snapshot.segments:
        paths, alive = segment.reader.files.paths.all, segment.alive
        for begin in range(0, len(paths), _AT_ONCE):
            budget.check()
            batch, selected = paths[begin : begin + _AT_ONCE], alive[begin : begin + _AT_ONCE]
            if glob is not None:
                matching = PathText(batch).matching_list(glob)
                selected = (matching & np.array(selected, dtype=np.bool_)).tolist()
            yield from compress(batch, selected)


def _common(first: str, last: str) -> str:
    """The common folder of two paths, with its slash; empty for the root."""
    at = 0
    for left, right in zip(first, last, strict=False):
        if left != right:
            break
        at += 1
    return first[: first.rfind("/", 0, at) + 1]
