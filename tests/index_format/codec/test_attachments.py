"""Sizes of attachments are those of their bytes, for all files of a segment."""

from __future__ import annotations

import struct

import pytest

from index_format import CorruptIndexError, MemoryStore
from index_format.codec.attachments import Attachments
from index_format.codec.frame import FramedFile, FrameWriter
from index_format.layout import SectionTag
from tests.index_format.samples import document, index_in

KINDS = {"a": {"x": b"12"}, "b": {}, "c": {"x": b"345", "y": b"6"}}


def test_sizes_of_all_files_are_listed() -> None:
    index = index_in(MemoryStore())
    with index.writer() as writer:
        for path, attached in KINDS.items():
            writer.add(document(path, [{"body": "word"}], writer.vocabulary, attached))
        snapshot = writer.commit()
    attachments = snapshot.segments[0].reader.attachments
    assert attachments.sizes("x").tolist() == [2, 0, 3]
    assert attachments.sizes("y").tolist() == [0, 0, 1]
    assert attachments.sizes("z").tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "sizes",
    [(2, 4), (6, 0), (2, 2), (5,), (2, 3, 0), (1 << 63, (1 << 63) + 5), (7, (1 << 64) - 2)],
)
def test_sizes_that_do_not_divide_the_bytes_are_damage(sizes: tuple[int, ...]) -> None:
    def read(*stored: int) -> Attachments:
        store = MemoryStore()
        writer = FrameWriter(store)
        data = b"\x08" + struct.pack(f"<{len(stored)}Q", *stored)
        writer.section(SectionTag.ATTACHMENT_SIZES, 0, [data])
        writer.section(SectionTag.ATTACHMENT_DATA, 0, [b"12345"])
        return Attachments(FramedFile(store.open(writer.finish().name)), 2, ["x"])

    assert read(2, 3).get(1, "x") == b"345"
    with pytest.raises(CorruptIndexError):
        read(*sizes).sizes("x")
