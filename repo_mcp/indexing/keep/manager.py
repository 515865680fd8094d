"""The indexes of one root: refreshes, merges, checks and repairs them, one writer at a time.

Callers know them as `Indexes`, which may be those of several roots as one.
"""

from __future__ import annotations

import math
import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypedDict

from code_graph import Languages
from index_format import CorruptIndexError, IndexFormatError, Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.data_owner import DataOwner
from repo_mcp.indexing.keep.index_folder import IndexFolder, prepare_data, refuse_links
from repo_mcp.indexing.keep.index_source import IndexSource, ProgressCallback
from repo_mcp.indexing.keep.keeper import (
    GRACE,
    SPARE,
    IndexKeeper,
    JobEngine,
    LinkedGraph,
    StoredIndexes,
    has_unfinished_graph,
    raise_problems,
)
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.on_demand import OnDemand
from repo_mcp.indexing.keep.pools import Pools, PoolUse
from repo_mcp.indexing.keep.text_index import TextIndex, signature_of
from repo_mcp.indexing.keep.writer import WRITER_WAIT, Counts, Writer
from repo_mcp.indexing.walk import memory_file
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.model import AnswerWarning, IndexState, Progress, RefreshResult, Settings
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import HISTORY_INDEX, TEXT_INDEX, IndexProgress

if TYPE_CHECKING:  # loaded by those who need it
    from code_graph.scip.report import ScipChanges
    from repo_mcp.indexing.keep.changes import Changes
    from repo_mcp.indexing.keep.function_encoding import FunctionEncoding
    from repo_mcp.indexing.keep.graph_index import GraphIndex, GraphSources
    from repo_mcp.indexing.keep.history_index import HistoryIndex
    from repo_mcp.indexing.walk.memory import WalkMemory
    from repo_mcp.processes.pool import ProcessStock


class RefreshOptions(TypedDict, total=False):
    """The options of `Indexes.refresh`."""

    force: bool
    most_parsed: float
    wait_for_writer: bool
    engine: JobEngine | None


class Indexes(ABC):
    """The indexes and how to bring them up to date; safe to use from several threads.

    Texts are of one root or of several; the graph is linked from them here. Calls that may take
    long tell a listener. A refresh or a link with an `engine` has its jobs done there.
    """

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        languages: Languages,
        clock: Clock,
        stock: ProcessStock | None,
    ) -> None:
        """Keep the arguments; reads nothing."""
        self._given = settings
        # the paths as they were given
        self.root, self.data_dir = settings.root, settings.data_dir
        # the branches whose commits are shown; None: all
        self.branches = settings.branches
        # data below the root are those of the open root, whatever takes its place later
        self._settings = replace(
            settings,
            root=sandbox.own_path(settings.root),
            data_dir=sandbox.own_path(settings.data_dir),
        )
        # the only way to the files of the root
        self.sandbox = sandbox
        self.languages = languages
        self._clock = clock
        # its parts know it weakly, so that a folder is free once nobody has the indexes
        parent: Indexes = weakref.proxy(self)
        self.pools = Pools(parent, settings.workers, stock)
        self.on_demand = OnDemand(parent, self.pools)
        self._linking = threading.Lock()
        self._folder = IndexFolder(self._settings.data_dir, self._signature())
        self._use_folder()

    def _signature(self) -> str:
        """A hash of all that tells the index from one that other processes may make beside it."""
        return signature_of(self._settings, self.languages)

    def _use_folder(self) -> None:
        """Work with the indexes of the chosen folder from now on."""
        self.index_dir = self._folder.path
        # the recipe of all indexes, as this process finds them
        self.recipe = Recipe.of(self._settings, self.index_dir)
        self._graph: GraphIndex | None = None

    def encoding(self) -> FunctionEncoding | None:
        """Encodes functions; None where the settings name no encoder.

        Several roots have none together: each has its own.
        """
        encoder = self._settings.function_encoder
        if not encoder or self.is_whole or self.parts.get("") is not self:
            return None
        from repo_mcp.indexing.keep.function_encoding import FunctionEncoding  # noqa: PLC0415 few have one

        return FunctionEncoding(self.single, encoder, self._settings.embedding_model)

    def prepare_data(self) -> None:
        """Create the data folder, and record whose it is."""
        self.sandbox.check_root()
        with raise_problems():
            prepare_data(self._settings.root, self._settings.data_dir)

    def claim_folder(self) -> None:
        """Hold a folder for the indexes, which may be another one than before.

        Indexes with other settings that were not used for a week are removed.
        """
        self.prepare_data()
        if self._folder.claim():
            self.pools.reopen()
            self._use_folder()
            refuse_links(self.recipe.root, self.index_dir)
        with self._folder.forgotten() as folders, suppress(IndexFormatError):
            for folder in folders:
                for keeper in StoredIndexes(Recipe.of(self._settings, folder)).keepers:
                    keeper.empty()
                memory_file.delete(folder)

    def link_key(self, text: Snapshot) -> tuple[str, str, int]:
        """Linker, signature and generation of the code that files of a text are linked with."""
        graph = self.graph_index
        return graph.linker, graph.signature(text), graph.stored_code(text)

    def graph(self, text: Snapshot | None = None) -> LinkedGraph:
        """The current generation of the graph, and whether it is of a text, or of that of now."""
        return self.graph_index.linked(text or self.snapshot())

    def imported(self) -> ScipChanges | None:
        """The part of imported indexes of SCIP that counts; None without any in the settings."""
        text = self.snapshot() if self.has_scip else None
        return None if text is None else self.graph_index.scip_changes(text)

    @property
    def link_progress(self) -> Progress | None:
        """Progress of the running link, parsing before it included; None while none runs."""
        return None if self._graph is None else self._graph.progress

    def link(
        self, budget: Budget, listener: RunListener = NOBODY, engine: JobEngine | None = None
    ) -> Sequence[str]:
        """Bring the graph to the current text, if all its facts are indexed.

        Refreshes go on meanwhile; then the graph is of the older text, and the next run follows.
        Returns files that have changed and were not refreshed yet, which has to come first.
        """
        with self._linking, raise_problems():
            try:
                return self._link(budget, listener, engine)
            except CorruptIndexError as error:
                self._remove_damaged(error, budget, listener, engine)
                return self._link(budget, listener, engine)

    def _link(
        self, budget: Budget, listener: RunListener, engine: JobEngine | None
    ) -> Sequence[str]:
        text = self.snapshot()
        return self.graph_index.follow(text, budget, listener.on_progress, engine)

    def _remove_damaged(
        self,
        error: CorruptIndexError,
        budget: Budget,
        listener: RunListener,
        engine: JobEngine | None,
    ) -> None:
        """Linking reads all indexes: build that of the text again, or remove another."""
        text = self.snapshot()
        if text is None or error.file in {entry.name for entry in text.manifest.segments}:
            self.rebuild(budget, listener, engine)
        else:
            self.graph_index.drop_damaged(error)

    @property
    def graph_index(self) -> GraphIndex:
        """The index of the graph, with those that it is linked from."""
        if self._graph is None:
            from code_graph.link import LINKER, VERSION  # noqa: PLC0415 most servers have no graph
            from repo_mcp.indexing.keep.graph_index import GraphIndex  # noqa: PLC0415 as above

            self._graph = GraphIndex(
                self.recipe,
                self.sandbox,
                self._graph_sources(),
                self.pools,
                self._linking,
                LINKER,
                VERSION,
                self._clock,
            )
        return self._graph

    def _merge_derived(self, budget: Budget) -> int:
        with self._linking, raise_problems():
            return self.stored.merge_derived(self.pools[PoolUse.LINKING], budget)

    def close(self) -> None:
        """Stop all idle workers."""
        self.pools.close()
        self._folder.release()

    @abstractmethod
    def snapshot(self) -> Snapshot | None:
        """The current generation of the text, or None if none fits these settings."""

    @property
    @abstractmethod
    def parts(self) -> Mapping[str, IndexManager]:
        """The managers of single roots, by what the paths of their files begin with."""

    @property
    @abstractmethod
    def single(self) -> IndexManager:
        """The manager of the only root; a `Problem` if several are served."""

    @abstractmethod
    def root_states(self) -> Mapping[str, IndexState]:
        """The states of the roots of a workspace by their names; none of a single root."""

    @abstractmethod
    def state(self) -> IndexState:
        """The current state of the index."""

    @abstractmethod
    def discovery(self, sandbox: Sandbox | None = None) -> Discovery:
        """A walk that begins now, through the `sandbox` of those who asked, if given."""

    @abstractmethod
    def pending_files(self, budget: Budget, folder: str = "") -> Iterator[str]:
        """Files that may not be indexed yet: those of the running refresh, else all files.

        Of a `folder` all files, by a walk of it alone.
        """

    @abstractmethod
    def refresh(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        *,
        force: bool = False,
        most_parsed: float = math.inf,
        wait_for_writer: bool = False,
        engine: JobEngine | None = None,
    ) -> RefreshResult:
        """Bring the index up to date; `force` reindexes every file.

        Changes of more than `most_parsed` files are indexed by words only. `wait_for_writer` waits
        for another process's lock until the budget is spent.
        """

    @abstractmethod
    def refresh_paths(self, paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        """Update single files, or their words only without `deep`; "folder/" is all below it."""

    @abstractmethod
    def published(self) -> RefreshResult | None:
        """The result of the running refresh so far, or None."""

    @abstractmethod
    def tidy(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        *,
        full: bool = False,
        free: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Merge segments where that pays, until `stop`; returns the number of merges.

        In full it merges the indexes made from the text index too, which otherwise their own
        refreshes do. `free` removes superseded files at once, though a reader may be about to open
        them: it then reads the newer manifest.
        """

    @property
    @abstractmethod
    def stored(self) -> StoredIndexes:
        """All indexes on the disk, whatever they are of."""

    @abstractmethod
    def repair(self, budget: Budget, listener: RunListener = NOBODY) -> RefreshResult:
        """Repair the index, then reindex the files that were lost.

        An index that is made from it is removed if it is damaged, and made again.
        """

    @abstractmethod
    def rebuild(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        engine: JobEngine | None = None,
        file: str = "",
    ) -> RefreshResult:
        """Remove a damaged index and build it again."""

    @abstractmethod
    def take_notice(self) -> AnswerWarning | None:
        """Why an index was removed and rebuilt; each reason is given once."""

    @abstractmethod
    def is_free(self, seconds: float) -> bool:
        """True if the write lock is free within this time, by the system's clock."""

    @property
    @abstractmethod
    def copies(self) -> bool:
        """True if what is read elsewhere of the index is copied here meanwhile."""

    @abstractmethod
    def copy(
        self, budget: Budget, on_progress: ProgressCallback = lambda _: None
    ) -> tuple[int, int]:
        """Copy what is read elsewhere; the counts of segments that are copied, and left."""

    @property
    @abstractmethod
    def recipe_of_workers(self) -> Recipe:
        """The recipe with which other processes find the root and the data themselves."""

    @property
    @abstractmethod
    def has_scip(self) -> bool:
        """True if the settings name indexes of SCIP."""

    @property
    @abstractmethod
    def is_whole(self) -> bool:
        """True if all files are indexed, and none will change: no walk is needed then."""

    @abstractmethod
    def _graph_sources(self) -> GraphSources:
        """The indexes from which the graph is linked."""


class IndexManager(Indexes):
    """The indexes of one root: a run at a time changes them."""

    # false where a data folder is named after what is in it, and may be used from several places
    data_is_of_root: ClassVar = True

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        clock: Clock = time.monotonic,
        source: IndexSource[IndexManager] | None = None,
        stock: ProcessStock | None = None,
    ) -> None:
        """Keep the settings; reads nothing. A `source` may bring a first index.

        Managers of several roots share workers by a `stock`.
        """
        self._source = source
        super().__init__(settings, sandbox, Languages(settings.languages), clock, stock)
        self._owner: DataOwner | None = None
        if self.data_is_of_root:
            real = settings.real_root or os.path.realpath(settings.root)
            self._owner = DataOwner(real, settings.data_dir, self._settings.data_dir)
        self.writer = Writer(weakref.proxy(self), self.pools)

    def _use_folder(self) -> None:
        """Work with the indexes of the chosen folder from now on."""
        super()._use_folder()
        self.text = TextIndex(
            self.recipe,
            self.sandbox,
            self.languages,
            Selection.of(self._settings),
            self._folder.signature,
            self._clock,
        )
        self._history: HistoryIndex | None = None

    @property
    def is_whole(self) -> bool:
        """True if all files are indexed, and none will change: no walk is needed then."""
        return False

    @property
    def unread(self) -> str:
        """The folders that no reading gets, and what helps; empty without any."""
        return ""

    @property
    def recipe_of_workers(self) -> Recipe:
        """The recipe with which other processes find the root and the data themselves."""
        given = self._given
        index_dir = given.data_dir + self.index_dir.removeprefix(self._settings.data_dir)
        return replace(Recipe.of(given, index_dir), folder=tuple(self.sandbox.folder))

    @property
    def stored(self) -> StoredIndexes:
        """All indexes on the disk, whatever they are of."""
        return StoredIndexes(self.recipe)

    @property
    def copies(self) -> bool:
        """True if what is read elsewhere of the index is copied here meanwhile."""
        return self._source is not None and self._source.copies

    def copy(
        self, budget: Budget, on_progress: ProgressCallback = lambda _: None
    ) -> tuple[int, int]:
        """Copy what is read elsewhere; the counts of segments that are copied, and left."""
        return (0, 0) if self._source is None else self._source.copy(self, budget, on_progress)

    def snapshot(self) -> Snapshot | None:
        """The current generation of the text, or None if none fits these settings.

        Raises a `Problem` where the data folder is that of another root.
        """
        self.check_owner()
        return self.text.snapshot()

    def check_owner(self) -> None:
        """Raise a `Problem` if the data folder is that of another root."""
        if self._owner is not None:
            self._owner.check()

    def prepare_data(self) -> None:
        """Create the data folder, and record that it is of this root."""
        super().prepare_data()
        if self._owner is not None:
            with raise_problems():
                self._owner.claim()

    def state(self) -> IndexState:
        """The current state of the index."""
        found = self.snapshot()
        progress, elsewhere = self.writer.progress, self.writer.elsewhere
        if found is None:
            return IndexState("missing", 0, 0, "", progress=progress, elsewhere=elsewhere)
        reached = IndexProgress.of(found)
        return IndexState(
            "ready" if reached.complete else "partial",
            found.generation,
            found.file_count,
            self.text.last_refresh(),
            shallow=not reached.deep,
            progress=progress,
            elsewhere=elsewhere,
        )

    @property
    def parts(self) -> Mapping[str, IndexManager]:
        """The managers of single roots, by what the paths of their files begin with."""
        return {"": self}

    @property
    def single(self) -> IndexManager:
        """These are of one root."""
        return self

    def root_states(self) -> Mapping[str, IndexState]:
        """The states of the roots of a workspace by their names; none of a single root."""
        return {}

    def discovery(self, sandbox: Sandbox | None = None) -> Discovery:
        """A walk that begins now, through the `sandbox` of those who asked, if given."""
        if sandbox is None:
            return self.text.discovery()
        return Discovery(sandbox, Selection.of(self._settings))

    def pending_files(self, budget: Budget, folder: str = "") -> Iterator[str]:
        """Files that may not be indexed yet."""
        if folder:
            visited = self.discovery().below(folder, budget)
            return (item.path for item in visited if not item.reason and item.key is not None)
        pending = self.writer.pending
        files = self.discovery().files(budget) if pending is None else pending
        return (file.path for file in files)

    @contextmanager
    def remembered(self) -> Iterator[WalkMemory | None]:
        """The memory of files of this process's last run, which stays as it is meanwhile.

        None while a run goes on, and before the first one.
        """
        with self.writer.idle() as is_idle:
            yield self.text.memory if is_idle else None

    def changes(self, budget: Budget) -> Changes | None:
        """The difference between files and index by stat keys; takes no lock, reads no file.

        None if there is no index, or if that takes longer than the budget lasts.
        """
        self.check_owner()
        return self.text.changes(budget)

    def refresh(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        *,
        force: bool = False,
        most_parsed: float = math.inf,
        wait_for_writer: bool = False,
        engine: JobEngine | None = None,
    ) -> RefreshResult:
        """Bring the index up to date."""
        from repo_mcp.indexing.keep.refresh import Refresh  # noqa: PLC0415 not if nothing has changed

        def work(run: Refresh) -> Counts:
            self.text.collect_garbage(GRACE, SPARE, wait=0.0)  # of runs that were killed
            return run.run(force=force, most_parsed=most_parsed)

        if self._source is not None and self.snapshot() is None:
            self._source.bring(self, budget, partial(self.writer.report, listener))
            listener.on_first_index()
        wait = None if wait_for_writer else WRITER_WAIT
        return self.writer.run(Refresh, work, budget, listener, wait, engine)

    @contextmanager
    def replacing(self, budget: Budget) -> Iterator[Recipe]:
        """The recipe of all indexes, whose generations the caller may replace meanwhile."""
        with self.writer.take_turn(budget) as text, self._linking:
            text.drop_unusable()
            try:
                yield self.recipe
            finally:
                # what is remembered of files is of these files, whatever index is read
                text.latest = text.memory = None

    def published(self) -> RefreshResult | None:
        """The result of the running refresh so far, or None."""
        return self.writer.published

    def refresh_paths(self, paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        """Update single files, or their words only without `deep`; "folder/" is all below it."""
        from repo_mcp.indexing.keep.refresh import Refresh  # noqa: PLC0415 as above

        return self.writer.run(Refresh, lambda run: run.run_paths(paths, deep=deep), budget)

    def tidy(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        *,
        full: bool = False,
        free: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Merge segments where that pays, and lend what is complete."""
        steps = self.writer.merge(budget, full=full, free=free or full, stop=stop)
        if steps is None:
            self.refresh(budget, listener)
        steps = (steps or 0) + (self._merge_derived(budget) if full else 0)
        if self._source is not None and not stop():
            self._source.share(self, budget)
        return steps

    @property
    def has_scip(self) -> bool:
        """True if the settings name indexes of SCIP."""
        return bool(self._settings.scip)

    @property
    def history(self) -> HistoryIndex:
        """The index of commits."""
        from repo_mcp.indexing.keep.history_index import HistoryIndex  # noqa: PLC0415 few ask it

        if self._history is None:
            most = self._settings.history_commits
            self._history = HistoryIndex(
                self.recipe, most, self.pools, weakref.proxy(self), self._clock
            )
        return self._history

    @property
    def has_history(self) -> bool:
        """True if commits are indexed, maybe not all: reads the names of files alone."""
        if not self._settings.history_commits:
            return False
        return bool(self.recipe.store(HISTORY_INDEX, self._clock).names())

    def _graph_sources(self) -> GraphSources:
        from repo_mcp.indexing.keep.graph_index import sources_of  # noqa: PLC0415 most have no graph

        return sources_of(self.recipe, self.sandbox, self.languages, self._clock)

    def keep_unfinished(self) -> None:
        """Keep what a first link of the graph goes on from, before the text moves on."""
        text = self.snapshot()
        if text is not None and has_unfinished_graph(self.recipe):
            self.graph_index.keep_unfinished(text)

    def repair(self, budget: Budget, listener: RunListener = NOBODY) -> RefreshResult:
        """Repair the index, then reindex the files that were lost."""
        graph = self.graph_index
        had_graph = graph.is_there
        with self._linking, raise_problems():
            for index in graph.parts:
                index.repair()
        again = self.writer.repair(budget)
        if again:
            self.refresh_paths(again, budget, deep=False)
        done = self.refresh(budget, listener)
        if had_graph:
            self.link(budget)
        return done

    def rebuild(
        self,
        budget: Budget,
        listener: RunListener = NOBODY,
        engine: JobEngine | None = None,
        file: str = "",  # noqa: ARG002 it tells several roots apart
    ) -> RefreshResult:
        """Remove a damaged index and build it again."""
        self.writer.drop(budget)
        return self.refresh(budget, listener, engine=engine)

    def take_notice(self) -> AnswerWarning | None:
        """Why an index was removed and rebuilt; each reason is given once."""
        return self.text.take_notice()

    def is_free(self, seconds: float) -> bool:
        """True if the write lock is free within this time, by the system's clock."""
        return IndexKeeper(self.recipe, TEXT_INDEX).is_free(seconds)
