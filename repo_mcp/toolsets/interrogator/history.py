"""`repo.history`: commits, lines, people and files of the past."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history import CommitPlace, HistoryQuestion, about_declaration, ask_histories
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import DeclaredSymbol, behind_name, declared_symbols
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.cursors import PAGING, decode_cursor, encode_cursor, invalid_cursor
from repo_mcp.toolsets.kit.index_warnings import behind_text
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler

_MOST_COMMITS: Final = 100
_GLOB: Final = re.compile(r"[*?\[]")


class History(ToolHandler):
    """Answers questions about the history."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The commits, lines, people or files that are asked for."""
        services = self._services
        warnings: list[AnswerWarning] = []
        most = services.clamp("limit", arguments["limit"], _MOST_COMMITS, warnings)
        page = services.page_size(arguments["max_chars"], warnings)
        key = sorted((name, value) for name, value in arguments.items() if name not in PAGING)
        after: Mapping[str, CommitPlace] = {}
        if arguments["cursor"]:
            (places,) = decode_cursor(arguments["cursor"], key, list).place
            after = _places_of(places)
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
            copies=arguments["copies"],
            limit=most,
        )
        if arguments["symbol"]:
            name = arguments["symbol"]
            found = self._declared(name, warnings, context.budget)
            question = about_declaration(question, found, name)
        answer, more = ask_histories(services.histories, question, context.budget, page, after)
        result = answer.result
        if result.is_empty and question.path:
            warnings += self._near(question.path, context.budget)
        if answer.after:
            places = [[root, *place] for root, place in answer.after.items()]
            result.cursor = encode_cursor(key, 0, [places])
        return Outcome(result, [*warnings, *more], shown=answer.shown)

    def _declared(
        self, name: str, warnings: list[AnswerWarning], budget: Budget
    ) -> Sequence[DeclaredSymbol]:
        """The declarations of a name; that there is none is said of the files as they are now."""
        repository, wait = self._services.repository, self._services.wait
        index = repository.open(wait, budget)
        found = [] if index.snapshot is None else declared_symbols(index.snapshot, name)
        if not found:
            index = repository.follow_files(index, wait, budget)
            found = [] if index.snapshot is None else declared_symbols(index.snapshot, name)
        if not found and (behind := behind_text(index, repository)):
            raise Problem("index_behind", behind_name(name, behind))
        warnings += index.warnings
        return found

    def _near(self, path: str, budget: Budget) -> Iterator[AnswerWarning]:
        """The paths that may be meant by one of a file that is not there now."""
        try:
            if not _GLOB.search(path):
                self._services.repository.read(path, budget)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            if problem.code == "not_found" and problem.detail:
                text = f"there is no file {path} now: {problem.detail}"
                yield AnswerWarning("path_unknown", text)


def _places_of(content: Sequence[Any]) -> dict[str, CommitPlace]:
    """By prefix of a root, the last commit that was shown of it, as a cursor has them."""
    try:
        return {
            str(root): (bytes.fromhex(identity).hex(), int(seconds))
            for root, identity, seconds in content
        }
    except (TypeError, ValueError):
        raise invalid_cursor() from None
