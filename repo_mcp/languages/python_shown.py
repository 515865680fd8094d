"""Declarations as they are shown: a signature on one line, documentation without its indentation.

All text is taken from the source: nothing is rebuilt from the tree, so it reads as it was written.
"""

from __future__ import annotations

import re
import sys
from typing import Final

MAX_SIGNATURE: Final = 300
MAX_STATEMENT: Final = 100
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
# what is longer is not looked at to its end: a signature is a line to read
_MAX_LOOKED_AT: Final = 2_000
# strings stay as they are; comments go; blanks become one, or none at a bracket
_PIECE: Final = re.compile(
    r"(?P<string>'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|,?(?:\s|#[^\n]*|\\\r?\n)+"
)


def one_line(text: str) -> str:
    """A stretch of source on one line, without comments."""
    if "\n" not in text and "#" not in text and "\t" not in text:
        return text[:_MAX_LOOKED_AT].strip()
    return _PIECE.sub(_shown, text[:_MAX_LOOKED_AT]).strip()


def _shown(match: re.Match[str]) -> str:
    if match.lastgroup:
        return match[0].replace("\r\n", "\n").replace("\n", "\\n")
    whole, begin, end = match.string, match.start(), match.end()
    if whole[begin] == ",":
        return "" if "\n" in match[0] and whole[end : end + 1] in _CLOSING else ", "
    at_bracket = whole[begin - 1 : begin] in _OPENING or whole[end : end + 1] in _CLOSING
    return "" if at_bracket and "\n" in match[0] else " "


def capped(text: str, limit: int = MAX_SIGNATURE) -> str:
    """A text that is not longer than the limit; what is missing is marked."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def cleaned(text: str) -> str:
    """A documentation string without the indentation it has in the source and empty ends."""
    rows = text.expandtabs().split("\n")
    first, rest = rows[0].lstrip(), rows[1:]
    margin = min((len(row) - len(row.lstrip()) for row in rest if row.strip()), default=sys.maxsize)
    kept = [first, *(row[margin:] for row in rest)]
    return "\n".join(row.rstrip() for row in kept).strip("\n")
