"""Trains small trees on questions, and writes them as the program reads them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from bench.learned.evidence import Question
from repo_mcp.search.ranked.file_evidence import COLUMNS
from repo_mcp.search.ranked.trees import Trees

if TYPE_CHECKING:
    import numpy.typing as npt

TREES: Final = 160
LEAVES: Final = 6
_OPTIONS: Final = {
    "objective": "lambdarank",
    "num_leaves": LEAVES,
    "learning_rate": 0.08,
    "min_data_in_leaf": 60,
    "lambda_l2": 5.0,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambdarank_truncation_level": 15,
    "seed": 1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
# the column of a score's logarithm
_SCORE: Final = 0
# files whose sums tell how a sum becomes a factor of scores
_FIRST: Final = 20
_DIGITS: Final = 6


class Group(NamedTuple):
    """The candidates of one question: their evidence, which of them are right, and its weight."""

    rows: npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]
    weight: float = 1.0


def fit(found: Sequence[Question]) -> str:
    """A model of files in JSON."""
    useful = [item for item in found if item.labels.any()]
    weights = kind_weights(item.kind for item in useful)
    groups = [Group(item.rows, item.labels, weights[item.kind]) for item in useful]
    return fit_groups(groups, COLUMNS, TREES)


def fit_groups(
    groups: Sequence[Group],
    columns: Sequence[str],
    trees: int,
    options: Mapping[str, object] | None = None,
) -> str:
    """A model in JSON, whose first column is the logarithm of a score."""
    import lightgbm  # noqa: PLC0415 training alone needs it

    data = lightgbm.Dataset(
        np.vstack([item.rows for item in groups]),
        np.concatenate([item.labels for item in groups]),
        group=[len(item.labels) for item in groups],
        weight=np.concatenate([np.full(len(item.labels), item.weight) for item in groups]),
        feature_name=list(columns),
    )
    booster = lightgbm.train({**_OPTIONS, **(options or {})}, data, trees)
    found = trees_of(booster.dump_model())
    slope = _slope(
        [
            (item.rows[:, _SCORE], np.asarray(booster.predict(item.rows), np.float64))
            for item in groups
        ]
    )
    return write_trees(found, columns, slope)


def order_of(trees: Trees, item: Question) -> npt.NDArray[np.float64]:
    """The sum of the trees for each file of a question, by which files are ordered."""
    return np.round(trees.sums(item.rows), _DIGITS)


def kind_weights(kinds: Iterable[str]) -> dict[str, float]:
    """A weight for each kind, so that many questions of one kind do not decide alone."""
    counts = Counter(kinds)
    most = max(counts.values(), default=1)
    return {kind: (most / count) ** 0.25 for kind, count in counts.items()}


def _slope(pairs: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]) -> float:
    """The fall of sums with the logarithm of the score, of the first files."""
    above = below = 0.0
    for scores, sums in pairs:
        x, y = scores[:_FIRST] - scores[:_FIRST].mean(), sums[:_FIRST] - sums[:_FIRST].mean()
        above, below = above + float(x @ y), below + float(x @ x)
    return above / below


def trees_of(model: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The trees of a model as lightgbm tells it."""
    return [_tree(item["tree_structure"]) for item in model["tree_info"]]


def _tree(root: Mapping[str, Any]) -> dict[str, Any]:
    """One tree: its splits, and for each leaf its value and the sides of the splits on its way."""
    splits: list[Mapping[str, Any]] = []
    leaves: list[tuple[float, dict[int, int]]] = []

    def walk(node: Mapping[str, Any], way: dict[int, int]) -> None:
        if "leaf_value" in node:
            leaves.append((node["leaf_value"], way))
            return
        number = len(splits)
        splits.append(node)
        walk(node["left_child"], {**way, number: 1})
        walk(node["right_child"], {**way, number: -1})

    walk(root, {})
    return {"splits": splits, "leaves": leaves}


def write_trees(trees: Sequence[Mapping[str, Any]], columns: Sequence[str], slope: float) -> str:
    """The JSON of a model, as `repo_mcp.search.ranked.trees` reads it."""
    rows = ",\n".join(json.dumps(item, separators=(",", ":")) for item in _padded(trees))
    head = json.dumps({"columns": list(columns), "slope": round(slope, 3)})[:-1]
    return f'{head}, "trees": [\n{rows}\n]}}\n'


def _padded(trees: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Trees of equal size: what is missing is a leaf that adds nothing."""
    most = max(len(tree["leaves"]) for tree in trees)
    for tree in trees:
        splits, leaves = tree["splits"], tree["leaves"]
        lacking = most - len(leaves)
        yield {
            "columns": [item["split_feature"] for item in splits] + [0] * lacking,
            "thresholds": [float(f"{item['threshold']:.5g}") for item in splits] + [0.0] * lacking,
            "missing_left": [int(item["default_left"]) for item in splits] + [0] * lacking,
            "paths": [[way.get(number, 0) for number in range(most - 1)] for _, way in leaves]
            + [[0] * (most - 1)] * lacking,
            "values": [float(f"{value:.4g}") for value, _ in leaves] + [0.0] * lacking,
        }
