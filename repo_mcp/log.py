"""What the server says of its own defects and of calls: never what a file holds."""

from __future__ import annotations

import sys


def log_place(error: BaseException) -> None:
    """Name the error's type and place, never its message: that may be of a file's text."""
    import traceback  # noqa: PLC0415 only when it is needed

    places = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{place.name}:{place.lineno}" for place in reversed(places))
    print(f"repo-mcp: {type(error).__name__} at {where}", file=sys.stderr, flush=True)  # noqa: T201 the log


def log_call(line: str) -> None:
    """Say of a call what was called and what became of it."""
    print(f"repo-mcp: {line}", file=sys.stderr, flush=True)  # noqa: T201 the log
