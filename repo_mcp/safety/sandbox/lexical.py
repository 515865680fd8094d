"""Splits a client's path into names below the root, as text only, for POSIX or Windows.

Nothing is decoded, expanded or looked up. A path that is not clearly inside the root is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from repo_mcp.errors import Problem

_MAX_LENGTH: Final = 4096
_MAX_NAME_BYTES: Final = 255
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_UNSPEAKABLE: Final = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
_DRIVE: Final = re.compile(r"[A-Za-z]:/")
_SHORT_NAME: Final = re.compile(r"~\d")
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])[ ]*([.:].*)?")
# characters that no file name on Windows has
_WINDOWS_MARKS: Final = frozenset('<>"|?*\\')


def names_below(path: str, roots: Sequence[str], *, windows: bool) -> tuple[str, ...]:
    """The names of `path` below the root; empty for the root itself.

    `path` is relative to the root, or absolute and begins with one of `roots`, name by name.
    """
    text = _check_text(path, windows=windows)
    names = _names(text)
    if ".." in names:
        raise Problem("path_outside")
    if text.startswith("/") or (windows and _DRIVE.match(text)):
        names = _below_a_root(text, roots, windows=windows)
    if windows:
        for name in names:
            check_windows_name(name)
    return tuple(names)


def is_speakable(path: str) -> bool:
    """True if a client can name this path, which a walk has built."""
    return len(path) <= _MAX_LENGTH and _UNSPEAKABLE.search(path) is None


def looks_short(name: str) -> bool:
    """True if this may be a file system's short name of another file, as `PROGRA~1`."""
    return _SHORT_NAME.search(name) is not None


def check_windows_name(name: str) -> None:
    """Refuse names that Windows does not treat as a plain file name."""
    if ":" in name:
        raise Problem("path_invalid", "it contains a colon")
    if name[-1] in ". ":
        raise Problem("path_invalid", "one of its names ends in a dot or space")
    if looks_short(name):
        raise Problem("path_invalid", "one of its names looks like a short name")
    if _DEVICE.fullmatch(name.casefold()):
        raise Problem("path_invalid", "one of its names is that of a device")
    if not _WINDOWS_MARKS.isdisjoint(name):
        raise Problem("path_invalid", "it contains a character that is not allowed in names")


def _check_text(path: str, *, windows: bool) -> str:
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem("path_invalid", "it contains half of a surrogate pair") from None
    if not path or len(path) > _MAX_LENGTH:
        raise Problem("path_invalid", f"it must have 1 to {_MAX_LENGTH} characters")
    if _CONTROL.search(path):
        raise Problem("path_invalid", "it contains control characters")
    text = path.replace("\\", "/") if windows else path
    if "\\" in text:
        raise Problem("path_invalid", "it contains a backslash")
    if len(encoded) > _MAX_NAME_BYTES and _has_long_name(text):
        raise Problem("path_invalid", f"one of its names has more than {_MAX_NAME_BYTES} bytes")
    return text


def _has_long_name(path: str) -> bool:
    return any(len(name.encode("utf-8")) > _MAX_NAME_BYTES for name in path.split("/"))


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


def _below_a_root(path: str, roots: Sequence[str], *, windows: bool) -> list[str]:
    names = _names(path)
    for root in roots:
        text = root.replace("\\", "/") if windows else root
        top = _names(text)
        # on Windows two slashes begin a share or a device, which is never a drive or a folder
        share = windows and path.startswith("//") != text.startswith("//")
        if not share and _same(names[: len(top)], top, windows=windows):
            return names[len(top) :]
    raise Problem("path_outside")


def _same(left: list[str], right: list[str], *, windows: bool) -> bool:
    if windows:
        return [name.casefold() for name in left] == [name.casefold() for name in right]
    return left == right
