"""Lists the files that a search would look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from index_format import Snapshot
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.plan import Answer, SearchPlan
from repo_mcp.cli.search.request import SearchRequest
from repo_mcp.cli.search.style import Style
from repo_mcp.services import Services


def plan_files(request: SearchRequest, args: CommandLine, services: Services) -> SearchPlan:
    """Finds the files in a snapshot, or takes those that are named."""

    def ask(snapshot: Snapshot) -> Answer:
        services.budget.check()
        return scan(snapshot.paths())

    def scan(paths: Iterable[str]) -> Answer:
        found = sorted(filter(request.scope.allows, paths))
        complete = args.top is None or len(found) <= args.top
        return _answer(found[: args.top], "\0" if args.null else "", complete=complete)

    return SearchPlan(ask, scan)


def _answer(paths: list[str], behind: str, *, complete: bool) -> Answer:
    def lines(style: Style) -> Iterator[str]:
        return (style.path(path) + behind for path in paths)

    return Answer(
        bool(paths),
        complete,
        lambda: ({"type": "file", "path": path} for path in paths),
        lambda: {"files": len(paths)},
        lines,
        (),
    )
