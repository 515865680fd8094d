"""The command `bundle`: the excerpts that a task needs, as a page or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, Final

from index_format import Snapshot
from repo_mcp.app import Services
from repo_mcp.bundle import (
    DEFAULT_MAX_FILES,
    DEFAULT_MAX_TOTAL_LINES,
    Bundle,
    BundleRequest,
    LocalBundler,
    clean_prompt,
    keep_last_bundle,
    render_page,
)
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.style import Answer, Style, outdated, style_of, visible
from repo_mcp.search import RankedEngine

_FOUND: Final = 0
_NOTHING: Final = 1
_STANDARD_INPUT: Final = "-"


class BundleQuery:
    """One bundle, as it was asked for."""

    def __init__(self, asked: CommandLine, services: Services) -> None:
        """Read the prompt, from standard input if it is `-`."""
        prompt = sys.stdin.read() if asked.prompt == _STANDARD_INPUT else asked.prompt
        self._json = asked.json
        self._services = services
        most = services.settings.limits.max_bundle_files
        wanted = asked.max_files or min(DEFAULT_MAX_FILES, most)
        if wanted > most:
            complain(f"note: max_files is {most} at most, see max_bundle_files")
        self._request = BundleRequest(
            prompt,
            max_files=min(wanted, most),
            max_total_lines=asked.max_lines or DEFAULT_MAX_TOTAL_LINES,
            max_tokens=asked.max_tokens or 0,
            include_tests=asked.tests,
        )
        self._refresh = asked.refresh
        engine = RankedEngine(services.sandbox, services.languages)
        self._bundler = LocalBundler(services.sandbox, engine, services.languages)
        self._bundle: Bundle | None = None

    def run(self) -> int:
        """Show the bundle and keep it; gives the exit code."""
        index = CommandIndex(self._services, refresh=self._refresh)
        answer = index.answer(self._answer, outdated)
        warnings = [*index.warnings, *answer.warnings]
        if self._bundle is not None:
            failed = keep_last_bundle(self._services.settings.data_dir, self._bundle)
            warnings += [failed] if failed else []
        if self._json:
            facts = {
                "prompt": clean_prompt(self._request.prompt),
                **answer.facts(),
                "warnings": warnings,
            }
            print(json.dumps(facts), flush=True)  # noqa: T201 a command speaks to a person
        else:
            _show(answer, warnings)
        index.tidy()
        return _FOUND if answer.found else _NOTHING

    def _answer(self, snapshot: Snapshot) -> Answer:
        made = self._bundler.build(snapshot, self._request, self._services.budget)
        self._bundle = made

        def lines(_: Style) -> Iterator[str]:
            yield from render_page(made, clean_prompt(self._request.prompt)).splitlines()

        def facts() -> dict[str, Any]:
            return made.as_result()

        outdated = tuple(sorted({item.path for item in made.excerpts if item.stale}))
        complete = made.audit.complete
        return Answer(bool(made.excerpts), complete, facts, lines, made.warnings, outdated=outdated)


def _show(answer: Answer, warnings: list[str]) -> None:
    """The page, whose warnings stand in it; those of the index where they are in nobody's way."""
    for line in answer.lines(style_of(sys.stdout)):
        print(line)  # noqa: T201 a command speaks to a person
    print(end="", flush=True)  # noqa: T201 before what is said about it
    if sys.stderr is not None:
        for warning in warnings:
            if warning not in answer.warnings:
                complain(f"warning: {visible(warning)}")
