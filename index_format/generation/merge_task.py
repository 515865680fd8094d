"""One merge of a compaction as plain data, so that another process can carry it out.

A task names segments that are immutable and writes one that no manifest lists: it needs no lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from index_format.errors import InvalidInputError
from index_format.generation.origin import SegmentOpener
from index_format.model import Schema
from index_format.records import Record
from index_format.segment.entry import SegmentEntry
from index_format.segment.merge import MergeInput, merge_columns
from index_format.segment.reader import SegmentReader, open_segment
from index_format.segment.writer import describe_segment, write_segment
from index_format.store.contract import Store


class MergeTask(Record):
    """Files of some segments, to be merged into one segment.

    `sources` and `numbers` give for each file, in path order, the segment that holds it and its
    number there, as little-endian u32. `memory` limits the memory of the merge.
    """

    segments: tuple[SegmentEntry, ...]
    sources: bytes
    numbers: bytes
    canonical: bool
    memory: int

    @classmethod
    def of_files(
        cls, segments: Sequence[SegmentEntry], files: Sequence[tuple[int, int]], memory: int
    ) -> MergeTask:
        """The task for files given in path order as places of segments and numbers there."""
        places = pack_numbers(place for place, _ in files)
        numbers = pack_numbers(number for _, number in files)
        return cls(tuple(segments), places, numbers, canonical=False, memory=memory)

    @property
    def source_bytes(self) -> int:
        """An upper bound of the bytes to read; the largest task takes longest."""
        return sum(entry.length for entry in self.segments)

    def to_record(self) -> list[object]:
        """Plain values that any encoding carries to another process."""
        entries = [entry.to_record() for entry in self.segments]
        return [entries, self.sources, self.numbers, self.canonical, self.memory]

    @classmethod
    def from_record(cls, record: object) -> MergeTask:
        """Undo `to_record`; `InvalidInputError` for anything else."""
        match record:
            case [[*entries], bytes(sources), bytes(numbers), bool(canonical), int(memory)]:
                segments = tuple(map(SegmentEntry.from_record, entries))
                return cls(segments, sources, numbers, canonical, memory)
            case _:
                msg = "a task's record has five values of certain types"
                raise InvalidInputError(msg)


def merge_segments(store: Store, schema: Schema, task: MergeTask) -> SegmentEntry:
    """Write the segment of a task; takes no lock, since no manifest lists the segment yet."""
    opener = SegmentOpener(store)
    handles = ((opener.open(entry.name, entry.length), entry) for entry in task.segments)
    readers = [open_segment(handle, entry, schema) for handle, entry in handles]
    files = _files(task, readers)
    return write_merge(store, schema, readers, files, task.memory, canonical=task.canonical)


def write_merge(
    store: Store,
    schema: Schema,
    readers: Sequence[SegmentReader],
    files: Sequence[MergeInput],
    memory: int,
    *,
    canonical: bool,
) -> SegmentEntry:
    """Write a segment of these files, which are in path order, and describe it."""
    content = merge_columns(readers, files, schema, memory)
    return describe_segment(write_segment(store, schema, content), content, canonical=canonical)


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Numbers as a task holds them."""
    return np.fromiter(numbers, dtype="<u4").tobytes()


def _files(task: MergeTask, readers: Sequence[SegmentReader]) -> list[MergeInput]:
    try:
        sources = np.frombuffer(task.sources, dtype="<u4").tolist()
        numbers = np.frombuffer(task.numbers, dtype="<u4").tolist()
        pairs = list(zip(sources, numbers, strict=True))
        files = [
            MergeInput(readers[at].files.paths.all[number], at, number) for at, number in pairs
        ]
    except (IndexError, ValueError) as error:
        msg = "a task names files of its segments"
        raise InvalidInputError(msg) from error
    if not files or any(a.path >= b.path for a, b in pairwise(files)):
        msg = "a task names files in path order, each once"
        raise InvalidInputError(msg)
    return files
