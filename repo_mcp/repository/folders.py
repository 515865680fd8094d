"""Folders as a client may see them: without what is denied, what `.gitignore` names, and links out.

A link to a file of the repository is shown as that file. Links to folders are not followed, so that
no walk goes in circles. Everything else is listed, also what the index leaves out: pictures, large
files, other people's packages.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.gitignore import EXCLUDE_NAME, RULES_NAME, Ignore, without_everything
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Folder, FolderEntry, Sandbox

FILE: Final = "file"
DIRECTORY: Final = "directory"
_REPOSITORY_NAME: Final = ".git"
# no client can name a path with one of these
_UNSPEAKABLE: Final = re.compile(r"[\x00-\x1f\x7f\\]")
_LINKS: Final = "link(s) that are not followed"
_SPECIAL: Final = "pipe(s), socket(s) or device(s)"
_NAMES: Final = "name(s) that can't be said in a call"
_UNREADABLE: Final = "folder(s) that can't be read"


class FolderItem(NamedTuple):
    """What is told of an entry; `size` counts for files only."""

    name: str
    type: str
    size: int


class FolderView(NamedTuple):
    """A folder: its path with a slash at the end (the root is ""), its entries, and its rules."""

    prefix: str
    listed: Folder
    ignore: Ignore
    ignored: bool


class Folders:
    """Lists folders for one call; `left_out` counts what is not ignored and can't be shown."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Nothing is read yet."""
        self.left_out: Counter[str] = Counter()
        self._sandbox = sandbox

    @property
    def warnings(self) -> list[AnswerWarning]:
        """What to say of what is left out."""
        counted = ", ".join(f"{count} {what}" for what, count in sorted(self.left_out.items()))
        return [AnswerWarning("left_out", f"left out: {counted}")] if counted else []

    def come_to(self, path: str) -> FolderView:
        """The folder that a client names; a `Problem` where there is none to be shown."""
        below = self._sandbox.below(collapsed(path))
        if not below:
            return self._root()
        if self._sandbox.is_denied(below, folder=True):  # whether or not it is there
            self._sandbox.folder(below)
        place = self._root()
        for name in below.split("/"):
            entry = _entry(place, name)
            if entry is None:
                raise Problem("not_found")
            if entry.kind != "folder":
                raise Problem("not_a_folder")
            place = self._step(place, name)
        return place

    def within(self, place: FolderView, name: str) -> FolderView | None:
        """A folder among the entries; None where it can't be read, or is one no more."""
        try:
            return self._step(place, name)
        except Problem:
            self.left_out[_UNREADABLE] += 1
            return None

    def entries(self, place: FolderView) -> Iterator[FolderItem]:
        """What is shown of a folder, in the order of names."""
        if place.ignored:
            return
        for entry in place.listed.entries:
            folder = entry.kind == "folder"
            path = place.prefix + entry.name
            hidden = place.ignore.ignores(entry.name, folder=folder)
            if hidden or self._sandbox.is_denied(path, folder=folder):
                continue
            if _UNSPEAKABLE.search(entry.name):
                self.left_out[_NAMES] += 1
            elif folder:
                yield FolderItem(entry.name, DIRECTORY, 0)
            elif (size := self._size(path, entry)) is not None:
                yield FolderItem(entry.name, FILE, size)
        if place.listed.unreadable_names:
            self.left_out[_NAMES] += place.listed.unreadable_names

    def _size(self, path: str, entry: FolderEntry) -> int | None:
        """Of a file, or of one that a link leads to; None of anything else."""
        if entry.key is not None:
            return entry.key.size
        if entry.kind == "link":
            try:
                return self._sandbox.look(path).size
            except Problem:
                self.left_out[_LINKS] += 1
                return None
        self.left_out[_SPECIAL] += 1
        return None

    def _root(self) -> FolderView:
        """The top; rules that hide all of it were meant for another place, as for the index."""
        listed = self._sandbox.folder("")
        above = Ignore().with_rules(self._sandbox.rules(EXCLUDE_NAME))
        rules = self._sandbox.rules(RULES_NAME)
        ignore = above.with_rules(rules)
        names = {entry.name for entry in listed.entries}
        if _REPOSITORY_NAME not in names and all(
            ignore.ignores(entry.name, folder=entry.kind == "folder") for entry in listed.entries
        ):
            ignore = above.with_rules(without_everything(rules))
        return FolderView("", listed, ignore, ignored=False)

    def _step(self, above: FolderView, name: str) -> FolderView:
        """Into a folder; one with a `.git` of its own begins anew with rules."""
        path = above.prefix + name
        listed = self._sandbox.folder(path)
        ignored = above.ignored or above.ignore.ignores(name, folder=True)
        ignore = Ignore() if _has(listed, _REPOSITORY_NAME) else above.ignore.below(name)
        if _has(listed, RULES_NAME):
            ignore = ignore.with_rules(self._sandbox.rules(f"{path}/{RULES_NAME}"))
        return FolderView(f"{path}/", listed, ignore, ignored)


def _entry(place: FolderView, name: str) -> FolderEntry | None:
    return _found(place.listed, name)


def _has(listed: Folder, name: str) -> bool:
    return _found(listed, name) is not None


def _found(listed: Folder, name: str) -> FolderEntry | None:
    entries = listed.entries
    at = bisect_left(entries, name, key=lambda entry: entry.name)
    return entries[at] if at < len(entries) and entries[at].name == name else None


def collapsed(path: str) -> str:
    """The path without the steps up that stay inside, as text: `src/../a.py` is `a.py`.

    One that leads out is given back as it is, and the sandbox refuses it.
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
