"""The most telling lines of a ranked passage: the first, and those with terms of the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.text.cutting import cut
from repo_mcp.text.numbering import numbered_line

# lines of the first passages, and of those after them
_LINES: Final = 8
_FEWER_LINES: Final = 4
_FIRST: Final = 3
_WIDEST: Final = 160
# lines without a letter or digit (a brace, a rule) say nothing
_LEAST_LETTERS: Final = 3


def snippet(text: str, first: int, terms: Sequence[str], rank: int) -> str:
    """The lines with their numbers; `rank` counts from 0."""
    rows = text.split("\n")
    kept = telling_lines(rows, terms, _LINES if rank < _FIRST else _FEWER_LINES)
    return "\n".join(numbered_line(first + at, cut(rows[at], _WIDEST)) for at in kept)


def telling_lines(rows: Sequence[str], terms: Sequence[str], most: int) -> list[int]:
    """The first line, those with most terms, and lines after the first while there is room."""
    if len(rows) <= most:
        return [*range(len(rows))]
    lowered = [term.lower() for term in terms]
    first = next((at for at, row in enumerate(rows) if _says_something(row)), 0)

    def worth(at: int) -> int:
        row = rows[at].lower()
        return sum(term in row for term in lowered) if _says_something(row) else -1

    ordered = sorted(range(len(rows)), key=lambda at: (at != first, -worth(at), at))
    return sorted(ordered[:most])


def _says_something(row: str) -> bool:
    return sum(character.isalnum() for character in row[:_WIDEST]) >= _LEAST_LETTERS
