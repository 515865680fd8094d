"""The command `completion`: prints what makes a shell complete this program's words.

The scripts are made from the parser by `make docs`, and only read here.
"""

from __future__ import annotations

from typing import Final

from repo_mcp.cli.command_line import CommandLine
from repo_mcp.console import print_json, print_styled

SHELLS: Final = ("bash", "zsh", "fish")


def run(args: CommandLine) -> int:
    """Print the script of a shell; returns the exit code."""
    from importlib import resources  # noqa: PLC0415 the parser needs the names of shells alone

    file = resources.files("repo_mcp.cli.help").joinpath(f"scripts/repo-mcp.{args.shell}")
    script = file.read_text(encoding="utf-8")
    if args.json:
        print_json({"shell": args.shell, "script": script})
    else:
        print_styled(script.removesuffix("\n"))
    return 0
