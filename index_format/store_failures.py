"""What a failed call to the system means for an index, in errors of this library."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    ReadOnlyStoreError,
    StoreError,
    StoreWriteError,
)

# On Windows, "permission denied" also means that another program holds the file open.
_REFUSED: Final = {errno.EROFS} | (
    set() if sys.platform == "win32" else {errno.EACCES, errno.EPERM}
)
_NOT_A_FILE: Final = {errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR}


@contextmanager
def reading(operation: str, name: str) -> Iterator[None]:
    """What is done here only reads."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise failed(operation, name, error) from error


@contextmanager
def writing(operation: str, name: str) -> Iterator[None]:
    """What is done here needs to write."""
    try:
        yield
    except (OSError, ValueError) as error:
        number, reason = _cause(error)
        if number in _REFUSED:
            message = f"{operation} {name}: {reason}"
            raise ReadOnlyStoreError(message) from error
        raise StoreWriteError(operation, name, reason) from error


def failed(operation: str, name: str, error: OSError | ValueError) -> Exception:
    """What to raise when reading failed so."""
    if isinstance(error, FileNotFoundError):
        return FileMissingError(name)
    number, reason = _cause(error)
    if number in _NOT_A_FILE:
        return CorruptIndexError(name, "file", 0, reason, "a regular file")
    return StoreError(f"{operation} {name}: {reason}")


def _cause(error: OSError | ValueError) -> tuple[int | None, str]:
    """Number and reason, without the path; a closed file object raises a `ValueError`."""
    if isinstance(error, OSError):
        return error.errno, error.strerror or type(error).__name__
    return None, "already closed"
