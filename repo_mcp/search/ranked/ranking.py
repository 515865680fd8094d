"""Which chunks answer a question best: by what each holds, by its file, and by its path.

Each chunk that the first look finds gets the score of its text, more for other such chunks of its
file, for the words they hold between them and for those of its path, less for a file of a kind that
is rarely meant. Nothing depends on how the index lies on the disk.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Snapshot
from repo_mcp.languages.facts import in_one
from repo_mcp.model import Reason
from repo_mcp.search.ranked.chunk_scores import Texts
from repo_mcp.search.ranked.first_look import DIGITS, FirstLook
from repo_mcp.search.ranked.path_signs import PathSigns
from repo_mcp.search.ranked.query_terms import Query
from repo_mcp.search.ranked.term_lookup import Lookup
from repo_mcp.search.ranked.weights import Weights

Mask = npt.NDArray[np.bool_]

# chunks of the first look for each passage wanted, and at least
_SEEDS_PER_HIT: Final = 10
_LEAST_SEEDS: Final = 300
# files whose paths are looked at, for each passage wanted, and more
_FILES_PER_HIT: Final = 2
_LEAST_FILES: Final = 20
# passages of one file, and what share of the best one's score the others need
_PASSAGES: Final = 3
_WORTH_SHOWING: Final = 0.1
_DECAY_STEPS: Final = 8
_REASON_DIGITS: Final = 3


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk that answers, the lines that do, and its score."""

    path: str
    chunk: int
    first: int
    last: int
    score: float
    # the line with the declaration that is meant, where one is, and what that multiplied the score
    head: int = 0
    factor: float = 1.0


class Ranking:
    """The order of one snapshot's chunks for one question."""

    def __init__(self, snapshot: Snapshot, wanted: Query, weights: Weights) -> None:
        """Look the words up; nothing is scored yet."""
        self._snapshot = snapshot
        self._wanted = wanted
        self._weights = weights
        self._sought = Lookup(snapshot, weights).all(wanted)
        self._texts: Texts | None = None
        # of each file, what share of the question's worth its best chunks hold
        self._shares: list[float] = []

    def worth(self) -> dict[str, float]:
        """How much each word tells, by what it weighs and how rare it is."""
        found = {item.word.term: item.word.weight * item.scorer.idf for item in self._sought}
        for word in self._wanted.words:
            for part in word.parts:
                found.setdefault(part, found.get(word.term, 1.0) / (2 * len(word.parts)))
        return {**dict.fromkeys(self._wanted.terms, 0.0), **found}

    def lacks_a_word(self) -> bool:
        """Whether a word of the question is nowhere, in no style of writing."""
        there = {item.word.term for item in self._sought}
        if self._wanted.name in there:
            return False
        return any(there.isdisjoint((word.term, in_one(word.term))) for word in self._wanted.words)

    def best(self, limit: int, allowed: Mask | None = None) -> Iterator[RankedChunk]:
        """At least so many chunks, if there are, best first."""
        seeds = max(limit * _SEEDS_PER_HIT, _LEAST_SEEDS)
        terms = [scores for item in self._sought for scores in item.fields.values()]
        look = FirstLook(self._snapshot, terms, seeds, allowed)
        if not len(look.chunks):
            return
        most = limit * _FILES_PER_HIT + _LEAST_FILES
        self._texts = Texts(self._snapshot, look, self._sought, self._weights, most)
        for score, path, chunk in self._ordered(self._texts):
            yield RankedChunk(path, chunk, *self._snapshot.lines_of(chunk), -score)

    def reasons(self, ranked: RankedChunk) -> tuple[Reason, ...]:
        """Why a chunk that was given has its score: what each word adds, and what multiplies it."""
        texts = self._texts
        if texts is None:
            return ()
        at = int(np.searchsorted(texts.chunks, ranked.chunk))
        found: list[Reason] = []
        for number, item in enumerate(self._sought):
            parts = {field: float(part[at]) for field, part in texts.parts(number).items()}
            weight = sum(parts.values())
            score = item.word.weight * item.scorer.score_of(weight)
            found += [
                Reason(field, item.word.term, round(score * part / weight, _REASON_DIGITS))
                for field, part in parts.items()
                if part
            ]
        file = bisect_right(texts.edges, at) - 1
        sign = texts.signs[file]
        named = bool(self._named(texts)[at])
        factors = {
            "declared": 1 + self._weights.declared * named,
            "coverage": 1 + self._weights.coverage * self._covered(sign),
            "together": 1 + self._weights.together * self._shares[file],
            "prior": 1.0 if named else self._prior(sign),
            "meant": ranked.factor,
        }
        return (
            *sorted(found, key=lambda reason: (-reason.weight, reason.term, reason.field)),
            *(
                Reason(name, "", round(factor, _REASON_DIGITS))
                for name, factor in factors.items()
                if factor != 1
            ),
        )

    def declaring(self, term: str) -> set[str]:
        """The files among the best whose names of declarations hold a term."""
        texts = self._texts
        if texts is None:
            return set()
        found: set[str] = set()
        for number, item in enumerate(self._sought):
            if item.word.term == term:
                owners = texts.owners[texts.declares(number)]
                found.update(texts.paths[owner] for owner in owners.tolist())
        return found

    def _ordered(self, texts: Texts) -> list[tuple[float, str, int]]:
        """Negated score, path and chunk of the passages, in order.

        A file has the scores of its best chunks; what is shown for them are those that answer best
        among its own.
        """
        declares = self._named(texts)
        declared = 1 + self._weights.declared * declares
        exact = texts.scores() * declared
        self._shares = texts.shares(exact)
        scores = exact.tolist()
        inside = (-np.round(texts.inside() * declared, DIGITS)).tolist()
        weights, chunks, named = self._weights, texts.chunks.tolist(), declares.tolist()
        found: list[tuple[float, str, int]] = []
        for number, (path, sign) in enumerate(zip(texts.paths, texts.signs, strict=True)):
            begin, end = texts.edges[number], texts.edges[number + 1]
            factor = 1 + weights.coverage * self._covered(sign)
            factor *= 1 + weights.together * self._shares[number]
            prior = self._prior(sign)
            shown = sorted(range(begin, end), key=inside.__getitem__)
            for at, score in zip(shown, self._of_file(scores[begin:end]), strict=False):
                total = score * factor * (1.0 if named[at] else prior)
                found.append((-round(total, DIGITS), path, chunks[at]))
        found.sort()
        return found

    def _named(self, texts: Texts) -> npt.NDArray[np.bool_]:
        """Which chunks declare the name that the whole question is."""
        found = np.zeros(len(texts.chunks), dtype=np.bool_)
        for number, item in enumerate(self._sought):
            if self._wanted.name and in_one(item.word.term) == self._wanted.name:
                found |= texts.declares(number)
        return found

    def _of_file(self, scores: list[float]) -> Iterator[float]:
        """What the passages of a file get: its best chunk's score, and what the others add."""
        best = sorted(scores, reverse=True)[:_DECAY_STEPS]
        power, more = 1.0, 0.0
        for score in best[1:]:
            power *= self._weights.decay
            more += score * power
        repeated = 1.0
        for score in best[:_PASSAGES]:
            if score < best[0] * _WORTH_SHOWING or not score:
                break
            yield (score + more) * repeated
            repeated *= self._weights.repeated

    def _prior(self, sign: PathSigns) -> float:
        """How likely a file of its kind is meant."""
        kinds = sign.kinds - self._wanted.kinds
        if not kinds:
            return 1.0
        return float(min(getattr(self._weights, kind) for kind in kinds))

    def _covered(self, sign: PathSigns) -> float:
        """The share of the question's words that a path has."""
        held = sign.name | sign.folders
        found = 0.0
        for word in self._wanted.words:
            if word.term in held:
                found += 1
            elif word.parts:
                found += len(held.intersection(word.parts)) / len(word.parts)
        return found / len(self._wanted.words)
