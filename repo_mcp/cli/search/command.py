"""The command `search`: searches the index and prints the result as text or JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from index_format import Snapshot
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.search.arguments import RANKED
from repo_mcp.cli.search.environment import has_waiting_input
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.pager import PagedOutput, PagerLeftError
from repo_mcp.cli.search.plan import Answer, Printing, SearchPlan, outdated
from repo_mcp.cli.search.request import SearchRequest, read_request
from repo_mcp.cli.search.scope import shown_path
from repo_mcp.cli.search.style import Style, style_of
from repo_mcp.console import flush, print_json, print_line
from repo_mcp.model import Suggestion
from repo_mcp.services import Services

if TYPE_CHECKING:  # few use a cluster
    from repo_mcp.search import OpenDistributed

_FOUND: Final = 0
_NOTHING: Final = 1
_NOT_FROM_INPUT: Final = (
    "note: files of the repository were searched, not standard input; use grep or rg for that"
)


class SearchCommand:
    """One run of the command."""

    def __init__(
        self,
        args: CommandLine,
        services: Services,
        notes: Sequence[str] = (),
        instead: Callable[[], SearchCommand | None] = lambda: None,
    ) -> None:
        """Load the engine; raises `Problem` for options that exclude each other.

        Where nothing is found, another search may be made `instead`.
        """
        self._args = args
        self._notes = notes
        self._instead = instead
        self._services = services
        self._request = read_request(args, services)
        self._closing = ExitStack()
        distributed = None if args.engine is None else self._open_distributed(args)
        scope = self._request.scope
        self._style = style_of(sys.stdout, args, services.roots, scope.folder)
        ends_itself = args.null and (args.files or args.files_with_matches)
        self._out = PagedOutput(use=args.pager, end="" if ends_itself else "\n")
        printing = Printing(self._out, self._style, distributed)
        self._plan = _plan_search(self._request, args, services, printing)

    def run(self) -> int:
        """Print the result; returns the exit code."""
        with self._closing:
            try:
                return self._run()
            except PagerLeftError:
                return _FOUND

    def _open_distributed(self, args: CommandLine) -> OpenDistributed:
        """A future that lets workers of a cluster search a snapshot, once they are ready."""
        from repo_mcp.remote.cluster import DistributedSearch  # noqa: PLC0415 few use a cluster

        settings, budget = self._services.settings, self._services.budget
        search = DistributedSearch.of(args.engine, settings.data_dir, args.segments)
        self._closing.callback(search.close)
        return lambda snapshot, _: search.wait(snapshot, budget)

    def _run(self) -> int:
        index, answer = self._find()
        if not answer.found and self._request.scope.is_everything:
            other = self._instead()
            if other is not None:
                found = other._find()  # noqa: SLF001 it is another of these
                if found[1].found:
                    return other._print(*found)  # noqa: SLF001 as above
        return self._print(index, answer)

    def _find(self) -> tuple[CommandIndex, Answer]:
        args = self._args
        index = CommandIndex(
            self._services,
            refresh=args.refresh,
            stale_ok=args.stale_ok,
            of_lines=self._request.mode != RANKED,
        )
        return index, self._answer(index)

    def _print(self, index: CommandIndex, answer: Answer) -> int:
        args = self._args
        warnings = [*self._notes, *index.warnings, *answer.warnings]
        if args.json and not args.quiet:
            self._print_json(answer, index, warnings)
        elif not args.quiet:
            self._show(answer, warnings)
        index.tidy()
        return _FOUND if answer.found else _NOTHING

    def _answer(self, index: CommandIndex) -> Answer:
        """The answer; that nothing or no such word was found is said of all files as they are."""
        answer = index.answer(self._plan.ask, outdated)
        if (answer.found and not answer.lacking) or index.is_current:
            return answer
        if index.catch_up():
            return index.answer(self._plan.ask, outdated)
        scanned = self._plan.scan(index.unindexed)
        return scanned if scanned.found else answer

    def _print_json(self, answer: Answer, index: CommandIndex, warnings: Sequence[str]) -> None:
        """Print an object a line, in ASCII; the last one has what is not of a single hit."""
        request = self._request
        for record in answer.records():
            print_json({**record, "path": shown_path(record["path"], request.scope.folder)})
        facts = {
            "type": "summary",
            # a query may have lone surrogates, which most programs refuse
            "query": request.query.encode(errors="replace").decode(),
            "mode": request.mode,
            **answer.facts(),
            "warnings": warnings,
            "suggestions": [_facts(item) for item in answer.suggestions],
            "generation": index.generation,
            "complete": index.complete and answer.complete,
            "compared": index.compared,
        }
        print_json(facts)
        flush()

    def _show(self, answer: Answer, warnings: Sequence[str]) -> None:
        """Print the result, then warnings and suggestions on standard error."""
        if answer.notice:
            complain(answer.notice)
        for line in answer.lines(self._style):
            self._out.write(line)
        self._out.close()
        flush()  # before standard error
        for warning in warnings:
            complain(f"warning: {warning}")
        if not answer.found:
            complain(f"nothing found{self._request.scope.describe()}")
        if self._request.mode not in {"", RANKED} and has_waiting_input():
            complain(_NOT_FROM_INPUT)
        for item in answer.suggestions:
            complain(_suggestion_text(item))


def list_types(args: CommandLine) -> int:
    """Print the types that -t knows."""
    from repo_mcp.search import language_endings, language_names  # noqa: PLC0415 rarely used

    for name in sorted(language_names()):
        endings = [ending.removeprefix("/") for ending in language_endings(name)]
        if args.json:
            print_json({"type": "file_type", "name": name, "endings": endings})
        else:
            print_line(f"{name}: {', '.join(endings)}")
    return _FOUND


def _plan_search(
    request: SearchRequest, args: CommandLine, services: Services, printing: Printing
) -> SearchPlan:
    if not request.mode:
        return _plan_files(request, args, services)
    if request.mode == RANKED:
        from repo_mcp.cli.search.ranked import plan_ranked  # noqa: PLC0415 only one is needed

        return plan_ranked(request, args, services, printing.distributed)
    from repo_mcp.cli.search.exact import plan_exact  # noqa: PLC0415 as above

    return plan_exact(request, args, services, printing)


def _suggestion_text(item: Suggestion) -> str:
    what = "the file " if item.kind == "path" else ""
    return f"did you mean {what}{item.text!r}? ({item.why})"


def _facts(item: Suggestion) -> dict[str, str]:
    return {"kind": item.kind, "text": item.text, "why": item.why}


def _plan_files(request: SearchRequest, args: CommandLine, services: Services) -> SearchPlan:
    """Finds the files in a snapshot, or takes those that are named."""

    def ask(snapshot: Snapshot) -> Answer:
        services.budget.check()
        return scan(snapshot.paths())

    def scan(paths: Iterable[str]) -> Answer:
        found = sorted(filter(request.scope.allows, paths))
        complete = args.top is None or len(found) <= args.top
        return _answer_of_files(found[: args.top], "\0" if args.null else "", complete=complete)

    return SearchPlan(ask, scan)


def _answer_of_files(paths: list[str], behind: str, *, complete: bool) -> Answer:
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
