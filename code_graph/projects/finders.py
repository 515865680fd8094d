"""The finders of imports over one tree, each made once, and the tables that answers depend on.

A table belongs here as soon as rules ask it: what is not listed is taken never to change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final

from code_graph.projects.catalog import Projects, read_projects
from code_graph.projects.imports.c import IncludePaths
from code_graph.projects.imports.dotnet import read_usings
from code_graph.projects.imports.ecmascript import EcmaScriptModules
from code_graph.projects.imports.go import GoPackages
from code_graph.projects.imports.python import PythonRoots
from code_graph.projects.imports.rust import RustModules
from code_graph.projects.imports.swift import SwiftModules
from code_graph.projects.tree import Table

# trees whose finders are kept: that of the last run, and that of this one
_KEPT: Final = 2


class Finders:
    """What manifests and paths say of projects and imports; made when it is asked for."""

    def __init__(self, paths: frozenset[str], manifests: Mapping[str, str]) -> None:
        """`paths` are those of files with facts."""
        self._manifests = manifests
        self.paths = paths | manifests.keys()

    @cached_property
    def projects(self) -> Projects:
        """The projects of the tree."""
        return read_projects(self.paths, self._manifests.get)

    @cached_property
    def python(self) -> PythonRoots:
        """Finds the modules of Python."""
        return PythonRoots(self.projects)

    @cached_property
    def ecmascript(self) -> EcmaScriptModules:
        """Finds the modules of JavaScript and TypeScript."""
        return EcmaScriptModules(self.projects)

    @cached_property
    def go(self) -> GoPackages:
        """Finds the packages of Go."""
        return GoPackages(self.projects)

    @cached_property
    def includes(self) -> IncludePaths:
        """Finds the headers of C and C++."""
        return IncludePaths(self.projects)

    @cached_property
    def rust(self) -> RustModules:
        """Finds the crates and modules of Rust."""
        return RustModules(self.projects)

    @cached_property
    def swift(self) -> SwiftModules:
        """Finds the modules of Swift."""
        return SwiftModules(self.projects)

    @cached_property
    def usings(self) -> Table[tuple[tuple[str, str], ...]]:
        """The usings that project files give to the C# files of their folders."""
        return read_usings(self._manifests)

    def tables(self) -> Iterator[Table[Any]]:
        """All tables that rules ask."""
        yield from self.projects.tables
        yield from self.python.tables
        yield from self.ecmascript.tables
        yield from self.go.tables
        yield from self.includes.tables
        yield from self.rust.tables
        yield from self.swift.tables
        yield self.usings


def finders_of(paths: frozenset[str], manifests: Mapping[str, str]) -> Finders:
    """The finders of a tree; those of trees that were asked for last are not made again."""
    return _made(paths, frozenset(manifests.items()))


@lru_cache(_KEPT)
def _made(paths: frozenset[str], manifests: frozenset[tuple[str, str]]) -> Finders:
    return Finders(paths, dict(sorted(manifests)))
