"""What a command line asks for once it is read, and how one is refused."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Final

SERVE: Final = "serve"


class CommandLine(SimpleNamespace):
    """A command, what its flags say of settings (name and text, in their order), and the rest."""

    command: str
    said: list[tuple[str, str]]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 what else a command takes, by its name
        """What only one command takes."""
        raise AttributeError(name)


def complain(message: str) -> int:
    """Say what is wrong; gives the exit code for it."""
    print(f"repo-mcp: {message}", file=sys.stderr)  # noqa: T201 a command speaks to a person
    return 2
