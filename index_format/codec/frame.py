"""The frame of a segment file: header, tagged sections, page checksums, footer.

    header     magic 8 | format u16 | feature u16 | zero u32
    sections   each begins at a multiple of 16; zeros between
    tail       directory   per section: tag 4 | field u16 | zero u16 | offset u64 | length u64
               page table  per 16 KiB page from the file's first byte to the tail: xxh3_64
               footer      magic 8 | format u16 | feature u16 | sections u32 | tail offset u64
                           | pages u64 | file length u64 | zero u64 | xxh3_128 of the tail before it

The tail is verified when the file is opened, a page each time it is read. So opening costs the
same for any size, and no byte reaches a caller that was not checked on the way. The last 16
bytes, the *seal*, stand for the whole file: a manifest that names a seal names every byte.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable
from typing import Final

import numpy as np
import xxhash

from index_format import layout
from index_format.blake2 import blake2b
from index_format.codec.bits import U64
from index_format.errors import CorruptIndexError, UnsupportedVersionError
from index_format.records import Record
from index_format.store.contract import ReadHandle, Store

HEADER: Final = struct.Struct("<8sHHI")
ENTRY: Final = struct.Struct("<4sHHQQ")
FOOTER: Final = struct.Struct("<8sHHIQQQQ16s")
SEAL_BYTES: Final = 16
_PAGE: Final = layout.PAGE_BYTES
_LIKELY_TAIL: Final = _PAGE
# a schema has a few fields, each with a few sections
_MOST_SECTIONS: Final = 1 << 16
# pages of one generation: two of them are kept
_MOST: Final = 512
# the number of a page within its file takes the lower bits of its key
_PAGE_BITS: Final = 40
_files = itertools.count()


class PageCache:
    """Two generations of pages: those that nobody asked for while many others came are let go."""

    def __init__(self, most: int = _MOST) -> None:
        """Keep up to twice as many pages as `most`."""
        self._most = most
        # `young` is read directly where a call would cost more than what it finds
        self.young: dict[int, bytes] = {}
        self._old: dict[int, bytes] = {}

    def find(self, key: int) -> bytes | None:
        """A page that is kept, from now on among the young ones."""
        data = self.young.get(key) or self._old.get(key)
        if data is not None:
            self.keep(key, data)
        return data

    def keep(self, key: int, data: bytes) -> None:
        """Keep a verified page."""
        if len(self.young) >= self._most:
            self.young, self._old = {}, self.young
        self.young[key] = data

    def __len__(self) -> int:
        """Count of pages that are kept."""
        return len(self.young.keys() | self._old.keys())


PAGES: Final = PageCache()


def new_keys() -> int:
    """The key of the first page of a file that is opened now; no other file gets its keys."""
    return next(_files) << _PAGE_BITS


class Section(Record):
    """Offset and length of a section; `tag` and `field` identify it within its file."""

    tag: bytes
    field: int
    offset: int
    length: int

    @property
    def label(self) -> str:
        """The section's name in findings and errors."""
        return f"{ascii(self.tag.decode('latin-1'))[1:-1]}[{self.field}]"


class FrameFile(Record):
    """A finished file: its name, its length, and the seal that vouches for its bytes."""

    name: str
    length: int
    seal: str


class FrameWriter:
    """Streams sections into a new file of a store, hashing as it goes."""

    def __init__(self, store: Store) -> None:
        """Begin a file; nothing is visible before `finish`."""
        self._handle = store.create()
        self._digest = blake2b(digest_size=layout.SEGMENT_DIGEST_BYTES)
        self._page = xxhash.xxh3_64()
        self._page_room = _PAGE
        self._pages: list[int] = []
        self._sections: list[Section] = []
        self._length = 0
        self._body(
            HEADER.pack(layout.HEADER_MAGIC, layout.FORMAT_VERSION, layout.FEATURE_VERSION, 0)
        )

    def section(self, tag: bytes, field: int, parts: Iterable[bytes | memoryview]) -> None:
        """Append a section; (tag, field) pairs come in ascending order of neither, once each."""
        self._body(bytes(-self._length % layout.SECTION_ALIGNMENT))
        start = self._length
        for part in parts:
            self._body(part)
        self._sections.append(Section(tag, field, start, self._length - start))

    def finish(self) -> FrameFile:
        """Write the tail and publish the file under the name its content gives it."""
        if self._page_room < _PAGE:
            self._pages.append(self._page.intdigest())
        tail_offset = self._length
        directory = b"".join(
            ENTRY.pack(item.tag, item.field, 0, item.offset, item.length) for item in self._sections
        )
        table = struct.pack(f"<{len(self._pages)}Q", *self._pages)
        length = tail_offset + len(directory) + len(table) + FOOTER.size
        footer = FOOTER.pack(
            layout.FOOTER_MAGIC,
            layout.FORMAT_VERSION,
            layout.FEATURE_VERSION,
            len(self._sections),
            tail_offset,
            len(self._pages),
            length,
            0,
            bytes(SEAL_BYTES),
        )
        tail = directory + table + footer[:-SEAL_BYTES]
        seal = xxhash.xxh3_128_digest(tail)
        self._write(tail + seal)
        name = layout.segment_name(self._digest.digest())
        self._handle.publish(name)
        return FrameFile(name, length, seal.hex())

    def discard(self) -> None:
        """Throw the unfinished file away."""
        self._handle.discard()

    def _write(self, data: bytes | memoryview) -> None:
        self._digest.update(data)
        self._handle.write(data)
        self._length += len(data)

    def _body(self, data: bytes | memoryview) -> None:
        self._write(data)
        rest = memoryview(data)
        while rest:
            step = rest[: self._page_room]
            self._page.update(step)
            self._page_room -= len(step)
            rest = rest[len(step) :]
            if not self._page_room:
                self._pages.append(self._page.intdigest())
                self._page = xxhash.xxh3_64()
                self._page_room = _PAGE


class FramedFile:
    """An opened file: sections by tag and field, every read verified."""

    def __init__(self, handle: ReadHandle, seal: str | None = None) -> None:
        """Verify header and tail, and that the tail is the one the manifest vouches for."""
        self._handle = handle
        self.name = handle.name
        # each read may cost a request
        self.is_remote = handle.identity.startswith(layout.UNREAD)
        self.length = handle.size
        if self.length < HEADER.size + FOOTER.size:
            raise self._corrupt("footer", 0, self.length, f"{HEADER.size + FOOTER.size} bytes")
        likely = min(self.length, _LIKELY_TAIL)
        end = handle.read(self.length - likely, likely)
        self._tail_offset, tail, sections, pages = self._check_footer(end, seal)
        table = tail[-FOOTER.size - 8 * pages : -FOOTER.size]
        self._pages: U64 = np.frombuffer(table, dtype="<u8")
        self._keys = new_keys()
        self._sections = self._read_directory(tail[: sections * ENTRY.size])
        self._check_header()

    @property
    def seal(self) -> str:
        """The checksum that identifies the whole file."""
        return self._seal

    @property
    def tail_offset(self) -> int:
        """The end of the sections."""
        return self._tail_offset

    @property
    def sections(self) -> tuple[Section, ...]:
        """All sections in file order."""
        return tuple(self._sections.values())

    def has(self, tag: bytes, field: int = 0) -> bool:
        """True if the section is there."""
        return (tag, field) in self._sections

    def section(self, tag: bytes, field: int = 0) -> Section:
        """The section with this tag and field; a file without it is corrupt."""
        found = self._sections.get((tag, field))
        if found is None:
            raise self._corrupt("directory", self._tail_offset, "no section", f"{tag!r}[{field}]")
        return found

    def read(self, section: Section, start: int = 0, length: int | None = None) -> memoryview:
        """Verified bytes of a section."""
        size = section.length - start if length is None else length
        if start < 0 or size < 0 or start + size > section.length:
            raise self._corrupt(section.label, start, f"{size} bytes", f"{section.length} in all")
        if not size:
            return memoryview(b"")
        page, begin = divmod(section.offset + start, _PAGE)
        end = begin + size
        if end <= _PAGE:
            data = PAGES.young.get(self._keys + page) or self._kept_page(page, section)
        elif end <= 2 * _PAGE:
            young, key = PAGES.young, self._keys + page
            first = young.get(key) or self._kept_page(page, section)
            next_page = young.get(key + 1) or self._kept_page(page + 1, section)
            return memoryview(first[begin:] + next_page[: end - _PAGE])
        else:
            data = self._verified_pages(page, page + (end - 1) // _PAGE + 1, section)
        return memoryview(data)[begin:end]

    def expect(self, parts: Iterable[tuple[Section, int, int]]) -> None:
        """Prefetch parts of sections, by start and length, if they are remote."""
        self._handle.expect((section.offset + start, length) for section, start, length in parts)

    def verify_pages(self) -> Iterable[CorruptIndexError]:
        """Check every page; yields an error for each that is damaged."""
        for page in range(len(self._pages)):
            try:
                self._verified_pages(page, page + 1, None)
            except CorruptIndexError as error:
                yield error

    def file_bytes(self, start: int, length: int) -> bytes:
        """Bytes of the whole file, as they are: to be copied, and verified by who gets them."""
        return self._handle.read(start, length)

    def close(self) -> None:
        """Give the file back."""
        self._handle.close()

    def corrupt(
        self, section: Section, offset: int, got: object, expected: object
    ) -> CorruptIndexError:
        """The error for content of a section that no writer produces."""
        return self._corrupt(section.label, offset, got, expected)

    def _kept_page(self, page: int, section: Section) -> bytes:
        """A page as it was when it was last read and verified.

        Small reads come back to the same pages: of chunk tables, fingerprints and term indexes.
        """
        data = PAGES.find(self._keys + page)
        if data is None:
            data = self._verified_page(page, section)
            PAGES.keep(self._keys + page, data)
        return data

    def _verified_page(self, page: int, section: Section) -> bytes:
        start = page * _PAGE
        data = self._handle.read(start, min(_PAGE, self._tail_offset - start))
        if xxhash.xxh3_64_intdigest(data) != self._pages.item(page):
            return self._verified_pages(page, page + 1, section)  # which says what is wrong
        return data

    def _verified_pages(self, first: int, last: int, section: Section | None) -> bytes:
        start = first * _PAGE
        data = self._handle.read(start, min(last * _PAGE, self._tail_offset) - start)
        view = memoryview(data)
        for page, expected in enumerate(self._pages[first:last].tolist(), first):
            begin = page * _PAGE - start
            got = xxhash.xxh3_64_intdigest(view[begin : begin + _PAGE])
            if got != expected:
                label = section.label if section else self._label_at(page)
                raise self._corrupt(
                    label, page * _PAGE, f"{got:016x}", f"page checksum {expected:016x}"
                )
        return data

    def _label_at(self, page: int) -> str:
        start, end = page * _PAGE, (page + 1) * _PAGE
        touched = [
            item.label
            for item in self.sections
            if item.offset < end and item.offset + item.length > start
        ]
        return " to ".join(dict.fromkeys([*touched[:1], *touched[-1:]])) or "header"

    def _check_footer(self, end: bytes, seal: str | None) -> tuple[int, bytes, int, int]:
        footer_at = self.length - FOOTER.size
        magic, version, feature, sections, tail_offset, pages, length, zero, got_seal = (
            FOOTER.unpack(end[-FOOTER.size :])
        )
        if magic != layout.FOOTER_MAGIC or zero:
            raise self._corrupt("footer", footer_at, magic, layout.FOOTER_MAGIC)
        if length != self.length:
            raise self._corrupt("footer", footer_at, f"{self.length} bytes", f"{length} bytes")
        tail_length = sections * ENTRY.size + pages * 8 + FOOTER.size
        fits = sections <= _MOST_SECTIONS and tail_offset + tail_length == self.length
        if not fits or pages != -(-tail_offset // _PAGE):
            raise self._corrupt("footer", footer_at, f"tail at {tail_offset}", "a tail that fits")
        tail = end[-tail_length:] if tail_length <= len(end) else self._read_tail(tail_offset)
        want = xxhash.xxh3_128_digest(tail[:-SEAL_BYTES])
        if want != got_seal or (seal is not None and seal != got_seal.hex()):
            expected = want.hex() if want != got_seal else seal
            raise self._corrupt("footer", footer_at, got_seal.hex(), f"seal {expected}")
        if not layout.MIN_READABLE_VERSION <= version <= layout.FORMAT_VERSION:
            raise UnsupportedVersionError(
                self.name, version, layout.MIN_READABLE_VERSION, layout.FORMAT_VERSION
            )
        self._seal: str = got_seal.hex()
        self._versions = version, feature
        return tail_offset, tail, sections, pages

    def _read_tail(self, tail_offset: int) -> bytes:
        return self._handle.read(tail_offset, self.length - tail_offset)

    def _read_directory(self, data: bytes) -> dict[tuple[bytes, int], Section]:
        sections: dict[tuple[bytes, int], Section] = {}
        end = HEADER.size
        for tag, field, zero, offset, length in ENTRY.iter_unpack(data):
            aligned = end + -end % layout.SECTION_ALIGNMENT
            inside = offset == aligned and offset + length <= self._tail_offset
            if zero or not inside or (tag, field) in sections:
                raise self._corrupt("directory", self._tail_offset, (tag, field, offset), aligned)
            sections[tag, field] = Section(tag, field, offset, length)
            end = offset + length
        if end != self._tail_offset:
            raise self._corrupt("directory", self._tail_offset, f"content to {end}", "no gap")
        return sections

    def _check_header(self) -> None:
        got = HEADER.unpack(self._handle.read(0, HEADER.size))
        expected = (layout.HEADER_MAGIC, *self._versions, 0)
        if got != expected:
            raise self._corrupt("header", 0, got, expected)

    def _corrupt(
        self, section: str, offset: int, got: object, expected: object
    ) -> CorruptIndexError:
        return CorruptIndexError(self.name, section, offset, got, expected)
