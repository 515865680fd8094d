"""Picks the lines to show: the short stretch that holds the most telling terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from repo_mcp.analysis.words import TermFinder

_WINDOW: Final = 8
_CONTEXT: Final = 2
_WITHOUT_MATCH: Final = 5
_MAX_LINE: Final = 300
_MORE: Final = " …"


class Excerpt(NamedTuple):
    """Lines from `start` to `end`, counted from 1, and the terms found in the stretch searched."""

    start: int
    end: int
    terms: frozenset[str]


def best_lines(
    rows: Sequence[str], first: int, last: int, finder: TermFinder, weights: Mapping[str, float]
) -> Excerpt:
    """The best stretch between two lines: most weight of different terms, then of all."""
    found = {number: finder.found_in(rows[number - 1]) for number in range(first, last + 1)}
    matching = [number for number, terms in found.items() if terms]
    if not matching:
        return Excerpt(first, min(first + _WITHOUT_MATCH - 1, last), frozenset())
    _, begin, end = max(
        (_worth(found, matching, at, weights) for at in range(len(matching))),
        key=lambda item: (item[0], -item[1]),
    )
    held = frozenset().union(*found.values())
    start, stop = max(begin - _CONTEXT, first), min(end + _CONTEXT, last)
    shown = [number for number in range(start, stop + 1) if rows[number - 1].strip()]
    return Excerpt(shown[0], shown[-1], held)


def _worth(
    found: Mapping[int, set[str]], matching: Sequence[int], at: int, weights: Mapping[str, float]
) -> tuple[tuple[float, float], int, int]:
    begin = end = matching[at]
    terms: set[str] = set()
    every = 0.0
    for number in matching[at : at + _WINDOW]:
        if number >= begin + _WINDOW:
            break
        if found[number] - terms:
            end = number
        terms |= found[number]
        every += _sum(found[number], weights)
    return (_sum(terms, weights), every), begin, end


def _sum(terms: set[str], weights: Mapping[str, float]) -> float:
    return sum(weights[term] for term in sorted(terms))


def snippet(rows: Sequence[str], start: int, end: int) -> str:
    """The lines as text; what is very long is cut, and the cut shown."""
    shown = (
        row if len(row) <= _MAX_LINE else row[:_MAX_LINE] + _MORE for row in rows[start - 1 : end]
    )
    return "\n".join(shown)
