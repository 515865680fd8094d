"""The options of the commands that show one file."""

from __future__ import annotations

import argparse

from repo_mcp.cli.help.values import positive
from repo_mcp.cli.search.arguments import add_display


def _add_outline(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("file", metavar="FILE", help="a file or folder, as seen from the current folder")
    add(
        "--kind",
        action="append",
        metavar="KIND",
        help="only this kind, e.g. class; may be repeated",
    )
    add("--depth", type=positive, metavar="N", help="only the outer N levels")
    add("--json", action="store_true", help="write one JSON object")
    add_display(command)


def _add_open(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("place", metavar="FILE[:LINES]", help="the file, and lines of it: 12, 12-40 or 12-")
    add("-n", "--line-number", action="store_true", help="number the lines in pipes, too")
    add("--json", action="store_true", help="write one JSON object")
    add_display(command)
