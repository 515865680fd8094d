"""Fetches packages, builds judgement sets from them, and runs all systems on these.

python -m bench.ranking fetch --keep FOLDER
python -m bench.ranking build --keep FOLDER
python -m bench.ranking run --keep FOLDER --split train --set decay=.6 --without coverage
python -m bench.ranking ablate --keep FOLDER --split train
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.ranking import ablation, build, scores
from bench.ranking.judgements import SETS
from bench.ranking.metrics import DEEPEST
from bench.ranking.repositories import SPLITS
from bench.ranking.run import run
from bench.ranking.scores import Figures
from bench.ranking.systems import BASELINES


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = _parser()
    args = parser.parse_args(arguments)
    absent = ", ".join(item.name for item in BASELINES if not item.present)
    if args.command == "fetch":
        build.fetch(args.keep, pin=args.pin)
    elif args.command == "build":
        build.build(args.keep, args.set or SETS)
    elif args.command == "ablate":
        splits = args.split or SPLITS
        ablation.ablate(args.keep, splits, args.signal, args.together, record=args.record)
    elif args.record and (args.only or args.judged or args.alone or args.depth < DEEPEST):
        parser.error("--record needs all figures: not with --only, --judged, --alone or a --depth")
    elif args.record and (args.set or args.without):
        parser.error("--record needs the default weights, not changed ones")
    elif args.record and absent:
        parser.error(f"--record needs all figures: {absent} can't be run on this machine")
    else:
        _run(args)


def _run(args: argparse.Namespace) -> None:
    overrides = dict(args.set) | dict.fromkeys(args.without, 0.0)
    figures: Figures = {}
    for split in args.split or SPLITS:
        figures |= run(
            args.keep,
            split,
            overrides,
            only=args.only,
            judged=args.judged or SETS,
            alone=args.alone,
            depth=args.depth,
        )
    # figures of a part can't be compared with those of the whole
    before = {} if args.only else scores.golden()
    for line in scores.compared(figures, before, forms=args.forms):
        print(line)
    if args.record:
        scores.record(figures)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("fetch", help="download the packages and check them")
    fetch.add_argument("--pin", action="store_true", help="record the packages' checksums")
    made = commands.add_parser("build", help="rebuild the judgement sets")
    made.add_argument("--set", action="append", choices=SETS, help="default: all")
    runs = commands.add_parser("run", help="run all queries on all systems")
    runs.add_argument("--split", action="append", choices=SPLITS, help="default: both")
    runs.add_argument("--set", action="append", default=[], type=_weight, metavar="NAME=VALUE")
    runs.add_argument("--without", action="append", default=[], metavar="NAME")
    runs.add_argument("--only", action="append", default=[], metavar="REPOSITORY")
    runs.add_argument("--judged", action="append", choices=SETS, help="sets; default: all")
    runs.add_argument("--depth", type=int, default=DEEPEST, help="answers per query")
    runs.add_argument("--forms", action="store_true", help="also show each form of query")
    runs.add_argument("--alone", action="store_true", help="leave the other systems out")
    runs.add_argument("--record", action="store_true", help="store the figures of all systems")
    ablates = commands.add_parser("ablate", help="switch each signal off in turn")
    ablates.add_argument("--split", action="append", choices=SPLITS, help="default: both")
    ablates.add_argument("--signal", action="append", default=[], metavar="NAME")
    ablates.add_argument("--together", action="append", default=[], nargs="+", metavar="NAME")
    ablates.add_argument("--record", action="store_true", help="store the table")
    for command in (fetch, made, runs, ablates):
        command.add_argument("--keep", type=Path, required=True, help="packages, trees, indexes")
    return parser


def _weight(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    return name, float(value)


if __name__ == "__main__":
    main()
