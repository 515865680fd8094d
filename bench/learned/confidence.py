"""Trains the trees that tell whether an answer is confident, and measures them.

    python -m bench.learned.confidence gather --keep FOLDER [--split test]
    python -m bench.learned.confidence train --keep FOLDER [--write]

FOLDER has what `python -m bench.answers build` has written. Questions are those of
`bench.answers.unanswerable`, and the answered ones once more as questions by rule: else the trees
would learn that questions without an answer end in a question mark. `train` leaves out each
repository of the training split in turn, chooses the sum that is demanded so that one answered
question in fifty is refused there, and measures that on the test split. Needs lightgbm.
"""

from __future__ import annotations

import argparse
import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from math import log
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bench.answers.unanswerable import LENT, UNANSWERED, Question, question_sets
from bench.learned.evidence import as_question, ranker_of
from bench.learned.training import trees_of, write_trees
from bench.ranking.ours import opened
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.question.query import FEWEST_WORDS, parse_request
from repo_mcp.question.syntax.query import parse_query
from repo_mcp.search import DEFAULT_WEIGHTS, RankedEngine, SearchOptions
from repo_mcp.search.ranked.confidence import (
    LEARNED_CONFIDENCE,
    UNKNOWN,
    ConfidenceRow,
    confidence_row,
)
from repo_mcp.search.ranked.meaning import QueryEmbedding
from repo_mcp.search.ranked.ranked_chunks import best_by_words
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.search.ranked.trees import MODELS, parse_trees
from repo_mcp.search.similar.rows import SymbolRows
from repo_mcp.vectors.choice import open_embedder

if TYPE_CHECKING:
    import numpy.typing as npt
    from lightgbm import Booster

    from repo_mcp.search.ranked.term_lookup import F64

_EACH: Final = {"train": (40, 60), "test": (12, 18)}
_TOP: Final = 10
# the share of answered questions that may be refused
_REFUSED: Final = 0.02
_TREES: Final = 150
# a larger score, a nearer meaning and a larger share are never less confident
_MONOTONE: Final = (1, 0, 0, -1, 1, 1, 1, 1, 1)
_OPTIONS: Final = {
    "objective": "binary",
    "num_leaves": 8,
    "learning_rate": 0.05,
    "min_data_in_leaf": 30,
    "lambda_l2": 5.0,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "monotone_constraints": list(_MONOTONE),
    "seed": 1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
_NEAR: Final = ConfidenceRow._fields.index("near")
# less than any cosine
_FAR: Final = 2.0
_HOW: Final = ("Where would one change the code to {}?", "What is done to {}?", "How can I {}?")


class Answer(NamedTuple):
    """A question whose answer is known to be right or wrong, and what tells of it."""

    repository: str
    form: str
    is_right: bool
    row: ConfidenceRow

    @property
    def by_words(self) -> ConfidenceRow:
        """The row as it would be where nothing is compared by meaning."""
        return self.row._replace(**UNKNOWN._asdict())


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("gather", "train"))
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets, indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--write", action="store_true", help="store the trees in the program")
    args = parser.parse_args()
    if args.command == "gather":
        found = list(answers(args.keep, args.split))
        (args.keep / f"confidence.{args.split}.pickle").write_bytes(pickle.dumps(found))
        return
    train, test = (_read(args.keep, split) for split in ("train", "test"))
    sums = _left_out(train)
    least = _least(train, sums[:, 0]), _least(train, sums[:, 1])
    _show("left out", train, sums >= least)
    text = _written(_fit(train), least)
    trees = parse_trees(text)
    rows = np.array([(item.row, item.by_words) for item in test])
    _show("test", test, np.array([trees.sums(rows[:, at]) for at in range(2)]).T >= 0)
    if args.write:
        Path(MODELS, LEARNED_CONFIDENCE).write_text(text, "utf-8")


def answers(keep: Path, split: str) -> Iterator[Answer]:
    """The answers to the questions of a split, as served."""
    embedder = open_embedder("")
    embedding = QueryEmbedding(embedder, light=True, rows=SymbolRows(embedder.width))
    for history, questions in question_sets(keep, split, *_EACH[split]):
        root, data = keep / "trees" / history.folder, keep / "vectors" / history.folder
        parts, snapshot = opened(root, data, "")
        where = parts.sandbox, parts.languages, DEFAULT_WEIGHTS, embedder
        engine = RankedEngine(*where, by_meaning=False)
        asked = [item for item in questions if item.form != LENT]
        for item in chain(asked, *map(_as_questions, asked)):
            options = SearchOptions(light=True)
            try:
                answer = engine.search(snapshot, item.text, _TOP, None, Budget(), options=options)
                query = parse_request(parse_query(item.text).plain or item.text)
            except Problem:
                continue
            paths = [hit.path for hit in answer.hits]
            is_right = not {*paths}.isdisjoint(item.paths)
            if not (is_right or item.form in UNANSWERED):
                continue
            statistics = look_up(snapshot, query)
            ranker = ranker_of(snapshot, query, embedding, DEFAULT_WEIGHTS)
            ranked = [one for one in ranker.best() if one.path in paths]
            best = best_by_words((one, one.score) for one in ranked)
            evidence = ranker.hit_evidence(paths)
            row = confidence_row(statistics, best, snapshot.chunk_count, evidence)
            if row.words >= log(FEWEST_WORDS):
                yield Answer(history.name, item.form, is_right, row)


def _as_questions(item: Question) -> Iterator[Question]:
    """An answered question that is a sentence, as a question."""
    if item.paths:
        documented = item.form == "documented"
        text = as_question(item.text) if documented else _asked(item.text)
        if text:
            yield Question(f"{item.form}, asked", text, item.paths)


def _asked(text: str) -> str:
    sentence = text.partition(". ")[0].rstrip(".?") or text
    return _HOW[len(sentence) % len(_HOW)].format(sentence[0].lower() + sentence[1:])


def _read(keep: Path, split: str) -> list[Answer]:
    loaded: list[Answer] = pickle.loads((keep / f"confidence.{split}.pickle").read_bytes())  # noqa: S301 our own
    return loaded


def _fit(found: Sequence[Answer]) -> Booster:
    import lightgbm  # noqa: PLC0415 training alone needs it

    data = lightgbm.Dataset(
        np.array([row for item in found for row in (item.row, item.by_words)]),
        np.array([float(item.is_right) for item in found for _ in range(2)]),
        feature_name=list(ConfidenceRow._fields),
    )
    return lightgbm.train(_OPTIONS, data, _TREES)


def _left_out(found: Sequence[Answer]) -> F64:
    """The sums of each answer by trees of the other repositories: with all evidence, by words."""
    sums = np.zeros((len(found), 2))
    for name in sorted({item.repository for item in found}):
        booster = _fit([item for item in found if item.repository != name])
        at = [number for number, item in enumerate(found) if item.repository == name]
        for column in range(2):
            rows = [(found[number].row, found[number].by_words)[column] for number in at]
            sums[at, column] = booster.predict(np.array(rows), raw_score=True)
    return sums


def _least(found: Sequence[Answer], sums: F64) -> float:
    """The sum below which so many answered questions are."""
    right = sorted(value for item, value in zip(found, sums.tolist(), strict=True) if item.is_right)
    return float(right[int(_REFUSED * len(right))])


def _written(booster: Booster, least: tuple[float, float]) -> str:
    """The trees as JSON, whose sum is at least 0 where an answer is confident.

    A first tree takes off what is demanded: with evidence, and where words judge.
    """
    near = {"split_feature": _NEAR, "threshold": -_FAR, "default_left": True}
    demanded = {"splits": [near], "leaves": [(-least[1], {0: 1}), (-least[0], {0: -1})]}
    return write_trees([demanded, *trees_of(booster.dump_model())], ConfidenceRow._fields, 1.0)


def _show(label: str, found: Sequence[Answer], confident: npt.NDArray[np.bool_]) -> None:
    """The shares of answers that are not confident: by words, and with all evidence."""
    groups: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for item, (is_sure, by_words) in zip(found, confident.tolist(), strict=True):
        for name in (item.form, "answered" if item.is_right else "unanswered"):
            groups[name].append((not by_words, not is_sure))
    for name, rows in sorted(groups.items()):
        words, learned = map(mean, zip(*rows, strict=True))
        print(f"{label:9} {name:20} not confident {words:.3f} -> {learned:.3f}  of {len(rows)}")


if __name__ == "__main__":
    main()
