"""The graph of one repository on disk, and how it follows the text index.

The caller serialises runs. A generation may be of an older text, or of a part of the files:
`GraphProgress` of a snapshot says so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import xxhash

from code_graph import Languages
from code_graph.model import CalledSignature
from code_graph.scip.occurrences import ScipOccurrences
from code_graph.scip.report import ScipChanges
from code_graph.store.builder import GraphBuilder
from code_graph.store.code_files import CodeFiles
from code_graph.store.documents import VERSION
from code_graph.store.relink import EarlierTree, LinkCounts, LinkedPart, relink
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from code_graph.store.text_tree import TextTree
from code_graph.tree import Linker
from index_format import CorruptIndexError, Index, IndexFormatError, MemoryStore, Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.manifests import list_manifests, read_texts
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.code_index import CodeCounts, CodeIndex
from repo_mcp.indexing.keep.keeper import LOCK_WAIT, IndexKeeper
from repo_mcp.indexing.keep.scip_import import ScipImport
from repo_mcp.indexing.workers.linking import link_tasks, load_linker
from repo_mcp.indexing.workers.pool import Pool
from repo_mcp.model import Progress, QuestionFiles
from repo_mcp.processes.pool import JobRunner
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import GRAPH_INDEX

if TYPE_CHECKING:  # few questions link files
    from repo_mcp.indexing.workers.on_demand import Overlay

# a byte is linked in so many times the time in which it is parsed: 62 and 38 s of 65 MB
_LINKING: Final = 1.6
# up to so much is linked in this process: starting a worker takes longer
_IN_PROCESS_FILES: Final = 32
_IN_PROCESS_BYTES: Final = 256 << 10


class LinkedNow(NamedTuple):
    """A graph in memory, the number of files that are linked, and which signatures calls call."""

    snapshot: Snapshot
    linked: int
    signatures: Mapping[str, Sequence[CalledSignature]]


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
    """The inputs of a graph beside the text: code, and imported indexes."""

    code: CodeKeeper
    scip: ScipKeeper


class GraphIndex(IndexKeeper):
    """The indexes of code and graph beside the text index of a recipe.

    `linker` names the function that makes the linker of a tree; `version` changes with what that
    gives for equal trees. `parsers` are workers for few files, which a refresh of the text has too.
    """

    def __init__(
        self,
        recipe: Recipe,
        sandbox: Sandbox,
        languages: Languages,
        parsers: Pool,
        linker: str,
        version: int,
        clock: Clock = time.monotonic,
        sources: GraphSources | None = None,
    ) -> None:
        """Keep the arguments; reads nothing. The `sources` of several roots are elsewhere."""
        super().__init__(recipe, GRAPH_INDEX, clock)
        self.own_scip = ScipImport(recipe, sandbox)
        if sources is None:
            sources = GraphSources(CodeIndex(recipe, languages, clock), self.own_scip)
        self.code, self.scip = sources
        self._sandbox = sandbox
        self._parsers = parsers
        self._linker = linker
        self._version = version
        # files that the last run found changed
        self.changed: Sequence[str] = ()
        # the tree of an unfinished first build
        self._earlier: EarlierTree | None = None

    def is_current(self, text: Snapshot) -> bool:
        """True if the graph is complete and of this generation of the text."""
        found = self.snapshot(text)
        if found is None:
            return False
        progress = GraphProgress.of(found)
        return progress.complete and progress.is_of(text)

    def signature(self, text: Snapshot) -> str:
        """A hash of everything that decides which symbols and edges files have."""
        parts = [self.code.signature(text), VERSION, self._linker, self._version]
        scip = self.scip.digest()
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
        scip = self.scip.prepare(text, budget, on_progress)
        self.drop_unusable(self.signature(text))
        first = self._before_linking(text, on_progress)
        parsed = self.code.refresh(text, self._parsers, pool, budget, first)
        self._parsers.shrink()  # they hold memory, and link nothing
        self.changed = parsed.changed
        if not parsed.complete:
            return LinkCounts(0, 0, complete=False)
        # each name of a file is looked up in all segments
        self.code.merge(pool, budget)
        manifests = read_texts(list_manifests(text), self._sandbox)
        tree = TextTree(text, manifests, self.code.files(text), scip)
        run = _LinkRun(self.recipe, self._linker, tree, pool, budget, on_progress)
        try:
            return relink(
                self.index,
                tree,
                self.signature(text),
                run.link,
                project_exports=run.project_exports,
                previous=self.latest,
                earlier=self._earlier,
                wait_seconds=LOCK_WAIT,
            )
        finally:
            self._remember(text, tree)

    def _before_linking(
        self, text: Snapshot, on_progress: Callable[[Progress], None]
    ) -> Callable[[Progress], None]:
        """Reports of parsing: before a first graph with the linking of all that is parsed."""
        found = self.snapshot(text)
        if found is not None and GraphProgress.of(found).complete:
            return on_progress
        return lambda now: on_progress(
            replace(now, following=_LINKING * (now.all_size or now.all_files))
        )

    def link_on_demand(
        self,
        text: Snapshot,
        asked: QuestionFiles,
        pool: JobRunner,
        seconds: float,
        budget: Budget,
        overlay: Overlay,
    ) -> LinkedNow | None:
        """A graph in memory of the files that are linked in so many seconds, and their number.

        None if a worker takes far longer. Nothing is read of the graph, and nothing is written.
        Files of the `overlay` are as that has them.
        """
        from repo_mcp.indexing.workers.on_demand import link_now  # noqa: PLC0415 rare

        given = pool, asked, self._linker, self.signature(text), self._stored_code(text)
        found = link_now(*given, seconds, budget, overlay)
        if found is None:
            return None
        snapshot = Index(MemoryStore(found.files), GRAPH_SCHEMA).snapshot()
        return LinkedNow(snapshot, found.linked, found.signatures)

    def _stored_code(self, text: Snapshot) -> int:
        """The generation of the code that a question may take over; 0 if it has to make all."""
        with suppress(IndexFormatError):
            return self.code.files(text).generation
        return 0

    @property
    def parts(self) -> Sequence[IndexKeeper]:
        """The indexes of code and graph."""
        return *self.code.keepers, self

    def drop_damaged(self, error: CorruptIndexError) -> None:
        """Remove that of the indexes in which damage was met, all if it is not known."""
        if error.file in self.store.names() or not self.code.drop_damaged(error.file):
            self.drop()

    def keep_unfinished(self, text: Snapshot) -> None:
        """Keep the tree of a first build that another process began, before the text moves on.

        With imported indexes the build begins again, if files change before it is finished.
        """
        if self._earlier is None and not self.scip.digest():
            manifests = read_texts(list_manifests(text), self._sandbox)
            self._remember(text, TextTree(text, manifests, self.code.files(text)))

    def _remember(self, text: Snapshot, tree: TextTree) -> None:
        """Keep the tree of an unfinished first build, with which the next run goes on."""
        found = self.snapshot(text)
        digest = "" if found is None else GraphProgress.of(found).tree
        if not digest:
            self._earlier = None
        elif digest == tree.digest():
            self._earlier = EarlierTree(tree, EarlierExports(tree, self._linker).exports)


class EarlierExports:
    """The exports of files of a tree, by linking them in this process."""

    def __init__(self, tree: TextTree, linker: str) -> None:
        """Nothing is linked yet."""
        self._tree = tree
        self._name = linker
        self._linker: Linker | None = None

    def exports(self, path: str) -> Mapping[int, int]:
        """The hash of each key that a file exports, as a worker gives it; none without a link."""
        if not self._tree.fingerprint(path):
            return {}
        if self._linker is None:
            self._linker = load_linker(self._name)(self._tree)
        try:
            return dict(self._linker.link(path).exports)
        except IndexFormatError:
            raise
        except Exception:  # noqa: BLE001 a failure costs one file's exports, here as there
            return {}


class _LinkRun:
    """Links the files of one tree, here or in workers."""

    def __init__(
        self,
        recipe: Recipe,
        linker: str,
        tree: TextTree,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._recipe = recipe
        self._linker = linker
        self._tree = tree
        self._pool = pool
        self._budget = budget
        self._on_progress = on_progress
        self._builder: GraphBuilder | None = None
        self._started = budget.clock()
        self._files = self._size_of_files = 0  # that are linked

    def link(self, paths: Sequence[str]) -> Iterator[LinkedPart]:
        """The files in parts; ends early when the budget is spent."""
        files = [(path, self._size(path)) for path in paths]
        size = sum(size for _, size in files)
        all_files, all_size = self._files + len(files), self._size_of_files + size
        if len(files) <= _IN_PROCESS_FILES and size <= _IN_PROCESS_BYTES:
            parts = self._link_here(paths)
        else:
            parts = self._link_in_workers(files)
        for part in parts:
            self._files += len(part.paths)
            self._size_of_files += sum(map(self._size, part.paths))
            seconds = self._budget.clock() - self._started
            self._on_progress(
                Progress("linking", self._files, all_files, self._size_of_files, all_size, seconds)
            )
            yield part

    def project_exports(self) -> Sequence[tuple[int, int]]:
        """The exports of the paths and manifests of the tree."""
        return self._loaded.project_exports()

    @cached_property
    def _loaded(self) -> Linker:
        return load_linker(self._linker)(self._tree)

    def _link_here(self, paths: Sequence[str]) -> Iterator[LinkedPart]:
        self._budget.check()
        if self._budget.spent or not paths:
            return
        if self._builder is None:
            store = self._recipe.store(GRAPH_INDEX)
            self._builder = GraphBuilder(store, self._tree, self._loaded)
        entry = self._builder.build(paths, at=lambda _: self._budget.check())
        yield LinkedPart(paths, entry)

    def _link_in_workers(self, files: Sequence[tuple[str, int]]) -> Iterator[LinkedPart]:
        scip = "" if self._tree.scip is None else self._tree.scip.digest
        tree = self._tree
        tasks = link_tasks(files, self._linker, tree.generations, scip, tree.digest())
        for _, result, is_last in self._pool.run(tasks, self._budget):
            if isinstance(result, LinkedPart):
                yield result
            elif is_last:  # another process has published a newer text
                return

    def _size(self, path: str) -> int:
        file = self._tree.snapshot.file(path)
        return 0 if file is None else file.size
