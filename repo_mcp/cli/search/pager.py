"""Shows what is longer than a terminal page by page, as the user's PAGER does it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final

from repo_mcp.cli.search.environment import pager_of
from repo_mcp.console import print_styled

# what less is told if the user tells it nothing: quit on one screen, colours, no clearing
_LESS: Final = "FRX"


def print_paged(lines: Iterable[str], *, use: bool | None) -> None:
    """Print lines; through a pager if they do not fit on the terminal, unless `use` is False."""
    rest = iter(lines)
    room = 0 if use is False else _rows()
    if not room:
        for line in rest:
            print_styled(line)
        return
    first = list(islice(rest, room))
    command = _command() if len(first) == room else []
    if not command or not _page(command, chain(first, rest)):
        for line in chain(first, rest):
            print_styled(line)


def _rows() -> int:
    """Lines of the terminal that is written to; 0 for anything else."""
    try:
        if not (sys.stdout.isatty() and sys.stdin.isatty()):
            return 0
        return max(os.get_terminal_size(sys.stdout.fileno()).lines - 1, 0)
    except (AttributeError, OSError, ValueError):
        return 0


def _command() -> list[str]:
    """The pager by its full path; empty for none, or for one in the current folder."""
    import shlex  # noqa: PLC0415 for long answers on a terminal only
    import shutil  # noqa: PLC0415 as above

    try:
        words = shlex.split(pager_of())
    except ValueError:
        return []
    found = shutil.which(words[0]) if words else None
    if found is None or not Path(found).is_absolute():
        return []
    return [] if words[0] == "cat" else [found, *words[1:]]


def _page(command: list[str], lines: Iterable[str]) -> bool:
    """Show lines in a pager; False if it can't be started, and then nothing was read."""
    import subprocess  # noqa: PLC0415 as above

    environment = {"LESS": _LESS, "LV": "-c", **os.environ}
    try:
        pager = subprocess.Popen(  # noqa: S603 the user's own choice, by its full path
            command, stdin=subprocess.PIPE, env=environment, text=True, errors="backslashreplace"
        )
    except OSError:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the pager
    try:
        with pager:
            _feed(pager.stdin, lines)
    finally:
        signal.signal(signal.SIGINT, before)
    return True


def _feed(pipe: IO[str] | None, lines: Iterable[str]) -> None:
    if pipe is None:
        return
    try:
        for line in lines:
            pipe.write(f"{line}\n")
        pipe.close()
    except OSError:  # it was left early
        return
