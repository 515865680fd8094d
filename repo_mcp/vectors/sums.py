"""Sums word vectors to the vectors of texts, with compiled code if it is available.

A text's vector is the sum over its parts of saturated times x scale x row, in whole numbers, then
rounded to int8 with its largest number as 127, so its bytes are the same on every machine. Vectors
are compared by cosine: their length means nothing. `row_sums.c` does the same.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np

from repo_mcp.native import NATIVE, ServerNative
from repo_mcp.vectors import packing, words
from repo_mcp.vectors.model import GramTable, WordTable
from repo_mcp.vectors.words import count_parts, parts_of_term

if TYPE_CHECKING:
    import numpy.typing as npt

# part of the identity of stored vectors: raise it when the same counts give other bytes
VERSION: Final = 1
_SATURATION_BITS: Final = 10  # of the fraction of what times are worth
_SHARE_BITS: Final = 15  # of the fraction that an n-gram counts
FACTOR_SHIFT: Final = 12
_LARGEST: Final = 127
_PARTS_AT_ONCE: Final = 256  # bounds memory
_REMEMBERED: Final = 1 << 17  # parts whose rows are remembered
_MOST_TIMES: Final = (1 << 32) - 1
_RATIO_BITS: Final = 32
_SIZE_BITS: Final = 31

I8: TypeAlias = "npt.NDArray[np.int8]"
I64: TypeAlias = "npt.NDArray[np.int64]"


def identity_of_table(digest: str, sides: str = "") -> str:
    """The identity of an embedder by the digests of its table and of that of its sides."""
    versions = words.VERSION, VERSION, packing.VERSION
    return " ".join(filter(None, ("words", digest, sides, str(versions))))


class TextSums(Protocol):
    """Sums the rows of a table over counted terms."""

    def sum(
        self, vocabulary: list[bytes], terms: bytes, times: bytes, ends: Sequence[int], /
    ) -> bytes:
        """A vector for each text, one behind the other.

        Text n has the terms from ends[n - 1] to ends[n], as numbers of the vocabulary (uint32), and
        how often each of them counts; the vocabulary may only grow between calls.
        """


def text_sums(table: WordTable, native: ServerNative | None = NATIVE) -> TextSums:
    """Sums of a table, compiled, or many times slower without."""
    if native is None or not isinstance(table, GramTable):
        return PlainSums(table)
    rows, scales = (np.ascontiguousarray(item).data for item in (table.rows, table.scales))
    # a random key, so that nobody can choose words whose hashes collide
    return native.RowSums(os.urandom(16), table.text, rows, scales, table.dimensions)


def vector_of(table: WordTable, text: str, path: str = "") -> I8:
    """The vector of a text, as it would be stored."""
    counts = count_parts(text, path)
    return np.frombuffer(PlainSums(table).vector(counts), dtype=np.int8)


def worth(times: int) -> int:
    """The saturated worth of a number of occurrences, as a whole number."""
    times = min(times, _MOST_TIMES)
    return (2 * times << _SATURATION_BITS) // (times + 1)


class PlainSums:
    """The same in Python."""

    def __init__(self, table: WordTable) -> None:
        """Remember no terms yet."""
        self._table = table
        self._parts: dict[int, list[str]] = {}
        self._rows: dict[str, tuple[I64, I64]] = {}

    def sum(
        self, vocabulary: list[bytes], terms: bytes, times: bytes, ends: Sequence[int], /
    ) -> bytes:
        """A vector for each text."""
        numbers, counts = (np.frombuffer(data, dtype=np.uint32) for data in (terms, times))
        vectors = []
        for begin, end in pairwise([0, *ends]):
            found: Counter[str] = Counter()
            rows = zip(numbers[begin:end].tolist(), counts[begin:end].tolist(), strict=True)
            for number, count in rows:
                for part in self._parts_of(vocabulary, number) if count else ():
                    found[part] += count
            vectors.append(self.vector(found))
        return b"".join(vectors)

    def vector(self, counts: Counter[str]) -> bytes:
        """The vector of counted parts."""
        return rounded(self.total(counts))

    def total(self, counts: Counter[str]) -> I64:
        """The sum for counted parts, in whole numbers."""
        total = np.zeros(self._table.dimensions, dtype=np.int64)
        waiting = list(counts.items())
        for begin in range(0, len(waiting), _PARTS_AT_ONCE):
            total += self._sum(waiting[begin : begin + _PARTS_AT_ONCE])
        return total

    def _sum(self, counts: Sequence[tuple[str, int]]) -> I64:
        held = [self._rows_of(part) for part, _ in counts]
        worths = np.array([worth(count) for _, count in counts])
        rows = np.concatenate([rows for rows, _ in held])
        scales = np.concatenate([scales for _, scales in held])
        factors = np.repeat(worths, [len(rows) for rows, _ in held]) * scales >> FACTOR_SHIFT
        # whole numbers below 2 to the 53: as exact as integers, and faster
        summed = factors.astype(np.float64) @ self._table.rows[rows].astype(np.float64)
        found: I64 = summed.astype(np.int64)
        return found

    def _parts_of(self, vocabulary: list[bytes], number: int) -> list[str]:
        found = self._parts.get(number)
        if found is None:
            term = vocabulary[number].decode("utf-8", "surrogatepass")
            found = self._parts[number] = parts_of_term(term)
        return found

    def _rows_of(self, part: str) -> tuple[I64, I64]:
        """The rows of a part and their scales."""
        found = self._rows.get(part)
        if found is None:
            if len(self._rows) >= _REMEMBERED:
                self._rows.clear()
            found = self._rows[part] = self._look_up(part)
        return found

    def _look_up(self, part: str) -> tuple[I64, I64]:
        rows, is_whole = self._table.rows_of(part)
        scales = self._table.scales[rows].astype(np.int64)
        if is_whole or not len(rows):
            return rows, scales
        share = math.isqrt((1 << 2 * _SHARE_BITS) // len(rows))
        return rows, scales * share >> _SHARE_BITS


def rounded(total: I64) -> bytes:
    """The totals in bytes, the largest as 127."""
    sizes = np.abs(total).astype(np.uint64)
    largest = int(sizes.max())
    if not largest:
        return bytes(len(total))
    shift = max(0, largest.bit_length() - _SIZE_BITS)
    ratio = (_LARGEST << _RATIO_BITS) // (largest >> shift)
    half = np.uint64(1 << (_RATIO_BITS - 1))
    values = ((sizes >> np.uint64(shift)) * np.uint64(ratio) + half) >> np.uint64(_RATIO_BITS)
    return (np.sign(total) * values.astype(np.int64)).astype(np.int8).tobytes()
