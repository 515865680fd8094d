"""Vectors of the words of questions and of the words of the code that answers them.

A question need not have a word of the code that it asks for, so a word has two vectors: one where
it is asked, and one where it stands in code. They are learned from pairs of comments and code as
few numbers a word, and axes that turn these into vectors. In the folder of the table whose words
they are of:

    asked_scales.npy  uint16 [words]: what one unit of a row is worth; 0 for a word that has none
    asked_rows.npy    int8 [words that have one, rank]
    asked_axes.npy    int8 [rank, dimensions]
    code_rows.npy, code_scales.npy   as rows.npy and scales.npy of the table

A side has the table's vectors for words that have none, and for pieces of words. The words of code
are whole vectors, as each process that indexes maps them: made from fewer numbers they would be in
the memory of each. The card of the folder has under `sides` the rank, the unit of the words of
questions in those of the table, and a digest.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from index_format.tuples import NamedTuple
from repo_mcp.vectors import sums
from repo_mcp.vectors.model import (
    CARD,
    I8,
    I64,
    SIDES,
    U16,
    GramTable,
    ModelError,
    map_array,
    read_card,
    round_rows,
)

if TYPE_CHECKING:
    from pathlib import Path

    from repo_mcp.vectors.model import F32

_ASKED: Final = "asked_scales.npy", "asked_rows.npy", "asked_axes.npy"
_CODE: Final = "code_rows.npy", "code_scales.npy"
# sums of products of so many pairs of bytes are exact in float32
MOST_RANK: Final = 512
_LARGEST: Final = 127
_LARGEST_SCALE: Final = (1 << 16) - 1


class Side(NamedTuple):
    """The words of one side: scales by the rows of the table, rows of those that have one."""

    scales: U16
    rows: I8
    axes: I8
    # what one unit is worth in those of the table
    unit: float


class WordSides:
    """The sums of the words of questions, and the table of the words of code."""

    def __init__(self, asked: Side, code: GramTable, table: GramTable, digest: str) -> None:
        """Sum nothing yet."""
        self._asked = asked
        self.code = code
        self._table = table
        self.digest = digest

    def question(self, counts: Counter[str]) -> bytes:
        """The vector of the counted parts of a question."""
        side, plain, total = self._asked, Counter[str](), np.zeros(len(self._asked.axes), np.int64)
        for part, times in counts.items():
            row = self._table.row_of(part.encode("utf-8", "surrogatepass"))
            if row is None or not side.scales[row]:
                plain[part] = times
            else:
                factor = sums.worth(times) * int(side.scales[row]) >> sums.FACTOR_SHIFT
                at = np.searchsorted(self._has_asked, row)
                total += side.rows[at].astype(np.int64) * factor
        own = np.rint((total @ side.axes.astype(np.int64)) * side.unit)
        return sums.rounded(self._plain.total(plain) + own.astype(np.int64))

    @cached_property
    def _has_asked(self) -> I64:
        return self._asked.scales.nonzero()[0]

    @cached_property
    def _plain(self) -> sums.PlainSums:
        return sums.PlainSums(self._table)


def open_sides(folder: Path | str, table: GramTable) -> WordSides | None:
    """Open and check the sides of a table; None if it has none, `ModelError` for damaged ones."""
    card = os.path.join(folder, CARD)
    note = read_card(card).get(SIDES)
    if note is None:
        return None
    told = note if isinstance(note, dict) else {}
    rank, unit = told.get("rank"), told.get("unit")
    if type(unit) is not float or not 0 < unit < np.inf:
        raise ModelError(card, f"{SIDES} has no unit")
    if type(rank) is not int or not 0 < rank <= MOST_RANK:
        raise ModelError(card, f"{SIDES} has no rank up to {MOST_RANK}")
    of_asked, of_code = ([os.path.join(folder, name) for name in side] for side in (_ASKED, _CODE))
    scales = map_array(of_asked[0], "<u2", (len(table.words),))
    count = int(np.count_nonzero(scales))
    rows = map_array(of_asked[1], "i1", (count, rank))
    asked = Side(scales, rows, map_array(of_asked[2], "i1", (rank, table.dimensions)), unit)
    code = GramTable(
        table.text,
        map_array(of_code[0], "i1", table.rows.shape),
        map_array(of_code[1], "<u2", table.scales.shape),
        table.buckets,
        table.digest,
    )
    if _digest(asked, code) != told.get("digest"):
        raise ModelError(folder, f"damaged: {SIDES} have not the digest that {CARD} says")
    return WordSides(asked, code, table, told["digest"])


def _digest(asked: Side, code: GramTable) -> str:
    state = xxhash.xxh3_128()
    for part in (asked.scales, asked.rows, asked.axes, code.rows, code.scales):
        state.update(np.ascontiguousarray(part).data)
    state.update(repr(asked.unit).encode())
    return state.hexdigest()


def write_sides(
    folder: Path, asked: tuple[F32, F32], code: tuple[F32, F32], table: GramTable
) -> dict[str, object]:
    """Write both sides from their rows and axes, and tell what the card notes.

    Rows times axes are vectors in the units of the table.
    """
    side, whole = _round(*asked), _whole(_round(*code), table)
    for name, scales in ((_ASKED[0], side.scales), (_CODE[1], whole.scales)):
        np.save(folder / name, scales)
    for name, rows in ((_ASKED[1], side.rows), (_ASKED[2], side.axes), (_CODE[0], whole.rows)):
        np.save(folder / name, rows)
    return {"rank": len(side.axes), "unit": side.unit, "digest": _digest(side, whole)}


def _round(vectors: F32, axes: F32) -> Side:
    rows, scales = round_rows(vectors)
    step = float(np.abs(axes).max()) / _LARGEST
    unit = step * float(np.abs(vectors).max()) / _LARGEST / _LARGEST_SCALE
    return Side(scales, rows[scales > 0], np.rint(axes / step).astype(np.int8), unit)


def _whole(side: Side, table: GramTable) -> GramTable:
    """The table with the vectors of a side where it has any."""
    has = side.scales.nonzero()[0]
    vectors = side.rows.astype(np.float32) @ side.axes.astype(np.float32)
    largest = np.maximum(np.abs(vectors).max(axis=1), 1).astype(np.float64)
    vectors *= (_LARGEST / largest).astype(np.float32)[:, None]
    worth = largest / _LARGEST * side.scales[has] * side.unit
    rows, scales = table.rows.copy(), table.scales.copy()
    rows[has] = np.rint(vectors)
    scales[has] = np.minimum(np.rint(worth), _LARGEST_SCALE)
    return GramTable(table.text, rows, scales, table.buckets, table.digest)
