"""A client's path to the names below the root: pure, and the same for every platform on any other.

Nothing is decoded, expanded or looked up. A path that is not plainly inside the root is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from repo_mcp.errors import Problem

_MAX_LENGTH: Final = 4096
_MAX_NAME_BYTES: Final = 255
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE: Final = re.compile(r"[A-Za-z]:/")
_SHORT_NAME: Final = re.compile(r"~\d")
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])[ ]*([.:].*)?")
# none of these can be in the name of a file there
_WINDOWS_MARKS: Final = frozenset('<>"|?*\\')


def names_below(path: str, roots: Sequence[str], *, windows: bool) -> tuple[str, ...]:
    """The names from the root to what `path` names; none for the root itself.

    `path` is relative to the root, or absolute and begins with one of `roots`, name by name.
    """
    text = _checked(path, windows=windows)
    names = _names(text)
    if ".." in names:
        raise Problem("path_outside")
    if text.startswith("/") or (windows and _DRIVE.match(text)):
        names = _below_a_root(text, roots, windows=windows)
    if windows:
        for name in names:
            check_windows_name(name)
    return tuple(names)


def looks_short(name: str) -> bool:
    """Whether a file system may know a file with another name by this one, as `PROGRA~1`."""
    return _SHORT_NAME.search(name) is not None


def check_windows_name(name: str) -> None:
    """Refuse names that Windows takes for something else than a file of this name."""
    if ":" in name:
        raise Problem("path_invalid", "it has a colon")
    if name[-1] in ". ":
        raise Problem("path_invalid", "a name in it ends in a dot or space")
    if looks_short(name):
        raise Problem("path_invalid", "a name in it looks like a short name")
    if _DEVICE.fullmatch(name.casefold()):
        raise Problem("path_invalid", "a name in it is that of a device")
    if not _WINDOWS_MARKS.isdisjoint(name):
        raise Problem("path_invalid", "it has a character that no name has")


def _checked(path: str, *, windows: bool) -> str:
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem("path_invalid", "it has half of a surrogate pair") from None
    if not path or len(path) > _MAX_LENGTH:
        raise Problem("path_invalid", f"it has 1 to {_MAX_LENGTH} characters")
    if _CONTROL.search(path):
        raise Problem("path_invalid", "it has control characters")
    text = path.replace("\\", "/") if windows else path
    if "\\" in text:
        raise Problem("path_invalid", "it has a backslash")
    if len(encoded) > _MAX_NAME_BYTES and _has_long_name(text):
        raise Problem("path_invalid", f"a name in it has more than {_MAX_NAME_BYTES} bytes")
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
        # two slashes begin a share or a device there: never the same as one, or as a drive
        share = windows and path.startswith("//") != text.startswith("//")
        if not share and _same(names[: len(top)], top, windows=windows):
            return names[len(top) :]
    raise Problem("path_outside")


def _same(left: list[str], right: list[str], *, windows: bool) -> bool:
    if windows:
        return [name.casefold() for name in left] == [name.casefold() for name in right]
    return left == right
