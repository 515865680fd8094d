"""Measures how much of the code that an engineer would open is in the bundles for real prompts.

    python -m bench.bundles.run --tree python=ROOT,DATA --tree linux=ROOT,DATA --tree etcd=ROOT,DATA
                            --tree django=ROOT,DATA [--only SET] [--show N] [--record]

DATA is the data folder of an index of ROOT. Prompts and expected places are in `bundles.toml`:
bug reports with traces, messages, questions, features, symbols. Those of the set `tuned` were
written before the bundler was tuned, and it was tuned on them; `held_out` is the test set.
Bundles are those that a client gets from the server with default arguments. Prints for each prompt
the share of expected places in the bundle, their share in the passages of a ranked search for the
prompt that is as large, the missing places, lines and processor time (the median of five, the first
apart). The benchmark fails if a bundle exceeds its budget, or if two of the same prompt differ.
"""

from __future__ import annotations

import argparse
import statistics
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.bundles.client import BUNDLE, SEARCH, Answer, Client
from repo_mcp.bundle import DEFAULT_MAX_FILES, DEFAULT_MAX_TOTAL_LINES

_PROMPTS: Final = Path(__file__).with_name("bundles.toml")
_TIMES: Final = 5
_MOST_HITS: Final = 100
_LONGEST_QUERY: Final = 2_000
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
    client = Client(Path(root), Path(data))
    for number, case in enumerate(_cases(), 1):
        if case.tree == name and args.only in {None, case.set}:
            yield _measured(client, case, shown=args.show == number)


def _measured(client: Client, case: Case, *, shown: bool) -> Outcome:
    answers = [client(BUNDLE, prompt=case.prompt) for _ in range(_TIMES + 1)]
    answer = answers[0]
    result = answer.result
    # a generation may have been published between
    assert all(other.result["bundle_id"] == result["bundle_id"] for other in answers)
    used = result["used"]
    assert used["files"] <= DEFAULT_MAX_FILES
    assert used["lines"] <= DEFAULT_MAX_TOTAL_LINES
    texts = _texts(result)
    if shown:
        print(case.prompt, *(f"{path}\n{text}" for path, text in texts.items()), sep="\n\n")
    missing = [f"{path}: {text}" for path, text in case.expected if text not in texts.get(path, "")]
    paths = {path for path, _ in case.expected}
    return Outcome(
        case,
        len(paths & set(texts)) / len(paths),
        1 - len(missing) / len(case.expected),
        _passages(client, case, answer),
        missing,
        used["lines"],
        used["tokens"],
        answer.seconds,
        [other.seconds for other in answers[1:]],
    )


def _texts(result: dict[str, Any]) -> dict[str, str]:
    """The text of the excerpts by path."""
    return {
        excerpt["citation"].rpartition(":")[0]: excerpt.get("text", "")
        for excerpt in result["excerpts"]
    }


def _passages(client: Client, case: Case, bundle: Answer) -> float:
    """The share of places in the passages of a ranked search that takes as many characters."""
    query = case.prompt[:_LONGEST_QUERY]
    answer = client(SEARCH, query=query, top_k=_MOST_HITS, max_chars=bundle.size)
    hits = answer.result.get("hits", ())
    held = [
        any(hit["path"] == path and text in hit["snippet"] for hit in hits)
        for path, text in case.expected
    ]
    return sum(held) / len(held)


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
