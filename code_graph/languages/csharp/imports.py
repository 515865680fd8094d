"""Usings that project files declare for all files of a project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname
from typing import Any, Final

from code_graph.evaluate.engine import Engine
from code_graph.projects.catalog import Projects
from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import Probe, Table, ancestors, is_within

_USING: Final = re.compile(r"<Using\s[^<>]{0,400}>")
_INCLUDE: Final = re.compile(r"\bInclude\s*=\s*\"([^\"<>]{1,300})\"")
_ALIAS: Final = re.compile(r"\bAlias\s*=\s*\"([^\"<>]{1,100})\"")
_PROJECTS: Final = (".csproj", "Directory.Build.props", "Directory.Build.targets")
_IMPLICIT: Final = re.compile(r"<ImplicitUsings>\s*(\w+)\s*</", re.IGNORECASE)
_ENABLED: Final = frozenset({"enable", "true"})
# the usings that an SDK gives to projects that ask for them
_OF_SDK: Final = (
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
)
_MOST_PER_FILE: Final = 400


class GlobalUsings:
    """The usings that project files give to the C# files of their folders."""

    def __init__(self, projects: Projects) -> None:
        found: dict[str, list[tuple[str, str]]] = {}
        implicit: dict[str, bool] = {}
        for path in sorted(path for path in projects.tree.files if path.endswith(_PROJECTS)):
            text = projects.read(path) or ""
            for item in _USING.findall(text)[:_MOST_PER_FILE]:
                include, alias = _INCLUDE.search(item), _ALIAS.search(item)
                if include is not None:
                    row = include[1].strip(), alias[1] if alias is not None else ""
                    found.setdefault(dirname(path), []).append(row)
            if (said := _IMPLICIT.search(text)) is not None:
                implicit[dirname(path)] = said[1].lower() in _ENABLED
        self._usings = Table("csharp-usings", {at: tuple(rows) for at, rows in found.items()})
        self._implicit = Table("csharp-implicit-usings", implicit)
        self.tables: tuple[Table[Any], ...] = (self._usings, self._implicit)

    def of_folder(self, folder: str, probe: Probe) -> Sequence[tuple[str, str]]:
        """Names of namespaces or types with their aliases, which are empty for most."""
        return probe.value(self._usings, folder) or ()

    def is_implicit(self, folder: str, probe: Probe) -> bool | None:
        """True if a project file of a folder asks for the usings of its SDK; None if none says."""
        return probe.value(self._implicit, folder)


class ProjectUsings:
    """The usings that project files give to the files in and below their folders."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._finders = engine.files.finders

    def _probe(self) -> Probe:
        return Probe(self._finders.projects.tree, self._engine.depend_on_note)

    def of(self, path: str) -> Iterator[tuple[str, str]]:
        """Names of namespaces or types with their aliases, which are empty for most."""
        probe, usings = self._probe(), self._finders.of(GlobalUsings)
        implicit: bool | None = None
        for folder in ancestors(dirname(path)):
            yield from usings.of_folder(folder, probe)
            implicit = usings.is_implicit(folder, probe) if implicit is None else implicit
        if implicit:
            yield from ((name, "") for name in _OF_SDK)

    def beside(self, path: str, others: Sequence[str]) -> list[str]:
        """The files, of several, whose usings for a whole project reach a file."""
        probe, projects = self._probe(), self._finders.projects
        own = projects.project_of(path, probe)
        if own.kind != ProjectKind.DOTNET:
            return [other for other in others if _reaches(other, path)]
        return [
            other
            for other in others
            if is_within(other, own.root) and projects.project_of(other, probe).id == own.id
        ]


def _reaches(path: str, other: str) -> bool:
    """True if usings for all files reach one that is in no project: one beside or below them."""
    folder = dirname(path)
    if folder.rpartition("/")[2] in {"Properties", "obj"}:
        folder = dirname(folder)
    return not folder or dirname(other) == folder or other.startswith(f"{folder}/")
