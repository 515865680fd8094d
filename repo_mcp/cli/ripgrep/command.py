"""One command line of ripgrep: answered from the index, or left to ripgrep."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from code_graph.paths.globs import is_below
from repo_mcp.budget import Clock
from repo_mcp.cli.ripgrep.arguments import (
    BetterLeftError,
    LeftToRipgrepError,
    RipgrepRequest,
    read_arguments,
)
from repo_mcp.cli.ripgrep.leaving import Leaving
from repo_mcp.cli.ripgrep.output import AnswerOutput
from repo_mcp.cli.search.environment import is_given_input, ripgrep_arguments
from repo_mcp.errors import Problem
from repo_mcp.search import NotExactError, PatternSyntax, parse_patterns
from repo_mcp.settings import ConfigError

if TYPE_CHECKING:
    from repo_mcp.services import Services


class RipgrepCommand:
    """One run of the command."""

    def __init__(
        self, given: Sequence[str], leaving: Leaving, clock: Clock = time.monotonic
    ) -> None:
        """Command lines that are not answered here are left to ripgrep."""
        self._given = given
        self._leaving = leaving
        self._clock = clock
        self._services: Services | None = None
        self._output = AnswerOutput()

    def run(self) -> int:
        """Print the answer, or let ripgrep print it; returns the exit code."""
        try:
            request = self._request()
            syntax = _syntax_of(request)
            has_ripgrep = bool(self._leaving.program)
            only_files = bool(request.paths) and all(map(os.path.isfile, request.paths))
            if has_ripgrep and not (syntax.is_narrow or only_files):
                raise BetterLeftError("no word narrows the files")
            parts = self._services = self._open()
            from repo_mcp.cli.ripgrep.answering import RipgrepAnswer  # noqa: PLC0415 not if ripgrep runs

            answer = RipgrepAnswer(parts, request, syntax, self._output, has_ripgrep=has_ripgrep)
            return answer.run()
        except (LeftToRipgrepError, NotExactError) as left:
            quietly = isinstance(left, BetterLeftError)
            if not self._leaving.program:
                self._output.finish()
            printed = self._output.size, self._output.checksum
            return self._leaving.leave(
                str(left), self._deny_globs(), quietly=quietly, printed=printed
            )

    def _deny_globs(self) -> Sequence[str]:
        """Globs of files that are never shown, the repository's own ones too."""
        found = self._services
        if found is None and self._leaving.is_configured:
            with suppress(LeftToRipgrepError):
                found = self._open()
        return () if found is None else found.settings.deny_globs

    def _request(self) -> RipgrepRequest:
        written = [] if "--no-config" in self._given else ripgrep_arguments()
        request = read_arguments([*written, *self._given])
        if not request.paths and is_given_input():
            raise BetterLeftError("standard input is searched")
        if request.max_count == 0:
            raise LeftToRipgrepError("-m 0 asks for nothing")
        return request

    def _open(self) -> Services:
        from repo_mcp.services import services  # noqa: PLC0415 half of all that is loaded

        options = self._leaving.options
        try:
            found = None if options is None else services(options, self._clock)
        except (ConfigError, Problem):
            found = None
        if found is None:
            raise BetterLeftError("there is no repository here")
        here = os.path.realpath(os.curdir)
        if not is_below(here, os.path.realpath(found.settings.root)):
            raise BetterLeftError("the current folder is outside of the repository")
        return found


def _syntax_of(request: RipgrepRequest) -> PatternSyntax:
    return parse_patterns(
        request.patterns,
        fixed=request.fixed,
        folded=request.ignore_case,
        word=request.edges == "word",
        line=request.edges == "line",
    )
