"""Shows the files of an index as text: the same bytes always give the same lines.

Damaged files are shown as far as they can be read: a line that begins with `!` says what could not
be, and the rest follows. Texts from the index are escaped, so that no line can mimic another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from typing import Final

import msgpack
import numpy as np

from index_format import layout
from index_format.codec import chunks, postings
from index_format.codec.fingerprints import FileTable
from index_format.codec.frame import HEADER, FramedFile, Section
from index_format.codec.number_columns import NumberColumns
from index_format.codec.segment_meta import decode_meta
from index_format.codec.terms import TermDictionary
from index_format.errors import CorruptIndexError, IndexFormatError, InvalidInputError
from index_format.generation.manifest import Manifest, decode
from index_format.layout import BLOCK_WIDTHS, TERMS_PER_PAGE, SectionTag
from index_format.segment import posting_lists
from index_format.store import names
from index_format.store.contract import ReadHandle, Store

DEFAULT_LIMIT: Final = 1000
_SHOWN_BYTES: Final = 256
_HEX_WIDTH: Final = 16
_HEX_BYTES: Final = 32
Lines = Iterator[str]


def dump(
    store: Store, name: str, section: str | None = None, limit: int = DEFAULT_LIMIT
) -> Iterator[str]:
    """Lines about one file; of a segment's section (`TERM`, `BLKM[1]`), its bytes and records.

    Each part has at most `limit` lines, and a last line "..." if there are more.
    """
    if not (names.is_published(name) or name == layout.CURRENT_NAME):
        message = f"{name!r} is not the name of a file that can be shown"
        raise InvalidInputError(message)
    try:
        with closing(store.open(name)) as handle:
            yield f"{name}: {handle.size} bytes"
            if names.is_segment(name):
                yield from _segment(handle, section, limit)
            else:
                yield from _record_file(handle, name, limit)
    except IndexFormatError as error:
        yield f"! {error}"


def _record_file(handle: ReadHandle, name: str, limit: int) -> Lines:
    """The pointer or a manifest."""
    size = min(handle.size, layout.MAX_MANIFEST_BYTES)
    data = handle.read(0, size)
    if name == layout.CURRENT_NAME:
        yield ascii(data[:_SHOWN_BYTES])
        return
    try:
        yield from limit_lines(_manifest_lines(decode(data, name)), limit)
    except IndexFormatError as error:
        yield f"! {error}"
        yield ascii(data[:_SHOWN_BYTES])


def _manifest_lines(manifest: Manifest) -> Lines:
    yield f"format {manifest.format_version}, feature {manifest.feature_version}"
    yield f"generation {manifest.generation}"
    yield f"settings {manifest.settings!a}"
    for number, field in enumerate(manifest.schema.fields):
        yield f"field {number}: {field.name!a}{', positions' * field.positions}"
    for entry in manifest.segments:
        yield f"segment {entry.name}{', canonical' * entry.canonical}"
        yield f"  length {entry.length}, seal {entry.seal}"
        yield f"  files {entry.files}, dead {list(entry.dead_files)}"
        totals = list(entry.live_totals)
        yield f"  chunks {entry.chunks}, live {entry.live_chunks}, live tokens {totals}"


def _segment(handle: ReadHandle, section: str | None, limit: int) -> Lines:
    try:
        frame = FramedFile(handle)
    except IndexFormatError as error:
        yield f"! {error}"
        yield from _ends(handle)
        return
    if section is None:
        yield from _frame_lines(frame, handle)
    for found in frame.sections:
        if section in (None, found.label, found.label.partition("[")[0]):
            yield f"{found.label} at {found.offset}, {found.length} bytes"
            yield from limit_lines(segment_lines(frame, found), limit)


def _ends(handle: ReadHandle) -> Lines:
    """The first and last bytes of a file that can't be opened."""
    size = min(handle.size, _SHOWN_BYTES)
    for start in dict.fromkeys((0, handle.size - size)):
        yield from hex_lines(handle.read(start, size), start)


def _frame_lines(frame: FramedFile, handle: ReadHandle) -> Lines:
    magic, version, feature, _ = HEADER.unpack(handle.read(0, HEADER.size))
    yield f"header at 0: magic {magic!a}, format {version}, feature {feature}"
    yield f"tail at {frame.tail_offset}: {len(frame.sections)} sections, seal {frame.seal}"
    for error in frame.verify_pages():
        yield f"! {error}"
    for section in frame.sections:
        yield f"  {section.label:<8} {section.offset:>10} {section.length:>10}"


def limit_lines(lines: Lines, limit: int) -> Lines:
    """At most so many lines, and a mark where there are more; an error ends them."""
    try:
        for line in islice(lines, limit):
            yield f"  {line}"
        if any(True for _ in lines):
            yield "  ..."
    except IndexFormatError as error:
        yield f"! {error}"


def hex_lines(data: bytes, start: int) -> Lines:
    """Bytes as hexadecimal numbers and as text, with their offset."""
    for at in range(0, len(data), _HEX_WIDTH):
        row = data[at : at + _HEX_WIDTH]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield f"  {start + at:>8}  {row.hex(' '):<47}  {text}"


def segment_lines(frame: FramedFile, section: Section) -> Lines:
    """Records of a section, as far as its kind is known; plain bytes otherwise."""
    return _DECODERS.get(section.tag, _bytes)(frame, section)


def _meta(frame: FramedFile, section: Section) -> Lines:
    data = bytes(frame.read(section))
    try:
        yield ascii(msgpack.unpackb(data))
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise frame.corrupt(section, 0, error, "a record") from error


def _paths(frame: FramedFile, _section: Section) -> Lines:
    files = _files(frame)
    for number in range(files.count):
        yield f"file {number}: {_text(files.paths.path(number))}"


def _prints(frame: FramedFile, _section: Section) -> Lines:
    files = _files(frame)
    for number in range(files.count):
        yield f"file {number}: {files.fingerprint(number).hex()}, {files.size(number)} bytes"


def _files(frame: FramedFile) -> FileTable:
    meta, fields = decode_meta(frame)
    return FileTable(frame, meta.files, meta.chunks, len(fields))


def _numbers(frame: FramedFile, section: Section) -> Lines:
    """One number of each file."""
    columns = NumberColumns(frame, section, _files(frame).count)
    return (f"file {file}: {columns.number(0, file)}" for file in range(columns.rows))


def _totals(frame: FramedFile, section: Section) -> Lines:
    _, fields = decode_meta(frame)
    columns = NumberColumns(frame, section, _files(frame).count, len(fields))
    for file in range(columns.rows):
        yield f"file {file}: {[columns.number(field, file) for field in range(len(fields))]}"


def _chunks(frame: FramedFile, _section: Section) -> Lines:
    count = decode_meta(frame)[0].chunks
    table = chunks.ChunkTable(frame, count)
    for number in range(count):
        first, last = table.lines(number)
        yield f"chunk {number}: lines {first} to {last}, id {table.chunk_id(number)}"


def _lengths(frame: FramedFile, section: Section) -> Lines:
    for number, code in enumerate(_integers(frame, section, "u1", 0, section.length)):
        yield f"chunk {number}: code {code}, about {int(chunks.CODE_LENGTHS[code])} tokens"


def _info(frame: FramedFile, section: Section) -> Lines:
    """Dictionary entries, with the blocks and tails that they lead to."""
    dictionary = TermDictionary(frame, section.field)
    for number in range(dictionary.page_count):
        try:
            page = dictionary.page(number)
        except CorruptIndexError as error:
            yield f"! {error}"
            continue
        yield f"page {number}: begins at {list(page.starts)}"
        for at, term in enumerate(page.terms):
            entry = page.entry(at)
            yield (
                f"term {number * TERMS_PER_PAGE + at}: {_text(term)}, {entry.chunks} chunks, "
                f"{entry.occurrences} occurrences, block {entry.first_block}, "
                f"tail at {entry.tail[0]} + {entry.tail[1]}, "
                f"positions at {entry.positions[0]} + {entry.positions[1]}"
            )


def _blocks(frame: FramedFile, section: Section) -> Lines:
    size = postings.BLOCK_META.itemsize
    for number in range(section.length // size):
        data = frame.read(section, number * size, size)
        block = np.frombuffer(data, dtype=postings.BLOCK_META)[0]
        low, high = int(block["widths"]) & 15, int(block["widths"]) >> 4
        yield (
            f"block {number}: last chunk {block['last']}, row {block['row']}, positions to "
            f"{block['positions']}, most {block['most']}, "
            f"fitting code {block['fitting']}, shortest code {block['shortest']}, "
            f"widths {_width(low)} and {_width(high)}"
        )


def _tails(frame: FramedFile, section: Section) -> Lines:
    """Postings outside full blocks, term by term."""
    dictionary = TermDictionary(frame, section.field)
    stored = frame.has(SectionTag.POSITIONS, section.field)
    count = decode_meta(frame)[0].chunks
    lists = posting_lists.PostingLists(frame, section.field, count, positions=stored)
    for page, _ in dictionary.pages_from(b""):
        for at, term in enumerate(page.terms):
            try:
                found = lists.term(page.entry(at))
                columns = found.tail_chunks.tolist(), found.tail_frequencies.tolist()
                listed = list(zip(*columns, strict=True))
                yield f"{_text(term)}: chunks and frequencies {listed}"
                if stored:
                    yield f"  positions {found.tail_positions().tolist()}"
            except CorruptIndexError as error:
                yield f"! {error}"


def _bytes(frame: FramedFile, section: Section) -> Lines:
    for at in range(0, section.length, _HEX_BYTES):
        data = bytes(frame.read(section, at, min(_HEX_BYTES, section.length - at)))
        yield f"{at:>8}  {data.hex(' ')}"


_DECODERS: Final[dict[bytes, Callable[[FramedFile, Section], Lines]]] = {
    SectionTag.SEGMENT_META: _meta,
    SectionTag.PATHS: _paths,
    SectionTag.FINGERPRINTS: _prints,
    SectionTag.CHUNK_COUNTS: _numbers,
    SectionTag.FILE_TOTALS: _totals,
    SectionTag.CHUNKS: _chunks,
    SectionTag.LENGTHS: _lengths,
    SectionTag.ATTACHMENT_SIZES: _numbers,
    SectionTag.TERM_INFO: _info,
    SectionTag.BLOCK_META: _blocks,
    SectionTag.TAILS: _tails,
}


def _integers(frame: FramedFile, section: Section, kind: str, start: int, length: int) -> list[int]:
    found: list[int] = np.frombuffer(frame.read(section, start, length), dtype=kind).tolist()
    return found


def _width(code: int) -> str:
    return str(BLOCK_WIDTHS[code]) if code < len(BLOCK_WIDTHS) else f"unknown code {code}"


def _text(data: bytes) -> str:
    return ascii(data.decode("utf-8", "backslashreplace"))
