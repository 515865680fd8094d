"""Measures whether the right text is the nearest, in repositories that were not trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.vectors.counts import F32, Bags, CountedPairs, Rows, in_rows
from bench.vectors.pair import KINDS
from bench.vectors.training import sum_rows
from repo_mcp.vectors.model import GramTable

CANDIDATES: Final = 200
# repositories with fewer pairs of a kind say too little of it
FEWEST: Final = 50
_DRAWS: Final = 2000

Ranks = dict[str, list[float]]


@dataclass(frozen=True)
class Vectors:
    """Rows of words with their weights: those for queries, and those for texts."""

    rows: Rows
    queries: F32
    texts: F32
    # true if a text is but the signs of its numbers, as the index stores it
    signs: bool = False

    @staticmethod
    def of_table(table: GramTable) -> Vectors:
        """A table of the product."""
        words = [word.decode() for word in table.words]
        scaled = table.rows.astype(np.float32) * table.scales.astype(np.float32)[:, None]
        return Vectors.of_rows(words, scaled, table.buckets)

    @staticmethod
    def of_rows(words: Sequence[str], vectors: F32, buckets: int) -> Vectors:
        """Vectors of words in their order, then those of buckets."""
        return Vectors(Rows(words, buckets), vectors, vectors)

    @staticmethod
    def of_archive(path: Path) -> Vectors:
        """A table with the buckets first, and a weight each for queries and texts."""
        with np.load(path, allow_pickle=False) as found:
            words = [str(word) for word in found["words"]]
            rows = found["vectors"].astype(np.float32)
            buckets = int(found["buckets"])
            sides = (found["scale_query"], found["scale_text"])
            queries, texts = (rows * side.astype(np.float32)[:, None] for side in sides)
        return Vectors(Rows(words, buckets, words_are_first=False), queries, texts)


def measure(vectors: Vectors, repositories: Mapping[str, CountedPairs]) -> dict[str, Ranks]:
    """By kind and repository, one over the rank of the right text among some hundred."""
    found: dict[str, Ranks] = {kind: {} for kind in KINDS}
    for name, counted in repositories.items():
        table = vectors.rows.table_of(counted.words)
        for number, kind in enumerate(KINDS):
            chosen = draw_pairs(name, kind, np.flatnonzero(counted.kinds == number))
            if len(chosen) >= FEWEST:
                queries = _units(in_rows(_some(counted.queries, chosen), table), vectors.queries)
                texts = _units(in_rows(_some(counted.texts, chosen), table), vectors.texts)
                if vectors.signs:
                    texts = np.where(texts > 0, 1, -1).astype(np.float32)
                found[kind][name] = reciprocal_ranks(queries, texts, counted.groups[chosen])
    return found


class Gain(NamedTuple):
    """The mean gain of one table over another, with a 95 % interval."""

    mean: float
    low: float
    high: float


def means(measured: Mapping[str, Ranks]) -> dict[str, float]:
    """The mean over the means of the repositories, by kind."""
    return {
        kind: round(mean(map(mean, ranks.values())), 4) for kind, ranks in measured.items() if ranks
    }


def difference(ours: Ranks, theirs: Ranks, seed: int = 0) -> Gain:
    """The gain of the first over the second, by resampling each repository's pairs."""
    random = np.random.default_rng(seed)
    gains = [np.array(ours[name]) - np.array(theirs[name]) for name in sorted(ours)]
    draws = np.zeros(_DRAWS)
    for gain in gains:
        draws += gain[random.integers(0, len(gain), (_DRAWS, len(gain)))].mean(1)
    low, high = np.quantile(draws / len(gains), (0.025, 0.975))
    average = float(np.mean([gain.mean() for gain in gains]))
    return Gain(*(round(value, 4) for value in (average, float(low), float(high))))


def draw_pairs(name: str, kind: str, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The pairs of a kind that a repository is measured on."""
    seed = int.from_bytes(blake2b(f"{name} {kind}".encode(), digest_size=8).digest())
    shuffled = np.random.default_rng(seed).permutation(pairs)
    return np.sort(shuffled[:CANDIDATES])


def _some(bags: Bags, chosen: npt.NDArray[np.int64]) -> Bags:
    lengths = np.diff(bags.starts)[chosen]
    starts = np.zeros(len(chosen) + 1, np.int64)
    starts[1:] = np.cumsum(lengths)
    at = np.arange(starts[-1]) + np.repeat(bags.starts[chosen] - starts[:-1], lengths)
    return Bags(starts, bags.parts[at], bags.worth[at])


def _units(bags: Bags, vectors: F32) -> F32:
    sums = sum_rows(bags, vectors)
    units: F32 = sums / (np.linalg.norm(sums, axis=1, keepdims=True) + np.float32(1e-9))
    return units


def reciprocal_ranks(queries: F32, texts: F32, groups: npt.NDArray[np.int32]) -> list[float]:
    """One over the rank of each question's own text."""
    scores = queries @ texts.T
    right = scores.diagonal().copy()
    same = (groups[:, None] == groups[None, :]) & (groups >= 0)[:, None]
    scores[same] = -np.inf
    np.fill_diagonal(scores, -np.inf)
    ranks = 1 + (scores >= right[:, None]).sum(1)
    return [float(value) for value in 1 / ranks]
