"""A model of small decision trees, as data: sums of what the leaf that a row falls in is worth.

All trees of a model are evaluated at once. A file holds one as an object of JSON:

    columns     the names of a row's numbers
    slope       how much the sum rises with the logarithm of a score, by which it becomes a factor;
                1 where sums are no factors
    trees       for each tree the columns, thresholds and sides of missing numbers of its splits,
                the path to each leaf (for each split 1 left, -1 right, 0 not on the way), and what
                each leaf adds
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

    from repo_mcp.search.ranked.term_lookup import F64

MODELS: Final = os.path.dirname(__file__)


class Trees(NamedTuple):
    """Trees of equal size, of up to eight splits: arrays by tree and split."""

    columns: tuple[str, ...]
    slope: float
    split_columns: npt.NDArray[np.int64]
    thresholds: F64
    # true where a missing number goes left
    missing_left: npt.NDArray[np.bool_]
    # what a tree adds, by tree and by the sides of all its splits: bit n is set for left at split n
    values: F64

    def sums(self, rows: F64) -> F64:
        """The sum of all trees for each row."""
        numbers = rows[:, self.split_columns]
        left = np.where(np.isnan(numbers), self.missing_left, numbers <= self.thresholds)
        sides = np.packbits(left, axis=2, bitorder="little")[:, :, 0]
        found: F64 = self.values[np.arange(len(self.values)), sides].sum(axis=1)
        return found


def parse_trees(text: str | bytes) -> Trees:
    """A model from its JSON."""
    data: dict[str, Any] = json.loads(text)
    trees = data["trees"]
    return Trees(
        tuple(data["columns"]),
        float(data["slope"]),
        np.array([tree["columns"] for tree in trees], dtype=np.int64),
        np.array([tree["thresholds"] for tree in trees], dtype=np.float64),
        np.array([tree["missing_left"] for tree in trees], dtype=np.bool_),
        _values_by_sides([tree["paths"] for tree in trees], [tree["values"] for tree in trees]),
    )


def _values_by_sides(paths: Sequence[Any], values: Sequence[Any]) -> F64:
    """By tree and sides of its splits, the value of the leaf that a row with these falls in."""
    of_leaves = np.array(paths, dtype=np.float32)
    lengths = np.abs(of_leaves).sum(axis=2)
    splits = np.arange(of_leaves.shape[2])
    sides = np.arange(1 << len(splits)) >> splits[:, None] & 1
    agreeing = of_leaves @ (2 * sides - 1).astype(np.float32)
    reached = (agreeing == lengths[:, :, None]).argmax(axis=1)
    by_sides: F64 = np.array(values)[np.arange(len(values))[:, None], reached]
    return by_sides


@cache
def read_trees(name: str) -> Trees:
    """A model that comes with this program, by the name of its file."""
    with open(os.path.join(MODELS, name), "rb") as file:
        return parse_trees(file.read())
