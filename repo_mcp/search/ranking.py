"""Which chunks answer a question best: what each holds, what its file holds, and what the path says.

Chunks that look promising by simple sums name the files; of these all chunks are looked at, and
each gets the score of its text, more for the rest of its file and for the words of the path, less
for a file of a kind that is rarely meant. Nothing depends on how the index lies on the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Snapshot
from index_format.bits import ranges
from index_format.lengths import CODE_LENGTHS
from repo_mcp.search.evidence import BODY, F64, NAME, PATH, SYMBOL, Lookup
from repo_mcp.search.first_look import first_look
from repo_mcp.search.path_signs import DOCS, TESTS, VENDORED, PathSigns, path_signs
from repo_mcp.search.wanted import Wanted, Word
from repo_mcp.search.weights import Weights

Mask = npt.NDArray[np.bool_]

# chunks of the first look for each passage wanted, and at least
_SEEDS_PER_HIT: Final = 10
_LEAST_SEEDS: Final = 150
# files that are looked at whole, for each passage wanted, and at least
_FILES_PER_HIT: Final = 3
_LEAST_FILES: Final = 30
# passages of one file, and what share of the best one's score the others need
_PASSAGES: Final = 3
_WORTH_SHOWING: Final = 0.25
_DECAY_STEPS: Final = 8
# fields that are looked up in the paths themselves
_OF_PATHS: Final = frozenset({NAME, PATH})
# sums of the same numbers differ in the last digits: what is equal to here is equal
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk that answers, its lines, and its score."""

    path: str
    chunk: int
    first: int
    last: int
    score: float


class Ranking:
    """The order of one snapshot's chunks for one question."""

    def __init__(self, snapshot: Snapshot, wanted: Wanted, weights: Weights) -> None:
        """Look the words up; nothing is scored yet."""
        self._snapshot = snapshot
        self._wanted = wanted
        self._weights = weights
        self._sought = Lookup(snapshot, weights).all(wanted)

    def worth(self) -> dict[str, float]:
        """How much each word tells, by what it weighs and how rare it is."""
        found = {item.word.term: item.word.weight * item.scorer.idf for item in self._sought}
        for word in self._wanted.words:
            for part in word.parts:
                found.setdefault(part, found.get(word.term, 1.0) / (2 * len(word.parts)))
        return {**dict.fromkeys(self._wanted.terms, 0.0), **found}

    def best(self, limit: int, allowed: Mask | None = None) -> Iterator[Ranked]:
        """At least so many chunks, if there are, best first."""
        seeds = max(limit * _SEEDS_PER_HIT, _LEAST_SEEDS)
        terms = [scores for item in self._sought for scores in item.fields.values()]
        looked = first_look(self._snapshot, terms, seeds, allowed)
        if not looked:
            return
        files = self._promising(looked, limit)
        for score, path, chunk in self._ordered(_Files(self._snapshot, files)):
            if allowed is None or allowed[chunk]:
                yield Ranked(path, chunk, *self._snapshot.lines_of(chunk), -score)

    def _promising(self, looked: Mapping[int, float], limit: int) -> list[int]:
        """The files that are worth a second look, by the best chunk of each."""
        starts = self._snapshot.file_starts
        numbers = np.searchsorted(starts, list(looked), side="right") - 1
        rough: dict[int, float] = {}
        for number, score in zip(numbers.tolist(), looked.values(), strict=True):
            rough[number] = max(rough.get(number, 0.0), score)
        worth: list[tuple[float, str, int]] = []
        for number, score in rough.items():
            path = self._snapshot.path_of(number)
            worth.append((-round(score * self._prior(path_signs(path)), _DIGITS), path, number))
        worth.sort()
        kept = worth[: max(limit * _FILES_PER_HIT, _LEAST_FILES)]
        return [number for _, _, number in kept]

    def _prior(self, signs: PathSigns) -> float:
        weights, found = self._weights, 1.0
        for kind, weight in (
            (TESTS, weights.tests),
            (DOCS, weights.docs),
            (VENDORED, weights.vendored),
        ):
            if kind in signs.kinds and kind not in self._wanted.kinds:
                found = min(found, weight)
        return found

    def _ordered(self, files: _Files) -> list[tuple[float, str, int]]:
        """Negated score, path and chunk of the passages, in order."""
        signs = [path_signs(path) for path in files.paths]
        units, whole = self._scores(files, signs)
        found: list[tuple[float, str, int]] = []
        for number, path in enumerate(files.paths):
            begin, end = files.edges[number], files.edges[number + 1]
            factor = self._prior(signs[number])
            factor *= 1 + self._weights.coverage * self._covered(signs[number])
            for chunk, score in self._of_file(units[begin:end], float(whole[number])):
                total = round(score * factor, _DIGITS)
                found.append((-total, path, int(files.chunks[begin + chunk])))
        found.sort()
        return found

    def _of_file(self, units: F64, whole: float) -> Iterator[tuple[int, float]]:
        """The best chunks of a file and their scores: their own, and what the file adds."""
        order = np.argsort(-units, kind="stable")[:_DECAY_STEPS].tolist()
        best = units[order].tolist()
        more = self._weights.file * whole
        power = 1.0
        for score in best[1:]:
            power *= self._weights.decay
            more += score * power
        repeated = 1.0
        for chunk, score in zip(order[:_PASSAGES], best, strict=False):
            if score < best[0] * _WORTH_SHOWING or not score:
                break
            yield chunk, (score + more) * repeated
            repeated *= self._weights.repeated

    def _scores(self, files: _Files, signs: Sequence[PathSigns]) -> tuple[F64, F64]:
        """The score of each chunk's text, and of each file's."""
        weights = self._weights
        units, whole = np.zeros(len(files.chunks)), np.zeros(len(files.paths))
        norm, norm_file = files.norms(weights.b), files.file_norms(weights.b_file)
        bonus = np.zeros(len(files.chunks))
        for item in self._sought:
            held = {
                field: scores.frequencies(files.chunks)
                for field, scores in item.fields.items()
                if field not in _OF_PATHS
            }
            named = np.array([self._named(item.word, sign) for sign in signs])
            texts = named[files.owners]
            total = named
            if BODY in held:
                texts = texts + held[BODY] / norm
                total = total + np.add.reduceat(held[BODY], files.edges[:-1]) / norm_file
            for field in held.keys() - {BODY}:
                counts = held[field] * getattr(weights, field)
                texts = texts + counts
                total = total + np.add.reduceat(counts, files.edges[:-1])
            units += item.word.weight * item.scorer.score_of(texts)
            whole += item.word.weight * item.scorer.score_of(total)
            if SYMBOL in held and item.word.term.replace("_", "") == self._wanted.name:
                bonus = np.maximum(bonus, held[SYMBOL] > 0)
        if weights.declared and bonus.any():
            units *= 1 + weights.declared * bonus
        return units, whole

    def _named(self, word: Word, sign: PathSigns) -> float:
        """What the words of a path add to this word's weight."""
        weights = self._weights
        return weights.name * (word.term in sign.name) + weights.folder * (
            word.term in sign.folders
        )

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


class _Files:
    """Files that are looked at whole, and all their chunks in order."""

    def __init__(self, snapshot: Snapshot, numbers: Sequence[int]) -> None:
        starts = snapshot.file_starts
        held = np.sort(np.array(numbers, dtype=np.int64))
        counts = starts[held + 1] - starts[held]
        self.chunks = ranges(starts[held], counts)
        self.edges = np.concatenate([[0], np.cumsum(counts)])
        self.owners = np.repeat(np.arange(len(held)), counts)
        self.paths = [snapshot.path_of(number) for number in held.tolist()]
        self._lengths = CODE_LENGTHS[snapshot.codes(0)[self.chunks]].astype(np.float64)
        self._average = snapshot.token_count(0) / (snapshot.chunk_count or 1)
        self._file_average = snapshot.token_count(0) / (snapshot.file_count or 1)

    def norms(self, b: float) -> F64:
        """What each chunk's length divides its frequencies by."""
        found: F64 = 1 - b + b * self._lengths / (self._average or 1)
        return found

    def file_norms(self, b: float) -> F64:
        """The same of whole files."""
        lengths = np.add.reduceat(self._lengths, self.edges[:-1])
        found: F64 = 1 - b + b * lengths / (self._file_average or 1)
        return found
