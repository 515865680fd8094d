"""The indexes of several roots as one: texts and code are those of the roots, the graph is its own.

Each root keeps its index where it keeps it when it is served alone, by its own settings. The union
of their snapshots is made anew when one of them is; a graph of all is linked from it, as if all
roots were folders of one repository, so edges lead from one root into another.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar, Unpack
from weakref import WeakKeyDictionary

import xxhash

from index_format import Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.mounts import (
    InnerRoots,
    MountedLanguages,
    folder_of,
    split_path,
    unite_texts,
)
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.index_folder import refuse_links
from repo_mcp.indexing.keep.index_source import ProgressCallback
from repo_mcp.indexing.keep.keeper import JobEngine, StoredIndexes
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.manager import Indexes, IndexManager, RefreshOptions
from repo_mcp.indexing.walk.walk import Discovery, VisitedPath, WalkedFile
from repo_mcp.model import AnswerWarning, IndexState, Progress, RefreshResult, Settings
from repo_mcp.safety.sandbox import FolderEntry, Sandbox

if TYPE_CHECKING:
    from repo_mcp.indexing.keep.graph_index import GraphSources
    from repo_mcp.processes.pool import ProcessStock

Parts = Mapping[str, Snapshot | None]
T = TypeVar("T")
_ABOVE = FolderEntry("", "folder", None)


class WorkspaceIndexes(Indexes):
    """Brings the indexes of all roots up to date, and shows them as one."""

    def __init__(
        self,
        settings: Settings,
        roots: Mapping[str, IndexManager],
        sandbox: Sandbox,
        inner: InnerRoots,
        clock: Clock = time.monotonic,
        stock: ProcessStock | None = None,
    ) -> None:
        """`settings` are those of the workspace; its data folder gets the graph.

        That is of no root, but of those that its signature names.
        """
        self.roots = roots
        self._inner = inner
        self._uniting = threading.Lock()
        self._last: tuple[Parts, Snapshot | None] = ({}, None)
        self._parts: WeakKeyDictionary[Snapshot, Mapping[str, Snapshot]] = WeakKeyDictionary()
        languages = MountedLanguages({name: manager.languages for name, manager in roots.items()})
        super().__init__(settings, sandbox, languages, clock, stock)

    def _signature(self) -> str:
        """A hash of the settings and the roots: with others, a process has another graph."""
        roots = [[name, manager.data_dir] for name, manager in sorted(self.roots.items())]
        return xxhash.xxh3_128_hexdigest(json.dumps([super()._signature(), roots]).encode())

    def snapshot(self) -> Snapshot | None:
        """The current generations of all texts as one; None if no root has one."""
        parts = {name: _snapshot_of(manager) for name, manager in self.roots.items()}
        with self._uniting:
            before, united = self._last
            if before.keys() == parts.keys() and all(
                before[name] is found for name, found in parts.items()
            ):
                return united
            united = unite_texts(parts, self._inner)
            self._last = parts, united
            if united is not None:
                there = {name: found for name, found in parts.items() if found is not None}
                self._parts[united] = there
            return united

    @property
    def parts(self) -> Mapping[str, IndexManager]:
        """The managers of the roots, by what the paths of their files begin with."""
        return {folder_of(name): manager for name, manager in self.roots.items()}

    @property
    def single(self) -> IndexManager:
        """Refuse: the index of one root is published and pulled, not that of all."""
        raise Problem("argument_invalid", "name one root: --repo-root FOLDER")

    def root_states(self) -> Mapping[str, IndexState]:
        """The states of the roots by their names."""
        return {name: manager.state() for name, manager in self.roots.items()}

    def state(self) -> IndexState:
        """The state of all: it is ready when all are."""
        states = list(self.root_states().values())
        known = {state.status for state in states}
        refreshed = [state.last_refresh for state in states if state.last_refresh]
        return IndexState(
            known.pop() if len(known) == 1 else "partial",
            sum(state.generation for state in states),
            sum(state.files for state in states),
            min(refreshed, default=""),
            shallow=any(state.shallow for state in states),
            progress=_sum_progress([item.progress for item in states if item.progress]),
            elsewhere=any(state.elsewhere for state in states),
        )

    def discovery(self, _sandbox: Sandbox | None = None) -> WorkspaceDiscovery:
        """A walk of all roots that begins now, each through its own sandbox."""
        walks = {name: manager.discovery for name, manager in self.roots.items()}
        return WorkspaceDiscovery(walks, self._inner)

    def pending_files(self, budget: Budget, folder: str = "") -> Iterator[str]:
        """Files that may not be indexed yet, of all roots or below a folder."""
        name, below = split_path(folder, self.roots)
        for each, manager in self.roots.items():
            if folder and each != name:
                continue
            hidden = tuple(inner for inner, _ in self._inner.get(each, ()))
            with suppress(Problem):  # a root that is gone has no files
                for path in manager.pending_files(budget, below if folder else ""):
                    if not hidden or not path.startswith(hidden):
                        yield folder_of(each) + path

    def refresh(
        self, budget: Budget, listener: RunListener = NOBODY, **options: Unpack[RefreshOptions]
    ) -> RefreshResult:
        """Bring the index of each root up to date, one after the other.

        A root that fails does not keep others from it; if all fail, the problem of the first is
        raised.
        """
        started = time.monotonic()
        works = [
            partial(manager.refresh, budget, listener, **options) for manager in self.roots.values()
        ]
        return add_results(results_of(works), started)

    def refresh_paths(self, paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        """Update single files in their roots."""
        started = time.monotonic()
        works = [
            partial(self.roots[name].refresh_paths, below, budget, deep=deep)
            for name, below in self.by_root(paths).items()
        ]
        return add_results(results_of(works), started)

    def published(self) -> RefreshResult | None:
        """The result of the running refreshes so far, or None."""
        found = [done for item in self.roots.values() if (done := item.published()) is not None]
        return add_results(found, time.monotonic()) if found else None

    def by_root(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """These paths as they are below their roots; those of no root are left out."""
        found: dict[str, list[str]] = {}
        for path in paths:
            name, below = split_path(path, self.roots)
            if name in self.roots and below:
                found.setdefault(name, []).append(below)
        return found

    def tidy(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        *,
        full: bool = False,
        free: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Merge segments of each root where that pays."""
        works = [
            partial(manager.tidy, budget, listener, full=full, free=free, stop=stop)
            for manager in self.roots.values()
        ]
        return sum(results_of(works)) + (self._merge_derived(budget) if full else 0)

    @property
    def is_whole(self) -> bool:
        """False: the roots tell it, each of its own files."""
        return False

    def _link(
        self, budget: Budget, listener: RunListener, engine: JobEngine | None
    ) -> Sequence[str]:
        refuse_links(self.recipe.root, self.index_dir)
        self.claim_folder()
        return super()._link(budget, listener, engine)

    @property
    def stored(self) -> StoredIndexes:
        """All indexes on the disk: those of the roots, and of the graph of all."""
        return StoredIndexes(
            self.recipe, {name: manager.stored for name, manager in self.roots.items()}
        )

    def repair(self, budget: Budget, listener: RunListener = NOBODY) -> RefreshResult:
        """Repair the indexes of all roots, and the graph."""
        with self._linking:
            self.graph_index.repair()
        started = time.monotonic()
        works = [partial(manager.repair, budget, listener) for manager in self.roots.values()]
        return add_results(results_of(works), started)

    def rebuild(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        engine: JobEngine | None = None,
        file: str = "",
    ) -> RefreshResult:
        """Remove the index that has a damaged file, or all if none is named, and build it."""
        started = time.monotonic()
        holders = self.holders(file) if file else self.roots
        works = [partial(manager.rebuild, budget, listener, engine) for manager in holders.values()]
        return add_results(results_of(works), started)

    def holders(self, file: str) -> dict[str, IndexManager]:
        """The roots whose text index has this file."""
        found = {}
        for name, manager in self.roots.items():
            snapshot = _snapshot_of(manager)
            names = () if snapshot is None else snapshot.manifest.segments
            if any(entry.name == file for entry in names):
                found[name] = manager
        return found

    @property
    def has_scip(self) -> bool:
        """True if the settings of any root name indexes of SCIP."""
        return any(manager.has_scip for manager in self.roots.values())

    def take_notice(self) -> AnswerWarning | None:
        """The reason that an index was removed and rebuilt, with the name of its root."""
        for name, manager in self.roots.items():
            notice = manager.take_notice()
            if notice is not None:
                return notice._replace(text=f"{name}: {notice.text}")
        return None

    def is_free(self, seconds: float) -> bool:
        """True if the write locks of all roots are free within this time."""
        return all(manager.is_free(seconds) for manager in self.roots.values())

    @property
    def copies(self) -> bool:
        """True if what is read elsewhere of any root is copied here meanwhile."""
        return any(manager.copies for manager in self.roots.values())

    def copy(
        self, budget: Budget, on_progress: ProgressCallback = lambda _: None
    ) -> tuple[int, int]:
        """Copy what is read elsewhere; the counts of segments that are copied, and left."""
        found = [manager.copy(budget, on_progress) for manager in self.roots.values()]
        return sum(done for done, _ in found), sum(left for _, left in found)

    @property
    def recipe_of_workers(self) -> Recipe:
        """The recipe with which other processes find all roots and the graph."""
        mounts = tuple((name, manager.recipe_of_workers) for name, manager in self.roots.items())
        return replace(Recipe.of(self._given, self.index_dir), mounts=mounts)

    def _graph_sources(self) -> GraphSources:
        from repo_mcp.indexing.keep.graph_index import GraphSources  # noqa: PLC0415 most servers have no graph
        from repo_mcp.workspace.code import WorkspaceCode  # noqa: PLC0415 as above
        from repo_mcp.workspace.scip import WorkspaceScip  # noqa: PLC0415 as above

        def texts(text: Snapshot) -> Mapping[str, Snapshot]:
            return self._parts.get(text, {})

        return GraphSources(
            WorkspaceCode(self.roots, self._inner, self.languages, texts),
            WorkspaceScip(self.roots, texts),
        )


def results_of(works: Iterable[Callable[[], T]]) -> list[T]:
    """The results of those that succeed; if none does, the problem of the first is raised."""
    found: list[T] = []
    failed: Problem | None = None
    for work in works:
        try:
            found.append(work())
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            failed = failed or problem
    if failed is not None and not found:
        raise failed
    return found


def add_results(results: Sequence[RefreshResult], started: float) -> RefreshResult:
    """The sums of the results of several roots, which took the time since `started`."""
    left_out: dict[str, int] = {}
    for result in results:
        for reason, count in result.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + count
    return RefreshResult(
        added=sum(result.added for result in results),
        updated=sum(result.updated for result in results),
        removed=sum(result.removed for result in results),
        files=sum(result.files for result in results),
        seconds=max(time.monotonic() - started, sum(result.seconds for result in results)),
        timestamp=max((result.timestamp for result in results), default=""),
        complete=all(result.complete for result in results),
        left_out=left_out,
        words_left=sum(result.words_left for result in results),
        facts_left=sum(result.facts_left for result in results),
        waited=sum(result.waited for result in results),
    )


def _sum_progress(running: Sequence[Progress]) -> Progress | None:
    """The progress of several roots; its phase is that of the first."""
    if len(running) < 2:
        return running[0] if running else None
    return Progress(
        running[0].phase,
        sum(item.files for item in running),
        sum(item.all_files for item in running),
        sum(item.size for item in running),
        sum(item.all_size for item in running),
        max(item.seconds for item in running),
        following=sum(item.following for item in running),
    )


def _snapshot_of(manager: IndexManager) -> Snapshot | None:
    """The index of a root; None if there is none, or if it can't be opened now."""
    try:
        return manager.snapshot()
    except Problem:
        return None


class WorkspaceDiscovery(Discovery):
    """One walk over all roots, one after the other, each by its own rules."""

    def __init__(self, walks: Mapping[str, Callable[[], Discovery]], inner: InnerRoots) -> None:
        """`walks` begin a walk of each root; a root inside of another is walked once."""
        self.left_out: Counter[str] = Counter()
        self._walks = walks
        self._inner = inner
        # those that remember the folders that they have seen
        self._begun: dict[str, Discovery] = {}

    def files(self, budget: Budget) -> Iterator[WalkedFile]:
        """The files to index."""
        for path, reason, key in self.candidates(budget):
            if reason:
                self.left_out[reason] += 1
            elif key is not None:
                yield WalkedFile(path, key)

    def candidates(self, budget: Budget) -> Iterator[VisitedPath]:
        """Every visited path."""
        for name in sorted(self._walks, key=str.encode):
            yield from self._shown(name, self._walks[name]().candidates(budget))

    def below(self, folder: str, budget: Budget) -> Iterator[VisitedPath]:
        """`candidates` below one folder; that of all roots is ""."""
        if not folder:
            yield from self.candidates(budget)
            return
        name, rest = split_path(folder, self._walks)
        if name in self._walks:
            yield from self._shown(name, self._walks[name]().below(rest, budget))

    def folders(self, folder: str, budget: Budget) -> Iterator[str]:
        """The folders that walks enter, each before it is listed; those above roots are none."""
        name, rest = split_path(folder, self._walks)
        for each in [name] if folder else sorted(self._walks, key=str.encode):
            if each in self._walks:
                found = self._walks[each]().folders(rest, budget)
                yield from ((folder_of(each) + path).rstrip("/") for path in found)

    def entries(self, folder: str) -> list[tuple[FolderEntry, str]] | str:
        """A folder's entries, each with the reason why it is excluded, or ""."""
        if not folder and "" not in self._walks:
            names = sorted(self._walks, key=str.encode)
            return [(_ABOVE._replace(name=name), "") for name in names]
        name, rest = split_path(folder, self._walks)
        walk = self._begin(name)
        return "missing" if walk is None else walk.entries(rest)

    def reason(self, path: str) -> str:
        """The reason why a path is not indexed; empty if it is."""
        name, rest = split_path(path, self._walks)
        walk = self._begin(name)
        return "missing" if walk is None else walk.reason(rest)

    def _begin(self, name: str) -> Discovery | None:
        if name not in self._begun and name in self._walks:
            self._begun[name] = self._walks[name]()
        return self._begun.get(name)

    def _shown(self, name: str, visited: Iterator[VisitedPath]) -> Iterator[VisitedPath]:
        inner = tuple(folder for folder, _ in self._inner.get(name, ()))
        for item in visited:
            if not inner or not f"{item.path}/".startswith(inner):
                yield item._replace(path=folder_of(name) + item.path)
