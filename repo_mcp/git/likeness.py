"""Bytes that two texts have in common: by lines, and pieces of long ones, as git counts them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from repo_mcp.native import NATIVE, Buffer, ServerNative

_MOST_SPAN: Final = 64
_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")
_SNIFFED: Final = 8000


class LineSpans:
    """The lines of a text, and pieces of long ones, to be compared with those of others."""

    def __init__(self, text: Buffer, native: ServerNative | None = NATIVE) -> None:
        """Count them, compiled or in Python."""
        self.size = len(text)
        self._native = native
        self._packed = b"" if native is None else native.text_spans(text)
        self._counted = _counted(bytes(text)) if native is None else Counter[bytes]()

    def common(self, other: LineSpans) -> int:
        """Number of bytes of this text that are in the other one."""
        if self._native is not None:
            return self._native.common_bytes(self._packed, other._packed)
        theirs = other._counted
        return sum(min(times, theirs[span]) * len(span) for span, times in self._counted.items())


def is_binary(data: Buffer) -> bool:
    """True for content that is no text, as git tells it."""
    return b"\0" in bytes(data[:_SNIFFED])


def _counted(data: bytes) -> Counter[bytes]:
    if not is_binary(data):
        data = data.replace(b"\r\n", b"\n")
    return Counter(
        line[at : at + _MOST_SPAN]
        for line in _LINE.findall(data)
        for at in range(0, len(line), _MOST_SPAN)
    )
