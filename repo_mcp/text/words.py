"""What the terms of a text are, said in Whoosh's words: a tokenizer and filters.

An identifier gives itself and its parts: `parseHTTPHeader` is found as parsehttpheader, parse, http
and header.
"""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

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
# a capital, further ones unless a small letter follows, then all up to the next capital
_PLAIN_PARTS: Final = re.compile(r"[^A-Z_]+|[A-Z](?:[A-Z](?![a-z]))*[^A-Z_]*")
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
    if word.isascii():
        return _PLAIN_PARTS.findall(word)
    if word.islower() and "_" not in word:
        return [word]
    return _parts_of_any(word)


def _parts_of_any(word: str) -> list[str]:
    """The same by what Unicode says of each character."""
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


def folded(text: str) -> str:
    """In small letters; the sigma that ends a word is not told from others, as cuts differ."""
    small = text.lower()
    return small if small.isascii() else small.replace("\u03c2", "\u03c3")


_NOTHING: Final[frozenset[str]] = frozenset()


class TermFinder:
    """Which of a question's terms the words of a text give."""

    def __init__(self, wanted: Iterable[str]) -> None:
        """Remember the terms to look for."""
        self._wanted = frozenset(wanted)
        self._found: dict[str, frozenset[str]] = {}

    def found_in(self, text: str) -> set[str]:
        """The terms that occur."""
        found: set[str] = set()
        known = self._found
        for word in _WORD.findall(text):
            held = known.get(word)
            if held is None:
                held = known[word] = self._terms_in(word)
            found |= held
        return found

    def _terms_in(self, word: str) -> frozenset[str]:
        """Plain words are looked at closely only where a term lies in them at all."""
        if word.isascii() and len(word) <= MAX_WORD:
            small = word.lower()
            if not any(term in small for term in self._wanted):
                return _NOTHING
        return self._wanted.intersection(terms_of_word(word))


@lru_cache(maxsize=1 << 16)
def terms_of_word(word: str) -> tuple[str, ...]:
    """The terms of a text that is one word; plain ones take a shorter way to the same."""
    if not word.isascii() or len(word) > MAX_WORD:
        return tuple(terms(word))
    if word.islower() and word.isalnum():
        return (word,)
    cut = parts(word)
    whole = word.lower()
    if cut == [word]:
        return (whole,)
    return (whole, *(part.lower() for part in cut)) if cut else ()


def terms_of_words(text: str) -> list[str]:
    """The same as `terms`, for text whose words come up again and again."""
    return [term for word in _WORD.findall(text) for term in terms_of_word(word)]
