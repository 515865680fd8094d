"""Behind few hits for a name, hits for the longer names that contain it."""

from __future__ import annotations

from typing import Final

from code_graph.facts import normalize_name
from index_format.records import replace
from repo_mcp.answers.lines import FILE
from repo_mcp.budget import Budget
from repo_mcp.model import ScoreReason, SearchAnswer, SearchHit
from repo_mcp.search.ranked.hits import SCORE_DIGITS
from repo_mcp.search.ranked.pipeline import QueryContext, run_query
from repo_mcp.search.ranked.query_terms import Query, QueryWord
from repo_mcp.search.suggest.near_names import can_list_containing, near_names

# fewer hits for a name leave room for others
_FEW: Final = 5


def add_longer_names(
    context: QueryContext, query: Query, answer: SearchAnswer, top_k: int, budget: Budget
) -> SearchAnswer:
    """The answer for one word, and behind it what declares or uses names that contain the word."""
    hits, snapshot = answer.hits, context.snapshot
    is_few = 0 < len(hits) < min(top_k, _FEW)
    if len(query.words) > 1 or not is_few or not can_list_containing(snapshot):
        return answer
    word = query.words[0].term
    names = near_names(snapshot, word, budget, is_unknown=False)
    longer = [
        QueryWord(name.term, name.similarity)
        for name in names
        if normalize_name(name.term) != normalize_name(word)
    ]
    if not longer:
        return answer
    others = Query(tuple(longer), (), "", query.kinds)
    # those that the first ones have are left out
    found = run_query(context, others, top_k + len(hits), budget).answer.hits
    paths = {hit.path for hit in hits} if context.level == FILE else set()
    others_of = (hit for hit in found if hit.path not in paths)
    more = [hit for hit in others_of if not any(hit.overlaps(item) for item in hits)]
    factor = min((hits[-1].score / hit.score for hit in more[:1] if hit.score), default=1.0)
    behind = [_behind(hit, min(factor, 1.0), hits[-1].relevance) for hit in more]
    return replace(answer, hits=(*hits, *behind)[:top_k])


def _behind(hit: SearchHit, factor: float, relevance: int) -> SearchHit:
    score, most = round(hit.score * factor, SCORE_DIGITS), min(hit.relevance, relevance)
    reasons = (*hit.reasons, ScoreReason("longer", "", factor)) if hit.reasons else ()
    return replace(hit, score=score, relevance=most, reasons=reasons)
