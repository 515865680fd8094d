"""Needles: word pieces that every line matching a pattern contains, for dictionary lookups.

A needle is a run of word characters within one word of each matching line. Where the pattern fixes
the neighbouring character, the needle records that the word begins or ends there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise
from typing import Final

from index_format import MAX_WORD, Edge
from index_format.records import Record
from index_format.tuples import NamedTuple

_WORD_CHARACTER: Final = re.compile(r"\w")
_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")


class Separator(Enum):
    """Separators of runs of word characters in a pattern."""

    CLOSED = 0  # a non-word character, or the edge of a line
    SOFT = 1  # a non-word character, a non-ASCII character, or the edge of a line
    BOUNDARY = 2  # nothing: a word boundary


# one position of a required sequence: a character, or a separator
Unit = str | Separator
Units = tuple[Unit, ...]


class Needle(Record):
    """A lower-case text that each matching line has within one word.

    An empty text stands for any word too long to index. With `whole` the text may span several
    parts of an identifier; otherwise its edges are edges of a part, if the word is ASCII. `long`:
    the word may be too long to index. `folded`: the line may have other letters that the engine
    treats as equal.
    """

    text: str
    left: Edge = Edge.OPEN
    right: Edge = Edge.OPEN
    whole: bool = True
    long: bool = True
    folded: bool = False


# a matching line contains all needles of at least one branch of each clause
Branch = tuple[Needle, ...]
Clause = tuple[Branch, ...]


class _Run(NamedTuple):
    text: str
    left: Edge
    right: Edge


def build_branch(units: Sequence[Unit], *, folded: bool) -> Branch:
    """The needles of a required sequence."""
    found = (needle for run in _runs(units) for needle in _needles(run, folded=folded))
    return tuple(dict.fromkeys(found))


def is_word_character(character: str) -> bool:
    """True if the index treats a character as part of a word."""
    return _WORD_CHARACTER.match(character) is not None


def _runs(units: Sequence[Unit]) -> Iterator[_Run]:
    """Runs of word characters with their edges."""
    text: list[str] = []
    left, edge = Edge.OPEN, Edge.OPEN
    bounded = False
    for unit in units:
        if unit is Separator.BOUNDARY:
            bounded = True
        elif isinstance(unit, str) and is_word_character(unit):
            if not text:
                left = max(edge, Edge.SOFT) if bounded and unit.isascii() else edge
            # a boundary inside a run is ignored: such a pattern matches nothing
            text.append(unit)
            bounded = False
        else:
            edge = Edge.SOFT if unit is Separator.SOFT else Edge.CLOSED
            if text:
                right = max(edge, Edge.SOFT) if bounded and text[-1].isascii() else edge
                yield _Run("".join(text), left, right)
            text, bounded = [], False
    if text:
        right = Edge.SOFT if bounded and text[-1].isascii() else Edge.OPEN
        yield _Run("".join(text), left, right)


def _needles(run: _Run, *, folded: bool) -> Iterator[Needle]:
    text, left, right = run
    if len(text) > MAX_WORD:
        yield Needle("")
        return
    if not _LETTER_OR_DIGIT.search(text):
        return
    closed = left == right == Edge.CLOSED
    pieces = [] if folded or closed or not text.isascii() else list(_pieces(run))
    # for a run of one part, a needle of the whole run adds nothing or is slow to look up
    one = len(pieces) == 1 and (left == Edge.OPEN or len(pieces[0].text) == len(text))
    if not one:
        yield Needle(text.lower(), left, right, whole=True, long=not closed, folded=folded)
    for piece in pieces:
        if _LETTER_OR_DIGIT.search(piece.text):
            yield Needle(piece.text.lower(), piece.left, piece.right, whole=False)


def _pieces(run: _Run) -> Iterator[_Run]:
    """The pieces of a run that lie within one identifier part, wherever else parts begin."""
    text, left, right = run
    end = len(text)
    if right == Edge.OPEN and _may_be_cut_before_last(text):
        end -= 1
    cuts = [at for at in range(1, end) if _is_cut(text, at)]
    for begin, stop in pairwise([0, *cuts, end]):
        piece = text[begin:stop].strip("_")
        first, last = (
            (text[begin] == "_" or begin > 0),
            (text[stop - 1 : stop] == "_" or stop < end),
        )
        starts = Edge.CLOSED if first or _always_begins(text) else left
        if piece:
            yield _Run(piece, starts, Edge.CLOSED if last else right)


def _is_cut(text: str, at: int) -> bool:
    """True if an identifier part begins at this character, as in `words.parts`."""
    if "_" in text[at - 1 : at + 1]:
        return text[at - 1] == "_" != text[at]
    if not text[at].isupper():
        return False
    return not text[at - 1].isupper() or text[at + 1 : at + 2].islower()


def _always_begins(text: str) -> bool:
    """True if a part begins with this text regardless of the character before it."""
    return text[0].isupper() and text[1:2].islower()


def _may_be_cut_before_last(text: str) -> bool:
    """True if the next character decides if the last one begins a part."""
    return len(text) > 1 and text[-1].isupper() and text[-2].isupper()
