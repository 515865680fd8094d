"""Measures questions for functions in words that the functions do not have.

    python -m bench.answers.paraphrased --keep FOLDER [--split test] [--set nearby=0] [--record]

FOLDER has what `python -m bench.answers build` has written. Questions are those of
paraphrased.jsonl, each for one function: half and more by hand, the others by rules
(`bench.answers.paraphrase`). Asked is as the product answers by default: ten passages, and ten
functions. Figures are the shares of questions whose file is first and among ten, whose function is
first and among ten, and the mean reciprocal ranks. `--rows` writes the ranks of each question.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Final

from bench import machine
from bench.answers.figures import PASSAGES
from bench.answers.history import History, histories
from bench.answers.paraphrase import Paraphrase, paraphrases
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked
from bench.ranking.ours import Search, open_tree

_RESULT: Final = "paraphrased"
_FUNCTION: Final = "function"
_HALF: Final = 0.5
# ranks from 1 of the right file and the right function; 0 where it is not among ten
Ranks = tuple[Paraphrase, int, int]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees and indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--set", action="append", default=[], metavar="WEIGHT=VALUE")
    parser.add_argument("--rows", type=Path, help="the ranks of each question")
    parser.add_argument("--record", action="store_true", help="store the figures")
    args = parser.parse_args()
    weights = {name: float(value) for name, _, value in (item.partition("=") for item in args.set)}
    with ProcessPoolExecutor(1) as pool:
        parts = pool.map(partial(ranks, args.keep, weights), histories(args.split))
        found = [row for part in parts for row in part]
    if args.rows:
        rows = [json.dumps([item.by, item.repository, item.name, *at]) for item, *at in found]
        args.rows.write_text("\n".join(rows) + "\n", "utf-8")
    shown = figures(found)
    for name, values in shown.items():
        print(f"{name:6}", "  ".join(f"{metric} {value}" for metric, value in values.items()))
    if args.record:
        machine.keep(_RESULT, {**machine.stored(_RESULT), args.split: shown})


def ranks(keep: Path, weights: dict[str, float], history: History) -> list[Ranks]:
    """The ranks of the answers to the questions of a repository."""
    root, data = keep / "trees" / history.folder, keep / "vectors" / history.folder
    asked = [item for item in paraphrases(history.split) if item.repository == history.name]
    if not asked or not root.is_dir():
        return []
    passages, functions = (
        open_tree(root, data, "", light=True, level=level)(weights) for level in ("", _FUNCTION)
    )
    return [
        (item, _rank_of_file(passages, item), _rank_of_function(functions, item)) for item in asked
    ]


def _rank_of_file(search: Search, item: Paraphrase) -> int:
    found = [hit.path == item.place.path for hit in search(item.question, PASSAGES)]
    return _rank(found)


def _rank_of_function(search: Search, item: Paraphrase) -> int:
    found = [is_function(hit, item.place) for hit in search(item.question, PASSAGES)]
    return _rank(found)


def is_function(hit: Ranked, place: Place) -> bool:
    """True if a hit is the function at a place, with or without what stands before its head."""
    if hit.path != place.path:
        return False
    common = min(hit.last, place.last) - max(hit.first, place.first) + 1
    union = max(hit.last, place.last) - min(hit.first, place.first) + 1
    return common > _HALF * union


def _rank(found: Sequence[bool]) -> int:
    return found.index(True) + 1 if True in found else 0


def figures(found: Sequence[Ranks]) -> dict[str, dict[str, float]]:
    """The figures of all questions, and of those by hand and by rules."""
    rows: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for item, file, function in found:
        rows["all"].append((file, function))
        rows[item.by].append((file, function))
    return {
        name: {
            "questions": len(items),
            **_of_ranks("file", [file for file, _ in items]),
            **_of_ranks("function", [function for _, function in items]),
        }
        for name, items in rows.items()
    }


def _of_ranks(name: str, at: Sequence[int]) -> dict[str, float]:
    return {
        f"{name}@1": round(mean(rank == 1 for rank in at), 3),
        f"{name}@10": round(mean(rank > 0 for rank in at), 3),
        f"{name} MRR": round(mean(1 / rank if rank else 0.0 for rank in at), 3),
    }


if __name__ == "__main__":
    main()
