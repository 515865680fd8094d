"""Lines of files as answers show them: with numbers, and long ones cut (`…` marks what is left)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

Span = tuple[int, int]

# about how long an answer about one symbol is, in characters
SYMBOL_CHARS: Final = 4_000
MORE: Final = "…"
# begins a line that names the declaration of the lines that follow it
HEADING: Final = "@"
_TOP: Final = "(top level)"
_NUMBERED: Final = re.compile(r"(\d+)([:-]) ?(.*)", re.DOTALL)


def cut(text: str, longest: int) -> str:
    """The first `longest` characters, with a mark if there are more."""
    return text if len(text) <= longest else f"{text[:longest]} {MORE}"


def cut_around(
    text: str, spans: Sequence[Span], longest: int, before: int
) -> tuple[str, tuple[Span, ...]]:
    """`longest` characters, beginning `before` the first span, with marks for omitted text.

    Also returns the spans' positions in the cut text, without those that were cut off.
    """
    if len(text) <= longest:
        return text, tuple(spans)
    begin = max(spans[0][0] - before, 0) if spans else 0
    end = min(begin + longest, len(text))
    head = f"{MORE} " if begin else ""
    tail = f" {MORE}" if end < len(text) else ""
    moved = len(head) - begin
    kept = [(start + moved, min(stop, end) + moved) for start, stop in spans if start < end]
    return f"{head}{text[begin:end]}{tail}", tuple(kept)


def numbered_line(number: int, text: str, *, around: bool = False) -> str:
    """A line with its number; one around a match is marked as such."""
    return f"{number}{'-' if around else ':'} {text}"


def read_numbered(text: str) -> Iterator[tuple[int, str, bool]]:
    """Numbers and lines of a text that `numbered_line` wrote, and whether they are around a match.

    For what is kept as text: answers have their lines as values.
    """
    for row in text.split("\n"):
        found = _NUMBERED.fullmatch(row)
        if found is not None:
            yield int(found[1]), found[3], found[2] == "-"


def number_lines(rows: Iterable[str], first: int) -> list[str]:
    """Lines with their numbers."""
    return [numbered_line(number, row) for number, row in enumerate(rows, first)]


def heading(name: str) -> str:
    """Names the declaration of the lines that follow; they have none if the name is empty."""
    return f"{HEADING} {name or _TOP}"
