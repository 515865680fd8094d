"""Lines of files as answers show them: `12: text`, and `12- text` for lines around a match."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# begins a line that names the declaration of the lines that follow it
HEADING: Final = "@"


def numbered_line(number: int, text: str, *, around: bool = False) -> str:
    """A line with its number; one around a match is marked as such."""
    return f"{number}{'-' if around else ':'} {text}"


def number_lines(rows: Iterable[str], first: int) -> list[str]:
    """Lines with their numbers."""
    return [numbered_line(number, row) for number, row in enumerate(rows, first)]


def heading(name: str) -> str:
    """Names the declaration of the lines that follow; they have none if the name is empty."""
    return f"{HEADING} {name}".rstrip()


def counted(number: int, noun: str, more: str = "") -> str:
    """A number with its noun, in the plural unless it is one; `more` stands between them."""
    return f"{number}{more} {noun}{'' if number == 1 and not more else 's'}"
