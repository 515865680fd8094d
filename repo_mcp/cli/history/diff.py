"""The command `diff`: declarations that differ between revisions, and in the files as they are."""

from __future__ import annotations

from typing import Final

from repo_mcp.answers.records import plain
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.console import flush, print_json, visible
from repo_mcp.errors import Problem
from repo_mcp.history import Checkout, DiffSides, Histories, RevisionDiff
from repo_mcp.services import Services

_FOUND: Final = 0
_NOTHING: Final = 1


def run(args: CommandLine, services: Services) -> int:
    """Print the declarations; returns the exit code."""
    histories = Histories(services.manager.parts)
    if len(histories.roots) > 1:
        text = "revisions are of one root: name it with --root or --repo-root"
        raise Problem("argument_invalid", text)
    budget = services.budget

    checkout = Checkout(services.sandbox, services.manager.discovery(), budget)
    try:
        (root,) = histories.roots.values()
        with root.history.reading():
            diff = RevisionDiff(root.history, services.languages, budget.check)
            result = diff.of(_sides(args.old or "", args.new), checkout)
    finally:
        histories.close()
    if args.json:
        print_json(plain(result))
    else:
        print_paged(map(visible, result.as_text()), use=args.pager)
        flush()
    return _FOUND if result.files else _NOTHING


def _sides(old: str, new: str | None) -> DiffSides:
    """The revisions, as git takes them: A, A B, A..B, or A...B from where they parted."""
    if new is not None or ".." not in old:
        return DiffSides(old, new)
    first, dots, second = old.partition("..")
    return DiffSides(first, second.removeprefix(".") or "HEAD", (dots + second).startswith("..."))
