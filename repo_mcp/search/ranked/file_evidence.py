"""The evidence for each candidate file of a query: numbers that a learned order is made of.

Each column is one kind of evidence, and rows do not depend on the segments of the index. Cosines
are missing (NaN) where the index has no vectors, votes where no commits are indexed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.paths.path_kinds import DOCS, TESTS
from index_format.tuples import NamedTuple
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.search.ranked.chunk_scores import ChunkScores
from repo_mcp.search.ranked.confidence import EVIDENCE_DIGITS
from repo_mcp.search.ranked.file_passages import PathWeights
from repo_mcp.search.ranked.passage_table import PassageTable
from repo_mcp.search.ranked.path_signals import path_signals
from repo_mcp.search.ranked.term_lookup import F64, QueryStatistics
from repo_mcp.stored import BODY, SYMBOL

if TYPE_CHECKING:
    import numpy.typing as npt

    from index_format import Snapshot

# the columns of all evidence, in their order
COLUMNS: Final = (
    "score",  # log of the best passage's score, relative to the best file's
    "ceiling",  # log of that score, relative to what the query's words can score together
    "share",  # share of the query's weight that the best chunks match together
    "prior",  # log of the factor for the kind of file
    DOCS,
    "chunk",  # largest share of the query's weight in one chunk
    "declared",  # share of the query's weight in declared names and headings of the file
    "declaration",  # the same for one chunk
    "file_name",  # share of the words of the file's name that the query has
    "tested",  # score of a candidate that is the test of the file by its name
    "near",  # cosine of the nearest chunk, relative to those of all candidates
    "nearest",  # cosine of the nearest declaration, relative to the nearest of all
    "change",  # the same for all files: the query speaks of a change
    "asked",
    "words",
    TESTS,
    "code",  # something is declared in the file
    "past",  # votes of past commits for the file, relative to the file with most of them
)
_PART: Final = re.compile(r"[a-z]+|\d+|[A-Z]+(?![a-z])|[A-Z][a-z]*")
# less than any score that is shown
_TINY: Final = 1e-9
_OF_TESTS: Final = frozenset({"test", "tests", "spec", "specs", "it"})


class BesideWords(NamedTuple):
    """Evidence of files beside the words, by path; None where it is not known."""

    # cosines of the nearest chunk, and of the nearest declaration
    cosines: Mapping[str, float] | None
    nearest: Mapping[str, float] | None
    # votes of past commits
    past: Mapping[str, float] | None


class FileEvidence(NamedTuple):
    """By path the best score, a row for each file, and cosines of chunks and declarations."""

    best: Mapping[str, float]
    rows: F64
    cosines: Mapping[str, float]
    nearest: Mapping[str, float]


def file_evidence(
    snapshot: Snapshot,
    scores: ChunkScores,
    table: PassageTable,
    shares: Sequence[float],
    statistics: QueryStatistics,
    weights: PathWeights,
    beside: BesideWords,
) -> FileEvidence:
    """The best scores of the files of passages, and a row for each file.

    Files that words have not found are among them if they have one of the `nearest` declarations.
    """
    cosines, nearest, past = beside
    best = table.best_of_files()
    top = max(best.values(), default=_TINY) or _TINY
    at = {path: number for number, path in enumerate(scores.paths)}
    files = [at.get(path, -1) for path in best]
    relative = {path: score / top for path, score in best.items()}
    query = statistics.query
    signs = [path_signals(path) for path in best]
    declared = np.array([(nearest or {}).get(path, math.nan) for path in best])
    most = max((nearest or {}).values(), default=math.nan)
    near = np.array([(cosines or {}).get(path, math.nan) for path in best])
    there = near[~np.isnan(near)].tolist()
    found: dict[str, Sequence[float] | F64] = {
        "score": [math.log(max(share, _TINY)) for share in relative.values()],
        "ceiling": [
            math.log(max(score, _TINY) / (statistics.ceiling or 1.0)) for score in best.values()
        ],
        "share": [0.0 if file < 0 else shares[file] for file in files],
        "prior": [math.log(weights.prior(sign) or 1.0) for sign in signs],
        DOCS: [float(DOCS in sign.kinds - query.kinds) for sign in signs],
        **_matches(scores, files, statistics, weights),
        **_names(relative, [TESTS in sign.kinds for sign in signs], query.terms),
        "near": near - math.fsum(there) / (len(there) or 1),
        "nearest": declared - most,
        "change": [float(query.is_change)] * len(files),
        "asked": [float(query.is_asked)] * len(files),
        "words": [float(len(query.words))] * len(files),
        TESTS: [float(TESTS in sign.kinds - query.kinds) for sign in signs],
        "code": _declare(snapshot, scores, files),
        "past": [math.nan if past is None else past.get(path, 0.0) for path in best],
    }
    # rounded, so that the order of adding and the machine make no difference
    columns = [found[name] for name in COLUMNS]
    rows: F64 = np.round(np.array(columns, dtype=np.float64).T, EVIDENCE_DIGITS)
    return FileEvidence(best, rows, cosines or {}, nearest or {})


def _matches(
    scores: ChunkScores, files: Sequence[int], statistics: QueryStatistics, weights: PathWeights
) -> dict[str, F64]:
    """Shares of the query's weight in text and in declared names, of files and of one chunk.

    Headings of documents say nothing about a change.
    """
    counts, begins = scores.class_counts, np.array(scores.edges[:-1])
    worth = np.array([item.word.weight * item.scorer.idf for item in statistics.words])
    worth /= worth.sum() or 1.0
    shape = len(worth), len(scores.chunks)
    anywhere, declared = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    for number, held in enumerate(counts):
        if SYMBOL in held:
            declared[number] = held[SYMBOL] > 0
            anywhere[number] |= declared[number]
        if BODY in held:
            anywhere[number] |= held[BODY] > 0

    def of_files(values: F64) -> F64:
        return np.concatenate([values, [0.0]])[files]  # -1 for a file that words have not found

    def largest(mask: npt.NDArray[np.bool_]) -> F64:
        return of_files(np.asarray(np.maximum.reduceat(np.round(worth @ mask, 9), begins)))

    if not weights.is_described:
        are_documents = [DOCS in sign.kinds for sign in scores.signs]
        declared[:, np.array(are_documents)[scores.owners]] = False
    together = np.logical_or.reduceat(declared, begins, axis=1)
    return {
        "chunk": largest(anywhere),
        "declared": of_files(worth @ together),
        "declaration": largest(declared),
    }


def _declare(snapshot: Snapshot, scores: ChunkScores, files: Sequence[int]) -> F64:
    """1 for each file in which anything is declared; near files are found by a declaration."""
    held = snapshot.codes(snapshot.schema.number(SYMBOL) or 0)
    starts, numbers = snapshot.file_starts, scores.numbers  # ascending
    bounds = np.stack([starts[numbers], starts[numbers + 1]], axis=1).ravel()
    # of each file, and of what is between it and the next one
    declares = np.maximum.reduceat(held[: bounds[-1]], bounds[:-1])[::2] > 0
    return np.concatenate([declares, [True]])[files].astype(np.float64)


def _names(
    relative: Mapping[str, float], are_tests: Sequence[bool], terms: Sequence[str]
) -> dict[str, Sequence[float]]:
    """Evidence of names: what a file's has of the query, and of tests for what they test."""
    asked = frozenset(map(stem, terms))
    parts = [name_parts(path) for path in relative]
    tests: dict[frozenset[str], float] = {}
    for score, item, is_test in zip(relative.values(), parts, are_tests, strict=True):
        if is_test:
            tests[item] = max(tests.get(item, 0.0), score)
    return {
        "file_name": [len(item & asked) / (len(item) or 1) for item in parts],
        "tested": [
            0.0 if is_test else tests.get(item, 0.0)
            for item, is_test in zip(parts, are_tests, strict=True)
        ],
    }


@lru_cache(1 << 12)
def name_parts(path: str) -> frozenset[str]:
    """The stems of the words of a file's name, without those of tests."""
    name = path.rpartition("/")[2].partition(".")[0]
    written = (part.lower() for part in _PART.findall(name))
    return frozenset(stem(part) for part in written if part not in _OF_TESTS)
