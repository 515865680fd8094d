"""Where stretches of shown lines begin and end: at no blank line, in the middle of no comment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.bundle.types import stretches

# lines of a comment that are added so that it is whole; of a longer one what is there is shown
_MOST_ADDED: Final = 5
_PIECE: Final = 2
_COMMENTS: Final = ("*", "//", "#", "--")
_LINE_COMMENTS: Final = ("//", "#", "--")


def tidied(rows: Sequence[str], first: int, lines: Sequence[int], limit: int) -> list[int]:
    """The lines with whole comments and without blanks at the ends of each stretch.

    `rows` are those from line `first` on; no more than `limit` lines are given.
    """
    kept: set[int] = set()
    spans = [_widened(rows, first, span) for span in stretches(lines)]
    trimmed = [_trimmed(rows, first, span) for span in spans]
    needed = sum(last - begin + 1 for begin, last in trimmed)
    if needed > limit:
        trimmed = [
            _trimmed(rows, first, span)
            for span in stretches(lines)
            if not _is_piece(rows, first, span)
        ] or [stretches(lines)[0]]
    for begin, last in trimmed:
        kept.update(range(begin, last + 1))
    return sorted(kept)


def _widened(rows: Sequence[str], first: int, span: tuple[int, int]) -> tuple[int, int]:
    begin, last = span
    up = begin
    while up > first and begin - up < _MOST_ADDED and _goes_on(rows, up - first):
        up -= 1
    down = last
    while (
        down - first + 1 < len(rows)
        and down - last < _MOST_ADDED
        and _goes_on(rows, down - first + 1)
    ):
        down += 1
    return (
        begin if up > first and _goes_on(rows, up - first) else up,
        last if down - first + 1 < len(rows) and _goes_on(rows, down - first + 1) else down,
    )


def _goes_on(rows: Sequence[str], at: int) -> bool:
    """Whether a row continues a comment that the row before it is part of."""
    row, before = rows[at].strip(), rows[at - 1].strip()
    if row.startswith("*"):
        return before.startswith(("/*", "*")) and not before.endswith("*/")
    return any(
        row.startswith(mark) and before.startswith(mark) for mark in _LINE_COMMENTS
    ) and not (row.startswith(("#include", "#define", "#if", "#e")))


def _is_piece(rows: Sequence[str], first: int, span: tuple[int, int]) -> bool:
    """Whether it is a line or two out of a comment, which say nothing."""
    begin, last = span
    inside = begin > first and _goes_on(rows, begin - first)
    held = [row.strip() for row in rows[begin - first : last - first + 1]]
    return inside and len(held) <= _PIECE and all(row.startswith(_COMMENTS) for row in held)


def _trimmed(rows: Sequence[str], first: int, span: tuple[int, int]) -> tuple[int, int]:
    begin, last = span
    while begin < last and not rows[begin - first].strip():
        begin += 1
    while last > begin and not rows[last - first].strip():
        last -= 1
    return begin, last
