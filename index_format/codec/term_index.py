"""Finds the dictionary page of a term, at a cost that does not grow with the dictionary.

    TIDX  terms u64 | per group of 64 pages, and for the end: offset u64 of the group in TGRP | per
          group and for the end: offset u32 of its first term | the groups' first terms
    TGRP  per group: per page, and once more for the end, u64 each: offset in TERM, TINF, TAIL,
          POSN, first block | per page and for the end: offset u32 of its first term | the pages'
          first terms

A lookup bisects the first terms of all groups, which are few, then those of one group's pages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import lt
from struct import Struct
from typing import Final

import numpy as np

from index_format.codec.bits import I64, exclusive_sum
from index_format.codec.frame import FramedFile, Section
from index_format.layout import PAGES_PER_GROUP, TERMS_PER_PAGE, SectionTag
from index_format.records import Record

COLUMNS: Final = 5
# no stored number comes near this: sums of accepted ones stay far below 2**63
_OFFSET_BITS: Final = 48
_COUNT_BITS: Final = 40
_CACHED_GROUPS: Final = 1024
# two rows of a group's starts
_BOUNDS: Final = Struct(f"={2 * COLUMNS}q")


def encode_index(count: int, starts: I64, firsts: Sequence[bytes]) -> tuple[bytes, bytes]:
    """TIDX and TGRP; `starts` has a row for each page and one for the end."""
    groups = [
        starts[begin : begin + PAGES_PER_GROUP + 1].astype("<u8").tobytes()
        + _encode_texts(firsts[begin : begin + PAGES_PER_GROUP])
        for begin in range(0, len(firsts), PAGES_PER_GROUP)
    ]
    offsets = exclusive_sum(np.array([len(group) for group in groups], dtype=np.int64))
    numbers = np.concatenate([[count], offsets]).astype("<u8")
    return numbers.tobytes() + _encode_texts(firsts[::PAGES_PER_GROUP]), b"".join(groups)


def _encode_texts(texts: Sequence[bytes]) -> bytes:
    offsets = exclusive_sum(np.array([len(text) for text in texts], dtype=np.int64))
    return offsets.astype("<u4").tobytes() + b"".join(texts)


class _Group(Record):
    """The pages of one group, and where each begins; one more row for the end."""

    starts: I64
    firsts: list[bytes]


class TermIndex:
    """Reads the index of one field's dictionary, lazily."""

    def __init__(self, frame: FramedFile, field: int) -> None:
        """Find the two sections."""
        self._frame = frame
        self._index = frame.section(SectionTag.TERM_INDEX, field)
        self._groups = frame.section(SectionTag.TERM_GROUPS, field)
        self._top: tuple[int, list[int], list[bytes]] | None = None
        self._cache: dict[int, _Group] = {}
        self._starts: I64 | None = None

    @property
    def count(self) -> int:
        """Count of terms."""
        return self._load()[0]

    @property
    def page_count(self) -> int:
        """Count of pages."""
        return -(-self.count // TERMS_PER_PAGE)

    def page_of(self, term: bytes) -> int:
        """The page that would hold a term; -1 where it is before the first."""
        tops = (self._top or self._load())[2]
        number = bisect_right(tops, term) - 1
        if number < 0:
            return -1
        group = self._cache.get(number) or self._group(number)
        return number * PAGES_PER_GROUP + bisect_right(group.firsts, term) - 1

    def group_part(self, term: bytes) -> tuple[Section, int, int] | None:
        """The part of a section that `page_of` would read, by start and length."""
        _, bounds, tops = self._load()
        number = bisect_right(tops, term) - 1
        if number < 0 or number in self._cache:
            return None
        return self._groups, bounds[number], bounds[number + 1] - bounds[number]

    def bounds(self, page: int) -> tuple[list[int], list[int]]:
        """Where a page begins and ends: offsets in TERM, TINF, TAIL, POSN, and blocks."""
        group = self._group(page // PAGES_PER_GROUP)
        at = page % PAGES_PER_GROUP
        found = _BOUNDS.unpack_from(group.starts.data, at * _BOUNDS.size // 2)
        return [*found[:COLUMNS]], [*found[COLUMNS:]]

    def starts_between(self, first: int, last: int) -> I64:
        """The beginning of each of some pages, and the end of the last."""
        groups = range(first // PAGES_PER_GROUP, (last - 1) // PAGES_PER_GROUP + 1)
        parts = [self._group(number).starts[:-1] for number in groups]
        ends = self._group(groups[-1]).starts[-1:]
        skipped = groups[0] * PAGES_PER_GROUP
        return np.concatenate([*parts, ends])[first - skipped : last - skipped + 1]

    def all_starts(self) -> I64:
        """The beginning of every page, and the end of the last; kept once it was read."""
        if self._starts is None:
            self._starts = self._read_starts()
        return self._starts

    def _read_starts(self) -> I64:
        _, bounds, tops = self._load()
        if not tops:
            return np.zeros((1, COLUMNS), dtype=np.int64)
        data = self._frame.read(self._groups)
        rows = np.full(len(tops), PAGES_PER_GROUP + 1, dtype=np.int64)
        rows[-1] = self.page_count - (len(tops) - 1) * PAGES_PER_GROUP + 1
        stops = (np.array(bounds[:-1]) + rows * (COLUMNS * 8)).tolist()
        if any(stop > end for stop, end in zip(stops, bounds[1:], strict=True)):
            raise self._blame_group()
        parts = [data[begin:stop] for begin, stop in zip(bounds, stops, strict=False)]
        table = np.frombuffer(b"".join(parts), dtype="<u8").reshape(-1, COLUMNS)
        starts = table.astype(np.int64)
        ends = np.cumsum(rows[:-1]) - 1  # where one group ends, as the next begins
        if (
            (table >> np.uint64(_OFFSET_BITS)).any()
            or (starts[1:] < starts[:-1]).any()
            or (starts[ends] != starts[ends + 1]).any()
        ):
            raise self._blame_group()
        kept = np.ones(len(starts), dtype=np.bool_)
        kept[ends] = False
        return starts[kept]

    def _blame_group(self) -> Exception:
        """The error of the group that is at fault, which shows when it is read by itself."""
        starts = [self._group(number).starts for number in range(len(self._load()[2]))]
        for number, (one, other) in enumerate(pairwise(starts)):
            if not np.array_equal(one[-1], other[0]):
                return self._bad_group(number, "end", "where the next begins")
        return self._bad_group(0, "page offsets", "ascending")

    def _load(self) -> tuple[int, list[int], list[bytes]]:
        if self._top is None:
            self._top = self._read_top()
        return self._top

    def _read_top(self) -> tuple[int, list[int], list[bytes]]:
        data = self._frame.read(self._index)
        count = int.from_bytes(data[:8], "little")
        pages = -(-count // TERMS_PER_PAGE)
        groups = -(-pages // PAGES_PER_GROUP)
        fixed = 8 + (groups + 1) * 8
        if count >> _COUNT_BITS or fixed > len(data):
            raise self._frame.corrupt(self._index, 0, f"{count} terms", f"{len(data)} bytes' worth")
        offsets = np.frombuffer(data[8:fixed], dtype="<u8")
        sane = not (offsets >> np.uint64(_OFFSET_BITS)).any()
        bounds = offsets.astype(np.int64)
        ends = (int(bounds[0]), int(bounds[-1]))
        if not sane or ends != (0, self._groups.length) or (bounds[1:] < bounds[:-1]).any():
            raise self._frame.corrupt(self._index, 8, "group offsets", "ascending to the end")
        firsts = _decode_texts(data[fixed:], groups)
        if firsts is None:
            raise self._frame.corrupt(self._index, fixed, "first terms", f"{groups}, ascending")
        return count, bounds.tolist(), firsts

    def _group(self, number: int) -> _Group:
        group = self._cache.get(number)
        if group is None:
            group = self._read_group(number)
            if len(self._cache) >= _CACHED_GROUPS:
                self._cache.clear()
            self._cache[number] = group
        return group

    def _read_group(self, number: int) -> _Group:
        _, bounds, tops = self._load()
        begin, end = bounds[number : number + 2]
        pages = min(PAGES_PER_GROUP, self.page_count - number * PAGES_PER_GROUP)
        data = self._frame.read(self._groups, begin, end - begin)
        fixed = (pages + 1) * COLUMNS * 8
        if fixed > len(data):
            raise self._bad_group(number, f"{len(data)} bytes", f"at least {fixed}")
        table = np.frombuffer(data[:fixed], dtype="<u8").reshape(-1, COLUMNS)
        starts = table.astype(np.int64)
        if (table >> np.uint64(_OFFSET_BITS)).any() or (starts[1:] < starts[:-1]).any():
            raise self._bad_group(number, "page offsets", "ascending")
        firsts = _decode_texts(data[fixed:], pages)
        if firsts is None or firsts[0] != tops[number]:
            expected = f"{pages}, ascending from {tops[number]!r}"
            raise self._bad_group(number, "first terms", expected)
        return _Group(starts, firsts)

    def _bad_group(self, number: int, got: object, expected: object) -> Exception:
        return self._frame.corrupt(self._groups, self._load()[1][number], got, expected)


def _decode_texts(data: memoryview, count: int) -> list[bytes] | None:
    """Ascending texts behind their offsets; None where these are not that."""
    fixed = (count + 1) * 4
    if fixed > len(data):
        return None
    offsets = np.frombuffer(data[:fixed], dtype="<u4").tolist()
    text = bytes(data[fixed:])
    if offsets[0] or offsets[-1] != len(text):
        return None
    texts = [text[a:b] for a, b in pairwise(offsets)]
    return texts if all(map(lt, texts, texts[1:])) else None
