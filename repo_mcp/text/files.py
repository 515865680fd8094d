"""Decodes files to text and lines, for the index, snippets and opened files alike."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Final

from index_format.analysis.content import lines
from index_format.tuples import NamedTuple
from repo_mcp.native import find_lines

# raise it where other files count as text, or have another text
VERSION: Final = 1


class Text(NamedTuple):
    """A file's text and its encoding."""

    content: str
    encoding: str


def decode(data: bytes) -> Text | None:
    """The text of a file, or None if it is binary: it has a NUL byte, or breaks UTF-16's rules.

    UTF-8 with or without a byte order mark, UTF-16 with one; other bytes are read as Latin-1, which
    never fails and keeps ASCII as it is.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _strict(data, "utf-16")
    if b"\x00" in data:
        return None
    found = _strict(data, "utf-8-sig")
    if found is not None:
        return Text(found.content, "utf-8")
    return Text(data.decode("latin-1"), "latin-1")


def _strict(data: bytes, encoding: str) -> Text | None:
    try:
        return Text(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        return None


@lru_cache(64)
def _alone(text: bytes, before: str, behind: str) -> re.Pattern[bytes]:
    """A text that these do not touch; it begins with the text, which `re` looks for quickly."""
    word = re.escape(text)
    outside = b"(?<!" + before.encode() + word + b")" if before else b""
    return re.compile(word + outside + (b"(?!" + behind.encode() + b")" if behind else b""))


class Rows:
    """Single lines of a file, without splitting all of it."""

    def __init__(self, data: bytes) -> None:
        """Detect the encoding; a binary file has no lines, and `is_text` is False."""
        plain = data.isascii() and b"\x00" not in data
        text = Text("", "utf-8") if plain else decode(data)
        self.is_text = text is not None
        self._data = data
        self._encoding = text.encoding if text is not None else "utf-8"
        # all lines, if lines can't be found in the bytes: UTF-16, or a byte order mark
        self._whole: list[str] | None = None
        if text is None:
            self._whole = []
        elif text.encoding == "utf-16" or data.startswith(codecs.BOM_UTF8):
            self._whole = lines(text.content)

    @property
    def plain_data(self) -> bytes | None:
        """The bytes, if the ends of all lines can be found in them."""
        return self._data if self._whole is None else None

    @property
    def is_empty(self) -> bool:
        """True if there are no lines."""
        return not (self._data if self._whole is None else self._whole)

    @cached_property
    def count(self) -> int:
        """The number of lines."""
        if self._whole is not None:
            return len(self._whole)
        return self._data.count(b"\n") + bool(self._data and not self._data.endswith(b"\n"))

    def holding(self, text: str, before: str = "", behind: str = "") -> Iterator[tuple[int, str]]:
        """The lines that hold a text without a line feed, with their numbers.

        Classes of ASCII characters may say what never stands right `before` or `behind` the text in
        the lines that are sought: some of the others are passed over, where that saves time.
        """
        if self._whole is not None:
            yield from ((at, row) for at, row in enumerate(self._whole, 1) if text in row)
            return
        try:
            sought = text.encode(self._encoding)
        except UnicodeEncodeError:  # no line of this encoding can hold it
            return
        data, find = self._data, _alone(sought, before, behind).search
        number, counted, found = 1, 0, find(self._data)
        while found:
            at = found.start()
            number += data.count(b"\n", counted, at)
            counted = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            row = data[counted : end if end >= 0 else None].decode(self._encoding)
            yield number, row.removesuffix("\r")
            found = find(data, end) if end >= 0 else None

    def between(self, first: int, last: int) -> list[str]:
        """The lines `first` to `last`, counted from 1, without their ends."""
        if self._whole is not None:
            return self._whole[first - 1 : last]
        found = find_lines(self._data, first, last)
        if found is None:
            return []
        text = self._data[found[0] : found[1]].decode(self._encoding)
        rows = text.split("\n")
        return [row.removesuffix("\r") for row in rows] if "\r" in text else rows
