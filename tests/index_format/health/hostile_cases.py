"""Sections that no writer makes: what is wrong, where, and how it is put there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgpack
import numpy as np

from index_format.codec.number_columns import encode_columns
from index_format.codec.postings import BLOCK_META
from tests.index_format.reseal import Sections

if TYPE_CHECKING:
    import numpy.typing as npt

Change = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """One change of one section; `reported` is the section that a check must blame."""

    name: str
    tag: bytes
    change: Change
    reported: str
    field: int = 0

    def apply(self, sections: Sections) -> Sections:
        """The sections with the change made."""
        return [
            (tag, field, self.change(data) if (tag, field) == (self.tag, self.field) else data)
            for tag, field, data in sections
        ]


def put(kind: str, at: int, *values: int) -> Change:
    """Write integers at an offset; negative offsets count from the end."""
    data = np.array(values, dtype=kind).tobytes()

    def change(old: bytes) -> bytes:
        start = at % len(old)
        return old[:start] + data + old[start + len(data) :]

    return change


def block(number: int, **values: int) -> Change:
    """Change a block's metadata."""

    def change(old: bytes) -> bytes:
        blocks = np.frombuffer(old, dtype=BLOCK_META).copy()
        for name, value in values.items():
            blocks[name][number] = value
        return blocks.tobytes()

    return change


def record(change: Callable[[list[object]], object]) -> Change:
    """Change the segment's record."""
    return lambda old: bytes(msgpack.packb(change(msgpack.unpackb(old))))


def nested(depth: int) -> object:
    """A list in a list in a list."""
    found: object = 0
    for _ in range(depth):
        found = [found]
    return found


def fill(byte: int) -> Change:
    """Every byte the same."""
    return lambda old: bytes([byte]) * len(old)


def grown(extra: bytes) -> Change:
    """More bytes at the end."""
    return lambda old: old + extra


def wide(*numbers: int) -> Change:
    """One column of eight bytes for each number."""
    return lambda _: b"\x08" + np.array(numbers, dtype="<u8").tobytes()


def wider(columns: int, start: int = 0, more: int = 0) -> Change:
    """The last columns of a section with eight bytes for each number, which is so much more."""

    def change(old: bytes) -> bytes:
        widths, at = old[start : start + columns], start + columns
        rows = (len(old) - at) // max(sum(widths), 1) or 2
        made = old[:start] + b"\x08" * columns
        for width in widths:
            for row in range(rows):
                number = old[at + row * width : at + (row + 1) * width]
                made += (int.from_bytes(number, "little") + more).to_bytes(8, "little")
            at += rows * width
        return made

    return change


def paths(folders: Sequence[bytes], folder_of: Sequence[int], names: Sequence[bytes]) -> Change:
    """Paths put together so, whether or not they are paths."""

    def lengths(texts: Sequence[bytes]) -> npt.NDArray[np.int64]:
        return np.array([len(text) for text in texts], dtype=np.int64)

    header = np.array([len(folders), sum(map(len, folders))], dtype="<u4").tobytes()
    columns = encode_columns(np.array(folder_of, dtype=np.int64), lengths(names))
    made = header + encode_columns(lengths(folders)) + columns + b"".join([*folders, *names])
    return lambda _: made


AB = [b"a.py", b"b.py"]
CUT = [b"\xa4.py", b"\xa9.py"]

# made for `samples.dense()`: field 0 has full blocks, a tail and positions
CASES = [
    Case("record-not-msgpack", b"META", fill(0xC1), "META[0]"),
    Case("record-of-a-number", b"META", lambda _: b"\x07", "META[0]"),
    Case("record-array-of-2**32", b"META", lambda _: b"\xdd\xff\xff\xff\xff", "META[0]"),
    Case("record-bomb", b"META", lambda _: b"\x91" * 100_000 + b"\x00", "META[0]"),
    Case("record-deep", b"META", record(lambda r: [nested(900), *r[1:]]), "META[0]"),
    Case("record-deep-kinds", b"META", record(lambda r: [*r[:3], nested(900)]), "META[0]"),
    Case("record-map", b"META", lambda _: msgpack.packb({1: 2, 3: 4}), "META[0]"),
    Case("files-2**60", b"META", record(lambda r: [1 << 60, *r[1:]]), "FPRT[0]"),
    Case("files-negative", b"META", record(lambda r: [-1, *r[1:]]), "META[0]"),
    Case("files-true", b"META", record(lambda r: [True, *r[1:]]), "META[0]"),
    Case("chunks-2**60", b"META", record(lambda r: [r[0], 1 << 60, *r[2:]]), "META[0]"),
    Case("fields-spelled-otherwise", b"META", lambda d: d.replace(b"\xc3", b"\x01"), "META[0]"),
    Case("kind-twice", b"META", record(lambda r: [*r[:3], ["k", "k"]]), "META[0]"),
    Case("kind-without-section", b"META", record(lambda r: [*r[:3], ["k"]]), "directory"),
    Case("paths-shorter", b"PATH", lambda d: d[:9], "PATH[0]"),
    Case("path-folders-2**32", b"PATH", put("<u4", 0, 0xFFFFFFFF), "PATH[0]"),
    Case("path-folders-none", b"PATH", put("<u4", 0, 0), "PATH[0]"),
    Case("path-folders-longer", b"PATH", put("<u4", 4, 0xFFFFFFFF), "PATH[0]"),
    Case("path-names-longer", b"PATH", put("u1", 11, 5), "PATH[0]"),
    Case("path-names-shorter", b"PATH", put("u1", 11, 3), "PATH[0]"),
    Case("path-widths-3", b"PATH", put("u1", 8, 3), "PATH[0]"),
    Case("path-folder-of-none", b"PATH", paths([b""], [0, 1], [b"a.py", b"b.py"]), "PATH[0]"),
    Case("path-folder-without-files", b"PATH", paths([b"", b"b/"], [0, 0], AB), "PATH[0]"),
    Case("path-folder-twice", b"PATH", paths([b"", b""], [0, 1], AB), "PATH[0]"),
    Case("path-folder-without-slash", b"PATH", paths([b"a"], [0, 0], AB), "PATH[0]"),
    Case("path-folder-not-utf-8", b"PATH", paths([b"\xc3"], [0, 0], AB), "PATH[0]"),
    Case("path-folder-and-name-utf-8", b"PATH", paths([b"\xc3"], [0, 0], CUT), "PATH[0]"),
    Case("path-name-with-slash", b"PATH", paths([b""], [0, 0], [b"a.py", b"b/y"]), "PATH[0]"),
    Case("path-folders-descending", b"PATH", paths([b"b/", b"a/"], [1, 0], AB), "PATH[0]"),
    Case("path-empty", b"PATH", paths([b""], [0, 0], [b"", b"b.py"]), "PATH[0]"),
    Case("path-not-utf-8", b"PATH", lambda d: d.replace(b"b.py", b"b.\xffy"), "PATH[0]"),
    Case("path-twice", b"PATH", lambda d: d.replace(b"b.py", b"a.py"), "PATH[0]"),
    Case("prints-longer", b"FPRT", grown(b"\0"), "FPRT[0]"),
    Case("size-2**63", b"FPRT", put("<u8", -8, 1 << 63), "FPRT[0]"),
    Case("sizes-wider", b"FPRT", wider(1, 32), "FPRT[0]"),
    Case("chunk-counts-other", b"FCHK", put("u1", 1, 151), "FCHK[0]"),
    Case("chunk-counts-moved", b"FCHK", put("u1", 1, 151, 149), "FTOT[0]"),
    Case("chunk-counts-wider", b"FCHK", wider(1), "FCHK[0]"),
    Case("chunk-counts-around-2**64", b"FCHK", wide((1 << 63) - 1, (1 << 63) + 301), "FCHK[0]"),
    Case("totals-wrong", b"FTOT", put("<u2", 2, 1), "FTOT[0]"),
    Case("totals-wider", b"FTOT", wider(2), "FTOT[0]"),
    Case("totals-2**32", b"FTOT", wider(2, more=1 << 32), "FTOT[0]"),
    Case("chunk-table-shorter", b"CHNK", lambda d: d[:-16], "CHNK[0]"),
    Case("chunk-width-3", b"CHNK", put("u1", 0, 3), "CHNK[0]"),
    Case("chunk-width-255", b"CHNK", put("u1", 2, 255), "CHNK[0]"),
    Case("chunk-columns-wider", b"CHNK", wider(3), "CHNK[0]"),
    Case("chunk-table-empty", b"CHNK", lambda _: b"", "CHNK[0]"),
    Case("length-code-wrong", b"LENS", put("u1", 5, 200), "LENS[0]"),
    Case("term-count-2**60", b"TIDX", put("<u8", 0, 1 << 60), "TIDX[0]"),
    Case("term-count-0", b"TIDX", put("<u8", 0, 0), "TIDX[0]"),
    Case("term-count-more", b"TIDX", put("<u8", 0, 1000), "TGRP[0]"),
    Case("group-offset-2**63", b"TIDX", put("<u8", 16, 1 << 63), "TIDX[0]"),
    Case("group-first-term-other", b"TIDX", lambda d: d[:-1] + b"\xff", "TGRP[0]"),
    Case("index-empty", b"TIDX", lambda _: b"", "TIDX[0]"),
    Case("page-start-2**63", b"TGRP", put("<u8", 40, 1 << 63), "TGRP[0]"),
    Case("page-start-2**60", b"TGRP", put("<u8", 40, 1 << 60), "TGRP[0]"),
    Case("page-blocks-2**40", b"TGRP", put("<u8", 72, 1 << 40), "TINF[0]"),
    Case("page-tails-2**40", b"TGRP", put("<u8", 56, 1 << 40), "TINF[0]"),
    Case("terms-descending", b"TERM", fill(0x41), "TERM[0]"),
    Case("terms-sharing-too-much", b"TINF", lambda d: d[:6] + b"\xaa" + d[7:], "TERM[0]"),
    Case("number-widths-255", b"TINF", fill(0xFF), "TINF[0]"),
    Case("number-without-end", b"TINF", lambda d: d[:-1] + b"\xff", "TINF[0]"),
    Case("number-widths-other", b"TINF", lambda d: d[:5] + b"\x05" + d[6:], "TINF[0]"),
    Case("terms-of-no-bytes", b"TINF", fill(0x00), "TINF[0]"),
    Case("page-of-no-bytes", b"TINF", lambda _: b"", "TERM[0]"),
    Case("occurrences-wrong", b"TINF", lambda d: d.replace(b"\x95\x08", b"\x96\x08"), "TINF[0]"),
    Case("block-widths-widest", b"BLKM", block(0, widths=0xFF), "BLKM[0]"),
    Case("block-row-2**32", b"BLKM", block(0, row=0xFFFFFFFF), "BLKM[0]"),
    Case("block-rows-overlap", b"BLKM", block(3, row=0), "BLKM[0]"),
    Case("block-end-2**32", b"BLKM", block(0, last=0xFFFFFFFF), "BLKM[0]"),
    Case("block-end-descending", b"BLKM", block(1, last=0), "BLKM[0]"),
    Case("block-end-other", b"BLKM", block(0, last=126), "BLKR[0]"),
    Case("block-most-untrue", b"BLKM", block(2, most=1), "BLKM[0]"),
    Case("block-fitting-untrue", b"BLKM", block(2, fitting=255), "BLKM[0]"),
    Case("block-shortest-untrue", b"BLKM", block(0, shortest=255), "BLKM[0]"),
    Case("block-positions-2**32", b"BLKM", block(0, positions=0xFFFFFFFF), "POSN[0]"),
    Case("block-positions-other", b"BLKM", block(0, positions=1), "POSN[0]"),
    Case("block-metadata-short", b"BLKM", lambda d: d[:-1], "BLKM[0]"),
    Case("rows-gone", b"BLKR", lambda _: b"", "BLKR[0]"),
    Case("rows-of-ones", b"BLKR", fill(0xFF), "POSN[0]"),
    Case("rows-longer", b"BLKR", grown(bytes(16)), "BLKR[0]"),
    Case("tail-widths-widest", b"TAIL", fill(0xFF), "TAIL[0]"),
    Case("tails-longer", b"TAIL", grown(b"\0"), "TAIL[0]"),
    Case("positions-parameter-255", b"POSN", fill(0xFF), "POSN[0]"),
    Case("positions-without-end", b"POSN", fill(0x00), "POSN[0]"),
    Case("positions-longer", b"POSN", grown(b"\0"), "POSN[0]"),
    Case("tail-of-frequency-2**32", b"TAIL", fill(0xE0), "TAIL[0]"),
    Case("second-field-blocks", b"BLKM", block(0, widths=6), "BLKM[1]", 1),
]

# made for `samples.tiny()`: its first segment has three files and one kind of attachment
ATTACHMENT_CASES = [
    Case("attachment-sizes-2**63", b"ATTS", wide(1 << 63, 0, 0), "ATTS[0]"),
    Case("attachment-sizes-longer", b"ATTS", put("u1", 1, 8), "ATTS[0]"),
    Case("attachment-sizes-shorter", b"ATTS", put("u1", 1, 6), "ATTS[0]"),
    Case(
        "attachment-sizes-around-2**64",
        b"ATTS",
        wide((1 << 63) - 1, (1 << 63) + 8, 0),
        "ATTS[0]",
    ),
    Case("attachment-sizes-cut", b"ATTS", lambda d: d[:-1], "ATTS[0]"),
    Case("attachments-gone", b"ATTD", lambda _: b"", "ATTS[0]"),
]
