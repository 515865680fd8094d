"""Counts the terms of many pieces of text at once: what the index stores of them.

Source text repeats its words, so what the terms of a word are is asked once and remembered; cutting
and counting are left to C. ASCII words are cut by rules of their own, equal to Whoosh's filters in
`words`; all others go through those.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count, islice, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Tokens, Vocabulary

# part of what decides whether an index fits this program: raise it when terms change
VERSION: Final = 2
# the same as words.MAX_WORD; `words` loads Whoosh, which plain ASCII text does without
MAX_WORD: Final = 64
_LONGEST_BYTES: Final = 4 * MAX_WORD
_MAX_REMEMBERED: Final = 600_000
_WORD: Final = re.compile(r"\w+")
# before a capital after anything else, before the last capital of several, and at underscores
_ASCII_BOUNDARY: Final = re.compile(rb"(?<=[^A-Z_\n])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
_WORD_BYTES: Final = bytes(
    at if (chr(at).isalnum() and at < 128) or chr(at) == "_" else ord(" ") for at in range(256)
)
_BLANK: Final = 32
_LINE_FEED: Final = 10

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]


class Analyser:
    """Numbers and counts terms in a vocabulary; remembers what each word gives."""

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._vocabulary: Vocabulary | None = None
        self._words = _Words()
        self._terms = _TermsOfWords(Vocabulary())

    @property
    def is_full(self) -> bool:
        """Whether so much is remembered that a new vocabulary is due."""
        return len(self._words) > _MAX_REMEMBERED

    def counted(self, pieces: Sequence[str | bytes], vocabulary: Vocabulary) -> list[Tokens]:
        """The terms of each piece and how often each occurs; bytes are ASCII text."""
        if vocabulary is not self._vocabulary:
            self._vocabulary = vocabulary
            self._words, self._terms = _Words(), _TermsOfWords(vocabulary)
        words = [_words(piece) for piece in pieces]
        sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        numbers = np.fromiter(
            map(self._words.number, chain.from_iterable(words)),
            dtype=np.uint64,
            count=int(sizes.sum()),
        )
        del words
        self._terms.learn(self._words.unlearnt())
        owners = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
        return self._terms.counted((owners << np.uint64(32)) | numbers, len(sizes))


def _words(piece: str | bytes) -> list[bytes]:
    if isinstance(piece, bytes):
        return piece.translate(_WORD_BYTES).split()
    if piece.isascii():
        return piece.encode("ascii").translate(_WORD_BYTES).split()
    return [word.encode("utf-8", "surrogatepass") for word in _WORD.findall(piece)]


class _Words:
    """Numbers words as they are met; what they give is looked into later, many at once."""

    def __init__(self) -> None:
        # asked for a word it does not have, it gives the next number, without a call
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.number = self._numbers.__getitem__
        self._met = 0

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._numbers)

    def unlearnt(self) -> list[bytes]:
        """Words met since this was last asked, in the order of their numbers.

        Long ones are forgotten at once: each may be a megabyte of encoded data.
        """
        new = len(self._numbers) - self._met
        fresh = [*islice(reversed(self._numbers), new)][::-1]
        for word in fresh:
            if len(word) > _LONGEST_BYTES:
                del self._numbers[word]
        self._met = len(self._numbers)
        return fresh


class _TermsOfWords:
    """What terms each word stands for, in flat columns: word n has those from start n on."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._numbers = vocabulary.numbers
        self._terms = np.zeros(0, dtype=np.uint32)
        self._starts = np.zeros(1, dtype=np.int64)

    def learn(self, words: Sequence[bytes]) -> None:
        """Add the next words."""
        if not words:
            return
        counts = np.zeros(len(words), dtype=np.int64)
        simple = [at for at, word in enumerate(words) if len(word) <= MAX_WORD and word.isascii()]
        fast_counts, fast_terms = self._ascii([words[at] for at in simple])
        counts[simple] = fast_counts
        terms = np.zeros(0, dtype=np.uint32)
        if len(simple) < len(words):
            others = sorted(set(range(len(words))).difference(simple))
            found = [self._numbers(_slow_terms(words[at])) for at in others]
            counts[others] = [len(item) for item in found]
            terms = np.fromiter(chain.from_iterable(found), dtype=np.uint32)
        is_simple = np.zeros(len(words), dtype=bool)
        is_simple[simple] = True
        both = np.empty(len(fast_terms) + len(terms), dtype=np.uint32)
        of_simple = np.repeat(is_simple, counts)
        both[of_simple], both[~of_simple] = fast_terms, terms
        self._terms = np.concatenate([self._terms, both])
        self._starts = np.concatenate([self._starts, self._starts[-1] + np.cumsum(counts)])

    def _ascii(self, words: Sequence[bytes]) -> tuple[I64, U32]:
        """How many terms each word has, and all of them in order: itself, then its parts."""
        if not words:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
        joined = b"\n".join(words)
        cut = _ASCII_BOUNDARY.sub(b" ", joined).lower()
        wholes = self._numbers(joined.lower().split(b"\n"))
        parts = np.array(self._numbers(cut.split()), dtype=np.uint32)
        counts = _parts_per_line(cut)
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        # a word that is its own only part gives one term, one without any part gives none
        single = (counts == 1) & (_letters_per_line(cut) == lengths)
        given = np.where(counts == 0, 0, np.where(single, 1, counts + 1))
        terms = np.empty(int(given.sum()), dtype=np.uint32)
        first = np.cumsum(given) - given
        is_part = np.ones(len(terms), dtype=bool)
        is_part[first[given > 0]] = False
        terms[~is_part] = np.array(wholes, dtype=np.uint32)[given > 0]
        terms[is_part] = parts[np.repeat(~single, counts)]
        return given, terms

    def counted(self, keys: U64, pieces: int) -> list[Tokens]:
        """Terms of (piece << 32 | word) keys, piece by piece; a term may come up several times."""
        keys.sort(kind="stable")  # pieces are in order already, which it makes use of
        new = np.ones(len(keys), dtype=bool)
        new[1:] = keys[1:] != keys[:-1]
        first = np.flatnonzero(new)
        times = np.diff(first, append=len(keys)).astype(np.uint32)
        kept = keys[first]
        words = (kept & np.uint64(0xFFFFFFFF)).astype(np.int64)
        starts = self._starts[words]
        counts = self._starts[words + 1] - starts
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
        terms, frequencies = self._terms[places], np.repeat(times, counts)
        edges = np.searchsorted(kept, np.arange(pieces + 1, dtype=np.uint64) << np.uint64(32))
        bounds = np.concatenate([[0], ends])[edges].tolist()
        return [
            Tokens(terms[begin:end], None, frequencies[begin:end])
            for begin, end in pairwise(bounds)
        ]


def _parts_per_line(cut: bytes) -> I64:
    """How many runs without blanks each line has."""
    data = np.frombuffer(cut, dtype=np.uint8)
    blank = (data == _BLANK) | (data == _LINE_FEED)
    begins = ~blank
    begins[1:] &= blank[:-1]
    lines = np.cumsum(data == _LINE_FEED)
    return np.bincount(lines[begins], minlength=int(lines[-1]) + 1 if len(lines) else 1)


def _letters_per_line(cut: bytes) -> I64:
    data = np.frombuffer(cut, dtype=np.uint8)
    lines = np.cumsum(data == _LINE_FEED)
    other = (data != _BLANK) & (data != _LINE_FEED)
    return np.bincount(lines[other], minlength=int(lines[-1]) + 1 if len(lines) else 1)


def _slow_terms(word: bytes) -> list[bytes]:
    """The terms of any word, from Whoosh itself."""
    if word.isascii():
        return []  # it is too long
    from repo_mcp.analysis.words import terms  # noqa: PLC0415 it loads Whoosh

    found = terms(word.decode("utf-8", "surrogatepass"))
    return [term.encode("utf-8", "surrogatepass") for term in found]
