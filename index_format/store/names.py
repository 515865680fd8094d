"""File names that a store accepts, and for what.

Every store checks names here, so no caller and no stored text can make one leave its folder.
"""

from __future__ import annotations

from index_format import layout
from index_format.errors import InvalidInputError


def is_listed(name: str) -> bool:
    """True if this is a file the format knows; the lock file is the store's own affair."""
    return name == layout.CURRENT_NAME or is_published(name) or is_temporary(name)


def is_published(name: str) -> bool:
    """True if this is the name of a segment or manifest: written once, never changed."""
    return is_segment(name) or layout.MANIFEST_NAME.fullmatch(name) is not None


def is_segment(name: str) -> bool:
    """True if this is the name of a segment."""
    return layout.SEGMENT_NAME.fullmatch(name) is not None


def is_temporary(name: str) -> bool:
    """True if this is a file under construction, or left over from a writer that died."""
    return layout.TEMPORARY_NAME.fullmatch(name) is not None


def generation(name: str) -> int | None:
    """The generation whose manifest has this name, None for every other file."""
    match = layout.MANIFEST_NAME.fullmatch(name)
    return int(match[1]) if match else None


def check_listed(name: str) -> None:
    """Refuse names that no file of an index can have."""
    if not is_listed(name):
        message = f"{name!r} is not the name of an index file"
        raise InvalidInputError(message)


def check_published(name: str) -> None:
    """Refuse names under which nothing is published."""
    if not is_published(name):
        message = f"{name!r} is not the name of a segment or manifest"
        raise InvalidInputError(message)


def check_replaced(name: str) -> None:
    """Refuse to replace anything but the pointer: all else is written once."""
    if name != layout.CURRENT_NAME:
        message = f"{name!r} is not {layout.CURRENT_NAME}: it is never replaced"
        raise InvalidInputError(message)
