"""`search` of the retrieval toolset: one root after the other, until there are enough matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search.keywords.query import QueryError, keywords
from repo_mcp.search.keywords.search import FILE, LINE, KeywordMatch, KeywordQuery, Scope
from repo_mcp.text.globs import Glob
from repo_mcp.toolsets.kit.cursors import cursor_of, position_of
from repo_mcp.toolsets.retrieval.errors import Refusal, refusal_of
from repo_mcp.toolsets.retrieval.root import Root, is_shown

_SCOPES: Final[Mapping[str, tuple[Scope, ...]]] = {"": (LINE, FILE), LINE: (LINE,), FILE: (FILE,)}


class _Place(NamedTuple):
    """After which line of which file of which root to go on, and with which scope."""

    scope: str = ""
    repo: str = ""
    path: str = ""
    line: int = 0


class _Match(NamedTuple):
    repo: str
    match: KeywordMatch


def search(
    roots: Sequence[Root], arguments: Mapping[str, Any], budget: Budget
) -> tuple[dict[str, Any], bool]:
    """The result, and whether there is more."""
    try:
        words = keywords(arguments["query"])
    except QueryError as error:
        raise Refusal("QUERY_INVALID", argument="query", reason=str(error)) from None
    question = [arguments[name] for name in ("query", "repo", "case_sensitive", "glob")]
    place = _place(arguments["cursor"], question, [root.name for root in roots])
    limit = arguments["limit"]
    asked = KeywordQuery(words, LINE, limit + 1, arguments["case_sensitive"])
    for root in roots:  # the first may have matches enough for now
        root.freshen()
    scope, found = _found(roots, asked, _glob(arguments["glob"]), place, budget)
    shown, more = found[:limit], len(found) > limit
    result = {
        "matches": [
            {"repo": repo, "path": match.path, "line": match.line, "preview": match.preview}
            for repo, match in shown
        ],
        "scope": scope,
        "cursor": "",
    }
    if more:
        repo, last = shown[-1]
        result["cursor"] = cursor_of(question, 0, [scope, repo, last.path, last.line])
    return result, more


def _found(
    roots: Sequence[Root], asked: KeywordQuery, glob: Glob | None, place: _Place, budget: Budget
) -> tuple[Scope, list[_Match]]:
    """Lines with all words; where no root has one, files with all words."""
    scopes = _SCOPES[place.scope] if len(asked.words) > 1 else (LINE,)
    found: list[_Match] = []
    for scope in scopes:
        begun = not place.repo
        for root in roots:
            here = root.name == place.repo
            begun = begun or here
            if begun and len(found) < asked.most:
                query = asked._replace(scope=scope, most=asked.most - len(found))
                if here:
                    query = query._replace(after_path=place.path, after_line=place.line)
                found += (_Match(root.name, match) for match in root.find(query, glob, budget))
        if found:
            return scope, found
    return scopes[0] if place.scope else LINE, found


def _place(cursor: str | None, question: list[Any], names: Sequence[str]) -> _Place:
    if not cursor:
        return _Place()
    try:
        place = _Place(*position_of(cursor, question, str, str, str, int).place)
    except Problem as problem:
        reason = refusal_of(problem, {}).details["reason"]
        raise Refusal("CURSOR_INVALID", argument="cursor", reason=reason) from None
    known = place.scope in (LINE, FILE) and place.repo in names and place.line > 0
    if not known or not is_shown(place.path):
        raise Refusal("CURSOR_INVALID", argument="cursor", reason="it is none that was given here")
    return place


def _glob(pattern: str | None) -> Glob | None:
    if not pattern or not pattern.strip():
        return None
    try:
        return Glob(pattern)
    except Problem as problem:
        raise Refusal("PATH_INVALID", reason=refusal_of(problem, {}).details["reason"]) from None
