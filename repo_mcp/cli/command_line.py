"""The parsed command line, and how errors are printed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Final

SERVE: Final = "serve"


class CommandLine(SimpleNamespace):
    """A command, its setting flags (name and text, in order), and its other options."""

    command: str
    setting_flags: list[tuple[str, str]]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 options differ by command
        """An option of the command."""
        raise AttributeError(name)


def complain(message: str) -> int:
    """Print an error or a note to standard error; returns the exit code for errors."""
    print(f"repo-mcp: {message}", file=sys.stderr)  # noqa: T201 output of a command
    return 2
