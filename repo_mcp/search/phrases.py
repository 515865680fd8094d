"""Finds phrases in the text of files, letter case and the length of blanks aside."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from repo_mcp.analysis.syntax_tree import Phrase


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
