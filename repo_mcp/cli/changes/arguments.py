"""The options of the command `changes`."""

from __future__ import annotations

import argparse

from repo_mcp.cli.help.values import positive
from repo_mcp.cli.search.arguments import add_display

SURELY, PERHAPS, NEVER = "breaks", "may-break", "never"


def _add_changes(command: argparse.ArgumentParser) -> None:
    option = command.add_argument
    option(
        "rev",
        nargs="?",
        metavar="REV",
        help="a commit, A..B, or A...B from where they parted; default: what is not committed",
    )
    option("--since", metavar="REV", help="compare the files as they are now with this revision")
    option("--staged", action="store_true", help="what is staged alone")
    option("--patch", metavar="FILE", help="a unified diff, applied or not; - for standard input")
    option("--path", metavar="PATH", help="only changed files at this path, or below it")
    option("--coverage", metavar="FILE", help="what tests have run, of a tool in docs/changes.md")
    option("--context", action="store_true", help="add the changed lines and those around places")
    option("--max-chars", type=positive, default=200_000, metavar="N", help="size of the answer")
    option(
        "--fail-on",
        choices=(SURELY, PERHAPS, NEVER),
        default=SURELY,
        help="exit with 1 if a place surely breaks, may break, or never (default breaks)",
    )
    shape = command.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="write one JSON object")
    shape.add_argument("--sarif", action="store_true", help="write SARIF, as code scanners do")
    shape.add_argument("--markdown", action="store_true", help="write a comment for a review")
    add_display(command)
