"""The command `tour`: what the repository is, by its files as they are now."""

from __future__ import annotations

from typing import Final

from repo_mcp.answers.records import plain
from repo_mcp.ask import take_tour
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.console import flush, print_json, print_line, visible
from repo_mcp.services import Services

_FOUND: Final = 0
_NOTHING: Final = 1


def run(args: CommandLine, services: Services) -> int:
    """Print the tour; returns the exit code."""
    tour = take_tour(services.manager, services.sandbox, services.budget)
    if args.json:
        print_json(plain(tour))
    else:
        for line in tour.as_text():
            print_line(visible(line))
        flush()
    return _FOUND if tour.files else _NOTHING
