"""Tells whether the best hit has enough of a question to be its answer.

Any question has hits: some words of it occur in any tree. The best hit of one that the repository
answers has a larger share of what its words could score, the more so the fewer words and the more
chunks there are (decision 0193). Where files have a learned order, small trees judge that share
with how near the meaning of hits is and how much of the question they have together (0215).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from index_format.tuples import NamedTuple
from repo_mcp.search.ranked.query_terms import FAINT, QueryWord
from repo_mcp.search.ranked.term_lookup import QueryStatistics

# fewer weighty words are a name, or too little to tell
_FEWEST: Final = 3
_BY_WORDS: Final = 0.75
_BY_CHUNKS: Final = 0.25
# smaller and larger trees than those that were measured demand as much as these
_FEWEST_CHUNKS: Final = 400
_MOST_CHUNKS: Final = 4_000
# the least share times words^.75 / chunks^.25
_LEAST: Final = 0.1


LEARNED_CONFIDENCE: Final = "learned_confidence.json"
_DIGITS: Final = 5


class HitEvidence(NamedTuple):
    """Evidence of files of hits for a question, besides their score by words."""

    # cosines of the nearest chunk of all candidate files, and of those of hits
    nearest: float
    near: float
    # largest shares of the question's weight: in one chunk, and in the best chunks of a file
    chunk: float
    together: float


class ConfidenceRow(NamedTuple):
    """The numbers that tell whether an answer is confident, in the order of the trees' columns."""

    # log of the best score, relative to what is demanded of it by words alone
    score: float
    # logs of the numbers of weighty words and of chunks
    words: float
    chunks: float
    # share of the weighty words' worth that is due to words which occur nowhere
    absent: float
    nearest: float
    near: float
    chunk: float
    together: float


def is_confident(
    statistics: QueryStatistics, best: float, chunks: int, evidence: HitEvidence | None = None
) -> bool:
    """True if the best score, in an index of so many chunks, is that of an answer."""
    if _weighty_words(statistics) < _FEWEST:
        return True
    if evidence is None:
        return _margin(statistics, best, chunks) >= 1.0
    from repo_mcp.search.ranked.trees import read_trees  # noqa: PLC0415 most answers have no evidence

    row = confidence_row(statistics, best, chunks, evidence)
    return float(read_trees(LEARNED_CONFIDENCE).sums(np.array([row]))[0]) >= 0


def confidence_row(
    statistics: QueryStatistics, best: float, chunks: int, evidence: HitEvidence
) -> ConfidenceRow:
    """The numbers of an answer, rounded, so that the machine makes no difference."""
    worths = {word.term: worth for word, worth in statistics.worths if word.term not in FAINT}
    absent = math.fsum(worths.get(word.term, 0.0) for word in statistics.missing)
    row = (
        math.log(max(_margin(statistics, best, chunks), 1e-9)),
        math.log(max(_weighty_words(statistics), 1)),
        math.log(_counted(chunks)),
        absent / (math.fsum(worths.values()) or 1.0),
        *evidence,
    )
    return ConfidenceRow(*(round(value, _DIGITS) for value in row))


def _margin(statistics: QueryStatistics, best: float, chunks: int) -> float:
    """The best score, relative to the least of an answer by words alone."""
    could = math.fsum(worth for word, worth in statistics.worths if _is_own(word))
    least: float = _LEAST * could * _counted(chunks) ** _BY_CHUNKS
    share: float = best * _weighty_words(statistics) ** _BY_WORDS
    return share / least if least else math.inf


def _weighty_words(statistics: QueryStatistics) -> int:
    return sum(_is_own(word) and word.term not in FAINT for word, _ in statistics.worths)


def _is_own(word: QueryWord) -> bool:
    """True if a word stands in the query: forms of it and words near it weigh less."""
    return word.weight >= 1 or bool(word.parts) or word.term in FAINT


def _counted(chunks: int) -> int:
    return min(max(chunks, _FEWEST_CHUNKS), _MOST_CHUNKS)


def absent_words(statistics: QueryStatistics, *, names_alone: bool) -> tuple[str, ...]:
    """The weighty words of the query that occur nowhere, in no form; or its names of parts."""
    return tuple(
        word.term
        for word in statistics.missing
        if word.parts or not (names_alone or word.term in FAINT)
    )
