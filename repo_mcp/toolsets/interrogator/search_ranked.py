"""`repo.search` in mode bm25: pages of ranked passages, or of the declarations around them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from index_format.records import values_of
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.repository import Facets, PassageHit, SearchResult, SuggestedQuery
from repo_mcp.budget import Budget
from repo_mcp.console import visible
from repo_mcp.model import AnswerWarning, DeclaredPlace, SearchAnswer, SearchHit
from repo_mcp.question.query import MAX_REQUEST
from repo_mcp.question.terms import weigh_terms
from repo_mcp.repository import (
    OpenIndex,
    PendingFiles,
    Repository,
    ranked_wait_policy,
    scan_pending,
)
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import SearchOptions, facet_filters, merge_scanned, show_scanned, shown_lines
from repo_mcp.text.cutting import numbered_line
from repo_mcp.toolsets.interrogator.body_page import (
    BODIES,
    LONGEST_WHOLE,
    MOST_LINES,
    HitBody,
    TextReader,
    body_lines,
)
from repo_mcp.toolsets.interrogator.built_lines import BuiltLines
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.index_warnings import (
    COMPARING,
    lacking_warning,
    warn_hidden,
    warn_unmatched,
)
from repo_mcp.toolsets.kit.seen_hits import DEEPEST, SeenHits, cursor_size
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler

if TYPE_CHECKING:  # searches without a graph load none of it
    from repo_mcp.ask import Rider

# places that are named where a glob has none
_MOST_ELSEWHERE: Final = 3
_TOP_K: Final = 10
# of the hits for a printed message, unless more are asked for: those that have a part of it
_LEAST_OF_MESSAGE: Final = 4
_MOST_OF_MESSAGE: Final = 6
# without an index: how many files are indexed first, and in which part of the time
_INDEXED_FIRST: Final = 64
_INDEXING: Final = 0.5
# of a page, the part that may name declarations it does not show
_PART_NAMED: Final = 1 / 3
# words of a query that an answer lists: a report has more
MOST_TERMS: Final = 20
_SHORTEST: Final = 40
_MORE: Final = " …"
_SCORE_DIGITS: Final = 2
# by how many bytes a list of hits is larger than they are
_BRACKETS: Final = 2
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class RankedSearch(ToolHandler):
    """Searches ranked passages."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of hits, best first; of several queries one of each."""
        if arguments.get("queries"):
            from repo_mcp.toolsets.interrogator import search_several  # noqa: PLC0415 few have several

            return search_several.SeveralSearches(self._services, self)(arguments, context)
        services, budget = self._services, context.budget
        return services.repository.run_query(
            lambda index: self._search(
                services.with_package_globs(arguments, "file_glob", index.snapshot), index, context
            ),
            ranked_wait_policy(services.wait),
            budget,
        )

    def _search(self, arguments: Arguments, index: OpenIndex, context: Context) -> Outcome:
        services, budget = self._services, context.budget
        repository, glob = services.repository, arguments["file_glob"]
        warnings = [*services.background_notes, *_unused(arguments)]
        query = _cut_query(arguments["query"], warnings)
        if not arguments["cursor"]:
            warnings += warn_hidden(glob, repository.settings.deny_globs)
        most = services.limits.max_search_hits
        top_k = services.clamp("top_k", arguments["top_k"] or min(_TOP_K, most), most, warnings)
        page = services.page_size(arguments["max_chars"], warnings)
        options = SearchOptions(
            facet_filters(arguments["language"], arguments["kind"]),
            facets_below=arguments["facets_below"],
            past=services.past_changes,
            level=arguments["level"] or "",
            light=True,
        )
        key = ["bm25", query, glob, *(item.text for item in options.filters)]
        key += [options.level] if options.level else []
        seen = SeenHits.of_cursor(arguments["cursor"], key, index.generation, warnings)
        depth = len(seen.marks) + top_k
        scanned = None
        if not index.complete:
            scanned, index = self._scan(query, glob, index, budget)
            options = options._replace(corpus=scanned.corpus)
        found, index = self._search_index(query, depth, glob, options, index, budget)
        warnings += [*index.warnings, *found.warnings]
        hits, more = found.hits, len(found.hits) == depth
        if scanned is not None:
            rest = show_scanned(repository.sandbox, scanned.left_out(index), query, depth, budget)
            hits = merge_scanned(hits, rest)
            more = more or len(hits) > depth
            warnings.append(lacking_warning(index, repository, scanned.text))
        else:
            warnings += _of_unready(index, repository)
        unseen = seen.unseen(hits)[:top_k]
        if found.of_message and not (seen.marks or arguments["top_k"]):
            enough = min(max(found.of_message, _LEAST_OF_MESSAGE), _MOST_OF_MESSAGE)
            more = more or len(unseen) > enough
            unseen = unseen[:enough]
        warnings += [] if hits else self._of_no_hit(query, glob, options, index, budget)
        built = BuiltLines(repository, context.place.builds)
        unseen = built.of_hits(unseen)
        warnings += built.warnings
        result = _without_hits(found)
        if found.facets is not None:
            result.facets = Facets.of(found.facets, complete=index.complete)
        # the cursor holds a hash of each hit shown
        room = services.room(page, result, warnings) - cursor_size(depth)
        riders = services.riders(map(_place_of, unseen), index.snapshot)
        shown, passed = self._fill(arguments, result, unseen, room, dict(found.commits), riders)
        result.truncated = more or passed < len(unseen)
        if result.truncated and shown:
            result.cursor = seen.cursor_after(unseen[:passed], index.generation)
            if not result.cursor:
                text = f"at most {DEEPEST} hits are shown: make the query more specific"
                warnings.append(AnswerWarning("deepest", text))
        places = [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in shown]
        return Outcome(result, warnings, shown=places, generation=index.generation)

    def _fill(
        self,
        arguments: Arguments,
        result: SearchResult,
        hits: list[SearchHit],
        room: int,
        commits: Mapping[str, str],
        riders: Sequence[Rider | None],
    ) -> tuple[list[PassageHit], int]:
        """Fill in the hits that fit; returns them, and how many of all they tell of."""
        if arguments["show"] != BODIES:
            result.hits = fit_hits(hits, room, commits, riders)
            return result.hits, len(result.hits)
        sandbox = self._services.repository.sandbox
        bodies = BodyHits(sandbox, hits, room, commits, riders)
        result.hits = bodies.hits
        result.left = [] if arguments["cursor"] else bodies.left
        return bodies.hits, bodies.passed

    def _search_index(
        self,
        query: str,
        depth: int,
        glob: str | None,
        options: SearchOptions,
        index: OpenIndex,
        budget: Budget,
    ) -> tuple[SearchAnswer, OpenIndex]:
        """Search the index; changed files among the hits are indexed again first.

        That a word is nowhere is said of the files as they are now.
        """
        services = self._services

        def find(index: OpenIndex) -> SearchAnswer:
            if index.snapshot is None:
                return SearchAnswer((), tuple(weigh_terms(query)), ())
            return services.engine.search(
                index.snapshot, query, depth, glob, budget, options=options
            )

        return services.repository.run_current_query(
            find,
            lambda found: found.stale_paths,
            lambda found: found.lacking,
            *(index, services.wait, budget),
        )

    def _of_no_hit(
        self,
        query: str,
        glob: str | None,
        options: SearchOptions,
        index: OpenIndex,
        budget: Budget,
    ) -> list[AnswerWarning]:
        """A glob of no file; or the best places outside of a glob, if they answer the query."""
        unmatched = warn_unmatched(glob, index, budget)
        if unmatched or glob is None or index.snapshot is None or not index.complete:
            return unmatched
        found = self._services.engine.search(
            index.snapshot, query, _MOST_ELSEWHERE, None, budget, options=options
        )
        if not (found.hits and found.confident):
            return []
        places = tuple(f"{hit.path}:{hit.start_line}" for hit in found.hits)
        text = f"nothing matches in file_glob; elsewhere: {', '.join(map(visible, places))}"
        return [AnswerWarning("elsewhere", text, paths=places)]

    def _scan(
        self, query: str, glob: str | None, index: OpenIndex, budget: Budget
    ) -> tuple[PendingFiles, OpenIndex]:
        """Rank files that are not indexed yet, and have the best of them indexed first.

        Each step has its time limit.
        """
        repository = self._services.repository
        seconds = repository.settings.first_answer_seconds
        found = scan_pending(repository, query, glob, index.snapshot, budget, seconds)
        first = [path for path, _ in found.ranked[:_INDEXED_FIRST]]
        limit = budget.within(_INDEXING * seconds)
        return found, repository.index_first(first, index, limit)


def _without_hits(found: SearchAnswer) -> SearchResult:
    return SearchResult(
        nowhere=list(found.nowhere),
        confident=found.confident,
        terms=list(found.terms[:MOST_TERMS]),
        hits=[],
        suggestions=[SuggestedQuery(**values_of(item)) for item in found.suggestions],
    )


def _place_of(hit: SearchHit) -> DeclaredPlace | None:
    """The declaration that a hit is in, if the index has it."""
    return None if hit.declaration < 0 else DeclaredPlace(hit.path, hit.declaration)


def _cut_query(query: str, warnings: list[AnswerWarning]) -> str:
    """The words at the beginning of a query, as many as are searched for: reports are pasted."""
    if len(query) <= MAX_REQUEST:
        return query
    kept = query[:MAX_REQUEST]
    if not query[MAX_REQUEST].isspace():
        kept = re.sub(r"\s\S*\Z", "", kept)
    text = f"the first {len(kept)} of {len(query)} characters were searched for"
    warnings.append(AnswerWarning("query_cut", text))
    return kept


def _unused(arguments: Arguments) -> list[AnswerWarning]:
    names = ("ignore_case", "smart_case", "whole_word", "context_lines")
    given = [name for name in names if arguments[name]]
    given += ["show"] if arguments["show"] not in {None, "lines", BODIES} else []
    text = f"{', '.join(given)}: ignored, for modes literal and regex only"
    return [AnswerWarning("unused", text)] if given else []


class BodyHits:
    """Hits with their declarations, each once, as many of the best as fit.

    `passed` hits are shown or in a declaration that is; `left` names those of the others.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        hits: Sequence[SearchHit],
        room: int,
        commits: Mapping[str, str],
        riders: Sequence[Rider | None],
    ) -> None:
        self._texts = TextReader(sandbox)
        self._riders = riders
        names = [_label(hit) for hit in hits]
        kept = min(int(room * _PART_NAMED), sum(map(size, names)))
        tries = (LONGEST_WHOLE, room), (MOST_LINES, room), (MOST_LINES, room - kept)
        for longest, left in tries:
            self.hits: list[PassageHit] = []
            self.passed = 0
            self._spans: set[tuple[str, tuple[int, int]]] = set()
            self._commits = {**commits}
            if self._fill(hits, left, longest):
                break
        self.left = [*dict.fromkeys(names[self.passed :])]
        while self.left and sum(map(size, self.left)) > kept:
            self.left.pop()

    def _fill(self, hits: Sequence[SearchHit], room: int, longest: int) -> bool:
        """Add hits until the room is used up; True if all are there."""
        for rank, hit in enumerate(hits):
            span = hit.path, hit.whole
            if span not in self._spans:
                shown = self._shown(hit, rank, room, longest)
                if size(shown) > room and self.hits:
                    return False
                if size(shown) > room:
                    shorten(shown, room)
                self._spans.add(span)
                self._commits.pop(hit.path, None)
                self.hits.append(shown)
                room -= size(shown)
            self.passed += 1
        return True

    def _shown(self, hit: SearchHit, rank: int, room: int, longest: int) -> PassageHit:
        """A hit with its declaration; the first one in part, if it does not fit."""
        shown = as_result(hit, rank, self._commits.get(hit.path, ""), self._riders)
        telling = [line.number for line in shown_lines(hit, rank)]
        rows = self._texts.rows(hit.path)
        first, last = hit.whole
        if hit.stale or rows is None or last > rows.count:
            return shown  # the lines of the declaration may be others now
        body = HitBody(first, last, hit.symbol, telling)
        most = body.most_lines(longest)
        while True:
            lines = body_lines(body, rows, telling, most)
            lines[0] = lines[0]._replace(heading=None)  # the line of the hit names it
            shown.snippet, shown.start_line, shown.end_line = NumberedLines(lines), first, last
            if size(shown) <= room or self.hits or most == 1:
                return shown
            most //= 2


def _label(hit: SearchHit) -> str:
    """The place and the name of the declaration of a hit."""
    first, last = hit.whole
    return f"{hit.path}:{first}-{last}{f' {hit.symbol}' if hit.symbol else ''}"


def _of_unready(index: OpenIndex, repository: Repository) -> list[AnswerWarning]:
    """A warning about an index that is not whole, or not compared with the files."""
    if index.gap is not None:
        return [lacking_warning(index, repository)]
    return [] if index.compared else [COMPARING]


def fit_hits(
    hits: list[SearchHit],
    room: int,
    commits: Mapping[str, str] = _NONE,
    riders: Sequence[Rider | None] = (),
) -> list[PassageHit]:
    """As many of the best hits as fit; the first one is cut if needed.

    The first hit of each file has the commit that raised it.
    """
    left = {**commits}
    every = [as_result(hit, rank, left.pop(hit.path, ""), riders) for rank, hit in enumerate(hits)]
    # measured in one go first: mostly all of them fit
    if size(every) - _BRACKETS <= room:
        return every
    fitting: list[PassageHit] = []
    for shown in every:
        taken = size(shown)
        if not fitting and taken > room:
            shorten(shown, room)
            taken = size(shown)
        room -= taken
        if room < 0 and fitting:
            break
        fitting.append(shown)
    return fitting


def as_result(
    hit: SearchHit, rank: int, commit: str = "", riders: Sequence[Rider | None] = ()
) -> PassageHit:
    """A hit with its telling lines, and the rider of its rank."""
    first, last = hit.shown
    rider = riders[rank] if riders else None
    known = {} if rider is None else rider._asdict()
    return PassageHit(
        path=hit.path,
        start_line=first,
        end_line=last,
        symbol=hit.symbol,
        score=round(hit.score, _SCORE_DIGITS),
        matched_terms=list(hit.matched_terms[:MOST_TERMS]),
        snippet=NumberedLines(shown_lines(hit, rank)),
        stale=hit.stale,
        built=hit.built,
        parts_only=hit.parts_only,
        commit=commit,
        **known,
    )


def shorten(shown: PassageHit, room: int) -> None:
    """Cut lines and marks at the end, then characters of the last line left."""
    kept = list(shown.snippet.lines)
    while (len(kept) > 1 or kept[-1].before_gap) and size(shown) > room:
        last = kept.pop()
        if last.before_gap:
            kept.append(last._replace(before_gap=False))
        elif last.after_gap:
            kept[-1] = kept[-1]._replace(before_gap=True)
        shown.snippet = NumberedLines(kept)
    first, head = kept[0], len(numbered_line(kept[0].number, ""))
    length = head + len(first.text)
    while length > _SHORTEST and size(shown) > room:
        length = length * 3 // 4
        text = kept[0].text[: length - head] + _MORE
        shown.snippet = NumberedLines([first._replace(text=text)])
