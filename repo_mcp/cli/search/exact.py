"""Exact search on the command line: lines in the format of grep, and their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.app import Services
from repo_mcp.budget import Budget
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.style import SCAN_SECONDS, Answer, SearchPlan, Style
from repo_mcp.model import Suggestion
from repo_mcp.search import (
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    FileCount,
    LineMatch,
    Span,
    is_small,
)
from repo_mcp.text.cutting import cut_around
from repo_mcp.text.globs import Glob

_TOP: Final = 100
_SUGGESTING_SECONDS: Final = 0.3
# characters of a long line on a terminal, and how many of them before the first match
_WIDEST: Final = 300
_BEFORE: Final = 100
# most files in the list of counts
_MOST_COUNTS: Final = 20


class _Row(NamedTuple):
    """A line of output; `columns` is None for a context line."""

    number: int
    text: str
    columns: tuple[Span, ...] | None


def plan_exact(args: CommandLine, services: Services) -> SearchPlan:
    """Finds matching lines in a snapshot, or in files."""
    engine = ExactEngine(services.sandbox)
    regex, of_files = args.mode == "regex", args.count or args.files
    is_folded = args.smart_case and is_small(args.query, regex=regex)
    query = ExactQuery(
        (args.query,),
        regex=regex,
        ignore_case=args.ignore_case or is_folded,
        whole_word=args.word,
        context=0 if of_files else args.context or 0,
        limit=0 if of_files else args.top or _TOP,
        allowed=None if args.glob is None else Glob(args.glob).matches,
    )

    def ask(snapshot: Snapshot) -> Answer:
        found = engine.find(snapshot, query, services.budget)
        suggested: tuple[Suggestion, ...] = ()
        if not (found.per_file or query.regex):
            limit = services.budget.within(_SUGGESTING_SECONDS)
            suggested = _suggestions(snapshot, args.query, limit)
        return shape(found, suggested)

    def scan(paths: Iterable[str]) -> Answer:
        limit = services.budget.within(SCAN_SECONDS)
        return shape(engine.find_in(sorted(paths), query, limit), ())

    def shape(found: ExactAnswer, suggested: tuple[Suggestion, ...]) -> Answer:
        answer = _answer(found, query, suggested)
        if of_files:
            answer = answer._replace(lines=lambda style: _files(found, style, args))
        return answer

    return SearchPlan(ask, scan)


def _suggestions(snapshot: Snapshot, text: str, budget: Budget) -> tuple[Suggestion, ...]:
    from repo_mcp.search import suggest_queries  # noqa: PLC0415 only needed without matches

    return suggest_queries(snapshot, text, budget)


def _answer(found: ExactAnswer, query: ExactQuery, suggested: tuple[Suggestion, ...]) -> Answer:
    return Answer(
        bool(found.per_file),
        found.complete,
        facts=lambda: {
            "matches": [asdict(match) for match in found.matches],
            "per_file": [count._asdict() for count in found.per_file],
            "files_looked_at": found.files_looked_at,
        },
        lines=lambda style: _lines(found, style, has_context=bool(query.context)),
        warnings=tuple(item.text for item in found.warnings),
        suggestions=suggested,
    )


def _files(found: ExactAnswer, style: Style, args: CommandLine) -> Iterator[str]:
    """The files with matching lines, in the order of their paths: all, or `--top` of them."""
    for path, count in found.per_file[: args.top]:
        yield style("path", path) + (f":{count}" if args.count else "")


def _lines(found: ExactAnswer, style: Style, *, has_context: bool) -> Iterator[str]:
    first = True
    for path, matches in groupby(found.matches, key=lambda match: match.path):
        for block in _blocks(list(matches)):
            if has_context and not first:
                yield style("aside", "--")
            first = False
            for row in block:
                yield _line(path, row, style)
    if style.terminal and found.matches:
        yield ""
        yield from _counts(found.per_file, style, complete=found.complete)


def _blocks(matches: Sequence[LineMatch]) -> Iterator[list[_Row]]:
    """Blocks of consecutive lines of one file, without duplicates."""
    rows: dict[int, _Row] = {}
    for match in matches:
        before = enumerate(match.before, match.line - len(match.before))
        after = enumerate(match.after, match.line + 1)
        for number, text in (*before, *after):
            rows.setdefault(number, _Row(number, text, None))
        rows[match.line] = _Row(match.line, match.text, match.columns)
    numbered = enumerate(rows[number] for number in sorted(rows))
    for _, block in groupby(numbered, key=lambda item: item[1].number - item[0]):
        yield [row for _, row in block]


def _line(path: str, row: _Row, style: Style) -> str:
    mark = style("aside", "-" if row.columns is None else ":")
    text, columns = row.text, row.columns or ()
    if style.terminal:
        text, columns = cut_around(text, columns, _WIDEST, _BEFORE)
    place = f"{style('path', path)}{mark}{style('line', str(row.number))}{mark}"
    return place + style.marked(text, columns)


def _counts(counts: Sequence[FileCount], style: Style, *, complete: bool) -> Iterator[str]:
    """The number of matching lines, in total and in the files with most of them."""
    lines = sum(count.lines for count in counts)
    least = "" if complete else " or more"
    yield f"{lines}{least} matching line(s) in {len(counts)}{least} file(s)"
    fullest = sorted(counts, key=lambda count: -count.lines)[:_MOST_COUNTS]
    width = len(str(fullest[0].lines))
    for count in fullest:
        yield f"{count.lines:>{width}}  {style('path', count.path)}"
    if len(counts) > len(fullest):
        yield f"and {len(counts) - len(fullest)} more file(s)"
