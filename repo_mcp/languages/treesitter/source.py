"""A text as the parser sees it: one byte per character, so that every offset counts characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from repo_mcp.languages.facts.model import shorten

if TYPE_CHECKING:
    from tree_sitter import Node

_OUTSIDE_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_LONGEST_LINE: Final = 300
# of a longer stretch only the beginning is looked at: a table of constants is not a signature
LOOKED_AT: Final = 4000
LONGEST_CHAIN: Final = 1000
_CUT: Final = "…"


class Source:
    """A text, and the bytes that stand for it while it is parsed.

    A character outside ASCII is a letter to the parser (a blank, if it is one). That is what it is
    in names, comments and strings, and there is nowhere else for it to be. So offsets, columns and
    slices need no conversion, and lone surrogates no exception.
    """

    __slots__ = ("data", "parsed", "text")

    def __init__(self, text: str, parsed: str | None = None) -> None:
        """Encode once; ASCII costs nothing more. What is parsed may leave parts of the text out."""
        self.text = text
        if parsed is not None:
            text = parsed
        self.parsed = text
        plain = text if text.isascii() else _OUTSIDE_ASCII.sub(_letters, text)
        self.data = plain.encode("ascii")

    def of(self, node: Node) -> str:
        """The text of a node."""
        return self.text[node.start_byte : node.end_byte]

    def line_of(self, node: Node) -> str:
        """The text of a node as one line."""
        return one_line(self.text[node.start_byte : node.end_byte])

    def goes_on(self, end: int) -> bool:
        """Whether more than blanks and remarks stand after an offset on its line."""
        rest = self.text[end : end + _LONGEST_LINE].partition("\n")[0].lstrip()
        return bool(rest) and not rest.startswith(("//", "/*", "#"))

    def line_of_span(self, start: int, end: int) -> str:
        """A stretch of the text as one line."""
        return one_line(self.text[start:end])

    def stands_alone(self, start: int, column: int) -> bool:
        """Whether nothing but blanks stands before an offset on its line."""
        return not column or not self.text[start - column : start].strip()


def _letters(found: re.Match[str]) -> str:
    run = found[0]
    if not any(map(str.isspace, run)) and "\ufeff" not in run:
        return "x" * len(run)
    return "".join(" " if char.isspace() or char == "\ufeff" else "x" for char in run)


def blank(match: re.Match[str]) -> str:
    """Blanks in the place of what matched: offsets stay as they are."""
    return " " * len(match[0])


def one_line(text: str, longest: int = _LONGEST_LINE) -> str:
    """Runs of blanks as one, and no more than fits on a line."""
    if text.isidentifier() and len(text) <= longest:
        return text
    return shorten(" ".join(text[:LOOKED_AT].split()), longest)


def without_blanks(text: str, longest: int = 120) -> str:
    """As it would be written without blanks; of something longer the end."""
    whole = len(text) <= LONGEST_CHAIN
    if not text.isidentifier():
        text = "".join(text[-LONGEST_CHAIN:].split())
    return text if whole and len(text) <= longest else _CUT + text[1 - longest :]
