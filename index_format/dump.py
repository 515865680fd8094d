"""Shows the files of an index as text: the same bytes always give the same lines.

Damaged files are shown as far as they can be read: a line that begins with `!` says what could not
be, and the rest follows. Texts from the index are escaped, so that no line can mimic another.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Final

from index_format import layout, names
from index_format.dump_segment import Lines, segment_lines
from index_format.errors import IndexFormatError, InvalidInputError
from index_format.frame import HEADER, Frame
from index_format.manifest import Manifest, decode
from index_format.store import ReadHandle, Store

DEFAULT_LIMIT: Final = 1000
_SHOWN_BYTES: Final = 256
_HEX_WIDTH: Final = 16


def dump(
    store: Store, name: str, section: str | None = None, limit: int = DEFAULT_LIMIT
) -> Iterator[str]:
    """Lines about one file; of a segment's section (`TERM`, `BLKM[1]`), its bytes and records.

    At most `limit` lines come for each part; a last line says when there would be more.
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
        yield from limited(_manifest_lines(decode(data, name)), limit)
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
        frame = Frame(handle)
    except IndexFormatError as error:
        yield f"! {error}"
        yield from _ends(handle)
        return
    if section is None:
        yield from _frame_lines(frame, handle)
    for found in frame.sections:
        if section in (None, found.label, found.label.partition("[")[0]):
            yield f"{found.label} at {found.offset}, {found.length} bytes"
            yield from limited(segment_lines(frame, found), limit)


def _ends(handle: ReadHandle) -> Lines:
    """The first and last bytes of a file that can't be opened."""
    size = min(handle.size, _SHOWN_BYTES)
    for start in dict.fromkeys((0, handle.size - size)):
        yield from hex_lines(handle.read(start, size), start)


def _frame_lines(frame: Frame, handle: ReadHandle) -> Lines:
    magic, version, feature, _ = HEADER.unpack(handle.read(0, HEADER.size))
    yield f"header at 0: magic {magic!a}, format {version}, feature {feature}"
    yield f"tail at {frame.tail_offset}: {len(frame.sections)} sections, seal {frame.seal}"
    for error in frame.verify_pages():
        yield f"! {error}"
    for section in frame.sections:
        yield f"  {section.label:<8} {section.offset:>10} {section.length:>10}"


def limited(lines: Lines, limit: int) -> Lines:
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
