"""Sections of a file are read within their bounds, and a table of chunks as its header says."""

from __future__ import annotations

import pytest

from index_format.codec.chunks import ChunkTable
from index_format.codec.frame import FramedFile, FrameWriter
from index_format.errors import CorruptIndexError
from index_format.layout import SECTION_ALIGNMENT, SectionTag
from index_format.store.memory_store import MemoryStore


def frame_of(*sections: tuple[bytes, bytes]) -> FramedFile:
    store = MemoryStore()
    writer = FrameWriter(store)
    for tag, data in sections:
        writer.section(tag, 0, [data])
    return FramedFile(store.open(writer.finish().name))


def test_a_part_of_a_section_is_read_as_it_was_written() -> None:
    frame = frame_of((b"AAAA", b"12345"), (b"BBBB", bytes(40_000)), (b"CCCC", b"6"))
    first, second = frame.section(b"AAAA"), frame.section(b"BBBB")
    assert [bytes(frame.read(first, at)) for at in (0, 2, 5)] == [b"12345", b"345", b""]
    assert bytes(frame.read(first, 1, 3)) == b"234"
    assert len(frame.read(second, 100, 39_900)) == 39_900


@pytest.mark.parametrize(("start", "length"), [(0, 6), (5, 1), (6, 0), (6, None), (-1, 2), (3, -1)])
def test_nothing_beyond_a_section_is_read(start: int, length: int | None) -> None:
    frame = frame_of((b"AAAA", b"12345"), (b"BBBB", bytes(40)))
    with pytest.raises(CorruptIndexError) as found:
        frame.read(frame.section(b"AAAA"), start, length)
    assert found.value.section == "AAAA[0]"


@pytest.mark.parametrize(
    ("header", "size", "sound"),
    [
        (bytes([1, 1, 0]), 4, True),
        (bytes([2, 0, 0]), 4, True),
        (bytes([1, 1, 1]), 4, False),
        (bytes([3, 0, 0]), 6, False),
        (bytes([1, 0, 0]), 4, False),
    ],
)
def test_a_table_of_chunks_has_a_header_that_fits(header: bytes, size: int, *, sound: bool) -> None:
    table = ChunkTable(frame_of((SectionTag.CHUNKS, header + bytes(range(size)))), 2)
    if sound:
        assert table.all_lines().shape == (2, 2)
        return
    with pytest.raises(CorruptIndexError):
        table.all_lines()


@pytest.mark.parametrize("hidden", [0, 16, 4096])
def test_no_bytes_are_hidden_between_two_sections(hidden: int) -> None:
    store = MemoryStore()
    writer = FrameWriter(store)
    writer.section(b"AAAA", 0, [b"12345"])
    writer._body(bytes(-writer._length % SECTION_ALIGNMENT + hidden))
    writer.section(b"BBBB", 0, [b"67"])
    name = writer.finish().name
    if not hidden:
        assert len(FramedFile(store.open(name)).sections) == 2
        return
    with pytest.raises(CorruptIndexError) as found:
        FramedFile(store.open(name))
    assert found.value.section == "directory"
