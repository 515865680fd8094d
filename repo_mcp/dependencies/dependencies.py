"""The installed packages of what a server serves: found, opened when asked, and looked into."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

from code_graph.paths.installed import is_package
from index_format.blake2 import blake2b
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget, Clock
from repo_mcp.dependencies.catalog import Packages, find_packages, names_packages
from repo_mcp.dependencies.keeper import PackageKeeper, limits_of_sources
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.mounts import folder_of
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.place.place import Place, PlacedQuestion
from repo_mcp.processes.pool import ProcessStock, usual_workers
from repo_mcp.repository import OpenedRoot
from repo_mcp.safety.sandbox import archive_of
from repo_mcp.settings import packages_folder
from repo_mcp.settings.workspace_roots import WorkspaceRoot
from repo_mcp.text.plurals import counted
from repo_mcp.workspace import OpenedRoots, Workspace, WorkspaceIndexes, WorkspaceView
from repo_mcp.workspace.refresh import WorkspaceRefresh

# folders whose times tell that packages were installed or removed
_MOST_WATCHED: Final = 200
_MOST_SHOWN: Final = 10_000
# packages that a description names
_MOST_NAMED: Final = 40

Roots = Mapping[str, OpenedRoot]
# the folder of the graphs of packages, beside their indexes
_GRAPHS: Final = "graphs"


class OpenPackages(NamedTuple):
    """Packages, and what tells that they may be others now."""

    stamp: object
    packages: Packages
    workspace: PackageWorkspace


class Dependencies:
    """Looks for packages when they are first asked, and again when something was installed."""

    def __init__(
        self,
        settings: Settings,
        user: Settings,
        open_roots: Callable[[], Roots],
        audit: AuditLog,
        clock: Clock = time.monotonic,
    ) -> None:
        """`settings` are the project's, `user` those of the user alone; nothing is read yet.

        The roots of the project are opened when they are needed; `audit` is the log of its calls.
        """
        self.audit = audit
        self._open_roots = open_roots
        self._settings = settings
        self._user = user
        self._folder = packages_folder(settings.data_dir)
        self._clock = clock
        self._lock = threading.Lock()
        self._found: OpenPackages | None = None
        # the packages of symbols that were shown, by their ids
        self._shown: dict[str, tuple[str, ...]] = {}
        # the manifests of a generation of each root
        self._manifests: dict[str, tuple[int, tuple[tuple[str, bytes], ...]]] = {}

    @cached_property
    def roots(self) -> Roots:
        """The roots of the project, by what paths in answers begin with."""
        return self._open_roots()

    @property
    def packages(self) -> Packages:
        """The packages that are installed now."""
        return self._current().packages

    def view(self, place: Place) -> WorkspaceView:
        """A repository over the packages of a place, and the roots of the project that it names."""
        return self._current().workspace.view(place.mounts)

    def describe(self) -> list[str]:
        """The installed packages, in a line for each kind."""
        found = self._current()
        indexed = frozenset(found.workspace.packages.indexed())
        groups: dict[str, list[str]] = {}
        for mount, package in found.packages.by_mount.items():
            groups.setdefault(package.ecosystem, []).append(mount)
        return [
            _described(name, mounts, found.packages, indexed) for name, mounts in groups.items()
        ]

    def remember(self, ids: Iterable[str], mounts: Sequence[str]) -> None:
        """Keep which packages symbols with these ids were shown of: an id does not tell."""
        with self._lock:
            for number in ids:
                self._shown.pop(number, None)
                self._shown[number] = tuple(mounts)
            while len(self._shown) > _MOST_SHOWN:
                del self._shown[next(iter(self._shown))]

    def shown_in(self, number: str) -> Sequence[str]:
        """The packages with a symbol that was shown before; none if its id is not known."""
        with self._lock:
            return self._shown.get(number, ())

    def instead(self, arguments: Mapping[str, Any]) -> PlacedQuestion | None:
        """A search that the project has no answer to, in the packages that are indexed, if any."""
        found = self._current()
        indexed = tuple(found.workspace.packages.indexed())
        if not indexed:
            return None
        text = (
            f"the repository has nothing: these are from {counted(len(indexed), 'package')} that"
            f" it depends on, of {len(found.packages.by_mount)}; in:deps in the query searches all"
        )
        warning = AnswerWarning("from_packages", text)
        return PlacedQuestion(Place(packages=indexed), arguments, (warning,))

    def close(self) -> None:
        """Close all packages."""
        with self._lock:
            if self._found is not None:
                self._found.workspace.close()
                self._found = None

    def _current(self) -> OpenPackages:
        with self._lock:
            roots, found = self.roots, self._found
            listed = {name: self._list_manifests(name, root) for name, root in roots.items()}
            if found is not None and found.stamp == _stamp(roots, listed, found.packages):
                return found
            packages = Packages(
                package._replace(used_in=(folder_of(name) + package.used_in).rstrip("/"))
                for name, root in roots.items()
                for package in find_packages(
                    _real(root), [path for path, _ in listed[name]], os.environ
                ).all
            )
            if found is not None:
                found.workspace.close()
            stock = ProcessStock(self._user.workers or usual_workers())
            project = {
                name: WorkspaceRoot(name, root.settings.root, _real(root))
                for name, root in roots.items()
            }
            given = self._user, self._folder, self._clock, stock
            keeper = PackageKeeper(packages, project, self._open_project, *given)
            workspace = PackageWorkspace(
                keeper, self._settings, self._folder, self.audit, self._clock, stock
            )
            self._found = OpenPackages(_stamp(roots, listed, packages), packages, workspace)
            return self._found

    def _open_project(self, name: str) -> OpenedRoot:
        """A root of the project."""
        found = self.roots.get(name)
        if found is None:
            raise Problem("root_missing")
        return found

    def _list_manifests(self, name: str, root: OpenedRoot) -> tuple[tuple[str, bytes], ...]:
        """The manifests of a root with the fingerprints of their content."""
        with suppress(Problem):
            snapshot = root.manager.snapshot()
            if snapshot is not None:
                known = self._manifests.get(name)
                if known is None or known[0] != snapshot.generation:
                    paths = [path for path in snapshot.paths() if names_packages(path)]
                    records = ((path, snapshot.file(path)) for path in paths)
                    found = tuple((path, item.fingerprint) for path, item in records if item)
                    known = self._manifests[name] = snapshot.generation, found
                return known[1]
            listed = root.sandbox.list_names("")
            return tuple((item.name, b"") for item in listed.entries if names_packages(item.name))
        return ()


def _described(
    ecosystem: str, mounts: Sequence[str], packages: Packages, indexed: Collection[str]
) -> str:
    named = [packages.by_mount[mount] for mount in mounts if packages.by_mount[mount].is_direct]
    listed = ", ".join(package.label for package in named[:_MOST_NAMED])
    more = f", … {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    ready = sum(mount in indexed for mount in mounts)
    rest = f"; the project names {listed}{more}" if named else ""
    return f"{ecosystem}: {counted(len(mounts), 'package')}, {ready} indexed so far{rest}"


def _real(root: OpenedRoot) -> str:
    return root.settings.real_root or os.path.realpath(root.settings.root)


def _stamp(roots: Roots, listed: Mapping[str, object], packages: Packages) -> object:
    """A value that differs once packages were installed or removed: the times of folders."""
    folders = dict.fromkeys(_real(root) for root in roots.values())
    for package in packages.all:
        # an archive is replaced in its folder
        folder = archive_of(package.folder)[0] or package.folder
        inner = folder if package.entries else os.path.dirname(folder)
        folders[inner] = None
    times = []
    for folder in [*folders][:_MOST_WATCHED]:
        try:
            times.append(os.stat(folder).st_mtime_ns)
        except OSError:
            times.append(0)
    return dict(listed), tuple(times), tuple((name, id(root)) for name, root in roots.items())


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
