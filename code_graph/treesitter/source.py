"""Encodes a text for the parser with one byte per character: all offsets count characters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from code_graph.facts.model import shorten

if TYPE_CHECKING:
    from tree_sitter import Node

_OUTSIDE_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
LONGEST_LINE: Final = 300
# characters of source that are made into one line: a table of constants is not a signature
MAX_SOURCE: Final = 4000
LONGEST_CHAIN: Final = 1000
_CUT: Final = "…"
# characters that a signature does not end with
_AFTER_A_HEAD: Final = " \t\r\n{;,=:"
_NOT_A_LINE_END: Final = re.compile(r"[^\n]")


class Source:
    """A text, and the bytes that are parsed in its place.

    Characters outside ASCII are replaced by a letter or a blank: they occur only in names, comments
    and strings. So offsets, columns and slices need no conversion, and lone surrogates no special
    case.
    """

    __slots__ = ("_comments", "data", "parsed", "text")

    def __init__(self, text: str, parsed: str | None = None) -> None:
        """Encode the text, or the replacement of equal length that is parsed instead."""
        self.text = text
        if parsed is not None:
            text = parsed
        self.parsed = text
        self.data = one_byte_each(text)
        # first and last offset of each comment, ascending
        self._comments: list[tuple[int, int]] = []

    def leave_out(self, comments: Iterable[Node]) -> None:
        """Take comments, in their order, out of all that is made into one line."""
        self._comments = [(node.start_byte, node.end_byte) for node in comments]

    def of(self, node: Node) -> str:
        """The text of a node."""
        return self.text[node.start_byte : node.end_byte]

    def line_of(self, node: Node) -> str:
        """The text of a node as one line, without comments."""
        return one_line(self.without_comments(self.text, node.start_byte, node.end_byte))

    def has_code_after(self, end: int) -> bool:
        """True if more than blanks and comments follow an offset on its line."""
        rest = self.text[end : end + LONGEST_LINE].partition("\n")[0].lstrip()
        return bool(rest) and not rest.startswith(("//", "/*", "#"))

    def line_of_span(self, start: int, end: int) -> str:
        """A range of the text as one line, without comments."""
        return one_line(self.without_comments(self.text, start, end))

    def without_comments(self, text: str, start: int, end: int) -> str:
        """A range of a text that has the comments at the same offsets, with a blank for each."""
        at = bisect_left(self._comments, (start, 0))
        parts: list[str] = []
        while at < len(self._comments) and self._comments[at][0] < end:
            first, last = self._comments[at]
            parts.append(text[start:first])
            start, at = last, at + 1
        return " ".join([*parts, text[start:end]])

    def is_first_on_line(self, start: int, column: int) -> bool:
        """True if only blanks precede an offset on its line."""
        return not column or not self.text[start - column : start].strip()


def one_byte_each(text: str) -> bytes:
    """A byte for each character."""
    plain = text if text.isascii() else _OUTSIDE_ASCII.sub(_replace_letters, text)
    return plain.encode("ascii")


def _replace_letters(found: re.Match[str]) -> str:
    run = found[0]
    if not any(map(str.isspace, run)) and "\ufeff" not in run:
        return "x" * len(run)
    return "".join(" " if char.isspace() or char == "\ufeff" else "x" for char in run)


def blank(match: re.Match[str]) -> str:
    """Blanks in place of the match, so that offsets stay the same."""
    return " " * len(match[0])


def spaces(text: str) -> str:
    """Blanks in place of all of a text but its line ends."""
    return _NOT_A_LINE_END.sub(" ", text)


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """The text with runs of blanks as one, cut to the length of a line."""
    if text.isidentifier() and len(text) <= longest:
        return text
    text = " ".join(text[:MAX_SOURCE].split())
    return text if len(text) <= longest else shorten(text, longest)


def head_line(text: str, start: int, end: int, prefix: str = "") -> str:
    """The head of a declaration as one line, without what ends it."""
    return one_line(prefix + text[start : min(end, start + MAX_SOURCE)].rstrip(_AFTER_A_HEAD))


def without_blanks(text: str, longest: int = 120) -> str:
    """The text without blanks; of a longer text the end."""
    whole = len(text) <= LONGEST_CHAIN
    if not text.isidentifier():
        text = "".join(text[-LONGEST_CHAIN:].split())
    return text if whole and len(text) <= longest else _CUT + text[1 - longest :]
