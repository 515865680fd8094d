"""Counts the parts of words in pairs, and numbers the parts that get a row of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bench.vectors.pair import KINDS, Pair
from repo_mcp.vectors.words import count_parts, grams, saturate

FEWEST_REPOSITORIES: Final = 3
_FEWEST_IN_ONE: Final = 2
# a repository counts at most so often: its own words must not crowd out everybody's
_MOST_IN_ONE: Final = 400
_QUERY_WORTH: Final = 3

F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Bags:
    """Texts as counted parts: those of text `n` lie from `starts[n]` to `starts[n + 1]`."""

    starts: I64
    parts: npt.NDArray[np.int32]
    worth: F32

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.starts) - 1


@dataclass(frozen=True)
class CountedPairs:
    """The pairs of a repository: words by their numbers in `words`."""

    words: Sequence[str]
    queries: Bags
    texts: Bags
    kinds: npt.NDArray[np.int8]
    groups: npt.NDArray[np.int32]


def count(pairs: Iterable[Pair]) -> CountedPairs:
    """Count the parts of pairs."""
    numbers: dict[str, int] = {}
    kinds, groups = [], []
    queries: list[Counter[str]] = []
    texts: list[Counter[str]] = []
    for pair in pairs:
        queries.append(count_parts(pair.query))
        texts.append(count_parts(pair.text, pair.path))
        kinds.append(KINDS.index(pair.kind))
        groups.append(pair.group)
    sides = _bags(queries, numbers), _bags(texts, numbers)
    made = np.array(kinds, np.int8), np.array(groups, np.int32)
    return CountedPairs(list(numbers), *sides, *made)


def _bags(texts: Sequence[Counter[str]], numbers: dict[str, int]) -> Bags:
    starts = np.zeros(len(texts) + 1, np.int64)
    starts[1:] = np.cumsum([len(text) for text in texts])
    parts = (numbers.setdefault(part, len(numbers)) for text in texts for part in text)
    worth = (saturate(times) for text in texts for times in text.values())
    return Bags(
        starts,
        np.fromiter(parts, np.int32, starts[-1]),
        np.fromiter(worth, np.float32, starts[-1]),
    )


def write(path: Path, counted: CountedPairs) -> None:
    """Store counted pairs."""
    arrays: dict[str, Any] = {"kinds": counted.kinds, "groups": counted.groups}
    for name, bags in (("query", counted.queries), ("text", counted.texts)):
        arrays[f"{name}_starts"] = bags.starts
        arrays[f"{name}_parts"] = bags.parts
        arrays[f"{name}_worth"] = bags.worth.astype(np.float16)
    arrays["words"] = np.frombuffer("\n".join(counted.words).encode(), np.uint8)
    part = path.with_suffix(".part.npz")
    np.savez(part, **arrays)
    part.rename(path)


def read(path: Path) -> CountedPairs:
    """Counted pairs as stored."""
    with np.load(path, allow_pickle=False) as found:
        words = found["words"].tobytes().decode().split("\n")
        sides = _side(found, "query"), _side(found, "text")
        return CountedPairs(words, *sides, found["kinds"], found["groups"])


def _side(found: Mapping[str, npt.NDArray[Any]], name: str) -> Bags:
    worth = found[f"{name}_worth"].astype(np.float32)
    return Bags(found[f"{name}_starts"], found[f"{name}_parts"], worth)


def vocabulary(paths: Iterable[Path], most: int) -> list[str]:
    """The words of three repositories or more that say most, in order of their worth."""
    repositories: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for path in paths:
        counted = read(path)
        size = len(counted.words)
        often = np.bincount(counted.texts.parts, minlength=size)
        often += _QUERY_WORTH * np.bincount(counted.queries.parts, minlength=size)
        for word, times in zip(counted.words, often.tolist(), strict=True):
            if times >= _FEWEST_IN_ONE:
                repositories[word] += 1
                totals[word] += min(times, _MOST_IN_ONE)
    fit = [word for word, count in repositories.items() if count >= FEWEST_REPOSITORIES]
    fit.sort(key=lambda word: (-repositories[word] * float(np.log1p(totals[word])), word))
    return fit[:most]


class Rows:
    """Gives each word the rows of a table that it is the sum of: its own, or its pieces'."""

    def __init__(self, words: Sequence[str], buckets: int, *, words_are_first: bool = True) -> None:
        """Words have rows in their order, before or after those of the buckets."""
        self.buckets = buckets
        self._first = len(words) if words_are_first else 0
        offset = 0 if words_are_first else buckets
        self._rows = {word: at + offset for at, word in enumerate(words)}

    def of_word(self, word: str) -> tuple[list[int], float]:
        """The rows of a word, and what each is worth."""
        row = self._rows.get(word)
        if row is not None:
            return [row], 1.0
        pieces = grams(word, self.buckets)
        return [self._first + piece for piece in pieces], float(1 / np.sqrt(max(len(pieces), 1)))

    def table_of(self, words: Sequence[str]) -> Bags:
        """The rows of each of these words."""
        found = [self.of_word(word) for word in words]
        starts = np.zeros(len(found) + 1, np.int64)
        starts[1:] = np.cumsum([len(rows) for rows, _ in found])
        rows = np.fromiter((row for rows, _ in found for row in rows), np.int32, starts[-1])
        worth = (worth for rows, worth in found for _ in rows)
        return Bags(starts, rows, np.fromiter(worth, np.float32, starts[-1]))


def in_rows(bags: Bags, table: Bags) -> Bags:
    """Texts of words as texts of rows; `table` has the rows of each word."""
    lengths = np.diff(table.starts)[bags.parts]
    ends = np.cumsum(lengths)
    starts = np.zeros(len(bags.starts), np.int64)
    starts[1:] = ends[bags.starts[1:] - 1] if len(ends) else 0
    starts[1:][bags.starts[1:] == 0] = 0
    word = np.repeat(np.arange(len(bags.parts)), lengths)
    within = np.arange(len(word)) - np.repeat(ends - lengths, lengths)
    at = table.starts[bags.parts[word]] + within
    return Bags(starts, table.parts[at], bags.worth[word] * table.worth[at])
