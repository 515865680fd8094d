"""What the disk or the index says, as a problem that a user understands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from index_format import IndexBusyError, IndexFormatError, StoreError
from repo_mcp.errors import Problem

_MOST_SAID: Final = 200


@contextmanager
def explained() -> Iterator[None]:
    """Turn what the disk or the index says into an answer."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        raise problem_of(error) from error


def problem_of(error: Exception) -> Problem:
    """What to answer to an error of the disk or the index."""
    if isinstance(error, IndexBusyError):
        return Problem("index_busy")
    said = type(error).__name__
    if isinstance(error, OSError):
        said = error.strerror or said
    elif isinstance(error, StoreError):  # it names files of the index only
        said = str(error)
    return Problem("index_unavailable", said[:_MOST_SAID])
