"""Text to terms, the same for the index and for questions.

Whoosh's tokenizer and filters say what the terms of a word are. Because source text repeats its
words, they are asked once per distinct word: a file is cut by the tokenizer's own expression, and
what a word's terms are is remembered. An identifier gives itself and its parts: `parseHTTPHeader`
is found as parsehttpheader, parse, http and header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from whoosh.analysis import STOP_WORDS, LowercaseFilter, RegexTokenizer

from index_format import Tokens, Vocabulary

# part of what decides whether an index fits this program: raise it when terms change
VERSION: Final = 1
WORD: Final = r"\w+"
# longer runs of word characters are encoded data, not words
_MAX_WORD: Final = 64
_MAX_REMEMBERED: Final = 1 << 20
_NEWLINE: Final = np.uint32(0xFFFFFFFF)

_TOKENIZER: Final = RegexTokenizer(WORD)
_LOWERCASE: Final = LowercaseFilter()
_WORD: Final = re.compile(WORD)
_WORD_OR_NEWLINE: Final = re.compile(WORD + r"|\n")
_HAS_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")
_WHOLE: Final = 3.0
_PART: Final = 0.7
STOP: Final = frozenset(STOP_WORDS)


def question(text: str) -> dict[str, float]:
    """Distinct terms of a question and how much each counts.

    Who writes an identifier means that one first, and its parts less. Words that say nothing count
    only when there are no others.
    """
    found: dict[str, float] = {}
    for token in _TOKENIZER(text):
        whole, *rest = terms(token.text) or [""]
        for term, boost in ((whole, _WHOLE if rest else 1.0), *((part, _PART) for part in rest)):
            found[term] = max(found.get(term, 0.0), boost)
    found.pop("", None)
    return {term: boost for term, boost in found.items() if term not in STOP} or found


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


def terms(text: str) -> list[str]:
    """The terms of a text in order."""
    return [token.text for token in _LOWERCASE(_identifiers(_TOKENIZER(text)))]


def _identifiers(tokens: Iterable[Any]) -> Iterator[Any]:
    """A filter in Whoosh's terms: after each word its parts, where it has several."""
    for token in tokens:
        whole = token.text
        if len(whole) > _MAX_WORD or not _HAS_LETTER_OR_DIGIT.search(whole):
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


@dataclass(frozen=True, slots=True)
class LineTokens:
    """The numbered terms of a file and where each line's begin."""

    words: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]

    def of_lines(self, first: int, last: int) -> Tokens:
        """The terms of these lines, counted from 1, both included."""
        return Tokens(self.words[self.starts[first - 1] : self.starts[last]])


class Analyser:
    """Numbers the terms of files in a vocabulary; remembers what each word gives."""

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._vocabulary: Vocabulary | None = None
        self._numbers = _Numbers(Vocabulary())

    def tokens(self, text: str, vocabulary: Vocabulary) -> LineTokens:
        """Terms of a text line by line."""
        if vocabulary is not self._vocabulary or len(self._numbers) > _MAX_REMEMBERED:
            self._vocabulary, self._numbers = vocabulary, _Numbers(vocabulary)
        words = map(self._numbers.__getitem__, _WORD_OR_NEWLINE.findall(text))
        numbers = np.fromiter(chain.from_iterable(words), dtype=np.uint32)
        ends = np.flatnonzero(numbers == _NEWLINE)
        starts = np.zeros(len(ends) + 2, dtype=np.int64)
        starts[1:-1] = ends - np.arange(len(ends))
        starts[-1] = len(numbers) - len(ends)
        return LineTokens(numbers[numbers != _NEWLINE], starts)


class _Numbers(dict[str, tuple[int, ...]]):
    """From a word to the numbers of its terms; a word not met before is analysed."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__({"\n": (int(_NEWLINE),)})
        self._number = vocabulary.number

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = self[word] = tuple(map(self._number, terms(word)))
        return numbers
