"""The lines at which a checker may report a place that a review names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from bench.changes.checkers import Line
from code_graph.brackets import matching, split_at_commas
from code_graph.model import EdgeType
from repo_mcp.changes import BreakingPlace

_BESIDE: Final = 2
_CALL: Final = re.compile(r"\w+\s*(?:<[^;{}()]*>)?\s*(?=\()")
# lines of a call that are read
_MOST_LINES: Final = 200


class Spans:
    """The lines of calls in a tree, from its files as they are now."""

    def __init__(self, root: Path) -> None:
        """Read nothing yet."""
        self._root = root
        self._known: dict[str, list[str]] = {}

    def of(self, place: BreakingPlace) -> frozenset[Line]:
        """The lines beside a place, and those where arguments of its call begin or end.

        Some checkers report a call at its name, others at an argument or the closing bracket.
        """
        found = {*near((place.path, place.line))}
        if place.kind != EdgeType.CALLS.name.lower():
            return frozenset(found)
        rows = self._rows(place.path)[place.line - 1 : place.line - 1 + _MOST_LINES]
        text = "\n".join(rows)
        called = _CALL.match(text, place.column)
        closed = -1 if called is None else matching(text, called.end())
        if called is None or closed < 0:
            return frozenset(found)
        at = called.end() + 1
        for part in split_at_commas(text[at:closed]):
            start = text.find(part, at, closed)
            if start >= 0:
                found.add((place.path, place.line + text.count("\n", 0, start)))
                at = start + len(part)
        found.add((place.path, place.line + text.count("\n", 0, closed)))
        return frozenset(found)

    def _rows(self, path: str) -> list[str]:
        if path not in self._known:
            text = (self._root / path).read_text("utf-8", "replace")
            self._known[path] = text.split("\n")
        return self._known[path]


def near(line: Line) -> frozenset[Line]:
    """A line and those beside it."""
    path, number = line
    return frozenset((path, number + shift) for shift in range(-_BESIDE, _BESIDE + 1))
