"""What the terms of a text are, said in Whoosh's words: a tokenizer and filters.

An identifier gives itself and its parts: `parseHTTPHeader` is found as parsehttpheader, parse, http
and header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from whoosh.analysis import LowercaseFilter, RegexTokenizer

WORD: Final = r"\w+"
# longer runs of word characters are encoded data, not words: one term stands for all of them, so
# that exact search knows where they are
MAX_WORD: Final = 64
LONG_WORD: Final = "\0long"

_LOWERCASE: Final = LowercaseFilter()
_TOKENIZER: Final = RegexTokenizer(WORD)
_WORD: Final = re.compile(WORD)
_HAS_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")


def terms(text: str) -> list[str]:
    """The terms of a text in order."""
    return [token.text for token in _LOWERCASE(_identifiers(_TOKENIZER(text)))]


def _identifiers(tokens: Iterable[Any]) -> Iterator[Any]:
    """A filter in Whoosh's terms: after each word its parts, where it has several."""
    for token in tokens:
        whole = token.text
        if len(whole) > MAX_WORD:
            token.text = LONG_WORD
            yield token
            continue
        if not _HAS_LETTER_OR_DIGIT.search(whole):
            continue
        yield token
        for part in parts(whole):
            if part != whole:
                token.text = part
                yield token


def parts(word: str) -> list[str]:
    """An identifier cut at underscores, before capitals, before the last one of an acronym."""
    if word.islower() and "_" not in word:
        return [word]
    found: list[str] = []
    for piece in word.split("_"):
        begin = 0
        for at in range(1, len(piece)):
            if _begins_a_part(piece, at):
                found.append(piece[begin:at])
                begin = at
        found.append(piece[begin:])
    return [part for part in found if part]


def _begins_a_part(piece: str, at: int) -> bool:
    if not piece[at].isupper():
        return False
    followed = at + 1 < len(piece) and piece[at + 1].islower()
    return not piece[at - 1].isupper() or followed


class TermFinder:
    """Which of a question's terms the words of a text give."""

    def __init__(self, wanted: Iterable[str]) -> None:
        """Remember the terms to look for."""
        self._wanted = frozenset(wanted)
        self._found: dict[str, frozenset[str]] = {}

    def found_in(self, text: str) -> set[str]:
        """The terms that occur."""
        found: set[str] = set()
        for word in _WORD.findall(text):
            held = self._found.get(word)
            if held is None:
                held = self._found[word] = self._wanted.intersection(_terms_of_word(word))
            found |= held
        return found


@lru_cache(maxsize=1 << 16)
def _terms_of_word(word: str) -> tuple[str, ...]:
    return tuple(terms(word))
