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
import hashlib
import heapq
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bench.answers.history import History, histories
from bench.answers.paraphrased import is_function
from bench.learned.evidence import asked_functions, opened_tree, parsed, ranker_of
from bench.learned.training import Group, fit_groups
from bench.machine import keep
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked
from code_graph.facts import decode_declarations
from code_graph.paths.path_kinds import is_test
from code_graph.query.model import FUNCTIONS
from code_graph.store.schema import FACTS
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.search import DEFAULT_WEIGHTS
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.functions import (
    FILES,
    LEARNED_FUNCTIONS,
    FunctionEvidence,
    FunctionHits,
)
from repo_mcp.search.ranked.ranked_chunks import best_of_files
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.search.ranked.trees import MODELS, parse_trees
from repo_mcp.vectors.words import parts_of_word

if TYPE_CHECKING:
    import numpy.typing as npt

_TREES: Final = 120
_OPTIONS: Final = {"num_leaves": 4}
_FOLDS: Final = 5
_TEN: Final = 10
# questions made of names: so many of a repository, of names with so many words behind the first, of
# functions with so many lines behind the first
_NAMED: Final = 15
_FEWEST_OTHER_WORDS: Final = 2
_FEWEST_LINES: Final = 4
_NAMED_QUESTIONS: Final = (
    "where is the {rest} {done}",
    "where does it {first} {rest}",
    "which code is there to {first} the {rest}",
    "how is {rest} {done} here",
)
_COLUMNS: Final = FunctionEvidence._fields


class AskedFunction(NamedTuple):
    """A question with the evidence of its candidate functions, as their files' words order them."""

    repository: str
    kind: str
    rows: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]


Order = Callable[[AskedFunction], "npt.NDArray[np.float64]"]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("gather", "check", "train"))
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets, indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--record", action="store_true", help="store the figures")
    parser.add_argument("--write", action="store_true", help="store the trees in the program")
    args = parser.parse_args()
    if args.command == "gather":
        listed = [i for i in histories(args.split) if (args.keep / "trees" / i.folder).is_dir()]
        with ProcessPoolExecutor(2) as pool:
            parts = pool.map(partial(gather, args.keep), listed)
            found = [item for part in parts for item in part]
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


def _read(folder: Path, split: str) -> list[AskedFunction]:
    loaded: list[AskedFunction] = pickle.loads(_path(folder, split).read_bytes())  # noqa: S301 our own
    return loaded


def gather(folder: Path, history: History) -> list[AskedFunction]:
    """All questions of a repository for one function."""
    parts, snapshot, embedding = opened_tree(history, folder)
    found = []
    asked = asked_functions(history, folder, folder / "trees" / history.folder)
    for kind, text, place in chain(asked, named_functions(snapshot)):
        query = parsed(text)
        if query is None:
            continue
        statistics = look_up(snapshot, query, DEFAULT_WEIGHTS)
        ranker = ranker_of(snapshot, query, embedding, DEFAULT_WEIGHTS)
        files = [*islice(best_of_files(ranker.best()), FILES)]
        matcher = TermMatcher(statistics.term_weights(DEFAULT_WEIGHTS.stems), query.name)
        current = CurrentFiles(parts.sandbox, snapshot)
        hits = FunctionHits(snapshot, current, matcher, Budget(), ranker)
        scored = [] if ranker.near is None else hits.candidates(files)
        if scored:
            spans = [Ranked(i.item.path, i.item.first, i.item.last) for i in scored]
            item = AskedFunction(
                *(history.name, kind),
                np.array([one.evidence for one in scored], dtype=np.float64),
                np.array([one.share for one in scored]),
                np.array([float(is_function(span, place)) for span in spans]),
            )
            found.append(item)
    print(history.name, len(found), flush=True)
    return found


def named_functions(snapshot: Snapshot) -> Iterator[tuple[str, str, Place]]:
    """Questions with words of the names of some functions: kind, text and place."""
    drawn: dict[str, list[Place]] = defaultdict(list)
    for path in snapshot.paths():
        data = b"" if is_test(path) else snapshot.attachment(path, FACTS)
        for item in decode_declarations(data).declarations if data else ():
            if item.kind in FUNCTIONS and item.end_line - item.start_line >= _FEWEST_LINES:
                drawn[item.name].append(Place(path, item.start_line, item.end_line))
    words = {name: parts_of_word(name) for name, places in drawn.items() if len(places) == 1}
    long = [name for name, parts in words.items() if len(parts) > _FEWEST_OTHER_WORDS]
    # by chance, which the name alone decides
    drawings = ((hashlib.sha256(name.encode()).digest(), name) for name in long)
    for chance, name in heapq.nsmallest(_NAMED, drawings):
        first, *rest = words[name]
        done = f"{first}d" if first.endswith("e") else f"{first}ed"
        form = _NAMED_QUESTIONS[chance[0] % len(_NAMED_QUESTIONS)]
        yield "named", form.format(first=first, done=done, rest=" ".join(rest)), drawn[name][0]


def fit(found: Sequence[AskedFunction]) -> str:
    """A model in JSON."""
    groups = [Group(item.rows, item.labels) for item in found if item.labels.any()]
    return fit_groups(groups, _COLUMNS, _TREES, _OPTIONS)


def learned_order(text: str) -> Order:
    """The order of a model."""
    trees = parse_trees(text)
    return lambda item: np.round(trees.sums(item.rows), 6)


def by_words(item: AskedFunction) -> npt.NDArray[np.float64]:
    """The order by the scores of files and what functions have of them."""
    found: npt.NDArray[np.float64] = item.rows[:, 0] + np.log(np.maximum(item.shares, 1e-9))
    return found


def _check(found: Sequence[AskedFunction]) -> None:
    """The figures of repositories that were left out."""
    repositories = sorted({item.repository for item in found})
    orders: dict[str, Order] = {}
    for at in range(_FOLDS):
        fold = repositories[at::_FOLDS]
        order = learned_order(fit([item for item in found if item.repository not in fold]))
        orders.update(dict.fromkeys(fold, order))
    show("left out", found, lambda item: orders[item.repository](item))


def show(label: str, found: Sequence[AskedFunction], order: Order) -> dict[str, dict[str, float]]:
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


def _figures(item: AskedFunction, order: Order) -> Iterator[float]:
    at = np.argsort(-order(item), kind="stable")
    right = item.labels[at] > 0
    return iter((float(right[0]), float(right[:_TEN].any())))


if __name__ == "__main__":
    main()
