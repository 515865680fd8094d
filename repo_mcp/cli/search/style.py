"""How text of a repository is shown to a person: nothing in it can command a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TextIO

from index_format import Snapshot
from repo_mcp.model import Suggestion

# what moves the cursor, changes the terminal, or shows a line in another order than it has; a tab
# does none of it
_COMMANDS: Final = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
_COLOURS: Final[Mapping[str, str]] = {
    "path": "1;35",
    "symbol": "36",
    "line": "32",
    "match": "1;31",
    "aside": "2",
}
_PLAIN: Final = "plain"


def visible(text: str) -> str:
    """The text, with characters that a terminal would obey written as escapes."""
    return _COMMANDS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


class Style:
    """How kinds of text look: in colours or plain, always `visible`."""

    def __init__(self, *, terminal: bool, colours: bool) -> None:
        """Remember for whom it is written: a person at a terminal, or a file or program."""
        self.terminal = terminal
        self.colours = colours

    def __call__(self, kind: str, text: str) -> str:
        """The text as this kind of text is shown."""
        shown = visible(text)
        if not self.colours or kind == _PLAIN or not shown:
            return shown
        return f"\x1b[{_COLOURS[kind]}m{shown}\x1b[0m"

    def marked(self, text: str, spans: Iterable[tuple[int, int]]) -> str:
        """The text with these of its characters, in order, shown as matches."""
        if not self.colours:
            return visible(text)
        shown: list[str] = []
        at = 0
        for begin, end in spans:
            shown += [visible(text[at:begin]), self("match", text[begin:end])]
            at = end
        return "".join([*shown, visible(text[at:])])


def style_of(out: TextIO | None) -> Style:
    """What suits this stream, and what the user wants to see there (https://no-color.org)."""
    terminal = out is not None and out.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    # a console of Windows shows escapes as they are, unless a program switches it over
    return Style(terminal=terminal, colours=terminal and not plain and sys.platform != "win32")


class Answer(NamedTuple):
    """What was found in one snapshot.

    `outdated` are files that would be ranked otherwise if the index knew them as they are now.
    """

    found: bool
    complete: bool
    # what is told of it as JSON, beside what all answers tell
    facts: Callable[[], Mapping[str, Any]]
    lines: Callable[[Style], Iterator[str]]
    warnings: tuple[str, ...]
    suggestions: tuple[Suggestion, ...] = ()
    outdated: tuple[str, ...] = ()


Ask = Callable[[Snapshot], Answer]


def outdated(answer: Answer) -> tuple[str, ...]:
    """Files that an answer shows to have changed since they were indexed."""
    return answer.outdated
