"""`search` of the retrieval toolset: searches the roots in order until the page is full."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from code_graph.paths.globs import GlobList
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import FILE, LINE, ExactQuery, LineMatch, Scope
from repo_mcp.text.globs import compile_globs
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.services import Arguments, Context
from repo_mcp.toolsets.retrieval.declarations import BOTH
from repo_mcp.toolsets.retrieval.errors import RetrievalRefusal
from repo_mcp.toolsets.retrieval.results import Match, RetrievalSearchResult
from repo_mcp.toolsets.retrieval.root import OpenRoot, RetrievalServices, is_shown

MOST_CHARACTERS: Final = 1000
MOST_WORDS: Final = 32
_PHRASE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(?!\S)', re.DOTALL)
_WORD: Final = re.compile(r"\S+")
_ESCAPED: Final = re.compile(r'\\(["\\])')
_LINE_END: Final = re.compile(r"[\r\n]")
# characters shown of a long line, and how many of them before the match
MOST_PREVIEW: Final = 200
_BEFORE: Final = 60
_MORE: Final = "…"
_SCOPES: Final[Mapping[str, tuple[Scope, ...]]] = {"": (LINE, FILE), LINE: (LINE,), FILE: (FILE,)}


class QueryError(ValueError):
    """An invalid query; the message says why."""


class _Position(NamedTuple):
    """The last match of the previous page, and its scope."""

    scope: str = ""
    repo: str = ""
    path: str = ""
    line: int = 0


class _Match(NamedTuple):
    repo: str
    match: LineMatch


class RootSearch:
    """Searches one root after the other."""

    def __init__(self, services: RetrievalServices) -> None:
        self._roots = services.roots

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of matches."""
        repo_choice = arguments["repo"]
        chosen = [root for root in self._roots.values() if repo_choice in (root.name, BOTH)]
        try:
            words = parse_keywords(arguments["query"])
        except QueryError as error:
            raise RetrievalRefusal("QUERY_INVALID", argument="query", reason=str(error)) from None
        cursor_key = [arguments[name] for name in ("query", "repo", "case_sensitive", "glob")]
        position = _position(arguments["cursor"], cursor_key, [root.name for root in chosen])
        limit = arguments["limit"]
        query = ExactQuery(
            words, ignore_case=not arguments["case_sensitive"], limit=limit + 1, counted=False
        )
        roots = [root.open() for root in chosen]
        for root in roots:  # also those that this page does not reach
            root.freshen()
        scope, found = _search_roots(
            roots, query, _glob(arguments["glob"]), position, context.budget
        )
        shown, more = found[:limit], len(found) > limit
        cursor = ""
        if more:
            repo, last = shown[-1]
            cursor = encode_cursor(cursor_key, 0, [scope, repo, last.path, last.line])
        matches = [
            Match(repo=repo, path=match.path, line=match.line, preview=preview(match))
            for repo, match in shown
        ]
        result = RetrievalSearchResult(matches=matches, scope=scope, cursor=cursor)
        places = [f"{repo}/{match.path}:{match.line}" for repo, match in shown]
        return Outcome(result, shown=places, more=more)


def _search_roots(
    roots: Sequence[OpenRoot],
    base: ExactQuery,
    glob: GlobList | None,
    position: _Position,
    budget: Budget,
) -> tuple[Scope, list[_Match]]:
    """Lines with all words; where no root has one, files with all words."""
    scopes = _SCOPES[position.scope] if len(base.patterns) > 1 else (LINE,)
    limit = base.limit or 0
    found: list[_Match] = []
    for scope in scopes:
        begun = not position.repo
        for root in roots:
            here = root.name == position.repo
            begun = begun or here
            if begun and len(found) < limit:
                query = replace(base, scope=scope, limit=limit - len(found))
                if here:
                    query = replace(query, after_path=position.path, after_line=position.line)
                found += (_Match(root.name, match) for match in root.find(query, glob, budget))
        if found:
            return scope, found
    return scopes[0] if position.scope else LINE, found


def _position(cursor: str | None, cursor_key: list[Any], names: Sequence[str]) -> _Position:
    if not cursor:
        return _Position()
    try:
        position = _Position(*decode_cursor(cursor, cursor_key, str, str, str, int).place)
    except Problem as problem:
        raise RetrievalRefusal("CURSOR_INVALID", argument="cursor", reason=problem.detail) from None
    known = position.scope in (LINE, FILE) and position.repo in names and position.line > 0
    if not known or not is_shown(position.path):
        raise RetrievalRefusal(
            "CURSOR_INVALID", argument="cursor", reason="it was not issued by this server"
        )
    return position


def _glob(pattern: str | None) -> GlobList | None:
    if not pattern or not pattern.strip():
        return None
    try:
        return compile_globs(pattern)
    except Problem as problem:
        raise RetrievalRefusal("PATH_INVALID", reason=problem.detail) from None


def parse_keywords(query: str) -> tuple[str, ...]:
    """The words and phrases of a query, without duplicates, in order.

    Blanks separate words. A quotation mark at the beginning of a word begins a phrase if another
    one, before a blank or the end of the query, ends it; within a phrase a backslash escapes a
    quotation mark or backslash. Everything else is literal.
    """
    if len(query) > MOST_CHARACTERS:
        raise QueryError(f"it has more than {MOST_CHARACTERS} characters")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise QueryError("it has a lone surrogate") from None
    found = tuple(dict.fromkeys(filter(None, _split(query))))
    if not found:
        raise QueryError("it is empty")
    if len(found) > MOST_WORDS:
        raise QueryError(f"it has more than {MOST_WORDS} words")
    if any(_LINE_END.search(item) for item in found):
        raise QueryError("a phrase spans several lines")
    return found


def _split(query: str) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(query):
        if query[at].isspace():
            at += 1
            continue
        phrase = _PHRASE.match(query, at)
        if phrase is not None:
            found.append(_ESCAPED.sub(r"\1", phrase[1]))
            at = phrase.end()
        else:
            word = _WORD.match(query, at)
            at = word.end() if word else at + 1
            found.append(word[0] if word else "")
    return found


def preview(match: LineMatch) -> str:
    """The stripped line; of a long one the part around the match."""
    text, before = match.text, match.columns[0][0]
    if len(text) <= MOST_PREVIEW:
        return text.strip()
    lead = len(text) - len(text.lstrip())
    start = max(before - _BEFORE, lead) if before - lead > _BEFORE else lead
    stop = min(start + MOST_PREVIEW, len(text))
    left = _MORE if start > lead else ""
    return f"{left}{text[start:stop].rstrip()}{_MORE if text[stop:].strip() else ''}"
