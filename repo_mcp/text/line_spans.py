"""Where lines are in a file's bytes: found by compiled code where there is any."""

from __future__ import annotations

from importlib import import_module
from typing import Final, Protocol, cast

import numpy as np


class Lines(Protocol):
    """What compiled code does with lines."""

    def span(self, data: bytes, first: int, last: int, /) -> tuple[int, int] | None:
        """The same as `plain_span`."""

    def marks(
        self, text: str, terms: tuple[bytes, ...], /
    ) -> tuple[list[int], list[int], list[int]]:
        """Lines with terms in them, a bit of each term for each, and lines it can't tell of."""

    def units(
        self, starts: bytes, spans: bytes, count: int, first: int, last: int, /
    ) -> list[tuple[int, int, int]]:
        """Number and lines of what touches some lines, by columns of `languages/facts_columns`."""


def _loaded() -> Lines | None:
    """What was compiled; one that was left over from another version of its source is not used."""
    try:
        found = import_module("repo_mcp.text._lines")
    except ImportError:
        return None
    return cast("Lines", found) if found.VERSION == 1 else None  # the same as in `_lines.c`


LINES: Final = _loaded()
_LINE_FEED: Final = 10


def plain_span(data: bytes, first: int, last: int) -> tuple[int, int] | None:
    """Where these lines, counted from 1, begin, and where the last that is there ends.

    Its line feed is left out; None where there is none of them.
    """
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _LINE_FEED)
    count = len(ends) + (0 if not data or data.endswith(b"\n") else 1)
    if first < 1 or first > count or last < first:
        return None
    begin = int(ends[first - 2]) + 1 if first > 1 else 0
    return begin, int(ends[last - 1]) if last <= len(ends) else _end(data)


def _end(data: bytes) -> int:
    return len(data) - data.endswith(b"\n")


span: Final = plain_span if LINES is None else LINES.span
