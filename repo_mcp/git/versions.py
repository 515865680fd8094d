"""Files of a commit by their paths."""

from __future__ import annotations

import os
from typing import Final

from repo_mcp.git.changes import Version
from repo_mcp.git.gaps import UnreadObjectError
from repo_mcp.git.objects import GitObjects

_FOLDER: Final = b"40000"
_HASH_BYTES: Final = 20
# digits of the mode of what is no folder
_MODE: Final = 6


def find_version(objects: GitObjects, tree: bytes, path: str) -> Version | None:
    """The file at a path below a tree; None if there is none. Raises one of `DAMAGE`."""
    *folders, name = os.fsencode(path).split(b"/")
    try:
        for folder in folders:
            found = _entry(objects, tree, folder)
            if found is None or found[0] != _FOLDER:
                return None
            tree = found[1]
        found = _entry(objects, tree, name)
    except UnreadObjectError as error:
        raise error.at(path) from None
    if found is None or found[0] == _FOLDER:
        return None
    return Version(path, *found)


def _entry(objects: GitObjects, tree: bytes, name: bytes) -> tuple[bytes, bytes] | None:
    """Mode and hash of an entry of a tree."""
    data = objects.data(tree, "tree")
    mark = b" " + name + b"\0"
    at = data.find(mark)
    if not name or at < 0:
        return None
    mode = data[max(at - _MODE, 0) : at]
    mode = _FOLDER if mode.endswith(_FOLDER) else mode
    begin = at + len(mark)
    return mode, data[begin : begin + _HASH_BYTES]
