"""Several sandboxes as one, in which each root is a folder with a name.

A path is split at its first name, and the sandbox of that root judges the rest: no check is made
here, and none is left out. A link from one root into another leads out of its root, and is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from code_graph.paths.globs import is_below
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox.door import Content, RootState
from repo_mcp.safety.sandbox.fence import Sandbox
from repo_mcp.safety.sandbox.lexical import names_below
from repo_mcp.safety.sandbox.listing import Folder, FolderEntry, StatKey

if TYPE_CHECKING:
    from repo_mcp.safety.sandbox.scanning import LineScan, Scanned

_WINDOWS: Final = sys.platform == "win32"
_NONE: Final[Mapping[str, Sequence[tuple[str, str]]]] = MappingProxyType({})


class MountedSandboxes(Sandbox):
    """Reads allowed files below several roots, each of which is opened when it is first needed."""

    def __init__(
        self,
        roots: Mapping[str, Sequence[str]],
        open_sandbox: Callable[[str], Sandbox],
        inner: Mapping[str, Sequence[tuple[str, str]]] = _NONE,
    ) -> None:
        """`roots` has the spellings of each root's path by its name.

        The name "" is that of a root whose files are beside the folders of all others.

        `open_sandbox` may raise a `Problem`, which is that of each path in the root.

        `inner` has the folders of a root that are roots themselves, each with a slash at its end
        and the name of that root, the innermost first.
        """
        self._roots = roots
        self._open = open_sandbox
        self._inner = inner

    def close(self) -> None:
        """Do nothing: the sandboxes belong to others."""

    @property
    def anchor(self) -> str:
        """Empty: there is no folder above the roots."""
        return ""

    def root_state(self) -> RootState:
        """Each root has its own state, which is looked up when it is opened."""
        return RootState.SAME

    def check_root(self) -> None:
        """Nothing is written into the folder of the roots, which is not on the disk."""

    def own_path(self, path: str) -> str:
        """The path as it is."""
        return path

    def read(self, path: str, *, follow: bool = True, most_bytes: int = 0) -> Content:
        """Read a file in its root."""
        name, below = self._file(path)
        found = self._open(name).read(below, follow=follow, most_bytes=most_bytes)
        return found._replace(path=self._join(name, found.path))

    def scan(self, paths: Sequence[str], what: LineScan) -> list[Scanned]:
        """Scan files of several roots; None for each that `read` has to judge."""
        found: list[Scanned] = [None] * len(paths)
        for sandbox, places, below in self._by_root(paths):
            for at, result in zip(places, sandbox.scan(below, what), strict=True):
                found[at] = result
        return found

    def read_plain(self, paths: Sequence[str]) -> list[Content | None]:
        """Read files of several roots; None for each that `read` has to judge."""
        found: list[Content | None] = [None] * len(paths)
        for sandbox, places, below in self._by_root(paths):
            for at, result in zip(places, sandbox.read_plain(below), strict=True):
                found[at] = None if result is None else result._replace(path=paths[at])
        return found

    def file_key(self, path: str, *, most_bytes: int = 0) -> StatKey:
        """A file's key."""
        name, below = self._file(path)
        return self._open(name).file_key(below, most_bytes=most_bytes)

    def read_rules(self, path: str) -> bytes:
        """Read ignore rules or settings of a root; there are none above the roots."""
        try:
            name, below = self._split(path)
            return self._open(name).read_rules(below) if below else b""
        except Problem:
            return b""

    def normalize_path(self, path: str) -> str:
        """A client's path as name of a root and path below it, that of all roots as ""."""
        if path.startswith("/") or (_WINDOWS and path[1:2] == ":"):
            return self._normalize_absolute(path)
        head, _, below = path.removeprefix("./").partition("/")
        if ":" in head and head in self._roots:  # no name of a folder on Windows
            names = (head, *(names_below(below, (), windows=_WINDOWS) if below else ()))
        else:
            names = names_below(path, (), windows=_WINDOWS) if path else ()
        return self._join(*self._split("/".join(names))) if names else ""

    def _normalize_absolute(self, path: str) -> str:
        """The path in the innermost root that it is below, as text.

        A folder that all roots are in is the one above them.
        """
        found: list[tuple[int, str]] = []
        above = 0
        for name, roots in self._roots.items():
            try:
                below = names_below(path, roots, windows=_WINDOWS)
            except Problem as problem:
                if problem.code != "path_outside":
                    raise
                above += any(is_below(root, path.rstrip("/")) for root in roots)
            else:
                found.append((len(below), "/".join((name, *below))))
        if not found and above < len(self._roots):
            raise Problem("path_outside")
        return min(found)[1].lstrip("/") if found else ""

    def list_folder(self, path: str) -> Folder:
        """List a folder; the one above the roots has their names."""
        return self._list(path, Sandbox.list_folder)

    def list_names(self, path: str) -> Folder:
        """`list_folder` for a caller that does not ask for stat keys."""
        return self._list(path, Sandbox.list_names)

    def _list(self, path: str, listed: Callable[[Sandbox, str], Folder]) -> Folder:
        if path or "" in self._roots:
            name, below = self._split(path)
            return listed(self._open(name), below)
        names = sorted(self._roots, key=str.encode)
        return Folder([FolderEntry(name, "folder", None) for name in names], 0, 0)

    def is_outside(self, path: str) -> bool:
        """True for a path that its root tells nothing of."""
        try:
            name, below = self._split(path)
            return bool(below) and self._open(name).is_outside(below)
        except Problem:
            return True

    def is_denied(self, path: str, *, folder: bool = False) -> bool:
        """True if a path is denied in its root."""
        try:
            name, below = self._split(path)
            return bool(below) and self._open(name).is_denied(below, folder=folder)
        except Problem:  # there is nothing to deny
            return False

    def _file(self, path: str) -> tuple[str, str]:
        """The root of a client's path, and the path below it, which may be that of a file."""
        if not path:
            names_below(path, (), windows=_WINDOWS)  # which refuses it
        found = self.normalize_path(path)
        name, below = self._split(found) if found else ("", "")
        if not below:
            raise Problem("not_a_file")
        return name, below

    def _split(self, path: str) -> tuple[str, str]:
        """The name of the root, and the path below it; a root inside of another has its files."""
        name, _, below = path.partition("/")
        if name not in self._roots and "" in self._roots:
            name, below = "", path
        if name not in self._roots:
            raise Problem("not_found", f"the roots are {', '.join(sorted(self._roots))}")
        for folder, inner in self._inner.get(name, ()):
            if f"{below}/".startswith(folder):
                return inner, below.removeprefix(folder.rstrip("/")).lstrip("/")
        return name, below

    def _by_root(
        self, paths: Sequence[str]
    ) -> Iterator[tuple[Sandbox, Sequence[int], Sequence[str]]]:
        """Of each root its sandbox, the places of its paths, and what they are below it."""
        places: dict[str, list[int]] = {}
        below: dict[str, list[str]] = {}
        for at, path in enumerate(paths):
            with suppress(Problem):
                name, rest = self._split(path)
                places.setdefault(name, []).append(at)
                below.setdefault(name, []).append(rest)
        for name, found in places.items():
            with suppress(Problem):
                sandbox = self._open(name)
                yield sandbox, found, below[name]

    @staticmethod
    def _join(name: str, below: str) -> str:
        return f"{name}/{below}" if name and below else name or below
