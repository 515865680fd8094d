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
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

    from repo_mcp.search.ranked.term_lookup import F64

MODELS: Final = os.path.dirname(__file__)


class Trees(NamedTuple):
    """Trees of equal size: arrays by tree and split, or by tree, split and leaf."""

    columns: tuple[str, ...]
    slope: float
    split_columns: npt.NDArray[np.int64]
    thresholds: F64
    # true where a missing number goes left
    missing_left: npt.NDArray[np.bool_]
    paths: npt.NDArray[np.float32]
    # by tree and leaf: how many splits are on the way, and what the leaf adds
    lengths: npt.NDArray[np.float32]
    values: F64

    def leaves(self, rows: F64) -> npt.NDArray[np.bool_]:
        """By row, tree and leaf, whether the row falls in the leaf."""
        numbers = rows[:, self.split_columns]
        left = np.where(np.isnan(numbers), self.missing_left, numbers <= self.thresholds)
        signs = np.where(left, np.float32(1), np.float32(-1))
        # trees first, so that each is one product of matrices
        agreeing = np.matmul(signs.transpose(1, 0, 2), self.paths)
        found: npt.NDArray[np.bool_] = (agreeing == self.lengths[:, None, :]).transpose(1, 0, 2)
        return found

    def sums(self, rows: F64) -> F64:
        """The sum of all trees for each row."""
        found: F64 = np.where(self.leaves(rows), self.values, 0.0).sum(axis=(1, 2))
        return found


def parse_trees(text: str | bytes) -> Trees:
    """A model from its JSON."""
    data: dict[str, Any] = json.loads(text)
    trees = data["trees"]
    paths = np.array([tree["paths"] for tree in trees], dtype=np.float32).transpose(0, 2, 1)
    return Trees(
        tuple(data["columns"]),
        float(data["slope"]),
        np.array([tree["columns"] for tree in trees], dtype=np.int64),
        np.array([tree["thresholds"] for tree in trees], dtype=np.float64),
        np.array([tree["missing_left"] for tree in trees], dtype=np.bool_),
        paths,
        np.abs(paths).sum(axis=1),
        np.array([tree["values"] for tree in trees], dtype=np.float64),
    )


@cache
def read_trees(name: str) -> Trees:
    """A model that comes with this program, by the name of its file."""
    with open(os.path.join(MODELS, name), "rb") as file:
        return parse_trees(file.read())
