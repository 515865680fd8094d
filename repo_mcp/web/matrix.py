"""A matrix of uses: rows use columns, in an order in which most uses are above the diagonal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.picture.layers import assign_layers

# shades of cells, the darkest for the most uses
_SHADES: Final = 4
# numbers from here on are thousands
_THOUSANDS: Final = 10_000


class MatrixCell(NamedTuple):
    """The number of uses of a column by a row, and its shade; `is_own` on the diagonal."""

    times: int
    shade: int
    is_own: bool

    @property
    def text(self) -> str:
        """The number, short enough for a column."""
        if self.times >= _THOUSANDS:
            return f"{self.times // 1000}k"
        return str(self.times) if self.times else ""


class MatrixRow(NamedTuple):
    """A name and its uses of the others."""

    number: int
    name: str
    cells: Sequence[MatrixCell]


def uses_matrix(names: Sequence[str], uses: Mapping[tuple[str, str], int]) -> list[MatrixRow]:
    """The rows, those that use others before what they use, as far as there are no cycles."""
    number = {name: at for at, name in enumerate(names)}
    edges = [(number[source], number[target]) for source, target in uses]
    layers = assign_layers(len(names), edges).layer_of
    ordered = sorted(names, key=lambda name: (layers[number[name]], name))
    most = max(uses.values(), default=0)
    return [
        MatrixRow(
            at,
            name,
            [_cell(uses.get((name, other), 0), most, is_own=name == other) for other in ordered],
        )
        for at, name in enumerate(ordered, 1)
    ]


def _cell(times: int, most: int, *, is_own: bool) -> MatrixCell:
    """Each shade stands for four times as many as the one before, below the most."""
    shade = 0
    if times:
        shade = _SHADES
        while shade > 1 and times * 4 <= most:
            shade, most = shade - 1, most // 4
    return MatrixCell(times, shade, is_own)
