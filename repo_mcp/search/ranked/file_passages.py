"""The passages of ranked files: which chunks each file shows, and with which scores.

And the factors of files: for what of a query their paths have, for their areas and kinds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from code_graph.paths.path_kinds import DOCS, VENDORED
from index_format.tuples import NamedTuple
from repo_mcp.question.query import Query
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.passage_table import PassageTable
from repo_mcp.search.ranked.path_signals import PathSignals, path_segments, path_signals
from repo_mcp.search.ranked.weights import Weights

# passages of one file, and its best chunks that raise them and count for what it has of the query
PASSAGES: Final = 5
_CONFIGURATION: Final = frozenset({VENDORED})


class FileFactors(NamedTuple):
    """Factors by file: for its path, and for its kind, unless a chunk declares the whole query."""

    path: list[float]
    prior: list[float]


class PathWeights:
    """The factors of paths for one query."""

    def __init__(self, query: Query, weights: Weights) -> None:
        self._query = query
        self._weights = weights
        self._total_weight = sum(word.weight for word in query.words)
        self._words = [
            (word.term, "" if word.parts else stem(word.term), word.parts, word.weight)
            for word in query.words
        ]
        self._priors: dict[frozenset[str], float] = {}
        # what speaks of a change means code
        self.is_described = query.is_asked or not query.is_change

    def factors(
        self, paths: Sequence[str], signs: Sequence[PathSignals], alone: Collection[int]
    ) -> FileFactors:
        """The factors of each file; those `alone`, by their numbers, have a word that few have."""
        covered = [self.coverage(sign) for sign in signs]
        if self._query.areas:
            covered = [known * self.area(path) for known, path in zip(covered, paths, strict=True)]
        return FileFactors(
            covered,
            [
                self.prior(sign, is_alone=at in alone) if sign.kinds else 1.0
                for at, sign in enumerate(signs)
            ],
        )

    def coverage(self, sign: PathSignals) -> float:
        """The factor for the share of the query's words that a path has, by their weights."""
        found, (name, folders, _, stems, roots) = 0.0, sign
        for term, root, parts, weight in self._words:
            if term in name or term in folders or root in stems or root in roots:
                found += weight
            elif parts:
                found += weight * len((name | folders).intersection(parts)) / len(parts)
        return 1 + found / self._total_weight

    def area(self, path: str) -> float:
        """The factor for the share of the query's areas that are a folder or a file's name."""
        areas = self._query.areas
        segments = path_segments(path) if areas else ()
        return 1 + sum(area in segments for area in areas) / (len(areas) or 1)

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
        return self._weights.of_kind(kind)


class RankedFiles(NamedTuple):
    """The passages of all files by the score of their words.

    And by file, the share of the query it has; and by chunk, whether it declares the name that the
    query is.
    """

    passages: PassageTable
    shares: Sequence[float]
    declares: Sequence[bool | int]


class PassageColumns(NamedTuple):
    """By chunk: its score, the one inside of its file, negated, whether it declares, its number."""

    scores: list[float]
    inside: list[float]
    declares: list[bool]
    chunks: list[int]
    # by file
    paths: Sequence[str]


def list_passages(
    columns: PassageColumns,
    edges: Sequence[int],
    shares: list[float],
    factors: FileFactors,
    weights: Weights,
) -> RankedFiles:
    """The passages of each file; `edges` are where the chunks of each begin, and the end.

    The scores of a file are those of its best chunks; the chunks shown for them are those with the
    highest scores inside of it.
    """
    scores, inside, declares, chunks, paths = columns
    rows: list[tuple[int, int, float]] = []
    for file, (begin, end) in enumerate(pairwise(edges)):
        factor = factors.path[file] * (1 + shares[file])
        shown = sorted(range(begin, end), key=inside.__getitem__)
        of_passages = _scores_of_passages(scores[begin:end], weights)
        for at, score in zip(shown, of_passages, strict=False):
            prior = 1.0 if declares[at] else factors.prior[file]
            rows.append((file, chunks[at], score * factor * prior))
    columns_of_rows = zip(*rows, strict=True) if rows else ((), (), ())
    files, numbers, words = (np.array(column) for column in columns_of_rows)
    table = PassageTable(paths, files.astype(np.int64), numbers.astype(np.int64), words)
    return RankedFiles(table, shares, declares)


def _scores_of_passages(scores: list[float], weights: Weights) -> list[float]:
    """Scores of a file's passages: its best chunks' scores, raised by the other chunks."""
    best = sorted(scores, reverse=True)[:PASSAGES]
    power, more = 1.0, 0.0
    for score in best[1:]:
        power *= weights.decay
        more += score * power
    found: list[float] = []
    repeated = 1.0
    for score in filter(None, best):
        found.append((score + more) * repeated)
        repeated *= weights.repeated
    return found
