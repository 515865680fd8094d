"""A snapshot as Whoosh sees it: its schema, and the little that an index may hold."""

from __future__ import annotations

import numpy as np
import pytest
from whoosh import query as q
from whoosh.fields import ID, STORED, TEXT, FieldType, Schema as WhooshSchema
from whoosh.qparser import QueryParser
from whoosh.scoring import BM25F

from index_format.errors import InvalidInputError
from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.model import Field, Limits, Schema
from index_format.store.memory_store import MemoryStore
from index_format.whoosh_bridge.reader import SnapshotReader, schema_of, searcher
from tests.index_format.twins import write


@pytest.fixture
def tiny() -> Snapshot:
    index = Index(MemoryStore(), Schema((Field("path"), Field("tags", positions=False))))
    words = {"path": ["a", "b"], "tags": ["c"]}
    write(index, {"x/a.py": [words, {"path": ["b"], "tags": ["d", "d"]}], "y.py": [words]})
    return index.snapshot()


def test_schema_made_from_a_snapshot_has_its_fields_and_what_is_stored(tiny: Snapshot) -> None:
    schema = schema_of(tiny)
    assert schema.names() == ["chunk_id", "end_line", "path", "start_line", "tags"]
    assert [schema[name].format is not None for name in schema.names()] == [0, 0, 1, 0, 1]
    assert schema["path"].format.supports("positions")
    assert not schema["tags"].format.supports("positions")


def test_searcher_needs_no_more_than_a_snapshot(tiny: Snapshot) -> None:
    with searcher(tiny) as made:
        assert isinstance(made.weighting, BM25F)
        (hit,) = made.search(QueryParser("path", made.schema).parse('"a b" tags:c'), limit=1)
        where = {"path": "x/a.py", "start_line": 1, "end_line": 10, "chunk_id": 7}
        assert hit.fields() == where
        assert made.document(tags="d")["start_line"] == 11
    assert made.ixreader.is_closed


def test_searcher_takes_another_scorer(tiny: Snapshot) -> None:
    weighting = BM25F(B=0.1)
    assert searcher(tiny, weighting=weighting).weighting is weighting


def test_fields_that_a_schema_leaves_out_are_not_there(tiny: Snapshot) -> None:
    reader = SnapshotReader(tiny, WhooshSchema(tags=TEXT(phrase=False), path=STORED()))
    assert reader.indexed_field_names() == ["tags"]
    assert list(reader.all_terms()) == [("tags", b"c"), ("tags", b"d")]
    assert reader.stored_fields(2) == {"path": "y.py"}


def test_fields_that_a_snapshot_lacks_are_empty(tiny: Snapshot) -> None:
    made = searcher(tiny, WhooshSchema(tags=TEXT(phrase=False), more=TEXT()))
    assert list(made.reader().lexicon("more")) == []
    assert made.reader().doc_frequency("more", "a") == 0
    assert made.search(q.Or([q.Term("more", "c"), q.Term("tags", "c")])).docs() == {0, 2}


def test_positions_may_go_unused(tiny: Snapshot) -> None:
    made = searcher(tiny, WhooshSchema(path=TEXT(phrase=False)))
    assert not made.postings("path", "a").supports("positions")
    with pytest.raises(q.QueryError):
        made.search(q.Phrase("path", ["a", "b"]))


@pytest.mark.parametrize(
    "field",
    [TEXT(phrase=True), TEXT(chars=True), TEXT(phrase=False, field_boost=2.0), ID()],
    ids=["positions", "characters", "boost", "existence"],
)
def test_schema_that_asks_for_more_than_is_stored_is_refused(
    tiny: Snapshot, field: FieldType
) -> None:
    with pytest.raises(InvalidInputError, match="'tags' can't be read as"):
        SnapshotReader(tiny, WhooshSchema(tags=field))


def test_index_without_chunks_answers_nothing() -> None:
    index = Index(MemoryStore(), Schema((Field("body"),)))
    write(index, {"empty.py": []})
    made = searcher(index.snapshot())
    reader = made.reader()
    assert (reader.doc_count(), reader.field_length("body")) == (0, 0)
    assert (reader.min_field_length("body"), reader.max_field_length("body")) == (0, 0)
    assert list(reader.all_terms()) == []
    assert list(reader.terms_within("body", "a", 2)) == []
    assert made.search(q.Every()).top_n == []
    assert made.search(q.Term("body", "a")).top_n == []


def test_index_without_files_answers_nothing() -> None:
    index = Index(MemoryStore(), Schema((Field("body"),)))
    write(index, {"a.py": [{"body": ["a"]}]})
    write(index, {}, ["a.py"])
    made = searcher(index.snapshot())
    assert list(made.lexicon("body")) == []
    assert made.search(q.Every("body")).top_n == []
    assert made.doc_count_all() == 0


def test_numbers_are_those_of_the_snapshot_when_its_segments_follow_each_other() -> None:
    index = Index(MemoryStore(), Schema((Field("body"),)), limits=Limits(2, 4, 1))
    names = [f"{at:02}" for at in range(20)]
    write(index, {name: [{"body": ["a", name]}] for name in names})
    index.compact(full=True)
    snapshot = index.snapshot()
    assert len(snapshot.segments) > 3
    made = searcher(snapshot)
    assert made.reader()._numbering.is_identity
    hits = [made.search(q.Term("body", name)).docs() for name in names]
    assert hits == [{at} for at in range(20)]
    assert np.array_equal(list(made.postings("body", "a").all_ids()), range(20))
