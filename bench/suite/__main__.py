"""Measures this project and its peers on some trees, and keeps the figures.

    python -m bench.suite --keep FOLDER [--tree NAME | --all] [--only PEER] [--part PART]
        [--note TEXT] [--record]

Without `--tree`: the standard library of this Python. FOLDER keeps trees, installed peers and
indexes for the next run. Peers that can't be had here are skipped, with the reason. All that is
compared takes turns in one run; to conclude are ratios, and the noise that stands beside them.
`--record` stores the figures in bench/results, from which `make docs` makes docs/benchmarks.md;
with `--part`, figures of other parts stay, if they are of this machine.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import machine
from bench.peers import OURS, PEERS, MissingError
from bench.suite.answers import answers
from bench.suite.bench import Bench
from bench.suite.builds import builds
from bench.suite.refreshes import refreshes
from bench.suite.starts import starts
from bench.suite.trees import TREES, tree


def main() -> None:
    """Measure, print, and keep the figures if told so."""
    args = _arguments()
    measures: dict[str, Callable[[Bench], dict[str, Any]]] = {
        "builds": lambda bench: builds(bench, args.rounds),
        "starts": lambda bench: starts(bench, 3 * args.rounds),
        "answers": lambda bench: answers(bench, args.questions, args.rounds),
        "refreshes": lambda bench: refreshes(bench, args.rounds),
    }
    for name in TREES if args.all else args.tree or TREES[:1]:
        try:
            root = tree(name, args.keep.resolve())
        except MissingError as error:
            print(f"{name} skipped: {error}")
            continue
        bench = Bench(root, args.keep.resolve(), frozenset(args.only))
        figures: dict[str, Any] = {
            "tree": name,
            "files": bench.files,
            "text_mib": bench.text_mib,
            "rounds": args.rounds,
            "note": args.note,
        }
        for part, measure in measures.items():
            if not args.part or part in args.part:
                figures[part] = measure(bench)
                print(name, part, json.dumps(figures[part], indent=2), flush=True)
        figures["skipped"] = bench.skipped
        print(json.dumps(bench.skipped, indent=2))
        if args.record:
            stored = machine.stored(f"suite-{name}") if args.part else {}
            print(machine.keep(f"suite-{name}", {**stored, **figures}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--all", action="store_true", help="all trees")
    parser.add_argument("--tree", action="append", default=[], help=f"{', '.join(TREES)}, …")
    names = [peer.name for peer in (OURS, *PEERS)]
    parser.add_argument("--only", action="append", default=[], choices=names)
    parts = ("builds", "starts", "answers", "refreshes")
    parser.add_argument("--part", action="append", default=[], choices=parts)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--note", default="", help="what the reader of the figures has to know")
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
