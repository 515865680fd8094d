"""`repo.search` in modes literal, regex and structure: matching lines by file, and their number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from code_graph.paths.globs import GlobList
from code_graph.paths.path_kinds import is_test
from index_format import Snapshot
from index_format.records import replace, values_of
from repo_mcp.answers.repository import Facets, SearchResult, SuggestedQuery
from repo_mcp.budget import Budget
from repo_mcp.console import visible
from repo_mcp.model import AT_LEAST, EXACT, AnswerWarning, FacetBound, FacetCounts as CountedFacets
from repo_mcp.place.place import Place
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.repository import OpenIndex
from repo_mcp.search import (
    LIMIT_REACHED,
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    FileCount,
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
from repo_mcp.toolsets.interrogator.built_lines import BuiltLines
from repo_mcp.toolsets.interrogator.counted_matches import (
    CountedMatches,
    is_limited,
    joined,
    larger,
    of_answer,
)
from repo_mcp.toolsets.interrogator.crossing_lines import add_crossing, with_bodies
from repo_mcp.toolsets.interrogator.exact_request import (
    FILES,
    LINES,
    SYMBOLS,
    PageRequest,
    PageStart,
)
from repo_mcp.toolsets.interrogator.hidden_matches import HiddenMatches
from repo_mcp.toolsets.interrogator.line_order import LinePlace
from repo_mcp.toolsets.interrogator.line_pages import LinePages
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import CHANGED, decode_cursor
from repo_mcp.toolsets.kit.index_warnings import (
    COMPARING,
    lacking_warning,
    warn_hidden,
    warn_unmatched,
)
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_CONTEXT: Final = 20
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


class ExactSearch:
    """Searches for a string or a regular expression."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services
        self._engine = self._make_engine()
        self._hidden_matches = HiddenMatches(services, self._engine)
        self._pages = LinePages(services, self._engine)

    def _make_engine(self) -> ExactEngine:
        return ExactEngine(self._services.repository.sandbox, self._services.distributed)

    @property
    def _counted_bytes(self) -> int:
        return _COUNTED_BYTES

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """A page of matching lines by file; of several queries one of each."""
        if arguments.get("queries"):
            from repo_mcp.toolsets.interrogator import search_several  # noqa: PLC0415 few have several

            return search_several.SeveralSearches(self._services, self)(arguments, context)
        limit = context.budget.within(_SECONDS)
        return self._services.repository.run_query(
            lambda index: self._search(arguments, index, limit, context.place),
            self._services.wait,
            context.budget,
        )

    def _search(
        self, arguments: Arguments, index: OpenIndex, budget: Budget, place: Place
    ) -> Outcome:
        arguments = self._services.with_package_globs(arguments, "file_glob", index.snapshot)
        warnings = [*self._services.background_notes, *index.warnings]
        if arguments["level"]:
            warnings.append(AnswerWarning("unused", "level: ignored, for mode bm25 only"))
        request = self._parse_request(arguments, index, warnings)
        found, index = self._find(request, index, budget, warnings)
        # the field `truncated` reports this one
        warnings += [item for item in found.warnings if item.code != LIMIT_REACHED]
        result = SearchResult()
        is_facets = request.is_first and request.facets_below is not None
        facets = self._facets(request, found, index, budget) if is_facets else None
        most = self._most_counted(facets) if is_facets else self._counted_bytes
        matches = self._count(request, found, index, budget, most)
        if not index.complete:
            unindexed = self._search_unindexed(request, index, budget, warnings)
            matches = joined(matches, unindexed)
        elif not index.compared:
            warnings.append(COMPARING)
        if request.is_first:
            deny = self._services.repository.settings.deny_globs
            warnings += warn_hidden(arguments["file_glob"], deny)
            if index.snapshot is not None and index.complete:
                warnings += self._hidden_matches.warnings(
                    arguments, request.query, found, index, budget
                )
                warnings += self._tell_joined(request.query, matches.counts)
        if request.is_first and index.snapshot is not None:
            if index.complete and not matches.counts:  # else more is being looked at
                warnings += warn_unmatched(arguments["file_glob"], index, budget)
                result.suggestions = self._suggest(request.query, index.snapshot, budget, warnings)
            self._tell_counts(result, request, matches, facets, index)
        if request.show == FILES:
            self._pages.fill_files(request, matches, result, index, warnings)
            return Outcome(result, warnings, generation=index.generation)
        built = BuiltLines(self._services.repository, place.builds)
        hits = self._pages.fill_lines(request, matches, result, index, warnings, budget, built)
        warnings += built.warnings
        return Outcome(result, warnings, shown=hits.citations(), generation=index.generation)

    def _find(
        self,
        request: PageRequest,
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

    def _parse_request(
        self, arguments: Arguments, index: OpenIndex, warnings: list[AnswerWarning]
    ) -> PageRequest:
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
        start = PageStart()
        if arguments["cursor"]:
            position = decode_cursor(arguments["cursor"], cursor_key, str, str, int, int, str)
            after, last, turn, lines, path = position.place
            start = PageStart(after, last, LinePlace(max(turn, 0), lines, path))
            if position.generation != index.generation:
                warnings.append(CHANGED)
        glob = None if arguments["file_glob"] is None else compile_globs(arguments["file_glob"])
        show = arguments["show"] or self._usual_show
        limit = 0 if show == FILES else most
        query = self._query(arguments, start, filters, glob, around, limit)
        query = replace(query, languages=of_pattern)
        if limit and self._goes_over_lines(query):
            query = with_bodies(query)
        by_glob = () if glob is None else (Filter("glob", arguments["file_glob"]),)
        return PageRequest(
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
        return LINES

    def _query(
        self,
        arguments: Arguments,
        start: PageStart,
        filters: Sequence[Filter],
        glob: GlobList | None,
        around: int,
        limit: int,
    ) -> ExactQuery:
        """The query for lines, or for counts alone with limit 0."""
        languages = self._services.repository.languages

        @cache
        def rank(path: str) -> int:
            return reading_rank(path, languages)

        def place(path: str) -> tuple[int, str]:
            return rank(path), path

        after, last = place(start.after), place(start.last)

        def allowed(path: str) -> bool:
            fits = glob is None or glob.matches(path)
            fits = fits and not (start.after and place(path) <= after)
            fits = fits and not (start.last and place(path) > last)
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
            allowed=allowed if filters or glob or start.after or start.last else None,
            rank=rank,
            after_path=start.after,
            whole_matches=True,
        )

    def _goes_over_lines(self, query: ExactQuery) -> bool:
        """True if matches may go over line ends."""
        return build_matcher(query).across_lines

    def _with_crossing(
        self,
        request: PageRequest,
        found: ExactAnswer,
        index: OpenIndex,
        budget: Budget,
        warnings: list[AnswerWarning],
    ) -> ExactAnswer:
        """The answer with the matches over line ends, where an expression may have such.

        Only beside all other lines, so that pages and counts are of the same matches.
        """
        is_part = bool(request.start.after or request.start.last) or is_limited(found)
        if index.snapshot is None or not index.complete or is_part:
            return found
        return add_crossing(self._engine, index.snapshot, request.query, found, budget, warnings)

    def _languages(self, name: str | None) -> tuple[str | None, tuple[str, ...]]:
        """The language of the files, and those of the pattern."""
        return name, ()

    def _search_index(self, query: ExactQuery, index: OpenIndex, budget: Budget) -> ExactAnswer:
        if index.snapshot is None:
            return self._engine.find_in((), query, budget)
        return self._engine.find(index.snapshot, query, budget)

    def _search_unindexed(
        self, request: PageRequest, index: OpenIndex, budget: Budget, warnings: list[AnswerWarning]
    ) -> CountedMatches:
        """Search unindexed files within a time limit; adds a warning if not all were read."""
        repository = self._services.repository
        limit = budget.within(_SCANNING * repository.settings.first_answer_seconds)
        paths = [*repository.unindexed_files(index.snapshot, limit, request.folder)]
        found = self._engine.find_in(paths, request.query, limit)
        counted_files = of_answer(found)
        if is_limited(found):
            uncapped = _counting(request.query, self._counted_bytes)
            counted_files = larger(found, self._engine.find_in(paths, uncapped, limit))
        if not found.complete:  # else all that the index lacks was read
            files = found.files_looked_at + found.files_gone
            known = 0 if index.snapshot is None else index.snapshot.file_count
            searched = f": {known} indexed files and {files} others were searched"
            warnings.append(lacking_warning(index, repository, searched))
        return counted_files

    def _count(
        self,
        request: PageRequest,
        found: ExactAnswer,
        index: OpenIndex,
        budget: Budget,
        most: int,
    ) -> CountedMatches:
        """The files that match; those that a search has not reached are counted within limits."""
        if not is_limited(found):
            return of_answer(found)
        if not most or index.snapshot is None:
            return larger(found, found)
        uncapped = _counting(request.query, most)
        return larger(found, self._engine.find(index.snapshot, uncapped, budget))

    def _facets(
        self, request: PageRequest, found: ExactAnswer, index: OpenIndex, budget: Budget
    ) -> CountedFacets | None:
        """Facets by the index alone, where a search ends before it has all files."""
        if not is_limited(found):
            return None
        return self._estimate(request, len(found.per_file), index, budget)

    def _most_counted(self, facets: CountedFacets | None) -> int:
        """The bytes of files that are read to count matches beside facets of the index."""
        is_few = facets is None or facets.files <= _COUNTED_FILES
        return min(_COUNTED_FOR_FACETS, self._counted_bytes) if is_few else 0

    def _tell_counts(
        self,
        result: SearchResult,
        request: PageRequest,
        matches: CountedMatches,
        facets: CountedFacets | None,
        index: OpenIndex,
    ) -> None:
        """Fill in the number of lines and files, and facets where they are wanted."""
        counts = matches.counts
        result.matching_lines = sum(item.lines for item in counts)
        result.matching_files = len(counts)
        result.counted_all = matches.complete
        if request.facets_below is None or not counts:
            return
        if facets is None or matches.complete:
            bound: FacetBound = EXACT if matches.complete else AT_LEAST
            paths = (item.path for item in counts)
            facets = self._services.engine.facets.of_paths(paths, request.facets_below, bound)
        result.facets = Facets.of(facets, complete=index.complete)

    def _estimate(
        self, request: PageRequest, known: int, index: OpenIndex, budget: Budget
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


class StructureSearch(ExactSearch):
    """Searches for code of the shape of a pattern; each line is one where a match begins."""

    def _make_engine(self) -> ExactEngine:
        return StructureEngine(self._services.repository.sandbox, self._services.distributed)

    @property
    def _counted_bytes(self) -> int:
        return _COUNTED_PARSED

    @property
    def _usual_show(self) -> str:
        return SYMBOLS

    def _goes_over_lines(self, query: ExactQuery) -> bool:  # noqa: ARG002 the interface
        return True

    def _languages(self, name: str | None) -> tuple[str | None, tuple[str, ...]]:
        return None, (name,) if name else ()

    def _parse_request(
        self, arguments: Arguments, index: OpenIndex, warnings: list[AnswerWarning]
    ) -> PageRequest:
        given = [name for name in _OF_TEXT if arguments[name]]
        if given:
            text = f"{', '.join(given)} ignored: a structural pattern matches names as written"
            warnings.append(AnswerWarning("ignored", text))
        return super()._parse_request(arguments, index, warnings)

    def _with_crossing(
        self,
        request: PageRequest,  # noqa: ARG002 the interface
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


def _counting(query: ExactQuery, most_bytes: int) -> ExactQuery:
    """The same query, of which matching lines are counted within limits of work."""
    most = _COUNTED_SEARCHES
    return replace(query, limit=0, context=0, most_bytes=most_bytes, most_searches=most)
