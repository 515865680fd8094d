"""The graph of one repository on disk, and how it follows the text index.

The caller serialises runs. A generation may be of an older text, or of a part of the files:
`GraphProgress` of a snapshot says so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import xxhash

from code_graph.model import CalledSignature
from code_graph.store.documents import VERSION
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from index_format import CorruptIndexError, Index, IndexFormatError, MemoryStore, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.code_index import CodeCounts, CodeIndex
from repo_mcp.indexing.keep.keeper import IndexKeeper
from repo_mcp.model import Progress, QuestionFiles
from repo_mcp.processes.pool import JobRunner
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import GRAPH_INDEX

if TYPE_CHECKING:  # an answer opens the graph, and links no file
    from code_graph import Languages
    from code_graph.scip.occurrences import ScipOccurrences
    from code_graph.scip.report import ScipChanges
    from code_graph.store.code_files import CodeFiles
    from code_graph.store.relink import EarlierTree, LinkCounts
    from code_graph.store.text_tree import TextTree
    from repo_mcp.indexing.keep.scip_import import ScipImport
    from repo_mcp.indexing.workers.on_demand import Overlay
    from repo_mcp.indexing.workers.pool import Pool


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
        self._sources = sources
        self.code = CodeIndex(recipe, languages, clock) if sources is None else sources.code
        self._sandbox = sandbox
        self._parsers = parsers
        self._linker = linker
        self._version = version
        # files that the last run found changed
        self.changed: Sequence[str] = ()
        # the tree of an unfinished first build
        self._earlier: EarlierTree | None = None

    @property
    def has_scip(self) -> bool:
        """True if the linker may get imported indexes."""
        return self._sources is not None or bool(self.recipe.scip)

    @property
    def scip(self) -> ScipKeeper:
        """The imported indexes."""
        return self.own_scip if self._sources is None else self._sources.scip

    @cached_property
    def own_scip(self) -> ScipImport:
        """The imported indexes of this root alone."""
        from repo_mcp.indexing.keep.scip_import import ScipImport  # noqa: PLC0415 few import indexes

        return ScipImport(self.recipe, self._sandbox)

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
        scip = self.scip.digest() if self.has_scip else ""
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
            link_tree,
            read_tree,
            with_linking,
        )

        scip = self.scip.prepare(text, budget, on_progress) if self.has_scip else None
        self.drop_unusable(self.signature(text))
        before = self.snapshot(text)
        is_first = before is None or not GraphProgress.of(before).complete
        parsing = with_linking(on_progress) if is_first else on_progress
        parsed = self.code.refresh(text, self._parsers, pool, budget, parsing)
        self._parsers.shrink()  # they hold memory, and link nothing
        self.changed = parsed.changed
        if not parsed.complete:
            return LinkCounts(0, 0, complete=False)
        # each name of a file is looked up in all segments
        self.code.merge(pool, budget)
        tree = read_tree(text, self._sandbox, self.code.files(text), scip)
        try:
            return link_tree(
                self,
                tree,
                self.signature(text),
                self._linker,
                pool,
                budget,
                on_progress,
                self._earlier,
            )
        finally:
            self._remember(text, tree)

    def keep_unfinished(self, text: Snapshot) -> None:
        """Keep the tree of a first build that another process began, before the text moves on.

        With imported indexes the build begins again, if files change before it is finished.
        """
        from repo_mcp.indexing.keep.graph_linking import read_tree  # noqa: PLC0415 as above

        if self._earlier is None and not (self.has_scip and self.scip.digest()):
            self._remember(text, read_tree(text, self._sandbox, self.code.files(text)))

    def _remember(self, text: Snapshot, tree: TextTree) -> None:
        """Keep the tree of an unfinished first build, with which the next run goes on."""
        from repo_mcp.indexing.keep.graph_linking import remember_tree  # noqa: PLC0415 as above

        found = self.snapshot(text)
        digest = "" if found is None else GraphProgress.of(found).tree
        if not digest:
            self._earlier = None
        elif digest == tree.digest():
            self._earlier = remember_tree(tree, self._linker)

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
