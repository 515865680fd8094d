"""A program with a terminal of its own, at which somebody types."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import HANG

# what moves the cursor, colours, or switches modes of the terminal
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|.\x08")


class Typist:
    """Types, and reads what is shown."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process = process
        self.seen = ""
        self._terminal = terminal
        self._ready = select.poll()
        self._ready.register(terminal, select.POLLIN)
        self._data = b""

    def type(self, text: str, wanted: str) -> None:
        """Type a text, and read until what is shown since matches."""
        begun = len(self._data)
        os.write(self._terminal, text.encode())
        while not re.search(wanted, ESCAPES.sub("", self._data[begun:].decode(errors="replace"))):
            assert self._look(), self._data

    def read_on(self) -> str:
        """All that is shown until the program ends."""
        while self._look():
            pass
        return self._data.decode(errors="replace")

    def _look(self) -> bool:
        assert self._ready.poll(HANG * 1000), self._data
        try:
            data = os.read(self._terminal, 1 << 12)
        except OSError:  # what Linux says when nobody has it open any more
            return False
        self._data += data
        return bool(data)


@contextmanager
def typing_at(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], rows: int = 24
) -> Iterator[Typist]:
    """A program that reads from and writes to a terminal of its own."""
    terminal, inner = os.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=folder,
        env={**environment, "TERM": "xterm"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 no thread is running there
    )
    os.close(inner)
    try:
        yield Typist(process, terminal)
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
