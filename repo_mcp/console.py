"""Writes lines to standard output and error, so that no text of a repository controls a terminal.

Names, settings, file text, audit records and errors may hold any character. Each line is escaped
here, whatever it holds; JSON is written in ASCII. What is logged are defects and calls, without any
file content. A server that speaks over both keeps them for itself: prints of libraries go to
standard error.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache

from index_format.annotations import Final

# control characters except tab, and characters that end a line or change the direction of text
HIDDEN: Final = tuple(
    code
    for first, last in (
        *((0x00, 0x08), (0x0A, 0x1F), (0x7F, 0x9F), (0x061C, 0x061C)),
        *((0x200E, 0x200F), (0x2028, 0x202E), (0x2066, 0x2069)),
    )
    for code in range(first, last + 1)
)
_ESCAPES: Final = {
    code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"  # as Python writes them
    for code in HIDDEN
}


def visible(text: str) -> str:
    """The text as one line, with control characters escaped."""
    # none of those that are escaped is printable
    return text if text.isprintable() else text.translate(_ESCAPES)


def print_line(line: str) -> None:
    """Print a line to standard output."""
    print(visible(line))  # noqa: T201 this is where it is printed


def print_styled(line: str, end: str = "\n") -> None:
    """Print a line with colours, made of `visible` parts."""
    print(line, end=end)  # noqa: T201 as above


def write_bytes(data: bytes) -> None:
    """Write bytes that a pipe or file is to get as they are; for a terminal they are `visible`."""
    if data:
        flush()
        sys.stdout.buffer.write(data)


@cache
def _encoder(indent: int | None) -> json.JSONEncoder:
    return json.JSONEncoder(indent=indent, default=str)


def print_json(record: object, *, indent: int | None = None) -> None:
    """Print a record as JSON; values that JSON does not have, such as dates, become texts."""
    print(_encoder(indent).encode(record))  # noqa: T201 as above


def print_error(line: str) -> None:
    """Print a line to standard error, if that is open."""
    if sys.stderr is not None:  # else it would go to standard output
        print(visible(line), file=sys.stderr, flush=True)  # noqa: T201 as above


def flush() -> None:
    """Send buffered output, e.g. before an error, or while a closed pipe can still be handled."""
    print(end="", flush=True)  # noqa: T201 as above


def log_place(error: BaseException) -> None:
    """Log an error's type and stack, never its message, which may have file content."""
    import traceback  # noqa: PLC0415 rarely needed

    places = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{place.name}:{place.lineno}" for place in reversed(places))
    print_error(f"repo-mcp: {type(error).__name__} at {where}")


def log_call(line: str) -> None:
    """Log one line: a call and its outcome, or what a server can not do until it is mended."""
    print_error(f"repo-mcp: {line}")


def take_over() -> tuple[int, int]:
    """Private descriptors of input and output; afterwards the standard ones are harmless."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(2)
    except OSError:  # closed: else the next opened file would become standard error
        os.dup2(nowhere, 2)
    source, sink = os.dup(0), os.dup(1)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    if nowhere > 2:
        os.close(nowhere)
    sys.stdout = sys.stderr
    return source, sink
