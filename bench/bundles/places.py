"""Measures bundles of places alone: where to read, for budgets of lines.

    python -m bench.bundles.places --keep FOLDER [--split test] [--each 10] [--only NAME] [--record]

FOLDER has what `python -m bench.answers build` and `python -m bench.answers.regions` have written.
Prompts are messages of commits of which lines are known that they change, the first so many of each
repository, asked with `strategy: regions` and at most so many lines. A region is useful if it has
such a line; efficiency is the share of all lines given that are such lines.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from bench import machine
from bench.answers.judge import kept_set
from bench.answers.regions import SET, trees_with_regions
from bench.bundles.client import BUNDLE, Answer, Client
from bench.ranking.judgements import Judgement

LINES: Final = (100, 300, 500)


class Outcome(NamedTuple):
    """The figures of one answer."""

    most: int
    recall: float
    # 1 / the place of the first useful region; 0 without one
    first: float
    efficiency: float
    characters: int


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets and indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--each", type=int, default=10, help="commits of each repository")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    listed = trees_with_regions(args.keep, args.split, args.only)
    with ProcessPoolExecutor(2) as pool:
        measured = pool.map(partial(measure_tree, args.keep, args.each), listed)
        outcomes = [item for found in measured for item in found]
    shown = figures(outcomes)
    for name, row in shown.items():
        print(f"{name:10} " + "  ".join(f"{key} {value}" for key, value in row.items()))
    if args.record:
        kept = machine.stored("bundle-places")
        print(machine.keep("bundle-places", {**kept, args.split: shown}))


def measure_tree(keep: Path, each: int, name: str) -> list[Outcome]:
    """The figures of a repository's prompts for each budget."""
    client = Client(keep / "trees" / name, keep / "bundles" / name)
    return [
        _outcome(
            client(BUNDLE, prompt=item.query, strategy="regions", budget={"max_total_lines": most}),
            item,
            most,
        )
        for item in kept_set(keep, name, SET)[:each]
        for most in LINES
    ]


def _outcome(answer: Answer, item: Judgement, most: int) -> Outcome:
    right = {(place.path, place.first) for place in item.places}
    cited = (found["citation"] for found in answer.result.get("excerpts", ()))
    regions = [region for citation in cited for region in _regions(citation)]
    given = set().union(*regions)
    useful = next((at for at, region in enumerate(regions, 1) if region & right), 0)
    return Outcome(
        most,
        len(given & right) / len(right),
        1 / useful if useful else 0.0,
        len(given & right) / len(given) if given else 0.0,
        len(answer.text),
    )


def _regions(citation: str) -> Iterator[set[tuple[str, int]]]:
    """The lines of each region of `path:from-to,from-to`."""
    path, _, spans = citation.rpartition(":")
    for span in spans.split(","):
        first, _, last = span.partition("-")
        yield {(path, line) for line in range(int(first), int(last or first) + 1)}


def figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """The means by budget."""
    found: dict[str, dict[str, float]] = {}
    for most in LINES:
        rows = [item for item in outcomes if item.most == most]
        found[f"{most} lines"] = {
            "prompts": len(rows),
            "recall": round(fmean(item.recall for item in rows), 3),
            "one useful": round(fmean(item.first > 0 for item in rows), 3),
            "first useful": round(fmean(item.first for item in rows), 3),
            "efficiency": round(fmean(item.efficiency for item in rows), 4),
            "characters": round(fmean(item.characters for item in rows)),
        }
    return found


if __name__ == "__main__":
    main()
