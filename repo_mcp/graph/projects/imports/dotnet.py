"""Which projects of .NET see each other: a namespace has no path, a reference decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from repo_mcp.graph.projects.catalog import Projects
from repo_mcp.graph.projects.model import ProjectKind
from repo_mcp.graph.projects.tree import Probe, Table

_KINDS: Final = (ProjectKind.DOTNET,)
_MAX_REACH: Final = 5000


class DotnetProjects:
    """Projects and what they refer to; `tables` are what answers depend on beside paths."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        listed = [one for one in projects.all if one.kind in _KINDS]
        self._references = Table("dotnet-project", {one.id: one.references for one in listed})
        self.tables: tuple[Table[Any], ...] = (self._references,)

    def visible_from(self, path: str, probe: Probe) -> Sequence[str]:
        """Ids of the projects whose types a file may name: its own, then those referred to.

        Empty if the file is in no project: then any type of the repository may be meant.
        """
        project = self._projects.of_kind(path, _KINDS)
        found: dict[str, None] = {} if project is None else {project.id: None}
        nearest = list(found)
        while nearest and len(found) < _MAX_REACH:
            names = [name for one in nearest for name in probe.value(self._references, one) or ()]
            nearest = [name for name in dict.fromkeys(names) if name not in found]
            found.update(dict.fromkeys(nearest))
        return tuple(found)
