"""Finds phrases in the text of files, in any letter case and with any length of blanks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.native import NATIVE
from repo_mcp.question.syntax.tree import Phrase
from repo_mcp.text.files import Rows


def lines_with_phrases(
    rows: Rows, phrases: Iterable[Phrase], first: int, last: int
) -> dict[Phrase, list[int]]:
    """The lines between two in which each phrase begins, which ends there, too."""
    data = rows.plain_data
    small: str | None = None  # the text in lower case: once for all phrases
    places: dict[Phrase, list[int]] = {}
    for phrase in phrases:
        found = None
        if NATIVE is not None and data is not None and small is None:
            found = NATIVE.find_phrase(data, first, last, *_pieces(phrase.text))
        if found is None:
            if small is None:
                small = _folded("\n".join(rows.between(first, last)))
            found = [first - 1 + line for line in _lines_in(small, phrase)]
        places[phrase] = found
    return places


def find_phrase(text: str, phrase: Phrase) -> list[int]:
    """The lines, counted from 1, in which a phrase begins, matched as whole words."""
    return _lines_in(_folded(text), phrase)


def _lines_in(small: str, phrase: Phrase) -> list[int]:
    longest, expression = _compiled(phrase.text)
    if longest not in small:
        return []
    starts = [0, *(match.start() for match in expression.finditer(small))]
    lines: list[int] = []
    line = 1
    for before, start in pairwise(starts):
        line += small.count("\n", before, start)
        lines.append(line)
    return list(dict.fromkeys(lines))


@lru_cache(maxsize=64)
def _pieces(text: str) -> tuple[tuple[bytes, ...], bool, bool]:
    """The pieces of a phrase, and whether it begins and ends with a word, for compiled code."""
    pieces = _folded(text).split()
    begins = bool(pieces) and re.match(r"\w", pieces[0]) is not None
    encoded = tuple(piece.encode("utf-8", "surrogatepass") for piece in pieces)
    return encoded, begins, re.search(r"\w\s*\Z", text) is not None


@lru_cache(maxsize=64)
def _compiled(text: str) -> tuple[str, re.Pattern[str]]:
    """The longest piece without blanks, and the expression for the whole phrase."""
    pieces = _folded(text).split()
    found = r"\s++".join(map(re.escape, pieces))
    if pieces and re.match(r"\w", pieces[0]):  # after it, as a search for plain text is quick
        first = re.escape(pieces[0])
        found = found.replace(first, rf"{first}(?<!\w{first})", 1)
    end = r"(?!\w)" if re.search(r"\w\s*\Z", text) else ""
    return max(pieces, key=len, default=""), re.compile(found + end)


def _folded(text: str) -> str:
    """The text in lower case, with final sigma as plain sigma."""
    small = text.lower()
    return small if small.isascii() else small.replace("ς", "\u03c3")


# lines before and after a phrase that are candidates for its passage
_AROUND: Final = 100


class PhraseLines(NamedTuple):
    """Lines from `first` to `last`, and the lines among them in which phrases begin."""

    first: int
    last: int
    lines: tuple[int, ...]


def lines_near_phrase(
    quoted: Sequence[int], shown: Collection[int], first: int, last: int, count: int
) -> PhraseLines | None:
    """The ranked lines if a phrase begins there, else the lines around the first other phrase.

    `quoted` are the lines with phrases; None if all of them are in `shown`, the lines shown before.
    """
    left = [line for line in quoted if line not in shown]
    here = tuple(line for line in left if first <= line <= last)
    if here:
        return PhraseLines(first, last, here)
    if not left:
        return None
    first, last = max(left[0] - _AROUND, 1), min(left[0] + _AROUND, count)
    return PhraseLines(first, last, (left[0],))
