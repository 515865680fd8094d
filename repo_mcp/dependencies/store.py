"""Folders with installed packages, which are read through sandboxes of their own.

A folder below the root of the repository has to be there without a link that leads out of it: the
repository would name the folder, and not the user.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox

# the lists of files of large packages have some megabytes
_MOST_BYTES: Final = 64 << 20
_DENIED: Final = Denylist()


class StoreFolder:
    """One folder; what can't be read is as if it were not there."""

    def __init__(self, path: str, sandbox: Sandbox) -> None:
        """Keep the absolute path, and the sandbox around it."""
        self.path = path
        self._sandbox = sandbox

    def folders(self, below: str = "") -> list[str]:
        """The names of the folders in a folder, and of links, which may lead to some."""
        return [name for name, kind in self._entries(below) if kind in {"folder", "link"}]

    def files(self, below: str = "") -> list[str]:
        """The names of the files in a folder."""
        return [name for name, kind in self._entries(below) if kind == "file"]

    def text(self, path: str) -> str:
        """A file's text; empty if it can't be read."""
        try:
            data = self._sandbox.read(path, most_bytes=_MOST_BYTES).data
        except Problem:
            return ""
        return data.decode("utf-8", "replace")

    def real(self, below: str) -> str:
        """The folder to which a path leads."""
        return os.path.realpath(os.path.join(self.path, below))

    def _entries(self, below: str) -> list[tuple[str, str]]:
        try:
            listed = self._sandbox.list_names(below)
        except Problem:
            return []
        return [(entry.name, entry.kind) for entry in listed.entries]


class ProjectStores:
    """A repository whose packages are looked for."""

    def __init__(self, root: str, manifests: Sequence[str], environment: Mapping[str, str]) -> None:
        """`manifests` are paths of manifests and lock files in the root, without links."""
        self.root = os.path.realpath(root)
        self._spellings = (self.root, os.path.abspath(root))
        self.manifests = manifests
        self.environment = environment
        self._stores: dict[str, StoreFolder | None] = {}

    def store(self, path: str) -> StoreFolder | None:
        """A folder of the user's by its absolute path; None if it is none, or can't be read."""
        real = os.path.realpath(path) if path else ""
        if real not in self._stores:
            self._stores[real] = _open(real)
        return self._stores[real]

    def named_store(self, path: str) -> StoreFolder | None:
        """A folder that a variable of the user names; one of the repository is its own."""
        path = os.path.abspath(path) if path else ""
        for root in self._spellings:
            if path and is_inside(path, root):
                return self.own_store(os.path.relpath(path, root))
        return self.store(path)

    def own_store(self, path: str) -> StoreFolder | None:
        """A folder of the repository.

        None if it is not there, is denied, or if links lead out of the root.
        """
        real = os.path.realpath(os.path.join(self.root, path))
        if not is_inside(real, self.root):
            return None
        below = os.path.relpath(real, self.root).replace(os.sep, "/")
        is_denied = real != self.root and _DENIED.rule(below, folder=True)
        return None if is_denied else self.store(real)

    def store_in(self, holder: StoreFolder, path: str) -> StoreFolder | None:
        """A folder in another one; in one of the repository, it is the repository's as well."""
        real = holder.real(path)
        if is_inside(holder.path, self.root):
            return self.own_store(os.path.relpath(real, self.root))
        return self.store(real)

    def folders_with(self, *names: str) -> list[str]:
        """The folders of the repository that have a manifest of one of these names."""
        found = (path.rpartition("/") for path in self.manifests)
        return [*dict.fromkeys(folder for folder, _, name in found if name in names)]

    def text(self, path: str) -> str:
        """The text of a file of the repository; empty if it can't be read."""
        store = self.own_store("")
        return "" if store is None else store.text(path)

    def users_folder(self, variable: str, *otherwise: str) -> str:
        """The folder that a variable names, else one in the home folder; empty without."""
        given = self.environment.get(variable, "")
        if given:
            return os.path.abspath(given)
        home = self.environment.get("HOME") or self.environment.get("USERPROFILE") or ""
        return os.path.join(home, *otherwise) if home else ""


def is_inside(path: str, root: str) -> bool:
    """True if an absolute path is the root or below it."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _open(real: str) -> StoreFolder | None:
    if not os.path.isdir(real):
        return None
    try:
        # package managers link equal files of all environments to one
        sandbox = Sandbox(real, Denylist(), max_file_bytes=_MOST_BYTES, allow_hardlinks=True)
    except (OSError, Problem):
        return None
    return StoreFolder(real, sandbox)
