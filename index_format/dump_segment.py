"""Decodes a section of a segment into lines of text, one record each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgpack
import numpy as np

from index_format import (
    attachments,
    chunks,
    fingerprints,
    lengths,
    posting_lists,
    postings,
    terms,
)
from index_format.errors import CorruptIndexError
from index_format.fingerprints import FINGERPRINT_BYTES
from index_format.frame import Frame, Section
from index_format.layout import BLOCK_WIDTHS, TERMS_PER_PAGE
from index_format.segment_writer import SEGMENT_META
from index_format.terms import TermDictionary

Lines = Iterator[str]
_HEX_BYTES: Final = 32


def segment_lines(frame: Frame, section: Section) -> Lines:
    """Records of a section, as far as its kind is known; plain bytes otherwise."""
    return _DECODERS.get(section.tag, _bytes)(frame, section)


def _meta(frame: Frame, section: Section) -> Lines:
    data = bytes(frame.read(section))
    try:
        yield ascii(msgpack.unpackb(data))
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise frame.corrupt(section, 0, error, "a record") from error


def _paths(frame: Frame, section: Section) -> Lines:
    files = _count(frame, fingerprints.FIRST_CHUNKS, 4) - 1
    fixed = (files + 1) * 4
    bounds = np.frombuffer(frame.read(section, 0, fixed), dtype="<u4").tolist()
    for number in range(files):
        begin, end = bounds[number : number + 2]
        path = bytes(frame.read(section, fixed + begin, end - begin))
        yield f"file {number}: {_text(path)}"


def _prints(frame: Frame, section: Section) -> Lines:
    files = section.length // (FINGERPRINT_BYTES + 8)
    for number in range(files):
        data = frame.read(section, number * FINGERPRINT_BYTES, FINGERPRINT_BYTES)
        size = frame.read(section, files * FINGERPRINT_BYTES + number * 8, 8)
        yield f"file {number}: {bytes(data).hex()}, {int.from_bytes(size, 'little')} bytes"


def _chunks(frame: Frame, _section: Section) -> Lines:
    count = _chunk_count(frame)
    table = chunks.ChunkTable(frame, count)
    for number in range(count):
        first, last = table.lines(number)
        yield f"chunk {number}: lines {first} to {last}, id {table.chunk_id(number)}"


def _lengths(frame: Frame, section: Section) -> Lines:
    for number, code in enumerate(_integers(frame, section, "u1", 0, section.length)):
        yield f"chunk {number}: code {code}, about {int(lengths.CODE_LENGTHS[code])} tokens"


def _info(frame: Frame, section: Section) -> Lines:
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


def _blocks(frame: Frame, section: Section) -> Lines:
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


def _tails(frame: Frame, section: Section) -> Lines:
    """Postings that stand in no full block, term by term."""
    dictionary = TermDictionary(frame, section.field)
    stored = frame.has(posting_lists.POSITIONS, section.field)
    count = _chunk_count(frame)
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


def _numbers(kind: str) -> Callable[[Frame, Section], Lines]:
    size = np.dtype(kind).itemsize

    def lines(frame: Frame, section: Section) -> Lines:
        for number in range(section.length // size):
            (value,) = _integers(frame, section, kind, number * size, size)
            yield f"{number}: {value}"

    return lines


def _bytes(frame: Frame, section: Section) -> Lines:
    for at in range(0, section.length, _HEX_BYTES):
        data = bytes(frame.read(section, at, min(_HEX_BYTES, section.length - at)))
        yield f"{at:>8}  {data.hex(' ')}"


_DECODERS: Final[dict[bytes, Callable[[Frame, Section], Lines]]] = {
    SEGMENT_META: _meta,
    fingerprints.PATHS: _paths,
    fingerprints.FINGERPRINTS: _prints,
    fingerprints.FIRST_CHUNKS: _numbers("<u4"),
    fingerprints.TOTALS: _numbers("<u4"),
    chunks.TABLE: _chunks,
    chunks.LENGTHS: _lengths,
    attachments.OFFSETS: _numbers("<u8"),
    terms.INFO: _info,
    posting_lists.META: _blocks,
    posting_lists.TAILS: _tails,
}


def _count(frame: Frame, tag: bytes, size: int) -> int:
    return frame.section(tag).length // size


def _chunk_count(frame: Frame) -> int:
    """Where the last file's chunks end."""
    section = frame.section(fingerprints.FIRST_CHUNKS)
    return _integers(frame, section, "<u4", max(section.length - 4, 0), 4)[0]


def _integers(frame: Frame, section: Section, kind: str, start: int, length: int) -> list[int]:
    found: list[int] = np.frombuffer(frame.read(section, start, length), dtype=kind).tolist()
    return found


def _width(code: int) -> str:
    return str(BLOCK_WIDTHS[code]) if code < len(BLOCK_WIDTHS) else f"unknown code {code}"


def _text(data: bytes) -> str:
    return ascii(data.decode("utf-8", "backslashreplace"))
