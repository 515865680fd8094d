"""Tells whether the best hit has enough of a question to be its answer.

Any question has hits: some words of it occur in any tree. The best hit of one that the repository
answers has a larger share of what its words could score, the more so the fewer words and the more
chunks there are. The numbers were chosen on training repositories (decision 0193).
"""

from __future__ import annotations

from typing import Final

from repo_mcp.search.ranked.query_terms import FAINT
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


def is_confident(statistics: QueryStatistics, best: float, chunks: int) -> bool:
    """True if the best score, in an index of so many chunks, is that of an answer."""
    own = [
        (word, worth)
        for word, worth in statistics.worths
        if word.weight >= 1 or word.parts or word.term in FAINT
    ]
    weighty = sum(word.term not in FAINT for word, _ in own)
    if weighty < _FEWEST:
        return True
    could = sum(worth for _, worth in own)
    size: float = min(max(chunks, _FEWEST_CHUNKS), _MOST_CHUNKS) ** _BY_CHUNKS
    share: float = best * weighty**_BY_WORDS
    return share >= _LEAST * could * size


def absent_words(statistics: QueryStatistics, *, names_alone: bool) -> tuple[str, ...]:
    """The weighty words of the query that occur nowhere, in no form; or its names of parts."""
    return tuple(
        word.term
        for word in statistics.missing
        if word.parts or not (names_alone or word.term in FAINT)
    )
