"""Which chunks answer a question best: what each holds, what its file holds, and what the path says.

Chunks that look promising by simple sums name the files; of these all chunks are looked at, and
each gets the score of its text, more for the rest of its file and for the words of the path, less
for a file of a kind that is rarely meant. Nothing depends on how the index lies on the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from index_format import Snapshot, best_chunks
from index_format.bits import ranges
from index_format.lengths import CODE_LENGTHS
from repo_mcp.search.evidence import CHUNK_FIELDS, F64, I64, Sought, sought
from repo_mcp.search.path_signs import DOCS, TESTS, VENDORED, PathSigns, path_signs
from repo_mcp.search.wanted import Wanted
from repo_mcp.search.weights import Weights

# chunks of the first look for each passage wanted, and at least
_SEEDS_PER_HIT: Final = 20
_LEAST_SEEDS: Final = 200
# files that are looked at whole, for each passage wanted, and at least; and chunks of all of them
_FILES_PER_HIT: Final = 4
_LEAST_FILES: Final = 40
_MOST_CHUNKS: Final = 20_000
# passages of one file, and what share of the best one's score the others need
_PASSAGES: Final = 3
_WORTH_SHOWING: Final = 0.5
_DECAY_STEPS: Final = 8
# sums of the same numbers differ in the last digits: what is equal to here is equal
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk that answers, and its score."""

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
        self._sought = sought(snapshot, wanted.groups, weights)

    def worth(self) -> dict[str, float]:
        """How much each form of a word tells, by what it weighs and how rare it is."""
        found: dict[str, float] = {}
        for item in self._sought:
            for form, factor in item.group.forms:
                value = item.group.weight * item.scorer.idf * factor
                found[form] = max(found.get(form, 0.0), value)
        return found

    def best(self, limit: int, allowed: np.ndarray | None = None) -> list[Ranked]:
        """At least so many chunks, if there are, best first."""
        seeds = max(limit * _SEEDS_PER_HIT, _LEAST_SEEDS)
        terms = [form.scores for item in self._sought for form in item.forms]
        hits = best_chunks(self._snapshot, terms, seeds, allowed=allowed)
        if not hits:
            return []
        chunks = np.array([hit.chunk for hit in hits], dtype=np.int64)
        files = self._promising(chunks, [hit.score for hit in hits], limit)
        return self._ordered(_Files(self._snapshot, files), allowed)

    def _promising(self, chunks: I64, scores: Sequence[float], limit: int) -> list[int]:
        """The files that are worth a second look, by the best chunk of each."""
        starts = self._snapshot.file_starts
        numbers = np.searchsorted(starts, chunks, side="right") - 1
        rough: dict[int, float] = {}
        for number, score in zip(numbers.tolist(), scores, strict=True):
            rough.setdefault(number, score)
        worth = [
            (-score * self._prior(path_signs(self._snapshot.path_of(number))), number)
            for number, score in rough.items()
        ]
        worth.sort(key=lambda item: round(item[0], _DIGITS))
        kept = worth[: max(limit * _FILES_PER_HIT, _LEAST_FILES)]
        return [number for _, number in kept]

    def _prior(self, signs: PathSigns) -> float:
        weights, found = self._weights, 1.0
        for kind, weight in ((TESTS, weights.tests), (DOCS, weights.docs), (VENDORED, weights.vendored)):
            if kind in signs.kinds and kind not in self._wanted.kinds:
                found = min(found, weight)
        return found

    def _ordered(self, files: _Files, allowed: np.ndarray | None) -> list[Ranked]:
        signs = [path_signs(path) for path in files.paths]
        units, whole = self._scores(files, signs)
        factor = np.array([self._prior(item) for item in signs])
        factor *= 1 + self._weights.coverage * self._covered(signs)
        found: list[tuple[float, str, int]] = []
        for number, path in enumerate(files.paths):
            begin, end = files.edges[number], files.edges[number + 1]
            for chunk, score in self._of_file(units[begin:end], whole[number]):
                total = round(float(score * factor[number]), _DIGITS)
                found.append((-total, path, int(files.chunks[begin + chunk])))
        found.sort()
        return [
            Ranked(path, chunk, *self._snapshot.lines_of(chunk), -score)
            for score, path, chunk in found
            if allowed is None or allowed[chunk]
        ]

    def _of_file(self, units: F64, whole: float) -> Iterator[tuple[int, float]]:
        """The best chunks of a file and their scores: their own, and what the file adds."""
        order = np.argsort(-units, kind="stable")[:_DECAY_STEPS]
        best = units[order]
        powers = self._weights.decay ** np.arange(1, len(best))
        more = float((best[1:] * powers).sum()) + self._weights.file * whole
        repeated = 1.0
        for chunk, score in zip(order[:_PASSAGES].tolist(), best[:_PASSAGES].tolist(), strict=True):
            if score < best[0] * _WORTH_SHOWING or not score:
                break
            yield chunk, (score + more) * repeated
            repeated *= self._weights.repeated

    def _scores(self, files: _Files, signs: Sequence[PathSigns]) -> tuple[F64, F64]:
        """The score of each chunk's text, and of each file's."""
        weights = self._weights
        units, whole = np.zeros(len(files.chunks)), np.zeros(len(files.paths))
        norm, norm_file = files.norms(weights.b), files.file_norms(weights.b_file)
        for item in self._sought:
            written, said = np.zeros(len(files.chunks)), np.zeros(len(files.chunks))
            for form in item.forms:
                if form.field in CHUNK_FIELDS:
                    counts = form.scores.frequencies(files.chunks) * form.factor
                    if form.field == "body":
                        written += counts
                    else:
                        said += counts * getattr(weights, form.field)
            named = self._named(item, signs)
            texts = written / norm + said + named[files.owners]
            bodies = np.add.reduceat(written, files.edges[:-1])
            sayings = np.add.reduceat(said, files.edges[:-1])
            units += item.group.weight * item.scorer.score_of(texts)
            whole += item.group.weight * item.scorer.score_of(bodies / norm_file + sayings + named)
        return units, whole

    def _named(self, item: Sought, signs: Sequence[PathSigns]) -> F64:
        """What the words of each path add to this word's weight."""
        weights, forms = self._weights, item.group.forms
        return np.array(
            [
                max(
                    factor * (weights.name * (form in sign.name) + weights.folder * (form in sign.folders))
                    for form, factor in forms
                )
                for sign in signs
            ]
        )

    def _covered(self, signs: Sequence[PathSigns]) -> F64:
        """The share of the question's words that each path has."""
        groups = [group for group in self._wanted.groups if not group.is_extra]
        return np.array(
            [
                sum(
                    any(form in sign.name or form in sign.folders for form, _ in group.forms)
                    for group in groups
                )
                / len(groups)
                for sign in signs
            ]
        )


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
