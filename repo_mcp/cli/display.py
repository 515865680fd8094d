"""Progress of a command: a line redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TextIO

from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.model import Progress

_BAR: Final = 24
_LEAST_BAR: Final = 6
_WIDTH: Final = 80
_REDRAW_SECONDS: Final = 0.1
_LINE_SECONDS: Final = 5.0
_UNITS: Final = ("B", "KB", "MB", "GB", "TB")


class Display(RunListener):
    """Shows progress; erases the line at the end.

    If its output is closed, it stops writing, and the work continues.
    """

    def __init__(self, out: TextIO | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._terminal = out is not None and out.isatty()
        self._drawn = 0
        self._phase = ""
        self._begun = self._last = 0.0
        self._finished = False

    def __enter__(self) -> Self:
        """Draw nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Erase the drawn line."""
        if self._drawn:
            self._draw("")
            self._write("\r")

    def phase(self, name: str) -> None:
        """Show the name of a phase without known progress."""
        self._phase = ""
        if self._terminal:
            self._draw(name)
        else:
            self._write(f"{name}\n")

    def on_progress(self, now: Progress) -> None:
        """Show progress, if the last update was long enough ago."""
        clock = self._clock()
        if now.phase != self._phase or not now.files:
            self._phase, self._begun, self._last = now.phase, clock, 0.0
            self._finished = False
        wait = _REDRAW_SECONDS if self._terminal else _LINE_SECONDS
        finished = now.files >= now.all_files
        if self._finished or (clock - self._last < wait and not finished):
            return
        self._last, self._finished = clock, finished
        text = progress_text(now, clock - self._begun)
        if self._terminal:
            self._draw(_with_bar(now, text, self._width()))
        elif now.files:
            self._write(f"{text}\n")

    def _draw(self, text: str) -> None:
        """Replace the drawn line."""
        width = self._width()
        shown = text[:width]
        self._write(f"\r{shown.ljust(min(self._drawn, width))}")
        self._drawn = len(shown)

    def _width(self) -> int:
        """Columns that can be used without a line wrap."""
        try:
            columns = 0 if self._out is None else os.get_terminal_size(self._out.fileno()).columns
        except (OSError, ValueError):
            columns = 0
        return max((columns or _WIDTH) - 1, 1)

    def _write(self, text: str) -> None:
        if self._out is None:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):  # it was closed
            self._out, self._terminal = None, False


def progress_text(now: Progress, seconds: float) -> str:
    """Files and bytes done, the rate, and the time left (at the end, the time taken)."""
    done, every = (now.size, now.all_size) if now.all_size else (now.files, now.all_files)
    text = f"{now.phase} {now.files}/{now.all_files}"
    if now.all_size:
        text += f" files, {_amount(now.size, now.all_size)}"
    text += f" {_share(now):.0%}"
    if not now.files:
        return text
    rate = done / seconds if seconds else 0.0
    speed = f", {size_text(rate)}/s" if rate and now.all_size else ""
    if now.files >= now.all_files:
        return f"{text}{speed}, took {_duration(seconds)}"
    if not rate:
        return text
    return f"{text}{speed}, {_duration((every - done + now.following) / rate)} left"


def _with_bar(now: Progress, text: str, width: int) -> str:
    """The text with a bar before it, if there is room for one."""
    room = min(_BAR, width - len(text) - len("[] "))
    if room < _LEAST_BAR:
        return text
    full = int(_share(now) * room)
    return f"[{'#' * full}{'.' * (room - full)}] {text}"


def _share(now: Progress) -> float:
    done, of = (now.size, now.all_size) if now.all_size else (now.files, now.all_files)
    return done / of if of else 1.0


def _amount(done: int, of: int) -> str:
    """Both in the unit of the larger one, so that they can be compared."""
    unit = _unit(of)
    return f"{_in(done, unit)}/{_in(of, unit)} {_UNITS[unit]}"


def size_text(count: float) -> str:
    """Bytes in the unit that fits."""
    unit = _unit(count)
    return f"{_in(count, unit)} {_UNITS[unit]}"


def _unit(count: float) -> int:
    unit = 0
    # above that it would round to 1000.0
    while count >= (999.95 if unit else 999.5) and unit < len(_UNITS) - 1:
        count /= 1000
        unit += 1
    return unit


def _in(count: float, unit: int) -> str:
    return f"{count / 1000**unit:.{1 if unit else 0}f}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
