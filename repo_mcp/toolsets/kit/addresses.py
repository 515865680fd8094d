"""File names that clients may pass: paths, `repo:///` URIs, and citations (`path:12-20`)."""

from __future__ import annotations

import re
from typing import Final

from index_format.tuples import NamedTuple

SCHEME: Final = "repo:///"
_CITATION: Final = re.compile(
    r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?(?::.*)?", re.DOTALL
)


class Citation(NamedTuple):
    """A path and a range of its lines."""

    path: str
    first: int
    last: int | None


def path_of(name: str) -> str:
    """The path in a `repo:///` URI; any other name is returned unchanged."""
    if not name.startswith(SCHEME):
        return name
    from urllib.parse import unquote  # noqa: PLC0415 rarely needed

    return unquote(name.removeprefix(SCHEME), errors="replace")


def parse_citation(name: str) -> Citation | None:
    """The citation in `path:12`, `path:12-20` or `path:12:5`; None for anything else."""
    found = _CITATION.fullmatch(name)
    if found is None:
        return None
    first, last = int(found["first"]), found["last"]
    return Citation(found["path"], first, int(last) if last else None) if first else None


def uri_of(path: str) -> str:
    """The URI of a file."""
    from urllib.parse import quote  # noqa: PLC0415 not before the first call

    return SCHEME + quote(path)
