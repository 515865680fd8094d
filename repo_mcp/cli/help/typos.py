"""What was probably meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def suggest(name: str, known: Iterable[str]) -> str:
    """The nearest names as the end of a message; empty if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 for errors only

    found = get_close_matches(name, [*known], 2, 0.6)
    return f": did you mean {' or '.join(map(repr, found))}?" if found else ""
