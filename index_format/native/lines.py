"""Where lines are in bytes: the model of `find_lines` in lines.c."""

from __future__ import annotations

from typing import Final

import numpy as np

_LINE_FEED: Final = 10


def find_lines(data: bytes, first: int, last: int) -> tuple[int, int] | None:
    """Offsets of the lines `first` to `last`, counted from 1: begin and end.

    The end is that of the last line that exists, without its line feed; None where there are none
    of them.
    """
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _LINE_FEED)
    count = len(ends) + (0 if not data or data.endswith(b"\n") else 1)
    if first < 1 or first > count or last < first:
        return None
    begin = int(ends[first - 2]) + 1 if first > 1 else 0
    return begin, int(ends[last - 1]) if last <= len(ends) else len(data) - data.endswith(b"\n")
