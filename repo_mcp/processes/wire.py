"""Messages between a process and its children: four bytes of length, then msgpack.

Both ends run the same version of this program, and the pipe between them is private.
"""

from __future__ import annotations

import os
import struct
from typing import Any, Final

import msgpack

_LENGTH: Final = struct.Struct("<I")


class Pipe:
    """One end of a two-way pipe."""

    def __init__(self, source: int, sink: int) -> None:
        """Use one descriptor for reading and one for writing."""
        self._source = source
        self._sink = sink

    def send(self, message: object) -> None:
        """Write a whole message."""
        body = msgpack.packb(message)
        rest = memoryview(_LENGTH.pack(len(body)) + body)
        while rest:
            rest = rest[os.write(self._sink, rest) :]

    def receive(self) -> Any:  # noqa: ANN401 a message is what was sent
        """The next message; `EOFError` when the other end is gone."""
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        return msgpack.unpackb(self._exactly(length), use_list=True)

    def _exactly(self, count: int) -> bytes:
        pieces: list[bytes] = []
        while count:
            piece = os.read(self._source, count)
            if not piece:
                raise EOFError
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)
