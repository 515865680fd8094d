"""Usings that project files declare for all files of a project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname
from typing import Any, Final

from code_graph.evaluate.engine import Engine
from code_graph.projects.catalog import Projects
from code_graph.projects.tree import Probe, Table, ancestors

_USING: Final = re.compile(r"<Using\s[^<>]{0,400}>")
_INCLUDE: Final = re.compile(r"\bInclude\s*=\s*\"([^\"<>]{1,300})\"")
_ALIAS: Final = re.compile(r"\bAlias\s*=\s*\"([^\"<>]{1,100})\"")
_PROJECTS: Final = (".csproj", ".props", ".targets")
_MOST_PER_FILE: Final = 400


class GlobalUsings:
    """The usings that project files give to the C# files of their folders."""

    def __init__(self, projects: Projects) -> None:
        found: dict[str, list[tuple[str, str]]] = {}
        for path in sorted(path for path in projects.tree.files if path.endswith(_PROJECTS)):
            text = projects.read(path) or ""
            for item in _USING.findall(text)[:_MOST_PER_FILE]:
                include, alias = _INCLUDE.search(item), _ALIAS.search(item)
                if include is not None:
                    row = include[1].strip(), alias[1] if alias is not None else ""
                    found.setdefault(dirname(path), []).append(row)
        self._usings = Table("csharp-usings", {at: tuple(rows) for at, rows in found.items()})
        self.tables: tuple[Table[Any], ...] = (self._usings,)

    def of_folder(self, folder: str, probe: Probe) -> Sequence[tuple[str, str]]:
        """Names of namespaces or types with their aliases, which are empty for most."""
        return probe.value(self._usings, folder) or ()


class ProjectUsings:
    """The usings that project files give to the files in and below their folders."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._finders = engine.files.finders

    def of(self, path: str) -> Iterator[tuple[str, str]]:
        """Names of namespaces or types with their aliases, which are empty for most."""
        probe = Probe(self._finders.projects.tree, self._engine.depend_on_note)
        for folder in ancestors(dirname(path)):
            yield from self._finders.of(GlobalUsings).of_folder(folder, probe)
