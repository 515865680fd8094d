"""The indexes of one root: refreshes, merges, checks and repairs them, one writer at a time."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, TypedDict, TypeVar

from code_graph import Languages
from code_graph.store.schema import GraphProgress
from index_format import (
    CorruptIndexError,
    IndexBusyError,
    IndexFormatError,
    InvalidInputError,
    Snapshot,
    Store,
)
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.data_owner import DataOwner
from repo_mcp.indexing.keep.index_folder import IndexFolder, prepare_data
from repo_mcp.indexing.keep.index_source import IndexSource, ProgressCallback
from repo_mcp.indexing.keep.keeper import (
    UNUSABLE,
    IndexFault,
    IndexSummary,
    derived_of,
    disk_use,
    dump_files,
    has_unfinished_graph,
    keepers_of,
    raise_problems,
    summarise,
)
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.text_index import TextIndex, current_time, signature_of
from repo_mcp.indexing.keep.write_turn import Counts, WriteTurn
from repo_mcp.indexing.walk import memory_file
from repo_mcp.indexing.walk.memory_file import DamagedBlocksError
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.model import (
    AnswerWarning,
    IndexState,
    Progress,
    QuestionFiles,
    RefreshResult,
    Settings,
)
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import HISTORY_INDEX, IndexProgress

if TYPE_CHECKING:  # loaded by those who need it
    from code_graph.scip.occurrences import ScipIndex
    from code_graph.scip.report import ScipChanges
    from index_format import DiskUse, Finding
    from repo_mcp.git import GitHistory
    from repo_mcp.indexing.keep.changes import Changes
    from repo_mcp.indexing.keep.code_index import CodeCounts
    from repo_mcp.indexing.keep.graph_index import CodeKeeper, GraphIndex, LinkedNow, ScipKeeper
    from repo_mcp.indexing.keep.history_index import HistoryIndex
    from repo_mcp.indexing.keep.refresh import Refresh, RunContext
    from repo_mcp.indexing.walk.memory import WalkMemory
    from repo_mcp.indexing.workers.on_demand import Overlay, ParsedNow
    from repo_mcp.indexing.workers.pool import Pool
    from repo_mcp.processes.pool import JobRunner, ProcessStock

# how long a run without `wait_for_writer` waits for another process's write lock
_WRITER_WAIT: Final = 10.0
# a reader that finds a segment gone has to read the newer manifest; a delay makes that rare
_GRACE: Final = 5.0
# superseded files take at most this share of the index, however many were published meanwhile
_SPARE: Final = 0.25

# questions about symbols that wait for each other
_TOGETHER: Final = 4

T = TypeVar("T")

# until the worker for questions has started
_START_SECONDS: Final = 5.0
# bytes that it reads before another takes its place: some fifteen questions
_MOST_ASKED: Final = 48 << 20
# attributes of a manager that are pools
_POOLS: Final = ("_pool", "_linkers", "_question_linkers", "_historians")

# makes what does the jobs of a recipe elsewhere
JobEngine = Callable[[Recipe], "JobRunner"]


class RefreshOptions(TypedDict, total=False):
    """The options of `IndexManager.refresh`."""

    force: bool
    most_parsed: float
    wait_for_writer: bool
    engine: JobEngine | None


class LinkedGraph(NamedTuple):
    """A generation of the graph, if there is one; `current`: complete and of the current text.

    `notice` says why the one before was removed.
    """

    snapshot: Snapshot | None
    current: bool
    notice: AnswerWarning | None = None


class IndexManager:
    """The indexes and how to bring them up to date; safe to use from several threads.

    Calls that may take long tell a listener. A refresh or a link with an `engine` has its jobs done
    there.
    """

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
        self._stock = stock
        self._given = settings
        # data below the root are those of the open root, whatever takes its place later
        settings = replace(
            settings,
            root=sandbox.own_path(settings.root),
            data_dir=sandbox.own_path(settings.data_dir),
        )
        self._settings = settings
        self._sandbox = sandbox
        self._owner: DataOwner | None = None
        if self.data_is_of_root:
            real = self._given.real_root or os.path.realpath(self._given.root)
            self._owner = DataOwner(real, self._given.data_dir, settings.data_dir)
        # as this repository's settings choose them
        self.languages = self._open_languages()
        self._clock = clock
        self._write_turn = WriteTurn()
        self._linking = threading.Lock()
        self._linking_for_question = threading.Lock()
        self._indexing_history = threading.Lock()
        self._closed = False
        self._graph_damaged = False  # a query has met damage in the graph
        self._linked: Progress | None = None
        self._link_seconds: Callable[[], float] = float
        self._folder = IndexFolder(settings.data_dir, self._signature())
        self._use_folder()

    def _open_languages(self) -> Languages:
        return Languages(self._settings.languages)

    def _signature(self) -> str:
        """A hash of all that tells the index from one that other processes may make beside it."""
        return signature_of(self._settings, self.languages)

    def _use_folder(self) -> None:
        """Work with the indexes of the chosen folder from now on."""
        folder = self._folder.path
        self._recipe = Recipe.of(self._settings, folder)
        self.text = TextIndex(
            self._recipe,
            self._sandbox,
            self.languages,
            Selection.of(self._settings),
            self._folder.signature,
            self._clock,
        )
        self._graph: GraphIndex | None = None
        self._history: HistoryIndex | None = None
        self.untidy = False  # a generation was published since the last `tidy`, or may have been
        self.overtaken = False  # another process had published before the last run

    @property
    def unread(self) -> str:
        """The folders that no reading gets, and what helps; empty without any."""
        return ""

    @cached_property
    def _pool(self) -> Pool:
        return self._new_pool()

    @cached_property
    def _linkers(self) -> Pool:
        """Workers that link, for which a refresh does not wait."""
        return self._new_pool()

    @cached_property
    def _question_linkers(self) -> Pool:
        """Workers that link the files of a question, for which no other work waits."""
        return self._new_pool()

    @cached_property
    def _historians(self) -> Pool:
        """Workers that index commits."""
        return self._new_pool()

    def _new_pool(self) -> Pool:
        from repo_mcp.indexing.workers.pool import Pool  # noqa: PLC0415 not where nothing has changed
        from repo_mcp.processes.pool import usual_workers  # noqa: PLC0415 as above

        workers = self._settings.workers or usual_workers()
        pool = Pool(self._recipe_of_workers(), workers, self._stock)
        if self._closed:
            pool.close()
        return pool

    def _close_pools(self) -> None:
        for name in _POOLS:
            if name in vars(self):
                vars(self)[name].close()

    def _recipe_of_workers(self) -> Recipe:
        """The recipe with which other processes find the root and the data themselves."""
        given = self._given
        index_dir = given.data_dir + self._folder.path.removeprefix(self._settings.data_dir)
        return replace(Recipe.of(given, index_dir), folder=tuple(self._sandbox.folder))

    @property
    def root(self) -> str:
        """The path of the root, as it was given."""
        return self._given.root

    @property
    def sandbox(self) -> Sandbox:
        """The only way to the files of the root."""
        return self._sandbox

    @property
    def data_dir(self) -> str:
        """The path of the data folder, as it was given."""
        return self._given.data_dir

    @property
    def recipe_of_workers(self) -> Recipe:
        """The recipe with which workers of a workspace find this root."""
        return self._recipe_of_workers()

    @property
    def recipe(self) -> Recipe:
        """The recipe of all indexes, as this process finds them."""
        return self._recipe

    @property
    def index_dir(self) -> str:
        """The folder that has the folders of the indexes."""
        return self._folder.path

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

    def _prepare_data(self) -> None:
        """Create the data folder, and record that it is of this root."""
        prepare_data(self._settings.root, self._settings.data_dir)
        if self._owner is not None:
            self._owner.claim()

    def state(self) -> IndexState:
        """The current state of the index."""
        found = self.snapshot()
        progress, elsewhere = self._write_turn.progress, self._write_turn.elsewhere
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

    def root_states(self) -> Mapping[str, IndexState]:
        """The states of the roots of a workspace by their names; none of a single root."""
        return {}

    def discovery(self, sandbox: Sandbox | None = None) -> Discovery:
        """A walk that begins now, through the `sandbox` of those who asked, if given."""
        if sandbox is None:
            return self.text.discovery()
        return Discovery(sandbox, Selection.of(self._settings))

    def pending_files(self, budget: Budget, folder: str = "") -> Iterator[str]:
        """Files that may not be indexed yet: those of the running refresh, else all files.

        Of a `folder` all files, by a walk of it alone.
        """
        if folder:
            visited = self.discovery().below(folder, budget)
            return (item.path for item in visited if not item.reason and item.key is not None)
        pending = self._write_turn.pending
        files = self.discovery().files(budget) if pending is None else pending
        return (file.path for file in files)

    @contextmanager
    def remembered(self) -> Iterator[WalkMemory | None]:
        """The memory of files of this process's last run, which stays as it is meanwhile.

        None while a run goes on, and before the first one.
        """
        with self._write_turn.idle() as is_idle:
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
        """Bring the index up to date; `force` reindexes every file.

        Changes of more than `most_parsed` files are indexed by words only. `wait_for_writer` waits
        for another process's lock until the budget is spent.
        """

        def work(run: Refresh) -> Counts:
            self.text.collect_garbage(_GRACE, _SPARE, wait=0.0)  # of runs that were killed
            return run.run(force=force, most_parsed=most_parsed)

        if self._source is not None and self.snapshot() is None:
            self._source.bring(self, budget, partial(self._write_turn.report, listener))
            listener.on_first_index()
        wait = None if wait_for_writer else _WRITER_WAIT
        return self._run(budget, work, listener, wait, engine)

    @contextmanager
    def replacing(self, budget: Budget) -> Iterator[Recipe]:
        """The recipe of all indexes, whose generations the caller may replace meanwhile."""
        with self._turn(budget), self._linking, raise_problems():
            self.text.drop_unusable()
            try:
                yield self._recipe
            finally:
                # what is remembered of files is of these files, whatever index is read
                self.text.latest = self.text.memory = None

    def published(self) -> RefreshResult | None:
        """The result of the running refresh so far, or None."""
        told = self._write_turn.published
        return told and self._refresh_result(*told, seconds=0.0)

    def refresh_paths(self, paths: Sequence[str], budget: Budget, *, deep: bool) -> RefreshResult:
        """Update single files, or their words only without `deep`; "folder/" is all below it."""
        return self._run(
            budget, lambda run: run.run_paths(paths, deep=deep), NOBODY, _WRITER_WAIT, None
        )

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
        damaged = False
        steps = 0
        with self._turn(budget), raise_problems():
            try:
                steps = self._merge(budget, full=full, free=free or full, stop=stop)
            except CorruptIndexError:  # damage in a part that only merging reads
                self.text.drop()
                damaged = True
        if damaged:
            self.refresh(budget, listener)
        steps += self._merge_derived(budget) if full else 0
        if self._source is not None and not stop():
            self._source.share(self, budget)
        return steps

    def _merge(self, budget: Budget, *, full: bool, free: bool, stop: Callable[[], bool]) -> int:
        self.untidy = False
        self._pool.retire_large()
        steps = self.text.merge(self._pool, budget, full=full, stop=stop)
        self.text.collect_garbage(0.0 if free else _GRACE, _SPARE)
        self.untidy |= stop()  # some merges may be left
        return steps

    def _merge_derived(self, budget: Budget) -> int:
        """Merge derived indexes in full, and free what they no longer need."""
        steps = 0
        with self._linking, raise_problems():
            for keeper in derived_of(self._recipe):
                with suppress(InvalidInputError, *UNUSABLE):  # made again by those who refresh it
                    steps += keeper.merge(self._linkers, budget, full=True)
                    keeper.collect_garbage(0.0, math.inf)
        return steps

    def graph(self, text: Snapshot | None = None) -> LinkedGraph:
        """The current generation of the graph, and whether it is of a text, or of that of now."""
        text, graph = text or self.snapshot(), self._graph_index()
        found = None if text is None or self._graph_damaged else graph.snapshot(text)
        if text is None or found is None:
            return LinkedGraph(None, current=False, notice=graph.notice)
        progress = GraphProgress.of(found)
        return LinkedGraph(found, progress.complete and progress.is_of(text), graph.notice)

    def link_on_demand(
        self,
        text: Snapshot,
        asked: QuestionFiles,
        seconds: float,
        budget: Budget,
        overlay: Overlay = MappingProxyType({}),
    ) -> LinkedNow | None:
        """A graph in memory of the files that are linked in so many seconds, and their number.

        None where that fails, or others are linked for so long: an answer does without. Files of
        the `overlay` are as that has them.
        """
        graph = self._graph_index()
        return self._ask_worker(
            lambda pool: graph.link_on_demand(text, asked, pool, seconds, budget, overlay),
            seconds,
            budget,
        )

    def expect_question(self, text: Snapshot | None) -> None:
        """Have the worker for questions start and load the linker while one is looked at."""

        def load(text: Snapshot) -> None:
            with suppress(Exception):  # the question meets it again
                budget = Budget(_START_SECONDS)
                self.link_on_demand(text, QuestionFiles(()), _START_SECONDS, budget)

        if text is not None:
            threading.Thread(target=load, args=(text,), daemon=True).start()

    def parse_on_demand(
        self,
        paths: Sequence[str],
        seconds: float,
        budget: Budget,
        overlay: Overlay = MappingProxyType({}),
    ) -> Mapping[str, ParsedNow]:
        """Facts of files as they are now, of as many as are parsed in so many seconds.

        Files of the `overlay` are as that has them.
        """
        from repo_mcp.indexing.workers.on_demand import parse_now  # noqa: PLC0415 rare

        found = self._ask_worker(
            lambda pool: parse_now(pool, paths, seconds, budget, overlay), seconds, budget
        )
        return found or {}

    def _ask_worker(
        self, ask: Callable[[JobRunner], T | None], seconds: float, budget: Budget
    ) -> T | None:
        """The answer of the worker for questions; None where that fails, or others take long."""
        # one worker at a time, for questions that come together
        if not self._linking_for_question.acquire(timeout=_TOGETHER * seconds):
            return None
        pool = self._question_linkers
        try:
            return ask(pool)
        except (IndexFormatError, Problem):
            budget.check()
            return None
        finally:
            self._linking_for_question.release()
            pool.shrink(_MOST_ASKED)

    def forget_graph_notice(self) -> None:
        """An answer has said why the graph was removed."""
        self._graph_index().take_notice()

    def report_graph_damage(self) -> None:
        """A query has met damage in the graph: it is not opened until it is linked again."""
        self._graph_index().note(IndexFault.DAMAGED)
        self._graph_damaged = True

    def imported(self) -> ScipChanges | None:
        """The part of imported indexes of SCIP that counts; None without any in the settings."""
        text = self.snapshot() if self.has_scip else None
        return None if text is None else self._graph_index().scip.changes(text)

    @property
    def has_scip(self) -> bool:
        """True if the settings name indexes of SCIP."""
        return bool(self._settings.scip)

    @property
    def scip(self) -> ScipKeeper:
        """The imported indexes of SCIP."""
        return self._graph_index().scip

    def read_scip(
        self, text: Snapshot, budget: Budget, on_progress: ProgressCallback = lambda _: None
    ) -> ScipIndex | None:
        """The imported indexes of this root, for a graph that is linked from several roots."""
        with self._linking, raise_problems():
            return self._graph_index().own_scip.prepare(text, budget, on_progress)

    @property
    def link_progress(self) -> Progress | None:
        """Progress of the running link, parsing before it included; None while none runs."""
        running = self._linked
        if running is None or not self._linking.locked():
            return None
        return replace(running, seconds=self._link_seconds())

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
        started = budget.clock()
        self._link_seconds = lambda: budget.clock() - started

        def progress(now: Progress) -> None:
            # of this phase, whose seconds are not those of the whole run
            done = now.size if now.all_size else now.files
            speed = done / now.seconds if now.speed is None and now.seconds else now.speed
            self._linked = replace(now, speed=speed)
            listener.on_progress(now)

        text, graph = self.snapshot(), self._graph_index()
        if self._graph_damaged:
            graph.drop()
            self._graph_damaged = False
        if text is None or not IndexProgress.of(text).deep or graph.is_current(text):
            return ()
        self._sandbox.check_root()
        self._linked = Progress("linking", 0, text.file_count, 0, 0, 0.0)
        pool = engine(self._linkers.recipe) if engine else self._linkers
        self.release_workers()
        graph.refresh(text, pool, budget, progress)
        for index in graph.parts:
            index.merge(pool, budget)
            index.collect_garbage(_GRACE, _SPARE)
        self._linkers.shrink()
        if "_question_linkers" in vars(self):  # the graph of all files answers from here on
            self._question_linkers.shrink()
        return graph.changed

    def refresh_code(
        self, text: Snapshot, budget: Budget, on_progress: ProgressCallback = lambda _: None
    ) -> CodeCounts:
        """Bring the index of code to this text, for a graph that is linked from several roots."""
        code = self._graph_index().code
        with self._linking, raise_problems():
            done = code.refresh(text, self._pool, self._linkers, budget, on_progress)
            self.release_workers()
            code.merge(self._linkers, budget)
            for keeper in code.keepers:
                keeper.collect_garbage(_GRACE, _SPARE)
            self._linkers.shrink()
        return done

    @property
    def code(self) -> CodeKeeper:
        """The index of code."""
        return self._graph_index().code

    @property
    def history(self) -> HistoryIndex:
        """The index of commits."""
        from repo_mcp.indexing.keep.history_index import HistoryIndex  # noqa: PLC0415 few ask it

        if self._history is None:
            most = self._settings.history_commits
            self._history = HistoryIndex(self._recipe, most, self._clock)
        return self._history

    @property
    def has_history(self) -> bool:
        """True if commits are indexed, maybe not all: reads the names of files alone."""
        if not self._settings.history_commits:
            return False
        return bool(self._recipe.store(HISTORY_INDEX, self._clock).names())

    def refresh_history(
        self, git: GitHistory, budget: Budget, on_progress: ProgressCallback = lambda _: None
    ) -> int:
        """Index the commits at HEAD and before it that are not there; returns how many."""
        if not self._settings.history_commits:
            return 0
        history = self.history
        with self._indexing_history, raise_problems():
            self._sandbox.check_root()
            self._prepare_data()
            done = history.refresh(git, self._historians, budget, on_progress)
            if done:
                history.merge(self._historians, budget)
                history.collect_garbage(_GRACE, _SPARE)
                self._historians.shrink()
        return done

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
            self._graph_index().drop_damaged(error)

    def _graph_index(self) -> GraphIndex:
        from code_graph.link import LINKER, VERSION  # noqa: PLC0415 most servers have no graph
        from repo_mcp.indexing.keep.graph_index import GraphIndex  # noqa: PLC0415 as above

        if self._graph is None:
            given = self._recipe, self._sandbox, self.languages, self._pool
            self._graph = GraphIndex(*given, LINKER, VERSION, self._clock)
        return self._graph

    def check(self) -> Iterator[Finding]:
        """Read and verify all indexes of the repository."""
        for keeper in keepers_of(self._recipe):
            yield from keeper.check()

    def derived(self) -> list[IndexSummary]:
        """The indexes on the disk that are made from the text index."""
        with raise_problems():
            return list(summarise(self._recipe, self.snapshot()))

    def disk_use(self) -> DiskUse:
        """The room that the indexes take on the disk."""
        with raise_problems():
            return disk_use(self._recipe)

    def dump(self, name: str | None, section: str | None, limit: int) -> Iterator[str]:
        """The content of an index file as text; without a name, the list of index files."""
        with raise_problems():
            yield from dump_files(self._recipe, name, section, limit)

    def repair(self, budget: Budget, listener: RunListener = NOBODY) -> RefreshResult:
        """Repair the index, then reindex the files that were lost.

        An index that is made from it is removed if it is damaged, and made again.
        """
        graph = self._graph_index()
        had_graph = graph.is_there
        with self._linking, raise_problems():
            for index in graph.parts:
                index.repair()
        with self._turn(budget), raise_problems():
            again = self.text.repair()
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
        with self._turn(budget), raise_problems():
            self.text.drop()
        return self.refresh(budget, listener, engine=engine)

    def take_notice(self) -> AnswerWarning | None:
        """Why an index was removed and rebuilt; each reason is given once."""
        return self.text.take_notice()

    def is_free(self, seconds: float) -> bool:
        """True if the write lock is free within this time, by the system's clock."""
        return _is_free(self._recipe.store(), seconds)

    def can_link(self, seconds: float) -> bool:
        """True if no other process is linking after this time."""
        return all(_is_free(keeper.store, seconds) for keeper in self._graph_index().parts)

    def release_workers(self) -> None:
        """Stop the workers that only an early next refresh would use."""
        if "_pool" in vars(self):
            self._pool.shrink()

    def close(self) -> None:
        """Stop all idle workers."""
        self._closed = True
        self._close_pools()
        self._folder.release()

    @contextmanager
    def _turn(self, budget: Budget) -> Iterator[None]:
        """Hold the writer's turn and a folder for the index.

        Waiting ends when the budget is cancelled or spent.
        """
        self.text.refuse_links()
        with self._write_turn.take(budget):
            self._sandbox.check_root()
            with raise_problems():
                self._prepare_data()
            if self._folder.claim():
                self._close_pools()
                for name in _POOLS:
                    vars(self).pop(name, None)
                self._use_folder()
                self.text.refuse_links()
            self._empty_forgotten()
            yield

    def _empty_forgotten(self) -> None:
        """Remove indexes with other settings that were not used for a week."""
        with self._folder.forgotten() as folders, suppress(IndexFormatError):
            for folder in folders:
                for keeper in keepers_of(Recipe.of(self._settings, folder)):
                    keeper.empty()
                memory_file.delete(folder)

    def _run(
        self,
        budget: Budget,
        work: Callable[[Refresh], Counts],
        listener: RunListener,
        wait: float | None,
        engine: JobEngine | None,
    ) -> RefreshResult:
        from repo_mcp.indexing.keep.refresh import RunContext  # noqa: PLC0415 not if nothing has changed

        started = time.monotonic()
        with self._turn(budget), raise_problems():
            text = self.text
            text.drop_unusable()
            self._keep_unfinished()
            before = None if text.memory is None else text.latest
            pool = engine(self._pool.recipe) if engine else self._pool
            context = RunContext(text, self._write_turn, pool, listener, wait, engine is not None)
            try:
                counts = self._attempt(work, budget, context)
            except CorruptIndexError:  # damage that only a full read finds
                text.drop()
                counts = self._attempt(work, budget, context)
            timestamp = current_time()
            text.latest = text.index.snapshot(text.latest)
            text.set_last_refresh(timestamp, time.monotonic() - started)
            self.untidy |= text.latest is not before
            # a request may be waiting for this run
            text.collect_garbage(_GRACE, _SPARE, wait=0.0)
        return self._refresh_result(counts, timestamp, seconds=time.monotonic() - started)

    def _attempt(
        self, work: Callable[[Refresh], Counts], budget: Budget, context: RunContext
    ) -> Counts:
        from repo_mcp.indexing.keep.refresh import Refresh  # noqa: PLC0415 as in `_run`

        text = self.text
        memory, text.memory = text.memory, None
        run = Refresh(context, budget, memory)
        try:
            counts = work(run)
        except DamagedBlocksError:
            text.forget()
            run = Refresh(context, budget)
            counts = work(run)
        text.memory = run.memory
        self.overtaken = run.overtaken
        if run.discarded:  # text that is denied now must not stay on the disk
            text.index.collect_garbage(grace_seconds=0)
        return counts

    def _keep_unfinished(self) -> None:
        """Before the first run of a process, keep what a first link of the graph goes on from."""
        text = self.snapshot() if self.text.memory is None else None
        if text is not None and has_unfinished_graph(self._recipe):
            self._graph_index().keep_unfinished(text)

    def _refresh_result(self, counts: Counts, timestamp: str, *, seconds: float) -> RefreshResult:
        found = self.snapshot()
        files = 0 if found is None else found.file_count
        return counts.to_result(files, timestamp, seconds, self._write_turn.waited)


def _is_free(store: Store, seconds: float) -> bool:
    try:
        with store.lock(seconds):
            return True
    except (OSError, IndexFormatError) as error:  # a refresh meets others and reports them
        return not isinstance(error, IndexBusyError)
