"""What the words of a line must be for a pattern to match it, so that the dictionary can be asked.

A needle is a run of word characters that lies in one word of every matching line. Where the pattern
shows what stands beside it, the needle knows that the word begins or ends there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Final, NamedTuple

from index_format import Edge
from repo_mcp.text.words import MAX_WORD

_WORD_CHARACTER: Final = re.compile(r"\w")
_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")


class Stop(Enum):
    """What a pattern has between runs of word characters."""

    CLOSED = 0  # a character that is in no word, or the edge of a line
    SOFT = 1  # a character that is in no word, or one beyond ASCII, or the edge of a line
    BOUNDARY = 2  # nothing, where a word begins or ends


# what a line must have in a row: characters, or stops for characters that are in no word
Unit = str | Stop
Units = tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Needle:
    """Lies in one word of each matching line, in small letters.

    Empty, it stands for any word too long to be indexed. `whole` means that it may lie across the
    parts of a word; else, its edges are those of a part, as far as the word is ASCII. `long` means
    that the word may be too long to be indexed; `folded`, that the line may have other letters of
    the same meaning to the engine.
    """

    text: str
    left: Edge = Edge.OPEN
    right: Edge = Edge.OPEN
    whole: bool = True
    long: bool = True
    folded: bool = False


# all of a branch are in the line, for one branch of each clause
Branch = tuple[Needle, ...]
Clause = tuple[Branch, ...]


class _Run(NamedTuple):
    text: str
    left: Edge
    right: Edge


def branch(units: Sequence[Unit], *, folded: bool) -> Branch:
    """The needles of what a line must have in a row."""
    found = (needle for run in _runs(units) for needle in _needles(run, folded=folded))
    return tuple(dict.fromkeys(found))


def is_word_character(character: str) -> bool:
    """Whether words are made of it, as the index cuts them."""
    return _WORD_CHARACTER.match(character) is not None


def _runs(units: Sequence[Unit]) -> Iterator[_Run]:
    """Runs of word characters with what is beside them."""
    text: list[str] = []
    left, edge = Edge.OPEN, Edge.OPEN
    bounded = False
    for unit in units:
        if unit is Stop.BOUNDARY:
            bounded = True
        elif isinstance(unit, str) and is_word_character(unit):
            if not text:
                left = max(edge, Edge.SOFT) if bounded and unit.isascii() else edge
            # a boundary inside a run can't be: what needs it matches nothing
            text.append(unit)
            bounded = False
        else:
            edge = Edge.SOFT if unit is Stop.SOFT else Edge.CLOSED
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
    # of a run that is one part, the part says all, or all that is quickly asked for
    one = len(pieces) == 1 and (left == Edge.OPEN or len(pieces[0].text) == len(text))
    if not one:
        yield Needle(text.lower(), left, right, whole=True, long=not closed, folded=folded)
    for piece in pieces:
        if _LETTER_OR_DIGIT.search(piece.text):
            yield Needle(piece.text.lower(), piece.left, piece.right, whole=False)


def _pieces(run: _Run) -> Iterator[_Run]:
    """What of a run lies within one part of an identifier each, wherever else it may be cut."""
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
    """Whether an identifier is cut before this character, as `words.parts` does."""
    if "_" in text[at - 1 : at + 1]:
        return text[at - 1] == "_" != text[at]
    if not text[at].isupper():
        return False
    return not text[at - 1].isupper() or text[at + 1 : at + 2].islower()


def _always_begins(text: str) -> bool:
    """Whether a part begins with this text, whatever stands before it."""
    return text[0].isupper() and text[1:2].islower()


def _may_be_cut_before_last(text: str) -> bool:
    """Whether it depends on what follows if the last character begins a part."""
    return len(text) > 1 and text[-1].isupper() and text[-2].isupper()
