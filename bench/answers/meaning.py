"""Measures ranking by words, with a little meaning, and with all of it, on one index.

    python -m bench.answers.meaning --keep FOLDER [--split test] [--fewest 5]

FOLDER has what `python -m bench.answers build` has written. Figures are NDCG@10 by files unless
said, of queries of so many words; differences from words alone have 95 % intervals over queries.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import Final

from bench.answers.compare import interval
from bench.answers.figures import MOST_PASSAGES, PASSAGES, figures
from bench.answers.headings import drawn_headings
from bench.answers.history import histories
from bench.answers.judge import SETS, kept_set
from bench.ranking import metrics
from bench.ranking.judgements import Judgement, Place
from bench.ranking.metrics import Ranked
from bench.ranking.ours import Search, open_tree

_WORDS_ALONE: Final = {"described": 0.0, "changed": 0.0}
_WAYS: Final = ("words", "light", "whole")
_SHOWN: Final = ("files", "lines", "half read")
Measure = Callable[[Search], dict[str, float]]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets and indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--fewest", type=int, default=1, help="words of a query")
    args = parser.parse_args()
    measured: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for history in histories(args.split):
        root, data = args.keep / "trees" / history.folder, args.keep / "indexes" / history.folder
        if not root.is_dir():
            continue
        whole, light = (open_tree(root, data, "", light=light) for light in (False, True))
        searches = (whole(_WORDS_ALONE), light({}), whole({}))
        for name, query, measure in _queries(args.keep, history.folder):
            if len(query.split()) >= args.fewest:
                for way, search in zip(_WAYS, searches, strict=True):
                    for metric, value in measure(search).items():
                        measured[name, metric, way].append(value)
    for name, metric in dict.fromkeys((name, metric) for name, metric, _ in measured):
        if metric in _SHOWN:
            print(_row(name, metric, {way: measured[name, metric, way] for way in _WAYS}))


def _row(name: str, metric: str, values: dict[str, list[float]]) -> str:
    words = values["words"]
    shown = [f"{name:16} {metric:10} words {mean(words):.4f}"]
    for way in _WAYS[1:]:
        gains = [after - before for before, after in zip(words, values[way], strict=True)]
        low, high = interval(gains)
        shown.append(f"{way} {mean(gains):+.4f} [{low:+.4f}, {high:+.4f}]")
    return f"{', '.join(shown)} of {len(words)}"


def _queries(keep: Path, folder: str) -> Iterator[tuple[str, str, Measure]]:
    """Name of the set, query, and how a search is measured with it."""
    for name in SETS:
        for item in kept_set(keep, folder, name):
            yield name, item.query, _of_set(name, item)
    for form, text, paths in drawn_headings(keep / "trees" / folder):
        yield f"headings {form}", text, _of_heading(text, paths)


def _of_set(name: str, item: Judgement) -> Measure:
    limit = MOST_PASSAGES if name == "documented" else PASSAGES
    return lambda search: figures(name, search(item.query, limit), item)


def _of_heading(text: str, paths: list[str]) -> Measure:
    def measure(search: Search) -> dict[str, float]:
        found: list[Ranked] = search(text, PASSAGES)
        return {"files": metrics.by_file(found, [Place(path) for path in paths])["ndcg@10"]}

    return measure


if __name__ == "__main__":
    main()
