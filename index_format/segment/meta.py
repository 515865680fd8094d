"""The META section of a segment: counts, the fields of its chunks, kinds of attachments."""

from __future__ import annotations

from collections.abc import Sequence

import msgpack

from index_format.model import Schema


def encode_meta(files: int, chunks: int, schema: Schema, kinds: Sequence[str]) -> bytes:
    """The section; it has no other spelling."""
    fields = [[field.name, field.positions] for field in schema.fields]
    record: bytes = msgpack.packb([files, chunks, fields, list(kinds)])
    return record
