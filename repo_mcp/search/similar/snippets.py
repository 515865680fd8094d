"""Questions that are pasted code: the declarations that it is a copy of come first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from index_format import Snapshot
from index_format.records import replace
from repo_mcp.model import SearchAnswer, SearchHit
from repo_mcp.search.filter.file_masks import Mask
from repo_mcp.search.similar.engine import SimilarDeclaration
from repo_mcp.search.similar.likeness import Likeness

# characters of pasted code whose words are ranked
_MOST_CHARACTERS: Final = 1_500
_FEWEST_LINES: Final = 3
# lines of a declaration that are shown
_SHOWN_LINES: Final = 60
_SCORE_DIGITS: Final = 4
# in percent: whoever pastes code looks for it, or for what is like it
_RELEVANCE: Final = {Likeness.COPY: 99, Likeness.RENAMED: 95, Likeness.NEAR: 90}


def is_snippet(text: str) -> bool:
    """True if a query may be pasted code."""
    return sum(bool(row.strip()) for row in text.split("\n")) >= _FEWEST_LINES


def cut_words(text: str) -> str:
    """The beginning of pasted code, of which the words are ranked."""
    text = text.strip()
    if len(text) <= _MOST_CHARACTERS:
        return text
    head = text[:_MOST_CHARACTERS]
    return head[: max(head.rfind("\n"), head.rfind(" "))] or head


def put_first(
    copies: Iterable[SimilarDeclaration], answer: SearchAnswer, limit: int
) -> SearchAnswer:
    """The answer with copies of the query before its hits, which score less."""
    best = max((hit.score for hit in answer.hits), default=1.0)
    first = [_hit(item, best) for item in copies]
    others = [hit for hit in answer.hits if not any(hit.overlaps(item) for item in first)]
    return replace(answer, hits=tuple([*first, *others][:limit]))


def near_copies(
    found: Iterable[SimilarDeclaration], snapshot: Snapshot, allowed: Mask | None
) -> list[SimilarDeclaration]:
    """The near-duplicates among declarations, in files whose chunks are allowed."""
    return [
        item
        for item in found
        if item.likeness != Likeness.NONE
        and (allowed is None or _is_allowed(snapshot, item.path, allowed))
    ]


def _is_allowed(snapshot: Snapshot, path: str, allowed: Mask) -> bool:
    record = snapshot.file(path)
    return record is not None and bool(allowed[record.first_chunk])


def _hit(item: SimilarDeclaration, best: float) -> SearchHit:
    """Twice as good as the best passage where it is the same code."""
    rows = item.text.rstrip("\n").split("\n")[:_SHOWN_LINES]
    score = best * (1 + item.likeness / Likeness.COPY)
    last = item.start_line + len(rows) - 1
    return SearchHit(
        *(item.path, item.start_line, last),
        round(score, _SCORE_DIGITS),
        matched_terms=(),
        snippet="\n".join(rows),
        stale=item.stale,
        relevance=_RELEVANCE[item.likeness],
    )
