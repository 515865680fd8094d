"""The command `search`: searches the index and prints the result as text or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from repo_mcp.app import Services
from repo_mcp.cli.arguments import complain
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.style import Answer, SearchPlan, outdated, style_of
from repo_mcp.console import flush, print_json, print_styled
from repo_mcp.errors import Problem
from repo_mcp.model import Suggestion

_FOUND: Final = 0
_NOTHING: Final = 1
_RANKED: Final = "bm25"
# options of one kind of search only
_RANKED_ONLY: Final[Sequence[str]] = ("explain",)
_EXACT_ONLY: Final[Sequence[str]] = (
    *("ignore_case", "smart_case", "word", "context", "count", "files"),
)


class Search:
    """One run of the command."""

    def __init__(self, args: CommandLine, services: Services) -> None:
        """Load the engine; raises `Problem` for options that exclude each other."""
        _check(args)
        self._args = args
        self._services = services
        self._plan = _plan_search(args, services)

    def run(self) -> int:
        """Print the result; returns the exit code."""
        args = self._args
        index = CommandIndex(self._services, refresh=args.refresh, stale_ok=args.stale_ok)
        answer = self._answer(index)
        warnings = [*index.warnings, *answer.warnings]
        if self._args.json:
            self._print_json(answer, index, warnings)
        else:
            _show(answer, warnings)
        index.tidy()
        return _FOUND if answer.found else _NOTHING

    def _answer(self, index: CommandIndex) -> Answer:
        """The answer; that nothing was found is said of all files as they are now."""
        answer = index.answer(self._plan.ask, outdated)
        if answer.found or index.is_current:
            return answer
        if index.catch_up():
            return index.answer(self._plan.ask, outdated)
        scanned = self._plan.scan(index.unindexed)
        return scanned if scanned.found else answer

    def _print_json(self, answer: Answer, index: CommandIndex, warnings: Sequence[str]) -> None:
        """Print the result as one JSON object, in ASCII."""
        facts = {
            # a query may have lone surrogates, which most programs refuse
            "query": self._args.query.encode(errors="replace").decode(),
            "mode": self._args.mode,
            **answer.facts(),
            "warnings": warnings,
            "suggestions": [_facts(item) for item in answer.suggestions],
            "generation": index.generation,
            "complete": index.complete and answer.complete,
            "compared": index.compared,
        }
        print_json(facts)
        flush()


def _check(args: CommandLine) -> None:
    is_ranked = args.mode == _RANKED
    wrong, modes = (_EXACT_ONLY, "literal and regex") if is_ranked else (_RANKED_ONLY, _RANKED)
    for name in wrong:
        given = getattr(args, name)
        if given is not None and given is not False:
            raise Problem(
                "argument_invalid", f"--{name.replace('_', '-')} is only for --mode {modes}"
            )


def _plan_search(args: CommandLine, services: Services) -> SearchPlan:
    if args.mode == _RANKED:
        from repo_mcp.cli.search.ranked import plan_ranked  # noqa: PLC0415 only one is needed

        return plan_ranked(args, services)
    from repo_mcp.cli.search.exact import plan_exact  # noqa: PLC0415 as above

    return plan_exact(args, services)


def _show(answer: Answer, warnings: Sequence[str]) -> None:
    """Print the result, then warnings and suggestions on standard error."""
    style = style_of(sys.stdout)
    if answer.notice:
        complain(answer.notice)
    for line in answer.lines(style):
        print_styled(line)
    flush()  # before standard error
    for warning in warnings:
        complain(f"warning: {warning}")
    if not answer.found:
        complain("nothing found")
    for item in answer.suggestions:
        complain(_suggestion_text(item))


def _suggestion_text(item: Suggestion) -> str:
    what = "the file " if item.kind == "path" else ""
    return f"did you mean {what}{item.text!r}? ({item.why})"


def _facts(item: Suggestion) -> dict[str, str]:
    return {"kind": item.kind, "text": item.text, "why": item.why}
