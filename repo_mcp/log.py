"""Logs defects and calls to standard error, without any file content."""

from __future__ import annotations

import sys


def log_place(error: BaseException) -> None:
    """Log an error's type and stack, never its message, which may have file content."""
    import traceback  # noqa: PLC0415 rarely needed

    places = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{place.name}:{place.lineno}" for place in reversed(places))
    print(f"repo-mcp: {type(error).__name__} at {where}", file=sys.stderr, flush=True)  # noqa: T201 the log


def log_call(line: str) -> None:
    """Log one call and its outcome."""
    print(f"repo-mcp: {line}", file=sys.stderr, flush=True)  # noqa: T201 the log
