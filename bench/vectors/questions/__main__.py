"""Trains the words of questions and of code, from bare git repositories to the product's data.

    python -m bench.vectors.questions --mirror DIR --keep DIR [--stage gather|train|export|evaluate]

DIR of `--mirror` has bare repositories, as for `python -m bench.vectors`; those that it lacks are
left out. That of `--keep` gets the counted pairs and the trained vectors. `train` trains the words
of questions and, with `--texts`, those of code beside them. `export` writes both, cut to fewer
numbers, beside the product's table of words. `evaluate` measures all on what is held back.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bench import machine
from bench.vectors import blobs, licences, repositories
from bench.vectors.counts import F32, I64
from bench.vectors.questions import counted, training
from bench.vectors.questions.remarks import DOCSTRING, INSIDE, KINDS, MESSAGE, NAMED, REMARK
from bench.vectors.questions.training import Options, QuestionPairs
from bench.vectors.repositories import Repository
from bench.vectors.training import sum_rows
from code_graph import Languages
from repo_mcp.vectors import packing
from repo_mcp.vectors.choice import BUILT_IN
from repo_mcp.vectors.model import CARD, I8, SIDES, GramTable, open_table, read_card
from repo_mcp.vectors.sides import write_sides

_STAGES: Final = ("gather", "train", "export", "evaluate")
_RESULT: Final = "questions"
_VECTORS, _BOTH = "questions.npz", "both.npz"
_TEXTS: Final = "texts"
_TOLD_EVERY: Final = 200
# numbers of a vector that is cut, and the fewest pairs that have a word
_RANK, _FEWEST = 192, 20
# pairs of a kind and repository to measure on, and the fewest of them
_MEASURED, _FEWEST_MEASURED = 200, 50
_FEWEST_WORDS: Final = 4
_GROUPS: Final = {
    "documentation": (REMARK, DOCSTRING),
    "inside": (INSIDE,),
    "messages": (MESSAGE,),
    "names": (NAMED,),
}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.vectors.questions", description=__doc__)
    parser.add_argument("--mirror", type=Path, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="counted pairs and vectors")
    parser.add_argument("--stage", choices=_STAGES, action="append")
    parser.add_argument("--texts", action="store_true", help="train words of texts, too")
    parser.add_argument("--steps", type=int, default=Options.steps)
    parser.add_argument("--rank", type=int, default=_RANK)
    parser.add_argument("--fewest", type=int, default=_FEWEST, help="pairs that have a word")
    parser.add_argument("--record", action="store_true", help="store the figures")
    args = parser.parse_args()
    wanted = args.stage or _STAGES
    table = open_table(Path(BUILT_IN))
    if "gather" in wanted:
        if args.mirror is None:
            parser.error("this stage needs --mirror")
        _gather(args.mirror, args.keep, table)
    if "train" in wanted:
        _train(args.keep, table, Options(steps=args.steps), texts=args.texts)
    if "export" in wanted and (args.keep / _BOTH).exists():
        _export(args.keep, table, args.rank, args.fewest)
    if "evaluate" in wanted:
        figures = _evaluate(args.keep, table, args.rank, args.fewest)
        if args.record:
            machine.keep(_RESULT, figures)


def _gather(mirror: Path, keep: Path, table: GramTable) -> None:
    """Count the pairs of every repository at hand whose licence is as permissive as listed."""
    languages = Languages()
    keep.mkdir(parents=True, exist_ok=True)
    for row in repositories.read():
        path, git_dir = _path(keep, row), row.git_dir(mirror)
        if path.exists() or not (git_dir / "HEAD").exists():
            continue
        commit = row.commit if blobs.has(git_dir, row.commit) else blobs.head(git_dir)
        if not licences.licence_of(git_dir, commit):
            print(f"{row.name}: no permissive licence", flush=True)
            continue
        begun = time.process_time()
        found = counted.count(counted.gather(row, commit, mirror, languages), table)
        counted.write(path, found)
        print(row.name, len(found.kinds), f"{time.process_time() - begun:.1f} s", flush=True)


def _path(keep: Path, row: Repository) -> Path:
    return keep / f"{row.folder}.npz"


def _stored(keep: Path, split: str) -> Iterator[tuple[Repository, counted.Counted]]:
    for row in repositories.read():
        if row.split == split and _path(keep, row).exists():
            found = counted.read(_path(keep, row))
            if len(found.kinds):
                yield row, found


def _train(keep: Path, table: GramTable, options: Options, *, texts: bool) -> None:
    stored = list(_stored(keep, "train"))
    asked = QuestionPairs.of([found for _, found in stored])
    vectors, of_texts = _start(table), _start(table) if texts else None
    losses: list[float] = []
    begun = time.process_time()
    for loss in training.train(asked, vectors, options, of_texts):
        losses.append(loss)
        if len(losses) % _TOLD_EVERY == 0:
            mean = np.mean(losses[-_TOLD_EVERY:])
            print(
                f"step {len(losses)}: {mean:.3f}, {time.process_time() - begun:.0f} s", flush=True
            )
    counts = np.bincount(asked.questions.rows, minlength=len(vectors))
    facts = {**asdict(options), "pairs": len(asked.kinds), "repositories": len(stored)}
    arrays: dict[str, Any] = {"vectors": vectors, "counts": counts}
    if of_texts is not None:
        arrays[_TEXTS] = of_texts
    np.savez(keep / _kept(texts=texts), facts=json.dumps(facts), **arrays)


def _kept(*, texts: bool) -> str:
    return _BOTH if texts else _VECTORS


def _start(table: GramTable) -> F32:
    """The vectors of the words of a table, of length 1 on average."""
    found = _worths(table)
    found /= np.float32(_length(table))
    return found


def _worths(table: GramTable) -> F32:
    count = len(table.words)
    return table.rows[:count].astype(np.float32) * table.scales[:count, None].astype(np.float32)


def _length(table: GramTable) -> float:
    """The mean length of the words of a table, in its own units."""
    return float(np.linalg.norm(_worths(table), axis=1).mean())


def _export(keep: Path, table: GramTable, rank: int, fewest: int) -> None:
    """Write both sides beside the table, with a note in its card."""
    with np.load(keep / _BOTH) as kept:
        found = [
            training.cut_side(kept[name], kept["counts"], rank, fewest)
            for name in ("vectors", _TEXTS)
        ]
        facts = json.loads(str(kept["facts"]))
    folder, unit = Path(BUILT_IN), np.float32(_length(table))
    asked, code = ((rows * unit, axes) for rows, axes in found)
    note = write_sides(folder, asked, code, table)
    words = int((np.abs(code[0]).max(axis=1) > 0).sum())
    card = {
        **read_card(folder / CARD),
        SIDES: {**note, "words": words, "training": {**facts, "fewest": fewest}},
    }
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _evaluate(keep: Path, table: GramTable, rank: int, fewest: int) -> dict[str, object]:
    """The figures of the table, of trained vectors, and of these cut."""
    asked = QuestionPairs.of([found for _, found in _stored(keep, "validation")])
    tables: dict[str, tuple[F32, F32 | None]] = {"table": (_start(table), None)}
    figures: dict[str, object] = {}
    if (keep / _VECTORS).exists():
        with np.load(keep / _VECTORS) as kept:
            trained, counts, facts = kept["vectors"], kept["counts"], json.loads(str(kept["facts"]))
        rows, axes = training.cut_side(trained, counts, rank, fewest)
        tables |= {"trained": (trained, None), f"{rank} numbers": (rows @ axes, None)}
        figures["training"] = facts
    if (keep / _BOTH).exists():
        with np.load(keep / _BOTH) as kept:
            both, counts = (kept["vectors"], kept[_TEXTS]), kept["counts"]
            tables["trained, and texts"] = both
            asking, saying = (training.cut_side(side, counts, rank, fewest) for side in both)
            tables[f"{rank} numbers, and texts"] = asking[0] @ asking[1], saying[0] @ saying[1]
            figures["training of both"] = json.loads(str(kept["facts"]))
    for name, (vectors, of_texts) in tables.items():
        means: dict[str, dict[str, float]] = {}
        for unshared in (True, False):
            ranks = _ranks(asked, vectors, of_texts, unshared=unshared)
            label = "words that the text lacks" if unshared else "all words"
            means[label] = {k: round(float(np.mean(of)), 4) for k, of in ranks.items() if of}
            print(f"{name}, {label}: {means[label]}", flush=True)
        figures[name] = means
    return figures


def _ranks(
    asked: QuestionPairs, vectors: F32, of_texts: F32 | None, *, unshared: bool
) -> dict[str, list[float]]:
    """Reciprocal ranks of the right text among up to 200 of its kind and repository."""
    ranks: dict[str, list[float]] = {name: [] for name in _GROUPS}
    words = asked.unshared() if unshared else np.diff(asked.questions.starts)
    for number in range(int(asked.repositories.max()) + 1):
        for name, kinds in _GROUPS.items():
            fit = np.isin(asked.kinds, [KINDS.index(kind) for kind in kinds])
            fit &= (asked.repositories == number) & (words >= _FEWEST_WORDS)
            chosen = np.random.default_rng(number).permutation(np.flatnonzero(fit))[:_MEASURED]
            if len(chosen) >= _FEWEST_MEASURED:
                ranks[name] += _ranks_of(asked, vectors, of_texts, chosen, unshared=unshared)
    return ranks


def _ranks_of(
    asked: QuestionPairs, vectors: F32, of_texts: F32 | None, chosen: I64, *, unshared: bool
) -> list[float]:
    lose: npt.NDArray[np.bool_] = np.full(len(chosen), unshared)
    sums = sum_rows(training.bags_of(asked.questions, chosen, lose), vectors)
    sums /= np.linalg.norm(sums, axis=1, keepdims=True) + np.float32(1e-6)
    if of_texts is None:
        cosines = sums @ asked.texts(chosen).T
    else:
        packed = packing.pack_finely(_in_bytes(asked.sums_of_texts(chosen, of_texts)))
        cosines = np.stack([packing.fine_cosines(row, packed) for row in _in_bytes(sums)])
    found: list[float] = (1 / ((cosines > cosines.diagonal()[:, None]).sum(1) + 1)).tolist()
    return found


def _in_bytes(vectors: F32) -> I8:
    """Vectors as the product makes them, the largest number of each as 127."""
    largest = np.abs(vectors).max(axis=1, keepdims=True) + np.float32(1e-9)
    found: I8 = np.rint(vectors * (127 / largest)).astype(np.int8)
    return found


if __name__ == "__main__":
    main()
