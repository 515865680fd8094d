"""The command `bundle`: a context bundle as Markdown or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from index_format import Snapshot
from repo_mcp.bundle import (
    DEFAULT_MAX_FILES,
    DEFAULT_MAX_TOTAL_LINES,
    Bundle,
    BundleRequest,
    LocalBundler,
    Ranker,
    keep_last_bundle,
    render_page,
)
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.plan import Answer, outdated
from repo_mcp.cli.search.ranked import open_engine
from repo_mcp.cli.search.style import Style, style_of
from repo_mcp.cli.state.html_file import need_pages, write_html
from repo_mcp.console import flush, print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.question.parse import clean_prompt
from repo_mcp.services import Services

if TYPE_CHECKING:  # most repositories have no graph
    from code_graph.query.snapshot import GraphSnapshot

_FOUND: Final = 0
_NOTHING: Final = 1
_STANDARD_INPUT: Final = "-"
# of a page
_COLOUR_SECONDS: Final = 2.0


class BundleQuery:
    """One run of the command."""

    def __init__(self, args: CommandLine, services: Services) -> None:
        """Read the prompt from standard input if it is `-`."""
        prompt = sys.stdin.read() if args.prompt == _STANDARD_INPUT else args.prompt
        self._json, self._html = args.json, args.html
        if self._html:
            need_pages()
        self._services = services
        most = services.settings.limits.max_bundle_files
        files = args.max_files or min(DEFAULT_MAX_FILES, most)
        if files > most:
            complain(f"note: max_files is limited to {most} by max_bundle_files")
        self._request = BundleRequest(
            prompt,
            max_files=min(files, most),
            max_total_lines=args.max_lines or DEFAULT_MAX_TOTAL_LINES,
            max_tokens=args.max_tokens or 0,
            include_tests=args.tests,
            audit=args.audit,
        )
        self._refresh, self._stale_ok = args.refresh, args.stale_ok
        ranker = Ranker(open_engine(services, prompt))
        self._bundler = LocalBundler(services.sandbox, services.languages, ranker)
        self._bundle: Bundle | None = None

    def run(self) -> int:
        """Print the bundle and keep it as the last one; returns the exit code."""
        index = CommandIndex(self._services, refresh=self._refresh, stale_ok=self._stale_ok)
        answer = index.answer(self._answer, outdated)
        # files that match best may be among the others, and everyday words decide without
        # declarations
        if not (index.has_all_words or self._stale_ok):
            if not index.catch_up():
                raise Problem("index_behind")
            answer = index.answer(self._answer, outdated)
        warnings = [*index.warnings, *answer.warnings]
        if self._bundle is not None:
            failed = keep_last_bundle(self._services.settings.data_dir, self._bundle)
            warnings += [failed] if failed else []
        if self._html and self._bundle is not None:
            self._write_page(self._bundle, warnings)
        elif self._json:
            facts = {
                "prompt": clean_prompt(self._request.prompt),
                **answer.facts(),
                "warnings": warnings,
            }
            print_json(facts)
            flush()
        else:
            _show(answer, warnings)
        index.tidy()
        return _FOUND if answer.found else _NOTHING

    def _write_page(self, bundle: Bundle, warnings: list[str]) -> None:
        from repo_mcp.web.pages.bundle import bundle_values  # noqa: PLC0415 few commands make pages

        record = {
            **bundle.as_record(),
            "prompt": clean_prompt(self._request.prompt),
            "warnings": warnings,
        }
        budget = self._services.budget.within(_COLOUR_SECONDS)
        values = {**bundle_values(record, budget), "prompt": ""}
        write_html(self._html, "bundle.html", values)

    def _answer(self, snapshot: Snapshot) -> Answer:
        budget, graph = self._services.budget, self._graph()
        bundle = self._bundler.build(snapshot, self._request, budget, graph)
        self._bundle = bundle

        def lines(_: Style) -> Iterator[str]:
            page = render_page(bundle, clean_prompt(self._request.prompt))
            yield from page.removesuffix("\n").split("\n")

        def facts() -> dict[str, Any]:
            return bundle.as_result()

        outdated = tuple(sorted({item.path for item in bundle.excerpts if item.stale}))
        complete = bundle.audit.complete
        return Answer(
            bool(bundle.excerpts),
            complete,
            lambda: iter(()),
            facts,
            lines,
            bundle.warnings,
            outdated=outdated,
        )

    def _graph(self) -> GraphSnapshot | None:
        """The symbol graph that is linked already; a command for bundles links none."""
        linked = self._services.manager.graph().snapshot
        if linked is None:
            return None
        from code_graph.query.snapshot import GraphSnapshot  # noqa: PLC0415 as above

        return GraphSnapshot(linked)


def _show(answer: Answer, warnings: list[str]) -> None:
    """Print the page, which has the bundle's warnings; those of the index go to standard error."""
    for line in answer.lines(style_of(sys.stdout)):
        print_line(line)
    flush()  # before standard error
    for warning in warnings:
        if warning not in answer.warnings:
            complain(f"warning: {warning}")
