"""Completion of prompt and resource arguments: paths and declared names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from index_format import IndexFormatError, LiveTerms, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import SYMBOL

MOST: Final = 100


class Completions(NamedTuple):
    """The best proposals, their total number (None if unknown), and whether there are more."""

    values: tuple[str, ...] = ()
    total: int | None = None
    more: bool = False


class Completion:
    """Proposes values from the current snapshot; none without an index."""

    def __init__(self, sandbox: Sandbox, snapshot: Callable[[], Snapshot | None]) -> None:
        self._sandbox = sandbox
        self._snapshot = snapshot
        self._paths: tuple[int, tuple[str, ...]] = (0, ())
        self._lock = threading.Lock()

    def complete(self, kind: str, prefix: str) -> Completions:
        """Proposals for a "path" or "symbol" with this prefix, or paths that contain it."""
        try:
            snapshot = self._snapshot()
            if snapshot is None:
                return Completions()
            if kind == "path":
                return self._complete_path(snapshot, prefix)
            return _complete_symbol(snapshot, prefix)
        except (IndexFormatError, Problem):  # tool calls report it
            return Completions()

    def _complete_path(self, snapshot: Snapshot, prefix: str) -> Completions:
        """Paths with this prefix, then those whose file name has it, then those that contain it."""
        lowered_prefix = prefix.lower()
        found: tuple[list[str], ...] = ([], [], [])
        for path in self._all_paths(snapshot):
            lowered = path.lower()
            if lowered_prefix in lowered:
                in_name = lowered.startswith(lowered_prefix, lowered.rfind("/") + 1)
                found[0 if lowered.startswith(lowered_prefix) else 1 if in_name else 2].append(path)
        every = [path for paths in found for path in paths]
        shown = tuple(islice((p for p in every if not self._sandbox.is_denied(p)), MOST))
        return Completions(shown, len(every), len(every) > len(shown))

    def _all_paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        """All paths, cached per generation for the next keystrokes."""
        with self._lock:
            if self._paths[0] != snapshot.generation:
                self._paths = snapshot.generation, tuple(snapshot.paths())
            return self._paths[1]


def _complete_symbol(snapshot: Snapshot, prefix: str) -> Completions:
    """Declared names in the order of the term dictionary, which has them in lower case."""
    field = snapshot.schema.number(SYMBOL)
    if field is None or not prefix:
        return Completions()
    found = tuple(islice(_names(snapshot, field, prefix), MOST + 1))
    total = len(found) if len(found) <= MOST else None
    return Completions(found[:MOST], total, len(found) > MOST)


def _names(snapshot: Snapshot, field: int, prefix: str) -> Iterator[str]:
    """Names with the prefix as typed, because clients compare it."""
    lowered = prefix.lower()
    for term in LiveTerms(snapshot).list_prefix(field, lowered.encode("utf-8", "surrogatepass")):
        name = term.decode("utf-8", "replace")
        if name.isprintable():  # others are internal markers of the index
            yield prefix + name[len(lowered) :]
