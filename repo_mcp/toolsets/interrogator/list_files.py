"""`repo.list_files`: files by path, from the index where it knows them all, else by a walk."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.file_types import EXTENSIONS, is_text_name
from repo_mcp.safety.sandbox import StatKey
from repo_mcp.search import PathText
from repo_mcp.text.globs import Glob
from repo_mcp.toolsets.kit.cursors import CHANGED, cursor_of, position_of
from repo_mcp.toolsets.kit.envelope import Outcome, size
from repo_mcp.toolsets.kit.fresh_index import COMPARING, FreshIndex, IndexView
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_RESULTS: Final = 1000
# paths that are compared with a glob without asking whether anybody still waits
_AT_ONCE: Final = 8192
# what a walk may take: a hundred thousand files take less
_WALK_SECONDS: Final = 5.0
_WILDCARDS: Final = frozenset("*?[")
# files that are there although the index does not hold them
_LISTED: Final = frozenset({"", "extension", "large"})
# a path with one of these can't be opened by anybody
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class _FileList(NamedTuple):
    """Matching files in the order of their paths' bytes; a walk has seen their keys."""

    paths: Sequence[str]
    keys: Mapping[str, StatKey]
    scope: str
    complete: bool


class ListFiles:
    """Lists the files of a repository."""

    def __init__(self, means: ToolServices) -> None:
        """Take what it works with."""
        self._means = means
        self._index = FreshIndex(means)
        self._extensions = EXTENSIONS | {item.lower() for item in means.settings.include_extensions}

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of files."""
        means, budget = self._means, context.budget
        if means.manager.state().status == "ready":
            return self._index.ask(budget, lambda held: self._found(arguments, held, budget))
        means.background.freshen()
        return self._found(arguments, self._index.held(), budget)

    def _found(self, arguments: Arguments, held: IndexView, budget: Budget) -> Outcome:
        warnings: list[str] = []
        hidden = arguments["include_hidden"]
        glob = (arguments["glob"] or "").strip() or None
        listed = self._listed(glob, held, budget, hidden=hidden)
        if not listed.paths and glob and not _WILDCARDS & set(glob):
            inside = f"{glob.rstrip('/')}/**"
            within = self._listed(inside, held, budget, hidden=hidden)
            if within.paths:
                listed = within
                warnings.append(f"{glob} is a folder: listed is {inside}")
        if not listed.complete:
            warnings.append("there was no time to look everywhere: name a folder, as in src/**")
        elif held.complete and not held.walked and listed.scope == "indexed":
            warnings.append(COMPARING)
        return self._page(arguments, [glob, hidden], listed, held, warnings, budget)

    def _listed(
        self, glob: str | None, held: IndexView, budget: Budget, *, hidden: bool
    ) -> _FileList:
        shown = _PathSelection(glob, hidden=hidden)
        if held.snapshot is not None and held.complete and not self._walks(shown):
            return _FileList(_indexed(held.snapshot, shown, budget), {}, "indexed", complete=True)
        limit = budget.within(_WALK_SECONDS)
        found: dict[str, StatKey] = {}
        complete = True
        for item in self._means.manager.listed(shown.folder, limit):
            if limit.spent:
                complete = False
                break
            listed = item.reason in _LISTED and not _CONTROL.search(item.path)
            if listed and item.key is not None and shown.shows(item.path):
                found[item.path] = item.key
        return _FileList(list(found), found, "all", complete)

    def _walks(self, shown: _PathSelection) -> bool:
        """Whether the files that are meant may be others than the index holds."""
        ending = shown.ending
        if ending:
            return not is_text_name(f"x{ending}", self._extensions)
        return bool(shown.folder)

    def _page(
        self,
        arguments: Arguments,
        question: list[Any],
        listed: _FileList,
        held: IndexView,
        warnings: list[str],
        budget: Budget,
    ) -> Outcome:
        means, paths = self._means, listed.paths
        most = means.at_most("max_results", arguments["max_results"], _MOST_RESULTS, warnings)
        page = means.page(arguments["max_chars"], warnings)
        begin = self._begin(arguments["cursor"], question, paths, held, warnings)
        result: dict[str, Any] = {
            "files": [],
            "total": len(paths),
            "folders": [],
            "scope": listed.scope,
            "complete": listed.complete,
            "truncated": False,
            "cursor": "",
            "generation": held.generation,
        }
        budget.check()
        shown, end = self._rows(listed, begin, most, means.room(page, result, warnings))
        if not begin and end < len(paths):
            budget.check()
            result["folders"] = folders_of(paths)
            budget.check()
            shown, end = self._rows(listed, begin, most, means.room(page, result, warnings))
        result["files"] = shown
        if end < len(paths):
            result["truncated"] = True
            place = [paths[end - 1] if end else ""]
            result["cursor"] = cursor_of(question, held.generation, place)
        gone = end - begin - len(shown)
        if gone:
            warnings.append(f"{gone} file(s) of the index are gone or no longer readable")
        return Outcome(result, warnings, shown=[row["path"] for row in shown])

    def _begin(
        self,
        cursor: str | None,
        question: list[Any],
        paths: Sequence[str],
        held: IndexView,
        warnings: list[str],
    ) -> int:
        """Where a page begins: after the path at which the last one ended."""
        if not cursor:
            return 0
        position = position_of(cursor, question, str)
        if position.generation != held.generation:
            warnings.append(CHANGED)
        return bisect_right(paths, position.place[0])

    def _rows(
        self, listed: _FileList, begin: int, most: int, room: int
    ) -> tuple[list[dict[str, Any]], int]:
        """As many files as there is room for, and where the next page begins."""
        shown: list[dict[str, Any]] = []
        for at in range(begin, len(listed.paths)):
            if len(shown) == most:
                return shown, at
            path = listed.paths[at]
            row = self._row(path, listed.keys.get(path))
            if row is None:
                continue
            # a cursor holds the last path
            room -= size(row)
            if room < 2 * len(path) and shown:
                return shown, at
            shown.append(row)
        return shown, len(listed.paths)

    def _row(self, path: str, key: StatKey | None) -> dict[str, Any] | None:
        """What is told of a file; None of one that is gone."""
        if key is None:
            try:
                key = self._means.sandbox.look(path)
            except Problem:
                return None
        return {"path": path, "size": key.size, "mtime": _time(key.mtime_ns)}


class _PathSelection:
    """Which paths are meant."""

    def __init__(self, glob: str | None, *, hidden: bool) -> None:
        self.glob = glob
        parts = (glob or "").removeprefix("./").lstrip("/").split("/")
        fixed: list[str] = []
        for part in parts[:-1]:
            if _WILDCARDS & set(part):
                break
            fixed.append(part)
        # where all of them lie, and how their names end, as far as the glob says so
        self.folder = "/".join(fixed)
        self.ending = _ending(parts[-1])
        # who names what is hidden wants to see it
        self.hidden = hidden or any(part.startswith(".") for part in parts)
        self._matches = None if glob is None else Glob(glob).matches

    def shows(self, path: str) -> bool:
        """Whether this path is meant."""
        hidden = not self.hidden and (path.startswith(".") or "/." in path)
        return not hidden and (self._matches is None or self._matches(path))


def _ending(name: str) -> str:
    """How names end that match a part of a glob; empty where that varies."""
    _, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and ending and not _WILDCARDS & set(ending) else ""


def _indexed(snapshot: Snapshot, shown: _PathSelection, budget: Budget) -> list[str]:
    paths = sorted(_paths(snapshot, shown.glob, budget))
    budget.check()
    if not shown.hidden:
        paths = [path for path in paths if b"/." not in path and not path.startswith(b".")]
    budget.check()
    return [path.decode("utf-8", "surrogatepass") for path in paths]


def _paths(snapshot: Snapshot, glob: str | None, budget: Budget) -> Iterator[bytes]:
    for segment in snapshot.segments:
        paths, alive = segment.reader.files.paths, segment.alive
        for begin in range(0, len(paths), _AT_ONCE):
            budget.check()
            some, wanted = paths[begin : begin + _AT_ONCE], alive[begin : begin + _AT_ONCE]
            if glob is not None:
                matching = PathText(some).matching(glob)
                wanted = (matching & np.array(wanted, dtype=np.bool_)).tolist()
            yield from compress(some, wanted)


def _time(ns: int) -> str:
    try:
        found = datetime.fromtimestamp(ns // 1_000_000_000, UTC)
    except (OverflowError, ValueError, OSError):  # a clock far off
        return ""
    return found.isoformat(timespec="seconds").replace("+00:00", "Z")


_MOST: Final = 12


def folders_of(paths: Sequence[str]) -> list[dict[str, Any]]:
    """The fullest folders below the one that holds all of these sorted paths.

    Files that lie in that one itself are counted under its own name, "." for the root.
    """
    above = _common(paths[0], paths[-1]) if paths else ""
    begin = len(above)
    counts: Counter[str] = Counter()
    for path in paths:
        slash = path.find("/", begin)
        counts[path[:slash] if slash >= 0 else above.rstrip("/") or "."] += 1
    fullest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST]
    return [{"path": path, "files": count} for path, count in fullest]


def _common(first: str, last: str) -> str:
    """The folder of all paths between two, with its slash; empty for the root."""
    at = 0
    for left, right in zip(first, last, strict=False):
        if left != right:
            break
        at += 1
    return first[: first.rfind("/", 0, at) + 1]
