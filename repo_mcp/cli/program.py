"""The command line that starts this program: a full path, never from the current folder."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Final

NAME: Final = "repo-mcp.exe" if sys.platform == "win32" else "repo-mcp"
# -P keeps the current folder, which may be the repository, out of sys.path
BY_PYTHON: Final = ("-P", "-c", "import sys; from repo_mcp.server import main; sys.exit(main())")
# caches that tools empty from time to time
_CACHES: Final = ("/uv/archive-v0/", "/uv/builds-v0/", "/pipx/.cache/")


def command() -> list[str]:
    """The installed command; without one, this Python with equivalent arguments."""
    for path in _candidates():
        if path.is_absolute() and path.is_file():
            return [str(path)]
    return [sys.executable, *BY_PYTHON]


def is_temporary(line: list[str]) -> bool:
    """True if the command is in a cache and may disappear."""
    return any(mark in Path(line[0]).as_posix() for mark in _CACHES)


def _candidates() -> Iterator[Path]:
    """Possible paths of the command, those of the running environment first."""
    yield Path(sys.executable).parent / NAME
    yield Path(sysconfig.get_path("scripts")) / NAME
    for scheme in (sysconfig.get_preferred_scheme("user"),):
        yield Path(sysconfig.get_path("scripts", scheme)) / NAME
    started = Path(sys.argv[0])
    if started.name == NAME:
        yield started
