"""Texts of pairs as sequences of words, in the order in which they stand.

A text begins with the words of its path. Each word has its worth in the sum of the table, so that
the sum over a sequence, and the words that it is too short for, is the vector that the table gives.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bench.vectors.counts import F32, I64, Bags, Rows, in_rows
from bench.vectors.pair import KINDS, Pair
from bench.vectors.training import select, sum_rows
from index_format.analysis.words import WORD
from repo_mcp.vectors.words import parts_of_word, path_words

QUERY_WORDS: Final = 24
TEXT_WORDS: Final = 48
# how a word stands: within an identifier, at its beginning, first of its line, in a path
INSIDE, BEGINS, OPENS, OF_PATH = MARKS = range(4)
_WORDS: Final = re.compile(WORD)

I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Sequences:
    """Texts of one length: words by number, -1 where none is; and all their words, counted."""

    words: I32
    worth: F32
    marks: U8
    counted: Bags


@dataclass(frozen=True)
class OrderedPairs:
    """Pairs whose two sides are sequences."""

    words: Sequence[str]
    queries: Sequences
    texts: Sequences
    kinds: npt.NDArray[np.int8]
    groups: I64


def read_order(pairs: Iterable[Pair]) -> OrderedPairs:
    """The pairs as sequences."""
    numbers: dict[str, int] = {}
    found = list(pairs)
    queries = in_order([(pair.query, "") for pair in found], QUERY_WORDS, numbers)
    texts = in_order([(pair.text, pair.path) for pair in found], TEXT_WORDS, numbers)
    kinds = np.array([KINDS.index(pair.kind) for pair in found], np.int8)
    groups = np.array([pair.group for pair in found], np.int64)
    return OrderedPairs(list(numbers), queries, texts, kinds, groups)


def in_order(texts: Sequence[tuple[str, str]], most: int, numbers: dict[str, int]) -> Sequences:
    """Texts with their paths as sequences of so many words; new words get the next numbers."""
    words = np.full((len(texts), most), -1, np.int32)
    worth = np.zeros((len(texts), most), np.float32)
    marks = np.zeros((len(texts), most), np.uint8)
    starts, parts, weights = [0], list[int](), list[float]()
    for at, (text, path) in enumerate(texts):
        read = [(numbers.setdefault(word, len(numbers)), mark) for word, mark in _read(text, path)]
        counts = Counter(word for word, _ in read)
        parts += counts
        weights += [2 * times / (times + 1) for times in counts.values()]
        starts.append(len(parts))
        first = read[:most]
        words[at, : len(first)] = [word for word, _ in first]
        worth[at, : len(first)] = [2 / (counts[word] + 1) for word, _ in first]
        marks[at, : len(first)] = [mark for _, mark in first]
    bags = Bags(np.array(starts), np.array(parts, np.int32), np.array(weights, np.float32))
    return Sequences(words, worth, marks, bags)


def _read(text: str, path: str) -> Iterator[tuple[str, int]]:
    """The words of a path and a text, and how each stands there."""
    for word in _WORDS.findall(path_words(path)) if path else ():
        for part in parts_of_word(word):
            yield part, OF_PATH
    for row in text.split("\n"):
        mark = OPENS
        for word in _WORDS.findall(row):
            for part in parts_of_word(word):
                yield part, mark
                mark = INSIDE
            mark = BEGINS


def write(path: Path, pairs: OrderedPairs) -> None:
    """Store pairs."""
    arrays: dict[str, Any] = {"kinds": pairs.kinds, "groups": pairs.groups}
    for name, side in (("query", pairs.queries), ("text", pairs.texts)):
        arrays[f"{name}_words"] = side.words
        arrays[f"{name}_worth"] = side.worth.astype(np.float16)
        arrays[f"{name}_marks"] = side.marks
        arrays[f"{name}_starts"] = side.counted.starts
        arrays[f"{name}_parts"] = side.counted.parts
        arrays[f"{name}_times"] = side.counted.worth.astype(np.float16)
    arrays["names"] = np.frombuffer("\n".join(pairs.words).encode(), np.uint8)
    part = path.with_suffix(".part.npz")
    np.savez(part, **arrays)
    part.rename(path)


def read(path: Path, most: int | None = None) -> OrderedPairs:
    """The stored pairs, or so many of them that chance chooses."""
    with np.load(path, allow_pickle=False) as found:
        names = found["names"].tobytes().decode().split("\n")
        kinds = found["kinds"]
        chosen = np.sort(np.random.default_rng(0).permutation(len(kinds))[:most])
        sides = _side(found, "query", chosen), _side(found, "text", chosen)
        return OrderedPairs(names, *sides, kinds[chosen], found["groups"][chosen])


def _side(found: Mapping[str, npt.NDArray[Any]], name: str, chosen: I64) -> Sequences:
    times = found[f"{name}_times"].astype(np.float32)
    counted = select(Bags(found[f"{name}_starts"], found[f"{name}_parts"], times), chosen)
    worth = found[f"{name}_worth"][chosen].astype(np.float32)
    return Sequences(found[f"{name}_words"][chosen], worth, found[f"{name}_marks"][chosen], counted)


@dataclass(frozen=True)
class Side:
    """Texts ready to encode: rows of a matrix of words, and the sum of what is not in them."""

    words: I32
    worth: F32
    marks: U8
    rest: npt.NDArray[np.float16]

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.words)

    def some(self, chosen: I64) -> Side:
        """These texts alone."""
        return Side(self.words[chosen], self.worth[chosen], self.marks[chosen], self.rest[chosen])


class Matrix:
    """The vectors of all words met, by the table; those that it lacks by their pieces."""

    def __init__(self, rows: Rows, vectors: F32, known: int) -> None:
        """`known` words have rows of their own, the first of the table."""
        self._rows, self._table, self.known = rows, vectors, known
        self._numbers: dict[str, int] = {}
        self._made: list[npt.NDArray[np.float16]] = [vectors[:known].astype(np.float16)]
        self._count = known

    def vectors(self) -> npt.NDArray[np.float16]:
        """All vectors, those of known words first; the last row is zero, for no word."""
        zero = np.zeros((1, self._table.shape[1]), np.float16)
        return np.concatenate((*self._made, zero))

    def sides(self, words: Sequence[str], sequences: Iterable[Sequences]) -> list[Side]:
        """Sequences of these words, ready to encode."""
        table = self._rows.table_of(words)
        every = Bags(np.arange(len(words) + 1), np.arange(len(words), dtype=np.int32), _ones(words))
        vectors = sum_rows(in_rows(every, table), self._table)
        places = self._places(words, vectors)
        return [_side_of(found, vectors, places) for found in sequences]

    def _places(self, words: Sequence[str], vectors: F32) -> I32:
        places = np.zeros(len(words) + 1, np.int32)
        places[-1] = -1
        fresh = []
        for at, word in enumerate(words):
            row, worth = self._rows.of_word(word)
            if worth == 1.0 and len(row) == 1 and row[0] < self.known:
                places[at] = row[0]
                continue
            number = self._numbers.get(word)
            if number is None:
                number = self._numbers[word] = self._count
                self._count += 1
                fresh.append(at)
            places[at] = number
        self._made.append(vectors[fresh].astype(np.float16))
        return places


def _ones(words: Sequence[str]) -> F32:
    return np.ones(len(words), np.float32)


def _side_of(found: Sequences, vectors: F32, places: I32) -> Side:
    bags = found.counted
    whole = sum_rows(bags, vectors)
    count = len(found.words)
    lengths = (found.words >= 0).sum(1)
    starts = np.zeros(count + 1, np.int64)
    starts[1:] = np.cumsum(lengths)
    filled = found.words >= 0
    read = Bags(starts, found.words[filled].astype(np.int32), found.worth[filled])
    rest = whole - sum_rows(read, vectors)
    return Side(places[found.words], found.worth, found.marks, rest.astype(np.float16))
