"""The command that starts this program: by full path, never from the current folder."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Final

NAME: Final = "repo-mcp.exe" if sys.platform == "win32" else "repo-mcp"
# -P keeps the current folder, and so the repository, out of where Python looks for modules
BY_PYTHON: Final = ("-P", "-c", "import sys; from repo_mcp.server import main; sys.exit(main())")
# places that are emptied now and then
_PASSING: Final = ("/uv/archive-v0/", "/uv/builds-v0/", "/pipx/.cache/")


def command() -> list[str]:
    """The installed command, else this Python told what that command does."""
    for path in _candidates():
        if path.is_absolute() and path.is_file():
            return [str(path)]
    return [sys.executable, *BY_PYTHON]


def is_temporary(line: list[str]) -> bool:
    """Whether the command lies where it will not stay."""
    return any(mark in Path(line[0]).as_posix() for mark in _PASSING)


def _candidates() -> Iterator[Path]:
    """Where an installation puts commands, of the environment that runs this first."""
    yield Path(sys.executable).parent / NAME
    yield Path(sysconfig.get_path("scripts")) / NAME
    for scheme in (sysconfig.get_preferred_scheme("user"),):
        yield Path(sysconfig.get_path("scripts", scheme)) / NAME
    started = Path(sys.argv[0])
    if started.name == NAME:
        yield started
