"""Opens below a folder name by name, resolving links itself: the portable fallback.

Each name is opened relative to the folder before it and never through a link, so that nobody can
swap a folder for a link between a check and its use. Only one folder is open at a time: a step up
begins again at the root.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import Final

from repo_mcp.safety.sandbox.door import Check, Names
from repo_mcp.safety.sandbox.lexical import looks_short

_MAX_LINKS: Final = 40
_MAX_STEPS: Final = 5000
# errors of an open with O_NOFOLLOW that meets a link
_LINK_ERRORS: Final = {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}


def flags(*names: str) -> int:
    """Flags for `os.open`, without those that this system lacks."""
    value = 0
    for name in names:
        value |= getattr(os, f"O_{name}", 0)
    return value


_NO_LINK: Final = flags("NOFOLLOW", "CLOEXEC")
_FOLDER: Final = flags("RDONLY", "DIRECTORY") | _NO_LINK


class OutsideError(OSError):
    """The path left the root."""

    def __init__(self) -> None:
        """Use the same error number as the kernel."""
        super().__init__(errno.EXDEV, "outside")


def open_beneath(root: int, names: Sequence[str], mode: int, check: Check, *, follow: bool) -> int:
    """Open the file at these names; `check` sees each real path before it is opened."""
    pending = list(reversed(names))
    links = 0
    position = _Position(root, check)
    try:
        while True:
            name = pending.pop() if pending else "."
            if name == "..":
                position.leave()
                continue
            try:
                if not pending:
                    return position.open_entry(name, mode | _NO_LINK, folder=False)
                position.enter(name)
            except OSError as error:
                target = position.link_target(name, error) if follow else None
                if target is None:
                    raise
                links += 1
                if links > _MAX_LINKS:
                    raise OSError(errno.ELOOP, "too many links") from None
                pending += _names_of(target)
    finally:
        position.close()


class _Position:
    """The folder that a walk has reached."""

    def __init__(self, root: int, check: Check) -> None:
        """Begin at the root."""
        self._root = root
        self._check = check
        self._here = root
        self._names: Names = ()
        self._steps = 0

    def open_entry(self, name: str, mode: int, *, folder: bool) -> int:
        """Open an entry of this folder; a link is an error."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise OSError(errno.ELOOP, "too many steps")
        self._check(self._names if name == "." else (*self._names, name), folder=folder)
        # a file system's short name would bypass the denylist, which has only real names
        if looks_short(name) and name not in os.listdir(self._here):
            raise FileNotFoundError(errno.ENOENT, "a short name")
        return os.open(name, mode, dir_fd=self._here)

    def enter(self, name: str) -> None:
        """Go down into a folder."""
        descriptor = self.open_entry(name, _FOLDER, folder=True)
        self.close()
        self._here = descriptor
        self._names = (*self._names, name)

    def leave(self) -> None:
        """Go up, by going down again from the root: `..` is never passed to the system."""
        if not self._names:
            raise OutsideError
        above = self._names[:-1]
        self.close()
        self._here, self._names = self._root, ()
        for name in above:
            self.enter(name)

    def link_target(self, name: str, error: OSError) -> str | None:
        """The target of a link, or None if the entry is no link."""
        if error.errno not in _LINK_ERRORS:
            return None
        try:
            return os.readlink(name, dir_fd=self._here)
        except OSError:
            return None

    def close(self) -> None:
        """Close the current folder; the root stays open."""
        if self._here != self._root:
            os.close(self._here)
            self._here = self._root


def _names_of(target: str) -> list[str]:
    """The names of a link's target, last one first; raises `OutsideError` if it is absolute."""
    if target.startswith("/"):
        raise OutsideError
    return [name for name in reversed(target.split("/")) if name not in {"", "."}]
