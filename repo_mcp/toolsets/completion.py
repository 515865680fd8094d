"""Proposals for an argument while it is typed: paths, and names that are declared."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from index_format import IndexFormatError, LiveTerms, Snapshot
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import SYMBOL

MOST: Final = 100


class Completions(NamedTuple):
    """The best proposals, how many there are in all where that is known, whether there are more."""

    values: tuple[str, ...] = ()
    total: int | None = None
    more: bool = False


class Completion:
    """Proposes from the current snapshot; without an index there is nothing to propose."""

    def __init__(self, sandbox: Sandbox, snapshot: Callable[[], Snapshot | None]) -> None:
        """Nothing is read yet."""
        self._sandbox = sandbox
        self._snapshot = snapshot
        self._paths: tuple[int, tuple[str, ...]] = (0, ())
        self._lock = threading.Lock()

    def proposed(self, kind: str, begun: str) -> Completions:
        """Proposals for a "path" or a "symbol" that begins so, or at least holds this."""
        try:
            snapshot = self._snapshot()
            if snapshot is None:
                return Completions()
            return self._of_paths(snapshot, begun) if kind == "path" else _symbols(snapshot, begun)
        except (IndexFormatError, Problem):  # what is wrong with it, calls of tools say
            return Completions()

    def _of_paths(self, snapshot: Snapshot, begun: str) -> Completions:
        """Paths that begin so, then those whose file's name does, then those that hold it."""
        wanted = begun.lower()
        found: tuple[list[str], ...] = ([], [], [])
        for path in self._known(snapshot):
            lowered = path.lower()
            if wanted in lowered:
                in_name = lowered.startswith(wanted, lowered.rfind("/") + 1)
                found[0 if lowered.startswith(wanted) else 1 if in_name else 2].append(path)
        every = [path for paths in found for path in paths]
        shown = tuple(islice((p for p in every if not self._sandbox.is_denied(p)), MOST))
        return Completions(shown, len(every), len(every) > len(shown))

    def _known(self, snapshot: Snapshot) -> tuple[str, ...]:
        """All paths, kept for the keys that are typed next."""
        with self._lock:
            if self._paths[0] != snapshot.generation:
                self._paths = snapshot.generation, tuple(snapshot.paths())
            return self._paths[1]


def _symbols(snapshot: Snapshot, begun: str) -> Completions:
    """Declared names in the order of the dictionary, which holds them in small letters."""
    field = snapshot.schema.number(SYMBOL)
    if field is None or not begun:
        return Completions()
    found = tuple(islice(_names(snapshot, field, begun), MOST + 1))
    total = len(found) if len(found) <= MOST else None
    return Completions(found[:MOST], total, len(found) > MOST)


def _names(snapshot: Snapshot, field: int, begun: str) -> Iterator[str]:
    """Names with the prefix as it was typed, so that a client finds it in them."""
    lowered = begun.lower()
    for term in LiveTerms(snapshot).list_prefix(field, lowered.encode("utf-8", "surrogatepass")):
        name = term.decode("utf-8", "replace")
        if name.isprintable():  # others are marks of the index
            yield begun + name[len(lowered) :]
