"""Terms that begin with a text and what holds them, whatever the segments and dead files."""

from __future__ import annotations

import numpy as np
import pytest

from index_format import (
    Field,
    Index,
    MemoryStore,
    Schema,
    Snapshot,
    chunks_of_files,
    decode_chunks,
    frequent_prefix_terms,
    list_prefix_chunks,
    list_prefix_postings,
    list_prefix_terms,
    list_segment_postings,
)
from index_format.query.term_lists import pages_with_prefix
from tests.index_format.twins import Files, write

FIRST: Files = {
    "a": [{"body": ["alp", "alpha"]}, {"body": ["alpha", "beta"]}],
    "b": [{"body": ["alpine", "alpha"]}],
}
SECOND: Files = {"b": [{"body": ["alphabet"]}, {"body": ["alp"]}], "c": [{"body": ["alp", "zeta"]}]}


def snapshot_of(*commits: Files) -> Snapshot:
    index = Index(MemoryStore(), Schema((Field("body"),)))
    for changed in commits:
        write(index, changed)
    return index.snapshot()


@pytest.fixture
def edited() -> Snapshot:
    """Two segments; the chunk of "b" in the first is dead."""
    return snapshot_of(FIRST, SECOND)


@pytest.mark.parametrize("prefix", ["w", "w0", "w00", "w0127", "w0128", "w1", "w9", "x", "wz", "a"])
def test_all_pages_of_a_dictionary_are_looked_at(prefix: str) -> None:
    words = [f"w{number:04}" for number in range(1100)]
    terms = snapshot_of({"a": [{"body": [*words, "wz"]}]}).segments[0].reader.field(0).terms
    assert terms.page_count > 8
    pages = pages_with_prefix(terms, prefix.encode())
    found = [term.decode() for page in pages for term in page.terms]
    assert found == [word for word in [*words, "wz"] if word.startswith(prefix)]


def test_terms_come_by_segment_with_their_counts_of_chunks(edited: Snapshot) -> None:
    listed = [
        list(zip(terms, chunks.tolist(), strict=True))
        for terms, chunks in list_prefix_terms(edited, 0, b"alp")
    ]
    first = [(b"alp", 1), (b"alpha", 3), (b"alpine", 1)]  # dead chunks count, too
    assert listed == [first, [(b"alp", 2), (b"alphabet", 1)]]


def test_chunks_are_those_that_hold_one_of_the_terms(edited: Snapshot) -> None:
    found = np.concatenate(list(list_prefix_chunks(edited, 0, b"alpha")))
    parts = [decode_chunks(edited.postings(0, term)) for term in (b"alpha", b"alphabet")]
    assert sorted(set(found.tolist())) == np.concatenate(parts).tolist() == [0, 1, 2, 3]
    assert list(list_prefix_chunks(edited, 0, b"zz")) == []


def test_postings_are_those_of_each_term(edited: Snapshot) -> None:
    found = [
        (terms, counts.tolist(), chunks.tolist(), frequencies.tolist())
        for terms, counts, chunks, frequencies in list_prefix_postings(edited, 0, b"alp")
    ]
    expected = []
    for segment in edited.segments:
        reader = segment.reader.field(0)
        terms = [term for term in (b"alp", b"alpha", b"alphabet", b"alpine") if reader.find(term)]
        lists = [postings.all() for postings in map(reader.find, terms) if postings is not None]
        chunks = [int(chunk) + segment.base for part, _ in lists for chunk in part]
        counts = [len(part) for part, _ in lists]
        frequencies = [int(often) for _, part in lists for often in part]
        expected.append((terms, counts, chunks, frequencies))
    assert found == expected


def test_a_segment_has_the_postings_of_all_its_terms(edited: Snapshot) -> None:
    for segment in edited.segments:
        reader = segment.reader.field(0)
        for terms, counts, chunks, frequencies in list_segment_postings(segment.reader, 0):
            lists = [postings.all() for postings in map(reader.find, terms) if postings is not None]
            assert len(terms) == len(reader.terms)
            assert counts.tolist() == [len(part) for part, _ in lists]
            assert chunks.tolist() == np.concatenate([part for part, _ in lists]).tolist()
            assert frequencies.tolist() == np.concatenate([often for _, often in lists]).tolist()


def test_the_most_frequent_are_counted_in_live_chunks(edited: Snapshot) -> None:
    assert frequent_prefix_terms(edited, 0, b"al", 2) == [b"alp", b"alpha"]
    assert frequent_prefix_terms(edited, 0, b"al", 9) == [b"alp", b"alpha", b"alphabet"]


def test_no_postings_hold_no_chunk(edited: Snapshot) -> None:
    assert decode_chunks(edited.postings(0, b"nothing")).tolist() == []


def test_chunks_and_lengths_of_files_are_those_of_the_snapshot(edited: Snapshot) -> None:
    files = np.array([0, 2, 3])
    chunks = chunks_of_files(edited.file_starts, files)
    assert chunks.tolist() == [0, 1, 3, 4, 5]
    assert [edited.chunk(chunk).path for chunk in chunks.tolist()] == ["a", "a", "b", "b", "c"]
    assert edited.lengths(0, chunks).tolist() == [2, 2, 1, 1, 2]
    assert chunks_of_files(edited.file_starts, files[:0]).tolist() == []
