"""Reads the people of packages in their manifests: authors, maintainers and contributors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from code_graph.projects.manifests.values import json_table, table_of, text_of, toml_table
from code_graph.projects.model import ManifestError
from code_graph.projects.tree import ancestors
from repo_mcp.owners.model import (
    Claim,
    Owner,
    OwnerRole,
    PathPattern,
    ReadText,
)

# by the name of a manifest the table that its people are in, empty for all of it
_TABLES: Final = {
    "package.json": "",
    "pyproject.toml": "project",
    "Cargo.toml": "package",
    "composer.json": "",
}
_ROLES: Final = {
    "maintainers": OwnerRole.MAINTAINER,
    "author": OwnerRole.AUTHOR,
    "authors": OwnerRole.AUTHOR,
    "contributors": OwnerRole.AUTHOR,
}
_MOST_KEPT: Final = 20_000


class Authors:
    """The claims of the manifests of one tree; each is read when it is first asked for."""

    def __init__(self, paths: Iterable[str], read_text: ReadText) -> None:
        named = [path for path in paths if path.rpartition("/")[2] in _TABLES]
        self._by_folder: dict[str, list[str]] = {}
        for path in named:
            self._by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        self._read_text = read_text
        self._of = lru_cache(_MOST_KEPT)(self._read)

    def every(self) -> Iterator[Claim]:
        """All that are made for any file."""
        return (claim for folder in self._by_folder for claim in self._of(folder))

    def claims(self, path: str) -> Sequence[Claim]:
        """The people of the nearest folder with a manifest that names some."""
        around = ancestors(path.rpartition("/")[0])
        of_folders = (self._of(folder) for folder in around if folder in self._by_folder)
        return next(filter(None, of_folders), ())

    def _read(self, folder: str) -> tuple[Claim, ...]:
        return tuple(
            Claim(PathPattern(folder), owners, path, 1, title)
            for path in self._by_folder[folder]
            for title, owners in [_people(path, self._read_text(path) or "")]
            if owners
        )


def _people(path: str, text: str) -> tuple[str, tuple[Owner, ...]]:
    """The name of a package and its people; none of a manifest that can't be read."""
    name = path.rpartition("/")[2]
    read = json_table if name.endswith(".json") else toml_table
    try:
        whole, inner = read(text), _TABLES[name]
        table = table_of(whole, inner) if inner else whole
    except ManifestError:
        return "", ()
    owners = [
        Owner(person, role)
        for key, role in _ROLES.items()
        for value in _values(table.get(key))
        if (person := _person(value))
    ]
    return text_of(table.get("name")), tuple(dict.fromkeys(owners))


def _values(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _person(value: object) -> str:
    """A person as `Name <address>`; a table has these apart."""
    if not isinstance(value, Mapping):
        return text_of(value).partition("(")[0].strip()
    name, address = (text_of(value.get(key)) for key in ("name", "email"))
    return f"{name} <{address}>" if name and address else name or address
