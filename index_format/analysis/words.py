"""Splits text into terms with Whoosh's tokenizer and filters.

A term is a word in lower case. An identifier gives itself and its parts: `parseHTTPHeader` becomes
parsehttpheader, parse, http and header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, Final

from index_format import native

WORD: Final = native.WORD_CHARACTERS
# longer runs of word characters are encoded data, not words: one term stands for all of them, so
# that exact search finds the files that contain any
MAX_WORD: Final = native.MAX_WORD
LONG_WORD: Final = "\0long"
split_identifier: Final = native.split_identifier

_WORD: Final = re.compile(WORD)
_HAS_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")


def terms(text: str) -> list[str]:
    """The terms of a text in order."""
    return [token.text for token in _analyser()(text)]


@cache
def _analyser() -> Callable[[str], Iterable[Any]]:
    """The Whoosh analyser; imported on first use because most words don't need it."""
    import index_format.lean_whoosh  # noqa: F401, PLC0415 before Whoosh itself

    # isort: split

    from whoosh.analysis import LowercaseFilter, RegexTokenizer  # noqa: PLC0415 as above

    tokenize, lower = RegexTokenizer(WORD), LowercaseFilter()
    return lambda text: lower(_add_parts(tokenize(text)))


def _add_parts(tokens: Iterable[Any]) -> Iterator[Any]:
    """A Whoosh filter that adds the parts of each word after it."""
    for token in tokens:
        whole = token.text
        if len(whole) > MAX_WORD:
            token.text = LONG_WORD
            yield token
            continue
        if not _HAS_LETTER_OR_DIGIT.search(whole):
            continue
        yield token
        for part in split_identifier(whole):
            if part != whole:
                token.text = part
                yield token


def folded(text: str) -> str:
    """The text in lower case with one form of sigma, whose case depends on word boundaries."""
    small = text.lower()
    return small if small.isascii() else small.replace("\u03c2", "\u03c3")


_NOTHING: Final[frozenset[str]] = frozenset()


class TermFinder:
    """Finds which terms of a query occur in a text."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = frozenset(terms)
        self._found: dict[str, frozenset[str]] = {}

    def found_in(self, text: str) -> set[str]:
        """The terms that occur."""
        found: set[str] = set()
        known = self._found
        for word in _WORD.findall(text):
            in_word = known.get(word)
            if in_word is None:
                in_word = known[word] = self._terms_in(word)
            found |= in_word
        return found

    def _terms_in(self, word: str) -> frozenset[str]:
        """The terms of a word; an ASCII word is split only if it contains one."""
        if word.isascii() and len(word) <= MAX_WORD:
            small = word.lower()
            if not any(term in small for term in self._terms):
                return _NOTHING
        return self._terms.intersection(terms_of_word(word))


@lru_cache(maxsize=1 << 16)
def terms_of_word(word: str) -> tuple[str, ...]:
    """The terms of a text that is one word; the same as `terms`, faster for ASCII words."""
    if not word.isascii() or len(word) > MAX_WORD:
        return tuple(terms(word))
    if word.islower() and word.isalnum():
        return (word,)
    parts = split_identifier(word)
    whole = word.lower()
    if parts == [word]:
        return (whole,)
    return (whole, *(part.lower() for part in parts)) if parts else ()


def terms_of_words(text: str) -> list[str]:
    """The same as `terms`, faster for text whose words repeat."""
    return [term for word in _WORD.findall(text) for term in terms_of_word(word)]
