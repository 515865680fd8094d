"""Cuts a file into chunks of lines that depend on its text alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import xxhash

LINES: Final = 200
OVERLAP: Final = 30
# part of what decides whether an index fits this program: raise it when chunks change
VERSION: Final = 1


def spans(count: int, lines: int = LINES, overlap: int = OVERLAP) -> list[tuple[int, int]]:
    """First and last line of each chunk, counted from 1; the last chunk ends with the file."""
    found: list[tuple[int, int]] = []
    first = 1
    while count:
        last = min(first + lines - 1, count)
        found.append((first, last))
        if last == count:
            break
        first = last - overlap + 1
    return found


def chunk_id(path: str, rows: Sequence[str], first: int, last: int) -> int:
    """A number that stays while path, place and text stay."""
    head = f"{path}\0{first}\0{last}\0"
    text = "\n".join(rows[first - 1 : last])
    return xxhash.xxh3_64_intdigest((head + text).encode("utf-8", "surrogatepass"))
