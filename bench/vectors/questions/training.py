"""Trains vectors of words of questions against texts, which are signs of sums of their words.

A question is the sum of its words' vectors, and a text the signs of its own sum by the product's
table, which stays as it is, or by vectors that are trained beside those of questions. Many
questions lose the words that their text has, too: the others tell what the words are about. A
batch is scored all against all, most of it from one repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from bench.vectors.counts import F32, I64, Bags
from bench.vectors.questions.counted import Counted, Words, joined_words
from bench.vectors.questions.remarks import KINDS
from bench.vectors.training import spread, sum_rows

_WARM: Final = 50
_LAST: Final = 0.02
_FEWEST: Final = 3
_FEWEST_UNSHARED: Final = 2
_TINY: Final = 1e-6
# how often a pair of a kind is drawn: remark, inside, docstring, title, message, named
_SHARES: Final = dict(zip(KINDS, (1.0, 1.0, 1.0, 0.7, 0.7, 0.5), strict=True))
# a repository is drawn as often as this power of its number of pairs
_POWER: Final = 0.6


@dataclass(frozen=True)
class Options:
    """Options of a training."""

    steps: int = 3000
    batch: int = 1024
    own: float = 0.75  # share of a batch that is of one repository
    rate: float = 0.05
    scale: float = 12.0
    unshared: float = 0.5  # of questions, those that lose the words that their text has
    dropped: float = 0.15  # of a question's words
    seed: int = 0


@dataclass(frozen=True)
class QuestionPairs:
    """Pairs of all repositories: questions, texts, packed vectors of texts, kinds, repositories."""

    questions: Words
    said: Words
    packed: npt.NDArray[np.uint8]
    kinds: npt.NDArray[np.uint8]
    repositories: npt.NDArray[np.int32]

    @staticmethod
    def of(parts: list[Counted]) -> QuestionPairs:
        """The pairs of these repositories."""
        owners = np.repeat(np.arange(len(parts), dtype=np.int32), [len(p.kinds) for p in parts])
        packed = np.concatenate([part.packed for part in parts])
        kinds = np.concatenate([part.kinds for part in parts])
        questions, said = (
            joined_words([getattr(part, side) for part in parts]) for side in ("questions", "texts")
        )
        return QuestionPairs(questions, said, packed, kinds, owners)

    def texts(self, chosen: I64) -> F32:
        """The signs of texts, each of length 1."""
        bits = np.unpackbits(self.packed[chosen], axis=1, bitorder="little").astype(np.float32)
        return (2 * bits - 1) / np.float32(np.sqrt(bits.shape[1]))

    def sums_of_texts(self, chosen: I64, vectors: F32) -> F32:
        """The sums of texts by other vectors of words."""
        return sum_rows(bags_of(self.said, chosen), vectors)

    def unshared(self) -> I64:
        """The number of words of each question that its text lacks."""
        before = np.concatenate(([0], np.cumsum(~self.questions.shared)))
        found: I64 = np.diff(before[self.questions.starts])
        return found


def bags_of(
    words: Words,
    chosen: I64,
    lose: npt.NDArray[np.bool_] | None = None,
    dropped: tuple[np.random.Generator, float] | None = None,
) -> Bags:
    """The words of some texts; those of `lose` without what the other side has, some dropped."""
    lengths = np.diff(words.starts)[chosen]
    owners = np.repeat(np.arange(len(chosen)), lengths)
    ends = np.cumsum(lengths)
    at = np.arange(ends[-1]) + np.repeat(words.starts[chosen] - ends + lengths, lengths)
    stays = np.ones(len(at), np.bool_)
    if lose is not None:
        stays &= ~(lose[owners] & words.shared[at])
    if dropped is not None:
        random, share = dropped
        stays &= random.random(len(at), np.float32) >= share
    starts = np.zeros(len(chosen) + 1, np.int64)
    starts[1:] = np.cumsum(np.bincount(owners[stays], minlength=len(chosen)))
    times = words.times[at[stays]].astype(np.float32)
    return Bags(starts, words.rows[at[stays]].astype(np.int32), 2 * times / (times + 1))


def signs_of(sums: F32) -> F32:
    """The signs of numbers, as an index stores them of chunks, each row of length 1."""
    return np.where(sums > 0, 1, -1).astype(np.float32) / np.float32(np.sqrt(sums.shape[1]))


class _Draw:
    """Draws batches: most of a batch from one repository."""

    def __init__(self, asked: QuestionPairs, options: Options) -> None:
        shares = np.array([_SHARES[kind] for kind in KINDS])[asked.kinds]
        shares[np.diff(asked.questions.starts) < _FEWEST] = 0
        self._options = options
        self._all = np.cumsum(shares) / shares.sum()
        self._of: list[tuple[I64, npt.NDArray[np.float64]]] = []
        for number in range(int(asked.repositories.max()) + 1):
            own = np.flatnonzero((asked.repositories == number) & (shares > 0))
            if len(own) >= options.batch:
                self._of.append((own, np.cumsum(shares[own]) / shares[own].sum()))
        sizes = np.array([len(own) for own, _ in self._of], np.float64) ** _POWER
        self._chances = np.cumsum(sizes) / sizes.sum()

    def draw(self, random: np.random.Generator) -> I64:
        """The pairs of a batch, each once."""
        count = round(self._options.batch * self._options.own)
        own, chances = self._of[_drawn(self._chances, random.random(1))[0]]
        near = own[_drawn(chances, random.random(count))]
        far = _drawn(self._all, random.random(self._options.batch - count))
        return np.unique(np.concatenate((near, far)))


def _drawn(chances: npt.NDArray[np.float64], numbers: npt.NDArray[np.float64]) -> I64:
    return np.minimum(np.searchsorted(chances, numbers), len(chances) - 1).astype(np.int64)


class _Side:
    """Vectors of words of one side, which are trained in place."""

    def __init__(self, vectors: F32) -> None:
        self.vectors = vectors
        self._squares = np.zeros(len(vectors), np.float32)

    def begin(self, bags: Bags) -> F32:
        """The sums of texts by these vectors."""
        self._rows, numbers = np.unique(bags.parts, return_inverse=True)
        self._bags = Bags(bags.starts, numbers.astype(np.int32), bags.worth)
        return sum_rows(self._bags, self.vectors[self._rows])

    def end(self, slopes: F32, rate: float) -> None:
        """Move the vectors of those texts."""
        change = spread(self._bags, slopes, len(self._rows))
        self._squares[self._rows] += np.square(change).mean(1)
        root = np.sqrt(self._squares[self._rows] + np.float32(_TINY * _TINY))
        self.vectors[self._rows] -= np.float32(rate) * change / root[:, None]


def train(
    asked: QuestionPairs, vectors: F32, options: Options, of_texts: F32 | None = None
) -> Iterator[float]:
    """Train vectors of words in place, those of texts, too, if given; the loss of each step."""
    random = np.random.default_rng(options.seed)
    draw, unshared = _Draw(asked, options), asked.unshared()
    side, other = _Side(vectors), None if of_texts is None else _Side(of_texts)
    for step in range(options.steps):
        chosen = draw.draw(random)
        lose = random.random(len(chosen)) < options.unshared
        lose &= unshared[chosen] >= _FEWEST_UNSHARED
        rate = options.rate * min(1, (step + 1) / _WARM) * max(_LAST, 1 - step / options.steps)
        sums = side.begin(bags_of(asked.questions, chosen, lose, (random, options.dropped)))
        if other is None:
            loss, slopes, _ = contrast(sums, asked.texts(chosen), options.scale)
        else:
            said = other.begin(bags_of(asked.said, chosen, None, (random, options.dropped)))
            loss, slopes, back = _both(sums, said, options.scale)
            other.end(back, rate)
        side.end(slopes, rate)
        yield loss


def _both(questions: F32, texts: F32, scale: float) -> tuple[float, F32, F32]:
    """The loss and the slopes by both sides; half of it sees the signs of texts alone."""
    lengths = np.linalg.norm(texts, axis=1, keepdims=True) + np.float32(_TINY)
    units = texts / lengths
    found = [contrast(questions, form, scale) for form in (units, signs_of(texts))]
    loss, slopes, back = (sum(part) / 2 for part in zip(*found, strict=True))
    # a sign has no slope: it is taken for that of the number
    return loss, slopes, (back - (back * units).sum(1, keepdims=True) * units) / lengths


def contrast(questions: F32, texts: F32, scale: float) -> tuple[float, F32, F32]:
    """The loss of a batch, and its slopes by the sums of questions and by the texts."""
    lengths = np.linalg.norm(questions, axis=1, keepdims=True) + np.float32(_TINY)
    units = questions / lengths
    scores = np.float32(scale) * (units @ texts.T)
    scores -= scores.max(1, keepdims=True)
    shares = np.exp(scores)
    shares /= shares.sum(1, keepdims=True)
    loss = float(-np.log(shares.diagonal() + _TINY).mean())
    np.fill_diagonal(shares, shares.diagonal() - 1)
    shares *= np.float32(scale / len(shares))
    slopes = shares @ texts
    slopes = (slopes - (slopes * units).sum(1, keepdims=True) * units) / lengths
    return loss, slopes, shares.T @ units


def cut_side(vectors: F32, counts: I64, rank: int, fewest: int) -> tuple[F32, F32]:
    """Vectors as rows of few numbers and their axes; words that are too rare have no row.

    The axes are those that lose least, where words count by how often they occur.
    """
    worth = np.sqrt(np.minimum(counts, 5000) + 1.0).astype(np.float32)
    _, _, axes = np.linalg.svd(vectors * worth[:, None], full_matrices=False)
    rows = vectors @ axes[:rank].T
    rows[counts < fewest] = 0
    return rows, axes[:rank]
