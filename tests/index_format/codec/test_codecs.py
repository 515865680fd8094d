"""Encoding and decoding are inverse at every edge: integers, postings, positions, dictionaries."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from index_format.codec import bits, decoding, positions, postings, wire
from index_format.codec.frame import FramedFile, FrameWriter
from index_format.codec.terms import TermBatch, TermDictionary, TermWriter
from index_format.errors import CorruptIndexError
from index_format.layout import (
    BLOCK,
    BLOCK_WIDTHS,
    MAX_CHUNKS_PER_SEGMENT,
    PAGES_PER_GROUP,
    TERMS_PER_PAGE,
    SectionTag,
)
from index_format.native import NATIVE
from index_format.segment.posting_lists import PostingLists
from index_format.segment.writer import TermSlice, encode_slice
from index_format.store.memory_store import MemoryStore

CHUNKS = MAX_CHUNKS_PER_SEGMENT - 1
EDGES = (1, 127, 128, 129, 255, 256, 257)
# numbers around powers of two, where widths change
AROUND = [2**n + d for n in (1, 4, 7, 8, 15, 16, 27, 31) for d in (-1, 0, 1)]
STEPS = (1, 2, 100, 2**16, 2**32)

Decode = Callable[..., tuple[bits.U32, bits.U32]]

needs_compiled = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")


@given(st.lists(st.integers(0, 2**63 - 1) | st.sampled_from(AROUND)))
def test_varints_come_back(numbers: list[int]) -> None:
    data = wire.encode_varints(np.array(numbers, dtype=np.uint64))
    assert wire.decode_varints(data, len(numbers)).tolist() == numbers
    assert len(data) == wire.varint_lengths(np.array(numbers, dtype=np.uint64)).sum()


@given(st.binary(max_size=40), st.integers(0, 12))
def test_varints_are_refused_or_as_many_as_asked(data: bytes, count: int) -> None:
    try:
        numbers = wire.decode_varints(data, count)
    except wire.MalformedError:
        return
    assert len(numbers) == count
    assert (numbers < 2**63).all()
    assert len(wire.encode_varints(numbers)) <= len(data)


@pytest.mark.parametrize("data", [b"\xff" * 9 + b"\x01", b"\x80" * 10 + b"\x00", b"\x80", b"1"])
def test_varints_that_no_encoder_writes_are_refused(data: bytes) -> None:
    with pytest.raises(wire.MalformedError):
        wire.decode_varints(data, 1 if data != b"1" else 2)


@given(st.sampled_from(BLOCK_WIDTHS[1:]), st.integers(1, 5), st.integers(0, 2**32))
def test_rows_come_back(width: int, count: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 1 << width, (count, BLOCK))
    blocks = values.astype(np.uint32)
    assert np.array_equal(bits.unpack_rows(bits.pack_rows(blocks, width), width), blocks)


@given(st.lists(st.tuples(st.integers(0, 57), st.integers(0, 2**57 - 1))))
def test_runs_of_any_width_come_back(pairs: list[tuple[int, int]]) -> None:
    widths = np.array([width for width, _ in pairs], dtype=np.int64)
    values = np.array([value & ((1 << width) - 1) for width, value in pairs], dtype=np.uint64)
    offsets = bits.exclusive_sum(widths)
    size = int(offsets[-1] + 7) // 8
    data = bits.words_to_bytes(bits.pack_runs(size, offsets[:-1], widths, values), size)
    found = bits.unpack_runs(bits.padded(data), offsets[:-1], widths)
    assert np.array_equal(found, values)


def frame_of(batch: TermBatch, sections: Mapping[SectionTag, bytes]) -> FramedFile:
    """A file with the sections of one field."""
    terms = TermWriter()
    text, info = terms.add(batch)
    last_text, last_info, index, groups = terms.finish()
    every = {
        **sections,
        SectionTag.TERM_TEXTS: text + last_text,
        SectionTag.TERM_INFO: info + last_info,
        SectionTag.TERM_INDEX: index,
        SectionTag.TERM_GROUPS: groups,
    }
    store = MemoryStore()
    writer = FrameWriter(store)
    for tag, data in sorted(every.items()):
        writer.section(tag, 0, [data])
    return FramedFile(store.open(writer.finish().name))


Lists = list[list[tuple[int, int]]]  # per term: chunks and frequencies


def names(count: int) -> list[bytes]:
    return [f"{number:05}".encode() for number in range(count)]


def written(lists: Lists, places: list[int] | None) -> tuple[postings.Batch, FramedFile]:
    pairs = [pair for item in lists for pair in item]
    batch = postings.Batch(
        np.array([len(item) for item in lists], dtype=np.int64),
        np.array([chunk for chunk, _ in pairs], dtype=np.uint32),
        np.array([frequency for _, frequency in pairs], dtype=np.uint32),
    )
    codes = np.broadcast_to(np.zeros(1, dtype=np.uint8), (CHUNKS,))
    stored = None if places is None else np.array(places, dtype=np.uint32)
    encoded = encode_slice(TermSlice(names(len(lists)), batch, stored), codes, 0)
    return batch, frame_of(encoded.terms, encoded.sections)


def check_postings(lists: Lists, places: list[int] | None = None) -> None:
    """Write terms, and read them in every way there is."""
    batch, frame = written(lists, places)
    reader = PostingLists(frame, 0, CHUNKS, positions=places is not None)
    terms = TermDictionary(frame, 0)
    end = 0
    for text, item in zip(names(len(lists)), lists, strict=True):
        entry = terms.find(text)
        assert entry is not None
        assert (entry.chunks, entry.occurrences) == (len(item), sum(f for _, f in item))
        found = reader.term(entry)
        chunks, frequencies = found.all()
        assert list(zip(chunks.tolist(), frequencies.tolist(), strict=True)) == item
        if places is not None:
            begin, end = end, end + entry.occurrences
            blocks = found.blocks()[1]
            parts = [found.block_positions(n, blocks[n]) for n in range(len(blocks))]
            assert np.concatenate([*parts, found.tail_positions()]).tolist() == places[begin:end]
    whole, whole_places = reader.page(terms.span(0, terms.page_count))
    assert np.array_equal(batch.counts, whole.counts)
    assert np.array_equal(batch.chunks, whole.chunks)
    assert np.array_equal(batch.frequencies, whole.frequencies)
    assert (None if whole_places is None else whole_places.tolist()) == places


@pytest.mark.differential
@pytest.mark.parametrize("count", EDGES)
@pytest.mark.parametrize("gap", [0, 1, 255, 256, 65_535, 65_536, 2**20])
@pytest.mark.parametrize("frequency", [1, 2, 16, 17, 65_535, 65_536, 2**32 - 1])
def test_postings_come_back_at_the_edges(count: int, gap: int, frequency: int) -> None:
    chunks = [number * (gap + 1) for number in range(count - 1)] + [CHUNKS - 1]
    often = [frequency if at % 64 in (0, 63) else 1 for at in range(count)]
    check_postings([list(zip(chunks, often, strict=True)), [(7, 1)]])


@st.composite
def posting_lists(draw: st.DrawFn, frequencies: st.SearchStrategy[int]) -> Lists:
    """Few terms with many chunks; long lists come from seeds, for speed."""
    lists: Lists = []
    for _ in range(draw(st.integers(1, 4))):
        count = draw(st.sampled_from(EDGES) | st.integers(1, 20))
        chance = np.random.default_rng(draw(st.integers(0, 2**32)))
        widest = draw(st.sampled_from([1, 3, 200, 70_000, CHUNKS // count]))
        gaps = chance.integers(0, widest, count)
        chunks = np.minimum(np.cumsum(gaps + 1) - 1, CHUNKS - 1 - np.arange(count)[::-1])
        some = draw(st.lists(frequencies, min_size=1, max_size=5))
        lists.append([(chunk, some[n % len(some)]) for n, chunk in enumerate(chunks.tolist())])
    return lists


@pytest.mark.differential
@given(posting_lists(st.sampled_from([1, 2, 3, 4, 5, 16, 17, 2**16, 2**31])))
def test_postings_come_back(lists: Lists) -> None:
    check_postings(lists)


@needs_compiled
@given(posting_lists(st.sampled_from([1, 2, 3, 200, 256, 257, 2**32 - 1])), st.integers(0, 2**32))
def test_compiled_code_writes_the_same_postings(lists: Lists, seed: int) -> None:
    kept = [[(chunk % 2**20, often) for chunk, often in item] for item in lists]
    pairs = [sorted(dict(item).items()) for item in kept]
    chunks, often = zip(*(pair for item in pairs for pair in item), strict=True)
    batch = postings.Batch(
        np.array([len(item) for item in pairs], dtype=np.int64),
        np.array(chunks, dtype=np.uint32),
        np.array(often, dtype=np.uint32),
    )
    codes = np.random.default_rng(seed).integers(0, 256, 2**20).astype(np.uint8)
    plain = postings.encode(batch, codes, seed % 1000, None)
    compiled = postings.encode(batch, codes, seed % 1000)
    assert compiled.meta.tobytes() == plain.meta.tobytes()
    assert (compiled.rows, compiled.tails) == (plain.rows, plain.tails)
    assert np.array_equal(compiled.tail_lengths, plain.tail_lengths)


@needs_compiled
@pytest.mark.parametrize("chunks", [[1, 1], [2, 1], [0, 5]])
def test_compiled_code_writes_no_postings_that_do_not_ascend(chunks: list[int]) -> None:
    ones = np.ones(2, dtype=np.uint32)
    batch = postings.Batch(np.array([2]), np.array(chunks, dtype=np.uint32), ones)
    with pytest.raises(ValueError, match="stored"):
        postings.encode(batch, np.zeros(5, dtype=np.uint8), 0)


@given(posting_lists(st.integers(1, 6)), st.integers(0, 2**32), st.sampled_from(STEPS))
def test_positions_come_back(lists: Lists, seed: int, step: int) -> None:
    chance = np.random.default_rng(seed)
    places: list[int] = []
    for _, frequency in (pair for item in lists for pair in item):
        places += np.sort(chance.integers(0, step, frequency)).tolist()
    check_postings(lists, places)


@pytest.mark.parametrize("places", [[0], [0, 0, 0], [2**32 - 1], [0, 2**32 - 1], [5, 5, 2**31]])
def test_single_positions_come_back(places: list[int]) -> None:
    check_postings([[(3, len(places))]], places)


def test_equal_and_distant_positions_come_back_in_full_blocks() -> None:
    pairs = [(chunk, 1 + chunk % 3) for chunk in range(300)]
    places = [place for _, count in pairs for place in ([0, 0, 2**32 - 1])[-count:]]
    check_postings([pairs], places)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1), st.integers(1, 9))
def test_groups_of_positions_come_back(gaps: list[int], size: int) -> None:
    counts = [len(gaps[at : at + size]) for at in range(0, len(gaps), size)]
    numbers = np.array(counts, dtype=np.int64)
    data, lengths = positions.encode(np.array(gaps, dtype=np.uint64), numbers)
    starts = bits.exclusive_sum(lengths)
    found, ends = positions.decode(data, starts[:-1], numbers)
    assert found.tolist() == gaps
    assert np.array_equal(ends, starts[1:])


def block_of(decode_blocks: Decode, gap: int, surplus: int) -> None:
    """Decode a block whose second chunk and frequency come from 32 bits each."""
    gaps, more = (np.zeros((1, BLOCK), dtype=np.uint32) for _ in range(2))
    gaps[0, 1], more[0, 1] = gap, surplus
    rows = np.concatenate([bits.pack_rows(part, 32).reshape(-1, 16) for part in (gaps, more)])
    meta = np.zeros(1, dtype=postings.BLOCK_META)
    meta["last"] = (BLOCK - 1 + gap) % 2**32
    meta["widths"] = 0xFF
    decode_blocks(rows, np.zeros(1, dtype=np.int64), meta, np.full(1, -1))


@pytest.mark.parametrize(
    "decode_blocks",
    [decoding.blocks_by_numpy, pytest.param(decoding.blocks_by_compiled, marks=needs_compiled)],
    ids=["plain", "compiled"],
)
def test_block_numbers_that_wrap_around_are_refused(decode_blocks: Decode) -> None:
    block_of(decode_blocks, 5, 5)
    for gap, surplus in ((2**32 - 1, 0), (2**32 - 2, 0), (0, 2**32 - 1)):
        with pytest.raises(wire.MalformedError):
            block_of(decode_blocks, gap, surplus)


def test_a_tail_frequency_of_2_to_the_32nd_is_refused() -> None:
    lengths, one = np.array([5]), np.ones(1, dtype=np.int64)
    assert postings.decode_tails(b"\xe0\xfe\xff\xff\xff", lengths, one)[1].tolist() == [2**32 - 1]
    with pytest.raises(wire.MalformedError):
        postings.decode_tails(b"\xe0\xff\xff\xff\xff", lengths, one)


def test_positions_that_sum_to_2_to_the_32nd_are_refused() -> None:
    gaps, two = np.array([2**32 - 2, 1], dtype=np.uint64), np.array([2], dtype=np.uint32)
    assert positions.decode_gaps(gaps, two).tolist() == [2**32 - 2, 2**32 - 1]
    with pytest.raises(wire.MalformedError):
        positions.decode_gaps(gaps + np.uint64(1), two)


@pytest.mark.parametrize(
    ("count", "tag", "column"),
    [(128, SectionTag.TAILS, "tail_lengths"), (3, SectionTag.POSITIONS, "position_lengths")],
)
def test_a_byte_that_belongs_to_no_posting_is_refused(
    count: int, tag: SectionTag, column: str
) -> None:
    batch = postings.Batch(
        np.array([count]), np.arange(count, dtype=np.uint32), np.ones(count, dtype=np.uint32)
    )
    places = np.zeros(count, dtype=np.uint32)
    encoded = encode_slice(TermSlice([b"a"], batch, places), np.zeros(count, dtype=np.uint8), 0)
    longer = replace(encoded.terms, **{column: getattr(encoded.terms, column) + 1})
    frame = frame_of(longer, {**encoded.sections, tag: encoded.sections[tag] + b"\x00"})
    lists = PostingLists(frame, 0, count, positions=True)
    with pytest.raises(CorruptIndexError, match=tag.decode()):
        lists.page(TermDictionary(frame, 0).page(0))


WORDS = st.lists(st.binary(min_size=1, max_size=6), unique=True, max_size=300).map(sorted)
NUMBERED = [[f"{number:04}".encode() for number in range(n)] for n in (0, 1, 127, 128, 129, 256)]


def dictionary(words: Sequence[bytes]) -> TermDictionary:
    ones = np.ones(len(words), dtype=np.int64)
    batch = TermBatch(words, ones, ones * 2, ones, ones * 3)
    return TermDictionary(frame_of(batch, {}), 0)


def check_dictionary(words: list[bytes], asked: list[bytes]) -> None:
    """Compare with a sorted list."""
    terms = dictionary(words)
    plain = TermDictionary(terms._frame, 0, None)
    assert [terms.find(word) for word in words] == [plain.find(word) for word in words]
    assert (len(terms), terms.page_count) == (len(words), -(-len(words) // TERMS_PER_PAGE))
    for item in (terms, plain):
        assert b"".join(text for _, text, _ in item.joined()) == b"".join(words)
    for word in [*words, *asked]:
        at = bisect_left(words, word)
        entry = terms.find(word)
        assert (entry is not None) == (word in words)
        if entry is not None:
            assert (entry.chunks, entry.tail, entry.positions) == (1, (at, 1), (3 * at, 3))
        since = [term for page, begin in terms.pages_from(word) for term in page.terms[begin:]]
        assert since == words[at:]


@settings(max_examples=60)
@given(WORDS, st.lists(st.binary(max_size=6), max_size=5))
@example(NUMBERED[4], [b"", b"0127", b"01270", b"0128", b"0129", b"\xff"])
def test_dictionaries_answer_like_sorted_lists(words: list[bytes], asked: list[bytes]) -> None:
    check_dictionary(words, asked)


@pytest.mark.parametrize("words", NUMBERED, ids=len)
def test_dictionaries_answer_like_sorted_lists_at_page_edges(words: list[bytes]) -> None:
    check_dictionary(words, [b"", b"0126x", b"0127x", b"0128x", b"9"])


@given(WORDS, st.sets(st.integers(0, 299)))
@example(NUMBERED[5], {0, 127, 128, 255})
def test_columns_of_terms_by_number_are_those_of_their_entries(
    words: list[bytes], numbers: set[int]
) -> None:
    terms = dictionary(words)
    chosen = sorted(number for number in numbers if number < len(words))
    entries = [terms.find(words[number]) for number in chosen]
    wanted = [(e.chunks, e.first_block, *e.tail) for e in entries if e is not None]
    for item in (terms, TermDictionary(terms._frame, 0, None)):
        columns = item.columns(np.array(chosen, dtype=np.int64))
        assert [*zip(*(column.tolist() for column in columns), strict=True)] == wanted


def test_groups_of_dictionary_pages_are_crossed() -> None:
    count = TERMS_PER_PAGE * PAGES_PER_GROUP + 1
    words = [f"{number:05}".encode() for number in range(count)]
    terms = dictionary(words)
    for at in (0, 1, count - 2, count - 1):
        entry = terms.find(words[at])
        assert entry is not None
        assert entry.tail == (at, 1)
    assert terms.find(b"1") is None
    assert terms.columns(np.array([0, count - 1]))[2].tolist() == [0, count - 1]
    numbers = [number for number, _, _ in terms.joined()]
    assert numbers[0] == 0
    assert b"".join(text for _, text, _ in terms.joined()) == b"".join(words)
