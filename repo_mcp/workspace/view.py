"""A workspace as calls see it: a repository over all of its roots, or over those of a call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from code_graph.paths.globs import glob_in
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.audit.log import AuditEntry, AuditLog
from repo_mcp.budget import Clock
from repo_mcp.indexing.build.mounts import InnerRoots, find_inner_roots
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.processes.pool import ProcessStock
from repo_mcp.repository import OpenedRoot, Repository
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import MountedSandboxes, Sandbox
from repo_mcp.settings.workspace_roots import WorkspaceRoot
from repo_mcp.workspace.indexes import WorkspaceIndexes
from repo_mcp.workspace.keeper import OpenedRoots, WorkspaceKeeper
from repo_mcp.workspace.refresh import WorkspaceRefresh

# views of other roots than all that are kept, each with the caches of its searches
_MOST_VIEWS: Final = 16


class WorkspaceView(NamedTuple):
    """One set of opened roots, and all that answers are made of."""

    roots: OpenedRoots
    repository: Repository
    background: WorkspaceRefresh
    audit: AuditLog

    def close(self) -> None:
        """Stop linking; the roots stay open."""
        self.background.close()


class Workspace:
    """Makes views of the roots that calls need; thread-safe."""

    def __init__(
        self,
        keeper: WorkspaceKeeper,
        settings: Settings,
        clock: Clock = time.monotonic,
        *,
        links: float = 0,
        stock: ProcessStock | None = None,
    ) -> None:
        """`settings` are the user's; the graph of up to `links` files is linked unasked."""
        self.keeper = keeper
        self._stock = stock
        self._settings = settings
        self._clock = clock
        self._links = links
        self._lock = threading.Lock()
        self._views: dict[tuple[str, ...], WorkspaceView] = {}

    def view(self, names: Sequence[str]) -> WorkspaceView:
        """The view of these roots as they are now; raises a `Problem` if there is none of them."""
        roots = self.keeper.open(names)
        key = tuple(names)
        with self._lock:
            view = self._views.get(key)
            if view is None or not _are_same(view.roots, roots):
                if view is not None:
                    view.close()
                view = self._make(roots)
            else:
                view = view._replace(roots=roots)
            self._views.pop(key, None)
            self._views[key] = view
            while len(self._views) > _MOST_VIEWS:
                oldest = next(name for name in self._views if name != self.keeper.names)
                self._views.pop(oldest).close()
            return view

    def warnings(self, view: WorkspaceView) -> list[AnswerWarning]:
        """Warnings about the roots, for an answer from a view."""
        return [*self.keeper.take_warnings(view.roots.opened), *view.roots.warnings]

    def close(self) -> None:
        """Close all views and roots."""
        with self._lock:
            for view in self._views.values():
                view.close()
            self._views.clear()
        self.keeper.close()

    def _make(self, roots: OpenedRoots) -> WorkspaceView:
        opened = roots.opened

        def open_sandbox(name: str) -> Sandbox:
            if name in roots.faults:
                raise roots.faults[name]
            # a path may lead to a root that the call did not name
            found = opened.get(name) or self.keeper.open([name]).opened[name]
            return found.sandbox

        sandbox, inner = mount_sandboxes(self._mounted(roots), open_sandbox)
        managers = {name: root.manager.single for name, root in opened.items()}
        given = self._settings_of(opened)
        indexes = WorkspaceIndexes(given, managers, sandbox, inner, self._clock, self._stock)
        refresh = self._refresh_of(indexes, opened)
        settings = common_settings(given, {name: root.settings for name, root in opened.items()})
        repository = OpenedRoot(settings, sandbox, indexes, refresh).repository
        return WorkspaceView(roots, repository, refresh, self._audit_of(opened, settings))

    def _refresh_of(
        self, indexes: WorkspaceIndexes, opened: Mapping[str, OpenedRoot]
    ) -> WorkspaceRefresh:
        """Keeps the graph of these roots to their texts."""
        return WorkspaceRefresh(
            indexes,
            {name: root.background for name, root in opened.items()},
            self._clock,
            links=self._links if tuple(opened) == self.keeper.names else 0,
        )

    def _mounted(self, _roots: OpenedRoots) -> Iterable[WorkspaceRoot]:
        """The roots that paths of a view of these may lead to: all, opened or not."""
        return self.keeper.roots.values()

    def _settings_of(self, _opened: Mapping[str, OpenedRoot]) -> Settings:
        """The settings of the index of these roots, without those of the roots themselves."""
        return self._settings

    def _audit_of(self, opened: Mapping[str, OpenedRoot], settings: Settings) -> AuditLog:
        """The log of calls of these roots."""
        return WorkspaceAudit(
            settings.audit_dir or settings.data_dir,
            Denylist(settings.deny_globs),
            {
                name: AuditLog(
                    root.sandbox.own_path(root.settings.audit_dir or root.settings.data_dir),
                    Denylist(root.settings.deny_globs, root.settings.entries),
                    root=root.sandbox.anchor,
                )
                for name, root in opened.items()
            },
        )


def mount_sandboxes(
    roots: Iterable[WorkspaceRoot], open_sandbox: Callable[[str], Sandbox]
) -> tuple[MountedSandboxes, InnerRoots]:
    """The sandboxes of roots as one, and which roots are inside of others."""
    mounts = {root.name: root for root in roots}
    inner = find_inner_roots((root.name, root.real) for root in mounts.values())
    spellings = {name: (root.path, root.real) for name, root in mounts.items()}
    return MountedSandboxes(spellings, open_sandbox, inner), inner


def common_settings(
    given: Settings, roots: Mapping[str, Settings], more_notes: Sequence[str] = ()
) -> Settings:
    """The user's settings, with the notes and the denied files of the roots."""
    notes, globs = [*given.notes, *more_notes], list(given.deny_globs)
    for name, settings in roots.items():
        new = [note for note in settings.notes if note not in given.notes]
        notes += [f"{name}: {note}" for note in new] if name else new
        own = [glob for glob in settings.deny_globs if glob not in given.deny_globs]
        globs += (glob_in(name, glob) for glob in own) if name else own
    return replace(given, notes=tuple(notes), deny_globs=tuple(globs))


def _are_same(before: OpenedRoots, now: OpenedRoots) -> bool:
    """True if the same folders are open in the same state."""
    return before.opened.keys() == now.opened.keys() and all(
        before.opened[name] is root for name, root in now.opened.items()
    )


class WorkspaceAudit(AuditLog):
    """The log of all calls; the logs of roots get those that showed something of them."""

    def __init__(self, data_dir: str, denylist: Denylist, roots: Mapping[str, AuditLog]) -> None:
        """Keep the arguments; opens nothing."""
        super().__init__(data_dir, denylist)
        self._roots = roots

    def record(self, entry: AuditEntry) -> str:
        """Append an entry; returns a warning the first time that a log can't be written."""
        warnings = [super().record(entry)]
        for name, log in self._roots.items():
            begin = f"{name}/"
            shown = [path.removeprefix(begin) for path in entry.shown if path.startswith(begin)]
            if shown:
                warnings.append(log.record(entry._replace(shown=shown, shown_in_all=len(shown))))
        return next(filter(None, warnings), "")
