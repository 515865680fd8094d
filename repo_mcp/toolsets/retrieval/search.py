"""`search` of the retrieval toolset: one root after the other, until there are enough matches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import FILE, LINE, ExactQuery, LineMatch, Scope
from repo_mcp.text.globs import Glob
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import cursor_of, position_of
from repo_mcp.toolsets.kit.services import Arguments, Context
from repo_mcp.toolsets.retrieval.declarations import BOTH
from repo_mcp.toolsets.retrieval.errors import Refusal
from repo_mcp.toolsets.retrieval.root import RetrievalServices, Root, is_shown

MOST_CHARACTERS: Final = 1000
MOST_WORDS: Final = 32
_PHRASE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(?!\S)', re.DOTALL)
_WORD: Final = re.compile(r"\S+")
_ESCAPED: Final = re.compile(r'\\(["\\])')
_LINE_END: Final = re.compile(r"[\r\n]")
# characters of a long line that are shown, and how many of them before what was looked for
MOST_PREVIEW: Final = 200
_BEFORE: Final = 60
_MORE: Final = "…"
_SCOPES: Final[Mapping[str, tuple[Scope, ...]]] = {"": (LINE, FILE), LINE: (LINE,), FILE: (FILE,)}


class QueryError(ValueError):
    """A query that can't be asked; the message says why."""


class _Place(NamedTuple):
    """After which line of which file of which root to go on, and with which scope."""

    scope: str = ""
    repo: str = ""
    path: str = ""
    line: int = 0


class _Match(NamedTuple):
    repo: str
    match: LineMatch


class Search:
    """Searches one root after the other."""

    def __init__(self, services: RetrievalServices) -> None:
        self._roots = services.roots

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of matches."""
        asked_repo = arguments["repo"]
        roots = [root for root in self._roots.values() if asked_repo in (root.name, BOTH)]
        try:
            words = parse_keywords(arguments["query"])
        except QueryError as error:
            raise Refusal("QUERY_INVALID", argument="query", reason=str(error)) from None
        question = [arguments[name] for name in ("query", "repo", "case_sensitive", "glob")]
        place = _place(arguments["cursor"], question, [root.name for root in roots])
        limit = arguments["limit"]
        asked = ExactQuery(
            words, ignore_case=not arguments["case_sensitive"], limit=limit + 1, counted=False
        )
        for root in roots:  # the first may have matches enough for now
            root.freshen()
        scope, found = _found(roots, asked, _glob(arguments["glob"]), place, context.budget)
        shown, more = found[:limit], len(found) > limit
        cursor = ""
        if more:
            repo, last = shown[-1]
            cursor = cursor_of(question, 0, [scope, repo, last.path, last.line])
        matches = [
            {"repo": repo, "path": match.path, "line": match.line, "preview": preview(match)}
            for repo, match in shown
        ]
        result = {"matches": matches, "scope": scope, "cursor": cursor}
        places = [f"{repo}/{match.path}:{match.line}" for repo, match in shown]
        return Outcome(result, shown=places, more=more)


def _found(
    roots: Sequence[Root], asked: ExactQuery, glob: Glob | None, place: _Place, budget: Budget
) -> tuple[Scope, list[_Match]]:
    """Lines with all words; where no root has one, files with all words."""
    scopes = _SCOPES[place.scope] if len(asked.patterns) > 1 else (LINE,)
    limit = asked.limit or 0
    found: list[_Match] = []
    for scope in scopes:
        begun = not place.repo
        for root in roots:
            here = root.name == place.repo
            begun = begun or here
            if begun and len(found) < limit:
                query = replace(asked, scope=scope, limit=limit - len(found))
                if here:
                    query = replace(query, after_path=place.path, after_line=place.line)
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
        raise Refusal("CURSOR_INVALID", argument="cursor", reason=problem.detail) from None
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
        raise Refusal("PATH_INVALID", reason=problem.detail) from None


def parse_keywords(query: str) -> tuple[str, ...]:
    """What a line must hold, each once, in the order of the query.

    Blanks part words. A quotation mark at the beginning of a word begins a phrase if another one
    ends it before a blank or the end of the query; within it a backslash stands before a quotation
    mark or backslash that is meant. Everything else stands for itself.
    """
    if len(query) > MOST_CHARACTERS:
        raise QueryError(f"it has more than {MOST_CHARACTERS} characters")
    try:
        query.encode()
    except UnicodeEncodeError:
        raise QueryError("it holds half of a character") from None
    found = tuple(dict.fromkeys(filter(None, _pieces(query))))
    if not found:
        raise QueryError("it is empty")
    if len(found) > MOST_WORDS:
        raise QueryError(f"it has more than {MOST_WORDS} words")
    if any(_LINE_END.search(item) for item in found):
        raise QueryError("a phrase goes over several lines")
    return found


def _pieces(query: str) -> list[str]:
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
    """The line without blanks around it; of a long one the part that matches."""
    text, before = match.text, match.columns[0][0]
    if len(text) <= MOST_PREVIEW:
        return text.strip()
    lead = len(text) - len(text.lstrip())
    start = max(before - _BEFORE, lead) if before - lead > _BEFORE else lead
    stop = min(start + MOST_PREVIEW, len(text))
    left = _MORE if start > lead else ""
    return f"{left}{text[start:stop].rstrip()}{_MORE if text[stop:].strip() else ''}"
