"""Checks one segment: decodes it, encodes it again, and compares every byte.

The postings are decoded span by span and encoded again; the first byte of a section that differs
is a finding. This proves widths, block metadata, positions and padding in one go, and also finds
bytes that are readable but were not written by this library.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from index_format.codec import chunks
from index_format.codec.bits import steps
from index_format.codec.fingerprints import FileColumns, encode_files
from index_format.codec.frame import HEADER, SEAL_BYTES, FramedFile
from index_format.codec.number_columns import encode_columns
from index_format.errors import CorruptIndexError, UnsupportedVersionError
from index_format.generation.origin import check_name
from index_format.health.field_check import field_problems
from index_format.layout import SectionTag
from index_format.model import Schema
from index_format.records import replace
from index_format.segment.entry import SegmentEntry
from index_format.segment.reader import SegmentReader, replace_dead
from index_format.store.contract import ReadHandle

Problems = Iterator[CorruptIndexError]


def segment_problems(handle: ReadHandle, schema: Schema, entry: SegmentEntry) -> Problems:
    """All problems of a segment; memory is bounded by one span of postings.

    A file that is longer than its entry says is not read.
    """
    if handle.size > entry.length:
        got, expected = f"{handle.size} bytes", f"{entry.length} bytes"
        yield CorruptIndexError(handle.name, "file", 0, got, expected)
        return
    yield from name_problems(handle)
    seen: set[tuple[int, str]] = set()
    for error in _content_problems(handle, schema, entry.seal):
        key = error.offset, str(error.got)  # a damaged page fails again for each section on it
        if key not in seen:
            seen.add(key)
            yield error


def name_problems(handle: ReadHandle) -> Problems:
    """A problem if the segment's name is not the digest of its bytes."""
    try:
        check_name(handle)
    except CorruptIndexError as error:
        yield error


def catch_damage(problems: Problems) -> Problems:
    """These problems, and the one that ended them early."""
    try:
        yield from problems
    except CorruptIndexError as error:
        yield error
    except UnsupportedVersionError as error:
        yield CorruptIndexError(error.file, "footer", 0, f"version {error.got}", error.newest)


def measure_entry(
    reader: SegmentReader, entry: SegmentEntry, dead_files: tuple[int, ...]
) -> SegmentEntry:
    """The entry with these files dead, and all numbers as the segment gives them."""
    measured = replace(entry, length=reader.frame.length, seal=reader.frame.seal)
    return replace_dead(measured, reader, dead_files)


def entry_problems(reader: SegmentReader, entry: SegmentEntry, manifest: str) -> Problems:
    """Manifest numbers that differ from those of the segment."""
    for name, own in (("files", reader.file_count), ("chunks", reader.chunk_count)):
        if own != getattr(entry, name):
            got = f"{entry.name} {name} {getattr(entry, name)}"
            yield CorruptIndexError(manifest, "segments", 0, got, own)
            return
    actual = measure_entry(reader, entry, entry.dead_files)
    for name in ("length", "live_chunks", "live_totals"):
        got, expected = getattr(entry, name), getattr(actual, name)
        if got != expected:
            yield CorruptIndexError(manifest, "segments", 0, f"{entry.name} {name} {got}", expected)


def _content_problems(handle: ReadHandle, schema: Schema, seal: str | None) -> Problems:
    opened: list[SegmentReader] = []
    yield from catch_damage(_opening_problems(handle, schema, seal, opened))
    for reader in opened:
        yield from _reader_problems(reader, schema)


def _opening_problems(
    handle: ReadHandle, schema: Schema, seal: str | None, opened: list[SegmentReader]
) -> Problems:
    """Problems that keep a segment from being opened."""
    frame = FramedFile(handle)
    if seal not in (None, frame.seal):  # a foreign segment is checked all the same
        at = frame.length - SEAL_BYTES
        yield CorruptIndexError(handle.name, "footer", at, frame.seal, f"seal {seal}")
    yield from frame.verify_pages()
    yield from catch_damage(_padding_problems(frame, handle))
    opened.append(SegmentReader(handle, schema))


def _reader_problems(reader: SegmentReader, schema: Schema) -> Problems:
    yield from catch_damage(_directory_problems(reader, schema))
    yield from catch_damage(_file_problems(reader, len(schema.fields)))
    yield from catch_damage(_chunk_problems(reader))
    for kind in range(len(reader.attachments.kinds)):
        yield from catch_damage(_attachment_problems(reader, kind))
    for number in range(len(schema.fields)):
        yield from catch_damage(field_problems(reader, schema, number))


def _padding_problems(frame: FramedFile, handle: ReadHandle) -> Problems:
    end = HEADER.size
    for section in frame.sections:
        padding = handle.read(end, section.offset - end)
        if any(padding):
            yield frame.corrupt(section, end - section.offset, padding.hex(), "zeros before it")
        end = section.offset + section.length


def _directory_problems(reader: SegmentReader, schema: Schema) -> Problems:
    """The sections of a segment and their order are given by its schema and kinds."""
    got = [(section.tag, section.field) for section in reader.frame.sections]
    expected = list(expected_sections(schema, len(reader.attachments.kinds)))
    if got != expected:
        odd = sorted(set(got) ^ set(expected))
        at = reader.frame.tail_offset
        yield CorruptIndexError(reader.name, "directory", at, odd or "another order", "all, once")


def expected_sections(schema: Schema, kinds: int) -> Iterator[tuple[bytes, int]]:
    """Tags and fields of all sections in the order they are written."""
    counts = {"once": 1, "per field": len(schema.fields), "per attachment kind": kinds}
    for repeats, run in groupby(SectionTag, key=attrgetter("repeats")):
        tags = list(run)
        for number in range(counts[repeats]):
            for tag in tags:
                if tag is not SectionTag.POSITIONS or schema.fields[number].positions:
                    yield tag, number


def _file_problems(reader: SegmentReader, fields: int) -> Problems:
    """The tables of files must have their canonical encodings, and no size beyond 2**63."""
    files = reader.files
    columns = FileColumns(
        files.paths.list_all(),
        files.fingerprints(),
        files.sizes(),
        steps(files.bounds),
        files.totals(fields),
    )
    for tag, data in encode_files(columns).items():
        section = reader.frame.section(tag)
        if data != reader.frame.read(section):
            yield reader.frame.corrupt(section, 0, "other bytes", "the one spelling of its content")
    large = int(columns.sizes.max(initial=0))
    if large >> 63:
        section = reader.frame.section(SectionTag.FINGERPRINTS)
        yield reader.frame.corrupt(section, 0, large, "sizes below 2**63")


def _chunk_problems(reader: SegmentReader) -> Problems:
    """The chunk table must have its canonical encoding, and no line beyond 2**32."""
    section = reader.frame.section(SectionTag.CHUNKS)
    lines, ids = reader.chunks.all_lines(), reader.chunks.all_ids()
    if (lines[:, 1] < lines[:, 0]).any():
        yield reader.frame.corrupt(section, 0, "a last line", "no line beyond 2**32")
    elif chunks.encode_table(lines[:, 0], lines[:, 1], ids) != reader.frame.read(section):
        yield reader.frame.corrupt(section, 0, "wider columns", "the narrowest that do")


def _attachment_problems(reader: SegmentReader, kind: int) -> Problems:
    frame = reader.frame
    section = frame.section(SectionTag.ATTACHMENT_SIZES, kind)
    if not frame.section(SectionTag.ATTACHMENT_DATA, kind).length:
        yield frame.corrupt(section, 0, "a kind without bytes", "no such kind")
    sizes = reader.attachments.sizes(reader.attachments.kinds[kind])
    if encode_columns(sizes) != frame.read(section):
        yield frame.corrupt(section, 0, "wider columns", "the narrowest that do")
