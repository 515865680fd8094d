"""The parsed command line, and how errors are printed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Final

SERVE: Final = "serve"


class CommandLine(SimpleNamespace):
    """A command, the settings among its flags (name and text, in order), and its other options."""

    command: str
    said: list[tuple[str, str]]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 what else a command takes, by its name
        """An option of a single command."""
        raise AttributeError(name)


def complain(message: str) -> int:
    """Print an error or a note to standard error; gives the exit code for errors."""
    print(f"repo-mcp: {message}", file=sys.stderr)  # noqa: T201 a command speaks to a person
    return 2
