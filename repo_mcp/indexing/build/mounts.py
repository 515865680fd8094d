"""Indexes of several roots as one: what a process opens of them, and the settings of the union."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import xxhash

from code_graph import Adapter, Languages
from code_graph.paths.installed import INSTALLED, is_package
from index_format import FolderTerms, Mount, Snapshot, unite
from index_format.analysis.words import terms_of_words
from repo_mcp.stored import PATH, SCHEMA, IndexProgress

# by name of a root, the folders in it that are roots themselves, each with a slash at its end and
# the name of that root, the innermost first
InnerRoots = Mapping[str, Sequence[tuple[str, str]]]
# the names of roots that are installed packages begin with it: no other has a colon
PACKAGES: Final = INSTALLED


class MountedLanguages(Languages):
    """The languages of several roots: each root chooses those of its own files."""

    def __init__(self, roots: Mapping[str, Languages]) -> None:
        """Keep the languages of the roots by their names."""
        super().__init__()
        self._roots = roots

    def adapter_for(self, path: str) -> Adapter | None:
        """The adapter of a file, by the choice of its root."""
        found, below = self._root_of(path)
        return super().adapter_for(path) if found is None else found.adapter_for(below)

    def has_code(self, path: str) -> bool:
        """True if a file has symbolic code, by the choice of its root."""
        found, below = self._root_of(path)
        return super().has_code(path) if found is None else found.has_code(below)

    def language_of(self, path: str) -> str:
        """The language of a file, by the choice of its root; empty if it has none."""
        found, below = self._root_of(path)
        return super().language_of(path) if found is None else found.language_of(below)

    def _root_of(self, path: str) -> tuple[Languages | None, str]:
        """The languages of the root that a file is in, and its path there."""
        name, below = split_path(path, self._roots)
        return self._roots.get(name), below

    def names(self) -> tuple[str, ...]:
        """Names of the languages that any root has."""
        every = (name for item in self._roots.values() for name in item.names())
        return tuple(dict.fromkeys(every))

    def notes(self) -> tuple[str, ...]:
        """Warnings about languages of other packages, each once."""
        every = (note for item in self._roots.values() for note in item.notes())
        return tuple(dict.fromkeys(every))

    def signature(self) -> str:
        """Identifies all that facts depend on besides the text."""
        return json.dumps([[name, item.signature()] for name, item in self._roots.items()])


def folder_of(name: str) -> str:
    """The beginning of the paths of a root; those of the root "" are beside all others' folders."""
    return f"{name}/" if name else ""


def split_path(path: str, names: Container[str]) -> tuple[str, str]:
    """The name of the root that a path is in, and the path there; it may be that of no root."""
    name, _, below = path.partition("/")
    return ("", path) if name not in names and "" in names else (name, below)


def find_inner_roots(roots: Iterable[tuple[str, str]]) -> InnerRoots:
    """The roots inside of others; `roots` are names and folders without links.

    Installed packages are in each other, and in no other root: that has the files it has alone.
    """
    names: dict[tuple[bool, str], list[str]] = {}
    for name, path in roots:
        names.setdefault((is_package(name), path.rstrip(os.sep)), []).append(name)
    found: dict[str, list[tuple[str, str]]] = {}
    for (packaged, path), inner in names.items():
        above, mark, _ = path.rpartition(os.sep)
        while mark:
            below = path.removeprefix(above + os.sep).replace(os.sep, "/") + "/"
            for outer in names.get((packaged, above), ()):
                found.setdefault(outer, []).extend((below, name) for name in inner)
            above, mark, _ = above.rpartition(os.sep)
    return {name: sorted(inner, key=_innermost_first) for name, inner in found.items()}


def _innermost_first(inner: tuple[str, str]) -> tuple[int, str]:
    return -len(inner[0]), inner[0]


def unite_texts(parts: Mapping[str, Snapshot | None], inner: InnerRoots) -> Snapshot | None:
    """The text indexes of roots by their names as one; None if no root has one.

    It is complete if all are, and a root without an index is not.
    """
    found = {name: snapshot for name, snapshot in parts.items() if snapshot is not None}
    if not found:
        return None
    progress = {name: IndexProgress.of(snapshot) for name, snapshot in found.items()}
    signatures = [[name, item.signature] for name, item in progress.items()]
    settings = IndexProgress(
        _digest(signatures),
        complete=len(found) == len(parts) and all(item.complete for item in progress.values()),
        deep=all(item.deep for item in progress.values()),
    )
    field = SCHEMA.number(PATH) or 0
    terms = {name: FolderTerms(field, tuple(map(_encode, terms_of_words(name)))) for name in found}
    return unite(_mounts(found, inner, terms), settings.to_settings())


def unite_codes(parts: Mapping[str, Snapshot | None], inner: InnerRoots) -> Snapshot | None:
    """The indexes of code of roots by their names as one; None if no root has one."""
    found = {name: snapshot for name, snapshot in parts.items() if snapshot is not None}
    if not found:
        return None
    settings = [[name, snapshot.manifest.settings] for name, snapshot in found.items()]
    return unite(_mounts(found, inner), _digest(settings))


def _mounts(
    found: Mapping[str, Snapshot],
    inner: InnerRoots,
    terms: Mapping[str, FolderTerms] = MappingProxyType({}),
) -> list[Mount]:
    mounts = []
    for name, snapshot in found.items():
        without = tuple(folder for folder, _ in inner.get(name, ()))
        mounts.append(Mount(folder_of(name), snapshot, without, terms.get(name)))
    return mounts


def _encode(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")


def _digest(parts: object) -> str:
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())
