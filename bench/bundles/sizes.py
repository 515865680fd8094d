"""Measures bundles and ranked searches in the same number of characters, for several numbers.

    python -m bench.bundles.sizes --keep FOLDER [--split test] [--each 10] [--only NAME]
                                  [--size 3000 --size 6000] [--rows FILE] [--record]

FOLDER has what `python -m bench.answers build` and `python -m bench.answers.regions` have written.
Prompts are the messages of commits, the first so many of each repository; right are the source
files that a commit changes, and their lines that it changes, as far as they are in the tree. Both
tools get `max_chars` and no other limit, but that a search may have as many hits as there is room
for. The symbol graph is linked before. Lines are those whose text an answer has; `touched` is the
share of prompts with one right line.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from bench import machine
from bench.answers.judge import kept_set
from bench.answers.regions import SET, trees_with_regions
from bench.bundles.client import BUNDLE, SEARCH, Answer, Client
from bench.ranking.judgements import Judgement

_SIZES: Final = (3_000, 6_000, 11_800, 24_000)
# as many as a search gives
_MOST_HITS: Final = 50
_LONGEST_QUERY: Final = 2_000
_NUMBER: Final = re.compile(r"^(\d+): ", re.MULTILINE)
_SYSTEMS: Final = ("bundle", "search")
Lines = set[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of one answer."""

    repository: str
    prompt: str
    size: int
    system: str
    characters: int
    shown: int
    # share of the changed files
    files: float
    # share of the changed lines; None where no such line is known
    lines: float | None


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets and indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--each", type=int, default=10, help="commits of each repository")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--size", type=int, action="append", default=[])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--rows", type=Path, help="write one line of JSON per answer")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    listed = trees_with_regions(args.keep, args.split, args.only)
    work = partial(measure_tree, args.keep, args.each, args.size or _SIZES)
    with ProcessPoolExecutor(args.processes) as pool:
        outcomes = [item for found in pool.map(work, listed) for item in found]
    for line in summary(outcomes):
        print(line)
    if args.rows:
        args.rows.write_text("".join(f"{json.dumps(asdict(item))}\n" for item in outcomes))
    if args.record:
        kept = machine.stored("bundle-sizes")
        print(machine.keep("bundle-sizes", {**kept, args.split: figures(outcomes)}))


def measure_tree(keep: Path, each: int, sizes: Sequence[int], name: str) -> list[Outcome]:
    """The figures of a repository's prompts at each size."""
    root, data = keep / "trees" / name, keep / "bundles" / name
    client = Client(root, data, linked=True)
    touched = {item.query: item for item in kept_set(keep, name, SET)}
    found = []
    for item in kept_set(keep, name, "changes")[:each]:
        place = touched.get(item.query)
        lines = {(at.path, at.first) for at in place.places} if place else set()
        for size in sizes:
            query = item.query[:_LONGEST_QUERY]
            answers = (
                client(BUNDLE, prompt=item.query, max_chars=size),
                client(SEARCH, query=query, top_k=_MOST_HITS, max_chars=size),
            )
            for system, answer in zip(_SYSTEMS, answers, strict=True):
                found.append(_outcome(item, size, system, answer, lines))
    return found


def _outcome(item: Judgement, size: int, system: str, answer: Answer, lines: Lines) -> Outcome:
    changed = {place.path for place in item.places}
    shown, seen = set[str](), Lines()
    for path, text in _texts(answer.result):
        shown.add(path)
        seen |= {(path, int(number)) for number in _NUMBER.findall(text)}
    return Outcome(
        *(item.repository, item.query, size, system, answer.size, len(shown)),
        files=len(changed & shown) / len(changed),
        lines=len(lines & seen) / len(lines) if lines else None,
    )


def _texts(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for item in result.get("excerpts", ()):
        yield item["citation"].rpartition(":")[0], item.get("text", "")
    for item in result.get("hits", ()):
        yield item["path"], item["snippet"]


def figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """The means by size and system."""
    found = {}
    for size in sorted({item.size for item in outcomes}):
        for system in _SYSTEMS:
            rows = [item for item in outcomes if (item.size, item.system) == (size, system)]
            lines = [item.lines for item in rows if item.lines is not None]
            found[f"{system}, {size}"] = {
                "prompts": len(rows),
                "files": round(fmean(item.files for item in rows), 3),
                "lines": round(fmean(lines), 3),
                "touched": round(fmean(share > 0 for share in lines), 3),
                "shown": round(fmean(item.shown for item in rows), 1),
                "characters": round(fmean(item.characters for item in rows)),
            }
    return found


def summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The means by size and system, a line each."""
    yield f"{len({item.repository for item in outcomes})} repositories"
    for name, row in figures(outcomes).items():
        yield f"{name:16} " + "  ".join(f"{key} {value}" for key, value in row.items())


if __name__ == "__main__":
    main()
