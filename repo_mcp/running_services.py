"""The services that answer the calls of a server: each is started when a call needs it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, ref

from index_format.late_import import collect_garbage
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp import dependencies, remote, revisions, toolsets, workspace
from repo_mcp.allocator import share_arena
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.processes.pool import ProcessStock, usual_workers
from repo_mcp.repository import REPLACED, OpenedRoot, Repository, RootKeeper
from repo_mcp.root_settings import user_settings
from repo_mcp.services import prepare_published, services
from repo_mcp.settings import Options, root_options, workspace_options
from repo_mcp.toolsets import kit
from repo_mcp.toolsets.catalog import OVERVIEW_TOOL, RETRIEVAL, TOOLSETS, Catalog, Toolset

if TYPE_CHECKING:
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.dependencies import Dependencies
    from repo_mcp.dependencies.calls import PackageCalls
    from repo_mcp.indexing.keep.background import BackgroundRefresh
    from repo_mcp.place.place import Place
    from repo_mcp.remote import Replica
    from repo_mcp.remote.cluster import DistributedSearch
    from repo_mcp.repository.outside import FindOutside
    from repo_mcp.revisions.calls import RevisionCalls
    from repo_mcp.revisions.opening import OpenRevisions
    from repo_mcp.revisions.revision import Revision
    from repo_mcp.safety.sandbox import Door, Sandbox
    from repo_mcp.settings import RulingFiles
    from repo_mcp.settings.workspace_roots import WorkspaceRoot
    from repo_mcp.toolsets.completion import Completion
    from repo_mcp.toolsets.kit.answering import ToolHandlers
    from repo_mcp.toolsets.kit.services import ToolServices
    from repo_mcp.toolsets.resources import Resources
    from repo_mcp.workspace import Workspace, WorkspaceView

PUBLISHED_ANEW: Final = AnswerWarning(
    "root_replaced",
    "something newer is published: this answer is from that, earlier ones may no longer hold",
)
# trees of more files are linked from the first question about a symbol on
_MOST_LINKED_AHEAD: Final = 20_000


class RunningServices(NamedTuple):
    """The services started for one folder at the root, and one state of its configuration."""

    handlers: Mapping[str, ToolHandlers]
    tools: ToolServices
    resources: Resources
    completion: Completion
    # the roots that answers are from, by what paths begin with
    opened: Mapping[str, OpenedRoot]
    # what rules the root; None for several
    files: RulingFiles | None
    # the searches of a cluster
    distributed: DistributedSearch | None
    # revisions of each root by its name
    revisions: dict[str, OpenRevisions[RunningServices]]

    @property
    def sandbox(self) -> Sandbox:
        """The way to the files."""
        return self.tools.repository.sandbox

    @property
    def background(self) -> BackgroundRefresh:
        """Keeps the index to the files."""
        return self.tools.background

    @property
    def is_outdated(self) -> bool:
        """True if the configuration has changed."""
        return self.files is not None and self.files.is_outdated

    def close(self) -> None:
        """Stop background work."""
        self.background.close()
        if self.tools.past is not None:
            self.tools.past.close()
        if self.distributed is not None:
            self.distributed.close()
        for opened in self.revisions.values():
            opened.close()


class ServiceStarter:
    """Starts the services of the roots that options name, of their revisions and packages.

    They are replaced once the folder at a root or its configuration is another one. Thread-safe.
    """

    def __init__(
        self,
        options: Options,
        catalog: Catalog,
        clock: Clock,
        *,
        links_ahead: bool = True,
        watches: bool = True,
    ) -> None:
        """Keep the arguments; starts nothing yet. With `watches`, a process watches each root."""
        self.options = options
        self._catalog = catalog
        self._clock = clock
        self._watches = watches
        # up to how many files of a tree are linked before anyone asks the graph
        self._links = _files_linked_ahead(catalog) if links_ahead else 0
        self._works_ahead = links_ahead
        self._lock = threading.Lock()
        self._closed = False
        self._replica = self._open_replica() if options.address else None
        self._keeper = RootKeeper(
            options.repo_root,
            options.real_root,
            self._start,
            None if self._replica is None else self._replica.open_door,
            REPLACED if self._replica is None else PUBLISHED_ANEW,
        )
        self._workspace: Workspace | None = None
        self._running_views: WeakKeyDictionary[Repository, RunningServices] = WeakKeyDictionary()
        # the packages of the repository that is open
        self._dependencies: tuple[ref[Repository], Dependencies] | None = None

    def handlers(
        self, toolset: Toolset, budget: Budget, place: Place
    ) -> ToolHandlers | PackageCalls | RevisionCalls:
        """The handlers of a toolset's tools at a place."""
        running = self._load(budget, place.roots)
        present = running.handlers[toolset.name]
        if place.revision:

            def open_revision() -> tuple[ToolHandlers, AnswerWarning]:
                at_revision, note = self._at_revision(place.roots, running, place.revision)
                return at_revision.handlers[toolset.name], note

            return revisions.RevisionCalls(present, open_revision)
        if self.options.dependencies:
            return self._package_calls(toolset, running, present)
        return present

    def running(self, names: Sequence[str] = ()) -> RunningServices:
        """The running services, of the folder and configuration that are there now.

        Of several roots those of the roots with these names, of all by default.
        """
        if self._closed:
            raise Problem("reopened")
        if self.options.mounts:
            return self._of_workspace(names)
        if self.options.root_refusal:
            raise Problem("root_missing", f"the client tells none, and {self.options.root_refusal}")
        current = self._keeper.current()
        collect_garbage()
        return current

    def repository(self, revision: str = "") -> Repository:
        """The repository that the tools answer from, or a revision, for what no tool tells."""
        running = self.running()
        if revision:
            running, _ = self._at_revision((), running, revision)
        return running.tools.repository

    def audit(self) -> AuditLog:
        """The log of all calls, those of other processes among them."""
        return self.running().tools.audit

    def close(self) -> None:
        """Stop all background work; whoever still waits for services gets none."""
        self._closed = True
        with self._lock:
            workspace_before, self._workspace = self._workspace, None
            packages_before, self._dependencies = self._dependencies, None
        if packages_before is not None:
            packages_before[1].close()
        if workspace_before is not None:
            workspace_before.close()
        self._keeper.close()

    def _load(self, budget: Budget, names: Sequence[str]) -> RunningServices:
        """The running services; a cancelled call does not wait until they are loaded."""
        if self._workspace is None and not self._keeper.is_open:
            kit.load_in_thread(lambda: self.running(names), budget)
        return self.running(names)

    def _of_workspace(self, names: Sequence[str]) -> RunningServices:
        """The running services of several roots."""
        with self._lock:
            if self._workspace is None:
                self._workspace = self._open_workspace()
            opened = self._workspace
        view = opened.view(names or opened.keeper.names)
        running = self._of_view(view, lambda: opened.warnings(view))
        collect_garbage()
        return running

    def _of_view(
        self, view: WorkspaceView, root_warnings: Callable[[], Sequence[AnswerWarning]]
    ) -> RunningServices:
        """The running services of several roots, or of packages."""
        with self._lock:
            running = self._running_views.get(view.repository)
            if running is None:
                tools = kit.ToolServices.of(
                    view.repository,
                    view.background,
                    self.options.content,
                    audit=view.audit,
                    outside=self._places_outside(),
                )
                running = self._running(tools, root_warnings, view.roots.opened)
                self._running_views[view.repository] = running
                if len(view.roots.opened) == len(self.options.mounts):
                    self._follow_past(tools)
            return running

    def _open_workspace(self) -> Workspace:
        share_arena()  # more roots than are opened ahead have more threads, too
        stock = ProcessStock(self.options.workers or usual_workers())
        keeper = workspace.WorkspaceKeeper(self.options.mounts, partial(self._open_mount, stock))
        settings = user_settings(workspace_options(self.options))
        return workspace.Workspace(keeper, settings, self._clock, links=self._links, stock=stock)

    def _open_mount(self, stock: ProcessStock, mount: WorkspaceRoot, door: Door) -> OpenedRoot:
        parts = services(root_options(self.options, mount), self._clock, door, stock)
        return parts.opened(watches=self._watches)

    def _start(self, door: Door) -> RunningServices:
        """Start the services of the one root."""
        options = self.options
        root = services(options, self._clock, door).opened(links=self._links)
        repository = root.repository
        distributed: DistributedSearch | None = None
        if options.engine:
            from repo_mcp.remote.cluster import DistributedSearch  # noqa: PLC0415 few servers have a cluster

            data = repository.settings.data_dir
            distributed = DistributedSearch.of(options.engine, data, options.segments)
        tools = kit.ToolServices.of(
            repository,
            root.background,
            options.content,
            distributed,
            outside=self._places_outside(),
        )
        if self._replica is not None:
            tools = replace(tools, replica=self._replica)
        self._follow_past(tools)
        roots = {"": root} if options.dependencies else {}
        return self._running(tools, self._root_warnings, roots, root.files, distributed)

    def _root_warnings(self) -> Sequence[AnswerWarning]:
        """Warnings about the one root."""
        behind = [] if self._replica is None else self._replica.warnings()
        return [*self._keeper.take_warnings(), *behind]

    def _open_replica(self) -> Replica:
        """The replica of an address; a new publication is served once all of it can be."""
        options = self.options
        return remote.Replica(
            user_settings(options),
            options.label,
            self._clock,
            prepare=lambda door, before: prepare_published(options, door, before, self._clock),
        )

    def _follow_past(self, tools: ToolServices) -> None:
        """Have the last commits indexed behind all else, if searches know them."""
        if self._works_ahead and tools.past is not None and tools.past_changes is not None:
            tools.background.run_when_idle(tools.past.keep_up)

    def _running(
        self,
        tools: ToolServices,
        root_warnings: Callable[[], Sequence[AnswerWarning]],
        opened: Mapping[str, OpenedRoot],
        files: RulingFiles | None = None,
        distributed: DistributedSearch | None = None,
    ) -> RunningServices:
        """The services of one repository, or of several roots as one."""
        served = self._catalog.toolsets - {RETRIEVAL}
        handlers = {
            toolset.name: kit.ToolHandlers(
                toolset.handlers, tools, tools.audit, tools.notes, root_warnings
            )
            for toolset in TOOLSETS
            if toolset.name in served
        }
        repository = tools.repository
        return RunningServices(
            handlers,
            tools,
            toolsets.Resources(repository.sandbox, repository.data_dir),
            toolsets.Completion(repository.sandbox, repository.manager.snapshot),
            opened,
            files,
            distributed,
            {},
        )

    def _at_revision(
        self, names: Sequence[str], running: RunningServices, name: str
    ) -> tuple[RunningServices, AnswerWarning]:
        """The running services of a revision of one root, and what is said about it."""
        mounts = {mount.name: mount for mount in self.options.mounts}
        if not mounts:
            opened = self._revisions_of(running, None)
            revision = opened.find(name)
            return opened.open(revision), revision.note
        having: dict[str, tuple[OpenRevisions[RunningServices], Revision]] = {}
        unknown = Problem("argument_invalid", f"no root has a revision {name!r}")
        for root in names or mounts:
            if root in running.opened:
                opened = self._revisions_of(running, mounts[root])
                try:
                    having[root] = opened, opened.find(name)
                except Problem as problem:
                    unknown = problem
        if len(having) > 1:
            some = " and ".join(having)
            text = "a revision is of one root: name it as repo:NAME, or begin the path with it"
            raise Problem("argument_invalid", f"{text}; {some} have {name!r}")
        if not having:
            raise unknown
        ((opened, revision),) = having.values()
        return opened.open(revision), revision.note

    def _revisions_of(
        self, running: RunningServices, mount: WorkspaceRoot | None
    ) -> OpenRevisions[RunningServices]:
        """The revisions of a root of a workspace, or of the one root."""
        root = "" if mount is None else mount.name
        with self._lock:
            if root not in running.revisions:
                of = running.tools.repository if mount is None else running.opened[root]
                start = partial(self._start_revision, running, mount)
                running.revisions[root] = revisions.open_revisions(
                    of.settings, of.manager.single, start, self._clock, links=self._links
                )
            return running.revisions[root]

    def _start_revision(
        self, running: RunningServices, mount: WorkspaceRoot | None, root: OpenedRoot
    ) -> RunningServices:
        repository, background = root.repository, root.background
        if mount is not None:
            settings = running.tools.repository.settings
            given = mount, root, settings, running.tools.audit, self._clock
            view = revisions.RevisionWorkspace(*given).view([mount.name])
            repository, background = view.repository, view.background
        tools = kit.ToolServices.of(
            repository, background, self.options.content, audit=running.tools.audit
        )
        return self._running(tools, tuple, {})

    def _package_calls(
        self, toolset: Toolset, running: RunningServices, handlers: ToolHandlers
    ) -> PackageCalls:
        """The handlers of a toolset, which answer from installed packages where they are asked."""

        def of_view(view: WorkspaceView) -> ToolHandlers:
            return self._of_view(view, tuple).handlers[toolset.name]

        every = self._of_workspace(()) if self.options.mounts else running
        return dependencies.PackageCalls(handlers, self._open_dependencies(every), of_view)

    def _places_outside(self) -> FindOutside | None:
        """Finds declarations in installed packages; None where none are asked."""
        if not self.options.dependencies:
            return None
        return dependencies.PackagePlaces(lambda: self._open_dependencies(self.running()))

    def _open_dependencies(self, running: RunningServices) -> Dependencies:
        """The packages of the roots that are open; they are closed with these."""
        repository = running.tools.repository
        with self._lock:
            if self._dependencies is not None:
                before, packages = self._dependencies
                if before() is repository:
                    return packages
                packages.close()
            options = self.options
            user = user_settings(workspace_options(options) if options.mounts else options)
            roots, audit = running.opened, running.tools.audit
            packages = dependencies.Dependencies(
                repository.settings, user, lambda: roots, audit, self._clock
            )
            self._dependencies = ref(repository), packages
            return packages


def _files_linked_ahead(catalog: Catalog) -> float:
    """Up to how many files of a tree are linked before anyone asks the graph."""
    served = (toolset for toolset in TOOLSETS if toolset.name in catalog.toolsets)
    if any(catalog.find(tool) for toolset in served for tool in toolset.graph_tools):
        return math.inf
    return _MOST_LINKED_AHEAD if catalog.find(OVERVIEW_TOOL) else 0
