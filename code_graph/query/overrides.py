"""Overriding and overridden members, by shape, too."""

from __future__ import annotations

from typing import Final

from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_of_parts, ids_into
from code_graph.query.shapes import members_by_shape, protocol_members
from code_graph.query.snapshot import GraphSnapshot

_OVERRIDES: Final = EdgeFilter((EdgeType.OVERRIDES,))
# steps from an override to what it overrides, and symbols that are looked at
_DEEPEST: Final = 8
_MOST_SYMBOLS: Final = 200


def has_overridden(graph: GraphSnapshot, symbol: int) -> bool:
    """True for a member that overrides another one."""
    return any(edge.target != symbol for edge in edges_of_parts(graph, symbol, _OVERRIDES))


def overridden(graph: GraphSnapshot, symbol: int) -> list[int]:
    """The members that a member overrides, directly or not, nearest first."""
    return _closure(graph, symbol, up=True)


def overriding(graph: GraphSnapshot, symbol: int) -> list[int]:
    """The members that override a member, directly or not, nearest first."""
    return _closure(graph, symbol, up=False)


def _closure(graph: GraphSnapshot, symbol: int, *, up: bool) -> list[int]:
    found: dict[int, None] = {}
    step = [symbol]
    for _ in range(_DEEPEST):
        fresh: list[int] = []
        for number in step:
            neighbours = _above(graph, number) if up else _below(graph, number)
            fresh += [item for item in neighbours if item != symbol and item not in found]
            found.update(dict.fromkeys(fresh))
        step = sorted(set(fresh))
        if not step or len(found) > _MOST_SYMBOLS:
            break
    return [*found][:_MOST_SYMBOLS]


def _above(graph: GraphSnapshot, symbol: int) -> list[int]:
    named = [edge.target for edge in edges_of_parts(graph, symbol, _OVERRIDES)]
    return named + protocol_members(graph, symbol)


def _below(graph: GraphSnapshot, symbol: int) -> list[int]:
    return ids_into(graph, symbol, _OVERRIDES) + members_by_shape(graph, symbol)
