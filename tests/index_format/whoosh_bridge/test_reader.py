"""Our reader says of a snapshot what Whoosh's own reader says of an index of its live chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import pytest
from whoosh.qparser import QueryParser
from whoosh.reading import ReaderClosed, TermInfo, TermNotFound

from index_format.errors import InvalidInputError
from index_format.generation.snapshot import Snapshot
from index_format.whoosh_bridge import reader as whoosh_reader
from index_format.whoosh_bridge.reader import SnapshotReader
from tests.index_format.twins import FIELDS, HISTORIES, Twins, readers, small, uneven

pytestmark = pytest.mark.differential

NAMES = [field.name for field in FIELDS]
MISSING = ["", "nowhere", "zzz", "\U0010ffff"]

each_history = pytest.mark.parametrize("history", HISTORIES)


def facts(info: TermInfo) -> tuple[float, ...]:
    return (
        info.weight(),
        info.doc_frequency(),
        info.min_length(),
        info.max_length(),
        info.max_weight(),
        info.min_id(),
        info.max_id(),
    )


@each_history
def test_terms_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    assert list(ours.indexed_field_names()) == list(theirs.indexed_field_names()) == sorted(NAMES)
    assert list(ours.all_terms()) == list(theirs.all_terms())
    for name in NAMES:
        assert list(ours.lexicon(name)) == list(theirs.lexicon(name))
        assert list(ours.field_terms(name)) == list(theirs.field_terms(name))


@each_history
def test_terms_begin_where_whoosh_begins(history: str) -> None:
    ours, theirs = readers(history)
    for name in NAMES:
        for start in ["a", "bé", "größe", "e" * 9, *MISSING]:
            assert list(ours.terms_from(name, start)) == list(theirs.terms_from(name, start))
            assert list(ours.expand_prefix(name, start)) == list(theirs.expand_prefix(name, start))


@each_history
def test_statistics_of_every_term_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    for name, text in theirs.all_terms():
        assert facts(ours.term_info(name, text)) == facts(theirs.term_info(name, text))
        assert ours.frequency(name, text) == theirs.frequency(name, text)
        assert ours.doc_frequency(name, text) == theirs.doc_frequency(name, text)
        assert ours.first_id(name, text) == theirs.first_id(name, text)
        assert (name, text) in ours


@pytest.mark.parametrize("history", ["fresh", "edited", "canonical_then_edited"])
def test_statistics_of_terms_of_many_blocks_are_those_of_whoosh(history: str) -> None:
    ours, theirs = uneven(history).ours.reader(), uneven(history).theirs.reader()
    for text in theirs.lexicon("body"):
        assert facts(ours.term_info("body", text)) == facts(theirs.term_info("body", text))


@each_history
def test_walks_over_terms_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)

    def pairs(items: Iterable[tuple[object, TermInfo]]) -> list[tuple[object, tuple[float, ...]]]:
        return [(term, facts(info)) for term, info in items]

    assert pairs(ours) == pairs(theirs)
    assert pairs(ours.iter_from("doc", "c")) == pairs(theirs.iter_from("doc", "c"))
    assert pairs(ours.iter_field("body", "b")) == pairs(theirs.iter_field("body", "b"))
    assert pairs(ours.iter_prefix("tags", "a")) == pairs(theirs.iter_prefix("tags", "a"))


@each_history
def test_terms_that_no_live_chunk_holds_are_not_there(history: str) -> None:
    ours, theirs = readers(history)
    dead_only = set(_stored_terms(small(history).snapshot, 0)) - set(theirs.lexicon("body"))
    assert dead_only or history in {"fresh", "canonical"}
    for text in [*dead_only, *(text.encode() for text in MISSING)]:
        assert ("body", text) not in ours
        assert ours.doc_frequency("body", text) == theirs.doc_frequency("body", text) == 0
        assert ours.frequency("body", text) == theirs.frequency("body", text) == 0
        for ask in (ours.term_info, ours.postings, ours.first_id):
            with pytest.raises(TermNotFound):
                ask("body", text)


def _stored_terms(snapshot: Snapshot, field: int) -> Iterator[bytes]:
    for segment in snapshot.segments:
        for page, _ in segment.reader.field(field).terms.pages_from(b""):
            yield from page.terms


@each_history
def test_documents_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    assert ours.doc_count() == ours.doc_count_all() == theirs.doc_count()
    assert list(ours.all_doc_ids()) == list(theirs.all_doc_ids())
    assert list(ours.all_stored_fields()) == list(theirs.all_stored_fields())
    assert list(ours.iter_docs()) == list(theirs.iter_docs())
    assert not ours.has_deletions()
    assert not any(map(ours.is_deleted, ours.all_doc_ids()))


@each_history
def test_field_lengths_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    for name in NAMES:
        assert ours.field_length(name) == theirs.field_length(name) > 0
        assert ours.min_field_length(name) == theirs.min_field_length(name) == 0
        assert ours.max_field_length(name) == theirs.max_field_length(name) > 0
        for document in theirs.all_doc_ids():
            # Whoosh forgets its default where a document has no such field but others do
            length = theirs.doc_field_length(document, name)
            expected = -3 if length is None else length
            assert ours.doc_field_length(document, name, -3) == expected


@each_history
def test_nearby_words_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    random = Random(41)
    found = 0
    for word in random.sample(small(history).words, 60):
        letters = [letter for letter in word if random.random() < 0.9]
        random.shuffle(letters[-2:])
        wrong = "".join(letters) or "x"
        distance, shared = random.randint(0, 3), random.randint(0, min(2, len(wrong)))
        near = list(ours.terms_within("body", wrong, distance, prefix=shared))
        assert near == list(theirs.terms_within("body", wrong, distance, prefix=shared))
        found += len(near)
    assert found > 300


@each_history
def test_suggestions_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    for word in ("abcdd", "grösse", "日", "xyz", "naivé"):
        for name in NAMES:
            sides = [side.corrector(name).suggest(word, limit=9) for side in (ours, theirs)]
            assert sides[0] == sides[1]
    twins = small(history)
    assert twins.ours.suggest("body", "grösse") == twins.theirs.suggest("body", "grösse") != []


@each_history
def test_corrected_queries_are_those_of_whoosh(history: str) -> None:
    twins = small(history)
    text = f"grösse {twins.words[0]}q"
    query = QueryParser("body", twins.ours.schema).parse(text)
    sides = [side.correct_query(query, text) for side in (twins.ours, twins.theirs)]
    assert sides[0].string == sides[1].string != text
    assert sides[0].query == sides[1].query


@each_history
def test_leading_terms_are_those_of_whoosh(history: str) -> None:
    ours, theirs = readers(history)
    for prefix in ("", "a", "nowhere"):
        got = ours.most_frequent_terms("body", 9, prefix)
        assert got == theirs.most_frequent_terms("body", 9, prefix)
        got = ours.most_distinctive_terms("body", 9, prefix)
        assert got == theirs.most_distinctive_terms("body", 9, prefix)


@pytest.mark.parametrize("field", ["nothing", "path"])
def test_fields_without_terms_fail_as_in_whoosh(field: str) -> None:
    ours, theirs = readers("edited")
    for side in (ours, theirs):
        assert field in ours.schema or (field, "a") not in side
        for ask in (side.term_info, side.doc_frequency, side.frequency, side.terms_from):
            with pytest.raises(TermNotFound):
                ask(field, "a")
        with pytest.raises(TermNotFound):
            side.lexicon(field)
        assert side.field_length(field) == 0
        assert side.doc_field_length(0, field, 5) == 5


def test_there_are_no_vectors_and_no_columns() -> None:
    ours, theirs = readers("edited")
    assert ours.has_vector(0, "body") == theirs.has_vector(0, "body") is False
    assert ours.has_column("body") is False
    with pytest.raises(InvalidInputError, match="vectors"):
        ours.vector(0, "body")


def test_reader_is_one_leaf_of_its_generation() -> None:
    ours, _ = readers("edited")
    assert ours.is_atomic()
    assert ours.leaf_readers() == [(ours, 0)]
    assert ours.generation() == small("edited").snapshot.generation
    assert repr(ours) == f"SnapshotReader(generation={ours.generation()})"


def test_unknown_document_is_refused() -> None:
    ours, _ = readers("edited")
    for document in (-1, ours.doc_count_all()):
        with pytest.raises(IndexError):
            ours.stored_fields(document)


def test_closed_reader_refuses_and_leaves_the_snapshot_open() -> None:
    twins = small("edited")
    reader = SnapshotReader(twins.snapshot)
    reader.close()
    questions = [
        lambda: ("body", "a") in reader,
        lambda: reader.term_info("body", "a"),
        lambda: reader.postings("body", "a"),
        lambda: reader.lexicon("body"),
        lambda: list(reader.all_terms()),
        lambda: reader.stored_fields(0),
        reader.doc_count,
        reader.has_deletions,
        reader.close,
    ]
    for question in questions:
        with pytest.raises(ReaderClosed):
            question()
    assert SnapshotReader(twins.snapshot).doc_count() == twins.ours.doc_count()


def test_forgotten_terms_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    twins: Twins = small("canonical_then_edited")
    monkeypatch.setattr(whoosh_reader, "_REMEMBERED", 200)
    reader = SnapshotReader(twins.snapshot)
    for _ in range(2):
        for name, text in twins.theirs.reader().all_terms():
            expected = twins.theirs.reader().doc_frequency(name, text)
            assert reader.doc_frequency(name, text) == expected
            assert len(reader._terms) <= 200 // 16
