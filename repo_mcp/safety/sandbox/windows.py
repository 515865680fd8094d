"""The way to open below a root on Windows: every decision is taken on a handle.

There is no opening relative to a folder, so a path is opened whole, and Windows is then asked where
the handle really leads: that has to lie below where the root's own handle leads, under names that
are allowed. Links are resolved by hand before, so that none is followed to another machine.
The calls stand elsewhere: all of this works on any system that plays Windows.
"""

from __future__ import annotations

import ntpath
from typing import Final, Protocol

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox.door import About, Check, Folder, Names
from repo_mcp.safety.sandbox.lexical import check_windows_name
from repo_mcp.safety.sandbox.windows_answers import (
    DIRECTORY,
    ELSEWHERE,
    REPARSE,
    SYMBOLIC_LINK,
    Information,
    key,
    kind,
    listed,
    names_inside,
    plain_path,
    problem,
    target_names,
)

_MAX_LINKS: Final = 40
_MAX_STEPS: Final = 1000


class Kernel(Protocol):
    """The calls that are needed; each raises `OSError` with its number in `winerror`."""

    def open(self, path: str, *, through: bool) -> int:
        """Open a file or folder; a reparse point itself, unless it is to be gone `through`."""

    def final_path(self, handle: int) -> str:
        r"""Where the handle leads, in true names, as `\\?\C:\folder\file`."""

    def is_disk(self, handle: int) -> bool:
        """Whether this is a disk's, not a device or pipe."""

    def information(self, handle: int) -> Information:
        """What is open."""

    def link_target(self, handle: int) -> str:
        """What a symbolic link says, unchanged."""

    def entries(self, handle: int) -> list[tuple[str, Information]]:
        """What an open folder holds."""

    def read(self, handle: int, most: int) -> bytes:
        """Bytes from the first on."""

    def close(self, handle: int) -> None:
        """Let go of the handle."""


class WindowsDoor:
    """A root folder, held open from the start: where it moves to, it is followed."""

    windows = True

    def __init__(self, kernel: Kernel, root: str) -> None:
        """Open the root, which may be given through a link or a junction."""
        self._kernel = kernel
        self._root = kernel.open(ntpath.abspath(root), through=True)
        if not kernel.information(self._root).attributes & DIRECTORY:
            kernel.close(self._root)
            raise NotADirectoryError(root)
        real = plain_path(kernel.final_path(self._root))
        self.roots = tuple(dict.fromkeys((ntpath.abspath(root), real)))

    def spellings(self, path: str) -> tuple[str, ...]:
        """A path as given, and as it really lies."""
        return tuple(dict.fromkeys((ntpath.abspath(path), ntpath.realpath(path))))

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Open a file; what it is has been judged by its handle when it is handed out."""
        try:
            return self._open(names, check, follow=follow)
        except OSError as error:
            raise problem(error) from None

    def about(self, handle: int) -> About:
        """What the handle leads to."""
        try:
            found = self._kernel.information(handle)
            regular = self._kernel.is_disk(handle) and kind(found) == "file"
        except OSError as error:
            raise problem(error) from None
        return About(regular, found.links, key(found))

    def place(self, handle: int) -> Names:
        """Where the handle leads, in true names."""
        try:
            here = self._kernel.final_path(handle)
            return names_inside(here, self._kernel.final_path(self._root))
        except OSError as error:
            raise problem(error) from None

    def read(self, handle: int, most: int) -> bytes:
        """Read from the handle."""
        try:
            return self._kernel.read(handle, most)
        except OSError as error:
            raise problem(error) from None

    def release(self, handle: int) -> None:
        """Close the handle."""
        self._kernel.close(handle)

    def folder(self, names: Names) -> Folder:
        """List a folder through its handle."""
        try:
            handle = self._open(names, _unchecked, follow=False)
            try:
                found = self._kernel.information(handle)
                if kind(found) != "folder":
                    raise Problem("not_found")
                entries, unreadable = listed(self._kernel.entries(handle))
                return Folder(entries, unreadable, found.volume)
            finally:
                self._kernel.close(handle)
        except OSError as error:
            raise problem(error) from None

    def close(self) -> None:
        """Close the root."""
        self._kernel.close(self._root)

    def _open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Resolve links name by name; the last handle is handed out once it is known to be safe."""
        pending = list(reversed(names))
        real: Names = ()
        links = 0
        for _ in range(_MAX_STEPS):
            if pending:
                name = pending.pop()
                if name == "..":
                    if not real:
                        raise Problem("path_outside")
                    real = real[:-1]
                    continue
                check_windows_name(name)
                real = (*real, name)
                check(real, folder=bool(pending))
            handle = self._kernel.open(self._path(real), through=False)
            try:
                found = self._kernel.information(handle)
                target = self._target(handle, found) if kind(found) == "link" else None
                if target is None and not pending:
                    return self._judged(handle, found, real)
            except BaseException:
                self._kernel.close(handle)
                raise
            self._kernel.close(handle)
            if target is not None:
                links += 1
                if not follow:
                    raise Problem("not_a_file")
                if links > _MAX_LINKS:
                    break
                pending += target
                real = real[:-1]
        raise Problem("path_invalid", "too many links")

    def _target(self, handle: int, found: Information) -> list[str]:
        """The names a link leads over, last one first; a junction is absolute, so leads outside."""
        if found.tag != SYMBOLIC_LINK:
            raise Problem("path_outside")
        return target_names(self._kernel.link_target(handle))

    def _judged(self, handle: int, found: Information, real: Names) -> int:
        """The handle, or another one that goes through a reparse point that is no link.

        Either has to lie below the root: a folder on the way may have become a link meanwhile.
        """
        if found.attributes & ELSEWHERE:
            raise Problem("unreadable")
        if not found.attributes & REPARSE or kind(found) == "other":
            self.place(handle)
            return handle
        through = self._kernel.open(self._path(real), through=True)
        try:
            self.place(through)
        except BaseException:
            self._kernel.close(through)
            raise
        self._kernel.close(handle)
        return through

    def _path(self, names: Names) -> str:
        """Where the names lie now: with this prefix, Windows reads nothing else into them."""
        root = self._kernel.final_path(self._root)
        return "\\".join((root.rstrip("\\"), *names)) if names else root


def _unchecked(names: Names, *, folder: bool) -> None:
    """Leave the names alone: they have been checked, and no link is followed."""
