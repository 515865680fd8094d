"""A revision of one root of a workspace, under the name of the root."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from index_format.records import replace
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Clock
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.processes.pool import ProcessStock
from repo_mcp.repository import OpenedRoot
from repo_mcp.safety.sandbox import Door
from repo_mcp.settings.workspace_roots import WorkspaceRoot
from repo_mcp.workspace import OpenedRoots, Workspace, WorkspaceKeeper

# in the folder of the revision: the graph whose paths begin with the name of the root
_NAMED: Final = "named"


class _RevisionKeeper(WorkspaceKeeper):
    """One root, which is open."""

    def __init__(self, mount: WorkspaceRoot, opened: OpenedRoot) -> None:
        super().__init__([mount], self._no_other)
        self._opened = opened

    @staticmethod
    def _no_other(_root: WorkspaceRoot, _door: Door) -> OpenedRoot:
        raise AssertionError

    def open(self, names: Collection[str]) -> OpenedRoots:
        """The revision."""
        return OpenedRoots(dict.fromkeys(names, self._opened), {})

    def take_warnings(self, names: Collection[str]) -> Iterator[AnswerWarning]:  # noqa: ARG002 a commit is never replaced
        """None: a commit is what it was."""
        return iter(())


class RevisionWorkspace(Workspace):
    """A workspace of one revision; calls are logged where those of the other roots are."""

    def __init__(
        self,
        mount: WorkspaceRoot,
        opened: OpenedRoot,
        settings: Settings,
        audit: AuditLog,
        clock: Clock,
        stock: ProcessStock | None = None,
    ) -> None:
        """`settings` are those of the workspace."""
        super().__init__(_RevisionKeeper(mount, opened), settings, clock, stock=stock)
        self._data = os.path.join(opened.settings.data_dir, _NAMED)
        self._log = audit

    def _settings_of(self, opened: Mapping[str, OpenedRoot]) -> Settings:
        return replace(super()._settings_of(opened), data_dir=self._data, index_cache="")

    def _audit_of(self, _opened: Mapping[str, OpenedRoot], _settings: Settings) -> AuditLog:
        return self._log
