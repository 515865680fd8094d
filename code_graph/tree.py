"""The linker's input from a repository: paths, facts and code of one snapshot, and manifests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from code_graph.expressions import Code
from code_graph.facts import Facts
from code_graph.model import CalledSignature, LinkedFile, LinkedSymbol
from index_format.tuples import NamedTuple


class Tree(Protocol):
    """The files of one snapshot; the same for all files that are linked together."""

    def paths(self) -> Collection[str]:
        """The paths of all files with facts."""
        ...

    def facts(self, path: str) -> Facts | None:
        """All facts of a file; None if there are none."""
        ...

    def code(self, path: str) -> Code | None:
        """The symbolic code of a file, whose numbers are those of the facts; None without."""
        ...

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of the content that facts and code are of."""
        ...

    def manifests(self) -> Mapping[str, str]:
        """The texts of manifests by path: what says where imports lead."""
        ...

    def declared(self, language: str, name: str) -> Collection[str]:
        """The paths of files of a language that share a name with others, ascending.

        What a file shares is what `names_of` gives of it.
        """
        ...


class LinkFocus(NamedTuple):
    """The names whose uses are linked alone, and those of declarations that are linked whole."""

    names: frozenset[str]
    whole: frozenset[str] = frozenset()


class Linker(Protocol):
    """Links the files of one tree, in any order and any number of times."""

    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        """The symbols and edges of one file; the same whatever was linked before.

        With a `focus` they are those that it names alone.
        """
        ...

    def declared(self, path: str) -> Sequence[LinkedSymbol]:
        """The symbols of a file as its declarations tell them, which is not linked for that."""
        ...

    def called_signatures(self, path: str) -> Sequence[CalledSignature]:
        """The signatures that calls of a file call, which was linked just before."""
        ...

    def forget(self) -> None:
        """Give back the memory of all that was linked."""
        ...

    def project_exports(self) -> Sequence[tuple[int, int]]:
        """Keys and hashes of what paths and manifests export, ascending."""
        ...
