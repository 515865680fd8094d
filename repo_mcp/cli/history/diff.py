"""The command `diff`: declarations that differ between two revisions."""

from __future__ import annotations

from typing import Final

from repo_mcp.answers.records import plain
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.console import flush, print_json, visible
from repo_mcp.errors import Problem
from repo_mcp.history import Histories, diff_revisions, parser_of
from repo_mcp.services import Services

_FOUND: Final = 0
_NOTHING: Final = 1


def run(args: CommandLine, services: Services) -> int:
    """Print the declarations; returns the exit code."""
    histories = Histories(services.manager.parts)
    old, new = args.old, args.new or "HEAD"
    if ".." in old and not args.new:
        old, _, new = old.partition("..")
        old, new = old or "HEAD", new.removeprefix(".") or "HEAD"
    if len(histories.roots) > 1:
        text = "revisions are of one root: name it with --repo-root"
        raise Problem("argument_invalid", text)
    try:
        (root,) = histories.roots.values()
        with root.history.reading():
            parse = parser_of(services.languages)
            result = diff_revisions(root.history, old, new, parse, services.budget.check)
    finally:
        histories.close()
    if args.json:
        print_json(plain(result))
    else:
        print_paged(map(visible, result.as_text()), use=args.pager)
        flush()
    return _FOUND if result.files else _NOTHING
