"""What the linker reads of a repository: the paths and facts of one snapshot, and its manifests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from repo_mcp.graph.model import LinkedFile
from repo_mcp.languages.facts import Facts


class Tree(Protocol):
    """The files of one snapshot; the same for all files that are linked together."""

    def paths(self) -> Collection[str]:
        """The paths of all files with facts."""
        ...

    def facts(self, path: str) -> Facts | None:
        """All facts of a file with its code; None if there are none."""
        ...

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of the content that the facts are of."""
        ...

    def manifests(self) -> Mapping[str, str]:
        """The texts of manifests by path: what says where imports lead."""
        ...

    def declared(self, language: str, name: str) -> Collection[str]:
        """The paths of files of a language that declare a name for all others, maybe of more.

        These are the names that `shared_names` gives: types, extension methods, namespaces.
        """
        ...


class Linker(Protocol):
    """Links the files of one tree, in any order and any number of times."""

    def link(self, path: str) -> LinkedFile:
        """The symbols and edges of one file; the same whatever was linked before."""
        ...
