"""Repositories over installed packages, alone or together with the project."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final

from code_graph.paths.installed import is_package
from index_format.blake2 import blake2b
from index_format.records import replace
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget, Clock
from repo_mcp.dependencies.keeper import PackageKeeper, limits_of_sources
from repo_mcp.model import Settings
from repo_mcp.processes.pool import ProcessStock
from repo_mcp.repository import OpenedRoot
from repo_mcp.settings.workspace_roots import WorkspaceRoot
from repo_mcp.workspace import OpenedRoots, Workspace, WorkspaceIndexes
from repo_mcp.workspace.refresh import WorkspaceRefresh

# the folder of the graphs of packages, beside their indexes
_GRAPHS: Final = "graphs"


class _OnDemandRefresh(WorkspaceRefresh):
    """Links no graph: that of a project with each of its packages would be one for each question.

    The files of a question are linked when it is asked.
    """

    def relink(self) -> None:
        """Do nothing."""

    def wait_until_linked(self, budget: Budget) -> bool:
        """False: there is no graph of all files."""
        budget.check()
        return False

    def _lags(self) -> bool:
        return False


class PackageWorkspace(Workspace):
    """Makes views of packages; calls are logged where those of the project are."""

    def __init__(
        self,
        keeper: PackageKeeper,
        settings: Settings,
        folder: str,
        audit: AuditLog,
        clock: Clock,
        stock: ProcessStock | None = None,
    ) -> None:
        """`settings` are the project's, and `folder` has the indexes of packages."""
        super().__init__(keeper, settings, clock, stock=stock)
        self.packages = keeper
        self._folder = folder
        self._log = audit

    def _mounted(self, roots: OpenedRoots) -> Iterable[WorkspaceRoot]:
        """The roots of this view alone: others are no part of what was asked."""
        names = {**roots.opened, **roots.faults}
        return [self.keeper.roots[name] for name in names]

    def _settings_of(self, opened: Mapping[str, OpenedRoot]) -> Settings:
        """The project's settings, with a folder for the graph of these packages."""
        data = [root.manager.data_dir for _, root in sorted(opened.items())]
        digest = blake2b(os.fsencode("\0".join(data)), digest_size=8).hexdigest()
        return replace(
            self._settings,
            data_dir=os.path.join(self._folder, _GRAPHS, digest),
            index_cache="",
            # files of packages are read by it
            limits=limits_of_sources(self._settings.limits),
        )

    def _refresh_of(
        self, indexes: WorkspaceIndexes, opened: Mapping[str, OpenedRoot]
    ) -> WorkspaceRefresh:
        given = indexes, {name: root.background for name, root in opened.items()}, self._clock
        if all(map(is_package, opened)):
            return WorkspaceRefresh(*given)
        return _OnDemandRefresh(*given)

    def _audit_of(self, _opened: Mapping[str, OpenedRoot], _settings: Settings) -> AuditLog:
        return self._log
