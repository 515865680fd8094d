"""Tells an index that grew here from one that was put here.

A repository may come with a data folder whose index claims to be of its files and is not. What
nobody can ship is the number that this system gave to the index's folder: it is written down when
the index is begun, and an index in a folder of another number is begun anew.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from repo_mcp.indexing import side_files

_NAME: Final = "place"


def claim(data_dir: str, folder: str) -> None:
    """Write down that this index is begun here."""
    side_files.put(data_dir, _NAME, _number(folder))


def is_ours(data_dir: str, folder: str) -> bool:
    """Whether the index in this folder was begun here."""
    with suppress(OSError):
        return side_files.get(data_dir, _NAME) == _number(folder)
    return False


def _number(folder: str) -> bytes:
    return f"{os.stat(folder).st_ino}\n".encode()
