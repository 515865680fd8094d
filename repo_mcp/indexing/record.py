"""What is remembered of the last refresh, beside the index: a clock has no place inside it."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from repo_mcp.indexing import side_files

_NAME: Final = "refresh.json"


def now() -> str:
    """The time of day, as it is shown."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def write(data_dir: str, timestamp: str) -> None:
    """Remember when the index was last brought up to date, if that can be written."""
    with suppress(OSError):
        side_files.put(data_dir, _NAME, json.dumps({"timestamp": timestamp}).encode())


def read(data_dir: str) -> str:
    """When that was; empty when it is not known."""
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        return _checked(json.loads(side_files.get(data_dir, _NAME)).get("timestamp"))
    return ""


def _checked(found: object) -> str:
    """Only what is a time is passed on: the file may have come with the repository."""
    if not isinstance(found, str):
        return ""
    return datetime.fromisoformat(found).isoformat(timespec="seconds").replace("+00:00", "Z")
