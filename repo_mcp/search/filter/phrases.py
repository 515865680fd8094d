"""Finds phrases in the text of files, letter case and the length of blanks aside."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from repo_mcp.search.query.tree import Phrase


def holds_phrase(text: str, phrase: Phrase) -> list[int]:
    """The lines, counted from 1, in which the phrase begins; its words are whole words there."""
    longest, expression = _compiled(phrase.text)
    small = _folded(text)
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
def _compiled(text: str) -> tuple[str, re.Pattern[str]]:
    """The longest piece without blanks, and what finds the whole."""
    pieces = _folded(text).split()
    found = r"\s++".join(map(re.escape, pieces))
    begin = r"(?<!\w)" if re.match(r"\s*\w", text) else ""
    end = r"(?!\w)" if re.search(r"\w\s*\Z", text) else ""
    return max(pieces, key=len, default=""), re.compile(begin + found + end)


def _folded(text: str) -> str:
    """In small letters; the sigma that ends a word is not told from others."""
    small = text.lower()
    return small if small.isascii() else small.replace("ς", "\u03c3")


# lines before and after a phrase that may belong to what is said there
_AROUND: Final = 100


class Beside(NamedTuple):
    """Lines from `first` to `last`, and those of them in which phrases begin."""

    first: int
    last: int
    lines: tuple[int, ...]


def beside_phrase(
    quoted: Sequence[int], shown: Collection[int], first: int, last: int, count: int
) -> Beside | None:
    """The ranked lines if a phrase begins there, else those around the first that does elsewhere.

    None when all `quoted` lines are among those `shown` before.
    """
    left = [line for line in quoted if line not in shown]
    here = tuple(line for line in left if first <= line <= last)
    if here:
        return Beside(first, last, here)
    if not left:
        return None
    first, last = max(left[0] - _AROUND, 1), min(left[0] + _AROUND, count)
    return Beside(first, last, (left[0],))
