"""Sums of scores: compiled code and numpy give the same best chunks and frequencies."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format.native import NATIVE
from index_format.query.scoring import open_terms
from index_format.query.summing import DecodedTerm, best_sums, frequencies_in
from index_format.query.term_scores import ChunkFilter, WeightedTerm
from tests.index_format import twins
from tests.index_format.twins import HISTORIES, Twins

pytestmark = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")


def decoded(random: Random, twin: Twins) -> list[DecodedTerm]:
    """Up to six terms with all of their postings."""
    words = [
        WeightedTerm(
            random.choice(["body", "body", "doc", "tags"]),
            random.choice(twin.words).encode(),
            random.choice([1.0, 1.0, 0.3, 2.0]),
        )
        for _ in range(random.randint(0, 6))
    ]
    found = [term for term in open_terms(twin.snapshot, words) if term is not None]
    return [DecodedTerm(term, *term.postings()) for term in found]


@pytest.mark.parametrize("history", HISTORIES)
def test_the_same_chunks_are_best(history: str) -> None:
    twin = twins.uneven(history)
    random = Random(history)
    for _ in range(150):
        terms = decoded(random, twin)
        span = twin.snapshot.chunk_span
        chosen = np.array([random.random() < 0.5 for _ in range(span)], dtype=np.bool_)
        permitted = ChunkFilter(twin.snapshot, random.choice([None, chosen]))
        limit = random.choice([1, 2, 10, 100, 100_000])
        above, ties = best_sums(terms, limit, permitted)
        plain = best_sums(terms, limit, permitted, None)
        assert (above.tolist(), ties.tolist()) == (plain[0].tolist(), plain[1].tolist())
        assert len(above) <= limit
        assert sum(map(len, plain)) >= min(
            limit, len({chunk for item in terms for chunk in item.chunks.tolist()}), len(above)
        )


@pytest.mark.parametrize("history", HISTORIES)
def test_figures_of_a_term_are_those_of_whooshs_scorer(history: str) -> None:
    twin = twins.small(history)
    terms = [WeightedTerm("body", word.encode()) for word in twin.words[:20]]
    for term in filter(None, open_terms(twin.snapshot, terms)):
        scorer = term._scorer
        assert term.figures == (scorer.idf, scorer.K1, scorer.B, scorer.avgfl, 1.0)


@given(
    st.dictionaries(st.integers(0, 300), st.integers(1, 1 << 31), max_size=80),
    st.sets(st.integers(0, 310), max_size=60),
)
def test_the_same_frequencies_are_found(postings: dict[int, int], wanted: set[int]) -> None:
    chunks = np.array(sorted(postings), dtype=np.int64)
    frequencies = np.array([postings[chunk] for chunk in sorted(postings)], dtype=np.uint32)
    asked = np.array(sorted(wanted), dtype=np.int64)
    found = frequencies_in(chunks, frequencies, asked)
    assert found.tolist() == [postings.get(chunk, 0) for chunk in sorted(wanted)]
    assert found.tolist() == frequencies_in(chunks, frequencies, asked, None).tolist()


@pytest.mark.parametrize("history", HISTORIES)
def test_whole_terms_are_decoded_alike(history: str) -> None:
    """Compiled code decodes blocks and tail of a term as `blocks` and the tail by themselves do."""
    twin = twins.large(history)
    field = twin.snapshot.schema.number("body") or 0
    for word in twin.words[:40]:
        for item in twin.snapshot.postings(field, word.encode()):
            term = item.postings
            found = term.lists.all_of(term.entry, term.meta, item.segment.base)
            assert found is not None
            chunks, frequencies = term.all()
            expected = chunks.astype(np.int64) + item.segment.base
            assert found[0].tolist() == expected.tolist()
            assert found[1].tolist() == frequencies.tolist()
