"""A user's environment: colours, links and pages, and what git and ripgrep are told in it."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from typing import Final, TextIO

# set for ripgrep, so that a program of that name which calls this one is noticed
WITHIN_RIPGREP: Final = "REPO_MCP_WITHIN_RIPGREP"
# of a file of settings that is not this program's
_MOST_BYTES: Final = 1 << 20
_EXCLUDES: Final = re.compile(rb"(?im)^\s*excludesfile\s*=\s*(.+)$")


def wants_colours(
    out: TextIO | None, choice: str = "auto", environment: Mapping[str, str] = os.environ
) -> bool:
    """True for coloured output; a choice on the command line counts most, then NO_COLOR."""
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
    """True if paths are links; never in a pipe unless they are always."""
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


def git_ignore_rules(environment: Mapping[str, str] = os.environ) -> bytes:
    """The rules of ignored files that a user has for all repositories; empty without any."""
    home = environment.get("HOME", "")
    folder = environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    usual = os.path.join(folder, "git", "ignore")
    for name in (os.path.join(home, ".gitconfig"), os.path.join(folder, "git", "config")):
        found = _EXCLUDES.search(_read(name))
        if found:
            usual = os.path.join(home, os.fsdecode(found[1].strip(b' "\t')).removeprefix("~/"))
            break
    return _read(usual)


def ripgrep_of(root: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """The program ripgrep on the user's path, and not in the repository; empty without one."""
    name = "rg.exe" if sys.platform == "win32" else "rg"
    for folder in environment.get("PATH", "").split(os.pathsep):
        found = os.path.join(folder, name)
        real = os.path.realpath(found)
        inside = root and real.startswith(os.path.join(os.path.realpath(root), ""))
        if os.path.isabs(folder) and not inside and os.access(found, os.X_OK):
            return found
    return ""


def is_within_ripgrep(environment: Mapping[str, str] = os.environ) -> bool:
    """True if this program was called by itself, which it took for ripgrep."""
    return WITHIN_RIPGREP in environment


def ripgrep_arguments(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The arguments that the user has written down for every call of ripgrep."""
    rows = os.fsdecode(_read(environment.get("RIPGREP_CONFIG_PATH", ""))).split("\n")
    stripped = (row.strip() for row in rows)
    return [row for row in stripped if row and not row.startswith("#")]


def is_given_input() -> bool:
    """True if standard input is a pipe or a file, which ripgrep then searches."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


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


def _read(name: str) -> bytes:
    """The beginning of a file of the user's; empty if it can't be read."""
    try:
        with open(name, "rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def _is_forced(value: str | None) -> bool:
    return value is not None and value not in {"", "0", "false"}
