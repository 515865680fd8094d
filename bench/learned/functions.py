"""Trains the order of functions on questions whose function is known, and measures it.

    python -m bench.learned.functions gather --keep FOLDER [--split test]
    python -m bench.learned.functions check --keep FOLDER
    python -m bench.learned.functions train --keep FOLDER [--write] [--record]

FOLDER is that of `python -m bench.learned`, whose files are in their learned order already. `check`
leaves out each fifth of the training repositories in turn, `train` measures on the test split,
which nothing was chosen on. Needs lightgbm.
"""

from __future__ import annotations

import argparse
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bench.answers import issues, regions
from bench.answers.changed import changed_functions
from bench.answers.history import History, histories
from bench.answers.paraphrased import is_function
from bench.learned.evidence import asked_functions, named_functions, opened_tree, parsed, ranker_of
from bench.learned.training import Group, fit_groups, kind_weights
from bench.machine import keep
from bench.ranking.judgements import Judgement, Place
from bench.ranking.metrics import Ranked
from bench.ranking.ours import opened
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search import DEFAULT_WEIGHTS
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.function_order import (
    FILES,
    LEARNED_FUNCTIONS,
    FunctionEvidence,
    FunctionOrder,
)
from repo_mcp.search.ranked.meaning import QueryEmbedding
from repo_mcp.search.ranked.ranked_chunks import best_of_files
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.search.ranked.trees import MODELS, parse_trees
from repo_mcp.search.similar.rows import SymbolRows
from repo_mcp.services import Services
from repo_mcp.vectors.choice import open_embedder

if TYPE_CHECKING:
    import numpy.typing as npt

_TREES: Final = 150
_OPTIONS: Final = {"num_leaves": 6, "min_data_in_leaf": 80}
_FOLDS: Final = 5
_TEN: Final = 10
_COLUMNS: Final = FunctionEvidence._fields


class AskedFunctions(NamedTuple):
    """A question with the evidence of its candidate functions, and which of them are right."""

    repository: str
    kind: str
    rows: npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]


Order = Callable[[AskedFunctions], "npt.NDArray[np.float64]"]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("gather", "check", "train"))
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets, indexes")
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--texts", type=Path, help="texts of issues")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--record", action="store_true", help="store the figures")
    parser.add_argument("--write", action="store_true", help="store the trees in the program")
    args = parser.parse_args()
    if args.command == "gather":
        listed = [i for i in histories(args.split) if (args.keep / "trees" / i.folder).is_dir()]
        with ProcessPoolExecutor(2) as pool:
            parts = pool.map(partial(gather, args.keep, args.git), listed)
            found = [item for part in parts for item in part]
        if args.git is not None and args.texts is not None:
            for split in ("train", "seen") if args.split == "train" else ("test",):
                asked = issues.questions(
                    *(args.git, args.keep / "issues", issues.read_texts(args.texts)),
                    issues.listed(args.git, split),
                    whole=True,
                )
                told = _asked_in_time(asked, args.keep / "issues" / "indexes")
                found += [item for item in told if item is not None]
        _path(args.keep, args.split).write_bytes(pickle.dumps(found))
    elif args.command == "check":
        _check(_read(args.keep, "train"))
    else:
        text = fit(_read(args.keep, "train"))
        order = learned_order(text)
        shown = {split: show(split, _read(args.keep, split), order) for split in ("train", "test")}
        if args.record:
            keep("learned-functions", {"splits": shown})
        if args.write:
            Path(MODELS, LEARNED_FUNCTIONS).write_text(text, "utf-8")


def _path(folder: Path, split: str) -> Path:
    return folder / f"functions.{split}.pickle"


def _read(folder: Path, split: str) -> list[AskedFunctions]:
    loaded: list[AskedFunctions] = pickle.loads(_path(folder, split).read_bytes())  # noqa: S301 our own
    return loaded


def gather(keep: Path, git: Path | None, history: History) -> list[AskedFunctions]:
    """All questions of a repository for functions: for one of the tree, and of its commits."""
    root = keep / "trees" / history.folder
    parts, snapshot, embedding = opened_tree(history, keep)
    found = [
        _with_evidence(parts, snapshot, embedding, history.name, kind, text, (place,))
        for kind, text, place in chain(
            asked_functions(history, keep, root), named_functions(snapshot)
        )
    ]
    if git is not None:
        changes = keep / "changes"
        found += _asked_in_time(changed_functions(git, changes, history), changes / "indexes")
    print(history.name, len(found), flush=True)
    return [item for item in found if item is not None]


def _asked_in_time(
    asked: Iterable[tuple[Path, Judgement, list[Place]]], indexes: Path
) -> Iterator[AskedFunctions | None]:
    """Messages and reports with the functions that hold changed lines, each in its own tree."""
    embedder = open_embedder("")
    for root, item, lines in asked:
        parts, snapshot = opened(root, indexes / root.name, "")
        right = regions.functions(snapshot, lines)
        if right:
            embedding = QueryEmbedding(embedder, light=True, rows=SymbolRows(embedder.width))
            told = item.repository, item.form, item.query, right
            yield _with_evidence(parts, snapshot, embedding, *told)


def _with_evidence(
    parts: Services,
    snapshot: Snapshot,
    embedding: QueryEmbedding,
    repository: str,
    kind: str,
    text: str,
    right: Sequence[Place],
) -> AskedFunctions | None:
    query = parsed(text)
    if query is None:
        return None
    statistics = look_up(snapshot, query, DEFAULT_WEIGHTS)
    ranker = ranker_of(snapshot, query, embedding, DEFAULT_WEIGHTS)
    files = [*islice(best_of_files(ranker.best()), FILES)]
    if not files or not ranker.is_learned:
        return None
    matcher = TermMatcher(statistics.term_weights(DEFAULT_WEIGHTS.stems), query.name)
    current = CurrentFiles(parts.sandbox, snapshot)
    order = FunctionOrder(snapshot, current, matcher, Budget())
    functions, rows = order.candidates(files, ranker.near)
    spans = [Ranked(item.path, item.first, item.last) for item in functions]
    labels = [float(any(is_function(span, place) for place in right)) for span in spans]
    return AskedFunctions(repository, kind, rows, np.array(labels)) if functions else None


def fit(found: Sequence[AskedFunctions]) -> str:
    """A model in JSON."""
    useful = [item for item in found if item.labels.any()]
    weights = kind_weights(item.kind for item in useful)
    groups = [Group(item.rows, item.labels, weights[item.kind]) for item in useful]
    return fit_groups(groups, _COLUMNS, _TREES, _OPTIONS)


def learned_order(text: str) -> Order:
    """The order of a model."""
    trees = parse_trees(text)
    return lambda item: np.round(trees.sums(item.rows), 6)


def by_words(item: AskedFunctions) -> npt.NDArray[np.float64]:
    """The order by the scores of files and of functions as documents."""
    found: npt.NDArray[np.float64] = item.rows[:, 0] + np.log(np.maximum(item.rows[:, 1], 1e-9))
    return found


def _check(found: Sequence[AskedFunctions]) -> None:
    """The figures of repositories that were left out."""
    repositories = sorted({item.repository for item in found})
    orders: dict[str, Order] = {}
    for at in range(_FOLDS):
        fold = repositories[at::_FOLDS]
        order = learned_order(fit([item for item in found if item.repository not in fold]))
        orders.update(dict.fromkeys(fold, order))
    show("left out", found, lambda item: orders[item.repository](item))


def show(label: str, found: Sequence[AskedFunctions], order: Order) -> dict[str, dict[str, float]]:
    """The shares of questions whose function is first and among ten: by words, and learned."""
    rows: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for item in found:
        rows[item.kind].append((*_figures(item, by_words), *_figures(item, order)))
    shown: dict[str, dict[str, float]] = {}
    for kind, values in sorted(rows.items()):
        first, ten, learned_first, learned_ten = (
            round(mean(column), 4) for column in zip(*values, strict=True)
        )
        print(
            f"{label:9} {kind:12} {len(values):5}  first {first:.4f} -> {learned_first:.4f}"
            f"  among ten {ten:.4f} -> {learned_ten:.4f}",
            flush=True,
        )
        shown[kind] = {
            "questions": len(values),
            "first by words": first,
            "first": learned_first,
            "among ten by words": ten,
            "among ten": learned_ten,
        }
    return shown


def _figures(item: AskedFunctions, order: Order) -> Iterator[float]:
    at = np.argsort(-order(item), kind="stable")
    right = item.labels[at] > 0
    return iter((float(right[0]), float(right[:_TEN].any())))


if __name__ == "__main__":
    main()
