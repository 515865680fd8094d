"""Standard output of an answer: written as it is found, or held while ripgrep may still answer."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

from repo_mcp.cli.ripgrep.arguments import BetterLeftError
from repo_mcp.console import flush, write_bytes

# no more lines are held until it is known that they are ripgrep's
_MOST_LINES: Final = 10_000
_PIECE: Final = 1 << 16


class AnswerOutput:
    """The output of one answer, of which no more than a piece is in memory unless it is held.

    `size` and `checksum` (CRC-32) are those of the bytes that were written.
    """

    def __init__(self) -> None:
        """Nothing is held until `hold` is called."""
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._lines_left: int | None = None
        self.size = self.checksum = 0

    def hold(self) -> None:
        """Write nothing before `finish`, and refuse very many lines."""
        self._lines_left = _MOST_LINES

    def write(self, pieces: Iterable[bytes], lines: int) -> None:
        """Add pieces with so many matching lines; the first ones are written at once."""
        before = len(self._pieces)
        self._pieces += pieces
        if self._lines_left is not None:
            self._lines_left -= lines
            if self._lines_left < 0:
                raise BetterLeftError("many lines match")
            return
        self._waiting += sum(map(len, self._pieces[before:]))
        if self._waiting >= _PIECE or not self.size:
            self.finish()

    def finish(self) -> None:
        """Write what waits."""
        data = b"".join(self._pieces)
        self._pieces, self._waiting = [], 0
        self.size += len(data)
        self.checksum = zlib.crc32(data, self.checksum)
        write_bytes(data)
        flush()
