"""Words given with frequencies are the same as words given one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format.errors import InvalidInputError
from index_format.generation.writer import build_segment
from index_format.model import Chunk, ChunkTokens, Document, Tokens, Vocabulary
from index_format.segment.inverter import check_document
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import SCHEMA, index_in

WORDS = [b"a", b"b", b"b\0", b"sixteen bytes or", b"sixteen bytes or more", b"\xff"]
ENTRIES = st.lists(st.tuples(st.integers(0, len(WORDS) - 1), st.integers(1, 300)), max_size=12)
CHUNKS = st.lists(st.tuples(ENTRIES, st.sampled_from(["plain", "counted", "summed"])), max_size=5)


def numbers(values: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.array(values, dtype=np.uint32)


def vocabulary() -> Vocabulary:
    made = Vocabulary()
    made.tokens(WORDS)
    return made


def tokens(entries: Sequence[tuple[int, int]], form: str) -> Tokens:
    """The same words one by one, as they are given, or each word once."""
    words, counts = [word for word, _ in entries], [count for _, count in entries]
    if form == "plain":
        return Tokens(np.repeat(numbers(words), counts))
    if form == "summed":
        sums: Counter[int] = Counter()
        for word, count in entries:
            sums[word] += count
        words, counts = list(sums), list(sums.values())
    return Tokens(numbers(words), frequencies=numbers(counts))


def segment(files: Sequence[Sequence[tuple[Sequence[tuple[int, int]], str]]]) -> dict[str, bytes]:
    store = MemoryStore()
    documents = [
        Document(f"f{at}", [Chunk(1, 1, {"name": tokens(*chunk)}) for chunk in chunks])
        for at, chunks in enumerate(files)
    ]
    entry = build_segment(store, SCHEMA, documents, vocabulary())
    return {entry.name: store.open(entry.name).read(0, entry.length)}


@given(st.lists(CHUNKS, min_size=1, max_size=4))
def test_either_form_gives_the_same_bytes(
    files: list[list[tuple[list[tuple[int, int]], str]]],
) -> None:
    """Each form alone, and all of them mixed within a batch."""
    forms = {
        form: segment([[(entries, form) for entries, _ in chunks] for chunks in files])
        for form in ("plain", "counted", "summed")
    }
    assert forms["counted"] == forms["plain"]
    assert forms["summed"] == forms["plain"]
    assert segment(files) == forms["plain"]


def column(chunks: Sequence[Sequence[tuple[int, int]]], form: str) -> ChunkTokens:
    """The tokens of all chunks at once."""
    parts = [tokens(entries, form) for entries in chunks]
    words = np.concatenate([numbers([]), *(part.words for part in parts)])
    counts = [part.frequencies for part in parts if part.frequencies is not None]
    return ChunkTokens(
        Tokens(words, frequencies=np.concatenate([numbers([]), *counts]) if counts else None),
        [len(part.words) for part in parts],
    )


@given(
    st.lists(st.tuples(st.lists(ENTRIES, max_size=5), st.booleans()), min_size=1, max_size=4),
    st.sampled_from(["plain", "counted", "summed"]),
)
def test_a_column_gives_the_bytes_of_its_chunks(
    files: list[tuple[list[list[tuple[int, int]]], bool]], form: str
) -> None:
    """Of all documents, or of some among others."""
    store = MemoryStore()
    documents = [
        Document(
            f"f{at}", [Chunk(1, 1, {}) for _ in chunks], columns={"name": column(chunks, form)}
        )
        if is_column
        else Document(f"f{at}", [Chunk(1, 1, {"name": tokens(one, form)}) for one in chunks])
        for at, (chunks, is_column) in enumerate(files)
    ]
    entry = build_segment(store, SCHEMA, documents, vocabulary())
    found = {entry.name: store.open(entry.name).read(0, entry.length)}
    assert found == segment([[(one, form) for one in chunks] for chunks, _ in files])


@pytest.mark.parametrize(
    ("field", "given_column", "message"),
    [
        ("name", ChunkTokens(Tokens(numbers([0, 1])), [1]), "a count for each chunk"),
        ("name", ChunkTokens(Tokens(numbers([0, 1])), [1, 2]), "those of its words"),
        ("name", ChunkTokens(Tokens(numbers([0, 1])), [3, -1]), "those of its words"),
        ("name", ChunkTokens(Tokens(numbers([6, 1])), [1, 1]), "beyond the vocabulary's 6"),
        ("body", ChunkTokens(Tokens(numbers([0, 1])), [1, 1]), "chunk by chunk"),
        ("other", ChunkTokens(Tokens(numbers([0, 1])), [1, 1]), "a known field"),
    ],
)
def test_a_column_of_other_chunks_or_words_is_refused(
    field: str, given_column: ChunkTokens, message: str
) -> None:
    bad = Document("bad.py", [Chunk(1, 1, {}), Chunk(1, 1, {})], columns={field: given_column})
    with pytest.raises(InvalidInputError, match=message):
        check_document(bad, SCHEMA, vocabulary())
    with pytest.raises(InvalidInputError, match=message):
        build_segment(MemoryStore(), SCHEMA, [bad], vocabulary())


def test_a_field_in_a_column_and_in_a_chunk_is_refused() -> None:
    one = Tokens(numbers([0]))
    bad = Document("bad.py", [Chunk(1, 1, {"name": one})], columns={"name": ChunkTokens(one, [1])})
    with pytest.raises(InvalidInputError, match="in a column or in chunks"):
        build_segment(MemoryStore(), SCHEMA, [bad], vocabulary())


def test_frequencies_are_found_again_and_counted_in_lengths() -> None:
    store = MemoryStore()
    with index_in(store).writer() as writer:
        words = writer.vocabulary.tokens(["foo", "bar", "foo"]).words
        counted = Tokens(words, frequencies=numbers([2, 1, 40]))
        writer.add(Document("a", [Chunk(1, 1, {}), Chunk(2, 3, {"name": counted})]))
        snapshot = writer.commit()
    found = snapshot.postings(1, b"foo")
    assert snapshot.counts(found) == (1, 42)
    assert [column.tolist() for column in found[0].postings.all()] == [[1], [42]]
    assert snapshot.token_count(1) == 43
    assert snapshot.codes(1)[1] > snapshot.codes(1)[0]


@pytest.mark.parametrize(
    ("field", "given_tokens", "message"),
    [
        ("name", Tokens(numbers([0, 1]), frequencies=numbers([1, 0])), "1 or more, not 0"),
        ("name", Tokens(numbers([0, 1]), frequencies=numbers([1])), "as many as words"),
        ("name", Tokens(numbers([0]), frequencies=numbers([1, 1])), "as many as words"),
        ("body", Tokens(numbers([0]), frequencies=numbers([1])), "without positions"),
        ("name", Tokens(numbers([0]), numbers([0]), numbers([1])), "have no positions"),
        ("name", Tokens(numbers([0, 0]), frequencies=numbers([1 << 31] * 2)), "than 2\\*\\*32"),
        ("name", Tokens(numbers([6]), frequencies=numbers([1])), "beyond the vocabulary's 6"),
    ],
)
def test_what_can_not_be_counted_is_refused(field: str, given_tokens: Tokens, message: str) -> None:
    """By the writer and by `build_segment`, which names the file as well."""
    good = Document("good", [Chunk(1, 1, {"name": Tokens(numbers([1]))})])
    bad = Document("bad.py", [Chunk(1, 1, {}), Chunk(1, 1, {field: given_tokens})])
    with pytest.raises(InvalidInputError, match=f"bad.py: {field}: .*{message}"):
        check_document(bad, SCHEMA, vocabulary())
    store = MemoryStore()
    with pytest.raises(InvalidInputError, match=f"bad.py: {field}: .*{message}"):
        build_segment(store, SCHEMA, [good, bad], vocabulary())
    assert store.names() == []


def test_lengths_that_cancel_out_in_the_sum_are_refused() -> None:
    """One chunk has a frequency too many, the next one too few."""
    chunks = [
        Chunk(1, 1, {"name": Tokens(numbers([0, 1]), frequencies=numbers([1]))}),
        Chunk(2, 2, {"name": Tokens(numbers([0]), frequencies=numbers([1, 1]))}),
    ]
    with pytest.raises(InvalidInputError, match="as many as words"):
        build_segment(MemoryStore(), SCHEMA, [Document("bad", chunks)], vocabulary())


def test_a_writer_buffers_counted_words_as_entries() -> None:
    """A word that counts a million times takes no more room than one that counts once."""
    store = MemoryStore()
    with index_in(store).writer(memory=1 << 20) as writer:
        words = writer.vocabulary.tokens(["foo"]).words
        counted = Tokens(words, frequencies=numbers([1_000_000]))
        writer.add(Document("a", [Chunk(1, 1, {"name": counted})]))
        assert store.names() == []  # nothing had to be written out
        assert writer.commit().token_count(1) == 1_000_000
