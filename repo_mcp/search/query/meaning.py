"""Reads the syntax in a query: what it demands, and which words are left to rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from repo_mcp.search.query.demands import Demand, none_of, of_operand, side_by_side
from repo_mcp.search.query.marks import Mark, marks, words
from repo_mcp.search.query.rules import meant
from repo_mcp.search.query.tree import All, Condition, Filter, Leaf, Not, all_of
from repo_mcp.stored import NAME, PATH

_MOST_OPERANDS: Final = 64
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
_PLACES: Final = frozenset({PATH, NAME})


class Meaning(NamedTuple):
    """The words that rank, and what is demanded of a file and of its path."""

    plain: str
    condition: Condition | None
    filters: tuple[Filter, ...]


def understood(text: str) -> Meaning | None:
    """What a query means; None where nothing of it is syntax."""
    found = meant(marks(text))
    if sum(mark.kind == "operand" for mark in found) > _MOST_OPERANDS:
        return None
    demand = _demanded(found)
    if demand is None or not demand.required:
        return None
    plain = _plain(found, demand)
    if _OPERATORS.issuperset(words(plain)):
        return None
    return Meaning(plain, *_without_filters(demand.condition))


def _demanded(found: Sequence[Mark]) -> Demand | None:
    """What the marks demand together."""
    kinds = {mark.kind for mark in found} - {"plain"}
    if kinds != {"operand"}:
        return _nested(found) if "operand" in kinds else None
    return side_by_side(
        [_signed(mark, at) for at, mark in enumerate(found) if mark.kind == "operand"]
    )


def _signed(mark: Mark, number: int) -> Demand:
    demand = of_operand(mark, number)
    return none_of(demand) if mark.sign == "-" else demand


def _nested(found: Sequence[Mark]) -> Demand | None:
    from repo_mcp.search.query.nesting import nested  # noqa: PLC0415 few queries need it

    try:
        return nested(found)
    except Exception:  # noqa: BLE001 whatever Whoosh stumbles over is words
        return None


def _without_filters(condition: Condition) -> tuple[Condition | None, tuple[Filter, ...]]:
    """Filters that hold for all of a query stand beside its condition."""
    parts = condition.parts if isinstance(condition, All) else (condition,)
    filters: list[Filter] = []
    others: list[Condition] = []
    for part in parts:
        if isinstance(part, Filter):
            filters.append(part)
        elif isinstance(part, Not) and isinstance(part.part, Filter):
            filters.append(replace(part.part, negated=True))
        else:
            others.append(part)
    return all_of(others) if others else None, tuple(filters)


def _plain(found: Sequence[Mark], demand: Demand) -> str:
    """The words that rank: those wanted; those of paths only where there are no others."""
    wanted = set(demand.wanted)
    ranked: list[str] = []
    places: list[str] = []
    for at, mark in enumerate(found):
        if mark.kind == "plain":
            ranked.append(mark.shown)
        elif at in wanted and mark.leaf is not None:
            (places if _is_place(mark.leaf) else ranked).append(mark.leaf.text)
    plain = " ".join(ranked)
    return " ".join(places) if _OPERATORS.issuperset(words(plain)) else plain


def _is_place(leaf: Leaf) -> bool:
    return isinstance(leaf, Filter) or leaf.field in _PLACES
