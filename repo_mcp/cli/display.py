"""How far a command has come: a line that is drawn over on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import time
from types import TracebackType
from typing import Final, Self, TextIO

from repo_mcp.model import Progress

_BAR: Final = 24
_REDRAW_SECONDS: Final = 0.1
_LINE_SECONDS: Final = 5.0
_UNITS: Final = ("B", "KB", "MB", "GB", "TB")


class Display:
    """Shows progress; what it draws is gone when it is left."""

    def __init__(self, out: TextIO) -> None:
        """Draw only on a terminal."""
        self._out = out
        self._terminal = out.isatty()
        self._last = 0.0
        self._phase = ""
        self._begun = 0.0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the drawn line away."""
        if self._terminal:
            self._out.write("\r\x1b[K")
            self._out.flush()

    def phase(self, name: str) -> None:
        """Say what is done now, where it can't be said how far it is."""
        if self._terminal:
            self._out.write(f"\r\x1b[K{name}")
        else:
            self._out.write(f"{name}\n")
        self._out.flush()

    def show(self, now: Progress) -> None:
        """Show this, if it is time to."""
        clock = time.monotonic()
        if now.phase != self._phase:
            self._phase, self._begun, self._last = now.phase, clock, 0.0
        wait = _REDRAW_SECONDS if self._terminal else _LINE_SECONDS
        if clock - self._last < wait and now.files < now.all_files:
            return
        self._last = clock
        text = described(now, clock - self._begun)
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            self._out.write(f"\r\x1b[K{f'{_bar(now)} {text}'[:width]}")
        elif now.files:
            self._out.write(f"{text}\n")
        self._out.flush()


def described(now: Progress, seconds: float) -> str:
    """Files and bytes done of all, the rate, and the time left."""
    share = now.size / now.all_size if now.all_size else 1.0
    rate = now.size / seconds if seconds else 0.0
    left = (now.all_size - now.size) / rate if rate else 0.0
    return (
        f"{now.phase} {now.files}/{now.all_files} files, {_size(now.size)}/{_size(now.all_size)}"
        f" ({share:.0%}), {_size(rate)}/s, {_clock(left)} left"
    )


def _bar(now: Progress) -> str:
    share = now.size / now.all_size if now.all_size else 1.0
    full = round(share * _BAR)
    return "[" + "#" * full + "." * (_BAR - full) + "]"


def _size(count: float) -> str:
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:
        count /= 1000
        unit += 1
    return f"{count:.0f} {_UNITS[unit]}" if unit == 0 else f"{count:.1f} {_UNITS[unit]}"


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
