"""Resolution of `#include` in C and C++ to files; include folders are guessed from the tree.

No build is read. A name in quotes is looked for beside the including file, then, like one in angle
brackets, in folders called `include`, `inc` or `src` around the file and in the folders around it,
and last anywhere, if only one path of the repository ends in the name, or one is nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from code_graph.projects.catalog import Projects
from code_graph.projects.model import MISSING, ImportOutcome, Resolution
from code_graph.projects.tree import (
    Probe,
    Table,
    ancestors,
    below,
    join,
    parent,
    shared_depth,
)

_HEADERS: Final = frozenset(
    {"h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp", "def", "c", "cc", "cpp"}
    | {"cxx", "cu", "cuh", "m", "mm", "S", "x"}
)
_INCLUDE_FOLDERS: Final = ("include", "inc", "src")
_MAX_LENGTH: Final = 500
_MAX_CANDIDATES: Final = 2000


class IncludePaths:
    """Headers of a tree; answers depend on paths and on `tables`."""

    def __init__(self, projects: Projects) -> None:
        names: dict[str, list[str]] = {}
        for folder, files in projects.tree.folders_with_files():
            for name in files:
                if name.rpartition(".")[2] in _HEADERS or "." not in name:
                    names.setdefault(name, []).append(folder)
        # folders by the name of a file in them
        self._folders = Table("c-header", {name: tuple(found) for name, found in names.items()})
        self.tables: tuple[Table[Any], ...] = (self._folders,)

    def find(
        self, include: str, from_path: str, probe: Probe, *, is_quoted: bool = True
    ) -> Resolution:
        """The path of an included file."""
        plain = include.strip().replace("\\", "/")
        if not plain or len(plain) > _MAX_LENGTH or plain.endswith("/"):
            return MISSING
        folders = probe.value(self._folders, plain.rpartition("/")[2])
        if not folders:
            return self._absent(plain, is_quoted=is_quoted)
        known = frozenset(folders) if len(folders) > 8 else folders
        for base in _bases(parent(from_path), is_quoted=is_quoted):
            where = join(base, plain)
            if where is not None and parent(where) in known:
                return Resolution(ImportOutcome.FILE, where)
        # a system header is rarely meant by a file of its name deep in some folder
        if is_quoted or "/" in plain:
            return self._by_ending(plain, from_path, folders) or self._absent(
                plain, is_quoted=is_quoted
            )
        return self._absent(plain, is_quoted=is_quoted)

    def _absent(self, include: str, *, is_quoted: bool) -> Resolution:
        if is_quoted:
            return MISSING
        return Resolution(ImportOutcome.EXTERNAL, package=include)

    def _by_ending(self, include: str, from_path: str, folders: Sequence[str]) -> Resolution | None:
        """The file whose path ends in the name, if one alone does or one is nearest."""
        steps = [step for step in include.split("/") if step not in ("", ".", "..")]
        ending = "/".join(["", *steps])
        paths = (f"{folder}/{steps[-1]}" for folder in folders[:_MAX_CANDIDATES])
        found = [path for path in paths if f"/{path}".endswith(ending)]
        if len(found) == 1:
            return Resolution(ImportOutcome.FILE, found[0].removeprefix("/"))
        ranked = sorted((-shared_depth(path, from_path), path) for path in found)
        if ranked and ranked[0][0] < 0 and ranked[0][0] < ranked[1][0]:
            return Resolution(ImportOutcome.FILE, ranked[0][1])
        return None


def _bases(folder: str, *, is_quoted: bool) -> Iterator[str]:
    if is_quoted:
        yield folder
    for one in ancestors(folder):
        for name in _INCLUDE_FOLDERS:
            yield below(one, name)
        yield one
