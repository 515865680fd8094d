"""The fast path finds what Whoosh's searcher finds in Whoosh's own index, with the same scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
from whoosh.query import And, Or, Query, Term
from whoosh.scoring import BM25F
from whoosh.searching import Searcher

from index_format.errors import InvalidInputError
from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.model import Chunk, Document, Field, Schema, Tokens
from index_format.query import scoring, term_scores
from index_format.query.scoring import top_chunks
from index_format.query.term_scores import WeightedTerm
from index_format.store.memory_store import MemoryStore
from tests.index_format import twins
from tests.index_format.twins import HISTORIES, Twins

pytestmark = pytest.mark.differential

Key = tuple[str, int]
MAKERS = [twins.small, twins.large, twins.uneven]


def random_terms(random: Random, twin: Twins) -> list[WeightedTerm]:
    """One to five different terms, common and rare ones, some boosted."""
    chosen = {
        (random.choice(["body", "body", "doc", "tags"]), _word(random, twin.words))
        for _ in range(random.randint(1, 5))
    }
    return [
        WeightedTerm(field, word.encode(), random.choice([1.0, 1.0, 0.5, 3.0]))
        for field, word in sorted(chosen)
    ]


def _word(random: Random, words: Sequence[str]) -> str:
    return words[min(int(random.paretovariate(0.5)) - 1, len(words) - 1)]


def query_of(terms: Sequence[WeightedTerm], *, require_all: bool) -> Query:
    """The same for Whoosh."""
    parts = [Term(term.field, term.term.decode(), boost=term.boost) for term in terms]
    return And(parts) if require_all else Or(parts)


def by_whoosh(searcher: Searcher, query: Query) -> list[tuple[Key, float]]:
    """All hits of Whoosh's searcher."""
    found = searcher.search(query, limit=None)
    return [((hit["path"], hit["start_line"]), hit.score) for hit in found]


def ours(
    snapshot: Snapshot,
    terms: Sequence[WeightedTerm],
    limit: int,
    *,
    require_all: bool = False,
) -> list[tuple[Key, float]]:
    """Our hits by path and line."""
    hits = top_chunks(snapshot, terms, limit, require_all=require_all)
    found = []
    for hit in hits:
        record = snapshot.chunk(hit.chunk)
        found.append(((record.path, record.start_line), hit.score))
    return found


def assert_same(
    got: Sequence[tuple[Key, float]], expected: Sequence[tuple[Key, float]], terms: int
) -> None:
    """Equal scores, to the last bit for up to two terms; within equal scores path and line order.

    A sum of more than two numbers depends on the order they are added in.
    """
    if terms <= 2:
        assert list(got) == list(expected)
        return
    assert [score for _, score in got] == pytest.approx([score for _, score in expected], rel=1e-12)
    clear = [key for key, score in expected if abs(score - expected[-1][1]) > 1e-9 * score]
    assert {key for key, _ in got} >= set(clear)


@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("make", MAKERS, ids=["small", "large", "uneven"])
def test_best_chunks_are_those_of_whoosh(
    make: Callable[[str], Twins], history: str, *, pruned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or and And of terms, any limit, whatever is left undecoded on the way."""
    monkeypatch.setattr(term_scores, "_TABLE_PAYS", 300)
    monkeypatch.setattr(scoring, "_DENSE", 2)
    if pruned:
        monkeypatch.setattr(scoring, "_FEW", 0)
        monkeypatch.setattr(scoring, "_PAYING_SHARE", 1.0)
        monkeypatch.setattr(term_scores, "_FIRST_BLOCKS", 2)
        monkeypatch.setattr(scoring, "_SEEDS", 8)
    twin = make(history)
    random = Random(f"{history} {pruned}")
    for _ in range(60):
        terms = random_terms(random, twin)
        limit = random.choice([1, 3, 10, 10, 100, 10_000])
        require_all = random.random() < 0.3
        expected = by_whoosh(twin.theirs, query_of(terms, require_all=require_all))
        got = ours(twin.snapshot, terms, limit, require_all=require_all)
        assert_same(got, expected[:limit], len(terms))


@pytest.mark.parametrize("history", ["canonical", "canonical_then_edited"])
def test_only_allowed_chunks_are_found(history: str) -> None:
    """A restriction leaves the scores of the others as they are."""
    twin = twins.large(history)
    random = Random(5)
    for _ in range(40):
        terms = random_terms(random, twin)
        shares = np.random.default_rng(random.randrange(1000)).random(twin.snapshot.chunk_span)
        allowed = shares < 0.2
        everything = top_chunks(twin.snapshot, terms, 10_000)
        expected = [hit for hit in everything if allowed[hit.chunk]][:10]
        assert top_chunks(twin.snapshot, terms, 10, allowed=allowed) == expected


def test_other_parameters_of_bm25_are_used() -> None:
    """The weighting's B and K1, also per field, are Whoosh's."""
    twin = twins.large("edited")
    weighting = BM25F(B=0.3, K1=2.0, doc_B=0.9)
    theirs = Searcher(twin.theirs.reader(), weighting=weighting)
    terms = [
        WeightedTerm("body", twin.words[0].encode()),
        WeightedTerm("doc", twin.words[1].encode()),
    ]
    hits = top_chunks(twin.snapshot, terms, 20, weighting=weighting)
    expected = by_whoosh(theirs, query_of(terms, require_all=False))[:20]
    assert [hit.score for hit in hits] == [score for _, score in expected]


def _equal_chunks(count: int) -> Snapshot:
    index = Index(MemoryStore(), Schema((Field("body"),)))
    order = list(range(count))
    Random(3).shuffle(order)
    for part in range(4):
        with index.writer() as writer:
            for number in order[part::4]:
                words = writer.vocabulary.tokens(["same"])
                writer.add(Document(f"{number:05}", [Chunk(1, 1, {"body": words})]))
            writer.commit()
    return index.snapshot()


def test_equal_scores_come_in_path_order_whatever_the_segments() -> None:
    """Among many equals the first by path win, though they are spread over all segments."""
    found = ours(_equal_chunks(1000), [WeightedTerm("body", b"same")], 7)
    assert [key[0] for key, _ in found] == [f"{number:05}" for number in range(7)]


def test_frequencies_beyond_the_metadata_are_bounded_right() -> None:
    """A block whose highest frequency is not in its metadata is not left out."""
    index = Index(MemoryStore(), Schema((Field("body", positions=False),)))
    with index.writer() as writer:
        for number in range(300):
            words = writer.vocabulary.tokens(["a", "b"] * (number % 3 + 1)).words
            if number == 200:
                words = np.zeros(70_000, dtype=np.uint32)
            writer.add(Document(f"{number:03}", [Chunk(1, 1, {"body": Tokens(words)})]))
        snapshot = writer.commit()
    best = top_chunks(snapshot, [WeightedTerm("body", b"a")], 300)
    scores = {snapshot.chunk(hit.chunk).path: hit.score for hit in best}
    first = top_chunks(snapshot, [WeightedTerm("body", b"a")], 1)[0]
    assert first.score == max(scores.values())
    assert len(scores) == 300


@pytest.mark.parametrize(
    ("terms", "limit"),
    [
        ([WeightedTerm("nowhere", b"a")], 1),
        ([WeightedTerm("body", b"a", 0.0)], 1),
        ([WeightedTerm("body", b"a", float("nan"))], 1),
        ([WeightedTerm("body", b"a")], 0),
    ],
)
def test_nonsense_is_refused(terms: list[WeightedTerm], limit: int) -> None:
    """Fields that are not there, boosts that turn the order around, no limit."""
    with pytest.raises(InvalidInputError):
        top_chunks(_equal_chunks(4), terms, limit)


def test_nothing_is_found_for_unknown_words() -> None:
    """No term, no hit; one unknown term among others changes nothing unless all are required."""
    snapshot = _equal_chunks(4)
    known, unknown = WeightedTerm("body", b"same"), WeightedTerm("body", b"other")
    assert top_chunks(snapshot, [], 5) == []
    assert top_chunks(snapshot, [unknown], 5) == []
    assert len(top_chunks(snapshot, [known, unknown], 5)) == 4
    assert top_chunks(snapshot, [known, unknown], 5, require_all=True) == []
