"""Narrows a chunk to the lines that matter: the stretch with the most telling words, or the whole
declaration around it where that is short.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from repo_mcp.analysis.words import TermFinder, folded
from repo_mcp.languages.facts import Place
from repo_mcp.text import Rows

_WINDOW: Final = 8
_CONTEXT: Final = 2
_WITHOUT_MATCH: Final = 5
_MAX_LINE: Final = 300
_MORE: Final = " …"
# a declaration of so many lines is shown whole
_WHOLE: Final = 16
# lines that are looked at closely, and occurrences of one word that are looked for
_CLOSELY: Final = 40
_OCCURRENCES: Final = 100
# how much more the line counts that declares what the words name
_DECLARES: Final = 2.0


class Passage(NamedTuple):
    """Lines from `start` to `end`, counted from 1, the terms found around them, and what they are in."""

    start: int
    end: int
    terms: frozenset[str]
    symbol: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Telling:
    """The words to look for, and how much each tells."""

    weights: Mapping[str, float]
    finder: TermFinder

    @classmethod
    def of(cls, weights: Mapping[str, float]) -> Telling:
        """Prepare to look for these."""
        return cls(weights, TermFinder(weights))

    def worth(self, found: set[str] | frozenset[str]) -> float:
        """The sum of their weights, in an order that does not depend on chance."""
        return sum([weight for term, weight in self.weights.items() if term in found])


def narrowed(
    rows: Rows, first: int, last: int, telling: Telling, places: Sequence[Place] = ()
) -> Passage:
    """The best stretch between two lines: most weight of different words, then of all."""
    found = _found(rows.between(first, last), first, telling)
    if not found:
        return _passage(rows, first, min(first + _WITHOUT_MATCH - 1, last), found, "")
    begin, end = _best(found, _declared(places, first, last, telling), telling)
    inner = _innermost(places, begin)
    start, stop = max(begin - _CONTEXT, first), min(end + _CONTEXT, last)
    if inner is not None and inner.start_line < inner.end_line:
        if inner.end_line - inner.start_line < _WHOLE and inner.end_line <= rows.count:
            start, stop = inner.start_line, max(inner.end_line, end)
        else:
            start = max(begin - _CONTEXT, inner.start_line)
    return _passage(rows, start, stop, found, "" if inner is None else inner.qualified)


def _passage(
    rows: Rows, start: int, stop: int, found: Mapping[int, set[str]], symbol: str
) -> Passage:
    """These lines without blank ones around; what is very long is cut, and the cut shown."""
    shown = rows.between(start, stop)
    kept = [number for number, row in enumerate(shown) if row.strip()] or [0, len(shown) - 1]
    snippet = "\n".join(
        row if len(row) <= _MAX_LINE else row[:_MAX_LINE] + _MORE
        for row in shown[kept[0] : kept[-1] + 1]
    )
    terms = frozenset().union(*found.values())
    return Passage(start + kept[0], start + kept[-1], terms, symbol, snippet)


def _found(region: Sequence[str], first: int, telling: Telling) -> dict[int, set[str]]:
    """By line, in order, the terms in it; only lines that promise most are looked at where many do."""
    text = folded("\n".join(region))
    starts = list(accumulate((len(row) + 1 for row in region), initial=0))
    if starts[-1] != len(text) + 1:  # small letters that are longer than capital ones
        starts = list(accumulate((len(folded(row)) + 1 for row in region), initial=0))
    promising: dict[int, float] = {}
    for term, weight in telling.weights.items():
        for line in {bisect_right(starts, at) - 1 for at in _places_of(folded(term), text)}:
            promising[line] = promising.get(line, 0.0) + weight
    lines = sorted(sorted(promising, key=lambda line: (-promising[line], line))[:_CLOSELY])
    looked = ((first + line, telling.finder.found_in(region[line])) for line in lines)
    return {line: found for line, found in looked if found}


def _places_of(term: str, text: str) -> Iterator[int]:
    at = text.find(term)
    for _ in range(_OCCURRENCES):
        if at < 0:
            return
        yield at
        at = text.find(term, at + len(term))


def _declared(places: Sequence[Place], first: int, last: int, telling: Telling) -> dict[int, float]:
    """What lines are worth because of what they declare."""
    worth: dict[int, float] = {}
    for place in places:
        if first <= place.name_line <= last:
            named = telling.finder.found_in(place.qualified.rpartition(".")[2])
            if named:
                share = telling.worth(named) * _DECLARES
                worth[place.name_line] = max(worth.get(place.name_line, 0.0), share)
    return worth


def _best(
    found: Mapping[int, set[str]], declared: Mapping[int, float], telling: Telling
) -> tuple[int, int]:
    lines = list(found)
    best: tuple[float, float] = (-1.0, -1.0)
    span = (lines[0], lines[0])
    for at, begin in enumerate(lines):
        held: set[str] = set()
        every = bonus = 0.0
        end = begin
        for line in lines[at : at + _WINDOW]:
            if line >= begin + _WINDOW:
                break
            if found[line] - held:
                end = line
            held |= found[line]
            every += telling.worth(found[line])
            bonus = max(bonus, declared.get(line, 0.0))
        worth = (telling.worth(held) + bonus, every)
        if worth > best:
            best, span = worth, (begin, end)
    return span


def _innermost(places: Sequence[Place], line: int) -> Place | None:
    """The shortest declaration around a line."""
    around = (place for place in reversed(places) if place.start_line <= line <= place.end_line)
    return next(around, None)
