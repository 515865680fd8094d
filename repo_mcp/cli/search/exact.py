"""Exact search on the command line: lines in the format of grep, and their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final

from index_format import Snapshot
from index_format.records import replace, values_of
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.arguments import STRUCTURE
from repo_mcp.cli.search.request import SearchRequest
from repo_mcp.cli.search.style import SCAN_SECONDS, Answer, SearchPlan, Style, missing_segments
from repo_mcp.model import Suggestion
from repo_mcp.repository.services import Services
from repo_mcp.search import (
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    FileCount,
    LineMatch,
    Span,
    Spread,
    StructureEngine,
    is_small,
)
from repo_mcp.text.cutting import cut_around
from repo_mcp.text.english.plurals import counted

_SUGGESTING_SECONDS: Final = 0.3
# characters of a long line on a terminal, and how many of them before the first match
_WIDEST: Final = 300
_BEFORE: Final = 100


class _Row(NamedTuple):
    """A line of output; `columns` is None for a context line."""

    number: int
    text: str
    columns: tuple[Span, ...] | None


def plan_exact(
    request: SearchRequest, args: CommandLine, services: Services, spread: Spread | None = None
) -> SearchPlan:
    """Finds matching lines in a snapshot, or in files."""
    is_structure = request.mode == STRUCTURE
    engine = (StructureEngine if is_structure else ExactEngine)(services.sandbox, spread)
    regex, without = request.mode == "regex", args.files_without_match
    of_files = args.count or args.files_with_matches or without
    before, after = (0, 0) if args.only_matching else _context(args)
    query = ExactQuery(
        (request.query,),
        regex=regex,
        ignore_case=_ignores_case(request, args),
        whole_word=args.word,
        context=0 if of_files else max(before, after),
        limit=0 if of_files else 1 if args.quiet else args.top,
        allowed=None if request.scope.is_everything else request.scope.allows,
        per_file=args.max_count,
        inverted=args.invert_match,
        languages=tuple(args.type or ()) if is_structure else (),
        bindings=is_structure and args.json,
    )

    def ask(snapshot: Snapshot) -> Answer:
        found = engine.find(snapshot, query, services.budget)
        if without:
            return shape(_others(found, snapshot.paths(), request), ())
        suggested: tuple[Suggestion, ...] = ()
        if not (found.per_file or query.regex or is_structure):
            limit = services.budget.within(_SUGGESTING_SECONDS)
            suggested = _suggestions(snapshot, request.query, limit)
        return shape(found, suggested)

    def scan(paths: Iterable[str]) -> Answer:
        limit = services.budget.within(SCAN_SECONDS)
        several = sorted(paths)
        found = engine.find_in(several, query, limit)
        return shape(_others(found, several, request) if without else found, ())

    def shape(found: ExactAnswer, suggested: tuple[Suggestion, ...]) -> Answer:
        if of_files:
            rows = found.per_file[: args.top]
            answer = _answer(found, suggested)
            return answer._replace(lines=lambda style: _files(rows, style, count=args.count))
        lines = partial(_lines, found, around=(before, after), parts=args.only_matching)
        return _answer(found, suggested)._replace(lines=lines)

    return SearchPlan(ask, scan)


def _ignores_case(request: SearchRequest, args: CommandLine) -> bool:
    if args.case_sensitive:
        return False
    small = args.smart_case and is_small(request.query, regex=request.mode == "regex")
    return bool(args.ignore_case or small)


def _context(args: CommandLine) -> tuple[int, int]:
    """Lines before and after a match."""
    around = args.context or 0
    before, after = args.before_context, args.after_context
    return around if before is None else before, around if after is None else after


def _suggestions(snapshot: Snapshot, text: str, budget: Budget) -> tuple[Suggestion, ...]:
    from repo_mcp.search import suggest_queries  # noqa: PLC0415 only needed without matches

    return suggest_queries(snapshot, text, budget)


def _answer(found: ExactAnswer, suggested: tuple[Suggestion, ...]) -> Answer:
    def records() -> Iterator[dict[str, Any]]:
        yield from map(_record, found.matches)
        yield from ({"type": "file", **count._asdict()} for count in found.per_file)

    return Answer(
        bool(found.per_file),
        found.complete,
        records,
        lambda: {
            "files_looked_at": found.files_looked_at,
            **missing_segments(found.warnings),
        },
        lines=lambda style: _lines(found, style, around=(0, 0)),
        warnings=tuple(item.text for item in found.warnings),
        suggestions=suggested,
    )


def _record(match: LineMatch) -> dict[str, Any]:
    """A line as JSON, with the structural matches that begin in it."""
    trees = [{**values_of(tree), "bindings": dict(tree.bindings)} for tree in match.trees]
    values = {**values_of(match), "trees": trees}
    return {"type": "match", **{name: values[name] for name in values if name != "trees" or trees}}


def _others(found: ExactAnswer, paths: Iterable[str], request: SearchRequest) -> ExactAnswer:
    """The files without a match instead of those with one."""
    matching = {count.path for count in found.per_file}
    others = sorted(path for path in paths if path not in matching and request.scope.allows(path))
    return replace(found, per_file=tuple(FileCount(path, 0) for path in others))


def _files(rows: Sequence[FileCount], style: Style, *, count: bool) -> Iterator[str]:
    """The files with matching lines, in the order of their paths."""
    for path, lines in rows:
        yield style.path(path) + (f":{lines}" if count else "")


def _lines(
    found: ExactAnswer, style: Style, *, around: tuple[int, int], parts: bool = False
) -> Iterator[str]:
    """The lines by file with those around them, or the `parts` of them that match."""
    first = True
    for path, matches in groupby(found.matches, key=lambda match: match.path):
        if style.heading:
            yield from ([] if first else [""])
            yield style.path(path)
        for number, block in enumerate(_blocks(list(matches), *around)):
            if any(around) and (number or not (first or style.heading)):
                yield style("aside", "--")
            first = False
            for row in _parts(block) if parts else block:
                yield _line(path, row, style)
    if style.terminal and found.matches:
        yield ""
        yield _total(found)


def _blocks(matches: Sequence[LineMatch], above: int, below: int) -> Iterator[list[_Row]]:
    """Blocks of consecutive lines of one file, without duplicates."""
    rows: dict[int, _Row] = {}
    for match in matches:
        shown = match.before[-above:] if above else ()
        before = enumerate(shown, match.line - len(shown))
        after = enumerate(match.after[:below], match.line + 1)
        for number, text in (*before, *after):
            rows.setdefault(number, _Row(number, text, None))
        rows[match.line] = _Row(match.line, match.text, match.columns)
    numbered = enumerate(rows[number] for number in sorted(rows))
    for _, block in groupby(numbered, key=lambda item: item[1].number - item[0]):
        yield [row for _, row in block]


def _parts(rows: Iterable[_Row]) -> Iterator[_Row]:
    """A row for each match."""
    for row in rows:
        for begin, end in row.columns or ():
            yield _Row(row.number, row.text[begin:end], ((0, end - begin),))


def _line(path: str, row: _Row, style: Style) -> str:
    mark = style("aside", "-" if row.columns is None else ":")
    text, columns = row.text, row.columns or ()
    widest = style.columns or (_WIDEST if style.terminal else 0)
    if widest:
        text, columns = cut_around(text, columns, widest, min(_BEFORE, widest // 3))
    place = f"{style('line', str(row.number))}{mark}"
    above = "" if style.heading else f"{style.path(path)}{mark}"
    return above + place + style.marked(text, columns)


def _total(found: ExactAnswer) -> str:
    """The number of matching lines and files."""
    lines = sum(count.lines for count in found.per_file)
    least = not found.complete
    files = counted(len(found.per_file), "file", least=least)
    return f"{counted(lines, 'matching line', least=least)} in {files}"
