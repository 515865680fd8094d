"""Sums of scores: compiled code and numpy give the same best chunks and frequencies."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from index_format.native import NATIVE
from index_format.query.scoring import best_chunks, open_terms
from index_format.query.summing import best_sums, count_in_chunks
from index_format.query.term_scores import ChunkFilter, TermScores, WeightedTerm
from tests.index_format import twins
from tests.index_format.twins import HISTORIES, Twins

pytestmark = [
    pytest.mark.differential,
    pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here"),
]


def some_terms(random: Random, twin: Twins) -> list[TermScores]:
    """Up to six terms."""
    words = [
        WeightedTerm(
            random.choice(["body", "body", "doc", "tags"]),
            random.choice(twin.words).encode(),
            random.choice([1.0, 1.0, 0.3, 2.0]),
        )
        for _ in range(random.randint(0, 6))
    ]
    return [term for term in open_terms(twin.snapshot, words) if term is not None]


@pytest.mark.parametrize("history", HISTORIES)
def test_the_same_chunks_are_best(history: str) -> None:
    twin = twins.uneven(history)
    random = Random(history)
    for _ in range(150):
        terms = some_terms(random, twin)
        span = twin.snapshot.chunk_span
        chosen = np.array([random.random() < 0.5 for _ in range(span)], dtype=np.bool_)
        permitted = ChunkFilter(twin.snapshot, random.choice([None, chosen]))
        limit = random.choice([1, 2, 10, 100, 100_000])
        is_ordered = random.random() < 0.5
        found = best_sums(terms, limit, permitted, is_ordered=is_ordered)
        plain = best_sums(terms, limit, permitted, is_ordered=is_ordered, native=None)
        assert found.chunks.tolist() == plain.chunks.tolist()
        assert found.ties.tolist() == plain.ties.tolist()
        everywhere = {chunk for term in terms for chunk in term.postings()[0].tolist()}
        allowed = (
            everywhere if permitted.mask is None else {c for c in everywhere if permitted.mask[c]}
        )
        if found.frequencies is None or plain.frequencies is None:
            assert found.frequencies is plain.frequencies
            assert len(found.chunks) < limit < len(found.chunks) + len(found.ties)
            continue
        assert len(found.chunks) == min(limit, len(allowed))
        for term, one, other in zip(terms, found.frequencies, plain.frequencies, strict=True):
            assert one.tolist() == other.tolist() == term.frequencies(found.chunks).tolist()


@pytest.mark.parametrize("history", HISTORIES)
def test_terms_are_counted_alike_in_any_chunks(history: str) -> None:
    twin = twins.uneven(history)
    random = Random(history)
    for _ in range(60):
        terms = some_terms(random, twin)
        share = random.choice([0.0, 0.01, 0.2, 1.0])
        wanted = np.array(
            [chunk for chunk in range(twin.snapshot.chunk_span) if random.random() < share],
            dtype=np.int64,
        )
        found = count_in_chunks(terms, wanted)
        plain = count_in_chunks(terms, wanted, native=None)
        for term, one, other in zip(terms, found, plain, strict=True):
            held = dict(zip(*(column.tolist() for column in term.postings()), strict=True))
            assert one.tolist() == other.tolist() == [held.get(n, 0) for n in wanted.tolist()]


@pytest.mark.parametrize("history", HISTORIES)
def test_the_best_sums_are_those_of_the_search_that_skips_blocks(history: str) -> None:
    """Both score as Whoosh does: the chunks are the best hits of `top_chunks` but for ties."""
    twin = twins.uneven(history)
    random = Random(history)
    for _ in range(40):
        terms = some_terms(random, twin)
        if not terms:
            continue
        found = best_sums(terms, 10, ChunkFilter(twin.snapshot, None), is_ordered=False)
        scores = {hit.chunk: hit.score for hit in best_chunks(twin.snapshot, terms, 100_000)}
        above = [chunk for chunk in scores if chunk in set(found.chunks.tolist())]
        assert len(above) == len(found.chunks)
        others = [score for chunk, score in scores.items() if chunk not in set(above)]
        assert all(scores[chunk] >= max(others, default=0.0) - 1e-8 for chunk in above)


@pytest.mark.parametrize("history", HISTORIES)
def test_figures_of_a_term_are_those_of_whooshs_scorer(history: str) -> None:
    twin = twins.small(history)
    terms = [WeightedTerm("body", word.encode()) for word in twin.words[:20]]
    for term in filter(None, open_terms(twin.snapshot, terms)):
        scorer = term._scorer
        assert term.figures == (scorer.idf, scorer.K1, scorer.B, scorer.avgfl, 1.0)


def test_sums_are_chosen_alike_whatever_their_spread() -> None:
    """A score far above all others leaves most of the others in one bucket."""
    twin = twins.large("fresh")
    random = Random(1)
    for _ in range(40):
        words = [
            WeightedTerm(
                "body", random.choice(twin.words).encode(), random.choice([1e-9, 1.0, 1e9])
            )
            for _ in range(random.randint(1, 5))
        ]
        terms = [term for term in open_terms(twin.snapshot, words) if term is not None]
        permitted = ChunkFilter(twin.snapshot, None)
        for limit in (1, 3, 50):
            found = best_sums(terms, limit, permitted, is_ordered=True)
            plain = best_sums(terms, limit, permitted, is_ordered=True, native=None)
            assert found.chunks.tolist() == plain.chunks.tolist()


@pytest.mark.parametrize("history", HISTORIES)
def test_whole_terms_are_decoded_alike(history: str) -> None:
    """Compiled code decodes blocks and tail of a term as `blocks` and the tail by themselves do."""
    twin = twins.large(history)
    field = twin.snapshot.schema.number("body") or 0
    for word in twin.words[:40]:
        for item in twin.snapshot.postings(field, word.encode()):
            term = item.postings
            found = term.all_compiled(item.segment.base)
            assert found is not None
            chunks, frequencies = term.all()
            expected = chunks.astype(np.int64) + item.segment.base
            assert found[0].tolist() == expected.tolist()
            assert found[1].tolist() == frequencies.tolist()
