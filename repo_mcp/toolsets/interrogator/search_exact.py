"""`repo.search` in modes literal, regex and structure: matching lines by file, and their number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.paths.globs import GlobList
from code_graph.paths.path_kinds import is_test
from index_format import Snapshot
from index_format.records import Record, replace, values_of
from repo_mcp.answers.repository import Facets, FileMatches, SearchResult, SuggestedQuery
from repo_mcp.budget import Budget
from repo_mcp.console import visible
from repo_mcp.model import AT_LEAST, EXACT, AnswerWarning, FacetBound
from repo_mcp.model import FacetCounts as CountedFacets
from repo_mcp.repository import OpenIndex
from repo_mcp.search import (
    LIMIT_REACHED,
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    FileCount,
    Filter,
    LineMatch,
    StructureEngine,
    build_matcher,
    facet_filters,
    has_values,
    is_small,
    reading_rank,
    suggest_queries,
)
from repo_mcp.text.globs import compile_globs
from repo_mcp.text.plurals import counted, named
from repo_mcp.toolsets.interrogator.crossing_lines import add_crossing
from repo_mcp.toolsets.interrogator.exact_hits import HitPage, Symbols
from repo_mcp.toolsets.interrogator.hidden_matches import HiddenMatches
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.cursors import CHANGED, decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.index_warnings import (
    COMPARING,
    lacking_warning,
    warn_hidden,
    warn_unmatched,
)
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_CONTEXT: Final = 20
# the argument `show`: files instead of lines, or lines below their declarations
_LINES: Final = "lines"
_FILES: Final = "files"
_SYMBOLS: Final = "symbols"
# time limit of a search: less than the shortest timeout of any known client
_SECONDS: Final = 20.0
# time for reading what is not indexed, in times of `first_answer`: a whole answer saves a call
_SCANNING: Final = 2.0
# bytes of files that are read to count the matches that are not shown: never a time, so that equal
# questions get equal answers
_COUNTED_BYTES: Final = 128 << 20
# calls of the engine of expressions for it, one for each line that matches
_COUNTED_SEARCHES: Final = 150_000
# bytes of files for it where files are parsed, which takes fifty times as long as reading them
_COUNTED_PARSED: Final = 8 << 20
# the same for a page of facets, and the most files by the index that are read to count them
_COUNTED_FOR_FACETS: Final = 8 << 20
_COUNTED_FILES: Final = 200
# a text of one such word is in every file that the index has under the word
_PLAIN: Final = re.compile(r"[a-z]+")
_SUGGESTING_SECONDS: Final = 0.3
# arguments that mean nothing for trees
_OF_TEXT: Final = ("ignore_case", "smart_case", "whole_word")
# a key of a setting, as files of data and documents write it
_KEY: Final = re.compile(r"[a-z][\w-]*(?:\.[\w-]+){2,}")
# files of lines that are not shown, which the first page names
_MOST_LEFT: Final = 8
# lines of a match after the first that are shown
_MOST_BODY: Final = 11


class _Start(Record):
    """The last match of earlier pages, and how many matches of its file were shown."""

    path: str = ""
    line: int = 0
    shown: int = 0


class _PageRequest(Record):
    """The requested page."""

    query: ExactQuery
    cursor_key: list[Any]
    start: _Start
    top_k: int
    # whether the caller gives that number
    is_limited: bool
    page: int
    show: str
    # lines around each
    around: int
    # filters of the paths, and a folder that has all that match
    filters: tuple[Filter, ...]
    folder: str
    # the folder below which folders are counted
    facets_below: str | None

    @property
    def is_first(self) -> bool:
        """True if this is the first page."""
        return not self.start.path

    def place(self, match: LineMatch) -> tuple[tuple[int, str], int]:
        """The place of a line among others."""
        return self.query.place(match.path), match.line

    def left_by_file(
        self, counts: Iterable[FileCount], shown: Mapping[str, int], room: int | None = None
    ) -> str:
        """Files with lines that are not shown, of the first kind and with most of them first.

        In `room` characters, if that is given.
        """
        left = [(path, lines - shown.get(path, 0)) for path, lines in counts]
        left = sorted(
            (item for item in left if item[1] > 0),
            key=lambda item: (self.query.place(item[0])[0], -item[1], item[0]),
        )
        parts = [f"{path} {lines}" for path, lines in left[:_MOST_LEFT]]
        while parts:
            more = len(left) - len(parts)
            text = ", ".join([*parts, *([f"{counted(more, 'more file')}"] if more else [])])
            if room is None or len(text) <= room:
                return text
            parts.pop()
        return ""


class ExactSearch:
    """Searches for a string or a regular expression."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services
        self._engine = self._make_engine()
        self._hidden_matches = HiddenMatches(services, self._engine)

    def _make_engine(self) -> ExactEngine:
        return ExactEngine(self._services.repository.sandbox, self._services.distributed)

    @property
    def _counted_bytes(self) -> int:
        return _COUNTED_BYTES

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of matching lines, grouped by declaration."""
        limit = context.budget.within(_SECONDS)
        return self._services.repository.run_query(
            lambda index: self._search(arguments, index, limit),
            self._services.wait,
            context.budget,
        )

    def _search(self, arguments: Arguments, index: OpenIndex, budget: Budget) -> Outcome:
        warnings = [*self._services.background_notes, *index.warnings]
        if arguments["level"]:
            warnings.append(AnswerWarning("unused", "level: ignored, for mode bm25 only"))
        request = self._parse_request(arguments, index, warnings)
        found, index = self._find(request, index, budget, warnings)
        # the field `truncated` reports this one
        warnings += [item for item in found.warnings if item.code != LIMIT_REACHED]
        limited = _is_limited(found)
        matches = list(_matches_after(request, found.matches))
        counts = list(found.per_file)
        more = limited
        others: Sequence[FileCount] = ()
        is_whole = index.complete
        if not index.complete:
            unindexed = self._search_unindexed(request, index, budget, warnings)
            matches += _matches_after(request, unindexed.matches)
            matches.sort(key=request.place)
            others, is_whole = unindexed.per_file, unindexed.complete
            counts = sorted((*counts, *others), key=lambda count: request.query.place(count.path))
            more |= _is_limited(unindexed)
        elif not index.compared:
            warnings.append(COMPARING)
        if request.is_first:
            deny = self._services.repository.settings.deny_globs
            warnings += warn_hidden(arguments["file_glob"], deny)
            if index.snapshot is not None and index.complete:
                warnings += self._hidden_matches.warnings(
                    arguments, request.query, found, index, budget
                )
                warnings += self._tell_joined(request.query, counts)
        result = SearchResult()
        per_file: Sequence[FileCount] = ()
        if request.is_first and index.snapshot is not None:
            if index.complete and not (matches or counts):  # else more is being looked at
                warnings += warn_unmatched(arguments["file_glob"], index, budget)
                result.suggestions = self._suggest(request.query, index.snapshot, budget, warnings)
            given = request, found, others
            per_file = self._fill_counts(result, *given, index, budget, limited=limited)
            result.counted_all &= is_whole
        if request.show == _FILES:
            self._list_files(request, counts, result, index, warnings)
            listed = {file.path: file.count for file in result.files}
            result.left = request.left_by_file(per_file, listed, len(result.left))
            return Outcome(result, warnings, generation=index.generation)
        hits = self._list_lines(
            request, matches, per_file, result, index, warnings, budget, more=more
        )
        return Outcome(result, warnings, shown=hits.citations(), generation=index.generation)

    def _find(
        self,
        request: _PageRequest,
        index: OpenIndex,
        budget: Budget,
        warnings: list[AnswerWarning],
    ) -> tuple[ExactAnswer, OpenIndex]:
        """The lines that match; that none does is said of the files as they are now."""

        def find(index: OpenIndex) -> ExactAnswer:
            found = self._search_index(request.query, index, budget)
            return self._with_crossing(request, found, index, budget, warnings)

        services = self._services
        return services.repository.run_current_query(
            find,
            lambda _: (),
            lambda found: request.is_first and not (found.per_file or found.matches),
            *(index, services.wait, budget),
        )

    def _tell_joined(
        self, query: ExactQuery, counts: Iterable[FileCount]
    ) -> Iterator[AnswerWarning]:
        """Say how a key of a setting is found that other files have, and no code but of tests."""
        has_code = self._services.repository.languages.has_code
        key = query.patterns[0]
        is_key = not query.regex and _KEY.fullmatch(key) is not None
        paths = [count.path for count in counts]
        if is_key and paths and not any(has_code(it) and not is_test(it) for it in paths):
            text = f"no code has this as a whole: repo.symbol {key} looks for code that joins it"
            yield AnswerWarning("joined", text, paths=tuple(paths))

    def _list_lines(
        self,
        request: _PageRequest,
        matches: list[LineMatch],
        per_file: Sequence[FileCount],
        result: SearchResult,
        index: OpenIndex,
        warnings: list[AnswerWarning],
        budget: Budget,
        *,
        more: bool,
    ) -> HitPage:
        """Fill in the lines that fit, and where the next page begins."""
        hits = self._build_page(request, matches, result, index, warnings, budget)
        result.truncated = more or hits.lines < len(matches)
        result.files = hits.files()
        room = len(result.left)
        result.left = ""
        if result.truncated:
            result.cursor = _next_cursor(request, matches[: hits.lines], index)
            result.left = request.left_by_file(per_file, hits.counts(), room)
        return hits

    def _parse_request(
        self, arguments: Arguments, index: OpenIndex, warnings: list[AnswerWarning]
    ) -> _PageRequest:
        services = self._services
        most = services.limits.max_search_hits
        top_k = services.clamp("top_k", arguments["top_k"] or most, most, warnings)
        around = arguments["context_lines"]
        around = services.clamp("context_lines", around, _MOST_CONTEXT, warnings)
        page = services.page_size(arguments["max_chars"], warnings)
        names = ("mode", "query", "file_glob", "ignore_case", "smart_case", "whole_word")
        of_files, of_pattern = self._languages(arguments["language"])
        filters = facet_filters(of_files, arguments["kind"])
        cursor_key = [*(arguments[name] for name in names), *(item.text for item in filters)]
        cursor_key += [*of_pattern, arguments["show"] or self._usual_show]
        start = _Start()
        if arguments["cursor"]:
            position = decode_cursor(arguments["cursor"], cursor_key, str, int, int)
            path, line, shown = position.place
            start = _Start(path, max(line, 0), min(max(shown, 0), line))
            if position.generation != index.generation:
                warnings.append(CHANGED)
        glob = None if arguments["file_glob"] is None else compile_globs(arguments["file_glob"])
        show = arguments["show"] or self._usual_show
        limit = 0 if show == _FILES else top_k + start.shown
        query = self._query(arguments, start.path, filters, glob, around, limit)
        query = replace(query, languages=of_pattern)
        if limit and self._goes_over_lines(query):
            query = _with_bodies(query)
        by_glob = () if glob is None else (Filter("glob", arguments["file_glob"]),)
        return _PageRequest(
            query,
            cursor_key,
            start,
            top_k,
            bool(arguments["top_k"]),
            page,
            show,
            around,
            (*filters, *by_glob),
            "" if glob is None else glob.folder,
            arguments["facets_below"],
        )

    @property
    def _usual_show(self) -> str:
        return _LINES

    def _query(
        self,
        arguments: Arguments,
        after: str,
        filters: Sequence[Filter],
        glob: GlobList | None,
        around: int,
        limit: int,
    ) -> ExactQuery:
        """The query for lines, or for counts alone with limit 0."""
        languages = self._services.repository.languages

        def allowed(path: str) -> bool:
            fits = glob is None or glob.matches(path)
            return fits and has_values(path, filters, languages)

        regex = arguments["mode"] == "regex"
        is_folded = arguments["smart_case"] and is_small(arguments["query"], regex=regex)
        return ExactQuery(
            (arguments["query"],),
            regex=regex,
            ignore_case=arguments["ignore_case"] or is_folded,
            whole_word=arguments["whole_word"],
            context=around if limit else 0,
            limit=limit,
            most_searches=_COUNTED_SEARCHES if limit else None,
            allowed=allowed if filters or glob is not None else None,
            rank=lambda path: reading_rank(path, languages),
            after_path=after,
            whole_matches=True,
        )

    def _goes_over_lines(self, query: ExactQuery) -> bool:
        """True if matches may go over line ends."""
        return build_matcher(query).across_lines

    def _with_crossing(
        self,
        request: _PageRequest,
        found: ExactAnswer,
        index: OpenIndex,
        budget: Budget,
        warnings: list[AnswerWarning],
    ) -> ExactAnswer:
        """The answer with the matches over line ends, where an expression may have such.

        Only beside all other lines, so that pages and counts are of the same matches.
        """
        if index.snapshot is None or not index.complete or _is_limited(found):
            return found
        return add_crossing(
            self._engine, index.snapshot, request.query, found, request.top_k, budget, warnings
        )

    def _languages(self, name: str | None) -> tuple[str | None, tuple[str, ...]]:
        """The language of the files, and those of the pattern."""
        return name, ()

    def _search_index(self, query: ExactQuery, index: OpenIndex, budget: Budget) -> ExactAnswer:
        if index.snapshot is None:
            return self._engine.find_in((), query, budget)
        return self._engine.find(index.snapshot, query, budget)

    def _search_unindexed(
        self, request: _PageRequest, index: OpenIndex, budget: Budget, warnings: list[AnswerWarning]
    ) -> ExactAnswer:
        """Search unindexed files within a time limit; adds a warning if not all were read."""
        repository = self._services.repository
        limit = budget.within(_SCANNING * repository.settings.first_answer_seconds)
        paths = repository.unindexed_files(index.snapshot, limit, request.folder)
        found = self._engine.find_in(paths, request.query, limit)
        if found.complete:  # all that the index lacks was read
            return found
        files = found.files_looked_at + found.files_gone
        known = 0 if index.snapshot is None else index.snapshot.file_count
        searched = f": {known} indexed files and {files} others were searched"
        warnings.append(lacking_warning(index, repository, searched))
        return found

    def _fill_counts(
        self,
        result: SearchResult,
        request: _PageRequest,
        found: ExactAnswer,
        others: Sequence[FileCount],
        index: OpenIndex,
        budget: Budget,
        *,
        limited: bool,
    ) -> Sequence[FileCount]:
        """Fill in the counts; counts the remaining matches, too, as far as that is little work.

        `others` are of files that are not indexed. Returns the counts by file.
        """
        per_file, complete = found.per_file, found.complete
        facets, most = None, self._counted_bytes
        if request.facets_below is not None:
            facets = self._estimate(request, len(per_file), index, budget) if limited else None
            is_few = facets is None or facets.files <= _COUNTED_FILES
            most = min(_COUNTED_FOR_FACETS, most) if is_few else 0
        if limited and most and index.snapshot is not None:
            uncapped = _counting(request.query, most)
            answer = self._engine.find(index.snapshot, uncapped, budget)
            if len(answer.per_file) >= len(per_file):
                per_file, complete = answer.per_file, answer.complete
        per_file = tuple(sorted((*per_file, *others), key=lambda count: count.path))
        result.matching_lines = sum(item.lines for item in per_file)
        result.matching_files = len(per_file)
        result.counted_all = complete
        # so much room is kept for what the page leaves
        result.left = request.left_by_file(per_file, {}) if per_file else ""
        if request.facets_below is None or not per_file:
            return per_file
        if facets is None or complete:
            bound: FacetBound = EXACT if complete else AT_LEAST
            paths = (item.path for item in per_file)
            facets = self._services.engine.facets.of_paths(paths, request.facets_below, bound)
        result.facets = Facets.of(facets, complete=index.complete)
        return per_file

    def _estimate(
        self, request: _PageRequest, known: int, index: OpenIndex, budget: Budget
    ) -> CountedFacets | None:
        """Facets of the files that match for sure, or may match; None if the index can't tell.

        `known` files match: fewer are no estimate.
        """
        snapshot, counter, query = index.snapshot, self._services.engine.facets, request.query
        if snapshot is None:
            return None
        rest = request.filters, request.facets_below or "", budget
        is_text = query.ignore_case and not (query.regex or query.whole_word)
        if is_text and _PLAIN.fullmatch(query.patterns[0]):
            least = counter.of_word(snapshot, query.patterns[0], *rest)
            if least.files > known:
                return least
        candidates = self._engine.narrow(snapshot, query, budget)
        return None if candidates is None else counter.of_candidates(snapshot, candidates, *rest)

    def _list_files(
        self,
        request: _PageRequest,
        counts: list[FileCount],
        result: SearchResult,
        index: OpenIndex,
        warnings: list[AnswerWarning],
    ) -> None:
        """Fill in the files with matching lines that fit, after those of earlier pages."""
        place = request.query.place
        counts = [count for count in counts if place(count.path) > place(request.start.path)]
        # without a number of files, as many as there is room for
        most = request.top_k if request.is_limited else len(counts)
        longest = max((len(count.path) for count in counts), default=0)
        # the cursor holds a path
        room = self._services.room(request.page, result, warnings) - 2 * longest
        shown: list[FileMatches] = []
        for path, lines in counts:
            entry = FileMatches(path=path, count=lines)
            room -= size(entry)
            if len(shown) >= most or (room < 0 and shown):
                break
            shown.append(entry)
        result.files = shown
        result.truncated = len(shown) < len(counts)
        if result.truncated:
            last = [shown[-1].path, 0, 0]
            result.cursor = encode_cursor(request.cursor_key, index.generation, last)

    def _suggest(
        self, query: ExactQuery, snapshot: Snapshot, budget: Budget, warnings: list[AnswerWarning]
    ) -> list[SuggestedQuery]:
        """Suggestions for a search without matches."""
        if not query.ignore_case:
            folded = replace(_counting(query, _COUNTED_BYTES), ignore_case=True)
            found = self._engine.find(snapshot, folded, budget)
            count = sum(item.lines for item in found.per_file)
            if count:
                lines = counted(count, "line", least=not found.complete)
                paths = [item.path for item in found.per_file]
                where = named([*map(visible, paths)])
                text = f"no line matches as written; ignore_case finds {lines}: {where}"
                warnings.append(AnswerWarning("case", text, paths=tuple(paths)))
        if query.regex:
            return []
        near = suggest_queries(snapshot, query.patterns[0], budget.within(_SUGGESTING_SECONDS))
        return [SuggestedQuery(**values_of(item)) for item in near]

    def _build_page(
        self,
        request: _PageRequest,
        matches: list[LineMatch],
        result: SearchResult,
        index: OpenIndex,
        warnings: list[AnswerWarning],
        budget: Budget,
    ) -> HitPage:
        """The matching lines that fit."""
        longest = max((len(match.path) for match in matches[: request.top_k]), default=0)
        # the cursor holds a path
        room = self._services.room(request.page, result, warnings) - 2 * longest
        symbols: Symbols | None = None
        if request.show == _SYMBOLS:
            paths = (match.path for match in matches[: request.top_k])
            parsed = self._services.parse_lacking(paths, index, budget)
            symbols = Symbols(self._services.repository.sandbox, index.snapshot, parsed)
        hits = HitPage(room, symbols, request.around)
        wanted = matches[: request.top_k]
        is_full = not all(map(hits.add, wanted))
        if is_full and symbols is not None and hits.has_long:
            # more matches by their first lines say more than few as a whole
            hits = HitPage(room, symbols, request.around, whole=False)
            all(map(hits.add, wanted))
        return hits


class StructureSearch(ExactSearch):
    """Searches for code of the shape of a pattern; each line is one where a match begins."""

    def _make_engine(self) -> ExactEngine:
        return StructureEngine(self._services.repository.sandbox, self._services.distributed)

    @property
    def _counted_bytes(self) -> int:
        return _COUNTED_PARSED

    @property
    def _usual_show(self) -> str:
        return _SYMBOLS

    def _goes_over_lines(self, query: ExactQuery) -> bool:  # noqa: ARG002 the interface
        return True

    def _languages(self, name: str | None) -> tuple[str | None, tuple[str, ...]]:
        return None, (name,) if name else ()

    def _parse_request(
        self, arguments: Arguments, index: OpenIndex, warnings: list[AnswerWarning]
    ) -> _PageRequest:
        given = [name for name in _OF_TEXT if arguments[name]]
        if given:
            text = f"{', '.join(given)} ignored: a structural pattern matches names as written"
            warnings.append(AnswerWarning("ignored", text))
        return super()._parse_request(arguments, index, warnings)

    def _with_crossing(
        self,
        request: _PageRequest,  # noqa: ARG002 the interface
        found: ExactAnswer,
        index: OpenIndex,  # noqa: ARG002 as above
        budget: Budget,  # noqa: ARG002 as above
        warnings: list[AnswerWarning],  # noqa: ARG002 as above
    ) -> ExactAnswer:
        """All that is found: trees end where they end."""
        return found

    def _suggest(
        self,
        query: ExactQuery,  # noqa: ARG002 the interface
        snapshot: Snapshot,  # noqa: ARG002 as above
        budget: Budget,  # noqa: ARG002 as above
        warnings: list[AnswerWarning],  # noqa: ARG002 as above
    ) -> list[SuggestedQuery]:
        """None: the engine says how it understood a pattern without a match."""
        return []


def _with_bodies(query: ExactQuery) -> ExactQuery:
    """The same query, with the lines of matches that go over several."""
    return replace(query, context=max(query.context, _MOST_BODY))


def _counting(query: ExactQuery, most_bytes: int) -> ExactQuery:
    """The same query, of which matching lines are counted within limits of work."""
    most = _COUNTED_SEARCHES
    return replace(query, limit=0, context=0, most_bytes=most_bytes, most_searches=most)


def _is_limited(found: ExactAnswer) -> bool:
    """True if the search ended at its limit."""
    return any(item.code == LIMIT_REACHED for item in found.warnings)


def _matches_after(request: _PageRequest, matches: Iterable[LineMatch]) -> Iterator[LineMatch]:
    at = request.query.place(request.start.path), request.start.line
    return (match for match in matches if request.place(match) > at)


def _next_cursor(request: _PageRequest, shown: list[LineMatch], index: OpenIndex) -> str:
    """The cursor after the last line shown; empty if none fit."""
    if not shown:
        return ""
    last = shown[-1]
    count = sum(match.path == last.path for match in shown)
    if last.path == request.start.path:
        count += request.start.shown
    return encode_cursor(request.cursor_key, index.generation, [last.path, last.line, count])
