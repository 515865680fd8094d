"""Which lines of a file are looked at where a question has phrases: those that hold them.

A file is ranked by its words, chunk by chunk, and the phrase may stand in another chunk than they.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

# lines before and after a phrase that may belong to what is said there
_AROUND: Final = 100


class Beside(NamedTuple):
    """Lines from `first` to `last`, and those of them in which phrases begin."""

    first: int
    last: int
    lines: tuple[int, ...]


def beside_phrase(
    quoted: Sequence[int], shown: Collection[int], first: int, last: int, count: int
) -> Beside | None:
    """The ranked lines if a phrase begins there, else those around the first that does elsewhere.

    None when all `quoted` lines are among those `shown` before.
    """
    left = [line for line in quoted if line not in shown]
    here = tuple(line for line in left if first <= line <= last)
    if here:
        return Beside(first, last, here)
    if not left:
        return None
    first, last = max(left[0] - _AROUND, 1), min(left[0] + _AROUND, count)
    return Beside(first, last, (left[0],))
