"""Finds the modules that Python imports in the files of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from posixpath import dirname, join
from typing import Final

from repo_mcp.graph.evaluate.values import ModuleValue

_SUFFIXES: Final = (".py", ".pyi")


class PythonImports:
    """Modules by dotted names, as a file sees them."""

    def __init__(self, paths: frozenset[str], probe: Callable[[str], bool]) -> None:
        """`probe` tells whether there is a file, and records that it was asked."""
        self._probe = probe
        self._folders = _folders(paths)
        self._roots: dict[str, tuple[str, ...]] = {}

    def find(self, module: str, path: str) -> ModuleValue | None:
        """The module of a dotted name, perhaps with leading dots, imported by a file."""
        dots = len(module) - len(module.lstrip("."))
        rest = module[dots:]
        if dots:
            folder = dirname(path)
            for _ in range(dots - 1):
                folder = dirname(folder)
            return self._in(folder, rest) if rest else self._package(folder)
        for root in self._roots_for(path):
            found = self._in(root, rest)
            if found is not None and not (found.is_folder and self._is_hidden(found.path)):
                return found
        return None

    def inside(self, path: str, name: str, *, is_folder: bool) -> ModuleValue | None:
        """A module or package inside of a package."""
        base = path if is_folder else dirname(path)
        if not is_folder and not path.rpartition("/")[2].startswith("__init__."):
            return None
        return self._in(base, name)

    def _in(self, folder: str, dotted: str) -> ModuleValue | None:
        base = join(folder, *dotted.split("."))
        for suffix in _SUFFIXES:
            if self._probe(f"{base}/__init__{suffix}"):
                return ModuleValue(f"{base}/__init__{suffix}")
            if self._probe(base + suffix):
                return ModuleValue(base + suffix)
        return ModuleValue(base, is_folder=True) if self._has_folder(base) else None

    def _package(self, folder: str) -> ModuleValue | None:
        for suffix in _SUFFIXES:
            path = f"{folder}/__init__{suffix}" if folder else f"__init__{suffix}"
            if self._probe(path):
                return ModuleValue(path)
        return ModuleValue(folder, is_folder=True) if self._has_folder(folder) else None

    def _has_folder(self, folder: str) -> bool:
        self._probe(f"{folder}/")
        return folder in self._folders

    def _is_hidden(self, folder: str) -> bool:
        """Whether a namespace folder is no likely package: `tests`, `docs` at the root."""
        return "/" not in folder and folder in {"docs", "tests", "test", "examples"}

    def _roots_for(self, path: str) -> tuple[str, ...]:
        folder = dirname(path)
        known = self._roots.get(folder)
        if known is None:
            known = self._roots[folder] = tuple(dict.fromkeys(self._list_roots(folder)))
        else:  # the same questions are asked as if it were not known
            self._top(folder)
        return known

    def _list_roots(self, folder: str) -> Iterator[str]:
        top = self._top(folder)
        if top == folder:
            yield folder  # a script sees what is beside it
        yield top
        while top:
            top = dirname(top)
            yield top
            yield from (f"{top}/{name}" if top else name for name in ("src", "lib"))

    def _top(self, folder: str) -> str:
        """The nearest folder around that is no package."""
        while folder and self._has_package(folder):
            folder = dirname(folder)
        return folder

    def _has_package(self, folder: str) -> bool:
        return any(
            self._probe(f"{folder}/__init__{suffix}" if folder else f"__init__{suffix}")
            for suffix in _SUFFIXES
        )


def _folders(paths: frozenset[str]) -> frozenset[str]:
    found: set[str] = set()
    for path in paths:
        if path.endswith(_SUFFIXES):
            folder = dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = dirname(folder)
    return frozenset(found)
