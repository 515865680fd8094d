"""The passages of ranked files: which chunks each file shows, and with which scores.

And the factors of files: for what of a query their paths have, for their areas and kinds.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Final

from code_graph.paths.path_kinds import DOCS, VENDORED
from index_format.tuples import NamedTuple
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.path_signals import PathSignals, path_segments, path_signals
from repo_mcp.search.ranked.query_terms import Query
from repo_mcp.search.ranked.weights import Weights

# passages of one file, and the share of the best one's score that the others need
PASSAGES: Final = 5
WORTH_SHOWING: Final = 0.1
# the best chunks of a file whose scores raise those of its passages
DECAY_STEPS: Final = 8
_CONFIGURATION: Final = frozenset({VENDORED})


# score, path and chunk
Passage = tuple[float, str, int]


class FileFactors(NamedTuple):
    """Factors by file: for what of the query its path has, for its area, and for its kind.

    The last is not for chunks that declare the name that the query is.
    """

    coverage: list[float]
    area: list[float]
    prior: list[float]


# the query's words as they are looked for in paths, and their weight: text, stem, distinct parts,
# number of parts, weight
PathWords = tuple[tuple[tuple[str, str, tuple[str, ...], int, float], ...], float]


class PathWeights:
    """The factors of paths for one query."""

    def __init__(self, query: Query, weights: Weights) -> None:
        self._query = query
        self._weights = weights
        self._total_weight = sum(word.weight for word in query.words)
        self._priors: dict[frozenset[str], float] = {}
        # what speaks of a change means code
        self.is_described = query.is_asked or not query.is_change

    def factors(
        self, paths: Sequence[str], signs: Sequence[PathSignals], alone: Collection[int]
    ) -> FileFactors:
        """The factors of each file; those `alone`, by their numbers, have a word that few have."""
        factors = self._areas_and_kinds(paths, signs, alone)
        return FileFactors([self.coverage(sign) for sign in signs], *factors)

    def encoded(
        self, paths: Sequence[str], signs: Sequence[PathSignals], alone: Collection[int]
    ) -> tuple[bytes, bytes]:
        """The factors for areas and kinds, for compiled code."""
        areas, priors = self._areas_and_kinds(paths, signs, alone)
        return array("d", areas).tobytes(), array("d", priors).tobytes()

    def _areas_and_kinds(
        self, paths: Sequence[str], signs: Sequence[PathSignals], alone: Collection[int]
    ) -> tuple[list[float], list[float]]:
        areas = [self.area(path) for path in paths] if self._query.areas else [1.0] * len(paths)
        return areas, [
            self.prior(sign, is_alone=at in alone) if sign.kinds else 1.0
            for at, sign in enumerate(signs)
        ]

    def coverage(self, sign: PathSignals) -> float:
        """The factor for the share of the query's words that a path has, by their weights."""
        found = 0.0
        terms, stems = sign.name | sign.folders, sign.name_stems | sign.folder_stems
        for term, root, parts, count, weight in self.words[0]:
            if term in terms or root in stems:
                found += weight
            elif count:
                found += weight * sum(part in terms for part in parts) / count
        return 1 + self._weights.coverage * (found / self._total_weight)

    @cached_property
    def words(self) -> PathWords:
        """The query's words as they are looked for in paths, and their weight."""
        return (
            tuple(
                (
                    word.term,
                    stem(word.term) if self._weights.stems and not word.parts else "",
                    tuple(dict.fromkeys(word.parts)),
                    len(word.parts),
                    word.weight,
                )
                for word in self._query.words
            ),
            self._total_weight,
        )

    def area(self, path: str) -> float:
        """The factor for the share of the query's areas that are a folder or a file's name."""
        areas = self._query.areas
        if not areas:
            return 1.0
        segments = path_segments(path)
        share = sum(area in segments for area in areas) / len(areas)
        return 1 + self._weights.inside_area * share

    def prior_of(self, path: str) -> float:
        """The factor for the kind of a file by its path."""
        sign = path_signals(path)
        return self.prior(sign) if sign.kinds else 1.0

    def prior(self, sign: PathSignals, *, is_alone: bool = False) -> float:
        """The factor for the kind of a file, unless the query asks for that kind.

        Configuration that `is_alone` with a word is what the word is asked for.
        """
        if is_alone and sign.kinds == _CONFIGURATION and self.is_described:
            return 1.0
        known = self._priors.get(sign.kinds)
        if known is None:
            kinds = sign.kinds - self._query.kinds
            known = min(map(self._prior_of_kind, kinds), default=1.0)
            self._priors[sign.kinds] = known
        return known

    def _prior_of_kind(self, kind: str) -> float:
        if kind == DOCS and self.is_described:
            return self._weights.docs_described
        return float(getattr(self._weights, kind))


class FilePassages(NamedTuple):
    """By file: score and chunk of its passages, and the share of the query it has.

    And by chunk, whether it declares the name that the query is.
    """

    passages: list[list[tuple[float, int]]]
    shares: list[float]
    declares: Sequence[bool | int]


class RankedFiles(NamedTuple):
    """Score, path and chunk of the passages of all files, best first.

    And by file, the share of the query it has; and by chunk, whether it declares the name that the
    query is.
    """

    passages: Iterator[Passage]
    shares: Sequence[float]
    declares: Sequence[bool | int]


class PassageColumns(NamedTuple):
    """By chunk: its score, the one inside of its file, negated, whether it declares, its number."""

    scores: list[float]
    inside: list[float]
    declares: list[bool]
    chunks: list[int]


def list_passages(
    columns: PassageColumns,
    edges: Sequence[int],
    shares: list[float],
    factors: FileFactors,
    weights: Weights,
) -> FilePassages:
    """The passages of each file; `edges` are where the chunks of each begin, and the end.

    The scores of a file are those of its best chunks; the chunks shown for them are those with the
    highest scores inside of it.
    """
    scores, inside, declares, chunks = columns
    found: list[list[tuple[float, int]]] = []
    for file, share in enumerate(shares):
        begin, end = edges[file], edges[file + 1]
        factor = factors.coverage[file] * (1 + weights.together * share) * factors.area[file]
        shown = sorted(range(begin, end), key=inside.__getitem__)
        found.append(
            [
                (score * factor * (1.0 if declares[at] else factors.prior[file]), chunks[at])
                for at, score in zip(
                    shown, _scores_of_passages(scores[begin:end], weights), strict=False
                )
            ]
        )
    return FilePassages(found, shares, declares)


def _scores_of_passages(scores: list[float], weights: Weights) -> list[float]:
    """Scores of a file's passages: its best chunks' scores, raised by the other chunks."""
    best = sorted(scores, reverse=True)[:DECAY_STEPS]
    power, more = 1.0, 0.0
    for score in best[1:]:
        power *= weights.decay
        more += score * power
    found: list[float] = []
    repeated = 1.0
    for score in best[:PASSAGES]:
        if score < best[0] * WORTH_SHOWING or not score:
            break
        found.append((score + more) * repeated)
        repeated *= weights.repeated
    return found
