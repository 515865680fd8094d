"""Benchmarks of building, opening, lookup, search, compaction and check of an index.

Measured: one operation each, on one store, files in the system's cache.
Corpus: `--corpus`, else words drawn from a power law; see `corpus.py`.
To conclude: `open` and `lookup` must not grow with `--chunks`; queries grow with their postings.
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from whoosh.qparser import QueryParser

from bench.conftest import SCHEMA, Corpus
from bench.corpus import document
from index_format import (
    FileStore,
    Index,
    MemoryStore,
    Snapshot,
    WeightedTerm,
    check,
    searcher,
    top_chunks,
)


def test_build(benchmark: BenchmarkFixture, corpus: Corpus, tmp_path: Path) -> None:
    """From words to a published, compacted index."""
    runs = iter(range(1_000_000))

    def build() -> Index:
        return corpus.build(FileStore(tmp_path / str(next(runs))))

    index = benchmark.pedantic(build, rounds=1 if corpus.chunks > 10_000 else 3)
    assert index.snapshot().chunk_count >= corpus.chunks


def test_open(benchmark: BenchmarkFixture, store: FileStore) -> None:
    """Open the current generation."""
    snapshot = benchmark(Index(store, SCHEMA).snapshot)
    assert snapshot.chunk_count > 0


def test_open_and_first_lookup(
    benchmark: BenchmarkFixture, store: FileStore, words: list[bytes]
) -> None:
    """Open a snapshot and find one term, without caches."""
    word = words[len(words) // 3]

    def first() -> int:
        snapshot = Index(store, SCHEMA).snapshot()
        return snapshot.counts(snapshot.postings(0, word))[0]

    assert benchmark(first) > 0


def test_lookup(benchmark: BenchmarkFixture, snapshot: Snapshot, words: list[bytes]) -> None:
    """Find a term in an open snapshot, a different one each time."""
    following = cycle(words[:: max(1, len(words) // 500)])
    assert benchmark(lambda: snapshot.postings(0, next(following)))


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 5])
def test_query(
    benchmark: BenchmarkFixture, snapshot: Snapshot, words: list[bytes], terms: int
) -> None:
    """The ten best chunks for some words, from frequent to rare, a different query each time."""
    step = max(1, len(words) // 211)
    queries = [
        [WeightedTerm("body", words[(start * step + 7 * n) % len(words)]) for n in range(terms)]
        for start in range(211)
    ]
    following = cycle(queries)
    assert benchmark(lambda: top_chunks(snapshot, next(following), 10))


@pytest.mark.parametrize("kind", ["prefix", "phrase"])
def test_whoosh_query(
    benchmark: BenchmarkFixture, snapshot: Snapshot, corpus: Corpus, kind: str
) -> None:
    """A query of Whoosh's parser through Whoosh's searcher."""
    search = searcher(snapshot)
    first, second = next(corpus.files()).chunks[0][10:12]
    text = f"{first[:4]}*" if kind == "prefix" else f'"{first} {second}"'
    query = QueryParser("body", search.schema).parse(text)
    assert benchmark(lambda: search.search(query, limit=10)).scored_length() > 0


def test_compaction(benchmark: BenchmarkFixture, corpus: Corpus) -> None:
    """Merge eight segments into the canonical layout."""
    documents = list(corpus.files())[: 20_000 // 5]

    def eight_segments() -> tuple[tuple[Index], dict[str, object]]:
        index = Index(MemoryStore(), SCHEMA)
        for part in range(8):
            with index.writer() as writer:
                for file in documents[part::8]:
                    writer.add(document(file, writer.vocabulary, corpus.lines))
                writer.commit()
        return (index,), {}

    taken = benchmark.pedantic(
        lambda index: index.compact(full=True), setup=eight_segments, rounds=3
    )
    assert taken >= 1


def test_check(benchmark: BenchmarkFixture, store: FileStore, corpus: Corpus) -> None:
    """Read and verify every byte and every number."""
    rounds = 1 if corpus.chunks > 10_000 else 3
    findings = benchmark.pedantic(lambda: list(check(store)), rounds=rounds)
    assert findings == []
