"""Where lines are in bytes, and which hold a text: the models of lines.c and scan.c."""

from __future__ import annotations

import codecs
import re
from itertools import repeat
from typing import Final

import numpy as np

from index_format.tuples import NamedTuple

_LINE_FEED: Final = 10


class LineScan(NamedTuple):
    """The texts that lines are searched for.

    With `fold` the needle is in small letters and stands for any letter case, with `word` no word
    character may adjoin it. All lines are counted, `most` of a text are kept (-1: all).
    """

    needle: bytes = b""
    fold: bool = False
    word: bool = False
    most: int = -1


class NeedleLines(NamedTuple):
    """The lines of a text that hold a needle: the numbers of the first ones, and these lines."""

    size: int
    all_lines: int
    matching_lines: int
    # uint32
    numbers: bytes
    # each with a line feed
    text: bytes


def find_lines(data: bytes, first: int, last: int) -> tuple[int, int] | None:
    """Offsets of the lines `first` to `last`, counted from 1: begin and end.

    The end is that of the last line that exists, without its line feed; None where there are none
    of them.
    """
    ends = (np.frombuffer(data, dtype=np.uint8) == _LINE_FEED).nonzero()[0]
    count = len(ends) + (0 if not data or data.endswith(b"\n") else 1)
    if first < 1 or first > count or last < first:
        return None
    begin = int(ends[first - 2]) + 1 if first > 1 else 0
    return begin, int(ends[last - 1]) if last <= len(ends) else len(data) - data.endswith(b"\n")


def scan_lines(data: bytes, what: LineScan) -> NeedleLines | None:
    """The lines that hold a needle; None for bytes that are no plain text.

    Plain text holds neither NUL nor carriage returns. It is ASCII; for a needle that is compared
    byte by byte it may be UTF-8 without a byte order mark.
    """
    needle, fold, word, most = what
    if not needle:
        raise ValueError(needle)
    if b"\0" in data or b"\r" in data or not _is_plain(data, beyond=not (fold or word)):
        return None
    edges = (rb"(?<![0-9A-Za-z_])", rb"(?![0-9A-Za-z_])") if word else (b"", b"")
    wanted = re.compile(re.escape(needle).join(edges))
    rows = data.split(b"\n")
    if not rows[-1]:
        rows.pop()
    found = [
        (number, row)
        for number, row in enumerate(rows, 1)
        if wanted.search(row.lower() if fold else row)
    ]
    kept = found if most < 0 else found[:most]
    numbers = np.array([number for number, _ in kept], dtype=np.uint32).tobytes()
    text = b"".join(row + b"\n" for _, row in kept)
    return NeedleLines(len(data), len(rows), len(found), numbers, text)


def prefix_lines(text: bytes, numbers: bytes, head: bytes, mark: bytes) -> bytes:
    """Each line with a head before it and, unless there are no numbers (uint32), its number.

    The mark stands behind the number. Every line ends with a line feed.
    """
    rows = text.split(b"\n")
    known = np.frombuffer(numbers, dtype=np.uint32).tolist() if numbers else ()
    if rows.pop() or (known and len(known) != len(rows)):
        raise ValueError(numbers)
    heads = (b"%b%d%b" % (head, number, mark) for number in known) if known else repeat(head)
    return b"".join(b"%b%b\n" % pair for pair in zip(heads, rows, strict=False))


def _is_plain(data: bytes, *, beyond: bool) -> bool:
    if data.isascii() or not beyond or data.startswith(codecs.BOM_UTF8):
        return data.isascii()
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
