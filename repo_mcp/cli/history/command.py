"""The command `history`: commits, lines, people and files of the past."""

from __future__ import annotations

import os
import sys
from typing import Final

from index_format import Snapshot
from repo_mcp.answers.history import COMMITS, HistoryResult
from repo_mcp.answers.records import plain
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.display import Display
from repo_mcp.cli.search.index import CommandIndex
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.cli.search.scope import path_in
from repo_mcp.console import flush, print_json, visible
from repo_mcp.errors import Problem
from repo_mcp.history import (
    HISTORY_DAMAGED,
    PATIENT,
    Histories,
    HistoryQuestion,
    about_declaration,
    ask_histories,
)
from repo_mcp.repository import DeclaredSymbol, behind_name, declared_symbols
from repo_mcp.services import Services

_FOUND: Final = 0
_NOTHING: Final = 1
# as grep ends where a file can't be read, whatever it has found
_DAMAGED: Final = 2
# lines of a file that is asked for as a whole
_ALL: Final = "1-999999999"
# characters of an answer, whatever the limit of its rows
_MOST_CHARS: Final = 4_000_000


def run(args: CommandLine, services: Services) -> int:
    """Print the answer; returns the exit code."""
    question = _question(args, services)
    with Display(sys.stderr) as display:
        given = services.manager.parts, PATIENT
        histories = Histories(*given, stays=False, told=display.on_progress)
        try:
            answer, warnings = ask_histories(histories, question, services.budget, _MOST_CHARS)
        finally:
            histories.close()
    result = answer.result
    if args.json:
        record = plain(result)
        record["warnings"] = [{"code": item.code, "text": item.text} for item in warnings]
        print_json(record)
    else:
        rows = (row for text in result.as_text() for row in text.split("\n"))
        print_paged(map(visible, rows), use=args.pager)
        flush()
        for item in warnings:
            complain(f"note: {item.text}")
    if any(item.code == HISTORY_DAMAGED for item in warnings):
        return _DAMAGED
    return _FOUND if _has_any(result) else _NOTHING


def _question(args: CommandLine, services: Services) -> HistoryQuestion:
    lines = args.lines or ""
    question = HistoryQuestion(
        text=args.text or "",
        regex=args.regex or "",
        words=args.words or "",
        path=_path(args.path or "", services),
        lines=_ALL if lines == "all" else lines,
        about=args.about or COMMITS,
        rev=args.rev or "",
        author=args.author or "",
        since=args.since or "",
        until=args.until or "",
        ignore_case=args.ignore_case,
        any_blanks=args.ignore_blanks,
        copies=args.copies,
        limit=args.limit,
        full_hashes=args.json,
    )
    return _of_symbol(question, args.symbol, services) if args.symbol else question


def _path(given: str, services: Services) -> str:
    """A path as the current folder sees it; one that is gone, or a glob, as it is written."""
    if not given:
        return ""
    if not os.path.lexists(given):
        return given
    return path_in(services.roots, given)


def _of_symbol(question: HistoryQuestion, name: str, services: Services) -> HistoryQuestion:
    """The question about the lines of a declaration."""

    def ask(snapshot: Snapshot) -> list[DeclaredSymbol]:
        return declared_symbols(snapshot, name)

    index = CommandIndex(services, refresh=False)

    def find() -> list[DeclaredSymbol]:
        return index.answer(ask, lambda rows: {item.path for item in rows})

    found = find()
    # that there is none is said of the files as they are now
    if not (found or index.is_current) and index.catch_up():
        found = find()
    index.tidy()
    if not (found or index.is_current):
        raise Problem("index_behind", behind_name(name, "; ".join(index.warnings)))
    return about_declaration(question, found, name)


def _has_any(result: HistoryResult) -> bool:
    lists = (result.commits, result.blame, result.related, result.people, result.earlier)
    return any(lists) or len(result.content) > 0
