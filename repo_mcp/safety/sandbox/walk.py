"""The portable way to open below a folder: name by name, links resolved by hand.

Each name is opened relative to the folder before it and never through a link, so that nobody can
swap a folder for a link between a check and its use. Only one folder is held open at a time: a step
up begins again at the root.
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
# how systems say "this is a link" when told not to follow one
_LINK_ERRORS: Final = {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}


def flags(*names: str) -> int:
    """Flags for opening, as far as this system has them."""
    value = 0
    for name in names:
        value |= getattr(os, f"O_{name}", 0)
    return value


_NO_LINK: Final = flags("NOFOLLOW", "CLOEXEC")
_FOLDER: Final = flags("RDONLY", "DIRECTORY") | _NO_LINK


class OutsideError(OSError):
    """The path left the root."""

    def __init__(self) -> None:
        """The same number as the kernel gives."""
        super().__init__(errno.EXDEV, "outside")


def open_beneath(root: int, names: Sequence[str], mode: int, check: Check, *, follow: bool) -> int:
    """Open what the names lead to; `check` sees real names before anything is opened under them."""
    pending = list(reversed(names))
    links = 0
    place = _Place(root, check)
    try:
        while True:
            name = pending.pop() if pending else "."
            if name == "..":
                place.leave()
                continue
            try:
                if not pending:
                    return place.opened(name, mode | _NO_LINK, folder=False)
                place.enter(name)
            except OSError as error:
                target = place.target(name, error) if follow else None
                if target is None:
                    raise
                links += 1
                if links > _MAX_LINKS:
                    raise OSError(errno.ELOOP, "too many links") from None
                pending += _names_of(target)
    finally:
        place.close()


class _Place:
    """The folder a walk has come to."""

    def __init__(self, root: int, check: Check) -> None:
        """Begin at the root."""
        self._root = root
        self._check = check
        self._here = root
        self._names: Names = ()
        self._steps = 0

    def opened(self, name: str, mode: int, *, folder: bool) -> int:
        """Open what lies here; a link is an error."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise OSError(errno.ELOOP, "too many steps")
        self._check(self._names if name == "." else (*self._names, name), folder=folder)
        # some file systems know a file by a short name too, which no rule would recognise
        if looks_short(name) and name not in os.listdir(self._here):
            raise FileNotFoundError(errno.ENOENT, "not a name of its own")
        return os.open(name, mode, dir_fd=self._here)

    def enter(self, name: str) -> None:
        """Go down into a folder."""
        descriptor = self.opened(name, _FOLDER, folder=True)
        self.close()
        self._here = descriptor
        self._names = (*self._names, name)

    def leave(self) -> None:
        """Go up: down again from the root, so that no `..` is ever asked of the system."""
        if not self._names:
            raise OutsideError
        above = self._names[:-1]
        self.close()
        self._here, self._names = self._root, ()
        for name in above:
            self.enter(name)

    def target(self, name: str, error: OSError) -> str | None:
        """Where the link leads; None when it is none."""
        if error.errno not in _LINK_ERRORS:
            return None
        try:
            return os.readlink(name, dir_fd=self._here)
        except OSError:
            return None

    def close(self) -> None:
        """Let go of all but the root."""
        if self._here != self._root:
            os.close(self._here)
            self._here = self._root


def _names_of(target: str) -> list[str]:
    """The names of a link's target, last one first, as they are to be taken."""
    if target.startswith("/"):
        raise OutsideError
    return [name for name in reversed(target.split("/")) if name not in {"", "."}]
