"""Splitting of identifiers, and a counter of terms: the models of identifiers.h and words.c."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format.layout import MAX_WORD

if TYPE_CHECKING:
    import numpy.typing as npt

WORD_CHARACTERS: Final = r"\w+"

_WORD: Final = re.compile(WORD_CHARACTERS)
# separators of words become a blank
_WORD_BYTES: Final = bytes(
    at if (chr(at).isalnum() and at < 128) or chr(at) == "_" else ord(" ") for at in range(256)
)
# A part: capitals (of several, the last one before a small letter begins the next part), then
# whatever is neither a capital nor an underscore.
_PART: Final = r"[^A-Z_]+|[A-Z](?:[A-Z](?![a-z]))*[^A-Z_]*"
_PARTS: Final = re.compile(_PART)
_PARTS_OF_BYTES: Final = re.compile(_PART.encode())

U32: TypeAlias = "npt.NDArray[np.uint32]"
U64: TypeAlias = "npt.NDArray[np.uint64]"
I64: TypeAlias = "npt.NDArray[np.int64]"


def split_identifier(word: str) -> list[str]:
    """The parts of a word: cut at underscores, before capitals, before the last of an acronym."""
    if word.isascii():
        return _PARTS.findall(word)
    if word.islower() and "_" not in word:
        return [word]
    shape = "".join(map(_shape, word))
    return [word[part.start() : part.end()] for part in _PARTS.finditer(shape)]


def _shape(character: str) -> str:
    """An ASCII character that splits in the same way."""
    if character == "_":
        return "_"
    return "A" if character.isupper() else "a" if character.islower() else "0"


class PlainWordCounter:
    """Counts terms as the compiled `WordCounter` does; a term may be listed twice in a piece.

    Source text repeats its words, so the terms of each are looked up once. Word n has the terms
    from `_starts[n]` on.
    """

    def __init__(self, key: bytes, long_term: bytes, /) -> None:
        """Remember nothing yet; `key` is not needed, as Python's own dictionaries are used."""
        del key
        self._long_term = long_term
        # a missing key gets the next number, without a call of Python code
        self._words: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._terms: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._number_of_word = self._words.__getitem__
        self._number_of_term = self._terms.__getitem__
        self._starts = array("q", [0])
        self._word_terms = array("I")
        self._term_numbers = array("I")
        self._known = 0

    def __len__(self) -> int:
        """Count of distinct words."""
        return len(self._words)

    def count(
        self,
        pieces: Sequence[str | bytes],
        number_terms: Callable[[list[bytes]], list[int]],
        split_other: Callable[[bytes], list[bytes]],
        /,
    ) -> tuple[bytes, bytes, list[int], bytes]:
        """Terms and frequencies of all pieces as uint32, where each piece's end, and wholes."""
        words = [_words(piece) for piece in pieces]
        sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        numbers = np.fromiter(
            map(self._number_of_word, chain.from_iterable(words)),
            dtype=np.uint64,
            count=int(sizes.sum()),
        )
        del words
        self._learn_words(split_other)
        self._learn_numbers(number_terms)
        owners = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
        return self._sum((owners << np.uint64(32)) | numbers, len(sizes))

    def _learn_words(self, split_other: Callable[[bytes], list[bytes]]) -> None:
        words = [*islice(reversed(self._words), len(self._words) - self._known)][::-1]
        waiting: list[bytes] = []  # terms of ASCII words: small letters for many at once
        for word, parts in zip(words, map(_PARTS_OF_BYTES.findall, words), strict=True):
            if len(word) > MAX_WORD or not word.isascii():
                self._add_terms(_lower(waiting))
                self._add_terms(self._terms_of_other(word, split_other))
                waiting.clear()
            elif parts:
                waiting.append(word)
                if parts[0] != word:
                    waiting += parts
            self._starts.append(len(self._word_terms) + len(waiting))
        self._add_terms(_lower(waiting))
        self._known = len(self._words)

    def _terms_of_other(
        self, word: bytes, split_other: Callable[[bytes], list[bytes]]
    ) -> list[bytes]:
        if len(word.decode("utf-8", "surrogatepass")) <= MAX_WORD:
            return split_other(word)
        del self._words[word]  # it may be a megabyte of encoded data
        return [self._long_term]

    def _add_terms(self, terms: list[bytes]) -> None:
        self._word_terms.extend(map(self._number_of_term, terms))

    def _learn_numbers(self, number_terms: Callable[[list[bytes]], list[int]]) -> None:
        new = len(self._terms) - len(self._term_numbers)
        if new:
            terms = [*islice(reversed(self._terms), new)][::-1]
            self._term_numbers.extend(number_terms(terms))

    def _sum(self, keys: U64, pieces: int) -> tuple[bytes, bytes, list[int], bytes]:
        """The result for (piece << 32 | word) keys, one for each word in the texts."""
        keys.sort(kind="stable")  # fast, as pieces are in order already
        new = np.ones(len(keys), dtype=bool)
        new[1:] = keys[1:] != keys[:-1]
        first = new.nonzero()[0]
        times = np.diff(first, append=len(keys)).astype(np.uint32)
        kept = keys[first]
        words = (kept & np.uint64(0xFFFFFFFF)).astype(np.int64)
        all_starts: I64 = np.array(self._starts)
        starts = all_starts[words]
        counts = all_starts[words + 1] - starts
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
        word_terms = np.array(self._word_terms)[places]
        terms: U32 = np.array(self._term_numbers)[word_terms]
        times = np.repeat(times, counts)
        # the first of several terms is the whole word
        wholes = (places == np.repeat(starts, counts)) & np.repeat(counts > 1, counts)
        if self._long_term in self._terms:
            wholes |= word_terms == self._terms[self._long_term]
        edges = np.searchsorted(kept, np.arange(1, pieces + 1, dtype=np.uint64) << np.uint64(32))
        piece_ends = np.concatenate([[0], ends])[edges].tolist()
        return terms.tobytes(), times.tobytes(), piece_ends, (times * wholes).tobytes()


def _lower(terms: list[bytes]) -> list[bytes]:
    return b" ".join(terms).lower().split()


def _words(piece: str | bytes) -> list[bytes]:
    if isinstance(piece, bytes):
        return piece.translate(_WORD_BYTES).split()
    if piece.isascii():
        return piece.encode("ascii").translate(_WORD_BYTES).split()
    return " ".join(_WORD.findall(piece)).encode("utf-8", "surrogatepass").split()
