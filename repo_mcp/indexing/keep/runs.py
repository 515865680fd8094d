"""The runs that published an index, as a data folder remembers them; loads nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp import side_files

_LAST_REFRESH: Final = "refresh.json"
_MAX_REFRESH_BYTES: Final = 32 << 10
# runs that are remembered, those that published nothing left out
_MOST_RUNS: Final = 200


class IndexRun(NamedTuple):
    """A run that published a generation: when it ended, and how many files were indexed then."""

    time: str
    generation: int
    files: int
    seconds: float


def index_runs(index_dir: str) -> Iterator[IndexRun]:
    """The runs that a data folder remembers, oldest first; what is no run is left out."""
    yield from _runs_in(_read_refresh(index_dir))


def _runs_in(record: Mapping[str, Any]) -> Iterator[IndexRun]:
    runs = record.get("runs")
    for item in runs[-_MOST_RUNS:] if isinstance(runs, list) else ():
        with suppress(ValueError, TypeError, OverflowError):
            time, generation, files, seconds = item
            found = IndexRun(_checked_time(time), int(generation), int(files), float(seconds))
            if math.isfinite(found.seconds) and min(found[1:]) >= 0:
                yield found


def last_refresh(index_dir: str) -> str:
    """Time of the last refresh; empty if unknown.

    A refresh that published nothing sets the file's time alone.
    """
    with suppress(ValueError, OSError, OverflowError):
        stored = _checked_time(_read_refresh(index_dir).get("timestamp"))
        touched = side_files.touched_at(index_dir, _LAST_REFRESH)
        return max(stored, format_time(datetime.fromtimestamp(touched, UTC)))
    return ""


def store_refresh(index_dir: str, timestamp: str, latest: IndexRun | None) -> None:
    """Store the time of a refresh, and the run that published the latest generation, if it is new.

    Without a new one the file's time alone changes: to replace a file may wait for the disk.
    """
    with suppress(OSError):
        stored = _read_refresh(index_dir)
        runs = list(_runs_in(stored))
        if latest is not None and (not runs or runs[-1].generation != latest.generation):
            runs.append(latest)
        elif _has_time(stored):
            runs.clear()
        if runs:
            record = {"timestamp": timestamp, "runs": runs[-_MOST_RUNS:]}
            side_files.put(index_dir, _LAST_REFRESH, json.dumps(record).encode())
        side_files.touch(index_dir, _LAST_REFRESH, datetime.fromisoformat(timestamp).timestamp())


def _has_time(record: Mapping[str, Any]) -> bool:
    with suppress(ValueError):
        return bool(_checked_time(record.get("timestamp")))
    return False


def _read_refresh(index_dir: str) -> Mapping[str, Any]:
    """The stored record of the last refresh; the file may come from the repository."""
    with suppress(OSError, ValueError, RecursionError):
        record = json.loads(side_files.get(index_dir, _LAST_REFRESH, _MAX_REFRESH_BYTES))
        if isinstance(record, dict):
            return record
    return {}


def _checked_time(text: object) -> str:
    """A time in the form in which it is written here; raises `ValueError` if it is none."""
    if not isinstance(text, str):
        raise ValueError(text)  # noqa: TRY004 as for a text that is no time
    return format_time(datetime.fromisoformat(text))


def format_time(time: datetime) -> str:
    """A time in the form in which it is stored."""
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
