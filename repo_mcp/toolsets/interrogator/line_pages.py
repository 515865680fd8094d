"""Makes pages of matching lines, of declarations around them, or of files with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.answers.repository import FileMatches, SearchResult
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenIndex
from repo_mcp.search import ExactEngine, LineMatch
from repo_mcp.toolsets.interrogator.body_page import (
    BODIES,
    LONGEST_WHOLE,
    BodyPage,
    FileBodies,
    TextReader,
)
from repo_mcp.toolsets.interrogator.built_lines import BuiltLines
from repo_mcp.toolsets.interrogator.counted_matches import CountedMatches
from repo_mcp.toolsets.interrogator.exact_hits import HitPage, Symbols
from repo_mcp.toolsets.interrogator.exact_request import SYMBOLS, PageRequest, PageStart
from repo_mcp.toolsets.interrogator.line_order import (
    FIRST_LINES,
    FileOrder,
    FileRest,
    LinePlace,
    imports_last,
    least_size,
    name_rest,
)
from repo_mcp.toolsets.kit.answers import size
from repo_mcp.toolsets.kit.cursors import encode_cursor
from repo_mcp.toolsets.kit.services import ToolServices

# declarations of a page: none has room for more; and lines that are looked at for them
_MOST_BODIES: Final = 50
_MOST_CANDIDATES: Final = 200
# of a page that can't show all lines, the part that may name files it has no line of
_PART_NAMED: Final = 1 / 3
# lines that are read to tell their numbers, of all files together
_MOST_NUMBERS: Final = 1_000


class PageView(NamedTuple):
    """Candidates of a page in their order, with the known lines of their files."""

    request: PageRequest
    order: FileOrder
    lines: Mapping[str, Sequence[LineMatch]]
    rows: Sequence[tuple[LinePlace, LineMatch]]
    # the last place that was looked at, and whether there are lines behind it
    last: LinePlace
    more: bool

    @property
    def longest(self) -> int:
        """The length of the longest path."""
        return max((len(place.path) for place, _ in self.rows), default=0)


class LinePages:
    """Makes the pages of one engine."""

    def __init__(self, services: ToolServices, engine: ExactEngine) -> None:
        self._services = services
        self._engine = engine

    def fill_lines(
        self,
        request: PageRequest,
        matches: CountedMatches,
        result: SearchResult,
        index: OpenIndex,
        warnings: list[AnswerWarning],
        budget: Budget,
        built: BuiltLines,
    ) -> HitPage | BodyPage:
        """Fill in the lines that fit, what is known of others, and where the next page begins."""
        order = request.order(matches.counts, index)
        following = order.after(request.start.place)
        if request.show == BODIES:
            view, bodies = self._view_bodies(request, matches, order, following, index, budget)
            page: HitPage | BodyPage = self._build_bodies(view, bodies, result, warnings)
        else:
            wanted = [*islice(following, request.top_k)]
            view = self._view(request, matches, order, wanted, budget)
            view = view._replace(more=view.more or next(following, None) is not None)
            page = self._build_page(view, result, index, warnings, budget)
        result.files = page.files([count.path for count in order.counts])
        room = built.of_files(result.files, page.room)
        more = view.more or page.lines < len(view.rows)
        if more and request.is_first:
            also, result.left = name_rest(_rest(order, page, view.lines), room)
            for file in result.files:
                file.also = also.get(file.path, "")
        result.truncated = more or matches.ended_early
        if more and view.last.path:
            place = view.rows[page.lines - 1][0] if page.lines < len(view.rows) else view.last
            start = replace(request.start, last=matches.last or request.start.last, place=place)
            result.cursor = encode_cursor(request.cursor_key, index.generation, start.values)
        elif matches.last:
            start = PageStart(after=matches.last)
            result.cursor = encode_cursor(request.cursor_key, index.generation, start.values)
        return page

    def _view(
        self,
        request: PageRequest,
        matches: CountedMatches,
        order: FileOrder,
        wanted: Sequence[LinePlace],
        budget: Budget,
    ) -> PageView:
        """The lines at these places, as far as there is time to read them."""
        lines, out_of_time = self._lines_by_file(request, matches, wanted, budget)
        rows: list[tuple[LinePlace, LineMatch]] = []
        last = request.start.place
        for place in wanted:
            known = lines.get(place.path, ())
            if place.turn < len(known):
                rows.append((place, known[place.turn]))
            elif out_of_time:
                break
            last = place  # one that is no longer there is passed
        return PageView(request, order, lines, rows, last, more=bool(wanted) and last != wanted[-1])

    def _view_bodies(
        self,
        request: PageRequest,
        matches: CountedMatches,
        order: FileOrder,
        following: Iterator[LinePlace],
        index: OpenIndex,
        budget: Budget,
    ) -> tuple[PageView, Mapping[str, FileBodies]]:
        """The lines with which declarations come, of all lines that are looked at."""
        while True:
            wanted = [*islice(following, _MOST_CANDIDATES)]
            view = self._view(request, matches, order, wanted, budget)
            beyond = next(following, None)
            view = view._replace(more=view.more or beyond is not None)
            symbols = self._symbols(view, index, budget)
            bodies = {
                path: FileBodies(path, lines, symbols, request.around)
                for path, lines in view.lines.items()
            }
            firsts = [row for row in view.rows if bodies[row[0].path].is_first(row[0].turn)]
            if firsts or beyond is None or view.last != wanted[-1]:
                return view._replace(rows=firsts), bodies
            following = chain([beyond], following)

    def _lines_by_file(
        self,
        request: PageRequest,
        matches: CountedMatches,
        wanted: Sequence[LinePlace],
        budget: Budget,
    ) -> tuple[Mapping[str, Sequence[LineMatch]], bool]:
        """The lines of the files that a page may show, as far as it and their numbers need them.

        And whether the time ran out.
        """
        by_file: dict[str, list[LineMatch]] = {}
        lines: Iterable[LineMatch] = matches.lines or ()
        out_of_time = False
        if matches.lines is None:
            paths = list(dict.fromkeys(place.path for place in wanted))
            deep = max((place.turn for place in wanted), default=0) + 1
            deep = max(deep, FIRST_LINES)
            if request.show == BODIES:
                deep = _MOST_NUMBERS
            elif request.is_first:
                deep += _MOST_NUMBERS // max(len(paths), 1)
            query = replace(request.query, allowed=None, after_path="")
            query = replace(query, limit=deep * len(paths) or None, per_file=deep)
            found = self._engine.find_in(paths, query, budget)
            lines, out_of_time = found.matches, found.out_of_time
        for match in lines:
            by_file.setdefault(match.path, []).append(match)
        return {path: imports_last(rows) for path, rows in by_file.items()}, out_of_time

    def fill_files(
        self,
        request: PageRequest,
        matches: CountedMatches,
        result: SearchResult,
        index: OpenIndex,
        warnings: list[AnswerWarning],
    ) -> None:
        """Fill in the files with matching lines that fit, after those of earlier pages."""
        counts = request.order(matches.counts, index).files_after(request.start.place)
        # without a number of files, as many as there is room for
        most = request.top_k if request.is_limited else len(counts)
        longest = max((len(count.path) for count in counts), default=0)
        # the cursor holds a path
        room = self._services.room(request.page, result, warnings) - 2 * longest
        shown: list[FileMatches] = []
        for path, lines in counts:
            entry = FileMatches(path=path, count=lines)
            if len(shown) >= most or (room < size(entry) and shown):
                break
            room -= size(entry)
            shown.append(entry)
        result.files = shown
        result.truncated = len(shown) < len(counts)
        if result.truncated:
            start = PageStart(place=LinePlace(0, shown[-1].count, shown[-1].path))
            result.cursor = encode_cursor(request.cursor_key, index.generation, start.values)
            if request.is_first:
                rest = [FileRest(count.path, count.lines) for count in counts[len(shown) :]]
                result.left = name_rest(rest, room)[1]

    def _build_page(
        self,
        view: PageView,
        result: SearchResult,
        index: OpenIndex,
        warnings: list[AnswerWarning],
        budget: Budget,
    ) -> HitPage:
        """The matching lines that fit, with room for what names the others on a first page."""
        request = view.request
        # the cursor holds two paths
        room = self._services.room(request.page, result, warnings) - 4 * view.longest
        symbols = self._symbols(view, index, budget) if request.show == SYMBOLS else None
        wanted = [match for _, match in view.rows]
        hits = HitPage(room, symbols, request.around)
        is_full = not all(map(hits.add, wanted))
        is_whole = True
        if is_full and symbols is not None and hits.has_long:
            # more matches by their first lines say more than few as a whole
            is_whole = False
        kept = 0
        if request.is_first and (is_full or view.more):
            kept = _kept_for_names(view, room)
        if kept or not is_whole:
            hits = HitPage(room - kept, symbols, request.around, whole=is_whole)
            all(map(hits.add, wanted))
            hits.room += kept
        return hits

    def _build_bodies(
        self,
        view: PageView,
        bodies: Mapping[str, FileBodies],
        result: SearchResult,
        warnings: list[AnswerWarning],
    ) -> BodyPage:
        """The declarations around lines that fit, with room for what names the others."""
        request = view.request
        room = self._services.room(request.page, result, warnings) - 4 * view.longest
        most = request.top_k if request.is_limited else _MOST_BODIES
        texts, kept = TextReader(self._services.repository.sandbox), 0
        page = BodyPage(room, texts, bodies, most, LONGEST_WHOLE)
        if not view.more and all(page.add(place) for place, _ in view.rows):
            return page
        while True:
            page = BodyPage(room - kept, texts, bodies, most)
            is_full = not all(page.add(place) for place, _ in view.rows)
            if kept or not (request.is_first and (is_full or view.more)):
                page.room += kept
                return page
            kept = _kept_for_names(view, room)

    def _symbols(self, view: PageView, index: OpenIndex, budget: Budget) -> Symbols:
        """The declarations around the lines."""
        paths = (place.path for place, _ in view.rows)
        parsed = self._services.parse_lacking(paths, index, budget)
        return Symbols(self._services.repository.sandbox, index.snapshot, parsed)


def _kept_for_names(view: PageView, room: int) -> int:
    """The part of a page that is kept to name the files it has no line of."""
    named = [FileRest(count.path, count.lines) for count in view.order.counts]
    return min(int(room * _PART_NAMED), least_size(named))


def _rest(
    order: FileOrder, page: HitPage | BodyPage, lines: Mapping[str, Sequence[LineMatch]]
) -> list[FileRest]:
    """The files with lines that a page does not show."""
    rest: list[FileRest] = []
    for path, count in order.counts:
        begun, parts = page.left(path, lines.get(path, ()))
        if count > begun:
            rest.append(FileRest(path, count - begun, parts, is_shown=begun > 0))
    return rest
