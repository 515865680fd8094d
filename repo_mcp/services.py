"""Settings, sandbox and index of one repository, which every command and every call works with."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from code_graph import Languages
from index_format.tuples import NamedTuple
from repo_mcp import remote, repository, revisions, workspace
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.manager import Indexes, IndexManager
from repo_mcp.model import Settings
from repo_mcp.remote import remote_index
from repo_mcp.repository import Refresher, Repository
from repo_mcp.root_settings import ruled_settings, ruling_files, user_settings
from repo_mcp.safety.sandbox import Door, Sandbox, open_root
from repo_mcp.settings import Options, RulingFiles, root_options, workspace_options

if TYPE_CHECKING:  # searches start no process
    from repo_mcp.processes.pool import ProcessStock
    from repo_mcp.remote.publish import Publication, PublishedDoor
    from repo_mcp.repository.outside import FindOutside, PlacesOutside
    from repo_mcp.revisions.revision import Revision


class Services(NamedTuple):
    """The parts that every command uses."""

    settings: Settings
    sandbox: Sandbox
    manager: Indexes
    # without a deadline, on the program's clock
    budget: Budget
    # the parts of each root by its name, where there are several
    each: Mapping[str, Services] = MappingProxyType({})
    # finds declarations in installed packages
    outside: FindOutside | None = None
    # true if all is of packages or of a revision, whose indexes are made once
    made_once: bool = False
    # true if packages and a project are looked at together, of which there is no graph
    on_demand: bool = False
    # what rules a root; None for several, packages and revisions
    files: RulingFiles | None = None

    @property
    def languages(self) -> Languages:
        """The languages, as the repository's configuration chooses them."""
        return self.manager.languages

    @property
    def places_outside(self) -> PlacesOutside | None:
        """Finds declarations in installed packages; None where none are asked."""
        find, budget = self.outside, self.budget
        return None if find is None else lambda graph, edges: find(graph, edges, budget)

    def opened(self, *, watches: bool = True, links: float = 0) -> repository.OpenedRoot:
        """The same, kept up to date in the background, and linked up to so many files."""
        return repository.OpenedRoot.of(
            self.settings,
            self.sandbox,
            self.manager,
            self.files,
            self.budget.clock,
            watches=watches,
            links=links,
        )

    def repository(self, refresher: Refresher) -> Repository:
        """A repository whose index is kept by this refresher."""
        return Repository(self.settings, self.sandbox, self.manager, refresher)

    @property
    def roots(self) -> Mapping[str, str]:
        """The folders of roots by what their paths begin with: nothing, if there is one.

        What is served without a checkout has none.
        """
        if self.settings.publication:
            return {}
        parts = self.manager.parts
        if list(parts) == [""]:
            return {"": self.settings.root}
        return {folder: manager.root for folder, manager in parts.items()}


class RevisionServices(NamedTuple):
    """The parts of a revision."""

    parts: Services
    revision: Revision


def services(
    options: Options,
    clock: Clock = time.monotonic,
    door: Door | None = None,
    stock: ProcessStock | None = None,
) -> Services:
    """Read the settings and open the sandbox and index of a repository, all through one door.

    Several roots are opened as one; managers of several share workers by a `stock`.
    """
    if options.mounts:
        return _workspace_services(options, clock)
    door = door or open_door(options, clock)
    files = ruling_files(options, door)
    settings = ruled_settings(options, files)
    if options.address:
        return _published_services(settings, door, clock, stock)
    sandbox = Recipe.of(settings).sandbox(door)
    manager = IndexManager(settings, sandbox, clock, remote_index(settings), stock)
    manager.check_owner()
    return Services(settings, sandbox, manager, Budget(clock=clock), files=files)


def open_door(options: Options, clock: Clock = time.monotonic) -> Door:
    """The door to a root: to a folder, or to what is published under the label of an address."""
    if not options.address:
        return open_root(options.repo_root, options.real_root)
    settings = user_settings(options)
    # a command answers from what it has begun with
    return remote.Replica(settings, options.label, clock, start=lambda _: None).open_door()


def _published_services(
    settings: Settings, door: Door, clock: Clock, stock: ProcessStock | None
) -> Services:
    """The parts of a publication, whose index is taken over first if it fits."""
    published = remote.open_published_index(settings, door, clock, stock)
    budget = Budget(clock=clock)
    published.manager.take_over(budget)
    return Services(
        published.settings, published.sandbox, published.manager, budget, made_once=True
    )


def prepare_published(
    options: Options, door: PublishedDoor, before: Publication, clock: Clock = time.monotonic
) -> None:
    """Have the index of a publication here before it is served; raises a `Problem`.

    It is built from texts where that of the publication `before` was, too: where it does not fit
    alone, as that of another version, it is refused.
    """
    settings = ruled_settings(options, ruling_files(options, door))
    manager = remote.open_published_index(settings, door, clock).manager
    differing = manager.differing_parts
    if differing and door.publication.recipe != before.recipe:
        raise Problem("publication_differs", ", ".join(differing))
    manager.refresh(Budget(clock=clock), wait_for_writer=True)
    manager.close()


def services_at(parts: Services, name: str, clock: Clock = time.monotonic) -> RevisionServices:
    """The same of another revision of a root that is open; its index is made, if need be.

    Raises a `Problem` for a name of none, and for several roots.
    """
    if parts.each:
        text = "a revision is of one root: name it with --root or --repo-root"
        raise Problem("argument_invalid", text)
    opened = revisions.open_revisions(
        parts.settings, parts.manager.single, lambda root: root, clock
    )
    revision = opened.find(name)
    root = opened.open(revision)
    root.manager.refresh(parts.budget, wait_for_writer=True)
    given = root.settings, root.sandbox, root.manager, parts.budget
    return RevisionServices(Services(*given, made_once=True), revision)


def _workspace_services(options: Options, clock: Clock) -> Services:
    """The same of a workspace; a root that can't be opened is left out, with a note."""
    from repo_mcp.processes.pool import ProcessStock, usual_workers  # noqa: PLC0415 as below

    stock = ProcessStock(options.workers or usual_workers())
    opened: dict[str, Services] = {}
    faults: dict[str, Problem] = {}
    for mount in options.mounts:
        try:
            opened[mount.name] = services(root_options(options, mount), clock, stock=stock)
        except Problem as problem:
            faults[mount.name] = problem
    if not opened:
        raise next(iter(faults.values()))
    given = user_settings(workspace_options(options))
    own = {name: parts.settings for name, parts in opened.items()}
    notes = [f"{name} is left out: {problem.reason}" for name, problem in faults.items()]
    settings = workspace.common_settings(given, own, notes)

    def open_sandbox(name: str) -> Sandbox:
        if name in faults:
            raise faults[name]
        return opened[name].sandbox

    sandbox, inner = workspace.mount_sandboxes(options.mounts, open_sandbox)
    managers = {name: parts.manager.single for name, parts in opened.items()}
    manager = workspace.WorkspaceIndexes(given, managers, sandbox, inner, clock, stock)
    return Services(settings, sandbox, manager, Budget(clock=clock), opened)
