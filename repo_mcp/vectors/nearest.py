"""Finds the words of a table whose vectors are nearest to that of a word."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from repo_mcp.vectors.model import GramTable

if TYPE_CHECKING:
    import numpy.typing as npt

# nearest words below this cosine mean something else (decision 0063)
LEAST: Final = 0.55
_MOST: Final = 24
_ROWS_AT_ONCE: Final = 4096  # bounds memory

F64: TypeAlias = "npt.NDArray[np.float64]"


class NearestWords:
    """Compares words of a table; the lengths of its rows are computed once."""

    def __init__(self, table: GramTable) -> None:
        """Read nothing yet."""
        self._table = table

    @cached_property
    def _lengths(self) -> F64:
        rows = self._table.rows[: len(self._table.words)]
        parts = (rows[at : at + _ROWS_AT_ONCE] for at in range(0, len(rows), _ROWS_AT_ONCE))
        squares = [np.square(part, dtype=np.float32).sum(axis=1) for part in parts]
        lengths: F64 = np.sqrt(np.maximum(np.concatenate(squares).astype(np.float64), 1.0))
        return lengths

    def of(self, word: str) -> list[tuple[str, float]]:
        """The words above the bound with their cosines, nearest first; none for one it lacks."""
        row = self._table.row_of(word.encode("utf-8", "surrogatepass"))
        if row is None:
            return []
        one, count = self._table.rows[row].astype(np.float32), len(self._table.words)
        dots = np.zeros(count)
        for at in range(0, count, _ROWS_AT_ONCE):
            part = self._table.rows[at : min(at + _ROWS_AT_ONCE, count)]
            # sums of small whole numbers: the same on every machine
            dots[at : at + len(part)] = part.astype(np.float32) @ one
        cosines = dots / (self._lengths * self._lengths[row])
        cosines[row] = 0.0
        near = (cosines >= LEAST).nonzero()[0]
        order = near[np.lexsort((near, -cosines[near]))][:_MOST]
        return [(self._table.words[at].decode(), float(cosines[at])) for at in order.tolist()]
