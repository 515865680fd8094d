"""What a user's environment says about colours, links and pages."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from typing import TextIO


def wants_colours(
    out: TextIO | None, choice: str = "auto", environment: Mapping[str, str] = os.environ
) -> bool:
    """Whether to colour; a choice on the command line counts most, then NO_COLOR."""
    if choice != "auto":
        return choice in {"always", "ansi"}
    if environment.get("NO_COLOR"):
        return False
    if _is_forced(environment.get("FORCE_COLOR")) or _is_forced(environment.get("CLICOLOR_FORCE")):
        return True
    if environment.get("TERM") == "dumb" or environment.get("CLICOLOR") == "0":
        return False
    # a Windows console prints escape sequences literally unless a program enables them
    return out is not None and out.isatty() and sys.platform != "win32"


def wants_links(
    out: TextIO | None, choice: str = "auto", environment: Mapping[str, str] = os.environ
) -> bool:
    """Whether paths are links; never in a pipe unless they are always."""
    if choice != "auto":
        return choice == "always"
    plain = environment.get("NO_COLOR") or environment.get("TERM") in {None, "dumb", "linux"}
    return out is not None and out.isatty() and not plain and sys.platform != "win32"


def pager_of(environment: Mapping[str, str] = os.environ) -> str:
    """The user's pager."""
    for name in ("REPO_MCP_PAGER", "PAGER"):
        if name in environment:
            return environment[name]
    return "less"


def has_waiting_input() -> bool:
    """True if a pipe at standard input holds data; never waits for any."""
    try:
        import fcntl  # noqa: PLC0415 where it is: not on Windows
        import termios  # noqa: PLC0415 as above

        descriptor = sys.stdin.fileno()
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return False
        waiting = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
    except (ImportError, AttributeError, OSError, ValueError):
        return False
    return any(waiting)


def _is_forced(value: str | None) -> bool:
    return value is not None and value not in {"", "0", "false"}
