"""The command `open`: lines of a file, if it may be shown."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Final

from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.cli.search.scope import current_folder, path_in, shown_path
from repo_mcp.cli.search.style import Style, style_of
from repo_mcp.console import print_json
from repo_mcp.errors import Problem
from repo_mcp.repository import FileContent, LineRange, read, with_near_paths
from repo_mcp.services import Services

_PLACE: Final = re.compile(
    r"(?P<path>.+?):(?P<first>\d{1,9})(?P<open>-(?P<last>\d{1,9})?)?:?", re.DOTALL
)


def run(args: CommandLine, services: Services) -> int:
    """Print the lines; returns the exit code."""
    name, lines = _split(args.place)
    roots = services.roots
    try:
        content = read(services.sandbox, path_in(roots, name))
    except Problem as problem:
        if problem.blocked:
            raise
        snapshot = services.manager.snapshot()
        raise with_near_paths(problem, name, snapshot, services.budget) from None
    if content.text is None:
        raise Problem("binary_file")
    rows = content.lines
    first, last = lines.within(len(rows))
    folder = current_folder(roots)
    if args.json:
        print_json(_record(content, folder, first, rows[first - 1 : last]))
        return 0
    style = style_of(sys.stdout, args, roots, folder)
    numbered = style.terminal or args.line_number
    print_paged(_shown(rows[first - 1 : last], first, style, numbered=numbered), use=args.pager)
    return 0


def _split(place: str) -> tuple[str, LineRange]:
    """The path and the lines of a place."""
    found = _PLACE.fullmatch(place)
    if found is None:
        return place, LineRange()
    first = int(found["first"])
    if found["open"] is None:
        return found["path"], LineRange(first, first)
    return found["path"], LineRange(first, int(found["last"]) if found["last"] else None)


def _shown(rows: list[str], first: int, style: Style, *, numbered: bool) -> Iterator[str]:
    wide = len(str(first + len(rows)))
    for number, row in enumerate(rows, first):
        text = style("plain", row)
        yield f"{style('line', str(number).rjust(wide))}  {text}" if numbered else text


def _record(content: FileContent, folder: str, first: int, rows: list[str]) -> dict[str, object]:
    return {
        "path": shown_path(content.path, folder),
        "start_line": first,
        "end_line": first + len(rows) - 1,
        "total_lines": len(content.lines),
        "lines": rows,
    }
