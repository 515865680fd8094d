"""Prepares Python text for `ast`, parses it, and converts positions back to the text.

The parser ends lines at a lone carriage return, counts columns in UTF-8 bytes and refuses a byte
order mark; here lines end at line feeds only and columns count characters. Characters that it
would misread are replaced by others of equal width, so that offsets stay valid. Parsing never
raises or warns, and a tree with more levels than any caller may rely on counts as too deep.
"""

from __future__ import annotations

import ast
import gc
import re
import threading
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import accumulate
from typing import Any, Final

_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTINUATION: Final = re.compile(rb"[\x80-\xbf]")
_LETTERS_BEFORE: Final = re.compile(r"\w+")
_LONGEST_NAME: Final = 1_000

MAX_CHARACTERS: Final = 4 << 20
# a node takes several hundred bytes: a file of more tokens is data, and would take half a gigabyte
_MAX_TOKENS: Final = 600_000
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
# errors of the parser: syntax errors, text that can't be encoded, nesting that is too deep
REFUSALS: Final = (
    SyntaxError,
    ValueError,
    RecursionError,
    MemoryError,
    OverflowError,
    SystemError,
)
# How deep a tree the interpreter builds depends on its recursion limit, which is process-wide, and
# on the caller's own depth: a limit below that gives equal text equal facts. The usual one is three
# levels for each free frame of a thousand.
MOST_LEVELS: Final = 2_000
_DECORATED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class PythonSource:
    """A text and its lines."""

    __slots__ = ("_ascii", "_continuations", "_starts", "rows", "text")

    def __init__(self, text: str) -> None:
        """Replace characters that the parser would misread."""
        if "\r" in text:
            text = _LONE_RETURN.sub(" ", text)
        self._ascii = text.isascii()
        if not self._ascii:
            # a form feed at the beginning of a line is not part of its indentation
            text = "\f" + text[1:] if text.startswith("\ufeff") else text
            text = _SURROGATE.sub("?", text)
        self.text = text
        self.rows = text.split("\n")
        self._starts = [0, *accumulate(len(row) + 1 for row in self.rows)]
        self._continuations: dict[int, list[int]] = {}

    @property
    def all_ascii(self) -> bool:
        """True if byte offsets and character offsets are the same."""
        return self._ascii

    def column(self, line: int, offset: int) -> int:
        """The column in characters for the parser's offset in bytes."""
        if self._ascii:
            return offset
        known = self._continuations.get(line)
        if known is None:
            row = self.rows[line - 1]
            encoded = b"" if row.isascii() else row.encode()
            known = [match.start() for match in _CONTINUATION.finditer(encoded)]
            self._continuations[line] = known
        return offset - bisect_left(known, offset) if known else offset

    def index_of(self, line: int, offset: int) -> int:
        """The index in the text for the parser's line and offset."""
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
        # the parser normalizes names, so that their length may differ from that in the text
        stop = self.column(line, end)
        found = _LETTERS_BEFORE.match(
            self.rows[line - 1][max(0, stop - _LONGEST_NAME) : stop][::-1]
        )
        return line, end - len(found[0].encode()) if found else end


def is_too_large(text: str) -> bool:
    """True if parsing would take more memory than a file is worth."""
    if len(text) > MAX_CHARACTERS:
        return True
    # a text has no more tokens than characters
    return len(text) > _MAX_TOKENS and sum(1 for _ in _TOKEN.finditer(text)) > _MAX_TOKENS


def parse(text: str) -> ast.Module | None:
    """The syntax tree of a source's text, or None if it is refused."""
    try:
        return parse_or_raise(text)
    except REFUSALS:
        return None


def parse_or_raise(text: str) -> ast.Module:
    """The syntax tree of a source's text; raises one of `REFUSALS` instead."""
    # as text, not bytes, so that a coding cookie is ignored
    tree = ast.parse(text)
    if is_too_deep(tree, text):
        raise RecursionError
    return tree


class _QuietParser(AbstractContextManager[None]):
    """Switches off garbage collection and warnings while any thread is inside.

    Both are process-wide. Millions of new nodes trigger collections that free nothing and make
    parsing a large file three times slower.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._collecting = False
        self._warnings = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._collecting = gc.isenabled()
                gc.disable()
                self._warnings = warnings.catch_warnings()
                self._warnings.__enter__()
                warnings.simplefilter("ignore")

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._warnings.__exit__(None, None, None)
                if self._collecting:
                    gc.enable()


quiet_parser: Final = _QuietParser()


def is_too_deep(tree: ast.Module, text: str, most: int = MOST_LEVELS) -> bool:
    """True if a chain of nodes with fields, each in the one before, is longer than `most`.

    Goes level by level into what has characters enough: each node takes one at least, and a
    statement and its expression may share one.
    """
    if len(text) < most:
        return False
    starts = [0, *accumulate(len(row) + 1 for row in text.split("\n"))]
    level: list[ast.AST] = [tree]
    for remaining in range(most, -1, -1):
        level = [child for node in level for child in _children(node, starts, remaining)]
        if not level:
            return False
    return True


def _children(node: ast.AST, starts: Sequence[int], least: int) -> Iterator[ast.AST]:
    """The nodes with fields below a node, without those of fewer characters."""
    child: Any
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if not isinstance(child, ast.AST) or not child._fields:
                continue
            first = getattr(child, "lineno", 0)
            if first and _most_characters(child, first, starts) < least:
                continue
            yield child  # arguments and others have no position


def _most_characters(node: Any, first: int, starts: Sequence[int]) -> int:  # noqa: ANN401 of all kinds of nodes
    """At least as many characters as a node has with its decorators, from the line `first`."""
    if node.__class__ in _DECORATED and node.decorator_list:
        first = node.decorator_list[0].lineno
    if first == node.end_lineno:
        return int(node.end_col_offset - node.col_offset)
    last: int = node.end_lineno
    return starts[last] - starts[first - 1]
