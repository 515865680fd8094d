"""The command `search`: asks the index, and shows what it finds to a person or a program."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Final

from repo_mcp.app import Services
from repo_mcp.cli.arguments import complain
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.style import Answer, Ask, outdated, style_of, visible
from repo_mcp.errors import Problem
from repo_mcp.model import Suggestion

_FOUND: Final = 0
_NOTHING: Final = 1
_RANKED: Final = "bm25"
# what only one kind of search can do
_RANKED_ONLY: Final[Sequence[str]] = ("explain",)
_EXACT_ONLY: Final[Sequence[str]] = ("ignore_case", "word", "context")


class Search:
    """One search, as it was asked for."""

    def __init__(self, asked: CommandLine, services: Services) -> None:
        """Load what it needs; options that do not go together are a problem."""
        _check(asked)
        self._asked = asked
        self._services = services
        self._ask = _question(asked, services)

    def run(self) -> int:
        """Show what is found; gives the exit code."""
        index = CommandIndex(self._services, refresh=self._asked.refresh)
        answer = index.answer(self._ask, outdated)
        warnings = [*index.warnings, *answer.warnings]
        if self._asked.json:
            self._tell(answer, index, warnings)
        else:
            _show(answer, warnings)
        index.tidy()
        return _FOUND if answer.found else _NOTHING

    def _tell(self, answer: Answer, index: CommandIndex, warnings: Sequence[str]) -> None:
        """All facts as one JSON object, in ASCII."""
        facts = {
            # what no encoding has can be asked for, but most programs refuse to read it
            "query": self._asked.query.encode(errors="replace").decode(),
            "mode": self._asked.mode,
            **answer.facts(),
            "warnings": warnings,
            "suggestions": [_facts(item) for item in answer.suggestions],
            "generation": index.generation,
            "complete": index.complete and answer.complete,
        }
        print(json.dumps(facts), flush=True)  # noqa: T201 a command speaks to a person


def _check(asked: CommandLine) -> None:
    is_ranked = asked.mode == _RANKED
    wrong, modes = (_EXACT_ONLY, "literal and regex") if is_ranked else (_RANKED_ONLY, _RANKED)
    for name in wrong:
        given = getattr(asked, name)
        if given is not None and given is not False:
            raise Problem("argument_invalid", f"--{name.replace('_', '-')} is for --mode {modes}")


def _question(asked: CommandLine, services: Services) -> Ask:
    if asked.mode == _RANKED:
        from repo_mcp.cli.search.ranked import ranked  # noqa: PLC0415 one of them is needed

        return ranked(asked, services)
    from repo_mcp.cli.search.exact import exact  # noqa: PLC0415 as above

    return exact(asked, services)


def _show(answer: Answer, warnings: Sequence[str]) -> None:
    """What was found, then what is to be said about it where it is in nobody's way."""
    style = style_of(sys.stdout)
    for line in answer.lines(style):
        print(line)  # noqa: T201 a command speaks to a person
    print(end="", flush=True)  # noqa: T201 before what is said about it
    if sys.stderr is None:  # it was closed; print would take the other stream
        return
    for warning in warnings:
        complain(f"warning: {visible(warning)}")
    if not answer.found:
        complain("nothing found")
    for item in answer.suggestions:
        complain(visible(_offer(item)))


def _offer(item: Suggestion) -> str:
    what = "the file " if item.kind == "path" else ""
    return f"did you mean {what}{item.text!r}? ({item.why})"


def _facts(item: Suggestion) -> dict[str, str]:
    return {"kind": item.kind, "text": item.text, "why": item.why}
