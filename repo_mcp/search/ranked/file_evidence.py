"""The evidence for each candidate file of a query: numbers that a learned order is made of.

Each column is one kind of evidence, and rows do not depend on the segments of the index. Cosines
are missing (NaN) where the index has no vectors.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.paths.path_kinds import DATA, DOCS, TESTS, VENDORED
from index_format.tuples import NamedTuple
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.file_passages import Passage, PathWeights
from repo_mcp.search.ranked.term_lookup import F64, QueryStatistics
from repo_mcp.stored import BODY, SYMBOL

if TYPE_CHECKING:
    import numpy.typing as npt

# the columns of all evidence, in their order
COLUMNS: Final = (
    "score",  # log of the best passage's score, relative to the best file's
    "ceiling",  # log of that score, relative to what the query's words can score together
    "second",  # score of the second passage, relative to the first
    "in_path",  # share of the query's words in the path
    "share",  # share of the query's weight that the best chunks match together
    "prior",  # log of the factor for the kind of file
    TESTS,
    DOCS,
    VENDORED,
    DATA,
    "chunk",  # largest share of the query's weight in one chunk
    "declared",  # share of the query's weight in declared names and headings of the file
    "declaration",  # the same for one chunk
    "file_name",  # share of the words of the file's name that the query has
    "whole_file_name",
    "size",  # log of the number of chunks
    "matched",  # log of the number of chunks with words of the query
    "depth",
    "folder",  # scores of other candidates in the folder
    "tested",  # score of a candidate that is the test of the file by its name
    "joined",  # a name made of two words of the query is declared
    "near",  # cosines, relative to those of all candidates: the nearest chunk's
    "shown",  # the best passage's
    "about",  # that of all chunks on average
    "change",  # the same for all files: the query speaks of a change
    "asked",
    "words",
)
_KINDS: Final = (TESTS, DOCS, VENDORED, DATA)
_DIGITS: Final = 5
_PART: Final = re.compile(r"[a-z]+|\d+|[A-Z]+(?![a-z])|[A-Z][a-z]*")
_OF_TESTS: Final = frozenset({"test", "tests", "spec", "specs", "it"})


def file_evidence(
    scores: ChunkScores,
    passages: Sequence[Passage],
    shares: Sequence[float],
    statistics: QueryStatistics,
    weights: PathWeights,
    cosines: Mapping[str, tuple[float, float, float]] | None,
) -> tuple[dict[str, float], F64]:
    """The best scores of the files of passages, which stand best first, and a row for each file."""
    best: dict[str, float] = {}
    for score, path, _ in passages:
        best.setdefault(path, score)
    top = max(next(iter(best.values())), 1e-9)
    at = {path: number for number, path in enumerate(scores.paths)}
    files = [at[path] for path in best]
    relative = {path: score / top for path, score in best.items()}
    query = statistics.query
    signs = [scores.signs[file] for file in files]
    kinds = [sign.kinds - query.kinds for sign in signs]
    named = _Names(list(best), relative, [TESTS in sign.kinds for sign in signs], query.terms)
    found: dict[str, Sequence[float] | F64] = {
        "score": [math.log(max(share, 1e-9)) for share in relative.values()],
        "ceiling": [
            math.log(max(score, 1e-9) / (statistics.ceiling or 1.0)) for score in best.values()
        ],
        "second": _second(passages, best),
        "in_path": [weights.share(path) for path in best],
        "share": [shares[file] for file in files],
        "prior": [math.log(weights.prior(sign) or 1.0) for sign in signs],
        **{kind: [float(kind in item) for item in kinds] for kind in _KINDS},
        **_matches(scores, files, statistics, weights),
        "file_name": named.shares,
        "whole_file_name": [float(share == 1.0) for share in named.shares],
        "depth": [float(path.count("/")) for path in best],
        "folder": named.folders,
        "tested": named.tested,
        **_relative_cosines(list(best), cosines),
        "change": [float(query.is_change)] * len(files),
        "asked": [float(query.is_asked)] * len(files),
        "words": [float(len(query.words))] * len(files),
    }
    # rounded, so that the order of adding and the machine make no difference
    rows: F64 = np.round(np.array([found[name] for name in COLUMNS], dtype=np.float64).T, _DIGITS)
    return best, rows


def _second(passages: Sequence[Passage], best: Mapping[str, float]) -> list[float]:
    seconds: dict[str, float] = {}
    seen: set[str] = set()
    for score, path, _ in passages:
        if path in seen:
            seconds.setdefault(path, score)
        seen.add(path)
    return [seconds.get(path, 0.0) / score if score else 0.0 for path, score in best.items()]


def _matches(
    scores: ChunkScores, files: Sequence[int], statistics: QueryStatistics, weights: PathWeights
) -> dict[str, F64]:
    """Shares of the query's weight in text and in declared names, of files and of one chunk.

    Headings of documents say nothing about a change.
    """
    counts, begins = scores.class_counts, np.array(scores.edges[:-1])
    worth = np.array([item.word.weight * item.scorer.idf for item in statistics.words])
    worth /= worth.sum() or 1.0
    joined = {*statistics.query.joined, statistics.query.name}
    shape = len(worth), len(scores.chunks)
    anywhere, declared = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    is_joined = np.zeros(len(scores.chunks), dtype=np.bool_)
    for number, (item, held) in enumerate(zip(statistics.words, counts, strict=True)):
        if SYMBOL in held:
            declared[number] = held[SYMBOL] > 0
            anywhere[number] |= declared[number]
            if item.word.term in joined:
                is_joined |= declared[number]
        if BODY in held:
            anywhere[number] |= held[BODY] > 0

    def largest(mask: npt.NDArray[np.bool_]) -> F64:
        return np.asarray(np.maximum.reduceat(np.round(worth @ mask, 9), begins)[files])

    if not weights.is_described:
        are_documents = [DOCS in sign.kinds for sign in scores.signs]
        declared[:, np.array(are_documents)[scores.owners]] = False
    together = np.logical_or.reduceat(declared, begins, axis=1)
    sizes = np.diff(np.append(begins, len(scores.chunks)))
    return {
        "chunk": largest(anywhere),
        "declared": (worth @ together)[files],
        "declaration": largest(declared),
        "joined": np.logical_or.reduceat(is_joined, begins)[files].astype(np.float64),
        "matched": np.log(sizes)[files],
        "size": np.log(scores.chunk_counts())[files],
    }


class _Names:
    """Evidence of names: of files beside each other, and of tests for what they test."""

    def __init__(
        self,
        paths: Sequence[str],
        relative: Mapping[str, float],
        are_tests: Sequence[bool],
        terms: Sequence[str],
    ) -> None:
        asked = {stem(term) for term in terms}
        parts = [name_parts(path) for path in paths]
        self.shares = [
            sum(part in asked for part in item.stems) / len(item.stems) if item.stems else 0.0
            for item in parts
        ]
        folders: dict[str, list[float]] = defaultdict(list)
        tests: dict[frozenset[str], float] = {}
        for path, item, is_test in zip(paths, parts, are_tests, strict=True):
            folders[item.folder].append(relative[path])
            if is_test:
                tests[item.stems] = max(tests.get(item.stems, 0.0), relative[path])
        sums = {folder: math.fsum(values) for folder, values in folders.items()}
        self.folders = [
            math.log1p(max(sums[item.folder] - relative[path], 0.0))
            for path, item in zip(paths, parts, strict=True)
        ]
        self.tested = [
            0.0 if is_test else tests.get(item.stems, 0.0)
            for item, is_test in zip(parts, are_tests, strict=True)
        ]


class NameParts(NamedTuple):
    """The stems of the words of a file's name, without those of tests, and its folder."""

    stems: frozenset[str]
    folder: str


@lru_cache(1 << 12)
def name_parts(path: str) -> NameParts:
    """The parts of a path."""
    folder, _, name = path.rpartition("/")
    written = (part.lower() for part in _PART.findall(name.partition(".")[0]))
    return NameParts(frozenset(stem(part) for part in written if part not in _OF_TESTS), folder)


def _relative_cosines(
    paths: Sequence[str], cosines: Mapping[str, tuple[float, float, float]] | None
) -> dict[str, F64]:
    rows = np.full((len(paths), 3), np.nan)
    if cosines is not None:
        rows = np.array([cosines.get(path, (np.nan,) * 3) for path in paths]).reshape(-1, 3)
        there = ~np.isnan(rows[:, 0])
        if there.any():
            rows -= [math.fsum(column) / there.sum() for column in rows[there].T]
    return {"near": rows[:, 0], "shown": rows[:, 1], "about": rows[:, 2]}
