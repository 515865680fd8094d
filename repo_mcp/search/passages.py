"""Narrows a chunk to the lines that matter: the stretch with the most telling words, or the whole
declaration around it where that is short.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from repo_mcp.analysis.words import TermFinder
from repo_mcp.languages.facts import MODULE, Place

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
    rows: Sequence[str], first: int, last: int, telling: Telling, places: Sequence[Place] = ()
) -> Passage:
    """The best stretch between two lines: most weight of different words, then of all."""
    found = _found(rows, first, last, telling)
    if not found:
        return Passage(first, min(first + _WITHOUT_MATCH - 1, last), frozenset(), "")
    declared = _declared(places, first, last, telling)
    begin, end = _best(found, declared, telling)
    held = frozenset().union(*found.values())
    inner = _innermost(places, begin)
    if inner is None or places[inner].start_line == places[inner].end_line:
        start, stop = max(begin - _CONTEXT, first), min(end + _CONTEXT, last)
        symbol = "" if inner is None else qualified(places, inner)
        return Passage(*_without_blanks(rows, start, stop), held, symbol)
    place = places[inner]
    if place.end_line - place.start_line < _WHOLE and place.end_line <= len(rows):
        start, stop = place.start_line, max(place.end_line, end)
    else:
        start, stop = max(begin - _CONTEXT, place.start_line), min(end + _CONTEXT, last)
    return Passage(*_without_blanks(rows, start, stop), held, qualified(places, inner))


def qualified(places: Sequence[Place], number: int) -> str:
    """The name of a declaration after the names of those that hold it."""
    names: list[str] = []
    while number != MODULE:
        names.append(places[number].name)
        number = places[number].parent
    return ".".join(reversed(names))


def snippet(rows: Sequence[str], start: int, end: int) -> str:
    """The lines as text; what is very long is cut, and the cut shown."""
    return "\n".join(
        row if len(row) <= _MAX_LINE else row[:_MAX_LINE] + _MORE for row in rows[start - 1 : end]
    )


def _found(rows: Sequence[str], first: int, last: int, telling: Telling) -> dict[int, set[str]]:
    """By line, in order, the terms in it; only lines that promise most are looked at where many do."""
    region = rows[first - 1 : last]
    text = "\n".join(region).lower()
    starts = list(accumulate((len(row) + 1 for row in region), initial=0))
    if starts[-1] != len(text) + 1:  # small letters that are longer than capital ones
        starts = list(accumulate((len(row.lower()) + 1 for row in region), initial=0))
    promising: dict[int, float] = {}
    for term, weight in telling.weights.items():
        for line in {bisect_right(starts, at) - 1 for at in _places_of(term, text)}:
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
            named = telling.finder.found_in(place.name)
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


def _innermost(places: Sequence[Place], line: int) -> int | None:
    """The shortest declaration around a line; of equal ones the first."""
    around = [
        (place.end_line - place.start_line, number)
        for number, place in enumerate(places)
        if place.start_line <= line <= place.end_line
    ]
    return min(around)[1] if around else None


def _without_blanks(rows: Sequence[str], start: int, stop: int) -> tuple[int, int]:
    shown = [number for number in range(start, stop + 1) if rows[number - 1].strip()]
    return (shown[0], shown[-1]) if shown else (start, stop)
