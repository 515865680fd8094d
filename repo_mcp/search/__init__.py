"""Search in one snapshot: ranked, exact, and in files that are not indexed yet.

Other rooms import from here alone; what a name needs is imported when it is first asked for, so
that a process loads the searches it makes and no others. It answers from a `Snapshot` and the files
as they are, and knows nothing of how the index is made.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from repo_mcp.search.exact.engine import ExactEngine
    from repo_mcp.search.exact.pattern import MAX_LITERAL
    from repo_mcp.search.exact.query import (
        FILE,
        LIMIT_REACHED,
        LINE,
        ExactAnswer,
        ExactQuery,
        FileCount,
        Scope,
    )
    from repo_mcp.search.filter.file_masks import FileAxis
    from repo_mcp.search.filter.path_filter import PathText
    from repo_mcp.search.matching_lines import LineMatch, Span
    from repo_mcp.search.ranked.engine import RankedEngine
    from repo_mcp.search.ranked.path_signs import path_signs
    from repo_mcp.search.ranked.query_terms import parse_question
    from repo_mcp.search.ranked.ranking import Ranking
    from repo_mcp.search.ranked.term_matcher import TermMatcher
    from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS
    from repo_mcp.search.suggest.near_paths import near_paths
    from repo_mcp.search.suggest.suggestions import suggest_queries
    from repo_mcp.search.unindexed import scan_unindexed

_LATE: Final = {
    "DEFAULT_WEIGHTS": "ranked.weights",
    "ExactAnswer": "exact.query",
    "ExactEngine": "exact.engine",
    "ExactQuery": "exact.query",
    "FILE": "exact.query",
    "FileAxis": "filter.file_masks",
    "FileCount": "exact.query",
    "LIMIT_REACHED": "exact.query",
    "LINE": "exact.query",
    "LineMatch": "matching_lines",
    "MAX_LITERAL": "exact.pattern",
    "PathText": "filter.path_filter",
    "RankedEngine": "ranked.engine",
    "Ranking": "ranked.ranking",
    "Scope": "exact.query",
    "Span": "matching_lines",
    "TermMatcher": "ranked.term_matcher",
    "near_paths": "suggest.near_paths",
    "parse_question": "ranked.query_terms",
    "path_signs": "ranked.path_signs",
    "scan_unindexed": "unindexed",
    "suggest_queries": "suggest.suggestions",
}

__all__ = [
    "DEFAULT_WEIGHTS",
    "FILE",
    "LIMIT_REACHED",
    "LINE",
    "MAX_LITERAL",
    "ExactAnswer",
    "ExactEngine",
    "ExactQuery",
    "FileAxis",
    "FileCount",
    "LineMatch",
    "PathText",
    "RankedEngine",
    "Ranking",
    "Scope",
    "Span",
    "TermMatcher",
    "near_paths",
    "parse_question",
    "path_signs",
    "scan_unindexed",
    "suggest_queries",
]


def __getattr__(name: str) -> object:
    """Import a late name."""
    module = _LATE.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"repo_mcp.search.{module}"), name)
