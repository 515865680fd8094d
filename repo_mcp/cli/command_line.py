"""The parsed command line, how errors are printed, and files that an option names."""

from __future__ import annotations

from types import SimpleNamespace

from index_format.annotations import Any, Final
from repo_mcp.console import print_error
from repo_mcp.errors import Problem

SERVE: Final = "serve"
WEB: Final = "web"
RIPGREP: Final = "rg"
HOOK: Final = "hook"


class CommandLine(SimpleNamespace):
    """A command, its setting flags (name and text, in order), and its other options."""

    command: str
    setting_flags: list[tuple[str, str]]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 options differ by command
        """An option of the command."""
        raise AttributeError(name)

    def replaced(self, **options: object) -> CommandLine:
        """A command line with other values of some options."""
        return CommandLine(**{**vars(self), **options})


def complain(message: str, *more: str) -> int:
    """Print an error or a note to standard error, one line each; returns the code for errors."""
    print_error(f"repo-mcp: {message}")
    for line in more:
        print_error(line)
    return 2


def write_file(option: str, name: str, data: bytes, start: bytes, otherwise: str) -> None:
    """Write a file; one that is there and does not begin with `start` is not overwritten."""
    from repo_mcp.user_files import write_own  # noqa: PLC0415 few commands write a file

    where = f"{option} {name}"
    try:
        write_own(
            name,
            lambda file: file.write(data),
            lambda found: found.startswith(start),
            f"{where}: {otherwise}, and is not overwritten",
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Problem("argument_invalid", f"{where}: {reason}") from error
