"""Refreshes, merges, checks and repairs the index of one repository, one writer at a time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from code_graph import Languages
from code_graph.store.schema import GraphProgress
from index_format import (
    CorruptIndexError,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    Snapshot,
    UnsupportedVersionError,
)
from index_format.records import replace
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep import derived_index
from repo_mcp.indexing.keep.changes import Changes, TakePaths, find_changes, known_stats
from repo_mcp.indexing.keep.derived_index import LinkedGraph, damage_of
from repo_mcp.indexing.keep.index_folder import IndexFolder
from repo_mcp.indexing.keep.index_source import IndexSource, ProgressCallback
from repo_mcp.indexing.keep.stored_index import (
    StoredIndex,
    current_time,
    empty_indexes,
    raise_problems,
    signature_of,
)
from repo_mcp.indexing.keep.write_queue import Counts, WriteQueue
from repo_mcp.indexing.walk import statcache
from repo_mcp.indexing.walk.statcache import StatCache
from repo_mcp.indexing.walk.stored_folders import DamagedBlocksError
from repo_mcp.indexing.walk.walk import Candidate, Discovery, Selection, WalkedFile
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.model import AnswerWarning, IndexState, Progress, RefreshResult, Settings
from repo_mcp.processes.pool import JobRunner, usual_workers
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import GRAPH_INDEX, SCHEMA, IndexProgress

if TYPE_CHECKING:  # loaded by those who need it
    from code_graph.scip.report import ScipChanges
    from index_format import DiskUse, Finding
    from repo_mcp.indexing.keep.graph_index import GraphIndex
    from repo_mcp.indexing.keep.index_health import IndexSummary
    from repo_mcp.indexing.keep.refresh import Refresh, RunContext

# how long a run without `wait_for_writer` waits for another process's write lock
_WRITER_WAIT: Final = 10.0
# a reader that finds a segment gone has to read the newer manifest; a delay makes that rare
_GRACE: Final = 5.0
# superseded files take at most this share of the index, however many were published meanwhile
_SPARE: Final = 0.25

_T = TypeVar("_T")


class IndexManager:
    """The index and how to bring it up to date; safe to use from several threads."""

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        clock: Clock = time.monotonic,
        source: IndexSource[IndexManager] | None = None,
    ) -> None:
        """Keep the settings; reads nothing. A `source` may bring a first index."""
        self.on_first_index: Callable[[], None] = lambda: None
        self._source = source
        self.engine: Callable[[Recipe], JobRunner] | None = None  # does a refresh's jobs elsewhere
        self._given = settings
        # data below the root are those of the open root, whatever takes its place later
        settings = replace(
            settings,
            root=sandbox.own_path(settings.root),
            data_dir=sandbox.own_path(settings.data_dir),
        )
        self._settings = settings
        self._sandbox = sandbox
        self._languages = Languages(settings.languages)
        self._selection = Selection.of(settings)
        self._signature = signature_of(settings, self._languages)
        self._clock = clock
        self._queue = WriteQueue()
        self._linking = threading.Lock()
        self._graph_damaged = False  # a query has met damage in the graph
        self._linked: Progress | None = None
        self._folder = IndexFolder(settings.data_dir, self._signature)
        self._use_folder()

    def _use_folder(self) -> None:
        """Work with the index of the chosen folder from now on."""
        folder = self._folder.path
        self._recipe = Recipe.of(self._settings, folder)
        self._store = self._recipe.store(clock=self._clock)
        self._stored = StoredIndex(self._settings, folder, self._store, self._signature)
        self._writing = self._stored.index()  # a run changes its settings to record progress
        workers = self._recipe_of_workers(folder), self._settings.workers or usual_workers()
        # a refresh does not wait for workers that link
        self._pool, self._linkers = Pool(*workers), Pool(*workers)
        self._graph: GraphIndex | None = None
        self._remembered: StatCache | None = None
        self.untidy = False  # anything was refreshed since the last `tidy`

    def _recipe_of_workers(self, folder: str) -> Recipe:
        """The recipe with which other processes find the root and the data themselves."""
        given = self._given
        index_dir = given.data_dir + folder.removeprefix(self._settings.data_dir)
        return replace(Recipe.of(given, index_dir), folder=tuple(self._sandbox.folder))

    @property
    def languages(self) -> Languages:
        """The languages chosen by this repository's settings."""
        return self._languages

    @property
    def copies(self) -> bool:
        """Whether what is read elsewhere of the index is copied here meanwhile."""
        return self._source is not None and self._source.copies

    def copy(
        self, budget: Budget, on_progress: ProgressCallback = lambda _: None
    ) -> tuple[int, int]:
        """Copy what is read elsewhere; the counts of segments that are copied, and left."""
        return (0, 0) if self._source is None else self._source.copy(self, budget, on_progress)

    def snapshot(self) -> Snapshot | None:
        """The current generation, or None if none fits these settings."""
        return self._stored.snapshot()

    def state(self) -> IndexState:
        """The current state of the index."""
        found = self.snapshot()
        progress, elsewhere = self._queue.progress, self._queue.elsewhere
        if found is None:
            return IndexState("missing", 0, 0, "", progress=progress, elsewhere=elsewhere)
        reached = IndexProgress.of(found)
        return IndexState(
            "ready" if reached.complete else "partial",
            found.generation,
            found.file_count,
            self._stored.last_refresh(),
            shallow=not reached.deep,
            progress=progress,
            elsewhere=elsewhere,
        )

    def files(self, budget: Budget) -> Iterator[WalkedFile]:
        """Walk: the files that belong in the index now."""
        return self.discovery().files(budget)

    def candidates(self, folder: str, budget: Budget) -> Iterator[Candidate]:
        """Walk: entries below a folder (the root is ""), each with the reason if not indexed."""
        walk = self.discovery()
        return walk.below(folder, budget) if folder else walk.candidates(budget)

    def pending_files(self, budget: Budget) -> Iterator[str]:
        """Files that may not be indexed yet: those of the running refresh, else all files."""
        pending = self._queue.pending
        if pending is not None:
            yield from (item.path for item in pending)
        else:
            yield from (file.path for file in self.files(budget))

    def changes(self, budget: Budget) -> Changes | None:
        """What differs between files and index, by stat keys; takes no lock, reads no file.

        None if there is no index, or if that takes longer than the budget lasts.
        """
        base = self.snapshot()
        if base is None:
            return None

        def find(cache: StatCache) -> Changes | None:
            known = known_stats(base, cache, self._languages)
            return find_changes(known, self.discovery(), budget)

        return self.with_stats(find)

    def with_stats(self, work: Callable[[StatCache], _T]) -> _T:
        """Work with what is remembered of files."""
        return statcache.using(self._folder.path, self._signature, self._remembered, work)

    def refresh(
        self,
        budget: Budget,
        *,
        force: bool = False,
        most_parsed: float = math.inf,
        on_progress: ProgressCallback | None = None,
        wait_for_writer: bool = False,
        take_edits: TakePaths = tuple,
    ) -> RefreshResult:
        """Bring the index up to date; `force` reindexes every file.

        Changes of more than `most_parsed` files are indexed by words only. `wait_for_writer` waits
        for another process's lock until the budget is spent; `take_edits` names files to do first.
        """

        def work(run: Refresh) -> Counts:
            self._collect_garbage(_GRACE, wait=0.0)  # of runs that were killed
            return run.run(self.discovery(), force=force, most_parsed=most_parsed)

        if self._source is not None and self.snapshot() is None:
            self._source.bring(self, budget, partial(self._show, on_progress))
            self.on_first_index()
        wait = None if wait_for_writer else _WRITER_WAIT
        return self._run(budget, work, on_progress, wait, take_edits)

    @contextmanager
    def replacing(self, budget: Budget) -> Iterator[Recipe]:
        """The recipe of all indexes, whose generations the caller may replace meanwhile."""
        with self._turn(budget), self._linking, raise_problems():
            self._stored.drop_unusable()
            try:
                yield self._recipe
            finally:
                # what is remembered of files is of these files, whatever index is read
                self._stored.latest = self._remembered = None

    def published(self) -> RefreshResult | None:
        """What the running refresh has published so far, or None."""
        told = self._queue.published
        return told and self._refresh_result(*told, seconds=0.0)

    def refresh_paths(self, paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        """Update single files, or their words only without `deep`; "folder/" is all below it."""
        return self._run(
            budget,
            lambda run: run.run_paths(self.discovery(), paths, deep=deep),
            None,
            _WRITER_WAIT,
        )

    def tidy(
        self,
        budget: Budget,
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
        damaged = False
        steps = 0
        with self._turn(budget), raise_problems():
            try:
                steps = self._merge(budget, full=full, free=free or full, stop=stop)
            except CorruptIndexError:  # damage in a part that only merging reads
                self._stored.drop()
                damaged = True
        if damaged:
            self.refresh(budget)
        steps += self._merge_derived(budget) if full else 0
        if self._source is not None and not stop():
            self._source.share(self, budget)
        return steps

    def _merge_derived(self, budget: Budget) -> int:
        from repo_mcp.indexing.keep.index_health import derived_indexes  # noqa: PLC0415 rarely used
        from repo_mcp.indexing.workers.merging import compact_derived  # noqa: PLC0415 as above

        with self._linking, raise_problems():
            return compact_derived(derived_indexes(self._recipe), self._linkers, budget)

    def graph(self) -> LinkedGraph:
        """The current generation of the graph, and whether it is of the current text."""
        text, graph = self.snapshot(), self._graph_index()
        found = None if text is None or self._graph_damaged else graph.snapshot(text)
        if text is None or found is None:
            return LinkedGraph(None, current=False, notice=graph.notice)
        progress = GraphProgress.of(found)
        return LinkedGraph(found, progress.complete and progress.is_of(text), graph.notice)

    def forget_graph_notice(self) -> None:
        """An answer has said why the graph was removed."""
        self._graph_index().notice = None

    def report_graph_damage(self) -> None:
        """A query has met damage in the graph: it is not opened until it is linked again."""
        self._graph_index().notice = damage_of(GRAPH_INDEX)
        self._graph_damaged = True

    def imported(self) -> ScipChanges | None:
        """How much of the imported indexes of SCIP counts; None without any in the settings."""
        text = self.snapshot()
        if text is None or not self._settings.scip:
            return None
        return self._graph_index().imported(text)

    @property
    def link_progress(self) -> Progress | None:
        """How far the running link is; None while none runs."""
        return self._linked if self._linking.locked() else None

    def link(self, budget: Budget, on_progress: ProgressCallback | None = None) -> Sequence[str]:
        """Bring the graph to the current text, if all its facts are indexed.

        Refreshes go on meanwhile; then the graph is of the older text, and the next run follows.
        Returns files that have changed and were not refreshed yet, which has to come first.
        """
        with self._linking, raise_problems():
            try:
                return self._link(budget, on_progress)
            except CorruptIndexError as error:
                self._remove_damaged(error, budget)
                return self._link(budget, on_progress)

    def _link(self, budget: Budget, on_progress: ProgressCallback | None) -> Sequence[str]:
        def progress(now: Progress) -> None:
            self._linked = now if now.phase == "linking" else self._linked
            if on_progress is not None:
                on_progress(now)

        text, graph = self.snapshot(), self._graph_index()
        if self._graph_damaged:
            graph.drop(graph.notice)
            self._graph_damaged = False
        if text is None or not IndexProgress.of(text).deep or graph.is_current(text):
            return ()
        self._sandbox.check_root()
        self._linked = Progress("linking", 0, text.file_count, 0, 0, 0.0)
        pool = self.engine(self._linkers.recipe) if self.engine else self._linkers
        self.release_workers()
        graph.refresh(text, pool, budget, progress)
        graph.tidy(pool, budget)
        graph.collect_garbage(_GRACE, _SPARE)
        self._linkers.shrink()
        return graph.changed

    def _remove_damaged(self, error: CorruptIndexError, budget: Budget) -> None:
        """Linking reads all indexes: build that of the text again, or remove another."""
        text = self.snapshot()
        if text is None or error.file in {entry.name for entry in text.manifest.segments}:
            self.rebuild(budget)
        else:
            self._graph_index().drop_damaged(error)

    def _graph_index(self) -> GraphIndex:
        from code_graph.link import LINKER, VERSION  # noqa: PLC0415 most servers have no graph
        from repo_mcp.indexing.keep.graph_index import GraphIndex  # noqa: PLC0415 as above

        if self._graph is None:
            given = self._recipe, self._sandbox, self._languages, self._pool
            self._graph = GraphIndex(*given, LINKER, VERSION, self._clock)
        return self._graph

    def check(self) -> Iterator[Finding]:
        """Read and verify all indexes of the repository."""
        from repo_mcp.indexing.keep.index_health import check_indexes  # noqa: PLC0415 rarely used

        return check_indexes(self._recipe)

    def derived(self) -> list[IndexSummary]:
        """The indexes on the disk that are made from the text index."""
        from repo_mcp.indexing.keep.index_health import open_derived  # noqa: PLC0415 as in `check`

        with raise_problems():
            return list(open_derived(self._recipe, self.snapshot()))

    def walked_folders(self) -> bytes:
        """The folders of the last walk that was saved (see `statcache.load_folders`)."""
        return statcache.load_folders(self._folder.path)

    @property
    def index_dir(self) -> str:
        """The folder that has the folders of the indexes."""
        return self._folder.path

    def disk_use(self) -> DiskUse:
        """How much room the indexes take on the disk."""
        from repo_mcp.indexing.keep.index_health import disk_use  # noqa: PLC0415 as in `check`

        with raise_problems():
            return disk_use(self._recipe)

    def repair(self, budget: Budget, on_progress: ProgressCallback | None = None) -> RefreshResult:
        """Repair the index, then reindex the files that were lost.

        What is made from it is removed if it is damaged, and made again.
        """
        from index_format import repair  # noqa: PLC0415 rarely used
        from repo_mcp.indexing.keep.index_health import drop_damaged  # noqa: PLC0415 as in `check`

        had_graph = bool(self._recipe.store(GRAPH_INDEX, create=False).names())
        with self._linking, raise_problems():
            drop_damaged(self._recipe, self._graph_index().parts)
        with self._turn(budget), raise_problems():
            try:
                again = repair(self._store, fallback=SCHEMA).again
            except UnsupportedVersionError:
                self._stored.drop()
                again = ()
            statcache.delete(self._folder.path)
            self._remembered = None
        if again:
            self.refresh_paths(again, budget, deep=False)
        done = self.refresh(budget, on_progress=on_progress)
        if had_graph:
            self.link(budget)
        return done

    def dump(self, name: str | None, section: str | None, limit: int) -> Iterator[str]:
        """The content of an index file as text; without a name, the list of index files."""
        from repo_mcp.indexing.keep.index_health import dump_files  # noqa: PLC0415 rarely used

        with raise_problems():
            yield from dump_files(self._recipe, name, section, limit)

    def rebuild(self, budget: Budget) -> RefreshResult:
        """Remove a damaged index and build it again."""
        with self._turn(budget), raise_problems():
            self._stored.drop()
        return self.refresh(budget)

    def take_notice(self) -> AnswerWarning | None:
        """Why an index was removed and rebuilt; each reason is given once."""
        return self._stored.take_notice()

    def is_free(self, seconds: float) -> bool:
        """Whether the write lock is free within this time, by the system's clock."""
        try:
            with self._recipe.store().lock(seconds):
                return True
        except (OSError, IndexFormatError) as error:  # a refresh meets others and reports them
            return not isinstance(error, IndexBusyError)

    def release_workers(self) -> None:
        """Stop the workers that only an early next refresh would use."""
        self._pool.shrink()

    def close(self) -> None:
        """Stop all idle workers."""
        self._pool.close()
        self._linkers.close()
        self._folder.release()

    @contextmanager
    def _turn(self, budget: Budget) -> Iterator[None]:
        """Hold the write queue and a folder for the index.

        Waiting ends when the budget is cancelled or spent.
        """
        self._stored.check_folder()
        with self._queue.take(budget):
            self._sandbox.check_root()
            with raise_problems():
                self._stored.prepare()
            if self._folder.claim():
                self._pool.close()
                self._linkers.close()
                self._use_folder()
                self._stored.check_folder()
            self._empty_forgotten()
            yield

    def _empty_forgotten(self) -> None:
        """Remove indexes with other settings that were not used for a week."""
        with self._folder.forgotten() as folders, suppress(IndexFormatError):
            for folder in folders:
                empty_indexes(Recipe.of(self._settings, folder))

    def _run(
        self,
        budget: Budget,
        work: Callable[[Refresh], Counts],
        on_progress: ProgressCallback | None,
        wait: float | None,
        take_edits: TakePaths = tuple,
    ) -> RefreshResult:
        started = time.monotonic()
        with self._turn(budget), raise_problems():
            self._stored.drop_unusable()
            self._keep_unfinished()
            context = self._run_context(budget, on_progress, wait, take_edits)
            try:
                counts = self._attempt(work, budget, context)
            except CorruptIndexError:  # damage that only a full read finds
                self._stored.drop()
                counts = self._attempt(work, budget, context)
            timestamp = current_time()
            self._stored.latest = self._writing.snapshot(self._stored.latest)
            self._stored.set_last_refresh(timestamp, time.monotonic() - started)
            self.untidy = True
            self._collect_garbage(_GRACE, wait=0.0)  # a request may be waiting for this run
        return self._refresh_result(counts, timestamp, seconds=time.monotonic() - started)

    def _keep_unfinished(self) -> None:
        """Before the first run of a process, keep what a first link of the graph goes on from."""
        text = self.snapshot() if self._remembered is None else None
        if text is not None and derived_index.has_unfinished_graph(self._recipe):
            self._graph_index().keep_unfinished(text)

    def _refresh_result(self, counts: Counts, timestamp: str, *, seconds: float) -> RefreshResult:
        found = self.snapshot()
        files = 0 if found is None else found.file_count
        return counts.to_result(files, timestamp, seconds, self._queue.waited)

    def _attempt(
        self,
        work: Callable[[Refresh], Counts],
        budget: Budget,
        context: RunContext,
    ) -> Counts:
        from repo_mcp.indexing.keep.refresh import Refresh  # noqa: PLC0415 not if nothing has changed

        remembered, self._remembered = self._remembered, None
        run = Refresh(context, budget, remembered)
        try:
            counts = work(run)
        except DamagedBlocksError:
            statcache.delete(self._folder.path)
            run = Refresh(context, budget)
            counts = work(run)
        self._remembered = run.cache
        if run.discarded:  # text that is denied now must not stay on the disk
            self._writing.collect_garbage(grace_seconds=0)
        return counts

    def _run_context(
        self,
        budget: Budget,
        on_progress: ProgressCallback | None,
        wait: float | None,
        take_edits: TakePaths,
    ) -> RunContext:
        from repo_mcp.indexing.keep.refresh import RunContext  # noqa: PLC0415 as in `_attempt`

        queue = self._queue
        return RunContext(
            self._writing,
            self._recipe,
            self._sandbox,
            self._languages,
            self._signature,
            self.engine(self._pool.recipe) if self.engine else self._pool,
            partial(self._show, on_progress),
            queue.set_pending,
            self._record_publication,
            self._stored.keep,
            take_edits,
            self.discovery,
            lambda: queue.writer(self._writing, budget, self._stored.latest, wait),
            at_once=self.engine is not None,
        )

    def _show(self, on_progress: ProgressCallback | None, now: Progress) -> None:
        self._queue.set_progress(now)
        if on_progress is not None:
            on_progress(now)

    def _merge(self, budget: Budget, *, full: bool, free: bool, stop: Callable[[], bool]) -> int:
        from repo_mcp.indexing.workers.merging import compact  # noqa: PLC0415 searches don't merge

        index, before = self._stored.index(), self.snapshot()
        self.untidy = False
        self._pool.retire_large()
        try:
            steps = compact(index, self._pool, budget, full=full, stop=stop)
        except IndexMissingError:
            return 0
        if steps and self._remembered is not None:
            statcache.reassign(self._remembered, index.snapshot(before), before, steps)
            if not stop():
                statcache.save(self._folder.path, self._remembered)
        self._collect_garbage(0.0 if free else _GRACE, wait=_WRITER_WAIT)
        return steps

    def _collect_garbage(self, grace: float, wait: float) -> None:
        # the process that is writing collects after that
        with suppress(IndexBusyError, IndexMissingError):
            self._writing.collect_garbage(grace_seconds=grace, spare=_SPARE, wait_seconds=wait)

    def _record_publication(self, counts: Counts) -> None:
        """Record a publication; the first complete one sets the time of the last refresh."""
        published, timestamp = self._queue.published, current_time()
        if published is None:  # this run has published nothing yet
            timestamp = self._stored.last_refresh()
        elif counts.complete and not published[0].complete:
            self._stored.set_last_refresh(timestamp)
        self._queue.set_published(counts, timestamp)

    def discovery(self) -> Discovery:
        """A walk that begins now."""
        return Discovery(self._sandbox, self._selection)
