"""Cuts a long text and marks the cut."""

from __future__ import annotations

from typing import Final

MARK: Final = " …"


def cut_text(text: str, most: int) -> str:
    """The text, or its first `most` characters and the mark of a cut."""
    return text if len(text) <= most else text[:most] + MARK
