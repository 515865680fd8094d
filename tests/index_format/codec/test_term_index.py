"""Where the pages of a dictionary begin is read at once, and damage to it is an error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format.codec.bits import I64
from index_format.codec.frame import FramedFile, FrameWriter
from index_format.codec.term_index import COLUMNS, TermIndex, encode_index
from index_format.errors import CorruptIndexError
from index_format.layout import PAGES_PER_GROUP, TERMS_PER_PAGE, SectionTag
from index_format.store.memory_store import MemoryStore

ROW = COLUMNS * 8


def pages_of(count: int, seed: int = 1) -> I64:
    steps = np.random.default_rng(seed).integers(0, 1000, (count, COLUMNS))
    return np.vstack([np.zeros((1, COLUMNS), dtype=np.int64), np.cumsum(steps, axis=0)])


def opened(index: bytes, groups: bytes) -> TermIndex:
    store = MemoryStore()
    writer = FrameWriter(store)
    writer.section(SectionTag.TERM_INDEX, 0, [index])
    writer.section(SectionTag.TERM_GROUPS, 0, [groups])
    return TermIndex(FramedFile(store.open(writer.finish().name)), 0)


def encoded(starts: I64) -> tuple[bytes, bytes]:
    pages = len(starts) - 1
    firsts = [f"{number:05}".encode() for number in range(pages)]
    return encode_index(pages * TERMS_PER_PAGE, starts, firsts)


@given(st.integers(0, 3 * PAGES_PER_GROUP + 1), st.integers(0, 99))
def test_the_starts_of_all_pages_are_those_of_each(pages: int, seed: int) -> None:
    starts = pages_of(pages, seed)
    index = opened(*encoded(starts))
    assert np.array_equal(index.all_starts(), starts)
    for page in range(pages):
        assert index.bounds(page) == tuple(starts[page : page + 2].tolist())


@pytest.mark.parametrize(
    ("row", "value"),
    [(0, 1 << 60), (5, 1 << 30), (5, 0), (PAGES_PER_GROUP, 1 << 30), (PAGES_PER_GROUP + 1, 0)],
)
def test_starts_that_no_writer_stores_are_refused(row: int, value: int) -> None:
    index, groups = encoded(pages_of(2 * PAGES_PER_GROUP) + 1)
    # behind the rows of a group are the first terms of its pages: 5 letters and an offset each
    more = PAGES_PER_GROUP * 5 + (PAGES_PER_GROUP + 1) * 4
    at = row * ROW + (more if row > PAGES_PER_GROUP else 0)
    damaged = groups[:at] + value.to_bytes(8, "little") + groups[at + 8 :]
    with pytest.raises(CorruptIndexError):
        opened(index, damaged).all_starts()


def test_a_group_without_room_for_its_rows_is_refused() -> None:
    index, groups = encoded(pages_of(3))
    size = len(groups)
    short = index.replace(size.to_bytes(8, "little"), (ROW).to_bytes(8, "little"))
    with pytest.raises(CorruptIndexError):
        opened(short, groups[:ROW]).all_starts()
