"""The graph of one repository on disk, and how it follows the text index.

The caller serialises runs. A generation may be of an older text, or of a part of the files:
`GraphProgress` of a snapshot says so.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import xxhash

from code_graph.store.schema import VERSION, GraphProgress
from index_format import CorruptIndexError, IndexFormatError, Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.code_index import CodeCounts, CodeIndex
from repo_mcp.indexing.keep.keeper import (
    GRACE,
    SPARE,
    IndexFault,
    IndexKeeper,
    JobEngine,
    LinkedGraph,
    raise_problems,
)
from repo_mcp.indexing.keep.pools import Pools, PoolUse
from repo_mcp.model import Progress
from repo_mcp.processes.pool import JobRunner
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import GRAPH_INDEX, IndexProgress

if TYPE_CHECKING:  # an answer opens the graph, and links no file
    from code_graph import Languages
    from code_graph.scip.occurrences import ScipOccurrences
    from code_graph.scip.report import ScipChanges
    from code_graph.store.code_files import CodeFiles
    from code_graph.store.relink import EarlierTree, LinkCounts
    from code_graph.store.text_tree import TextTree


class CodeKeeper(Protocol):
    """The index of code that a graph is linked from, or those of several roots as one."""

    @property
    def keepers(self) -> Sequence[IndexKeeper]:
        """The indexes that are merged and repaired with the graph."""
        ...

    def drop_damaged(self, file: str) -> bool:
        """Remove the index that has this file, each if it is not known; False if none may."""
        ...

    def signature(self, text: Snapshot) -> str:
        """A hash of everything that decides which code files have."""
        ...

    def files(self, text: Snapshot) -> CodeFiles:
        """The code of the current generation."""
        ...

    def refresh(
        self,
        text: Snapshot,
        parsers: JobRunner,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None],
        /,
    ) -> CodeCounts:
        """Parse what has changed since this text."""
        ...

    def merge(self, pool: JobRunner, budget: Budget, /) -> int:
        """Merge segments where that pays."""
        ...


class ScipKeeper(Protocol):
    """The imported indexes of a repository, or those of several roots as one."""

    def digest(self) -> str:
        """A hash of what the linker gets; empty without an index in the settings."""
        ...

    def prepare(
        self, text: Snapshot, budget: Budget, on_progress: Callable[[Progress], None], /
    ) -> ScipOccurrences | None:
        """The indexes for the linker; reads those that have changed since the last time."""
        ...

    def changes(self, text: Snapshot) -> ScipChanges:
        """The part that counts for the files of a text, as far as fingerprints tell."""
        ...


class GraphSources(NamedTuple):
    """The inputs of a graph beside the text: code, and imported indexes, if there may be any."""

    code: CodeKeeper
    scip: ScipKeeper | None


def sources_of(
    recipe: Recipe, sandbox: Sandbox, languages: Languages, clock: Clock = time.monotonic
) -> GraphSources:
    """The inputs of the graph of one root."""
    code = CodeIndex(recipe, languages, clock)
    if not recipe.scip:
        return GraphSources(code, None)
    from repo_mcp.indexing.keep.scip_import import ScipImport  # noqa: PLC0415 few import indexes

    return GraphSources(code, ScipImport(recipe, sandbox))


class GraphIndex(IndexKeeper):
    """The indexes of code and graph beside the text index of a recipe.

    `linker` names the function that makes the linker of a tree; `version` changes with what that
    gives for equal trees. Who holds the lock `linking` may change them.
    """

    def __init__(
        self,
        recipe: Recipe,
        sandbox: Sandbox,
        sources: GraphSources,
        pools: Pools,
        linking: threading.Lock,
        linker: str,
        version: int,
        clock: Clock = time.monotonic,
    ) -> None:
        """Keep the arguments; reads nothing."""
        super().__init__(recipe, GRAPH_INDEX, clock)
        self.code, self.scip = sources
        self.linker = linker
        self._sandbox = sandbox
        self._pools = pools
        self._linking = linking
        self._version = version
        # files that the last run found changed
        self.changed: Sequence[str] = ()
        # the tree of an unfinished first build
        self._earlier: EarlierTree | None = None
        self._is_damaged = False  # a query has met damage
        self._running: Progress | None = None
        self._seconds: Callable[[], float] = float

    @property
    def scip_digest(self) -> str:
        """A hash of the imported indexes; empty without any."""
        return "" if self.scip is None else self.scip.digest()

    def scip_changes(self, text: Snapshot) -> ScipChanges | None:
        """The part of imported indexes that counts for the files of a text; None without any."""
        return None if self.scip is None else self.scip.changes(text)

    @property
    def progress(self) -> Progress | None:
        """Progress of the running link, parsing before it included; None while none runs."""
        running = self._running
        if running is None or not self._linking.locked():
            return None
        return replace(running, seconds=self._seconds())

    def linked(self, text: Snapshot | None) -> LinkedGraph:
        """The current generation, and whether it is complete and of this text."""
        graph = None if text is None or self._is_damaged else self.snapshot(text)
        if text is None or graph is None:
            return LinkedGraph(None, current=False, notice=self.notice)
        progress = GraphProgress.of(graph)
        return LinkedGraph(graph, progress.complete and progress.is_of(text), self.notice)

    def report_damage(self) -> None:
        """A query has met damage: the graph is not opened until it is linked again."""
        self.note(IndexFault.DAMAGED)
        self._is_damaged = True

    def follow(
        self,
        text: Snapshot | None,
        budget: Budget,
        on_progress: Callable[[Progress], None],
        engine: JobEngine | None,
    ) -> Sequence[str]:
        """Link what this text needs, and merge, under the lock.

        Returns files that have changed and were not refreshed yet, which has to come first.
        """
        started = budget.clock()
        self._seconds = lambda: budget.clock() - started

        def progress(now: Progress) -> None:
            # of this phase, whose seconds are not those of the whole run
            done = now.size if now.all_size else now.files
            speed = done / now.seconds if now.speed is None and now.seconds else now.speed
            self._running = replace(now, speed=speed)
            on_progress(now)

        if self._is_damaged:
            self.drop()
            self._is_damaged = False
        if text is None or not IndexProgress.of(text).deep or self.linked(text).current:
            return ()
        self._sandbox.check_root()
        self._running = Progress("linking", 0, text.file_count, 0, 0, 0.0)
        linkers = self._pools[PoolUse.LINKING]
        pool = engine(linkers.recipe) if engine else linkers
        self._pools.shrink(PoolUse.INDEXING)
        self.refresh(text, pool, budget, progress)
        for index in self.parts:
            index.merge(pool, budget)
            index.collect_garbage(GRACE, SPARE)
        linkers.shrink()
        self._pools.shrink(PoolUse.QUESTIONS)  # the graph of all files answers from here on
        return self.changed

    def refresh_code(
        self, text: Snapshot, budget: Budget, on_progress: Callable[[Progress], None]
    ) -> CodeCounts:
        """Bring the code alone to this text, for a graph that is linked from several roots."""
        linkers = self._pools[PoolUse.LINKING]
        with self._linking, raise_problems():
            done = self.code.refresh(
                text, self._pools[PoolUse.INDEXING], linkers, budget, on_progress
            )
            self._pools.shrink(PoolUse.INDEXING)
            self.code.merge(linkers, budget)
            for keeper in self.code.keepers:
                keeper.collect_garbage(GRACE, SPARE)
            linkers.shrink()
        return done

    def read_scip(
        self, text: Snapshot, budget: Budget, on_progress: Callable[[Progress], None]
    ) -> ScipOccurrences | None:
        """The imported indexes alone, for a graph that is linked from several roots."""
        with self._linking, raise_problems():
            return None if self.scip is None else self.scip.prepare(text, budget, on_progress)

    def signature(self, text: Snapshot) -> str:
        """A hash of everything that decides which symbols and edges files have."""
        parts = [self.code.signature(text), VERSION, self.linker, self._version]
        scip = self.scip_digest
        parts += [scip] if scip else []
        return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())

    def signature_of(self, found: Snapshot) -> str:
        """The signature that a generation was made with."""
        return GraphProgress.of(found).signature

    def snapshot(self, text: Snapshot) -> Snapshot | None:
        """The current generation, or None if there is none of the settings of this text."""
        return self.open(self.signature(text))

    def refresh(
        self,
        text: Snapshot,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> LinkCounts:
        """Follow the text, whose facts should be complete; files without facts are no part of it.

        `on_progress` is told of the files parsed, then of those linked so far and of all that are
        known to be. When the budget is spent the rest is left to the next run. Files that are not
        as the text index has them are linked without their code, and stand in `changed`: they are
        to be refreshed, and linked again.
        """
        try:
            return self._refresh(text, pool, budget, on_progress)
        except CorruptIndexError as error:  # damage in a part that only linking reads
            if error.file in {entry.name for entry in text.manifest.segments}:
                raise
            self.drop_damaged(error)
            return self._refresh(text, pool, budget, on_progress)

    def _refresh(
        self,
        text: Snapshot,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None],
    ) -> LinkCounts:
        from code_graph.store.relink import LinkCounts  # noqa: PLC0415 answers link nothing
        from repo_mcp.indexing.keep.graph_linking import (  # noqa: PLC0415 as above
            LinkRun,
            read_tree,
            with_linking,
        )

        scip = None if self.scip is None else self.scip.prepare(text, budget, on_progress)
        self.drop_unusable(self.signature(text))
        before = self.snapshot(text)
        is_first = before is None or not GraphProgress.of(before).complete
        parsing = with_linking(on_progress) if is_first else on_progress
        parsers = self._pools[PoolUse.INDEXING]
        parsed = self.code.refresh(text, parsers, pool, budget, parsing)
        parsers.shrink()  # they hold memory, and link nothing
        self.changed = parsed.changed
        if not parsed.complete:
            return LinkCounts(0, 0, complete=False)
        # each name of a file is looked up in all segments
        self.code.merge(pool, budget)
        tree = read_tree(text, self._sandbox, self.code.files(text), scip)
        run = LinkRun(self, tree, self.linker, pool, budget, on_progress)
        try:
            return run.follow(self.signature(text), self._earlier)
        finally:
            self._remember(text, tree)

    def keep_unfinished(self, text: Snapshot) -> None:
        """Keep the tree of a first build that another process began, before the text moves on.

        With imported indexes the build begins again, if files change before it is finished.
        """
        from repo_mcp.indexing.keep.graph_linking import read_tree  # noqa: PLC0415 as above

        if self._earlier is None and not self.scip_digest:
            self._remember(text, read_tree(text, self._sandbox, self.code.files(text)))

    def _remember(self, text: Snapshot, tree: TextTree) -> None:
        """Keep the tree of an unfinished first build, with which the next run goes on."""
        from repo_mcp.indexing.keep.graph_linking import remember_tree  # noqa: PLC0415 as above

        found = self.snapshot(text)
        digest = "" if found is None else GraphProgress.of(found).tree
        if not digest:
            self._earlier = None
        elif digest == tree.digest():
            self._earlier = remember_tree(tree, self.linker)

    def stored_code(self, text: Snapshot) -> int:
        """The generation of the code that a question may take over; 0 if it has to make all."""
        with suppress(IndexFormatError):
            return self.code.files(text).generation
        return 0

    def can_link(self, seconds: float) -> bool:
        """True if no other process is linking after this time."""
        return all(keeper.is_free(seconds) for keeper in self.parts)

    @property
    def parts(self) -> Sequence[IndexKeeper]:
        """The indexes of code and graph."""
        return *self.code.keepers, self

    def drop_damaged(self, error: CorruptIndexError) -> None:
        """Remove that of the indexes in which damage was met, all if it is not known."""
        if error.file in self.store.names() or not self.code.drop_damaged(error.file):
            self.drop()
