"""Measures how much of the code that an engineer would open is in the bundles for real prompts.

    python -m bench.bundles.run --tree python=ROOT,DATA --tree linux=ROOT,DATA --tree etcd=ROOT,DATA
                            --tree django=ROOT,DATA [--only SET] [--show N] [--record]

DATA is the data folder of an index of ROOT. Prompts and expected places are in `bundles.toml`:
bug reports with traces, messages, questions, features, symbols. Those of the set `tuned` were
written before the bundler was tuned, and it was tuned on them; `held_out` is the test set.
Prints for each prompt the share of expected places in the bundle, their share in the passages of
one ranked search for the prompt within the same budget, the missing places, lines and processor
time (the median of five, the first apart). A place that an outline only names does not count. The
benchmark fails if a bundle exceeds its budget, or if two of the same prompt differ.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench import machine
from index_format import Snapshot
from repo_mcp.app import services
from repo_mcp.budget import Budget
from repo_mcp.bundle import Bundle, BundleRequest, LocalBundler, render_page
from repo_mcp.search import RankedEngine
from repo_mcp.settings import Options

_PROMPTS: Final = Path(__file__).with_name("bundles.toml")
_TIMES: Final = 5
_PASSAGES: Final = 60
_SETS: Final = ("tuned", "held_out")


class Case(NamedTuple):
    """A prompt and its expected places: path and a text in its lines."""

    tree: str
    kind: str
    prompt: str
    expected: list[tuple[str, str]]
    set: str


class Outcome(NamedTuple):
    """The expected places in a bundle, and its time in seconds: first run and later ones."""

    case: Case
    files: float
    places: float
    # places that passages of one search show
    passages: float
    missing: list[str]
    lines: int
    tokens: int
    first: float
    times: list[float]


def main() -> None:
    """Measure all prompts of the given trees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=ROOT,DATA")
    parser.add_argument("--only", choices=_SETS, help="leave out the prompts of the other set")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the Nth bundle")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    outcomes: list[Outcome] = []
    for tree in args.tree:
        name, _, folders = tree.partition("=")
        root, _, data = folders.partition(",")
        outcomes += _tree(name, root, data, args)
    _say(outcomes)
    if args.record:
        machine.keep("bundles", {"prompts": [_facts(item) for item in outcomes]})


def _cases() -> list[Case]:
    found = tomllib.loads(_PROMPTS.read_text(encoding="utf-8"))["prompt"]
    return [
        Case(
            row["tree"],
            row["kind"],
            row["prompt"].strip(),
            [tuple(place) for place in row["expected"]],
            _SETS[row.get("held_out", False)],
        )
        for row in found
    ]


def _tree(name: str, root: str, data: str, args: argparse.Namespace) -> Iterator[Outcome]:
    parts = services(Options(root, data, watch=False))
    snapshot = parts.manager.snapshot()
    assert snapshot is not None, data
    for number, case in enumerate(_cases(), 1):
        if case.tree == name and args.only in {None, case.set}:
            engine = RankedEngine(parts.sandbox, parts.languages)
            passages = _passages(engine, snapshot, case)
            bundler = LocalBundler(parts.sandbox, engine, parts.languages)
            yield _measured(bundler, snapshot, case, passages, shown=args.show == number)


def _passages(engine: RankedEngine, snapshot: Snapshot, case: Case) -> float:
    """The share of places in the best passages of one search, in no more files and lines."""
    request = BundleRequest(case.prompt)
    found: dict[str, list[str]] = {}
    lines = 0
    for hit in engine.search(snapshot, case.prompt[:2_000], _PASSAGES, None, Budget()).hits:
        lines += hit.end_line - hit.start_line + 1
        if lines > request.max_total_lines:
            break
        if hit.path in found or len(found) < request.max_files:
            found.setdefault(hit.path, []).append(hit.snippet)
    held = [any(text in item for item in found.get(path, ())) for path, text in case.expected]
    return sum(held) / len(held)


def _measured(
    bundler: LocalBundler, snapshot: Snapshot, case: Case, passages: float, *, shown: bool
) -> Outcome:
    request = BundleRequest(case.prompt)
    seconds: list[float] = []
    bundles: list[Bundle] = []
    for _ in range(_TIMES + 1):
        begun = time.process_time()
        bundles.append(bundler.build(snapshot, request, Budget()))
        seconds.append(time.process_time() - begun)
    bundle = bundles[0]
    assert all(other == bundle for other in bundles)
    assert bundle.used.files <= request.max_files
    assert bundle.used.lines <= request.max_total_lines
    if shown:
        print(render_page(bundle, case.prompt))
    missing = [f"{path}: {text}" for path, text in case.expected if not _holds(bundle, path, text)]
    paths = {path for path, _ in case.expected}
    there = paths & {item.path for item in bundle.excerpts if item.role != "outline"}
    places = 1 - len(missing) / len(case.expected)
    return Outcome(
        case,
        len(there) / len(paths),
        places,
        passages,
        missing,
        bundle.used.lines,
        bundle.used.tokens,
        seconds[0],
        seconds[1:],
    )


def _holds(bundle: Bundle, path: str, text: str) -> bool:
    return any(
        text in line.text
        for item in bundle.excerpts
        if item.path == path and item.role != "outline"
        for line in item.lines
    )


def _say(outcomes: Sequence[Outcome]) -> None:
    for item in outcomes:
        said = item.case.prompt.splitlines()[0][:60]
        print(
            f"{item.case.tree:7}{item.case.kind:8} files {item.files:4.0%}"
            f" places {item.places:4.0%} (passages {item.passages:3.0%})"
            f" lines {item.lines:4} tokens {item.tokens:5}"
            f" CPU {item.first * 1000:4.0f} then {statistics.median(item.times) * 1000:4.0f} ms"
            f"  {said}"
        )
        for missing in item.missing:
            print(f"        missing {missing}")
    for name in _SETS:
        of_set = [item for item in outcomes if item.case.set == name]
        if of_set:
            print(f"{name}: {_means(of_set)}")
    for tree in dict.fromkeys(item.case.tree for item in outcomes):
        times = [time for item in outcomes if item.case.tree == tree for time in item.times]
        spread = statistics.quantiles(times, n=20, method="inclusive")
        print(f"{tree}: CPU p50 {spread[9] * 1000:.0f} ms, p95 {spread[18] * 1000:.0f} ms")


def _means(outcomes: Sequence[Outcome]) -> str:
    files = statistics.mean(item.files for item in outcomes)
    places = statistics.mean(item.places for item in outcomes)
    passages = statistics.mean(item.passages for item in outcomes)
    return f"files {files:.1%}, places {places:.1%}, passages {passages:.1%}"


def _facts(item: Outcome) -> dict[str, object]:
    return {
        "tree": item.case.tree,
        "set": item.case.set,
        "kind": item.case.kind,
        "prompt": item.case.prompt.splitlines()[0],
        "files": round(item.files, 3),
        "places": round(item.places, 3),
        "passages": round(item.passages, 3),
        "missing": item.missing,
        "lines": item.lines,
        "tokens": item.tokens,
        "first_seconds": round(item.first, 3),
        "seconds": round(statistics.median(item.times), 3),
    }


if __name__ == "__main__":
    main()
