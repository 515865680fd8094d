"""Trains an encoder that reads order, from the pairs that `python -m bench.vectors` has gathered.

    python -m bench.vectors.order --keep DIR --name NAME --steps N [--kind words] [--repositories N]

DIR is that of `python -m bench.vectors --stage pairs`. It gets `NAME.npz`, the encoder, and
`NAME.jsonl`, its figures on the repositories that are held back, beside those of the table alone.
Needs `jax`, which no other command does.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import jax.numpy as jnp

from bench.vectors import evaluation, pair, repositories
from bench.vectors.counts import F32
from bench.vectors.order import model, sequences, training
from bench.vectors.order.model import Parameters, Shape
from bench.vectors.order.sequences import Side
from bench.vectors.order.training import Clock, Corpus, Plan
from repo_mcp.vectors.choice import BUILT_IN
from repo_mcp.vectors.model import open_table


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.vectors.order", description=__doc__)
    parser.add_argument("--keep", type=Path, required=True, help="pairs")
    parser.add_argument("--name", default="encoder")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--kind", choices=model.KINDS, default=model.ORDER)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--begin", type=Path, metavar="NPZ", help="an encoder to go on with")
    parser.add_argument("--repositories", type=int, help="as many to train on; default: all")
    parser.add_argument("--pairs", type=int, help="as many of each to train on; default: all")
    parser.add_argument("--measure-every", type=int, default=200, metavar="STEPS")
    parser.add_argument("--dropped", type=float, default=0.15, help="share of words left out")
    args = parser.parse_args()
    corpus = training.gather(
        _stored(args.keep, args.repositories), open_table(Path(BUILT_IN)), args.pairs
    )
    shape = Shape(corpus.known, args.kind, layers=args.layers)
    _run(corpus, shape, args)


def _stored(keep: Path, most: int | None) -> list[tuple[str, str, Path]]:
    """The repositories that have pairs, as sequences, which are made where they are missing."""
    found = []
    (keep / "order").mkdir(exist_ok=True)
    for row in repositories.read():
        source, path = (
            keep / "pairs" / f"{row.folder}.jsonl.gz",
            keep / "order" / f"{row.folder}.npz",
        )
        if not source.exists() or not source.stat().st_size:
            continue
        if not path.exists():
            sequences.write(path, sequences.read_order(pair.read(source)))
        found.append((row.name, row.split, path))
    trained = [row for row in found if row[1] == "train"][:most]
    return trained + [row for row in found if row[1] != "train"]


def _run(corpus: Corpus, shape: Shape, args: argparse.Namespace) -> None:
    log, path = args.keep / f"{args.name}.jsonl", args.keep / f"{args.name}.npz"
    parameters = model.begin(shape, 0)
    figures = _Figures(corpus, shape)
    size = sum(value.size for value in parameters.values())
    facts = {"pairs": len(corpus.kinds), "repositories": len(set(corpus.owners.tolist()))}
    training.note(log, {"step": 0, "parameters": int(size), **facts, **figures.of(parameters)})
    if args.begin is not None:
        parameters = training.load(args.begin)
    clock, losses = Clock(), list[float]()
    plan = Plan(args.steps, rate=args.rate, dropped=args.dropped)
    steps = training.train(corpus, shape, plan, parameters) if args.steps else iter(())
    for step, loss, now in steps:
        parameters = now
        losses.append(loss)
        if step % args.measure_every == 0 or step == args.steps:
            mean = round(sum(losses) / len(losses), 4)
            row = {"step": step, "seconds": round(clock(), 1), "loss": mean}
            losses.clear()
            begun = time.process_time()
            training.note(log, {**row, **figures.of(parameters)})
            training.save(path, parameters)
            clock.leave_out(begun)
    if shape.kind != model.ORDER:
        return
    training.note(log, {"rounded": True, **figures.of(training.in_bytes(parameters))})
    training.note(log, {"shuffled": True, **figures.of(parameters, training.shuffled)})


class _Figures:
    """Mean reciprocal ranks of an encoder, with the gains over the table."""

    def __init__(self, corpus: Corpus, shape: Shape) -> None:
        self._corpus, self._run = corpus, model.encoder(shape)
        self._table = jnp.asarray(corpus.matrix)
        self._base: tuple[dict[str, evaluation.Ranks], ...] = ()

    def of(
        self, parameters: Parameters, change: training.Change = training.unchanged
    ) -> dict[str, object]:
        """The figures of texts with whole numbers, and of texts as signs."""

        def vectors(side: Side, number: int) -> F32:
            return training.encode(self._run, parameters, self._table, side, number)

        found: dict[str, object] = {}
        measured = training.measure(self._corpus, vectors, change)
        self._base = self._base or measured
        for name, ranks, base in zip(("whole", "signs"), measured, self._base, strict=True):
            found[name] = evaluation.means(ranks)
            gains = {kind: [*evaluation.difference(ranks[kind], base[kind])] for kind in ranks}
            found[f"gain, {name}"] = gains
        return found


if __name__ == "__main__":
    main()
