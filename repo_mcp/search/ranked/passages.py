"""Narrows a chunk to the lines that matter.

Of the declaration in it that answers best these are all lines where it is short, else the stretch
with the most telling words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

from repo_mcp.languages.facts import Place
from repo_mcp.search.ranked.term_matcher import TermMatcher
from repo_mcp.text.cutting import cut
from repo_mcp.text.files import Rows

_WINDOW: Final = 8
_CONTEXT: Final = 2
_WITHOUT_MATCH: Final = 5
_MAX_LINE: Final = 300
# a declaration of so many lines is shown whole
_WHOLE: Final = 16
# so many lines right above a declaration may speak of it
_ABOVE: Final = 12
# lines of a declaration that are looked at closely
_CLOSELY: Final = 16
# how much more a word counts in the name of a declaration than in its lines
_DECLARES: Final = 6.0
# more than any word is worth: the question is nothing but the name
_MEANT: Final = 1000.0
_OUTSIDE: Final = -1
# how lines of comments begin, and of what stands between them and a declaration
_COMMENTS: Final = ("//", "/*", "*", "#", "--", ";", "%", "@", "[", "<!--")

# by number of the line in the region, in order, a bit for each word that is in it
Marks = Mapping[int, int]


class Passage(NamedTuple):
    """Lines from `start` to `end`, counted from 1; the terms in them, and what they are part of."""

    start: int
    end: int
    terms: frozenset[str]
    symbol: str
    snippet: str


def narrowed(
    rows: Rows,
    first: int,
    last: int,
    telling: TermMatcher,
    places: Sequence[Place] = (),
    quoted: Sequence[int] = (),
) -> Passage:
    """The lines between two that answer best; lines of the chunk without any word make no claim.

    Where phrases of the question begin in some of them, `quoted`, only those answer.
    """
    region = rows.between(first, last)
    marks: Marks = telling.marker.marks(region)
    if not marks:
        return _passage(rows, first, min(first + _WITHOUT_MATCH - 1, last), {}, telling, "")
    units = _units(region, first, places)
    if quoted:
        marks = _quoting(marks, units, [line - first for line in quoted], telling)
    unit = _best_unit(marks, units, _names(places, telling), telling)
    found = _closely({line: marks[line] for line in marks if units[line] == unit}, telling)
    begin, end = _best_stretch(found, telling)
    inside = places[unit] if unit != _OUTSIDE else None
    start, stop = _extent(first + begin, first + end, (first, last), inside)
    symbol = inside.qualified if inside else _around(places, first + begin)
    return _passage(rows, start, stop, found, telling, symbol)


def _units(region: Sequence[str], first: int, places: Sequence[Place]) -> list[int]:
    """Of each line, the number of the smallest declaration of several lines around it.

    Comments right above a declaration belong to it.
    """
    count = len(region)
    units = [_OUTSIDE] * count
    for number, place in enumerate(places):
        begin, end = max(place.start_line - first, 0), min(place.end_line - first + 1, count)
        if place.end_line > place.start_line and begin < end:
            outer = units[begin]
            units[begin:end] = [number] * (end - begin)
            above = begin
            while (
                above > 0
                and begin - above < _ABOVE
                and units[above - 1] == outer
                and region[above - 1].lstrip().startswith(_COMMENTS)
            ):
                above -= 1
            units[above:begin] = [number] * (begin - above)
    return units


def _quoting(
    marks: Marks, units: Sequence[int], quoted: Sequence[int], telling: TermMatcher
) -> Marks:
    """The marks of the phrase that has most words beside it, and of its neighbours in its unit."""

    def around(begin: int) -> Marks:
        near = range(max(begin - _CONTEXT, 0), min(begin + _WINDOW - _CONTEXT, len(units)))
        return {line: marks[line] for line in near if line in marks and units[line] == units[begin]}

    def worth(near: Marks) -> float:
        return telling.worth_of(_together(near))

    return max((around(line) for line in quoted), key=worth, default={}) or marks


def _together(marks: Marks) -> int:
    """The words that any of the lines has."""
    return reduce(or_, marks.values(), 0)


def _names(places: Sequence[Place], telling: TermMatcher) -> dict[int, float]:
    """By number of the declaration, what its name is worth."""
    found: dict[int, float] = {}
    for number, mark in telling.marker.marks([place.name for place in places]).items():
        worth = _MEANT if telling.names(places[number]) else telling.worth_of(mark)
        found[number] = _DECLARES * worth
    return found


def _best_unit(
    marks: Marks, units: Sequence[int], names: Mapping[int, float], telling: TermMatcher
) -> int:
    """The declaration whose lines and name are worth most, or the lines outside of all."""
    held: dict[int, int] = {}
    for line, mark in marks.items():
        held[units[line]] = held.get(units[line], 0) | mark
    return max(held, key=lambda unit: telling.worth_of(held[unit]) + names.get(unit, 0.0))


def _closely(marks: Marks, telling: TermMatcher) -> Marks:
    """The marks of lines in their order; of many lines, those of the most telling."""
    if len(marks) <= _CLOSELY:
        return marks
    lines = sorted(marks, key=lambda line: (-telling.worth_of(marks[line]), line))[:_CLOSELY]
    return {line: marks[line] for line in sorted(lines)}


def _best_stretch(found: Marks, telling: TermMatcher) -> tuple[int, int]:
    """First and last of lines close together that hold most different words, then most of all."""
    lines = list(found)
    best, span = (-1.0, -1.0), (lines[0], lines[0])
    for at, begin in enumerate(lines):
        held, every, end = 0, 0.0, begin
        for line in lines[at : at + _WINDOW]:
            if line >= begin + _WINDOW:
                break
            mark = found[line]
            if mark & ~held:
                end = line
                held |= mark
            every += telling.worth_of(mark)
        worth = (telling.worth_of(held), every)
        if worth > best:
            best, span = worth, (begin, end)
    return span


def _extent(begin: int, end: int, chunk: tuple[int, int], inside: Place | None) -> tuple[int, int]:
    """What is shown for a stretch: the declaration if it is short, else some lines around."""
    start, stop = max(begin - _CONTEXT, chunk[0]), min(end + _CONTEXT, chunk[1])
    if inside is None:
        return start, stop
    if inside.end_line - inside.start_line < _WHOLE:
        return min(begin, inside.start_line), inside.end_line
    start = min(begin, max(start, inside.start_line))
    return start, max(stop, min(start + _WINDOW - 1, inside.end_line))


def _around(places: Sequence[Place], line: int) -> str:
    """The smallest declaration around a line."""
    around = (place for place in reversed(places) if place.start_line <= line <= place.end_line)
    return next((place.qualified for place in around), "")


def _passage(
    rows: Rows, start: int, stop: int, found: Marks, telling: TermMatcher, symbol: str
) -> Passage:
    """These lines without blank ones around; what is very long is cut, and the cut shown."""
    shown = rows.between(start, stop)
    kept = [number for number, row in enumerate(shown) if row.strip()] or [0, len(shown) - 1]
    snippet = "\n".join(cut(row, _MAX_LINE) for row in shown[kept[0] : kept[-1] + 1])
    terms = telling.marker.terms_of(_together(found))
    return Passage(start + kept[0], start + kept[-1], terms, symbol, snippet)
