"""Terms that contain, begin with or equal a text, and their chunks, against reading all terms."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from index_format import Edge, Snapshot, TermColumns, TermLines, TermSearch, TermText
from index_format.query import term_search
from index_format.segment.reader import SegmentReader
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import add_all, index_in

TERMS = st.lists(
    st.text("as\u017fé_", min_size=1, max_size=9), min_size=1, max_size=60, unique=True
)
EDGES = st.sampled_from([Edge.OPEN, Edge.SOFT, Edge.CLOSED])
TEXTS = st.text("asé_", min_size=1, max_size=3)


def snapshot_of(terms: Sequence[str], chunks: Sequence[Sequence[str]] = ()) -> Snapshot:
    """One segment with these terms, all in one chunk unless it is said in which."""
    index = index_in(MemoryStore())
    with index.writer() as writer:
        add_all(writer, {"a": [{"body": " ".join(some)} for some in (chunks or [terms])]})
        writer.commit()
    return index.snapshot()


def names(reader: SegmentReader, columns: TermColumns | None) -> list[bytes] | None:
    """The terms by where their postings are."""
    if columns is None:
        return None
    terms = reader.field(0).terms
    every = [
        (term, page.entry(at))
        for page, _ in terms.pages_from(b"")
        for at, term in enumerate(page.terms)
    ]
    by_place = {(entry.chunks, entry.first_block, *entry.tail): term for term, entry in every}
    return sorted(
        by_place[row] for row in zip(*(column.tolist() for column in columns), strict=True)
    )


def fits(term: str, what: TermText) -> bool:
    text, size = what.text, len(what.text)
    return any(
        term[at : at + size] == text
        and _may_stand(term[:at][-1:], what.left)
        and _may_stand(term[at + size :][:1], what.right)
        for at in range(len(term))
    )


def _may_stand(beside: str, edge: Edge) -> bool:
    return not beside or edge == Edge.OPEN or (edge == Edge.SOFT and not beside.isascii())


def kinds(search: TermSearch) -> tuple[TermLines, TermLines]:
    found = search.split()
    if found is None:
        pytest.skip("nothing is compiled")
    return found


def is_part(term: bytes) -> bool:
    return b"_" not in term and term.isascii()


def is_beyond(term: bytes) -> bool:
    return not term.isascii()


@settings(deadline=None)
@example(terms=["_éé"], text="_éé", left=Edge.OPEN, right=Edge.OPEN, size=3)
@given(terms=TERMS, text=TEXTS, left=EDGES, right=EDGES, size=st.sampled_from([3, 7, 1 << 20]))
def test_all_terms_with_a_text_are_found_in_any_pieces(
    *, terms: list[str], text: str, left: Edge, right: Edge, size: int
) -> None:
    what = TermText(text, left, right)
    snapshot = snapshot_of(terms)
    reader = snapshot.segments[0].reader
    wanted = sorted(term.encode() for term in terms if fits(term, what))
    with pytest.MonkeyPatch.context() as small:
        small.setattr(term_search, "_BYTES_AT_ONCE", size)
        small.setattr(term_search, "_PLACES_AT_ONCE", 3)
        search = TermSearch(reader, 0)
        assert names(reader, search.containing(what, 999)) == wanted
        kept = search.containing(what, 999, lambda term: b"_" not in term)
        assert names(reader, kept) == [term for term in wanted if b"_" not in term]
        for lines, is_kind in zip(kinds(search), (is_part, is_beyond), strict=True):
            found = lines.containing(what, 999)
            assert found is not None
            here = sorted(lines.term(number) for number in found.tolist())
            assert here == [term for term in wanted if is_kind(term)]
            assert names(reader, search.on_lines(lines, found)) == here


@settings(deadline=None)
@given(terms=TERMS, text=TEXTS)
def test_terms_that_begin_with_a_text_or_equal_it(terms: list[str], text: str) -> None:
    snapshot = snapshot_of(terms)
    reader = snapshot.segments[0].reader
    search = TermSearch(reader, 0)
    data = text.encode()
    wanted = sorted(term.encode() for term in terms if term.startswith(text))
    assert names(reader, search.beginning(data, 999)) == wanted
    assert names(reader, search.equal([data, b"nowhere"])) == [
        term for term in wanted if term == data
    ]
    for lines, is_kind in zip(kinds(search), (is_part, is_beyond), strict=True):
        begun = [lines.term(number) for number in lines.beginning(data).tolist()]
        assert begun == [term for term in wanted if is_kind(term)]


@settings(deadline=None)
@given(terms=TERMS, text=TEXTS)
def test_a_text_in_any_case_is_found_in_lines(terms: list[str], text: str) -> None:
    lines = TermLines(sorted(term.encode() for term in terms))
    what = TermText(text.upper(), any_case=True)
    folded = str.maketrans("\u017f", "s")
    found = lines.containing(what, 999)
    assert found is not None
    held = [lines.term(number).decode() for number in found.tolist()]
    assert held == sorted(
        term for term in terms if text.translate(folded) in term.translate(folded)
    )


def test_too_many_terms_are_none() -> None:
    snapshot = snapshot_of([f"a{number}" for number in range(30)])
    search = TermSearch(snapshot.segments[0].reader, 0)
    assert search.containing(TermText("a"), 10) is None
    assert search.containing(TermText("a"), 30) is not None
    lines, _ = kinds(search)
    assert lines.containing(TermText("a"), 29) is None


def test_terms_beyond_ascii_are_found_in_any_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [
        word
        for n in range(300)
        for word in (f"w\u00f6r{n}", f"\u00e9{n}", f"plain{n}", f"\u00e7a{n}\u00e9")
    ]
    snapshot = snapshot_of(words)
    reader = snapshot.segments[0].reader
    wanted = sorted(word.encode() for word in words if not word.isascii())
    monkeypatch.setattr(term_search, "_PLACES_AT_ONCE", 3)
    for size in (1, 7, 1 << 20):
        monkeypatch.setattr(term_search, "_BYTES_AT_ONCE", size)
        lines = TermSearch(reader, 0).beyond_ascii()
        assert [lines.term(number) for number in range(lines.count)] == wanted


@pytest.mark.parametrize(
    "ask",
    [
        lambda search, stop: search.beyond_ascii(stop),
        lambda search, stop: search.containing(TermText("a"), 9, check=stop),
    ],
)
def test_what_nobody_waits_for_is_stopped(
    ask: Callable[[TermSearch, Callable[[], None]], object],
) -> None:
    snapshot = snapshot_of([f"\u00e9{number}" for number in range(300)])
    search = TermSearch(snapshot.segments[0].reader, 0)

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        ask(search, stop)


def test_chunks_of_many_terms_are_those_of_each() -> None:
    chance = random.Random(3)
    words = [f"w{number}" for number in range(400)]
    chunks = [chance.sample(words, chance.choice([1, 30, 390])) for _ in range(600)]
    snapshot = snapshot_of(words, chunks)
    reader = snapshot.segments[0].reader
    field, search = reader.field(0), TermSearch(reader, 0)
    for size in (1, 7, 50, 400):
        some = [word.encode() for word in chance.sample(words, size)]
        held = np.zeros(reader.chunk_count, dtype=np.bool_)
        search.mark(held, search.equal(some))
        alone = np.zeros_like(held)
        for entry in filter(None, map(field.terms.find, some)):
            alone[field.lists.term(entry).all()[0]] = True
        assert held.any()
        assert np.array_equal(held, alone)
