"""Files as clients may name them: by a path, an address, or a place as answers cite it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

SCHEME: Final = "repo:///"
_PLACE: Final = re.compile(
    r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?(?::.*)?", re.DOTALL
)


class Place(NamedTuple):
    """A path, and the lines of it that are meant."""

    path: str
    first: int
    last: int | None


def path_of(name: str) -> str:
    """The path that is meant: an address is read as one, all else is a path as it stands."""
    if not name.startswith(SCHEME):
        return name
    from urllib.parse import unquote  # noqa: PLC0415 rarely needed

    return unquote(name.removeprefix(SCHEME), errors="replace")


def cited(name: str) -> Place | None:
    """What `path:12`, `path:12-20` or `path:12:5` names; None for anything else."""
    found = _PLACE.fullmatch(name)
    if found is None:
        return None
    first, last = int(found["first"]), found["last"]
    return Place(found["path"], first, int(last) if last else None) if first else None


def address(path: str) -> str:
    """The address of a file."""
    from urllib.parse import quote  # noqa: PLC0415 not before the first call

    return SCHEME + quote(path)
