"""Trains an encoder and measures it on repositories held back, beside the table alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array

from bench.vectors import evaluation, training
from bench.vectors.counts import F32, I64, Bags, Rows
from bench.vectors.order import model, sequences
from bench.vectors.order.model import Losses, Parameters, Shape
from bench.vectors.order.sequences import Matrix, Side
from bench.vectors.pair import KINDS
from bench.vectors.training import Options, TrainingSet
from repo_mcp.vectors.model import GramTable

_AT_ONCE: Final = 256
_GROUPS: Final = 1 << 20
_WARM: Final = 100
_LAST: Final = 0.05
_NOTHING: Final = Bags(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))

Both = tuple[Side, Side]
Ranks = evaluation.Ranks
Change = Callable[[Side], Side]


@dataclass(frozen=True)
class Corpus:
    """All pairs to train on, those held back by repository, and the vectors of all words."""

    train: Both
    kinds: npt.NDArray[np.int8]
    groups: I64
    owners: npt.NDArray[np.int32]
    held: dict[str, tuple[Both, npt.NDArray[np.int8], I64]]
    matrix: npt.NDArray[np.float16]
    known: int


@dataclass(frozen=True)
class Plan:
    """The length and the pace of a training."""

    steps: int
    batch: int = 512
    rate: float = 1e-3
    dropped: float = 0.15  # of a text's words; half as many of a question's
    seed: int = 0


def matrix_of(table: GramTable) -> Matrix:
    """The vectors of words by the product's table, about one long."""
    vectors = table.rows.astype(np.float32) * table.scales.astype(np.float32)[:, None]
    known = len(table.words)
    vectors /= np.linalg.norm(vectors[:known], axis=1).mean()
    return Matrix(Rows([word.decode() for word in table.words], table.buckets), vectors, known)


def gather(
    stored: Sequence[tuple[str, str, Path]], table: GramTable, most: int | None = None
) -> Corpus:
    """The stored pairs of repositories: name, split and path of each; so many to train on."""
    matrix = matrix_of(table)
    sides: tuple[list[Side], list[Side]] = ([], [])
    kinds, groups, owners = [], [], []
    held = {}
    for number, (name, split, path) in enumerate(stored):
        pairs = sequences.read(path, most if split == "train" else None)
        found = matrix.sides(pairs.words, (pairs.queries, pairs.texts))
        if split != "train":
            held[name] = ((found[0], found[1]), pairs.kinds, pairs.groups)
            continue
        for side, each in zip(sides, found, strict=True):
            side.append(each)
        kinds.append(pairs.kinds)
        groups.append(np.where(pairs.groups < 0, -1, pairs.groups + number * _GROUPS))
        owners.append(np.full(len(pairs.kinds), number, np.int32))
    both = _joined(sides[0]), _joined(sides[1])
    made = np.concatenate(kinds), np.concatenate(groups), np.concatenate(owners)
    return Corpus(both, *made, held, matrix.vectors(), matrix.known)


def _joined(sides: Sequence[Side]) -> Side:
    names = ("words", "worth", "marks", "rest")
    return Side(*(np.concatenate([getattr(side, name) for side in sides]) for name in names))


def train(
    corpus: Corpus, shape: Shape, plan: Plan, parameters: Parameters
) -> Iterator[tuple[int, float, Parameters]]:
    """Train; after each step its number, its loss and the parameters."""
    step = model.stepper(shape, Losses())
    moments = tuple(
        {name: jnp.zeros_like(value) for name, value in parameters.items()} for _ in range(2)
    )
    table = jnp.asarray(corpus.matrix)
    whole = TrainingSet(_NOTHING, _NOTHING, corpus.kinds, corpus.groups, corpus.owners, 0)
    batches = training.plan(whole, Options(steps=plan.steps, batch=plan.batch, seed=plan.seed))
    for number, batch in enumerate(batches):
        random = np.random.default_rng((plan.seed, 3, number))
        shares = (plan.dropped / 2, plan.dropped)
        sides = tuple(
            as_batch(side.some(batch), share, random)
            for side, share in zip(corpus.train, shares, strict=True)
        )
        exempt = training.exempted(whole, batch)
        pace = min(1.0, (number + 1) / _WARM) * max(_LAST, 1 - number / plan.steps)
        loss, parameters, moments = step(
            parameters, moments, table, sides, exempt, plan.rate * pace, number + 1
        )
        yield number + 1, float(loss), parameters


def as_batch(
    side: Side, dropped: float = 0.0, random: np.random.Generator | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Texts as the encoder takes them, without some of their words, which chance chooses."""
    words, worth = side.words, side.worth
    if random is not None and dropped:
        kept = random.random(words.shape, np.float32) >= dropped
        words, worth = np.where(kept, words, -1), worth * kept
    rest = side.rest.astype(np.float32)
    return {"words": words, "worth": worth, "marks": side.marks, "rest": rest}


def encode(
    run: Callable[..., Array], parameters: Parameters, table: Array, side: Side, number: int
) -> F32:
    """The vectors of many texts."""
    found = []
    for begin in range(0, len(side), _AT_ONCE):
        chosen = np.arange(begin, begin + _AT_ONCE) % len(side)
        vectors = np.asarray(run(parameters, table, as_batch(side.some(chosen)), number))
        found.append(vectors[: len(side) - begin])
    return np.concatenate(found)


def shuffled(side: Side, seed: int = 0) -> Side:
    """The texts with their words in an order by chance."""
    random = np.random.default_rng(seed)
    keys = np.where(side.words >= 0, random.random(side.words.shape), 2.0)
    order = np.argsort(keys, axis=1)
    words = np.take_along_axis(side.words, order, 1)
    worth = np.take_along_axis(side.worth, order, 1)
    return Side(words, worth, np.take_along_axis(side.marks, order, 1), side.rest)


def unchanged(side: Side) -> Side:
    """The texts as they are."""
    return side


def measure(
    corpus: Corpus, encoders: Callable[[Side, int], F32], change: Change = unchanged
) -> tuple[dict[str, Ranks], dict[str, Ranks]]:
    """By kind and repository held back, one over the rank of the right text among 200.

    The second is of texts as an index stores them: the signs of their numbers alone.
    """
    whole: dict[str, Ranks] = {kind: {} for kind in KINDS}
    signs: dict[str, Ranks] = {kind: {} for kind in KINDS}
    for name, (sides, kinds, groups) in corpus.held.items():
        for number, kind in enumerate(KINDS):
            chosen = evaluation.draw_pairs(name, kind, np.flatnonzero(kinds == number))
            if len(chosen) < evaluation.FEWEST:
                continue
            queries, texts = (
                encoders(change(side.some(chosen)), at) for at, side in enumerate(sides)
            )
            own = groups[chosen].astype(np.int32)
            whole[kind][name] = evaluation.reciprocal_ranks(queries, texts, own)
            hard = np.where(texts > 0, 1, -1).astype(np.float32)
            signs[kind][name] = evaluation.reciprocal_ranks(queries, hard, own)
    return whole, signs


def save(path: Path, parameters: Parameters) -> None:
    """Store the parameters."""
    part = path.with_suffix(".part.npz")
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in parameters.items()}
    np.savez(part, **arrays)
    part.rename(path)


def load(path: Path) -> Parameters:
    """The stored parameters."""
    with np.load(path, allow_pickle=False) as found:
        return {name: jnp.asarray(found[name]) for name in found.files}


def in_bytes(parameters: Parameters) -> Parameters:
    """The parameters rounded to eight bits, a scale for each row."""

    def rounded(value: Array) -> Array:
        largest = jnp.abs(value).max(-1, keepdims=True)
        scale = jnp.where(largest > 0, largest / 127, 1.0)
        return jnp.round(value / scale) * scale

    return {name: rounded(value) for name, value in parameters.items()}


def note(path: Path, row: Mapping[str, object]) -> None:
    """Add a row to the log."""
    with path.open("a", encoding="utf-8") as log:
        log.write(json.dumps(row) + "\n")
    print(json.dumps(row), flush=True)


class Clock:
    """Processor time since training began, without what measuring takes."""

    def __init__(self) -> None:
        """Begin now."""
        self._begun, self._away = time.process_time(), 0.0

    def __call__(self) -> float:
        """The seconds so far."""
        return time.process_time() - self._begun - self._away

    def leave_out(self, begun: float) -> None:
        """Leave out what was spent since then, in processor time."""
        self._away += time.process_time() - begun
