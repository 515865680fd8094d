"""The parsed command line, and how errors are printed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from repo_mcp.console import print_error

SERVE: Final = "serve"
WEB: Final = "web"


class CommandLine(SimpleNamespace):
    """A command, its setting flags (name and text, in order), and its other options."""

    command: str
    setting_flags: list[tuple[str, str]]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 options differ by command
        """An option of the command."""
        raise AttributeError(name)


def complain(message: str, *more: str) -> int:
    """Print an error or a note to standard error, one line each; returns the code for errors."""
    print_error(f"repo-mcp: {message}")
    for line in more:
        print_error(line)
    return 2
