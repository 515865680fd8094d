"""Exact search on the command line: lines in the format of grep, and their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from index_format import Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.arguments import STRUCTURE
from repo_mcp.cli.search.lines import LineFormat, LinePrinter, context_of, match_record
from repo_mcp.cli.search.plan import SCAN_SECONDS, Answer, Printing, SearchPlan, missing_segments
from repo_mcp.cli.search.request import SearchRequest, any_line
from repo_mcp.cli.search.style import Style
from repo_mcp.errors import Problem
from repo_mcp.model import Suggestion
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import (
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    FileCount,
    StructureEngine,
    is_small,
)
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted

_SUGGESTING_SECONDS: Final = 0.3


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
        context=0 if of_files else max(context_of(args)),
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
            suggested = _suggestions(snapshot, request.query, limit)
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


def _suggestions(snapshot: Snapshot, text: str, budget: Budget) -> tuple[Suggestion, ...]:
    from repo_mcp.search import suggest_queries  # noqa: PLC0415 only needed without matches

    return suggest_queries(snapshot, text, budget)


def _answer(
    found: ExactAnswer,
    suggested: tuple[Suggestion, ...],
    lines: Callable[[Style], Iterator[str]],
) -> Answer:
    def records() -> Iterator[dict[str, Any]]:
        yield from map(match_record, found.matches)
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
