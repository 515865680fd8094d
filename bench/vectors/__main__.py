"""Trains the product's word vectors, from bare git repositories to a table.

    python -m bench.vectors --mirror DIR --keep DIR [--stage pairs|train|export|evaluate]
    python -m bench.vectors --mirror DIR --stage list [--leave-out FILE]

DIR of `--mirror` has a bare repository OWNER+NAME/repo for each entry of repositories.toml; that of
`--keep` gets what the stages make, and each goes on where it was stopped. Without `--stage` all run
but `list`, which writes repositories.toml anew from what the mirror has.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.vectors import repositories, stages
from bench.vectors.repositories import Repository
from bench.vectors.stages import Figures, Workplace
from bench.vectors.training import Options

_STAGES: Final = ("pairs", "train", "export", "evaluate")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.vectors", description=__doc__)
    parser.add_argument("--mirror", type=Path, help="bare repositories")
    parser.add_argument("--keep", type=Path, help="pairs, counts, the state and the table")
    parser.add_argument("--stage", choices=("list", *_STAGES), action="append")
    parser.add_argument("--leave-out", type=Path, help="names of repositories, one a line")
    parser.add_argument("--compare", type=Path, action="append", default=[], help="other tables")
    parser.add_argument("--steps", type=int, default=0, help="batches; default: one pass")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    wanted = args.stage or _STAGES
    if args.mirror is None and {"list", "pairs"} & set(wanted):
        parser.error("this stage needs --mirror")
    if "list" in wanted:
        _list(args.mirror, args.leave_out)
    listed = repositories.read()
    if args.keep is None:
        if set(wanted) - {"list"}:
            parser.error("this stage needs --keep")
        return
    _run(Workplace(args.keep, listed), wanted, args)


def _run(place: Workplace, wanted: list[str] | tuple[str, ...], args: argparse.Namespace) -> None:
    if "pairs" in wanted:
        stages.gather(place, args.mirror)
    if "train" in wanted:
        stages.count(place)
        stages.train(place, Options(steps=args.steps, seed=args.seed))
    if "export" in wanted:
        print(stages.export(place))
    if "evaluate" in wanted:
        measured = stages.evaluate(place, args.compare)
        stages.note(place, {"figures": _plain(measured)})
        for name, figures in measured.items():
            print(name, figures.mrr)
            for kind, gain in figures.gains.items():
                print(f"  {kind}: {gain.mean:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]")


def _plain(measured: Mapping[str, Figures]) -> dict[str, object]:
    return {
        name: {"mrr": figures.mrr, "gains": {kind: [*gain] for kind, gain in figures.gains.items()}}
        for name, figures in measured.items()
    }


def _list(mirror: Path, left_out: Path | None) -> None:
    """Write the list anew; what is held back stays held back."""
    held = {row.name for row in repositories.read() if row.split == "validation"}
    names = left_out.read_text("utf-8").split("\n") if left_out else []
    rows: list[Repository] = list(repositories.choose(mirror, names, held))
    repositories.write(rows)
    print(f"{len(rows)} repositories")


main()
