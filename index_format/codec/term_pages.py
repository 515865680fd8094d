"""Pages of a dictionary: 128 terms in byte order, and the numbers that a lookup needs of each.

    TERM  per term, its bytes behind those that it shares with the term before it; the first of a
          page shares none
    TINF  per page of 128 terms: widths u8 x 6 | six runs of numbers, each bits packed at its width,
          whole bytes: bytes shared | bytes in TERM | chunks less 1 | occurrences less chunks | tail
          length | positions length | varints: for each number of 2**width - 1 in these runs, in
          turn, how much more it is

A width is at most 16; at width 0 all numbers of a run are 0. It is the least at which a run and its
varints are shortest, if each of these took one byte.

Which pages may hold a text is told by marks, 2048 for each page: one for each value of a hash of
three bytes that follow one another in a term. The terms of a page set a third of them, so that a
text of five letters is looked for in one page of thirty. Marks are made from the terms when they
pay, and not stored: they would be a fiftieth of an index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from index_format.codec.bits import (
    I64,
    U8,
    U32,
    U64,
    bit_lengths,
    distinct,
    exclusive_sum,
    pack_runs,
    padded,
    ranges,
    side_by_side,
    steps,
    unpack_runs,
    words_to_bytes,
)
from index_format.codec.wire import MalformedError, decode_varints, encode_varints, varint_lengths
from index_format.layout import MAX_TERM_BYTES, TERMS_PER_PAGE
from index_format.native import NATIVE, Native

# the columns of decoded pages, in the order of their runs; chunks are whole
RUNS: Final = 6
SHARED, OTHERS, CHUNKS, SURPLUS, TAILS, POSITIONS = range(RUNS)
_MAX_WIDTH: Final = 16
# no stored number comes near this: sums of accepted ones stay far below 2**63
_NUMBER_BITS: Final = 40
_NO_WIDTH: Final = 1 << 40

TRIGRAM: Final = 3
MARK_BYTES: Final = 256
_MARK_FACTOR: Final = np.uint32(0x9E3779B1)
_MARK_SHIFT: Final = np.uint32(21)


def encode_pages(
    terms: list[bytes], columns: I64, native: Native | None = NATIVE
) -> tuple[bytes, bytes, I64]:
    """Bytes that pages of terms add to TERM and TINF, and each page's size; the last may be short.

    `columns` are chunks, occurrences less chunks, and lengths of tails and of positions.
    """
    if native is None:
        return _encode_pages(terms, columns)
    text, info, sizes = native.encode_pages(terms, columns.tobytes())
    return text, info, np.frombuffer(sizes, dtype=np.int64).reshape(-1, 2)


def decode_pages(
    info: bytes | memoryview, starts: I64, count: int, native: Native | None = NATIVE
) -> I64:
    """The columns of consecutive pages that begin at these places; only the last may be short."""
    if native is None:
        return _decode_pages(info, starts, count)
    try:
        columns = native.decode_pages(info, starts.tobytes(), count)
    except ValueError as error:
        raise MalformedError(*error.args) from None
    return np.frombuffer(columns, dtype=np.int64).reshape(RUNS, count)


def spell_terms(
    text: bytes | memoryview,
    info: bytes | memoryview,
    starts: I64,
    count: int,
    native: Native | None = NATIVE,
) -> tuple[bytes, U32]:
    """The terms of such pages, one behind the other, and their lengths; `text` is of all pages."""
    if native is None:
        columns = _decode_pages(info, starts, count)
        lengths = (columns[SHARED] + columns[OTHERS]).astype(np.uint32)
        return b"".join(_terms(bytes(text), columns)), lengths
    try:
        spelled, sizes = native.spell_terms(text, info, starts.tobytes(), count)
    except ValueError as error:
        raise MalformedError(*error.args) from None
    return spelled, np.frombuffer(sizes, dtype=np.uint32)


def mark_trigrams(
    text: bytes | memoryview,
    info: bytes | memoryview,
    starts: I64,
    count: int,
    native: Native | None = NATIVE,
) -> U8:
    """The marks of such pages, a row for each."""
    if native is None:
        return _mark_trigrams(text, info, starts, count)
    try:
        marks = native.mark_trigrams(text, info, starts.tobytes(), count)
    except ValueError as error:
        raise MalformedError(*error.args) from None
    return np.frombuffer(marks, dtype=np.uint8).reshape(-1, MARK_BYTES)


def pages_with(marks: U8, text: bytes) -> I64:
    """The pages that have all trigrams of a text, ascending."""
    pages = np.arange(len(marks))
    for bit in distinct(np.sort(_mark_numbers(text))).tolist():
        pages = pages[marks[pages, bit >> 3] & (1 << (bit & 7)) != 0]
    return pages


def _encode_pages(terms: Sequence[bytes], columns: I64) -> tuple[bytes, bytes, I64]:
    shared = np.array([*_shared_bytes(terms)], dtype=np.int64)
    lengths = np.fromiter(map(len, terms), dtype=np.int64, count=len(terms))
    text = b"".join(term[same:] for term, same in zip(terms, shared.tolist(), strict=True))
    if not len(terms):
        return b"", b"", np.zeros((0, 2), dtype=np.int64)
    runs = np.vstack([shared, lengths - shared, columns])
    runs[CHUNKS] -= 1
    info, sizes = _encode_runs(runs)
    edges = np.arange(0, len(terms), TERMS_PER_PAGE)
    return text, info, side_by_side([np.add.reduceat(runs[OTHERS], edges), sizes])


def _shared_bytes(terms: Sequence[bytes]) -> Iterator[int]:
    before = b""
    for number, term in enumerate(terms):
        most = min(len(before), len(term)) if number % TERMS_PER_PAGE else 0
        yield next((at for at in range(most) if before[at] != term[at]), most)
        before = term


def _encode_runs(runs: I64) -> tuple[bytes, I64]:
    """The bytes of TINF, and of how many each page is."""
    shape = _Pages.of(runs.shape[1])
    numbers = shape.fold(runs)
    widths = _choose_widths(numbers, shape.sizes)
    most = (np.int64(1) << widths) - 1
    packed = np.minimum(numbers, most[:, :, None])
    more = (packed == most[:, :, None]) & (most > 0)[:, :, None] & shape.inside()
    extra = (numbers - packed)[more].astype(np.uint64)
    extra_edges = exclusive_sum(varint_lengths(extra))[exclusive_sum(more.sum(axis=(1, 2)))]
    run_bytes = (widths * shape.sizes[:, None] + 7) // 8
    before_extra = RUNS + run_bytes.sum(axis=1)
    sizes = before_extra + steps(extra_edges)
    starts = exclusive_sum(sizes)
    size = int(starts[-1])
    offsets, each = shape.bits(starts[:-1], widths)
    inside = shape.inside()
    words = _pack(size, offsets[inside], each[inside], packed[inside])
    headers = starts[:-1, None] * 8 + np.arange(RUNS) * 8
    eights = np.full(headers.size, 8)
    words = pack_runs(size, headers.ravel(), eights, widths.ravel().astype(np.uint64), words)
    info = np.frombuffer(bytearray(words_to_bytes(words, size)), dtype=np.uint8)
    info[ranges(starts[:-1] + before_extra, steps(extra_edges))] = np.frombuffer(
        encode_varints(extra), dtype=np.uint8
    )
    return info.tobytes(), sizes


def _pack(size: int, offsets: I64, widths: I64, numbers: I64) -> U64:
    return pack_runs(size, offsets, widths, numbers.astype(np.uint64))


def _choose_widths(numbers: I64, sizes: I64) -> I64:
    """The width of each run of each page."""
    lengths = bit_lengths(numbers + 1)
    costs = np.empty((*numbers.shape[:2], _MAX_WIDTH + 1), dtype=np.int64)
    costs[:, :, 0] = np.where(numbers.any(axis=2), _NO_WIDTH, 0)
    for width in range(1, _MAX_WIDTH + 1):
        costs[:, :, width] = width * sizes[:, None] + 8 * (lengths > width).sum(axis=2)
    widths: I64 = costs.argmin(axis=2)
    return widths


def _decode_pages(info: bytes | memoryview, starts: I64, count: int) -> I64:
    shape = _Pages.of(count)
    ends = np.concatenate([starts[1:], [len(info)]])
    if len(starts) != len(shape.sizes) or (count and starts[0] < 0) or (ends < starts).any():
        msg = "pages that are not one after the other"
        raise MalformedError(msg)
    if (ends - starts < RUNS).any():
        msg = "a page without widths"
        raise MalformedError(msg)
    buffer = padded(info)
    widths = buffer[starts[:, None] + np.arange(RUNS)].astype(np.int64)
    extra_starts = starts + RUNS + ((widths * shape.sizes[:, None] + 7) // 8).sum(axis=1)
    if widths.max(initial=0) > _MAX_WIDTH or (extra_starts > ends).any():
        msg = "a width beyond the widest, or a run beyond the end of its page"
        raise MalformedError(msg)
    inside = shape.inside()
    offsets, each = shape.bits(starts, widths)
    numbers = np.zeros(offsets.shape, dtype=np.int64)
    numbers[inside] = unpack_runs(buffer, offsets[inside], each[inside]).astype(np.int64)
    most = (np.int64(1) << widths) - 1
    more = (numbers == most[:, :, None]) & (most > 0)[:, :, None] & inside
    numbers[more] += _decode_extra(info, extra_starts, ends, more.sum(axis=(1, 2)))
    if (numbers >> _NUMBER_BITS).any():
        msg = "a number that is cut off or too large"
        raise MalformedError(msg)
    columns = shape.unfold(numbers)
    columns[CHUNKS] += 1
    return columns


def _decode_extra(info: bytes | memoryview, starts: I64, ends: I64, counts: I64) -> I64:
    """The varints of all pages, of which each has so many."""
    data = np.frombuffer(info, dtype=np.uint8)[ranges(starts, ends - starts)]
    edges = exclusive_sum(ends - starts)
    last = exclusive_sum((data < 0x80).astype(np.int64))
    used = ends > starts
    if (steps(last[edges]) != counts).any() or (data[edges[1:][used] - 1] >= 0x80).any():
        msg = "a page with another count of large numbers"
        raise MalformedError(msg)
    return decode_varints(data.tobytes(), int(counts.sum())).astype(np.int64)


def _terms(text: bytes, columns: I64) -> Iterator[bytes]:
    at, before = 0, b""
    shared, others = columns[SHARED], columns[OTHERS]
    if int(others.sum()) != len(text):
        msg = "terms of another length than their text"
        raise MalformedError(msg)
    for number, (same, other) in enumerate(zip(shared.tolist(), others.tolist(), strict=True)):
        if same > (len(before) if number % TERMS_PER_PAGE else 0) or same + other > MAX_TERM_BYTES:
            msg = "a term that shares more than the one before it has, or is too long"
            raise MalformedError(msg)
        before = before[:same] + text[at : at + other]
        at += other
        yield before


class _Pages:
    """The division of terms into pages; numbers are folded into pages x runs x terms."""

    def __init__(self, count: int, sizes: I64) -> None:
        self._count = count
        self.sizes = sizes

    @classmethod
    def of(cls, count: int) -> _Pages:
        edges = [*range(0, count, TERMS_PER_PAGE), count]
        return cls(count, np.array([b - a for a, b in pairwise(edges)], dtype=np.int64))

    def inside(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """A mask of the places of a fold that hold a number."""
        each = np.arange(TERMS_PER_PAGE) < self.sizes[:, None]
        return np.repeat(each[:, None, :], RUNS, axis=1)

    def fold(self, runs: I64) -> I64:
        whole = np.zeros((RUNS, len(self.sizes) * TERMS_PER_PAGE), dtype=np.int64)
        whole[:, : self._count] = runs
        return whole.reshape(RUNS, -1, TERMS_PER_PAGE).transpose(1, 0, 2)

    def unfold(self, numbers: I64) -> I64:
        return numbers.transpose(1, 0, 2).reshape(RUNS, -1)[:, : self._count].copy()

    def bits(self, starts: I64, widths: I64) -> tuple[I64, I64]:
        """Bit offset and width of each number of pages that begin at these bytes."""
        run_bytes = (widths * self.sizes[:, None] + 7) // 8
        firsts = starts[:, None] + RUNS + np.cumsum(run_bytes, axis=1) - run_bytes
        each = np.repeat(widths[:, :, None], TERMS_PER_PAGE, axis=2)
        return firsts[:, :, None] * 8 + np.arange(TERMS_PER_PAGE) * each, each


def _mark_trigrams(
    text: bytes | memoryview, info: bytes | memoryview, starts: I64, count: int
) -> U8:
    spelled, lengths = spell_terms(text, info, starts, count, None)
    marks = np.zeros((len(starts), MARK_BYTES * 8), dtype=np.bool_)
    term_of = np.repeat(np.arange(count), lengths)
    inside = term_of[TRIGRAM - 1 :] == term_of[: 1 - TRIGRAM]
    pages = term_of[TRIGRAM - 1 :][inside] // TERMS_PER_PAGE
    marks[pages, _mark_numbers(spelled)[inside]] = True
    return np.packbits(marks, axis=1, bitorder="little")


def _mark_numbers(text: bytes) -> I64:
    """The mark of each trigram."""
    data = np.frombuffer(text, dtype=np.uint8).astype(np.uint32)
    trigrams = data[:-2] << np.uint32(16) | data[1:-1] << np.uint32(8) | data[2:]
    return (trigrams * _MARK_FACTOR >> _MARK_SHIFT).astype(np.int64)
