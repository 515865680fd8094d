"""Known names that are spelt nearly like one that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def near_names(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known names most like a misspelt one, the nearest first."""
    from difflib import get_close_matches  # noqa: PLC0415 only for an error

    return get_close_matches(name, [*known], most)


def nearest_name(name: str, known: Iterable[str]) -> str:
    """The known name most like a misspelt one; empty if none is like it."""
    return next(iter(near_names(name, known)), "")
