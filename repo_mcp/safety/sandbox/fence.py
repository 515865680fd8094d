"""Opens what lies below the root and is not denied; every tool and the indexer read through it.

Paths are checked as text, the door keeps the opening below the root, and all else is decided on
what is open. A file is read from there and never opened again by name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist, folded
from repo_mcp.safety.sandbox.door import About, Content, Door, Folder, Names, ReplacedError, StatKey
from repo_mcp.safety.sandbox.lexical import names_below

_T = TypeVar("_T")
_ATTEMPTS: Final = 3
_RULES_MAX_BYTES: Final = 1 << 20
# git's own list of ignored files: the only thing below .git/ that is read, and only for its rules
_EXCLUDE_FILE: Final = ".git/info/exclude"


class Sandbox:
    """A root folder, held open from the start."""

    def __init__(
        self,
        root: str,
        denylist: Denylist,
        *,
        max_file_bytes: int,
        data_dir: str = "",
        allow_hardlinks: bool = False,
        use_openat2: bool | None = None,
        door: Door | None = None,
    ) -> None:
        """Open the root; `data_dir` is never shown, wherever below the root it lies."""
        self._door = door or _door(root, use_openat2=use_openat2)
        self._denylist = denylist
        self._max_bytes = max_file_bytes
        self._allow_hardlinks = allow_hardlinks
        self._data_folders = _folders_inside(data_dir, self._door)
        self._data_names = {names[-1] for names in self._data_folders}
        # the folder whose children were asked for last, known to be allowed
        self._allowed_folder = ""

    def close(self) -> None:
        """Let go of the root."""
        self._door.close()

    def read(self, path: str, *, follow: bool = True) -> Content:
        """Read a file that a client or the index names; links are followed inside the root."""
        names = self._names(path)
        found = self._of_file(names, self._read_settled, follow=follow)
        return Content("/".join(names), *found)

    def look(self, path: str) -> StatKey:
        """The key of a file that could be read, without reading it; refused as `read` refuses."""
        return self._of_file(self._names(path), self._settled_key, follow=True)

    def rules(self, path: str) -> bytes:
        """A file of rules for this server, empty when it can't be read; never through a link."""
        try:
            names = _walked(path)
            if path != _EXCLUDE_FILE:
                self._check_allowed(names, folder=False)
            handle = self._door.open(names, _unchecked, follow=False)
        except Problem:
            return b""
        try:
            found = self._door.about(handle)
            allowed = found.regular and (found.links < 2 or self._allow_hardlinks)
            return self._door.read(handle, _RULES_MAX_BYTES) if allowed else b""
        except Problem:
            return b""
        finally:
            self._door.release(handle)

    def below(self, path: str) -> str:
        """A client's path as a walk writes it, the root as ""; no more than its text is judged."""
        names = names_below(path, self._door.roots, windows=self._door.windows) if path else ()
        return "/".join(names)

    def folder(self, path: str) -> Folder:
        """List a folder that a walk has come to (the root is ""); links are not followed."""
        names = _walked(path) if path else ()
        self._check_allowed(names, folder=True)
        return self._door.folder(names)

    def is_denied(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path below the root is kept out of everything; quick for a folder's entries."""
        parent, _, name = path.rpartition("/")
        if parent != self._allowed_folder:
            if parent and self._refusal(tuple(parent.split("/")), folder=True):
                return True
            self._allowed_folder = parent
        if self._data_names and folded(name) in self._data_names and self._is_data(path.split("/")):
            return True
        return bool(self._denylist.child_rule(parent, name, folder=folder))

    def _names(self, path: str) -> Names:
        names = names_below(path, self._door.roots, windows=self._door.windows)
        self._check_allowed(names, folder=False)
        if not names:
            raise Problem("not_a_file")
        return names

    def _of_file(self, names: Names, ask: Callable[[int, Names], _T], *, follow: bool) -> _T:
        """Open a file and ask; again when another file takes its place, as when it is saved."""
        for _ in range(_ATTEMPTS):
            handle = self._door.open(names, self._check_allowed, follow=follow)
            try:
                return ask(handle, names)
            except ReplacedError:
                continue
            finally:
                self._door.release(handle)
        raise Problem("file_changing")

    def _check_allowed(self, names: Names, *, folder: bool) -> None:
        problem = self._refusal(names, folder=folder)
        if problem is not None:
            raise problem

    def _refusal(self, names: Names, *, folder: bool) -> Problem | None:
        if self._is_data(names):
            return Problem("path_data")
        rule = self._denylist.rule("/".join(names), folder=folder) if names else ""
        return Problem("path_denied", f"rule {rule}") if rule else None

    def _is_data(self, names: Sequence[str]) -> bool:
        return any(
            [folded(name) for name in names[: len(data)]] == data for data in self._data_folders
        )

    def _read_settled(self, handle: int, names: Names) -> tuple[bytes, StatKey]:
        """All bytes and their key, read again when the file changed meanwhile."""
        for _ in range(_ATTEMPTS):
            key = self._readable(handle).key
            data = self._door.read(handle, self._max_bytes + 1)
            if len(data) > self._max_bytes:
                raise self._too_large()
            if self._readable(handle).key == key:
                self._check_place(handle, names)
                return data, key
        raise Problem("file_changing")

    def _settled_key(self, handle: int, names: Names) -> StatKey:
        found = self._readable(handle)
        self._check_place(handle, names)
        return found.key

    def _readable(self, handle: int) -> About:
        """What is open, when it is a file that may be read."""
        found = self._door.about(handle)
        if not found.regular:
            raise Problem("not_a_file")
        if found.links > 1 and not self._allow_hardlinks:
            raise Problem("path_hard_link")
        if found.key.size > self._max_bytes:
            raise self._too_large()
        return found

    def _check_place(self, handle: int, asked: Names) -> None:
        """Refuse what lies under a denied name or outside: asked after the number of names was.

        A second name may have been removed since the opening, and the file then have but one:
        that one has to be the name that was opened. What was asked for is known to be allowed.
        """
        names = self._door.place(handle)
        if names is not None and names != asked:
            self._check_allowed(names, folder=False)

    def _too_large(self) -> Problem:
        return Problem("file_too_large", f"{self._max_bytes} bytes")


def _door(root: str, *, use_openat2: bool | None) -> Door:
    """The way to open on this system."""
    if sys.platform == "win32":
        from repo_mcp.safety.sandbox.windows import WindowsDoor  # noqa: PLC0415 of no use elsewhere
        from repo_mcp.safety.sandbox.windows_kernel import WindowsKernel  # noqa: PLC0415 as above

        return WindowsDoor(WindowsKernel(), root)
    from repo_mcp.safety.sandbox.posix import PosixDoor  # noqa: PLC0415 of no use elsewhere

    return PosixDoor(root, use_openat2=use_openat2)


def _walked(path: str) -> Names:
    """The names of a path that a walk put together from what folders hold."""
    names = tuple(path.split("/"))
    if not {"", ".", ".."}.isdisjoint(names):
        raise Problem("path_outside")
    return names


def _folders_inside(data_dir: str, door: Door) -> list[list[str]]:
    """The data folder's names below the root, folded: as given, and as it really lies."""
    found: list[list[str]] = []
    for path in door.spellings(data_dir) if data_dir else ():
        try:
            names = names_below(path, door.roots, windows=door.windows)
        except Problem:  # it lies elsewhere
            continue
        if names:
            found.append([folded(name) for name in names])
    return found


def _unchecked(names: Names, *, folder: bool) -> None:
    """Leave the names alone: they have been checked, and no link is followed."""
