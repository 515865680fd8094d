"""Narrows a chunk to a passage.

It is the best declaration in the chunk if that is short, else the best stretch of its lines.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

from code_graph.facts import DeclarationPlaces, DeclarationSpan
from index_format.native import pack_column
from index_format.tuples import NamedTuple
from repo_mcp.native import NATIVE, Limits, Ranges
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.text.comments import ATTRIBUTE, COMMENT_MARKS, DECORATOR, MARKUP, is_comment
from repo_mcp.text.cutting import MORE, cut
from repo_mcp.text.files import Rows

# lines of a stretch, lines of context around it, and lines shown where nothing matches
_WINDOW: Final = 8
_CONTEXT: Final = 2
_WITHOUT_MATCH: Final = 5
# characters shown of a line
_MAX_LINE: Final = 300
# a declaration of at most so many lines is shown whole
_SHORT: Final = 40
# of a longer one, so many lines from its signature if they hold the stretch, else at least so many
# lines around the stretch
_HEAD: Final = 24
_AROUND: Final = 12
# lines right above a declaration that may be its comment
_ABOVE: Final = 12
# matching lines of a declaration among which the best stretch is searched
_MAX_LINES: Final = 16
# weight of a term in the name of a declaration, relative to one in its lines
_DECLARES: Final = 6.0
# weight of a declaration whose name is the query: more than any term
_MEANT: Final = 1000.0
_OUTSIDE: Final = -1
# other declarations of a chunk that are told, and the share of the best one's weight they need
_MOST_OTHERS: Final = 3
_WORTH_SHOWING: Final = 0.3
# lines above a declaration that belong to it: comments, decorators and attributes
_ABOVE_MARKS: Final = (DECORATOR, ATTRIBUTE, MARKUP)

# the same for compiled code
_LIMITS: Final[Limits] = (
    *(_WINDOW, _CONTEXT, _WITHOUT_MATCH, _MAX_LINE, _SHORT),
    *(_HEAD, _AROUND, _ABOVE, _MAX_LINES, _MOST_OTHERS),
    *(_DECLARES, _MEANT, _WORTH_SHOWING, f" {MORE}".encode()),
    tuple(mark.encode() for mark in (*COMMENT_MARKS, *_ABOVE_MARKS)),
)
_NO_COLUMN: Final = pack_column([])
_NO_PLACES: Final[Ranges] = ("", _NO_COLUMN, _NO_COLUMN, _NO_COLUMN, _NO_COLUMN, 0)

# by line number in the region, ascending, a bit for each term in the line
Marks = Mapping[int, int]


class Passage(NamedTuple):
    """Lines from `start` to `end`, counted from 1; their terms, and the enclosing declaration."""

    start: int
    end: int
    terms: frozenset[str]
    symbol: str
    snippet: str
    # first and last lines of other declarations that match, best first
    others: tuple[tuple[int, int], ...] = ()


def choose_passage(
    rows: Rows,
    first: int,
    last: int,
    matcher: TermMatcher,
    places: DeclarationPlaces | None,
    quoted: tuple[int, ...] = (),
) -> Passage | None:
    """The passages of `narrow_to_passage` for the declarations of a file, by compiled code.

    None where that can't tell.
    """
    query, data = matcher.encoded_query, rows.plain_data
    if NATIVE is None or query is None or data is None:
        return None
    try:
        stored = places.columns if places else _NO_PLACES
        found = NATIVE.choose_lines(data, first, last, query, stored, _LIMITS, quoted)
    except (TypeError, ValueError):  # damaged columns
        return None
    if found is None:
        return None
    start, end, mark, symbol, snippet, others = found
    return Passage(start, end, matcher.marker.terms_of(mark), symbol, snippet, tuple(others))


def narrow_to_passage(
    rows: Rows,
    first: int,
    last: int,
    matcher: TermMatcher,
    places: Sequence[DeclarationSpan] = (),
    quoted: Sequence[int] = (),
    ignored: Callable[[Sequence[str]], Container[int]] | None = None,
) -> Passage:
    """The best passage between two lines; without a matching line, the first lines and no terms.

    `quoted` are lines in which phrases of the query begin; if there are any, the passage has one.
    Lines of a region that are `ignored`, counted from 0, match nothing.
    """
    region = rows.between(first, last)
    marks: Marks = matcher.marker.marks(region)
    if ignored is not None:
        out = ignored(region)
        marks = {line: mark for line, mark in marks.items() if line not in out}
    meant = matcher.find_meant(places)
    if not marks:
        # the name of a declaration that the query means may be written in another style
        heads = [places[number].start_line for number in meant]
        marks = {head - first: 0 for head in heads if first <= head < first + len(region)}
    if not marks:
        return _passage(rows, first, min(first + _WITHOUT_MATCH - 1, last), {}, matcher, "")
    units = _units(region, first, places, frozenset(meant))
    if quoted:
        marks = _phrase_marks(marks, units, [line - first for line in quoted], matcher)
    unit, *others = _best_units(marks, units, _name_weights(places, meant, matcher), matcher)
    own = {line: mark for line, mark in marks.items() if units[line] == unit}
    found = _heaviest_lines(own, matcher)
    begin, end = _best_stretch(found, matcher)
    inside = places[unit] if unit != _OUTSIDE else None
    start, stop = _extent(first + begin, first + end, (first, last), inside)
    symbol = inside.qualified if inside else _enclosing_symbol(places, first + begin)
    passage = _passage(rows, start, stop, found, matcher, symbol)
    further = _apart(passage, (_lines_of(units, other, first) for other in others))
    return passage._replace(others=further) if further else passage


def _units(
    region: Sequence[str], first: int, places: Sequence[DeclarationSpan], meant: Container[int]
) -> list[int]:
    """By line, the number of the innermost declaration; comments above belong to it.

    A declaration of one line stands alone only if the query means it.
    """
    count = len(region)
    units = [_OUTSIDE] * count
    for number, place in enumerate(places):
        if place.start_line == place.end_line and number not in meant:
            continue
        begin, end = max(place.start_line - first, 0), min(place.end_line - first + 1, count)
        if begin < end:
            outer = units[begin]
            above = begin
            while (
                above > 0
                and begin - above < _ABOVE
                and units[above - 1] == outer
                and is_comment(region[above - 1], _ABOVE_MARKS)
            ):
                above -= 1
            units[above:end] = [number] * (end - above)
    return units


def _phrase_marks(
    marks: Marks, units: Sequence[int], quoted: Sequence[int], matcher: TermMatcher
) -> Marks:
    """The marks around the phrase whose nearby lines of the same unit have the most weight."""

    def around(begin: int) -> Marks:
        near = range(max(begin - _CONTEXT, 0), min(begin + _WINDOW - _CONTEXT, len(units)))
        return {line: marks[line] for line in near if line in marks and units[line] == units[begin]}

    def worth(near: Marks) -> float:
        return matcher.worth[_union(near)]

    return max((around(line) for line in quoted), key=worth, default={}) or marks


def _union(marks: Marks) -> int:
    """The bits of all terms in the lines."""
    return reduce(or_, marks.values(), 0)


def _name_weights(
    places: Sequence[DeclarationSpan], meant: Iterable[int], matcher: TermMatcher
) -> dict[int, float]:
    """The weight of each declaration's name, by its number."""
    marks = matcher.marker.marks([place.name for place in places])
    found = {number: _DECLARES * matcher.worth[mark] for number, mark in marks.items()}
    return found | dict.fromkeys(meant, _MEANT)


def _best_units(
    marks: Marks, units: Sequence[int], names: Mapping[int, float], matcher: TermMatcher
) -> list[int]:
    """The declarations with the most weight in lines and name, best first.

    The best may be the lines outside of all declarations.
    """
    held: dict[int, int] = {}
    for line, mark in marks.items():
        unit = units[line]
        held[unit] = held.get(unit, 0) | mark
    worth = {unit: matcher.worth[mark] + names.get(unit, 0.0) for unit, mark in held.items()}
    best, *others = sorted(worth, key=worth.__getitem__, reverse=True)
    least = worth[best] * _WORTH_SHOWING
    return [best, *(unit for unit in others if unit != _OUTSIDE and worth[unit] >= least)]


def _lines_of(units: Sequence[int], unit: int, first: int) -> tuple[int, int]:
    """First and last line of a declaration in a region that begins with line `first`."""
    last = len(units) - 1 - units[::-1].index(unit)
    return first + units.index(unit), first + last


def _apart(passage: Passage, spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Declarations that overlap neither the passage nor one before them; at most `_MOST_OTHERS`."""
    taken = [(passage.start, passage.end)]
    for first, last in spans:
        if last > first and all(last < begin or end < first for begin, end in taken):
            taken.append((first, last))
            if len(taken) > _MOST_OTHERS:
                break
    return tuple(taken[1:])


def _heaviest_lines(marks: Marks, matcher: TermMatcher) -> Marks:
    """The marks in line order; of many lines, only those with the most weight."""
    if len(marks) <= _MAX_LINES:
        return marks
    lines = sorted(marks, key=lambda line: matcher.worth[marks[line]], reverse=True)[:_MAX_LINES]
    return {line: marks[line] for line in sorted(lines)}


def _best_stretch(found: Marks, matcher: TermMatcher) -> tuple[int, int]:
    """First and last line of the stretch with the most weight in distinct terms, then in all."""
    lines, weights = list(found), matcher.worth
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
            every += weights[mark]
        worth = (weights[held], every)
        if worth > best:
            best, span = worth, (begin, end)
    return span


def _extent(
    begin: int, end: int, chunk: tuple[int, int], inside: DeclarationSpan | None
) -> tuple[int, int]:
    """The lines shown for a stretch: the declaration if it is short, else some lines around."""
    start, stop = max(begin - _CONTEXT, chunk[0]), min(end + _CONTEXT, chunk[1])
    if inside is None or inside.end_line == inside.start_line:
        return start, stop
    if inside.end_line - inside.start_line < _SHORT:
        return min(begin, inside.start_line), inside.end_line
    if end - inside.start_line < _HEAD:
        return min(begin, inside.start_line), min(inside.start_line + _HEAD - 1, inside.end_line)
    start = min(begin, max(start, inside.start_line))
    return start, max(stop, min(start + _AROUND - 1, inside.end_line))


def _enclosing_symbol(places: Sequence[DeclarationSpan], line: int) -> str:
    """The innermost declaration around a line."""
    around = (place for place in reversed(places) if place.start_line <= line <= place.end_line)
    return next((place.qualified for place in around), "")


def _passage(
    rows: Rows, start: int, stop: int, found: Marks, matcher: TermMatcher, symbol: str
) -> Passage:
    """The passage of these lines, without blank lines at its ends; long lines are cut."""
    shown = rows.between(start, stop)
    begin, end = 0, len(shown)
    while end and not shown[end - 1].strip():
        end -= 1
    while begin < end and not shown[begin].strip():
        begin += 1
    if not end:  # nothing but blank lines, which are shown then
        end = len(shown)
    snippet = "\n".join([cut(row, _MAX_LINE) for row in shown[begin:end]])
    terms = matcher.marker.terms_of(_union(found))
    return Passage(start + begin, start + end - 1, terms, symbol, snippet)
