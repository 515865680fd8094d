"""Finds where a type is taken for a base that it is none of any more.

In languages whose types name no interfaces, a compiler says nothing of the type itself: it tells
where a value of it is handed on as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph import language_named
from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.names import innermost
from code_graph.query.neighbours import CALLS
from repo_mcp.changes.differences import BreakReason
from repo_mcp.changes.model import BreakingPlace
from repo_mcp.changes.two_sides import WORD, TwoSides

_NAMES: Final = EdgeFilter((EdgeType.REFERENCES,))
# uses of a type, or calls of a function that gives it, that are looked at
_MOST: Final = 200
# lines above an argument in which its call may begin
_ABOVE: Final = 2
_GOES_ON: Final = ("(", ",")
# a value is asked which type it has
_ASKED: Final = re.compile(r"\s*case\b|.*\.\(\s*\*?\w")


def places_of_lost_base(
    sides: TwoSides, source: Symbol, base: Symbol, lost: BreakingPlace
) -> Iterator[BreakingPlace]:
    """The places that take a type for a base; that of the type itself where it has to name it.

    There are none where types do not name it, and nothing takes the type for it.
    """
    uses = _BaseUses(sides, source, base, lost)
    if not language_named(source.language).has_implicit_interfaces:
        yield lost
        yield from uses.made(is_known=False)
        return
    yield from uses.made(is_known=True)
    yield from uses.named()


class _BaseUses:
    """The uses of one type."""

    def __init__(self, sides: TwoSides, source: Symbol, base: Symbol, lost: BreakingPlace) -> None:
        self._sides = sides
        self._source, self._base = source, base.simple_name
        self._used = lost.used, lost.used_path
        self._why = BreakReason(f"it gives `{source.simple_name}`: {lost.reason}")
        self._why_named = BreakReason(f"`{source.simple_name}`: {lost.reason}")

    def made(self, *, is_known: bool) -> Iterator[BreakingPlace]:
        """The calls of functions that give the type, `is_known` those that hand it on as a base."""
        new = self._sides.new
        for symbol, declared in new.outline(self._source.path):
            if declared is None or self._source.simple_name not in WORD.findall(declared.returns):
                continue
            for call in edges_into(new, symbol.id, CALLS, limit=_MOST).edges:
                if not is_known or self._is_wanted(call) is not False:
                    yield self._sides.place(call, self._used, call.path, call.line, self._why)

    def named(self) -> Iterator[BreakingPlace]:
        """The places that name the type where the base is wanted, or ask a value for it."""
        for edge in edges_into(self._sides.new, self._source.id, _NAMES, limit=_MOST).edges:
            text = self._sides.line(edge.path, edge.line)
            if _ASKED.match(text) or self._is_wanted(edge):
                yield self._sides.place(edge, self._used, edge.path, edge.line, self._why_named)

    def _is_wanted(self, edge: PlacedEdge) -> bool | None:
        """True if the base is wanted at a place, False if something else is, None if who knows."""
        sides, path = self._sides, edge.path
        words = WORD.findall(sides.line(path, edge.line))
        if self._base in words:
            return True
        around = innermost(sides.new, path, edge.line)
        declared = None if around is None else sides.new.declaration(around)
        if "return" in words and declared is not None and declared.returns:
            return self._base in WORD.findall(declared.returns)
        first = edge.line
        while edge.line - first < _ABOVE and sides.line(path, first - 1).rstrip()[-1:] in _GOES_ON:
            first -= 1
        lines = range(first, edge.line + 1)
        taken = [
            WORD.findall(callee.parameters)
            for other in sides.uses_in(path).on_lines(lines)
            if other.type == EdgeType.CALLS
            and (other.line, other.column) < (edge.line, edge.column)
            and (callee := sides.declaration_of(other)) is not None
        ]
        return any(self._base in names for names in taken) if taken else None
