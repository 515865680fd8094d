"""What words a line must hold for an expression to match in it; what is not sure is left out.

Each part of an expression becomes a row of alternatives: what a line must have in a row, one of
several. Between neighbours in the row anything may stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from repo_mcp.search.dictionary.needles import (
    Branch,
    Clause,
    Stop,
    Unit,
    Units,
    branch,
    is_word_character,
)
from repo_mcp.search.regex.tree import (
    ASCII_WORD,
    Char,
    CharClass,
    Choice,
    Concatenation,
    Node,
    Place,
    Ranges,
    Repeat,
    complement,
    merged,
)

# alternatives that are told apart when they are put together, and when they stand alone
_MOST_JOINED: Final = 24
_MOST_ALONE: Final = 100
_MOST_UNITS: Final = 200
_MOST_MEMBERS: Final = 4
_MOST_COPIES: Final = 4
# a set of more characters is not looked through for such as are in words
_MOST_LOOKED_AT: Final = 512
# folded, these are one with a mark that is in no word as the index cuts them, or with ASCII letters
_UNEVEN: Final = frozenset("\u0345\u0399\u03b9\u1fbe\u017f\u212a")
# more than so many in a row say nothing new
_MOST_IN_ROW: Final = 32

Alternatives = tuple[Units, ...]
Row = tuple[Alternatives, ...]

_EMPTY: Final[Alternatives] = ((),)
_ANYTHING: Final[Row] = (_EMPTY, _EMPTY)
_PLACES: Final[dict[Place, Units]] = {
    Place.LINE_START: (Stop.CLOSED,),
    Place.LINE_END: (Stop.CLOSED,),
    Place.BOUNDARY: (Stop.BOUNDARY,),
    Place.INSIDE: (),
}


def clauses(node: Node, *, left: bool = False, right: bool = False) -> tuple[Clause, ...]:
    """What each matching line holds: of each clause one branch, of a branch all needles.

    With `left` or `right`, what is matched begins or ends where a word may.
    """
    row = _row(node)
    stop: Row = (((Stop.SOFT,),),)
    row = _joined(stop, row) if left else row
    row = _joined(row, stop) if right else row
    folded = _is_folded(node)
    found = (_clause(alternatives, folded=folded) for alternatives in row)
    return tuple(dict.fromkeys(clause for clause in found if clause))


def _clause(alternatives: Alternatives, *, folded: bool) -> Clause:
    """Empty where one of the alternatives requires nothing."""
    found: list[Branch] = []
    for units in alternatives:
        needles = branch(units, folded=folded)
        if not needles:
            return ()
        found.append(needles)
    return tuple(dict.fromkeys(found))


def _is_folded(node: Node) -> bool:
    match node:
        case Char(_, folded):
            return folded
        case CharClass():
            return node.folded
        case Concatenation(items) | Choice(items):
            return any(_is_folded(item) for item in items)
        case Repeat(item):
            return _is_folded(item)
    return False


def _row(node: Node) -> Row:
    match node:
        case Char(value, folded):
            return _ANYTHING if folded and value in _UNEVEN else (((_unit(value),),),)
        case CharClass():
            return _of_class(node)
        case Place():
            return ((_PLACES[node],),)
        case Concatenation(items):
            return _of_joined(items)
        case Choice(items):
            return _of_choice([_row(item) for item in items])
        case Repeat(item, low, high):
            return _of_repeat(_row(item), low, high)


def _unit(character: str) -> Unit:
    return character if is_word_character(character) else Stop.CLOSED


def _of_joined(items: Iterable[Node]) -> Row:
    found: Row = (_EMPTY,)
    for item in items:
        found = _joined(found, _row(item))
    return found


def _joined(before: Row, after: Row) -> Row:
    """One row after the other: where they meet, every alternative with every other."""
    first, second = before[-1], after[0]
    few = len(first) * len(second) <= _MOST_JOINED
    if not few or max(map(len, first)) + max(map(len, second)) > _MOST_UNITS:
        return _shortened(before + after)
    product = tuple(dict.fromkeys(a + b for a in first for b in second))
    return _shortened((*before[:-1], product, *after[1:]))


def _shortened(row: Row) -> Row:
    """Both ends of a row that is too long: what is left out is not required."""
    half = _MOST_IN_ROW // 2
    return row if len(row) <= _MOST_IN_ROW else row[:half] + row[-half:]


def _of_choice(rows: list[Row]) -> Row:
    """All alternatives together; of a row of several only the best can be kept."""
    simple = all(len(row) == 1 for row in rows)
    kept = [row[0] if len(row) == 1 else max(row, key=_worth) for row in rows]
    together = tuple(dict.fromkeys(units for alternatives in kept for units in alternatives))
    if len(together) > _MOST_ALONE:
        return _ANYTHING
    return (together,) if simple else (_EMPTY, together, _EMPTY)


def _worth(alternatives: Alternatives) -> int:
    """How telling: the longest run of the alternative that tells least."""
    return min(
        max((len(needle.text) for needle in branch(units, folded=True)), default=0)
        for units in alternatives
    )


def _of_repeat(row: Row, low: int, high: int | None) -> Row:
    alone = row[0] if len(row) == 1 else None
    if alone is not None and all(_is_stops(units) for units in alone):
        # however many there are: beside them words end
        return (alone,) if low else (tuple(dict.fromkeys([*alone, ()])),)
    if low == 0:
        if high == 1 and alone is not None and len(alone) < _MOST_JOINED:
            return (tuple(dict.fromkeys([*alone, ()])),)
        return _ANYTHING
    if low == high and low <= _MOST_COPIES:
        found = row
        for _ in range(low - 1):
            found = _joined(found, row)
        return found
    return _shortened(row + row)


def _is_stops(units: Units) -> bool:
    return bool(units) and all(unit in {Stop.CLOSED, Stop.SOFT} for unit in units)


def _of_class(node: CharClass) -> Row:
    ranges = _ranges(node)
    if ranges is not None and _size(ranges) <= _MOST_MEMBERS and not _is_uneven(node, ranges):
        members = [chr(code) for low, high in ranges for code in range(low, high + 1)]
        return (tuple(dict.fromkeys((_unit(member),) for member in members)),)
    if ranges is None or _meets(ranges, ASCII_WORD) or _is_uneven(node, ranges):
        return _ANYTHING
    return (((_stop(ranges),),),)


def _ranges(node: CharClass) -> Ranges | None:
    """At least the code points of a set, None where too little is known of it."""
    if node.negated:
        words = ASCII_WORD if node.word else ()
        return None if node.other else complement((*node.ranges, *words))
    if node.properties or node.word:
        return None
    others = complement(ASCII_WORD) if node.other else ()
    return merged([*node.ranges, *others])


def _stop(ranges: Ranges) -> Stop:
    """What is known beside a character of the set, which has none of ASCII's words."""
    if _size(ranges) > _MOST_LOOKED_AT:
        return Stop.SOFT
    found = (chr(code) for low, high in ranges for code in range(low, high + 1))
    return Stop.SOFT if any(map(is_word_character, found)) else Stop.CLOSED


def _is_uneven(node: CharClass, ranges: Ranges) -> bool:
    return node.folded and any(_meets(ranges, ((ord(c), ord(c)),)) for c in _UNEVEN)


def _size(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)


def _meets(ranges: Ranges, others: Ranges) -> bool:
    return any(low <= end and begin <= high for low, high in ranges for begin, end in others)
