"""Colours of a search's output, and the record of its answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TextIO

from index_format import Snapshot
from repo_mcp.console import visible
from repo_mcp.model import Suggestion

_COLOURS: Final[Mapping[str, str]] = {
    "path": "1;35",
    "symbol": "36",
    "line": "32",
    "match": "1;31",
    "aside": "2",
}
_PLAIN: Final = "plain"
# the longest that files are read which could not be indexed
SCAN_SECONDS: Final = 10.0


class Style:
    """Formats kinds of text, with or without colours; always `visible`."""

    def __init__(self, *, terminal: bool, colours: bool) -> None:
        """Choose the format for a terminal, or for a file or program."""
        self.terminal = terminal
        self.colours = colours

    def __call__(self, kind: str, text: str) -> str:
        """The text in the style of this kind."""
        shown = visible(text)
        if not self.colours or kind == _PLAIN or not shown:
            return shown
        return f"\x1b[{_COLOURS[kind]}m{shown}\x1b[0m"

    def marked(self, text: str, spans: Iterable[tuple[int, int]]) -> str:
        """The text with these spans, in order, highlighted as matches."""
        if not self.colours:
            return visible(text)
        shown: list[str] = []
        at = 0
        for begin, end in spans:
            shown += [visible(text[at:begin]), self("match", text[begin:end])]
            at = end
        return "".join([*shown, visible(text[at:])])


def style_of(out: TextIO | None) -> Style:
    """The style for a stream; respects NO_COLOR (https://no-color.org)."""
    terminal = out is not None and out.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    # a Windows console prints escape sequences literally unless a program enables them
    return Style(terminal=terminal, colours=terminal and not plain and sys.platform != "win32")


class Answer(NamedTuple):
    """The result of a search in one snapshot.

    `outdated` are files that changed since they were indexed and may rank differently now.
    """

    found: bool
    complete: bool
    # fields of the JSON output besides the common ones
    facts: Callable[[], Mapping[str, Any]]
    lines: Callable[[Style], Iterator[str]]
    warnings: tuple[str, ...]
    suggestions: tuple[Suggestion, ...] = ()
    # what is said before the lines
    notice: str = ""
    outdated: tuple[str, ...] = ()


Ask = Callable[[Snapshot], Answer]


class SearchPlan(NamedTuple):
    """A search: in an index, and in files that no index has yet."""

    ask: Ask
    scan: Callable[[Iterable[str]], Answer]


def outdated(answer: Answer) -> tuple[str, ...]:
    """The changed files in an answer."""
    return answer.outdated
