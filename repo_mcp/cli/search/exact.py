"""Exact search on the command line: lines in the format of grep, and their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Final

from index_format import Snapshot
from index_format.records import replace, values_of
from index_format.tuples import NamedTuple
from repo_mcp import search
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.arguments import STRUCTURE
from repo_mcp.cli.search.pager import PagedOutput
from repo_mcp.cli.search.plan import SCAN_SECONDS, Answer, Printing, SearchPlan, missing_segments
from repo_mcp.cli.search.request import SearchRequest, any_line
from repo_mcp.cli.search.scope import shown_path
from repo_mcp.cli.search.style import Style
from repo_mcp.console import print_json
from repo_mcp.errors import Problem
from repo_mcp.model import Suggestion
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import (
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    FileCount,
    LineMatch,
    Span,
    StructureEngine,
    is_small,
)
from repo_mcp.services import Services
from repo_mcp.text.cutting import cut_around, replaced, replacement_pieces, stretches
from repo_mcp.text.plurals import counted

_SUGGESTING_SECONDS: Final = 0.3
# characters of a long line on a terminal, and how many of them before the first match
_WIDEST: Final = 300
_BEFORE: Final = 100


def plan_exact(
    request: SearchRequest, args: CommandLine, services: Services, printing: Printing
) -> SearchPlan:
    """Finds matching lines in a snapshot, or in files, and prints them as they are found.

    Files, counts, and lines by the age of files are part of the answer.
    """
    is_structure = request.mode == STRUCTURE
    engine = (StructureEngine if is_structure else ExactEngine)(
        services.sandbox, printing.distributed
    )
    without = args.files_without_match
    of_files = args.count or args.files_with_matches or without
    lines, by_time = LineFormat(args, printing.style), args.sort == "modified"
    of_lines = not (of_files or args.quiet)
    show, passes = None, of_lines and args.passthru
    if of_lines and not by_time:
        show = LinePrinter(lines, printing.out, args, request.scope.folder)
    query = ExactQuery(
        (any_line(request) if passes else request.query,),
        regex=passes or request.mode == "regex",
        ignore_case=_ignores_case(request, args),
        whole_word=args.word,
        context=0 if of_files else max(_context_of(args)),
        limit=0 if of_files else 1 if args.quiet else args.top,
        allowed=None if request.scope.is_everything else request.scope.allows,
        columns=lines.shows_matches or args.json,
        per_file=args.max_count,
        inverted=args.invert_match,
        languages=tuple(args.type or ()) if is_structure else (),
        bindings=is_structure and args.json,
    )

    def ask(snapshot: Snapshot) -> Answer:
        found = engine.find(snapshot, query, services.budget, show)
        if without:
            return shape(_others(found, snapshot.paths(), request), ())
        suggested: tuple[Suggestion, ...] = ()
        if not (found.per_file or query.regex or is_structure):
            limit = services.budget.within(_SUGGESTING_SECONDS)
            suggested = search.suggest_queries(snapshot, request.query, limit)
        return shape(found, suggested)

    def scan(paths: Iterable[str]) -> Answer:
        limit = services.budget.within(SCAN_SECONDS)
        several = sorted(paths)
        found = engine.find_in(several, query, limit, show)
        return shape(_others(found, several, request) if without else found, ())

    def shape(found: ExactAnswer, suggested: tuple[Suggestion, ...]) -> Answer:
        if by_time:
            found = _oldest_first(found, services.sandbox)
        answer = _answer(found, suggested, lambda style: _shown(found, lines, args, style))
        return answer._replace(found=show.has_matched) if passes and show else answer

    return SearchPlan(ask, scan)


def _ignores_case(request: SearchRequest, args: CommandLine) -> bool:
    if args.case_sensitive:
        return False
    small = args.smart_case and is_small(request.query, regex=request.mode == "regex")
    return bool(args.ignore_case or small)


def _answer(
    found: ExactAnswer,
    suggested: tuple[Suggestion, ...],
    lines: Callable[[Style], Iterator[str]],
) -> Answer:
    def records() -> Iterator[dict[str, Any]]:
        yield from map(_match_record, found.matches)
        yield from ({"type": "file", **count._asdict()} for count in found.per_file)

    return Answer(
        bool(found.per_file),
        found.complete,
        records,
        lambda: {
            "files_looked_at": found.files_looked_at,
            **missing_segments(found.warnings),
        },
        lines,
        warnings=tuple(item.text for item in found.warnings),
        suggestions=suggested,
    )


def _others(found: ExactAnswer, paths: Iterable[str], request: SearchRequest) -> ExactAnswer:
    """The files without a match instead of those with one."""
    matching = {count.path for count in found.per_file}
    others = sorted(path for path in paths if path not in matching and request.scope.allows(path))
    return replace(found, per_file=tuple(FileCount(path, 0) for path in others))


def _oldest_first(found: ExactAnswer, sandbox: Sandbox) -> ExactAnswer:
    """The answer in the order in which its files were modified."""
    times = {count.path: _modified(sandbox, count.path) for count in found.per_file}
    return replace(
        found,
        per_file=tuple(sorted(found.per_file, key=lambda count: times[count.path])),
        matches=sorted(found.matches, key=lambda match: times[match.path]),
    )


def _modified(sandbox: Sandbox, path: str) -> int:
    try:
        return sandbox.file_key(path).mtime_ns
    except Problem:  # it is gone
        return 0


def _shown(found: ExactAnswer, lines: LineFormat, args: CommandLine, style: Style) -> Iterator[str]:
    """The text after the lines that were printed as they were found."""
    if args.count or args.files_with_matches or args.files_without_match:
        for count in found.per_file[: args.top]:
            yield lines.file(count, counted=args.count)
        return
    for path, matches in groupby(found.matches, key=lambda match: match.path):
        yield from lines.lines(path, [*matches])
    if args.stats:
        yield from ("", *_statistics(found))
    elif style.terminal and found.per_file:
        yield from ("", _total(found))


def _statistics(found: ExactAnswer) -> Iterator[str]:
    """Counts as ripgrep words them."""
    yield f"{sum(count.lines for count in found.per_file)} matched lines"
    yield f"{len(found.per_file)} files contained matches"
    yield f"{found.files_looked_at} files searched, which the index left of all"


def _total(found: ExactAnswer) -> str:
    """The number of matching lines and files."""
    lines = sum(count.lines for count in found.per_file)
    least = not found.complete
    files = counted(len(found.per_file), "file", least=least)
    return f"{counted(lines, 'matching line', least=least)} in {files}"


class _Row(NamedTuple):
    """A line of output; `columns` is None for a context line.

    `first` is the byte at which its first match begins in the line of the file, counted from 1.
    """

    number: int
    text: str
    columns: tuple[Span, ...] | None
    first: int = 1


def _context_of(args: CommandLine) -> tuple[int, int]:
    """Lines before and after a match."""
    if args.only_matching or args.passthru or args.vimgrep:
        return 0, 0
    around = args.context or 0
    before, after = args.before_context, args.after_context
    return around if before is None else before, around if after is None else after


class LineFormat:
    """Formats the lines of each file as the command line says; made for one output."""

    def __init__(self, args: CommandLine, style: Style) -> None:
        """Raises `Problem` for a replacement that has more than the whole match."""
        self._style = style
        self._around = _context_of(args)
        self._parts = args.only_matching
        self._every = args.vimgrep
        self._column = args.column or args.vimgrep
        self._named = not args.no_filename
        self._heading = style.heading and self._named and not args.vimgrep
        self._behind = "\0" if args.null else ""
        self._replacement = None if args.replace is None else replacement_pieces(args.replace)
        if args.replace is not None and self._replacement is None:
            text = "groups are not kept, only $0, the whole match; $$ is a dollar sign"
            raise Problem("argument_invalid", f"-r {args.replace}: {text}")
        self._passthru = args.passthru
        self._begun = False
        # what stands behind the number of a line: of one that matches, and of one beside it
        self._marks = style("aside", ":"), style("aside", "-")

    @property
    def shows_matches(self) -> bool:
        """True if it matters where a line matches, and not only that it does."""
        is_cut = self._style.terminal or self._style.columns is not None
        is_shown = self._parts or self._every or self._column or self._passthru
        return is_shown or is_cut or self._style.colours or self._replacement is not None

    def file(self, count: FileCount, *, counted: bool) -> str:
        """A file on a line of its own, or with its count."""
        if not counted:
            return self._style.path(count.path) + self._behind
        mark = self._behind or ":"
        return (self._style.path(count.path) + mark if self._named else "") + str(count.lines)

    def lines(self, path: str, matches: Sequence[LineMatch]) -> Iterator[str]:
        """The lines of a file and those around them."""
        shown = self._style.path(path)
        if self._heading:
            yield from [""] if self._begun else []
            yield shown + self._behind
        if not (self.shows_matches or any(self._around)):
            self._begun = True
            head = "" if self._heading or not self._named else shown + (self._behind or ":")
            marked = self._style.marked
            yield from (f"{head}{match.line}:{marked(match.text, ())}" for match in matches)
            return
        for number, block in enumerate(_blocks(matches, *self._around)):
            if any(self._around) and (number or (self._begun and not self._heading)):
                yield self._style("aside", "--")
            self._begun = True
            for row in self._rows(block):
                yield self._line(shown, row)

    def _rows(self, rows: Iterable[_Row]) -> Iterator[_Row]:
        """A row for each match where that is wanted."""
        for row in rows:
            spans = row.columns
            if self._passthru and not spans:
                yield row._replace(columns=None)
            elif spans and (self._parts or self._every):
                for span in spans:
                    yield _part(row, span) if self._parts else _from(row, (span,))
            elif not self._parts:
                yield _from(row, spans) if spans and self._column else row

    def _line(self, path: str, row: _Row) -> str:
        style = self._style
        mark = self._marks[row.columns is None]
        text, columns = row.text, row.columns or ()
        if self._replacement is not None:
            text, columns = replaced(text, columns, self._replacement)
        widest = style.columns or (_WIDEST if style.terminal else 0)
        if widest:
            text, columns = cut_around(text, columns, widest, min(_BEFORE, widest // 3))
        place = f"{style('line', str(row.number)) if style.colours else row.number}{mark}"
        if self._column and row.columns is not None:
            place += f"{row.first}{mark}"
        if self._named and not self._heading:
            place = path + (self._behind or mark) + place
        return place + style.marked(text, columns)


class LinePrinter:
    """Prints the lines of a file as soon as they are found."""

    def __init__(self, lines: LineFormat, out: PagedOutput, args: CommandLine, folder: str) -> None:
        self._format = lines
        self._out = out
        self._json = args.json
        self._folder = folder
        self._last = ""
        # true if a line was printed that the pattern itself matches, if all are printed
        self.has_matched = False

    def __call__(self, count: FileCount, matches: Sequence[LineMatch]) -> None:
        """Print a file's lines, once: a damaged index is searched again from its beginning."""
        if count.path <= self._last:
            return
        self._last = count.path
        self.has_matched = self.has_matched or any(match.columns for match in matches)
        if self._json:
            path = shown_path(count.path, self._folder)
            for match in matches:
                print_json(_match_record(match) | {"path": path})
        else:
            self._out.write_all(self._format.lines(count.path, matches))
        self._out.flush()


def _match_record(match: LineMatch) -> dict[str, object]:
    """A matching line as JSON, with the structural matches that begin in it."""
    trees = [{**values_of(tree), "bindings": dict(tree.bindings)} for tree in match.trees]
    values = {"type": "match", **values_of(match), "trees": trees}
    if not trees:
        del values["trees"]
    return values


def _from(row: _Row, spans: tuple[Span, ...]) -> _Row:
    """The row with these of its matches, and the place of the first."""
    begin = spans[0][0] if spans else 0
    return _Row(row.number, row.text, spans, len(row.text[:begin].encode()) + 1)


def _part(row: _Row, span: Span) -> _Row:
    begin, end = span
    first = len(row.text[:begin].encode()) + 1
    return _Row(row.number, row.text[begin:end], ((0, end - begin),), first)


def _blocks(matches: Sequence[LineMatch], above: int, below: int) -> Iterator[list[_Row]]:
    """Blocks of consecutive lines of one file, without duplicates; one of all without context."""
    if not (above or below):
        yield [_Row(match.line, match.text, match.columns) for match in matches]
        return
    rows: dict[int, _Row] = {}
    for match in matches:
        shown = match.before[-above:] if above else ()
        before = enumerate(shown, match.line - len(shown))
        after = enumerate(match.after[:below], match.line + 1)
        for number, text in chain(before, after):
            if number not in rows:
                rows[number] = _Row(number, text, None)
        rows[match.line] = _Row(match.line, match.text, match.columns)
    for first, last in stretches(sorted(rows)):
        yield [rows[number] for number in range(first, last + 1)]
