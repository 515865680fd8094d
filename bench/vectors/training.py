"""Trains word vectors: the two texts of a pair shall point one way, those of other pairs not.

A text's vector is the sum of its words' vectors, each times the word's weight. In training a word's
vector is its own plus its stem's, so that forms of a word learn together. A batch is scored all
against all; half of it comes from one repository, whose texts are the hardest to tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import Stemmer

from bench.vectors.counts import F32, I64, Bags
from bench.vectors.pair import KINDS

_BLOCK: Final = 32
_DECAY, _DECAY_SQUARED, _TINY = 0.9, 0.999, 1e-9
_WARM: Final = 50
_LAST: Final = 0.05
_FORBIDDEN: Final = -1e4
# how often a pair of a kind is drawn: doc, name, commit, section
_SHARES: Final = dict(zip(KINDS, (1.0, 0.5, 1.0, 0.7), strict=True))


@dataclass(frozen=True)
class Options:
    """Options of a training."""

    dimensions: int = 256
    steps: int = 0  # 0: about one pass over the pairs
    batch: int = 1024
    rate: float = 4e-3
    scale: float = 20.0
    dropped: float = 0.3  # of a text's words; half as many of a query's
    backward: float = 0.25  # share of the loss that asks for the query of a text
    signs: float = 0.5  # share of the loss in which a text is the signs of its numbers, as stored
    seed: int = 0


@dataclass(frozen=True)
class TrainingSet:
    """All pairs to train on, in rows of a table."""

    queries: Bags
    texts: Bags
    kinds: npt.NDArray[np.int8]
    # pairs of one group are no negatives of each other
    groups: I64
    repositories: npt.NDArray[np.int32]
    rows: int


@dataclass
class State:
    """The trained values: vectors of rows and then of stems, logarithms of weights."""

    vectors: F32
    weights: F32
    moments: dict[str, F32] = field(default_factory=dict)
    step: int = 0

    def save(self, path: Path) -> None:
        """Store the state, so that training can go on from here."""
        part = path.with_suffix(".part.npz")
        arrays: dict[str, Any] = {
            "vectors": self.vectors,
            "weights": self.weights,
            "step": np.array(self.step),
        }
        arrays |= {f"moment_{name}": value for name, value in self.moments.items()}
        np.savez(part, **arrays)
        part.rename(path)

    @staticmethod
    def load(path: Path) -> State:
        """The stored state."""
        with np.load(path, allow_pickle=False) as found:
            moments = {
                name.removeprefix("moment_"): found[name]
                for name in found.files
                if name.startswith("moment_")
            }
            return State(found["vectors"], found["weights"], moments, int(found["step"]))


def stems_of(words: Sequence[str], rows: int) -> npt.NDArray[np.int32]:
    """The row of each row's stem, after all rows; -1 for buckets, which have none."""
    stem = Stemmer.Stemmer("english").stemWord
    numbers: dict[str, int] = {}
    found = np.full(rows, -1, np.int32)
    for at, word in enumerate(words):
        found[at] = rows + numbers.setdefault(stem(word), len(numbers))
    return found


def begin(training: TrainingSet, stems: npt.NDArray[np.int32], options: Options) -> State:
    """Vectors by chance, and weights by how rare a word is."""
    random = np.random.default_rng(options.seed)
    shape = (max(training.rows, int(stems.max(initial=-1)) + 1), options.dimensions)
    vectors = random.standard_normal(shape, np.float32) / np.float32(np.sqrt(options.dimensions))
    vectors[: training.rows][stems >= 0] *= np.float32(0.5)
    seen = np.bincount(training.texts.parts, minlength=training.rows) + 1.0
    rare = np.log1p(len(training.texts) / seen)
    weights = np.log(rare / np.log1p(len(training.texts) / 100)).astype(np.float32)
    return State(vectors, weights)


def steps_of(training: TrainingSet, options: Options) -> int:
    """The number of steps: as told, or about one pass."""
    return options.steps or max(1, len(training.kinds) // options.batch)


def plan(training: TrainingSet, options: Options) -> I64:
    """The pairs of every batch: the first half from one repository, the rest from all."""
    random = np.random.default_rng((options.seed, 1))
    half = options.batch // 2
    shares = np.array([_SHARES[kind] for kind in KINDS])[training.kinds]
    by_repository = {
        int(number): np.flatnonzero(training.repositories == number)
        for number in np.unique(training.repositories)
    }
    large = {number: pairs for number, pairs in by_repository.items() if len(pairs) >= half}
    own = _Queues(large or {0: np.arange(len(shares))}, shares, random)
    mixed = _Queues({0: np.arange(len(shares))}, shares, random)
    steps = steps_of(training, options)
    return np.stack(
        [np.concatenate((own.draw(half), mixed.draw(options.batch - half))) for _ in range(steps)]
    )


class _Queues:
    """Draws pairs of one repository at a time, each pair again only when all have been drawn."""

    def __init__(
        self, pairs: Mapping[int, I64], shares: npt.NDArray[np.float64], random: np.random.Generator
    ) -> None:
        self._pairs, self._shares, self._random = pairs, shares, random
        self._numbers = sorted(pairs)
        sizes = np.array([len(pairs[number]) for number in self._numbers], np.float64) ** 0.7
        self._chances = sizes / sizes.sum()
        self._left: dict[int, I64] = {}

    def draw(self, count: int) -> I64:
        """So many pairs of a repository that chance names."""
        number = self._numbers[self._random.choice(len(self._numbers), p=self._chances)]
        found = self._left.get(number, np.zeros(0, np.int64))
        while len(found) < count:
            pairs = self._pairs[number]
            kept = self._random.random(len(pairs)) < self._shares[pairs]
            found = np.concatenate((found, self._random.permutation(pairs[kept])))
        self._left[number] = found[count:]
        return found[:count]


def train(
    training: TrainingSet, stems: npt.NDArray[np.int32], options: Options, state: State
) -> Iterator[float]:
    """Train from a state on, in place; the loss of each step."""
    batches = plan(training, options)
    for step in range(state.step, len(batches)):
        loss = _step(training, stems, options, state, batches[step])
        state.step = step + 1
        yield loss


def _step(
    training: TrainingSet,
    stems: npt.NDArray[np.int32],
    options: Options,
    state: State,
    batch: I64,
) -> float:
    random = np.random.default_rng((options.seed, 2, state.step))
    queries = _drop(select(training.queries, batch), options.dropped / 2, random)
    texts = _drop(select(training.texts, batch), options.dropped, random)
    rows, numbers = np.unique(np.concatenate((queries.parts, texts.parts)), return_inverse=True)
    stem = stems[rows]
    has_stem = stem >= 0
    plain = state.vectors[rows]
    plain[has_stem] += state.vectors[stem[has_stem]]
    weights = np.exp(state.weights[rows])[:, None]
    table = plain * weights
    count = len(queries.parts)
    sides = (
        Bags(queries.starts, numbers[:count].astype(np.int32), queries.worth),
        Bags(texts.starts, numbers[count:].astype(np.int32), texts.worth),
    )
    sums = [sum_rows(side, table) for side in sides]
    loss, slopes = contrast(sums, exempted(training, batch), options)
    change = np.zeros_like(table)
    for side, slope in zip(sides, slopes, strict=True):
        change += spread(side, slope, len(rows))
    learnt = np.einsum("ij,ij->i", change, table)
    change *= weights
    rate = options.rate * _pace(state.step, steps_of(training, options))
    _update(state, "weights", rows, learnt, rate * 3)
    of_stems, slopes_of_stems = _add_equal(stem[has_stem], change[has_stem])
    at = np.concatenate((rows, of_stems))
    _update(state, "vectors", at, np.concatenate((change, slopes_of_stems)), rate)
    return loss


def sum_rows(bags: Bags, table: F32) -> F32:
    """The sum of each text's rows, each times its worth."""
    found = np.zeros((len(bags), table.shape[1]), np.float32)
    for first in range(0, len(bags), _BLOCK):
        last = min(first + _BLOCK, len(bags))
        begin, end = bags.starts[first], bags.starts[last]
        if begin < end:
            part = table[bags.parts[begin:end]] * bags.worth[begin:end, None]
            _reduce(part, bags.starts[first : last + 1] - begin, found[first:last])
    return found


def spread(bags: Bags, slopes: F32, rows: int) -> F32:
    """The transpose of `sum_rows`: what each row gets of the slopes of its texts."""
    order = np.argsort(bags.parts, kind="stable")
    owners = np.repeat(np.arange(len(bags), dtype=np.int32), np.diff(bags.starts))
    starts = np.zeros(rows + 1, np.int64)
    starts[1:] = np.cumsum(np.bincount(bags.parts, minlength=rows))
    return sum_rows(Bags(starts, owners[order], bags.worth[order]), slopes)


def _reduce(values: F32, starts: I64, into: F32) -> None:
    """Sums of stretches; empty ones are zero."""
    full = np.diff(starts) > 0
    into[full] = np.add.reduceat(values, starts[:-1][full], axis=0)


def select(bags: Bags, chosen: I64) -> Bags:
    """These texts alone."""
    lengths = np.diff(bags.starts)[chosen]
    starts = np.zeros(len(chosen) + 1, np.int64)
    starts[1:] = np.cumsum(lengths)
    at = np.arange(starts[-1]) + np.repeat(bags.starts[chosen] - starts[:-1], lengths)
    return Bags(starts, bags.parts[at].astype(np.int32), bags.worth[at].astype(np.float32))


def _drop(bags: Bags, share: float, random: np.random.Generator) -> Bags:
    """The texts without some of their words, which chance chooses."""
    kept = random.random(len(bags.parts), np.float32) >= share
    before = np.zeros(len(kept) + 1, np.int64)
    before[1:] = np.cumsum(kept)
    return Bags(before[bags.starts], bags.parts[kept], bags.worth[kept])


def exempted(training: TrainingSet, batch: I64) -> npt.NDArray[np.bool_]:
    """Pairs of a batch that are not negatives of each other: those of one group, and duplicates."""
    groups = training.groups[batch]
    same: npt.NDArray[np.bool_] = (groups[:, None] == groups[None, :]) & (groups >= 0)[:, None]
    same |= batch[:, None] == batch[None, :]
    np.fill_diagonal(same, val=False)
    return same


def contrast(
    sums: Sequence[F32], exempt: npt.NDArray[np.bool_], options: Options
) -> tuple[float, list[F32]]:
    """The loss of a batch, and its slopes by both sides' sums."""
    lengths = [np.linalg.norm(side, axis=1, keepdims=True) + np.float32(1e-6) for side in sums]
    units = [side / length for side, length in zip(sums, lengths, strict=True)]
    raw = [np.zeros_like(unit) for unit in units]
    loss = 0.0
    # a sign has no slope: it is taken for that of the number
    signs = np.where(units[1] > 0, 1, -1).astype(units[1].dtype) / math.sqrt(units[1].shape[1])
    for texts, share in ((units[1], 1 - options.signs), (signs, options.signs)):
        if share:
            part, slope = _loss(units[0] @ texts.T, exempt, options)
            loss += share * part
            raw[0] += share * (slope @ texts)
            raw[1] += share * (slope.T @ units[0])
    return loss, [
        (part - (part * unit).sum(1, keepdims=True) * unit) / length
        for part, unit, length in zip(raw, units, lengths, strict=True)
    ]


def _loss(cosines: F32, exempt: npt.NDArray[np.bool_], options: Options) -> tuple[float, F32]:
    """The loss of these cosines, and its slope by each."""
    scores = cosines * np.float32(options.scale)
    scores[exempt] = _FORBIDDEN
    forward, backward = _softmax(scores, 1), _softmax(scores, 0)
    loss = float(-np.log(forward.diagonal() + _TINY).mean())
    slope = forward * np.float32(1 - options.backward) + backward * np.float32(options.backward)
    np.fill_diagonal(slope, slope.diagonal() - 1)
    slope *= np.float32(options.scale / len(scores))
    return loss, slope


def _softmax(scores: F32, axis: int) -> F32:
    powers: F32 = np.exp(scores - scores.max(axis, keepdims=True))
    powers /= powers.sum(axis, keepdims=True)
    return powers


def _add_equal(keys: npt.NDArray[np.int32], values: F32) -> tuple[npt.NDArray[np.int32], F32]:
    """The different keys, and the sum of the values of each."""
    order = np.argsort(keys, kind="stable")
    found, starts = np.unique(keys[order], return_index=True)
    if not len(found):
        return found, values
    return found, np.add.reduceat(values[order], starts, axis=0)


def _pace(step: int, steps: int) -> float:
    """The factor of the learning rate: it grows over the first steps, then falls linearly."""
    return min(1.0, (step + 1) / _WARM) * max(_LAST, 1 - step / steps)


def _update(state: State, name: str, rows: npt.NDArray[np.int32], slopes: F32, rate: float) -> None:
    """One step of Adam on these rows alone."""
    values: F32 = getattr(state, name)
    mean = state.moments.setdefault(f"{name}_mean", np.zeros_like(values))
    square = state.moments.setdefault(f"{name}_square", np.zeros_like(values))
    time = state.step + 1
    first = mean[rows] * np.float32(_DECAY) + slopes * np.float32(1 - _DECAY)
    second = square[rows] * np.float32(_DECAY_SQUARED)
    second += np.square(slopes) * np.float32(1 - _DECAY_SQUARED)
    mean[rows], square[rows] = first, second
    root = np.sqrt(second / np.float32(1 - _DECAY_SQUARED**time)) + np.float32(_TINY)
    values[rows] -= np.float32(rate / (1 - _DECAY**time)) * first / root


def folded(state: State, stems: npt.NDArray[np.int32]) -> F32:
    """The vector of every row, its stem's and its weight included."""
    vectors = state.vectors[: len(stems)].copy()
    has_stem = stems >= 0
    vectors[has_stem] += state.vectors[stems[has_stem]]
    vectors *= np.exp(state.weights[: len(stems)])[:, None]
    return vectors
