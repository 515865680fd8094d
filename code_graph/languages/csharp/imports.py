"""References between projects of .NET: a namespace has no path, a reference decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import dirname
from typing import Any, Final

from code_graph.projects.catalog import Projects
from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import Probe, Table, below, parent

_USING: Final = re.compile(r"<Using\s[^<>]{0,400}>")
_INCLUDE: Final = re.compile(r"\bInclude\s*=\s*\"([^\"<>]{1,300})\"")
_ALIAS: Final = re.compile(r"\bAlias\s*=\s*\"([^\"<>]{1,100})\"")
_PROJECTS: Final = (".csproj", ".props", ".targets")
_MOST_PER_FILE: Final = 400


_KINDS: Final = (ProjectKind.DOTNET,)
_FILES: Final = (".cs", ".fs", ".vb", ".razor")
_MAX_REACH: Final = 5000


class DotnetProjects:
    """Projects and what they refer to; `tables` are what answers depend on beside paths."""

    def __init__(self, projects: Projects) -> None:
        listed = [one for one in projects.all if one.kind in _KINDS]
        self._references = Table("dotnet-project", {one.id: one.references for one in listed})
        self._homes = Table("dotnet-home", _homes(projects))
        self.tables: tuple[Table[Any], ...] = (self._references, self._homes)

    def visible_from(self, path: str, probe: Probe) -> Sequence[str]:
        """Ids of the projects whose types a file may name: its own, then those referred to.

        Empty if the file is in no project: then any type of the repository may be meant.
        """
        home = probe.value(self._homes, path) or probe.value(self._homes, parent(path))
        found: dict[str, None] = {} if home is None else {home: None}
        nearest = list(found)
        while nearest and len(found) < _MAX_REACH:
            names = [name for one in nearest for name in probe.value(self._references, one) or ()]
            nearest = [name for name in dict.fromkeys(names) if name not in found]
            found.update(dict.fromkeys(nearest))
        return tuple(found)


def _homes(projects: Projects) -> dict[str, str]:
    """The project of each folder with sources, and of each file that one outside compiles."""
    homes: dict[str, str] = {}
    for folder, names in projects.tree.folders_with_files():
        files = [name for name in names if name.endswith(_FILES)]
        home = projects.of_kind(below(folder, "_"), _KINDS) if files else None
        if home is not None:
            homes[folder] = home.id
            continue
        for name in files:
            home = projects.of_kind(below(folder, name), _KINDS)
            if home is not None:
                homes[below(folder, name)] = home.id
    return homes


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
