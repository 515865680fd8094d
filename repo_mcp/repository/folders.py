"""Lists folders for clients, without denied and ignored entries and symlinks out of the root.

A symlink to a file of the repository is shown as that file. Symlinks to folders are not followed,
so that no walk goes in circles. Everything else is listed, even what the index leaves out: images,
large files, third-party packages.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.gitignore import (
    EXCLUDE_NAME,
    RULES_NAME,
    IgnoreRules,
    drop_match_all_rules,
)
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Folder, FolderEntry, Sandbox
from repo_mcp.text.plurals import counted

FILE: Final = "file"
DIRECTORY: Final = "directory"
_REPOSITORY_NAME: Final = ".git"
# characters that a path in a call can't contain
_UNADDRESSABLE: Final = re.compile(r"[\x00-\x1f\x7f\\]")
_LINKS: Final = ("link", "not followed")
_SPECIAL: Final = ("special file", "pipes, sockets, devices")
_NAMES: Final = ("file name", "that no call can name")
_UNREADABLE: Final = ("folder", "not readable")
_UNREADABLE_FILE: Final = ("file", "not readable")


class FolderItem(NamedTuple):
    """A listed entry; `size` is 0 for folders."""

    name: str
    type: str
    size: int


class FolderView(NamedTuple):
    """A folder: its path with a trailing slash (the root is ""), entries and ignore rules."""

    prefix: str
    listed: Folder
    ignore: IgnoreRules
    ignored: bool


class Folders:
    """Lists folders for one call; `left_out` counts entries that can't be shown."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.left_out: Counter[tuple[str, str]] = Counter()
        self._sandbox = sandbox

    @property
    def warnings(self) -> list[AnswerWarning]:
        """A warning with the counts of entries left out, if there are any."""
        parts = (
            f"{counted(count, what)} ({why})"
            for (what, why), count in sorted(self.left_out.items())
        )
        text = ", ".join(parts)
        return [AnswerWarning("left_out", f"left out: {text}")] if text else []

    def find(self, path: str) -> FolderView:
        """The folder at a client's path; raises a `Problem` if it can't be shown."""
        below = self._sandbox.normalize_path(collapse_path(path))
        if not below:
            return self._root()
        if self._sandbox.is_denied(below, folder=True):  # whether or not it exists
            self._sandbox.list_folder(below)
        place = self._root()
        for name in below.split("/"):
            entry = _entry(place, name)
            if entry is None:
                raise Problem("not_found")
            if entry.kind != "folder":
                raise Problem("not_a_folder")
            place = self._enter(place, name)
        return place

    def enter(self, place: FolderView, name: str) -> FolderView | None:
        """A subfolder, or None if it can't be read or is gone."""
        try:
            return self._enter(place, name)
        except Problem:
            self.left_out[_UNREADABLE] += 1
            return None

    def entries(self, place: FolderView) -> Iterator[FolderItem]:
        """The visible entries of a folder, by name."""
        if place.ignored:
            return
        for entry in place.listed.entries:
            folder = entry.kind == "folder"
            path = place.prefix + entry.name
            hidden = place.ignore.ignores(entry.name, folder=folder)
            if hidden or self._sandbox.is_denied(path, folder=folder):
                continue
            if _UNADDRESSABLE.search(entry.name):
                self.left_out[_NAMES] += 1
            elif folder:
                yield FolderItem(entry.name, DIRECTORY, 0)
            elif (size := self._size(path, entry)) is not None:
                yield FolderItem(entry.name, FILE, size)
        if place.listed.unreadable_names:
            self.left_out[_NAMES] += place.listed.unreadable_names

    def _size(self, path: str, entry: FolderEntry) -> int | None:
        """Size of a file or of a symlink's target file; None for anything else."""
        if entry.key is not None:
            return entry.key.size
        if entry.kind == "link":
            try:
                return self._sandbox.file_key(path).size
            except Problem:
                self.left_out[_LINKS] += 1
                return None
        self.left_out[_UNREADABLE_FILE if entry.kind == "unreadable" else _SPECIAL] += 1
        return None

    def _root(self) -> FolderView:
        """The root; rules that ignore all of it are dropped, as in the index's walk."""
        listed = self._sandbox.list_folder("")
        above = IgnoreRules().with_rules(self._sandbox.read_rules(EXCLUDE_NAME))
        rules = self._sandbox.read_rules(RULES_NAME)
        ignore = above.with_rules(rules)
        names = {entry.name for entry in listed.entries}
        if _REPOSITORY_NAME not in names and all(
            ignore.ignores(entry.name, folder=entry.kind == "folder") for entry in listed.entries
        ):
            ignore = above.with_rules(drop_match_all_rules(rules))
        return FolderView("", listed, ignore, ignored=False)

    def _enter(self, above: FolderView, name: str) -> FolderView:
        """A subfolder; one with its own `.git` inherits no ignore rules."""
        path = above.prefix + name
        listed = self._sandbox.list_folder(path)
        ignored = above.ignored or above.ignore.ignores(name, folder=True)
        ignore = IgnoreRules() if _has(listed, _REPOSITORY_NAME) else above.ignore.below(name)
        if _has(listed, RULES_NAME):
            ignore = ignore.with_rules(self._sandbox.read_rules(f"{path}/{RULES_NAME}"))
        return FolderView(f"{path}/", listed, ignore, ignored)


def _entry(place: FolderView, name: str) -> FolderEntry | None:
    return _find_entry(place.listed, name)


def _has(listed: Folder, name: str) -> bool:
    return _find_entry(listed, name) is not None


def _find_entry(listed: Folder, name: str) -> FolderEntry | None:
    entries = listed.entries
    at = bisect_left(entries, name, key=lambda entry: entry.name)
    return entries[at] if at < len(entries) and entries[at].name == name else None


def collapse_path(path: str) -> str:
    """The path with `..` resolved as text: `src/../a.py` becomes `a.py`.

    A path that leads out of the root is returned unchanged; the sandbox refuses it.
    """
    if ".." not in path:
        return path
    top = "/" if path.startswith("/") else ""
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if not names:
                return path
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    return top + "/".join(names)
