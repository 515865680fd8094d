"""Fetches packages, builds judgement sets from them, and runs all systems on these.

python -m bench.ranking fetch --keep FOLDER
python -m bench.ranking build --keep FOLDER
python -m bench.ranking run --keep FOLDER --split train --set decay=.6 --without coverage
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.ranking import build, scores
from bench.ranking.judgements import SETS
from bench.ranking.metrics import DEEPEST
from bench.ranking.repositories import SPLITS
from bench.ranking.run import run
from bench.ranking.scores import Figures
from bench.ranking.systems import BASELINES


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    absent = ", ".join(item.name for item in BASELINES if not item.present)
    if asked.command == "fetch":
        build.fetch(asked.keep, pin=asked.pin)
    elif asked.command == "build":
        build.build(asked.keep, asked.set or SETS)
    elif asked.record and (asked.only or asked.judged or asked.alone or asked.depth < DEEPEST):
        parser.error(
            "--record keeps whole figures: not with --only, --judged, --alone or a --depth"
        )
    elif asked.record and (asked.set or asked.without):
        parser.error("--record keeps figures of the weights as they are, not of changed ones")
    elif asked.record and absent:
        parser.error(f"--record keeps whole figures: {absent} cannot be run here")
    else:
        _run(asked)


def _run(asked: argparse.Namespace) -> None:
    overrides = dict(asked.set) | dict.fromkeys(asked.without, 0.0)
    figures: Figures = {}
    for split in asked.split or SPLITS:
        figures |= run(
            asked.keep,
            split,
            overrides,
            only=asked.only,
            judged=asked.judged or SETS,
            alone=asked.alone,
            depth=asked.depth,
        )
    # figures of a part say nothing beside those of the whole
    before = {} if asked.only else scores.golden()
    for line in scores.compared(figures, before, forms=asked.forms):
        print(line)
    if asked.record:
        scores.record(figures)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("fetch", help="download the packages and check them")
    fetch.add_argument("--pin", action="store_true", help="take what comes for the right packages")
    made = commands.add_parser("build", help="write the judgement sets anew")
    made.add_argument("--set", action="append", choices=SETS, help="default: all")
    runs = commands.add_parser("run", help="ask all systems all queries")
    runs.add_argument("--split", action="append", choices=SPLITS, help="default: both")
    runs.add_argument("--set", action="append", default=[], type=_weight, metavar="NAME=VALUE")
    runs.add_argument("--without", action="append", default=[], metavar="NAME")
    runs.add_argument("--only", action="append", default=[], metavar="REPOSITORY")
    runs.add_argument("--judged", action="append", choices=SETS, help="sets; default: all")
    runs.add_argument("--depth", type=int, default=DEEPEST, help="answers asked for")
    runs.add_argument("--forms", action="store_true", help="figures for each form of query too")
    runs.add_argument("--alone", action="store_true", help="leave the other systems out")
    runs.add_argument("--record", action="store_true", help="keep the figures of all systems")
    for command in (fetch, made, runs):
        command.add_argument("--keep", type=Path, required=True, help="packages, trees, indexes")
    return parser


def _weight(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    return name, float(value)


if __name__ == "__main__":
    main()
