"""Shows what is longer than a terminal page by page, as the user's PAGER does it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from repo_mcp.cli.search.environment import pager_of
from repo_mcp.console import flush, print_styled

if TYPE_CHECKING:
    import subprocess

# options of less unless the user sets them: quit on one screen, colours, no clearing
_LESS: Final = "FRX"


class PagerLeftError(Exception):
    """The reader has left the pager, and wants no further line."""


class PagedOutput:
    """Standard output; what is longer than the terminal goes through the user's pager.

    Lines that may fit on the terminal are held back until there are more, or the end.
    """

    def __init__(self, *, use: bool | None, end: str = "\n") -> None:
        """Without a terminal, or where `use` is False, lines are printed as they come."""
        self._end = end
        self._room = 0 if use is False else _rows()
        self._held: list[str] = []
        self._pager: _Pager | None = None

    def write(self, line: str) -> None:
        """Print a line; raises `PagerLeftError` where nobody reads on."""
        if self._pager is not None:
            self._pager.write(line)
        elif not self._room:
            print_styled(line, self._end)
        else:
            self._held.append(line)
            if len(self._held) == self._room:
                command = _command()
                self._pager = _open_pager(command) if command else None
                self._release()

    def write_all(self, lines: Iterable[str]) -> None:
        """Print lines, at once where none is held back: else printing takes as long as finding."""
        if self._pager is None and not self._room:
            found = [*lines]
            if found:
                print_styled(self._end.join(found), self._end)
            return
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Send what was printed."""
        if self._pager is None and not self._held:
            flush()

    def close(self) -> None:
        """Print what is held back, or wait until the pager has been left."""
        self._release()
        if self._pager is not None:
            self._pager.close()

    def _release(self) -> None:
        held, self._held, self._room = self._held, [], 0
        for line in held:
            self.write(line)


def print_paged(lines: Iterable[str], *, use: bool | None) -> None:
    """Print lines; through a pager if they do not fit on the terminal, unless `use` is False."""
    out = PagedOutput(use=use)
    try:
        for line in lines:
            out.write(line)
        out.close()
    except PagerLeftError:
        return


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
    if found is None or not os.path.isabs(found):
        return []
    return [] if words[0] == "cat" else [found, *words[1:]]


class _Pager:
    """A running pager; interrupts are for it alone until it has been left."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._before = signal.signal(signal.SIGINT, signal.SIG_IGN)

    def write(self, line: str) -> None:
        """Send a line."""
        pipe = self._process.stdin
        try:
            if pipe is not None:
                pipe.write(f"{line}\n")
        except OSError:
            self.close()
            raise PagerLeftError from None

    def close(self) -> None:
        """Send no more, and wait for the reader."""
        pipe = self._process.stdin
        if pipe is not None:
            with suppress(OSError):  # it was left early
                pipe.close()
        self._process.wait()
        signal.signal(signal.SIGINT, self._before)


def _open_pager(command: list[str]) -> _Pager | None:
    """The pager; None if it can't be started."""
    import subprocess  # noqa: PLC0415 as above

    environment = {"LESS": _LESS, "LV": "-c", **os.environ}
    try:
        return _Pager(
            subprocess.Popen(  # noqa: S603 the user's own choice, by its full path
                command,
                stdin=subprocess.PIPE,
                env=environment,
                text=True,
                errors="backslashreplace",
            )
        )
    except OSError:
        return None
