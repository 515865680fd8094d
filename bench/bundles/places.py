"""Measures what bundles and a search give in the same number of lines.

    python -m bench.bundles.places --keep FOLDER [--split test] [--each 10] [--only NAME] [--record]

FOLDER has what `python -m bench.answers build` and `python -m bench.answers.regions` have written.
Prompts are messages of commits of which lines are known that they change, the first so many of each
repository. *Places* are asked with `strategy: regions` and at most so many lines, a *bundle* with
as many lines, a *search* is read hit by hit until there are so many. A region is useful if it has
such a line; efficiency is the share of all lines given that are such lines; `read` are the lines
until the first such line, all that are allowed where there is none. Characters are those of the
whole text of the answer.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from bench import machine
from bench.answers.judge import kept_set
from bench.answers.regions import SET, trees_with_regions
from bench.bundles.client import BUNDLE, SEARCH, Answer, Client
from bench.ranking.judgements import Judgement

LINES: Final = (100, 300, 500)
_MOST_HITS: Final = 50
_ROOM: Final = 100_000
# that is enough for as many lines
_PAGES: Final = 3
_LONGEST_QUERY: Final = 2_000
_NUMBER: Final = re.compile(r"^(\d+): ", re.MULTILINE)
Region = set[tuple[str, int]]


class Outcome(NamedTuple):
    """The figures of one answer."""

    system: str
    most: int
    recall: float
    # 1 / the place of the first useful region; 0 without one
    first: float
    efficiency: float
    # lines until the first right one, all that were allowed without one
    read: int
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
        print(f"{name:12} " + "  ".join(f"{key} {value}" for key, value in row.items()))
    if args.record:
        kept = machine.stored("bundle-places")
        print(machine.keep("bundle-places", {**kept, args.split: shown}))


def measure_tree(keep: Path, each: int, name: str) -> list[Outcome]:
    """The figures of a repository's prompts for each budget."""
    client = Client(keep / "trees" / name, keep / "bundles" / name, linked=True)
    return [
        outcome
        for item in kept_set(keep, name, SET)[:each]
        for most in LINES
        for outcome in _outcomes(client, item, most)
    ]


def _outcomes(client: Client, item: Judgement, most: int) -> Iterator[Outcome]:
    limits = {"max_total_lines": most}
    places = client(BUNDLE, prompt=item.query, strategy="regions", budget=limits)
    yield _outcome("places", places, _regions(places), item, most)
    bundle = client(BUNDLE, prompt=item.query, max_chars=_ROOM, budget=limits)
    yield _outcome("bundle", bundle, _regions(bundle), item, most)
    query = item.query[:_LONGEST_QUERY]
    pages = [client(SEARCH, query=query, top_k=_MOST_HITS, max_chars=_ROOM)]
    while len(pages) < _PAGES and (cursor := pages[-1].result.get("cursor")):
        pages.append(client(SEARCH, query=query, top_k=_MOST_HITS, max_chars=_ROOM, cursor=cursor))
    yield _outcome("search", pages[0], _first_lines(pages, most), item, most)


def _outcome(
    system: str, answer: Answer, found: Iterator[Region], item: Judgement, most: int
) -> Outcome:
    right = {(place.path, place.first) for place in item.places}
    regions = [*found]
    given = set().union(*regions)
    useful = next((at for at, region in enumerate(regions, 1) if region & right), 0)
    return Outcome(
        system,
        most,
        len(given & right) / len(right),
        1 / useful if useful else 0.0,
        len(given & right) / len(given) if given else 0.0,
        _lines_until(regions, right, most),
        len(answer.text),
    )


def _lines_until(regions: Sequence[Region], right: Region, most: int) -> int:
    rows = [line for region in regions for line in sorted(region)]
    return next((at for at, line in enumerate(rows) if line in right), most)


def _regions(answer: Answer) -> Iterator[Region]:
    """The lines of each region of a bundle whose text is shown, or that it has as a place."""
    for found in answer.result.get("excerpts", ()):
        path, _, spans = found["citation"].rpartition(":")
        if "text" not in found and "bundle_id" in answer.result:
            continue  # a file that is listed takes no lines
        for span in spans.split(","):
            first, _, last = span.partition("-")
            yield {(path, line) for line in range(int(first), int(last or first) + 1)}


def _first_lines(pages: Sequence[Answer], most: int) -> Iterator[Region]:
    """The lines of the first hits, those of each without what is there already."""
    seen = Region()
    for hit in (hit for page in pages for hit in page.result.get("hits", ())):
        numbers = [int(number) for number in _NUMBER.findall(hit["snippet"])]
        lines = [(hit["path"], number) for number in numbers if (hit["path"], number) not in seen]
        region = {*lines[: most - len(seen)]}
        if region:
            seen |= region
            yield region


def figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """The means by system and budget."""
    found: dict[str, dict[str, float]] = {}
    for system, most in product(dict.fromkeys(item.system for item in outcomes), LINES):
        rows = [item for item in outcomes if (item.system, item.most) == (system, most)]
        found[f"{system}, {most}"] = {
            "prompts": len(rows),
            "recall": round(fmean(item.recall for item in rows), 3),
            "one useful": round(fmean(item.first > 0 for item in rows), 3),
            "first useful": round(fmean(item.first for item in rows), 3),
            "efficiency": round(fmean(item.efficiency for item in rows), 4),
            "read": round(fmean(item.read for item in rows)),
            "characters": round(fmean(item.characters for item in rows)),
        }
    return found


if __name__ == "__main__":
    main()
