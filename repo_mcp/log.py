"""Logs defects and calls to standard error, without any file content."""

from __future__ import annotations

from repo_mcp.console import print_error


def log_place(error: BaseException) -> None:
    """Log an error's type and stack, never its message, which may have file content."""
    import traceback  # noqa: PLC0415 rarely needed

    places = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{place.name}:{place.lineno}" for place in reversed(places))
    print_error(f"repo-mcp: {type(error).__name__} at {where}")


def log_call(line: str) -> None:
    """Log one call and its outcome."""
    print_error(f"repo-mcp: {line}")
