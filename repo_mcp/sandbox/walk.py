"""The portable way to open below a folder: name by name, links resolved by hand.

Each name is opened relative to the folder before it and never through a link, so that nobody can
swap a folder for a link between a check and its use.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from typing import Final

_MAX_LINKS: Final = 40
# how systems say "this is a link" when told not to follow one
_LINK_ERRORS: Final = {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}


def flags(*names: str) -> int:
    """Flags for opening, as far as this system has them."""
    value = 0
    for name in names:
        value |= getattr(os, f"O_{name}", 0)
    return value


_NO_LINK: Final = flags("NOFOLLOW")
_FOLDER: Final = flags("RDONLY", "DIRECTORY", "NOFOLLOW", "CLOEXEC")
Check = Callable[[tuple[str, ...]], None]


class OutsideError(OSError):
    """The path left the root."""

    def __init__(self) -> None:
        """The same number as the kernel gives."""
        super().__init__(errno.EXDEV, "outside")


def open_beneath(
    root: int, names: Sequence[str], mode: int, check: Check, *, follow: bool
) -> tuple[int, tuple[str, ...]]:
    """Open and give the real names; `check` sees them before anything is opened under them."""
    opened: list[tuple[str, int]] = []
    pending = list(reversed(names))
    links = 0
    try:
        while True:
            name = pending.pop() if pending else "."
            if name == "..":
                _leave(opened)
                continue
            folder = opened[-1][1] if opened else root
            real = (*(item[0] for item in opened), *([] if name == "." else [name]))
            check(real)
            try:
                last = not pending
                descriptor = os.open(name, mode | _NO_LINK if last else _FOLDER, dir_fd=folder)
            except OSError as error:
                target = _target(name, folder, error) if follow else None
                if target is None:
                    raise
                links += 1
                if links > _MAX_LINKS:
                    raise OSError(errno.ELOOP, "too many links") from None
                pending += _names_of(target)
                continue
            if last:
                return descriptor, real
            opened.append((name, descriptor))
    finally:
        for _, descriptor in opened:
            os.close(descriptor)


def _leave(opened: list[tuple[str, int]]) -> None:
    if not opened:
        raise OutsideError
    os.close(opened.pop()[1])


def _target(name: str, folder: int, error: OSError) -> str | None:
    """Where the link leads; None when it is none."""
    if error.errno not in _LINK_ERRORS:
        return None
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return None


def _names_of(target: str) -> list[str]:
    """The names of a link's target, last one first, as they are to be taken."""
    if target.startswith("/"):
        raise OutsideError
    return [name for name in reversed(target.split("/")) if name not in {"", "."}]
