"""`repo.history`: commits, lines, people and files of the past."""

from __future__ import annotations

from repo_mcp.errors import Problem
from repo_mcp.history import HistoryQuestion, ask_histories
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import declared_symbols
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_MOST_COMMITS = 100
# arguments that a cursor is of
_ASKED = ("text", "regex", "words", "path", "symbol", "author", "since", "until", "ignore_case")


class History:
    """Answers questions about the history."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The commits, lines, people or files that are asked for."""
        services = self._services
        warnings: list[AnswerWarning] = []
        most = services.clamp("limit", arguments["limit"], _MOST_COMMITS, warnings)
        page = services.page_size(arguments["max_chars"], warnings)
        key = [arguments[name] for name in _ASKED]
        after = None
        if arguments["cursor"]:
            identity, seconds = decode_cursor(arguments["cursor"], key, str, int).place
            after = identity, seconds
        question = HistoryQuestion(
            text=arguments["text"] or "",
            regex=arguments["regex"] or "",
            words=(arguments["words"] or "").strip(),
            path=(arguments["path"] or "").strip(),
            lines=arguments["lines"] or "",
            about=arguments["about"],
            rev=(arguments["rev"] or "").strip(),
            author=arguments["author"] or "",
            since=arguments["since"] or "",
            until=arguments["until"] or "",
            ignore_case=arguments["ignore_case"],
            any_blanks=arguments["ignore_blanks"],
            limit=most,
            after=after,
        )
        if arguments["symbol"]:
            question = self._of_symbol(question, arguments["symbol"])
        answer, more = ask_histories(services.histories, question, self._read, context.budget, page)
        result = answer.result
        if answer.last is not None:
            result.cursor = encode_cursor(key, 0, list(answer.last))
        return Outcome(result, [*warnings, *more], shown=answer.shown)

    def _of_symbol(self, question: HistoryQuestion, name: str) -> HistoryQuestion:
        """The question about the lines of a declaration."""
        snapshot = self._services.repository.manager.snapshot()
        found = [] if snapshot is None else declared_symbols(snapshot, name)
        if question.path:
            found = [item for item in found if item.path == question.path]
        if not found:
            raise Problem("symbol_missing", name)
        declared = found[0].declaration
        lines = declared.start_line, declared.end_line
        return question._replace(path=found[0].path, declared=lines)

    def _read(self, path: str) -> bytes | None:
        try:
            return self._services.repository.sandbox.read(path).data
        except Problem:
            return None
