"""Commits by the words of their messages and of the lines that they change, best first."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from index_format import WeightedTerm, top_chunks
from repo_mcp.history.commit_index import CommitIndex, Mask
from repo_mcp.stored import CHANGED, MESSAGE
from repo_mcp.text.query_terms import STOP, parse_terms

# a word of the message says more of a commit than one in its lines
_FIELDS: Final = {MESSAGE: 2.0, CHANGED: 1.0}
# chunks that are ranked for each commit that is asked for
_CHUNKS_PER_COMMIT: Final = 8
_MOST_CHUNKS: Final = 2000


def rank_commits(
    index: CommitIndex, words: str, allowed: Mask, most: int
) -> list[tuple[int, float, list[int]]]:
    """Places of the best commits, their scores, and the numbers of their files that count.

    A commit has the score of its message and of the best of its files.
    """
    terms = [item.term for item in parse_terms(words) if item.term not in STOP]
    weighted = [
        WeightedTerm(field, term.encode("utf-8", "surrogatepass"), boost)
        for term in dict.fromkeys(terms)
        for field, boost in _FIELDS.items()
    ]
    if not weighted or not allowed.any():
        return []
    limit = min(most * _CHUNKS_PER_COMMIT, _MOST_CHUNKS)
    hits = top_chunks(index.snapshot, weighted, limit, allowed=index.chunk_mask(allowed))
    scores: defaultdict[int, dict[int, float]] = defaultdict(dict)
    located = index.located([hit.chunk for hit in hits])
    for hit, (place, number) in zip(hits, located, strict=True):
        scores[place][number] = hit.score
    ranked = [
        (
            place,
            parts.get(0, 0.0) + max((score for n, score in parts.items() if n), default=0.0),
            sorted((n - 1 for n in parts if n), key=lambda n: -parts[n + 1]),
        )
        for place, parts in scores.items()
    ]
    return sorted(ranked, key=lambda row: (-row[1], row[0]))[:most]
