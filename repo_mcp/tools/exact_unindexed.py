"""Exact search in files that are not indexed yet, for as long as there is time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.exact import ExactQuery
from repo_mcp.search.exact_pattern import Pattern, pattern_of
from repo_mcp.search.lines_found import Found, LineMatch, rows_of


class Looked(NamedTuple):
    """Matching lines by path and line, and how many files were read for them."""

    matches: list[LineMatch]
    files: int


def look_at(sandbox: Sandbox, paths: Iterable[str], query: ExactQuery, moment: Budget) -> Looked:
    """Read files until there is no more time, or there are enough lines."""
    pattern = pattern_for(query)
    found: list[LineMatch] = []
    files = 0
    for path in paths:
        moment.check()
        if moment.spent or (query.limit and len(found) >= query.limit):
            break
        if query.allowed is None or query.allowed(path):
            files += 1
            found += _lines(sandbox, path, pattern, query)
    return Looked(sorted(found, key=lambda match: (match.path, match.line)), files)


def pattern_for(query: ExactQuery) -> Pattern:
    """What is looked for; what is wrong with it is a problem."""
    return pattern_of(
        query.pattern,
        regex=query.regex,
        ignore_case=query.ignore_case,
        whole_word=query.whole_word,
    )


def _lines(sandbox: Sandbox, path: str, pattern: Pattern, query: ExactQuery) -> list[LineMatch]:
    try:
        data = sandbox.read(path, follow=False).data
    except Problem:
        return []
    rows = rows_of(data) if pattern.may_match(data) else None
    if not rows:
        return []
    found = Found(path, rows, query.context)
    pattern.look(found, rows, query.limit)
    return found.lines
