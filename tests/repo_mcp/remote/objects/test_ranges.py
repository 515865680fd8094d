"""Segments read by ranges: the bytes are those of the object, and few requests bring them."""

from __future__ import annotations

import random
from hashlib import blake2b
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, strategies as st

from index_format import CorruptIndexError, StoreError, layout
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.ranges import BLOCK_BYTES, RangeHandle, RangeSource
from tests.repo_mcp.remote.publish.objects import DictObjects

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")
DATA: Final = random.Random(1).randbytes(40 * BLOCK_BYTES + 77)
NAME: Final = layout.segment_name(blake2b(DATA, digest_size=20).digest())
PLENTY: Final = 1 << 30
HEAD_AND_TAIL: Final = 2


class CountingObjects(DictObjects):
    """Objects in memory, and the ranges that were asked for."""

    def __init__(self, data: bytes = DATA) -> None:
        super().__init__()
        self.put(f"v1/segments/{NAME}", [data])
        self.ranges: list[tuple[int, int]] = []
        self.is_cut = False

    def read(self, name: str, start: int, length: int) -> bytes:
        self.ranges.append((start, length))
        if self.is_cut:
            raise Problem("store_unavailable", "the connection was lost")
        return super().read(name, start, length)


def opened(folder: Path, objects: CountingObjects, most: int = PLENTY) -> RangeHandle:
    handle = RangeHandle(objects, NAME, len(DATA), BlockCache(str(folder), most))
    assert handle.read(0, 8) == DATA[:8]
    return handle


@given(st.lists(st.tuples(st.integers(0, len(DATA)), st.integers(0, 5 * BLOCK_BYTES)), max_size=8))
def test_every_range_has_the_bytes_of_the_object(
    tmp_path_factory: pytest.TempPathFactory, reads: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("blocks")
    handle = opened(folder, CountingObjects(), most=6 * BLOCK_BYTES)
    for start, length in reads:
        wanted = min(length, len(DATA) - start)
        assert handle.read(start, wanted) == DATA[start : start + wanted]


def test_head_and_tail_come_with_the_first_read(tmp_path: Path) -> None:
    objects = CountingObjects()
    handle = opened(tmp_path, objects)
    assert len(objects.ranges) == HEAD_AND_TAIL
    handle.read(0, 16)
    handle.read(len(DATA) - 100, 100)
    assert len(objects.ranges) == HEAD_AND_TAIL


def test_blocks_beside_each_other_are_one_request(tmp_path: Path) -> None:
    objects = CountingObjects()
    handle = opened(tmp_path, objects)
    handle.read(5 * BLOCK_BYTES + 1, 4 * BLOCK_BYTES)
    assert objects.ranges[HEAD_AND_TAIL:] == [(5 * BLOCK_BYTES, 5 * BLOCK_BYTES)]
    handle.read(4 * BLOCK_BYTES, 8 * BLOCK_BYTES)  # those between are there
    assert sorted(objects.ranges[HEAD_AND_TAIL + 1 :]) == [
        (4 * BLOCK_BYTES, BLOCK_BYTES),
        (10 * BLOCK_BYTES, 2 * BLOCK_BYTES),
    ]


def test_reading_on_asks_for_more_and_more(tmp_path: Path) -> None:
    objects = CountingObjects()
    handle = opened(tmp_path, objects)
    for number in range(5, 30):
        handle.read(number * BLOCK_BYTES, BLOCK_BYTES)
    counts = [length // BLOCK_BYTES for _, length in objects.ranges[HEAD_AND_TAIL:]]
    assert counts == [1, 2, 4, 8, 16]


def test_nothing_is_fetched_twice_by_any_process(tmp_path: Path) -> None:
    objects = CountingObjects()
    opened(tmp_path, objects).read(0, len(DATA))
    before = len(objects.ranges)
    assert opened(tmp_path, objects).read(0, len(DATA)) == DATA
    assert len(objects.ranges) == before


def test_what_is_expected_is_asked_for_at_once(tmp_path: Path) -> None:
    objects = CountingObjects()
    handle = opened(tmp_path, objects)
    places = [(number * BLOCK_BYTES + 5, 10) for number in (3, 9, 10, 20)]
    handle.expect([*places, (-5, 3), (len(DATA), 9), (7, 0)])
    asked = objects.ranges[HEAD_AND_TAIL:]
    assert sorted(start // BLOCK_BYTES for start, _ in asked) == [3, 9, 20]
    assert [handle.read(*place) for place in places] == [DATA[a : a + n] for a, n in places]
    assert objects.ranges[HEAD_AND_TAIL:] == asked
    objects.is_cut = True
    handle.expect([(30 * BLOCK_BYTES, 1)])  # who reads it is told


def test_a_damaged_block_is_fetched_again(tmp_path: Path) -> None:
    opened(tmp_path, CountingObjects()).read(0, len(DATA))
    blocks = sorted((tmp_path / NAME).iterdir())
    blocks[0].write_bytes(blocks[0].read_bytes()[:-1])
    blocks[1].write_bytes(b"\0" * blocks[1].stat().st_size)
    blocks[2].unlink()
    assert opened(tmp_path, CountingObjects()).read(0, len(DATA)) == DATA


def test_blocks_take_no_more_than_their_limit(tmp_path: Path) -> None:
    most = 10 * BLOCK_BYTES
    handle = opened(tmp_path, CountingObjects(), most)
    for number in range(40):
        handle.read(number * BLOCK_BYTES, 1)
        assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) <= most


def test_a_folder_that_can_not_be_written_costs_requests_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    handle = opened(tmp_path / "file", CountingObjects())
    assert handle.read(0, len(DATA)) == DATA


def test_an_object_that_is_shorter_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(CorruptIndexError):
        opened(tmp_path, CountingObjects(DATA[:-1]))


def test_a_lost_connection_is_an_error_of_the_store(tmp_path: Path) -> None:
    objects = CountingObjects()
    handle = opened(tmp_path, objects)
    objects.is_cut = True
    with pytest.raises(StoreError):
        handle.read(9 * BLOCK_BYTES, 1)
    objects.is_cut = False
    assert handle.read(9 * BLOCK_BYTES, 5) == DATA[9 * BLOCK_BYTES :][:5]


def test_what_is_not_in_the_object_is_not_asked_for(tmp_path: Path) -> None:
    objects = CountingObjects()
    handle = opened(tmp_path, objects)
    for start, length in [(-1, 1), (0, len(DATA) + 1), (len(DATA), 1), (0, -1)]:
        with pytest.raises(CorruptIndexError):
            handle.read(start, length)
    handle.close()
    with pytest.raises(StoreError):
        handle.read(0, 1)
    assert len(objects.ranges) == HEAD_AND_TAIL


def test_a_list_from_the_repository_names_nothing_but_segments(tmp_path: Path) -> None:
    source = RangeSource("file:///none", str(tmp_path), "index", BlockCache(str(tmp_path), 0))
    assert source.needed() == frozenset()
    source.list_needed(frozenset({NAME}))
    assert source.needed() == {NAME}
    (tmp_path / "in-place-index.json").write_bytes(b"[" * 100_000)
    assert source.needed() == frozenset()
