"""Cuts long lines for display; `…` marks omitted text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

Span = tuple[int, int]

MORE: Final = "…"


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
