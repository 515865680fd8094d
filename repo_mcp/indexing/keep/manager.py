"""The indexes of one root: refreshes, merges, checks and repairs them, one writer at a time."""

from __future__ import annotations

import math
import os
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from code_graph import Languages
from index_format import Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.data_owner import DataOwner
from repo_mcp.indexing.keep.index_source import IndexSource, ProgressCallback
from repo_mcp.indexing.keep.indexes import Indexes
from repo_mcp.indexing.keep.keeper import (
    GRACE,
    SPARE,
    IndexKeeper,
    JobEngine,
    StoredIndexes,
    has_unfinished_graph,
    raise_problems,
)
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.text_index import TextIndex
from repo_mcp.indexing.keep.writer import WRITER_WAIT, Counts, Writer
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.model import AnswerWarning, IndexState, RefreshResult, Settings
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import HISTORY_INDEX, TEXT_INDEX, IndexProgress

if TYPE_CHECKING:  # loaded by those who need it
    from repo_mcp.indexing.keep.changes import Changes
    from repo_mcp.indexing.keep.graph_index import GraphSources
    from repo_mcp.indexing.keep.history_index import HistoryIndex
    from repo_mcp.indexing.walk.memory import WalkMemory
    from repo_mcp.processes.pool import ProcessStock


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
    def single_root(self) -> IndexManager:
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
