"""Interprets the results of Windows calls; pure, so that it is tested on every system."""

from __future__ import annotations

import ntpath
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox.door import Names
from repo_mcp.safety.sandbox.listing import FolderEntry, StatKey

DIRECTORY: Final = 0x10
REPARSE: Final = 0x400
# attributes of offline files: opening or reading them would fetch them from elsewhere
ELSEWHERE: Final = 0x1000 | 0x40000 | 0x400000
SYMBOLIC_LINK: Final = 0xA000000C
# set in the tag of a reparse point that names another file: a symbolic link or a junction
_NAME_SURROGATE: Final = 0x20000000
# an app execution alias, and a socket, pipe or device of WSL
_SPECIAL_TAGS: Final = {0x8000001B, 0x80000023, 0x80000024, 0x80000025, 0x80000026}
_ABSENT: Final = {2, 3, 53, 67, 123, 161, 206, 267}
# 100 nanoseconds from the year 1601 to 1970
_EPOCH: Final = 116_444_736_000_000_000


class Information(NamedTuple):
    """Properties of an open handle or a folder entry."""

    attributes: int
    tag: int
    size: int
    written: int
    changed: int
    inode: int
    links: int = 1
    volume: int = 0


def names_inside(path: str, root: str) -> Names:
    """The names of a path below the root; both are final paths, with their true letter case.

    Raises a problem if the path is outside the root.
    """
    names, top = path.split("\\"), root.rstrip("\\").split("\\")
    if names[: len(top)] != top:
        raise Problem("path_outside")
    return tuple(name for name in names[len(top) :] if name)


def plain_path(final: str) -> str:
    r"""A final path as people write it: without `\\?\`, shares with two backslashes."""
    if final.startswith("\\\\?\\UNC\\"):
        return "\\\\" + final[8:]
    return final.removeprefix("\\\\?\\")


def target_names(target: str) -> list[str]:
    """The names of a link's target, last one first; raises a problem if it is absolute."""
    text = target.replace("/", "\\")
    if text.startswith("\\") or ntpath.splitdrive(text)[0]:
        raise Problem("path_outside")
    return [name for name in reversed(text.split("\\")) if name not in {"", "."}]


def kind(found: Information) -> str:
    """File, folder, link or other; a reparse point with its content here is a file or folder."""
    if found.attributes & REPARSE and found.tag & _NAME_SURROGATE:
        return "link"
    if found.attributes & DIRECTORY:
        return "folder"
    special = found.attributes & REPARSE and found.tag in _SPECIAL_TAGS
    return "other" if special or found.attributes & ELSEWHERE else "file"


def key(found: Information) -> StatKey:
    """The key of a file; it has the change time, which programs can't set back."""
    return StatKey(
        found.size, _nanoseconds(found.written), _nanoseconds(found.changed), found.inode
    )


def folder_entries(found: list[tuple[str, Information]]) -> tuple[list[FolderEntry], int]:
    """Entries sorted by the bytes of their names, and how many names are not Unicode."""
    entries: list[FolderEntry] = []
    unreadable = 0
    for name, information in found:
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            unreadable += 1
            continue
        what = kind(information)
        entries.append(FolderEntry(name, what, key(information) if what == "file" else None))
    return sorted(entries), unreadable


def problem(error: OSError) -> Problem:
    """The problem for a failed call; without Windows' message, which names paths."""
    if getattr(error, "winerror", None) in _ABSENT:
        return Problem("not_found")
    return Problem("unreadable")


def _nanoseconds(time: int) -> int:
    return (time - _EPOCH) * 100
