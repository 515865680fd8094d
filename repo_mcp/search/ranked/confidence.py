"""Tells whether the best hit has enough of a question to be its answer.

Any question has hits: some words of it occur in any tree. The best hit of one that the repository
answers has a larger share of what its words could score, the more so the fewer words and the more
chunks there are (decision 0042). Small trees judge that share, and where they are known also how
near the meaning of hits is and how much of the question they have together (0215).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from index_format.tuples import NamedTuple
from repo_mcp.question.query import FAINT, FEWEST_WORDS, QueryWord
from repo_mcp.search.ranked.term_lookup import QueryStatistics

LEARNED_CONFIDENCE: Final = "learned_confidence.json"
# digits of what trees are asked
EVIDENCE_DIGITS: Final = 5


class HitEvidence(NamedTuple):
    """Evidence of files of hits for a question, besides their score by words."""

    # cosines of the nearest chunk of all candidate files, and of those of hits
    nearest: float
    near: float
    # cosine of the nearest declaration of hits
    declared: float
    # largest shares of the question's weight: in one chunk, and in the best chunks of a file
    chunk: float
    together: float


# where nothing was compared by meaning
UNKNOWN: Final = HitEvidence(*[math.nan] * len(HitEvidence._fields))


class ConfidenceRow(NamedTuple):
    """The numbers that tell whether an answer is confident, in the order of the trees' columns."""

    # log of the best score, relative to what the query's words could score together
    score: float
    # logs of the numbers of weighty words and of chunks
    words: float
    chunks: float
    # share of the weighty words' worth that is due to words which occur nowhere
    absent: float
    nearest: float
    near: float
    declared: float
    chunk: float
    together: float


def is_confident(
    statistics: QueryStatistics, best: float, chunks: int, evidence: HitEvidence = UNKNOWN
) -> bool:
    """True if the best hit is likely an answer, by its score in an index of so many `chunks`.

    A query with few content words is a name, or too short to judge.
    """
    if len(_worths(statistics)) < FEWEST_WORDS or math.isinf(best):
        return True
    from repo_mcp.search.ranked.trees import read_trees  # noqa: PLC0415 names need none

    row = confidence_row(statistics, best, chunks, evidence)
    return float(read_trees(LEARNED_CONFIDENCE).sums(np.array([row]))[0]) >= 0


def confidence_row(
    statistics: QueryStatistics, best: float, chunks: int, evidence: HitEvidence = UNKNOWN
) -> ConfidenceRow:
    """The numbers of an answer, rounded, so that the machine makes no difference."""
    worths = _worths(statistics)
    could = math.fsum(worth for word, worth in statistics.worths if _is_own(word))
    absent = math.fsum(worths.get(word.term, 0.0) for word in statistics.missing)
    row = (
        math.log(max(best, 1e-9) / (could or 1.0)),
        math.log(max(len(worths), 1)),
        math.log(max(chunks, 1)),
        absent / (math.fsum(worths.values()) or 1.0),
        *evidence,
    )
    return ConfidenceRow(*(round(value, EVIDENCE_DIGITS) for value in row))


def _worths(statistics: QueryStatistics) -> dict[str, float]:
    """The scores that weighty words of the query could have."""
    return {
        word.term: worth
        for word, worth in statistics.worths
        if _is_own(word) and word.term not in FAINT
    }


def _is_own(word: QueryWord) -> bool:
    """True if a word stands in the query: forms of it and words near it weigh less."""
    return word.weight >= 1 or bool(word.parts) or word.term in FAINT


def absent_words(statistics: QueryStatistics, *, names_alone: bool) -> tuple[str, ...]:
    """The weighty words of the query that occur nowhere, in no form; or its names of parts."""
    return tuple(
        word.term
        for word in statistics.missing
        if word.parts or not (names_alone or word.term in FAINT)
    )
