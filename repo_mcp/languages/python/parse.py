"""Parses Python text; nothing that a text holds makes it raise or warn.

Millions of new nodes set the garbage collector to work, though none of them is garbage: with it,
reading a large file takes three times as long.
"""

from __future__ import annotations

import ast
import gc
import re
import threading
import warnings
from contextlib import AbstractContextManager
from typing import Final

from repo_mcp.languages.python.source import Source

MAX_CHARACTERS: Final = 4 << 20
# a node takes several hundred bytes: a table of numbers is data, and not worth half a gigabyte
_MAX_TOKENS: Final = 600_000
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
# what the parser says of text it doesn't take: wrong, unencodable, too deep in two ways
_REFUSALS: Final = (
    SyntaxError,
    ValueError,
    RecursionError,
    MemoryError,
    OverflowError,
    SystemError,
)


def is_too_large(text: str) -> bool:
    """Whether parsing would take more memory than a file is worth."""
    if len(text) > MAX_CHARACTERS:
        return True
    # a text has no more tokens than characters
    return len(text) > _MAX_TOKENS and sum(1 for _ in _TOKEN.finditer(text)) > _MAX_TOKENS


def parse(source: Source) -> ast.Module | None:
    """The syntax tree, None when the parser refuses the text."""
    try:
        # given as text, not bytes: a coding cookie has no say
        return ast.parse(source.text)
    except _REFUSALS:
        return None


class _QuietParser(AbstractContextManager[None]):
    """Neither collection nor warnings while any thread is inside; both are the whole process's."""

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


undisturbed: Final = _QuietParser()
