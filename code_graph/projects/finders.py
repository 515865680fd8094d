"""The finders of imports over one tree, each made once, and the tables that answers depend on.

A table belongs here as soon as rules ask it: what is not listed is taken never to change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, Protocol, TypeVar

from code_graph.language import load
from code_graph.language_table import LANGUAGES
from code_graph.projects.catalog import Projects, read_projects
from code_graph.projects.tree import Probe, Table

# trees whose finders are kept: that of the last run, and that of this one
_KEPT: Final = 2


class ImportFinder(Protocol):
    """Finds the files that imports of a language mean, by the projects of a tree."""

    @property
    def tables(self) -> tuple[Table[Any], ...]:
        """The tables that answers depend on beside paths."""
        ...


class ModuleFinder(ImportFinder, Protocol):
    """A finder that knows the module of a file."""

    def module_of(self, path: str, probe: Probe) -> str:
        """The name of the module that a file is, as its language writes it."""
        ...


_Finder = TypeVar("_Finder", bound=ImportFinder)


class Finders:
    """Projects and imports by manifests and paths; made on first use."""

    def __init__(self, paths: frozenset[str], manifests: Mapping[str, str]) -> None:
        """`paths` are those of files with facts."""
        self._manifests = manifests
        self._made: dict[object, Any] = {}
        self.paths = paths | manifests.keys()

    @cached_property
    def projects(self) -> Projects:
        """The projects of the tree."""
        return read_projects(self.paths, self._manifests.get)

    def of(self, make: Callable[[Projects], _Finder]) -> _Finder:
        """The finder of this class."""
        if make not in self._made:
            self._made[make] = make(self.projects)
        found: _Finder = self._made[make]
        return found

    def tables(self) -> Iterator[Table[Any]]:
        """All tables that rules ask."""
        yield from self.projects.tables
        for place in dict.fromkeys(language.imports for language in LANGUAGES):
            if place:
                finder: ImportFinder = self.of(load(place))
                yield from finder.tables


def finders_of(paths: frozenset[str], manifests: Mapping[str, str]) -> Finders:
    """The finders of a tree; recent trees keep theirs."""
    return _made(paths, frozenset(manifests.items()))


@lru_cache(_KEPT)
def _made(paths: frozenset[str], manifests: frozenset[tuple[str, str]]) -> Finders:
    return Finders(paths, dict(sorted(manifests)))
