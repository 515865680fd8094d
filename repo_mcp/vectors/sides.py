"""Vectors of the words of questions and of the words of the code that answers them.

A question need not have a word of the code that it asks for, so a word has two vectors: one where
it is asked, and one where it stands in code. They are learned from pairs of comments and code, and
stored as fewer numbers and axes that turn these into vectors. For each side, in the folder of the
table whose words they are of:

    SIDE_scales.npy  uint16 [words]: what one unit of a row is worth; 0 for a word that has none
    SIDE_rows.npy    int8 [words that have one, rank]
    SIDE_axes.npy    int8 [rank, dimensions]

Words that have none, and pieces of words that the table lacks, have the table's vectors. The card
of the folder has under `sides` the rank, the unit of each side in those of the table, and a digest.
"""

from __future__ import annotations

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

ASKED: Final = "asked"
CODE: Final = "code"
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

    def __init__(self, asked: Side, code: Side, table: GramTable, digest: str) -> None:
        """Make nothing yet."""
        self._asked = asked
        self._code = code
        self._table = table
        self.digest = digest

    @cached_property
    def code(self) -> GramTable:
        """The table with the vectors of the words of code where they have any.

        Sums of products of small whole numbers, and then one rounding a number: the same on every
        machine.
        """
        table, side = self._table, self._code
        has = side.scales.nonzero()[0]
        vectors = side.rows.astype(np.float32) @ side.axes.astype(np.float32)
        largest = np.maximum(np.abs(vectors).max(axis=1), 1).astype(np.float64)
        vectors *= (_LARGEST / largest).astype(np.float32)[:, None]
        worth = largest / _LARGEST * side.scales[has] * side.unit
        rows, scales = table.rows.copy(), table.scales.copy()
        rows[has] = np.rint(vectors)
        scales[has] = np.minimum(np.rint(worth), _LARGEST_SCALE)
        return GramTable(table.text, rows, scales, table.buckets, table.digest)

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


def open_sides(folder: Path, table: GramTable) -> WordSides | None:
    """Open and check the sides of a table; None if it has none, `ModelError` for damaged ones."""
    note = read_card(folder / CARD).get(SIDES)
    if note is None:
        return None
    told = note if isinstance(note, dict) else {}
    rank, units = told.get("rank"), told.get("units", {})
    if type(rank) is not int or not 0 < rank <= MOST_RANK or not _are_units(units):
        raise ModelError(folder / CARD, f"{SIDES} has no rank up to {MOST_RANK}, or no units")
    asked, code = (_map_side(folder, name, rank, units[name], table) for name in (ASKED, CODE))
    if _digest(asked, code) != told.get("digest"):
        raise ModelError(folder, f"damaged: {SIDES} have not the digest that {CARD} says")
    return WordSides(asked, code, table, told["digest"])


def _are_units(units: object) -> bool:
    return isinstance(units, dict) and all(
        type(units.get(name)) is float and 0 < units[name] < np.inf for name in (ASKED, CODE)
    )


def _map_side(folder: Path, name: str, rank: int, unit: float, table: GramTable) -> Side:
    scales = map_array(folder / f"{name}_scales.npy", "<u2", (len(table.words),))
    count = int(np.count_nonzero(scales))
    return Side(
        scales,
        map_array(folder / f"{name}_rows.npy", "i1", (count, rank)),
        map_array(folder / f"{name}_axes.npy", "i1", (rank, table.dimensions)),
        unit,
    )


def _digest(*sides: Side) -> str:
    state = xxhash.xxh3_128()
    for side in sides:
        for part in (side.scales, side.rows, side.axes):
            state.update(np.ascontiguousarray(part).data)
        state.update(repr(side.unit).encode())
    return state.hexdigest()


def write_sides(folder: Path, asked: tuple[F32, F32], code: tuple[F32, F32]) -> dict[str, object]:
    """Write the rows and axes of both sides, and tell what the card notes.

    Rows times axes are vectors in the units of the table.
    """
    made = {name: _round(*side) for name, side in ((ASKED, asked), (CODE, code))}
    for name, side in made.items():
        np.save(folder / f"{name}_rows.npy", side.rows)
        np.save(folder / f"{name}_scales.npy", side.scales)
        np.save(folder / f"{name}_axes.npy", side.axes)
    units = {name: side.unit for name, side in made.items()}
    digest = _digest(made[ASKED], made[CODE])
    return {"rank": len(made[CODE].axes), "units": units, "digest": digest}


def _round(vectors: F32, axes: F32) -> Side:
    rows, scales = round_rows(vectors)
    step = float(np.abs(axes).max()) / _LARGEST
    unit = step * float(np.abs(vectors).max()) / _LARGEST / _LARGEST_SCALE
    return Side(scales, rows[scales > 0], np.rint(axes / step).astype(np.int8), unit)
