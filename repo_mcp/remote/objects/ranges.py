"""Segments and texts read where they are published, by ranges, through blocks kept on the disk.

A read is made of blocks. Those that are missing and beside each other are one request; a run that
goes on where the last one ended asks for twice as much, and opening a segment asks for its head and
its tail at once. A segment is not read whole before it is used, so the place is believed as to its
name; each page is verified against the seal in the manifest all the same.

Where copies of the segments are made meanwhile, an open one is read from its copy as soon as there
is one, whoever has made it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from typing import Final

from index_format import (
    UNREAD,
    CorruptIndexError,
    FileMissingError,
    ReadHandle,
    Store,
    StoreError,
    open_recorded,
)
from repo_mcp import side_files
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.contract import ObjectReader
from repo_mcp.remote.objects.priority import RANGE_PRIORITY
from repo_mcp.remote.objects.remote_reader import open_reader
from repo_mcp.stored import SEGMENT_OBJECTS

BLOCK_BYTES: Final = 1 << 16
# one request asks for at most so many blocks, and so many requests run at a time
_MOST_BLOCKS: Final = 64
_REQUESTS: Final = 8
# a run that goes on asks for at most so many
_MOST_PREFETCHED: Final = 16
# the tail has 8 bytes for each page of 16 KiB, and the directory
_PAGES_PER_TAIL_BYTE: Final = 2048
_LIKELY_DIRECTORY: Final = 4096
_MOST_TAIL_BYTES: Final = 4 << 20
_MAX_LIST_BYTES: Final = 8 << 20


def open_segments(
    url: str, index_dir: str, kind_folder: str, blocks: tuple[str, int], copies: Store | None
) -> RangeSource:
    """The segments at an address that an index needs; `blocks`: their folder, and most bytes."""
    return RangeSource(url, index_dir, kind_folder, BlockCache(*blocks), copies)


class RangeSource:
    """The published segments that one index of a checkout needs, as a `SegmentSource`."""

    def __init__(
        self,
        url: str,
        index_dir: str,
        kind_folder: str,
        blocks: BlockCache,
        copies: Store | None = None,
    ) -> None:
        """Keep the arguments; asks for nothing yet.

        `copies` is the store in which copies appear. Then only listed segments are asked for, so
        that nothing is once all are there.
        """
        self._url = url
        self._copies = copies
        self._index_dir = index_dir
        self._list_name = f"in-place-{kind_folder}.json"
        self._blocks = blocks

    def open(self, name: str) -> ReadHandle:
        """Open a segment; its size is asked for once."""
        if self._copies is not None and name not in self.needed():
            raise FileMissingError(name)
        try:
            store = shared_reader(self._url)
            size = _size_of(store, name, self._blocks)
        except Problem as problem:
            raise StoreError(problem.reason) from problem
        if size is None:
            raise FileMissingError(name)
        return RangeHandle(store, name, size, self._blocks, self._copy_of)

    def _copy_of(self, name: str, size: int) -> ReadHandle | None:
        """The copy of a segment, if it is there and has the bytes of its name."""
        if self._copies is not None:
            with suppress(CorruptIndexError, StoreError):
                return open_recorded(self._copies, name, size)
        return None

    def needed(self) -> frozenset[str]:
        """The listed segments."""
        with suppress(OSError, ValueError, RecursionError, AttributeError, TypeError):
            data = side_files.get(self._index_dir, self._list_name, _MAX_LIST_BYTES)
            return frozenset(map(str, json.loads(data)["segments"]))
        return frozenset()

    def list_needed(self, segments: frozenset[str]) -> None:
        """Replace the list."""
        record = json.dumps({"segments": sorted(segments)}).encode()
        try:
            side_files.make_folders(self._index_dir)
            side_files.put(self._index_dir, self._list_name, record, durable=True)
        except OSError as error:
            message = f"list segments: {error.strerror}"
            raise StoreError(message) from error


def _no_copy(name: str, size: int) -> ReadHandle | None:  # noqa: ARG001 the form of a question
    """Nobody makes copies."""
    return None


class RangeHandle:
    """A segment, or another object whose name tells its bytes, open for reads of any range."""

    def __init__(
        self,
        store: ObjectReader,
        name: str,
        size: int,
        blocks: BlockCache,
        copy_of: Callable[[str, int], ReadHandle | None] = _no_copy,
        folder: str = SEGMENT_OBJECTS,
    ) -> None:
        """Keep the arguments; asks for nothing, as the size may be another than the manifest's.

        Readers of a segment begin with its head and its tail, those of other folders anywhere.
        """
        self._object = f"{folder}/{name}"
        self._copy_of = copy_of
        self._copy: ReadHandle | None = None
        self.name = name
        self.size = size
        self.identity = f"{UNREAD}{size}"
        self._store = store
        self._blocks = blocks
        self._open = True
        self._guard = threading.Lock()
        # where the last run of requested blocks ended, and how long it was
        self._last_end, self._last_count = -1, 1
        self._last_block = (size - 1) // BLOCK_BYTES if size else -1
        self._begun = folder != SEGMENT_OBJECTS

    def read(self, offset: int, length: int) -> bytes:
        """Exactly these bytes."""
        if min(offset, length) < 0 or offset + length > self.size:
            got = f"{self.size} bytes in all"
            raise CorruptIndexError(self.name, "file", offset, got, f"{length} bytes")
        if not self._open:
            message = f"read {self.name}: already closed"
            raise StoreError(message)
        if not length:
            return b""
        first, last = offset // BLOCK_BYTES, (offset + length - 1) // BLOCK_BYTES
        with self._guard:
            self._begin()
            if self._copy is not None:
                return self._copy.read(offset, length)
            found = self._load(range(first, last + 1))
        data = b"".join(found)
        begin = offset - first * BLOCK_BYTES
        return data[begin : begin + length]

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Ask at once for what is missing of these ranges; errors are those of the reads."""
        numbers = {
            number
            for offset, length in ranges
            if offset >= 0 and 0 < length <= self.size - offset
            for number in range(offset // BLOCK_BYTES, (offset + length - 1) // BLOCK_BYTES + 1)
        }
        with self._guard, suppress(StoreError, CorruptIndexError):
            if self._copy is None:
                self._load(sorted(numbers))

    def close(self) -> None:
        """Read nothing more."""
        self._open = False
        if self._copy is not None:
            self._copy.close()

    def _begin(self) -> None:
        """Ask for the head and the tail, which every reader begins with."""
        if not self._begun:
            self._begun = True
            tail = min(self.size // _PAGES_PER_TAIL_BYTE, _MOST_TAIL_BYTES) + _LIKELY_DIRECTORY
            first = max(self.size - tail, 0) // BLOCK_BYTES
            self._load(sorted({0, *range(first, self._last_block + 1)}))

    def _load(self, numbers: Sequence[int]) -> list[bytes]:
        """Blocks by their ascending numbers, from the disk or else from the store."""
        found = {number: self._kept(number) for number in numbers}
        missing = [number for number, block in found.items() if block is None]
        copy = self._find_copy() if missing else None
        if copy is not None:
            return [copy.read(number * BLOCK_BYTES, self._length(number)) for number in numbers]
        if missing:
            runs = list(_runs([*missing, *self._prefetched(missing)]))
            with RANGE_PRIORITY.asking():
                for first, blocks in self._fetch(runs):
                    for number, block in enumerate(blocks, first):
                        self._blocks.put(self.name, number, block)
                        if number in found:
                            found[number] = block
            self._last_end, self._last_count = runs[-1].stop, len(runs[-1])
        return [block for block in found.values() if block is not None]

    def _find_copy(self) -> ReadHandle | None:
        """A copy that is there by now; looked for before a request, which takes far longer."""
        self._copy = self._copy_of(self.name, self.size)
        return self._copy

    def _kept(self, number: int) -> bytes | None:
        return self._blocks.get(self.name, number, self._length(number))

    def _prefetched(self, missing: list[int]) -> range:
        """Further blocks to ask for, where reading goes on behind the last run."""
        if missing[0] != self._last_end:
            return range(0)
        count = min(2 * self._last_count, _MOST_PREFETCHED) - len(missing)
        return range(missing[-1] + 1, min(missing[-1] + 1 + max(count, 0), self._last_block + 1))

    def _fetch(self, runs: Sequence[range]) -> Iterator[tuple[int, list[bytes]]]:
        try:
            if len(runs) == 1:
                answers: Iterator[bytes] = map(self._request, runs)
                yield from self._split(runs, answers)
                return
            with ThreadPoolExecutor(min(len(runs), _REQUESTS)) as pool:
                yield from self._split(runs, pool.map(self._request, runs))
        except Problem as problem:
            raise StoreError(problem.reason) from problem

    def _split(
        self, runs: Sequence[range], answers: Iterator[bytes]
    ) -> Iterator[tuple[int, list[bytes]]]:
        for run, data in zip(runs, answers, strict=True):
            expected = sum(map(self._length, run))
            if len(data) != expected:
                got = f"{len(data)} bytes"
                raise CorruptIndexError(
                    self.name, "file", run.start * BLOCK_BYTES, got, f"{expected} bytes"
                )
            places = range(0, len(data), BLOCK_BYTES)
            yield run.start, [data[place : place + BLOCK_BYTES] for place in places]

    def _request(self, run: range) -> bytes:
        length = sum(map(self._length, run))
        return self._store.read(self._object, run.start * BLOCK_BYTES, length)

    def _length(self, number: int) -> int:
        return min(BLOCK_BYTES, self.size - number * BLOCK_BYTES)


def _runs(numbers: Sequence[int]) -> Iterator[range]:
    """Ascending numbers as ranges without gaps, none of them long."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1 or number - first >= _MOST_BLOCKS:
            yield range(first, last + 1)
            first = number
        last = number
    yield range(first, last + 1)


def _size_of(store: ObjectReader, name: str, blocks: BlockCache) -> int | None:
    """The size of a segment, which is kept as a block of its own."""
    kept = blocks.get(name, -1, 8)
    if kept is not None:
        return int.from_bytes(kept, "little")
    size = store.size(_object(name))
    if size is not None:
        blocks.put(name, -1, size.to_bytes(8, "little"))
    return size


def _object(name: str) -> str:
    return f"{SEGMENT_OBJECTS}/{name}"


@lru_cache(maxsize=4)
def shared_reader(url: str) -> ObjectReader:
    """The place of an address, whose connections are used again."""
    return open_reader(url)
