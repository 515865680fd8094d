"""`repo.search` in mode bm25: ranked passages by pages, also while the index is being built."""

from __future__ import annotations

import base64
from collections.abc import Collection
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, Final

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, SearchAnswer, SearchHit
from repo_mcp.repository import OpenIndex
from repo_mcp.search import scan_unindexed
from repo_mcp.text.globs import Glob
from repo_mcp.text.question import weigh_terms
from repo_mcp.toolsets.interrogator.results import Hit, SearchResult, SuggestedQuery
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import CHANGED, cursor_of, position_of
from repo_mcp.toolsets.kit.index_warnings import COMPARING, lacking_text, unmatched
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_TOP_K: Final = 10
# a hit that was shown, in a cursor
_MARK_BYTES: Final = 3
_MARK: Final = 4
# who looks further than this has to ask more exactly
_DEEPEST: Final = 200
_SHORTEST: Final = 40
_MORE: Final = " …"


class RankedSearch:
    """Searches by rank."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of hits, best first."""
        budget = context.budget
        return self._services.repository.ask(
            lambda index: self._found(arguments, index, budget), self._services.patience, budget
        )

    def _found(self, arguments: Arguments, index: OpenIndex, budget: Budget) -> Outcome:
        services = self._services
        query, glob = arguments["query"], arguments["file_glob"]
        warnings = [*services.background_notes, *_unused(arguments)]
        most = services.limits.max_search_hits
        top_k = services.at_most("top_k", arguments["top_k"] or min(_TOP_K, most), most, warnings)
        page = services.page(arguments["max_chars"], warnings)
        seen, asked = _seen(arguments["cursor"], [query, glob], index, warnings)
        depth = len(seen) + top_k
        found, index = self._of_index(query, depth, glob, index, budget)
        warnings += found.warnings
        hits, more = found.hits, len(found.hits) == depth
        if not index.complete:
            rest, said = self._unindexed(index, query, depth, glob, budget)
            hits = _together(hits, rest)
            more = more or len(hits) > depth
            warnings.append(AnswerWarning("incomplete", said))
        elif not index.compared:
            warnings.append(COMPARING)
        unseen = [hit for hit in hits if _mark(hit) not in seen][:top_k]
        if not hits:
            warnings += unmatched(glob, index, budget)
        result = SearchResult(
            mode="bm25",
            hits=[],
            terms=list(found.terms),
            suggestions=[SuggestedQuery(**asdict(item)) for item in found.suggestions],
            truncated=False,
            cursor="",
            generation=index.generation,
        )
        # the cursor names what was shown
        room = services.room(page, result, warnings) - _MARK * depth * 4 // 3
        shown = _fitting(unseen, room)
        result.hits = shown
        result.truncated = more or len(shown) < len(unseen)
        if result.truncated and shown:
            marks = [*seen, *(_mark(hit) for hit in unseen[: len(shown)])]
            if len(marks) < _DEEPEST:
                result.cursor = cursor_of(asked, index.generation, ["".join(marks)])
            else:
                text = f"no more than {_DEEPEST} hits are shown: ask more exactly"
                warnings.append(AnswerWarning("deepest", text))
        return Outcome(result, warnings, shown=[_cited(hit) for hit in shown])

    def _of_index(
        self, query: str, depth: int, glob: str | None, index: OpenIndex, budget: Budget
    ) -> tuple[SearchAnswer, OpenIndex]:
        """What the index answers; of files that have changed, after they are indexed again."""
        services = self._services

        def find(index: OpenIndex) -> SearchAnswer:
            if index.snapshot is None:
                return SearchAnswer((), tuple(weigh_terms(query)), ())
            return services.engine.search(index.snapshot, query, depth, glob, budget)

        return services.repository.ask_current(find, _stale, index, services.patience, budget)

    def _unindexed(
        self, index: OpenIndex, query: str, top_k: int, glob: str | None, budget: Budget
    ) -> tuple[tuple[SearchHit, ...], str]:
        """What a moment's look at files finds that are not indexed yet, and how far it went."""
        services = self._services
        known: Collection[str] = frozenset(index.snapshot.paths() if index.snapshot else ())
        seconds = services.repository.settings.first_answer_seconds
        listing = budget.within(seconds / 2)
        wanted = None if glob is None else Glob(glob)
        paths: list[str] = []
        listed = True
        for path in services.repository.manager.awaited(budget):
            if listing.spent:
                listed = False
                break
            if path not in known and (wanted is None or wanted.matches(path)):
                paths.append(path)
        found = scan_unindexed(
            services.repository.sandbox, paths, query, top_k, budget.within(seconds / 2)
        )
        others = f"{found.files} of {len(paths)}{'' if listed else ' or more'} others"
        if not (paths or listed):
            others = "no others"
        return found.hits, (
            f"{lacking_text(index, services.repository)}: {len(known)} files were searched in it,"
            f" and {others} read for this answer; ask again for a complete one"
        )


def _seen(
    cursor: str | None, question: list[Any], index: OpenIndex, warnings: list[AnswerWarning]
) -> tuple[list[str], list[Any]]:
    """Marks of the hits that earlier pages showed."""
    asked = ["bm25", *question]
    if not cursor:
        return [], asked
    position = position_of(cursor, asked, str)
    marks = position.place[0]
    if len(marks) % _MARK or len(marks) > _MARK * _DEEPEST:
        raise Problem("argument_invalid", "the cursor is none that was given here: leave it out")
    if position.generation != index.generation:
        warnings.append(CHANGED)
    return [marks[at : at + _MARK] for at in range(0, len(marks), _MARK)], asked


def _stale(found: SearchAnswer) -> set[str]:
    return {hit.path for hit in found.hits if hit.stale}


def _mark(hit: SearchHit) -> str:
    name = f"{hit.path}\0{hit.start_line}".encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(blake2b(name, digest_size=_MARK_BYTES).digest()).decode()


def _unused(arguments: Arguments) -> list[AnswerWarning]:
    given = [name for name in ("ignore_case", "whole_word", "context_lines") if arguments[name]]
    text = f"{', '.join(given)}: of modes literal and regex only"
    return [AnswerWarning("unused", text)] if given else []


def _together(indexed: tuple[SearchHit, ...], read: tuple[SearchHit, ...]) -> tuple[SearchHit, ...]:
    """Scores of one kind say nothing of the other: who has more of the terms comes first."""
    return tuple(sorted([*indexed, *read], key=lambda hit: -len(hit.matched_terms)))


def _fitting(hits: list[SearchHit], room: int) -> list[Hit]:
    """As many of the best hits as an answer has room for; the first one may be cut to it."""
    fitting: list[Hit] = []
    for hit in hits:
        shown = _shown(hit)
        if not fitting and size(shown) > room:
            _cut(shown, room)
        room -= size(shown)
        if room < 0 and fitting:
            break
        fitting.append(shown)
    return fitting


def _shown(hit: SearchHit) -> Hit:
    return Hit(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=hit.score,
        matched_terms=list(hit.matched_terms),
        snippet=hit.snippet,
        stale=hit.stale,
        symbol=hit.symbol,
    )


def _cut(shown: Hit, room: int) -> None:
    """Leave out lines at the end, then characters of the only one."""
    rows = shown.snippet.split("\n")
    while len(rows) > 1 and size(shown) > room:
        rows.pop()
        shown.snippet = "\n".join(rows)
        shown.end_line -= 1
    while len(rows[0]) > _SHORTEST and size(shown) > room:
        rows[0] = rows[0][: len(rows[0]) * 3 // 4]
        shown.snippet = rows[0] + _MORE


def _cited(hit: Hit) -> str:
    return f"{hit.path}:{hit.start_line}-{hit.end_line}"
