"""A Python text as the parser is given it, and the way from the parser's places to the text's own.

The parser ends lines at a lone carriage return, counts columns in UTF-8 bytes and refuses a byte
order mark; lines here end at line feeds only and columns count characters. What stands in the way
is replaced by something of equal width, so that every place is a place in the text as it is.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from itertools import accumulate
from typing import Final

_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTINUATION: Final = re.compile(rb"[\x80-\xbf]")
_LETTERS_BEFORE: Final = re.compile(r"\w+")
_LONGEST_NAME: Final = 1_000


class Source:
    """A text and its lines."""

    __slots__ = ("_ascii", "_continuations", "_starts", "rows", "text")

    def __init__(self, text: str) -> None:
        """Replace what the parser would take for something else."""
        if "\r" in text:
            text = _LONE_RETURN.sub(" ", text)
        self._ascii = text.isascii()
        if not self._ascii:
            # a form feed is what may stand first on a line without being part of its indentation
            text = "\f" + text[1:] if text.startswith("\ufeff") else text
            text = _SURROGATE.sub("?", text)
        self.text = text
        self.rows = text.split("\n")
        self._starts = [0, *accumulate(len(row) + 1 for row in self.rows)]
        self._continuations: dict[int, list[int]] = {}

    @property
    def all_ascii(self) -> bool:
        """Whether bytes and characters are the same thing here."""
        return self._ascii

    def column(self, line: int, offset: int) -> int:
        """The column in characters of a place that the parser gave in bytes."""
        if self._ascii:
            return offset
        known = self._continuations.get(line)
        if known is None:
            row = self.rows[line - 1]
            encoded = b"" if row.isascii() else row.encode()
            known = [match.start() for match in _CONTINUATION.finditer(encoded)]
            self._continuations[line] = known
        return offset - bisect_left(known, offset) if known else offset

    def place(self, line: int, offset: int) -> int:
        """The index in the text of a place that the parser gave."""
        return self._starts[line - 1] + self.column(line, offset)

    def line_at(self, index: int) -> tuple[int, int]:
        """Line and column of an index in the text."""
        line = bisect_left(self._starts, index + 1)
        return line, index - self._starts[line - 1]

    def attribute(self, node: ast.Attribute) -> tuple[int, int]:
        """Line and byte offset of the name after the last dot."""
        line, end = node.end_lineno or 0, node.end_col_offset or 0
        if self._ascii or self.rows[line - 1].isascii():
            return line, end - len(node.attr)
        # the parser gives names in a normal form: the length is not always the one in the text
        stop = self.column(line, end)
        found = _LETTERS_BEFORE.match(
            self.rows[line - 1][max(0, stop - _LONGEST_NAME) : stop][::-1]
        )
        return line, end - len(found[0].encode()) if found else end
