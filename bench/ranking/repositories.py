"""The list of searched repositories, split into training and test."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
DATA: Final = HERE / "data"
SPLITS: Final = ("train", "test")
# what stands between name and version
JOINED: Final = {"debian": "=", "npm": "@", "pip": "=="}


@dataclass(frozen=True, slots=True)
class Package:
    """A package by the registry it comes from, its name and its version."""

    registry: str
    name: str
    version: str

    @property
    def words(self) -> str:
        """The package as the registry's client names it."""
        return f"{self.name}{JOINED[self.registry]}{self.version}"

    @property
    def folder(self) -> str:
        """A folder name of its own."""
        return f"{self.registry}-{self.name.replace('/', '-').lstrip('@')}"


@dataclass(frozen=True, slots=True)
class Repository:
    """A tree to search, and the parts of its packages that it consists of."""

    name: str
    split: str
    packages: tuple[Package, ...]
    # folders inside a package: these alone, when any are named, and never those
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


def repositories(splits: tuple[str, ...] = SPLITS) -> list[Repository]:
    """All repositories of these splits, in the order of the list."""
    found = [
        Repository(
            entry["name"],
            entry["split"],
            tuple(_package(text) for text in entry["packages"]),
            tuple(entry.get("keep", ())),
            tuple(entry.get("drop", ())),
        )
        for entry in _list()["repository"]
    ]
    return [repository for repository in found if repository.split in splits]


def small() -> frozenset[str]:
    """Names of the repositories that slow systems are run on."""
    return frozenset(_list()["small"])


def _list() -> dict[str, Any]:
    return tomllib.loads((HERE / "repositories.toml").read_text())


def _package(text: str) -> Package:
    registry, _, rest = text.partition(":")
    name, _, version = rest.rpartition(JOINED[registry])
    return Package(registry, name, version)
