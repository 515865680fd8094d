"""Compiled code scores chunks and files as numpy and Python do, to the last bit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from types import SimpleNamespace
from typing import cast

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st

from index_format import LENGTHS_OF_CODES, Snapshot, TermScores
from repo_mcp.native import NATIVE
from repo_mcp.question.query import QueryWord, parse_words
from repo_mcp.search.ranked.candidates import CandidateChunks
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.file_passages import PathWeights, RankedFiles
from repo_mcp.search.ranked.term_lookup import F64, I64, Saturation, TermStatistics
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS, Weights
from repo_mcp.stored import BODY, NAME, PATH, SYMBOL

pytestmark = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")

TERMS = ["alpha", "beta", "alpha_beta", "hydrating", "hydration"]
FOLDERS = ["alpha", "tests", "hydration", "src", "docs"]
QUERIES = ["alpha", "alpha_beta hydrated", "src: alpha tests", "docs: alpha: how it hydrates", "x"]
U8 = npt.NDArray[np.uint8]
FIELDS = [BODY, SYMBOL, NAME, PATH]


class AnySnapshot:
    """As much of a snapshot as scores need: files of a few chunks each."""

    def __init__(self, random: Random, files: int) -> None:
        sizes = [random.randint(1, 6) for _ in range(files)]
        self.file_starts = np.cumsum([0, *sizes])
        self.chunk_count = int(self.file_starts[-1])
        self.schema = SimpleNamespace(number=lambda _: 0)
        self._codes = np.array(
            [random.randrange(256) for _ in range(self.chunk_count)], dtype=np.uint8
        )
        self._paths = [
            "/".join(random.choices(["alpha", "tests", "hydration", "src", "docs"], k=2))
            + f"/{random.choice(['alpha', 'test_alpha', 'hydrates', 'test_hydrates', at])}.c"
            for at in range(files)
        ]

    def codes(self, _: int) -> U8:
        return self._codes

    def token_count(self, _: int) -> int:
        return int(LENGTHS_OF_CODES[self._codes].sum())

    def paths_of(self, files: I64) -> list[str]:
        return [self._paths[file] for file in files.tolist()]


class Column(np.ndarray):
    """The frequencies of a term, which few chunks have."""

    count = 2


def columns(random: Random, count: int, fields: list[str]) -> dict[str, F64]:
    chosen = random.sample(fields, random.randint(0, len(fields)))
    rare = random.random()
    return {
        field: np.array(
            [random.choice([1, 2, 9]) * (random.random() < rare) * 1.0 for _ in range(count)]
        ).view(Column)
        for field in chosen
    }


def any_terms(random: Random, count: int) -> list[TermStatistics]:
    found: list[TermStatistics] = []
    for term in random.sample(TERMS, random.randint(1, len(TERMS))):
        has_forms = random.random() < 0.5
        forms = columns(random, count, FIELDS[:3]) if has_forms else {}
        fields = cast("Mapping[str, TermScores]", columns(random, count, FIELDS))
        found.append(
            TermStatistics(
                QueryWord(term, random.choice([1.0, 0.3, 1.7])),
                fields,
                Saturation(math.log(random.uniform(1.1, 900)), DEFAULT_WEIGHTS.k1),
                {field: (cast("TermScores", held),) * 2 for field, held in forms.items()},
                Saturation(random.uniform(0.1, 9), DEFAULT_WEIGHTS.k1) if has_forms else None,
            )
        )
    return found


def passages(ranked: RankedFiles) -> list[tuple[int, int, float]]:
    table = ranked.passages
    columns = table.files.tolist(), table.chunks.tolist(), table.scores.tolist()
    return sorted(zip(*columns, strict=True))


@given(
    st.integers(0, 1 << 40),
    st.sampled_from([DEFAULT_WEIGHTS, Weights(stems=0.25, inside=1.5)]),
)
@settings(max_examples=300)
def test_the_same_passages_of_the_same_files(seed: int, weights: Weights) -> None:
    random = Random(seed)
    snapshot = AnySnapshot(random, random.choice([1, 2, 30]))
    count = snapshot.chunk_count
    chunks = np.array(sorted(random.sample(range(count), random.randint(1, count))))
    found = SimpleNamespace(chunks=chunks, frequencies=lambda held: held)
    asked = (
        cast("Snapshot", snapshot),
        cast("CandidateChunks", found),
        any_terms(random, len(chunks)),
        weights,
        random.choice([1, 3, 40]),
        random.choice(["", "alpha", "alphabeta"]),
    )
    compiled, plain = ChunkScores(*asked), ChunkScores(*asked, None)
    assert compiled.chunks.tolist() == plain.chunks.tolist()
    assert compiled.paths == plain.paths
    query = parse_words(random.choice(QUERIES))
    one, other = (scores.rank(PathWeights(query, weights)) for scores in (compiled, plain))
    assert passages(one) == passages(other)
    assert list(one.shares) == list(other.shares)
    assert list(map(bool, one.declares)) == other.declares
