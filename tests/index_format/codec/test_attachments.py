"""Sizes of attachments are those of their bytes, for all files of a segment."""

from __future__ import annotations

from index_format import MemoryStore
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
