"""The command `changes`: what a change may break, the tests to run, and what is missing in it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from repo_mcp.answers.changes import ChangesResult
from repo_mcp.answers.records import plain
from repo_mcp.changes import (
    BREAKS,
    MAY_BREAK,
    ChangeQuestion,
    ChangeReviewer,
    ReviewServices,
    changes_result,
)
from repo_mcp.cli.changes.arguments import NEVER, PERHAPS
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.display import Display
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.cli.search.scope import path_in
from repo_mcp.console import flush, print_json, print_line, visible
from repo_mcp.errors import Problem
from repo_mcp.history import PATIENT, Histories
from repo_mcp.search import ExactEngine
from repo_mcp.services import Services

_FINE: Final = 0
_BROKEN: Final = 1
_STANDARD_INPUT: Final = "-"
_MOST_PATCH: Final = 64 << 20
# how names and reasons of tests are told of which the text lists files
_NAMES: Final = "--json: their names and reasons"
# seconds for linking each side that is not the checkout
_LINKING: Final = 20.0


def run(args: CommandLine, services: Services) -> int:
    """Print the review; returns the exit code."""
    question = ChangeQuestion(
        rev=args.rev or "",
        since=args.since or "",
        staged=args.staged,
        patch=_patch(args.patch) if args.patch else "",
        path=path_in(services.roots, args.path) if args.path else "",
        coverage=path_in(services.roots, args.coverage) if args.coverage else "",
    )
    question.check()
    graph = CommandGraph(services, refresh=False, needs_graph=False)
    with Display(sys.stderr) as display:
        given = services.manager.parts, PATIENT
        histories = Histories(*given, stays=False, told=display.on_progress)
        try:
            parts = ReviewServices(
                graph.repository, histories, ExactEngine(services.sandbox), _LINKING, waits=True
            )
            reviewer = ChangeReviewer(parts, question, services.budget)
            review = graph.answer(reviewer.review, reviewer.outdated)
            most, read = args.max_chars, reviewer.read
            result = changes_result(review, most, read, with_context=args.context)
        finally:
            histories.close()
    _print(args, result)
    for text in graph.warnings:
        complain(f"note: {text}")
    graph.tidy()
    return _code(args.fail_on, result)


def _patch(name: str) -> str:
    """The text of a patch; a `Problem` for one that can't be read."""
    try:
        if name == _STANDARD_INPUT:
            data = sys.stdin.buffer.read(_MOST_PATCH + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(_MOST_PATCH + 1)
    except OSError as error:
        raise Problem("argument_invalid", f"--patch {name}: {error.strerror}") from error
    if len(data) > _MOST_PATCH:
        raise Problem("argument_invalid", f"--patch {name}: the patch is larger than 64 MB")
    return data.decode("utf-8", "surrogateescape")


def _print(args: CommandLine, result: ChangesResult) -> None:
    if args.json:
        print_json(plain(result))
    elif args.sarif:
        from repo_mcp.cli.changes.sarif import sarif_log  # noqa: PLC0415 few ask for it

        print_json(sarif_log(result))
    elif args.markdown:
        from repo_mcp.cli.changes.markdown import review_comment  # noqa: PLC0415 as above

        for row in review_comment(result):
            print_line(row)
    else:
        rows = (row for text in result.with_way(_NAMES) for row in text.split("\n"))
        print_paged(map(visible, rows), use=args.pager)
    flush()


def _code(fails_on: str, result: ChangesResult) -> int:
    if fails_on == NEVER:
        return _FINE
    verdicts = {BREAKS, MAY_BREAK} if fails_on == PERHAPS else {BREAKS}
    return _BROKEN if any(entry.verdict in verdicts for entry in result.breaking) else _FINE
