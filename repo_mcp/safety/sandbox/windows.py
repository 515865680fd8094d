"""The door for Windows: every decision is made on an open handle.

Windows can't open relative to a folder, so a path is opened whole and its handle's final path is
then compared with that of the root: it has to be below it, under allowed names. Links are resolved
here first, so that none is followed to another machine. The system calls are behind `Kernel`, so
that all of this can be tested on any system.
"""

from __future__ import annotations

import ntpath
from typing import Final, Protocol

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox.door import (
    Check,
    FolderId,
    HandleInfo,
    Names,
    RootState,
)
from repo_mcp.safety.sandbox.lexical import check_windows_name
from repo_mcp.safety.sandbox.listing import Folder
from repo_mcp.safety.sandbox.one_by_one import OneByOneDoor
from repo_mcp.safety.sandbox.windows_answers import (
    DIRECTORY,
    ELSEWHERE,
    REPARSE,
    SYMBOLIC_LINK,
    Information,
    folder_entries,
    key,
    kind,
    names_inside,
    plain_path,
    problem,
    target_names,
)

_MAX_LINKS: Final = 40
_MAX_STEPS: Final = 1000


class Kernel(Protocol):
    """The system calls used here; each raises `OSError` with its number in `winerror`."""

    def open(self, path: str, *, through: bool) -> int:
        """Open a file or folder; with `through`, the target of a reparse point."""

    def final_path(self, handle: int) -> str:
        r"""The handle's real path, as `\\?\C:\folder\file`."""

    def is_disk(self, handle: int) -> bool:
        """True if the handle is a file on disk, not a device or pipe."""

    def information(self, handle: int) -> Information:
        """Properties of the open file."""

    def link_target(self, handle: int) -> str:
        """The target of a symbolic link, unchanged."""

    def entries(self, handle: int) -> list[tuple[str, Information]]:
        """The entries of an open folder."""

    def read(self, handle: int, most: int) -> bytes:
        """Up to `most` bytes from the beginning."""

    def close(self, handle: int) -> None:
        """Close the handle."""


class WindowsDoor(OneByOneDoor):
    """Opens files below a root, which stays open: if it is moved, it is followed."""

    windows = True
    _root: int | None = None

    def __init__(self, kernel: Kernel, root: str, *, real: str = "") -> None:
        """Open the root, which may be given through a link or a junction.

        `real` is the path to which it led earlier: that is opened then, and must be no link.
        """
        self._kernel = kernel
        self._given = ntpath.abspath(root)
        self._root = kernel.open(real or self._given, through=True)
        found = kernel.information(self._root)
        self._real = plain_path(kernel.final_path(self._root))
        moved = bool(real) and ntpath.normcase(self._real) != ntpath.normcase(real)
        if moved or not found.attributes & DIRECTORY:
            self.close()
            raise NotADirectoryError(root)
        self.folder = FolderId(found.volume, found.inode)
        self.roots = tuple(dict.fromkeys((self._given, self._real)))
        self.anchor = self._real

    def root_state(self) -> RootState:
        """Compares the open handle with new ones, which are closed again."""
        found = self._folder_at(self._real)
        if found is None:
            return RootState.MISSING
        if found != self.folder:
            return RootState.REPLACED
        if self._given != self._real and self._folder_at(self._given) != self.folder:
            return RootState.LINK_MOVED
        return RootState.SAME

    def _folder_at(self, path: str) -> FolderId | None:
        try:
            handle = self._kernel.open(path, through=True)
        except OSError:
            return None
        try:
            found = self._kernel.information(handle)
        except OSError:
            return None
        finally:
            self._kernel.close(handle)
        return FolderId(found.volume, found.inode) if found.attributes & DIRECTORY else None

    def spellings(self, path: str) -> tuple[str, ...]:
        """The absolute path as given, and with all links resolved."""
        return tuple(dict.fromkeys((ntpath.abspath(path), ntpath.realpath(path))))

    def open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Open a file; its handle has been checked when it is returned."""
        try:
            return self._open(names, check, follow=follow)
        except OSError as error:
            raise problem(error) from None

    def handle_info(self, handle: int) -> HandleInfo:
        """Type, links and key of the open file."""
        try:
            found = self._kernel.information(handle)
            regular = self._kernel.is_disk(handle) and kind(found) == "file"
        except OSError as error:
            raise problem(error) from None
        return HandleInfo(regular, found.links, key(found))

    def real_names(self, handle: int) -> Names:
        """The handle's real path below the root."""
        try:
            here = self._kernel.final_path(handle)
            return names_inside(here, self._root_path())
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

    def list_folder(self, names: Names) -> Folder:
        """List a folder through its handle."""
        try:
            handle = self._open(names, _unchecked, follow=False)
            try:
                found = self._kernel.information(handle)
                if kind(found) != "folder":
                    raise Problem("not_found")
                entries, unreadable = folder_entries(self._kernel.entries(handle))
                return Folder(entries, unreadable, found.volume)
            finally:
                self._kernel.close(handle)
        except OSError as error:
            raise problem(error) from None

    def list_names(self, names: Names) -> Folder:
        """List a folder: Windows gives keys with the names."""
        return self.list_folder(names)

    def close(self) -> None:
        """Close the root."""
        root, self._root = self._root, None
        if root is not None:
            self._kernel.close(root)

    __del__ = close  # calls that began before the root was replaced may still read from it

    def _open(self, names: Names, check: Check, *, follow: bool) -> int:
        """Resolve links name by name; the last handle is returned once it is known to be safe."""
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
                    return self._check_handle(handle, found, real)
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
        """The names of a link's target, last one first; a junction is absolute, so outside."""
        if found.tag != SYMBOLIC_LINK:
            raise Problem("path_outside")
        return target_names(self._kernel.link_target(handle))

    def _check_handle(self, handle: int, found: Information, real: Names) -> int:
        """The handle, or one opened through a reparse point that is no link.

        Either has to be below the root: a folder on the way may have become a link meanwhile.
        """
        if found.attributes & ELSEWHERE:
            raise Problem("unreadable")
        if not found.attributes & REPARSE or kind(found) == "other":
            self.real_names(handle)
            return handle
        through = self._kernel.open(self._path(real), through=True)
        try:
            self.real_names(through)
        except BaseException:
            self._kernel.close(through)
            raise
        self._kernel.close(handle)
        return through

    def _path(self, names: Names) -> str:
        r"""The names' current path, with the prefix `\\?\` that turns off special names."""
        root = self._root_path()
        return "\\".join((root.rstrip("\\"), *names)) if names else root

    def _root_path(self) -> str:
        if self._root is None:
            raise FileNotFoundError
        return self._kernel.final_path(self._root)


def _unchecked(names: Names, *, folder: bool) -> None:
    """Accept all names: they have been checked, and no link is followed."""
