"""The META section of a segment: counts, the fields of its chunks, kinds of attachments.

META  msgpack [files, chunks, [[name, positions], …], [kind, …]]; kinds ascending
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgpack

from index_format.codec.frame import FramedFile
from index_format.layout import MAX_CHUNKS_PER_SEGMENT, SectionTag
from index_format.model import Schema
from index_format.tuples import NamedTuple

_SHOWN_BYTES: Final = 256


class SegmentMeta(NamedTuple):
    """The counts of a segment, and its kinds of attachments."""

    files: int
    chunks: int
    kinds: Sequence[str]


def encode_meta(meta: SegmentMeta, schema: Schema) -> bytes:
    """The section; it has no other spelling."""
    record: bytes = msgpack.packb([meta.files, meta.chunks, _fields(schema), list(meta.kinds)])
    return record


def read_meta(frame: FramedFile, schema: Schema) -> SegmentMeta:
    """The content of the section, whose fields have to be those of the index."""
    meta, fields = decode_meta(frame)
    section = frame.section(SectionTag.SEGMENT_META)
    data = bytes(frame.read(section))
    if fields != _fields(schema):
        expected = f"the index's fields {_fields(schema)}"
        raise frame.corrupt(section, 0, data[:_SHOWN_BYTES], expected)
    if sorted(set(meta.kinds)) != meta.kinds or encode_meta(meta, schema) != data:
        raise frame.corrupt(section, 0, data[:_SHOWN_BYTES], "the one spelling of this record")
    return meta


def decode_meta(frame: FramedFile) -> tuple[SegmentMeta, list[object]]:
    """The content of the section, and the fields as they are stored."""
    section = frame.section(SectionTag.SEGMENT_META)
    data = bytes(frame.read(section))
    try:
        files, chunks, fields, kinds = msgpack.unpackb(data)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise frame.corrupt(section, 0, error, "a segment record") from error
    # the record may be nested too deeply to be shown
    got = data[:_SHOWN_BYTES]
    counts = type(files) is int and type(chunks) is int
    if not counts or files < 0 or not 0 <= chunks < MAX_CHUNKS_PER_SEGMENT:
        raise frame.corrupt(section, 0, got, "counts")
    if not isinstance(fields, list):
        raise frame.corrupt(section, 0, got, "fields")
    if not isinstance(kinds, list) or not all(type(kind) is str for kind in kinds):
        raise frame.corrupt(section, 0, got, "names of attachments")
    return SegmentMeta(files, chunks, kinds), fields


def _fields(schema: Schema) -> list[list[object]]:
    return [[field.name, field.positions] for field in schema.fields]
