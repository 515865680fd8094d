"""Sorts terms by their bytes, and ranks words by that order.

Compiled code merges ascending runs; without it numpy sorts fifteen bytes at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format.codec.bits import I64, U32, U64, exclusive_sum, is_new
from index_format.native import NATIVE, Native

if TYPE_CHECKING:
    import numpy.typing as npt

# bytes compared per step; the sixteenth byte of a key is their count, or one more
_STEP: Final = 15
_LONGER: Final = np.uint64(_STEP + 1)
_MARK: Final = np.uint64(0xFF)

Flags: TypeAlias = "npt.NDArray[np.bool_]"


def sort_bytes(texts: list[bytes], native: Native | None = NATIVE) -> tuple[I64, Flags]:
    """The order of a stable sort of texts, and flags where a different text begins."""
    if native is None:
        return _sort_bytes(texts)
    order, new = native.sort_terms(texts)
    return np.frombuffer(order, dtype=np.int64), np.frombuffer(new, dtype=np.bool_)


def rank_words(
    vocabulary: list[bytes], words: U32, native: Native | None = NATIVE
) -> tuple[list[bytes], U32]:
    """The distinct words of these numbers in byte order, and each one's rank among them.

    A word that has two numbers is a ValueError.
    """
    if native is not None:
        terms, found = native.rank_words(vocabulary, np.ascontiguousarray(words))
        return terms, np.frombuffer(found, dtype=np.uint32)
    seen = np.zeros(len(vocabulary), dtype=np.bool_)
    seen[words] = True
    used = seen.nonzero()[0]
    texts = list(map(vocabulary.__getitem__, used.tolist()))
    order, new = _sort_bytes(texts)
    if not new.all():
        msg = f"a word must not have two numbers: {texts[order[int(new.argmin())]]!r}"
        raise ValueError(msg)
    rank = np.zeros(len(vocabulary), dtype=np.uint32)
    rank[used[order]] = np.arange(len(used), dtype=np.uint32)
    return list(map(texts.__getitem__, order.tolist())), rank[words]


def _sort_bytes(texts: Sequence[bytes]) -> tuple[I64, Flags]:
    keys = _Keys(texts)
    high, low = keys.at(np.arange(len(texts)), 0)
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    new = is_new(high) | is_new(low)
    open_ = _undecided(new, low)
    skipped = 0
    while len(open_):
        skipped += _STEP
        group = np.cumsum(new)[open_]
        high, low = keys.at(order[open_], skipped)
        within = np.lexsort((low, high, group))
        order[open_], high, low = order[open_][within], high[within], low[within]
        differs = is_new(group) | is_new(high) | is_new(low)
        new[open_] = differs
        open_ = open_[_undecided(differs, low)]
    return order, new


class _Keys:
    """Stretches of texts as pairs of numbers that sort as the texts do."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self._starts = exclusive_sum(self._lengths)[:-1]
        data = b"".join([*texts, bytes(_STEP + 1)])
        self._windows: U64 = np.ndarray((len(data) - 7,), ">u8", data, strides=(1,))

    def at(self, which: I64, skipped: int) -> tuple[U64, U64]:
        """Of each of these texts, the bytes behind those skipped: eight, then seven and a mark."""
        left = self._lengths[which] - skipped
        starts = self._starts[which] + skipped
        high = _head(self._windows[starts], left)
        low = _head(self._windows[starts + 8], np.minimum(left - 8, 7))
        return high, low | np.minimum(left, _STEP + 1).astype(np.uint64)


def _head(windows: U64, lengths: I64) -> U64:
    """Eight bytes as a number, zeros in place of those behind a text's end."""
    spare = ((8 - np.clip(lengths, 0, 8)) * 8).astype(np.uint64)
    head: U64 = (windows.astype(np.uint64) >> spare) << spare
    return head


def _undecided(new: Flags, low: U64) -> I64:
    """A mask of texts that equal their neighbours so far, but go on."""
    alone = new.copy()
    alone[:-1] &= new[1:]
    undecided: I64 = (~alone & (low & _MARK == _LONGER)).nonzero()[0]
    return undecided
