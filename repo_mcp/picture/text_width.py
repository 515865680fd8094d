"""Widths of text in a plain sans-serif face, close enough to make boxes of."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from unicodedata import east_asian_width

# advance widths of printable ASCII in thousandths of the size, as sans-serif faces have them
_ASCII: Final = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
_FIRST: Final = 0x20
_OTHER: Final = 660
_WIDE: Final = 1000
# faces differ: the widest common ones take so much more
_SLACK: Final = 1.1


def text_width(text: str, size: float) -> float:
    """The width of one line, in the unit of `size`."""
    return sum(map(_advance, text)) * size * _SLACK / 1000


@lru_cache(1 << 12)
def _advance(character: str) -> int:
    at = ord(character) - _FIRST
    if 0 <= at < len(_ASCII):
        return _ASCII[at]
    return _WIDE if east_asian_width(character) in {"W", "F"} else _OTHER


def shorten_to(text: str, size: float, widest: float) -> str:
    """The text, cut in its middle if it is wider: both ends of a name tell it from others."""
    if text_width(text, size) <= widest:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest that fits
        middle = (low + high + 1) // 2
        if text_width(_cut(text, middle), size) <= widest:
            low = middle
        else:
            high = middle - 1
    return _cut(text, low)


def _cut(text: str, kept: int) -> str:
    """So many characters of the text, from both ends."""
    tail = kept * 2 // 3
    return f"{text[: kept - tail]}…{text[len(text) - tail :]}"
