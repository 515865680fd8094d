"""Derives the words that every line matching an expression contains, as far as that is certain.

Each node becomes a row of alternatives: a matching line contains one sequence of each, in order,
with anything between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from repo_mcp.search.dictionary.needles import (
    Branch,
    Clause,
    Separator,
    Unit,
    Units,
    build_branch,
    is_word_character,
)
from repo_mcp.search.regex.tree import (
    ASCII_WORD,
    Alternation,
    Assertion,
    Char,
    CharClass,
    Concatenation,
    Node,
    Ranges,
    Repeat,
    complement,
    merged,
    nodes_of,
)

# alternatives kept when two sets are multiplied, and in one set
_MOST_JOINED: Final = 24
_MOST_ALONE: Final = 100
_MOST_UNITS: Final = 200
_MOST_MEMBERS: Final = 4
_MOST_COPIES: Final = 4
# a class of more characters is not searched for word characters
_MOST_LOOKED_AT: Final = 512
# characters that fold to a mark that the index has in no word, or to ASCII letters
_UNEVEN: Final = frozenset("\u0345\u0399\u03b9\u1fbe\u017f\u212a")
# alternatives kept of a row
_MOST_IN_ROW: Final = 32

Alternatives = tuple[Units, ...]
Row = tuple[Alternatives, ...]

_EMPTY: Final[Alternatives] = ((),)
_ANYTHING: Final[Row] = (_EMPTY, _EMPTY)
_PLACES: Final[dict[Assertion, Units]] = {
    Assertion.LINE_START: (Separator.CLOSED,),
    Assertion.LINE_END: (Separator.CLOSED,),
    Assertion.BOUNDARY: (Separator.BOUNDARY,),
    Assertion.INSIDE: (),
}


def required_clauses(node: Node, *, left: bool = False, right: bool = False) -> tuple[Clause, ...]:
    """The clauses of each matching line: it has one branch of each, and all needles of a branch.

    With `left` or `right`, a match begins or ends at a word boundary.
    """
    row = _row(node)
    stop: Row = (((Separator.SOFT,),),)
    row = _concatenate(stop, row) if left else row
    row = _concatenate(row, stop) if right else row
    folded = _is_folded(node)
    found = (_clause(alternatives, folded=folded) for alternatives in row)
    return tuple(dict.fromkeys(clause for clause in found if clause))


def _clause(alternatives: Alternatives, *, folded: bool) -> Clause:
    """The clause of the alternatives; empty if one of them requires nothing."""
    found: list[Branch] = []
    for units in alternatives:
        needles = build_branch(units, folded=folded)
        if not needles:
            return ()
        found.append(needles)
    return tuple(dict.fromkeys(found))


def _is_folded(node: Node) -> bool:
    """True if any character may stand in another case."""
    return any(isinstance(item, Char | CharClass) and item.folded for item in nodes_of(node))


def _row(node: Node) -> Row:
    match node:
        case Char(value, folded):
            return _ANYTHING if folded and value in _UNEVEN else (((_unit(value),),),)
        case CharClass():
            return _class_row(node)
        case Assertion():
            return ((_PLACES[node],),)
        case Concatenation(items):
            return _concatenation_row(items)
        case Alternation(items):
            return _choice_row([_row(item) for item in items])
        case Repeat(item, low, high):
            return _repeat_row(_row(item), low, high)


def _unit(character: str) -> Unit:
    return character if is_word_character(character) else Separator.CLOSED


def _concatenation_row(items: Iterable[Node]) -> Row:
    found: Row = (_EMPTY,)
    for item in items:
        found = _concatenate(found, _row(item))
    return found


def _concatenate(before: Row, after: Row) -> Row:
    """Two rows in sequence: the alternatives where they meet are multiplied."""
    first, second = before[-1], after[0]
    few = len(first) * len(second) <= _MOST_JOINED
    if not few or max(map(len, first)) + max(map(len, second)) > _MOST_UNITS:
        return _shortened(before + after)
    product = tuple(dict.fromkeys(a + b for a in first for b in second))
    return _shortened((*before[:-1], product, *after[1:]))


def _shortened(row: Row) -> Row:
    """The row of needles, without its middle if it is too long."""
    half = _MOST_IN_ROW // 2
    return row if len(row) <= _MOST_IN_ROW else row[:half] + row[-half:]


def _choice_row(rows: list[Row]) -> Row:
    """The union of the rows' alternatives; of a longer row only the best set is kept."""
    simple = all(len(row) == 1 for row in rows)
    kept = [row[0] if len(row) == 1 else max(row, key=_shortest_needle) for row in rows]
    together = tuple(dict.fromkeys(units for alternatives in kept for units in alternatives))
    if len(together) > _MOST_ALONE:
        return _ANYTHING
    return (together,) if simple else (_EMPTY, together, _EMPTY)


def _shortest_needle(alternatives: Alternatives) -> int:
    """The selectivity of alternatives: the longest needle of the least selective one."""
    return min(
        max((len(needle.text) for needle in build_branch(units, folded=True)), default=0)
        for units in alternatives
    )


def _repeat_row(row: Row, low: int, high: int | None) -> Row:
    alone = row[0] if len(row) == 1 else None
    if alone is not None and all(_is_stops(units) for units in alone):
        # any number of separators still separates words
        return (alone,) if low else (tuple(dict.fromkeys([*alone, ()])),)
    if low == 0:
        if high == 1 and alone is not None and len(alone) < _MOST_JOINED:
            return (tuple(dict.fromkeys([*alone, ()])),)
        return _ANYTHING
    if low == high and low <= _MOST_COPIES:
        found = row
        for _ in range(low - 1):
            found = _concatenate(found, row)
        return found
    return _shortened(row + row)


def _is_stops(units: Units) -> bool:
    return bool(units) and all(unit in {Separator.CLOSED, Separator.SOFT} for unit in units)


def _class_row(node: CharClass) -> Row:
    ranges = _ranges(node)
    if ranges is not None and _size(ranges) <= _MOST_MEMBERS and not _is_uneven(node, ranges):
        members = [chr(code) for low, high in ranges for code in range(low, high + 1)]
        return (tuple(dict.fromkeys((_unit(member),) for member in members)),)
    if ranges is None or _meets(ranges, ASCII_WORD) or _is_uneven(node, ranges):
        return _ANYTHING
    return (((_stop(ranges),),),)


def _ranges(node: CharClass) -> Ranges | None:
    """A superset of the code points of a class, None if it is unknown."""
    if node.negated:
        words = ASCII_WORD if node.word else ()
        return None if node.other else complement((*node.ranges, *words))
    if node.properties or node.word:
        return None
    others = complement(ASCII_WORD) if node.other else ()
    return merged([*node.ranges, *others])


def _stop(ranges: Ranges) -> Separator:
    """The separator for a class without ASCII word characters."""
    if _size(ranges) > _MOST_LOOKED_AT:
        return Separator.SOFT
    found = (chr(code) for low, high in ranges for code in range(low, high + 1))
    return Separator.SOFT if any(map(is_word_character, found)) else Separator.CLOSED


def _is_uneven(node: CharClass, ranges: Ranges) -> bool:
    return node.folded and any(_meets(ranges, ((ord(c), ord(c)),)) for c in _UNEVEN)


def _size(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)


def _meets(ranges: Ranges, others: Ranges) -> bool:
    return any(low <= end and begin <= high for low, high in ranges for begin, end in others)
