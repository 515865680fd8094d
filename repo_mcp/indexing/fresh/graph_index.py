"""The graph of one repository on disk, and how it follows the text index.

The caller serialises runs. What is published may be of an older text, or a part of the files:
`GraphProgress` of a snapshot says so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

import xxhash

from index_format import (
    CorruptIndexError,
    Index,
    IndexMissingError,
    InvalidInputError,
    SegmentEntry,
    Snapshot,
    UnsupportedVersionError,
)
from repo_mcp.budget import Budget, Clock
from repo_mcp.graph.index.builder import GraphBuilder
from repo_mcp.graph.index.documents import VERSION
from repo_mcp.graph.index.refresh import EarlierTree, LinkCounts, LinkedPart, refresh
from repo_mcp.graph.index.text_tree import TextTree
from repo_mcp.graph.tree import Linker
from repo_mcp.indexing.build.linking import link_tasks, load_linker
from repo_mcp.indexing.build.manifests import digest_of, list_manifests, read_texts
from repo_mcp.indexing.build.merging import compact
from repo_mcp.indexing.build.pool import Pool
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import GRAPH_SCHEMA, GraphProgress, IndexProgress

# up to so much is linked in this process: starting a worker takes longer
_IN_PROCESS_FILES: Final = 32
_IN_PROCESS_BYTES: Final = 256 << 10
_LOCK_WAIT: Final = 10.0
_UNUSABLE: Final = (CorruptIndexError, UnsupportedVersionError)


class GraphIndex:
    """The graph's index beside the text index of a recipe.

    `linker` names the function that makes the linker of a tree; `version` changes with what that
    gives for equal trees.
    """

    def __init__(
        self,
        recipe: Recipe,
        sandbox: Sandbox,
        linker: str,
        version: int,
        clock: Clock = time.monotonic,
    ) -> None:
        """Keep the arguments; reads nothing."""
        self._recipe = recipe
        self._sandbox = sandbox
        self._linker = linker
        self._version = version
        self._store = recipe.graph_store(clock)
        self._index = Index(self._store, GRAPH_SCHEMA)
        # whose segments the next generation shares
        self._latest: Snapshot | None = None
        # the tree of an unfinished first build
        self._earlier: EarlierTree | None = None
        # the segments of a text, and the hash of its manifests
        self._digest: tuple[tuple[SegmentEntry, ...], str] | None = None

    def snapshot(self, text: Snapshot) -> Snapshot | None:
        """The current generation, or None if there is none of the settings of this text."""
        try:
            found = self._index.snapshot(self._latest)
        except (IndexMissingError, *_UNUSABLE):
            return None
        if not self._fits(found, text):
            return None
        self._latest = found
        return found

    def is_current(self, text: Snapshot) -> bool:
        """Whether the graph is complete and of this generation of the text."""
        found = self.snapshot(text)
        if found is None:
            return False
        progress = GraphProgress.of(found)
        return progress.text == text.generation and progress.complete

    def signature(self, text: Snapshot) -> str:
        """A hash of everything that decides which symbols and edges files have."""
        parts = [IndexProgress.of(text).signature, VERSION, self._linker, self._version]
        parts.append(self._manifest_digest(text))
        return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())

    def _manifest_digest(self, text: Snapshot) -> str:
        """A hash of the manifests: where imports lead depends on all of them."""
        if self._digest is None or self._digest[0] != text.manifest.segments:
            self._digest = text.manifest.segments, digest_of(list_manifests(text))
        return self._digest[1]

    def refresh(
        self,
        text: Snapshot,
        pool: Pool,
        budget: Budget,
        on_progress: Callable[[int], None] = lambda _: None,
    ) -> LinkCounts:
        """Follow the text, whose facts should be complete; files without facts are no part of it.

        `on_progress` is called with the number of files linked so far. When the budget is spent
        the rest is left to the next run.
        """
        self._drop_unusable(text)
        tree = TextTree(text, read_texts(list_manifests(text), self._sandbox))
        run = _LinkRun(self._recipe, self._linker, tree, pool, budget, on_progress)
        try:
            counts = refresh(
                self._index,
                tree,
                self.signature(text),
                run.link,
                previous=self._latest,
                earlier=self._earlier,
                wait_seconds=_LOCK_WAIT,
            )
        except CorruptIndexError:
            self._drop()
            raise
        finally:
            self._remember(text, tree)
        return counts

    def tidy(self, pool: Pool, budget: Budget, *, full: bool = False) -> int:
        """Merge segments where that pays; returns the number of merges."""
        try:
            return compact(self._index, pool, budget, full=full)
        except IndexMissingError:
            return 0
        except CorruptIndexError:
            self._drop()
            return 0

    def collect_garbage(self, grace_seconds: float, spare: float) -> None:
        """Remove files that no generation in use needs."""
        with suppress(IndexMissingError):  # a first run may have ended before anything was linked
            self._index.collect_garbage(grace_seconds=grace_seconds, spare=spare)

    def _remember(self, text: Snapshot, tree: TextTree) -> None:
        """Keep the tree of an unfinished first build, with which the next run goes on."""
        found = self.snapshot(text)
        digest = "" if found is None else GraphProgress.of(found).tree
        if not digest:
            self._earlier = None
        elif digest == tree.digest():
            self._earlier = EarlierTree(tree, EarlierOffers(tree, self._linker).offers)

    def _fits(self, found: Snapshot, text: Snapshot) -> bool:
        if found.schema != GRAPH_SCHEMA:
            return False
        return GraphProgress.of(found).signature == self.signature(text)

    def _drop_unusable(self, text: Snapshot) -> None:
        """Remove a graph that is damaged, was not made here, or has other settings.

        What only other settings allow must not stay on the disk.
        """
        try:
            if self._fits(self._index.snapshot(self._latest), text):
                return
        except IndexMissingError:
            return
        except (*_UNUSABLE, InvalidInputError):
            pass
        self._drop()

    def _drop(self) -> None:
        with self._store.lock(_LOCK_WAIT):
            self._latest = None
            for name in self._store.names():
                self._store.remove(name)


class EarlierOffers:
    """What files of a tree answer, by linking them in this process."""

    def __init__(self, tree: TextTree, linker: str) -> None:
        """Nothing is linked yet."""
        self._tree = tree
        self._name = linker
        self._linker: Linker | None = None

    def offers(self, path: str) -> Mapping[int, int]:
        """The answers of a file; none if it can't be linked, as a worker gives it."""
        if not self._tree.fingerprint(path):
            return {}
        if self._linker is None:
            self._linker = load_linker(self._name)(self._tree)
        with suppress(Exception):  # a failure costs one file's answers, here as there
            return dict(self._linker.link(path).offers)
        return {}


class _LinkRun:
    """Links the files of one tree, here or in workers."""

    def __init__(
        self,
        recipe: Recipe,
        linker: str,
        tree: TextTree,
        pool: Pool,
        budget: Budget,
        on_progress: Callable[[int], None],
    ) -> None:
        self._recipe = recipe
        self._linker = linker
        self._tree = tree
        self._pool = pool
        self._budget = budget
        self._on_progress = on_progress
        self._builder: GraphBuilder | None = None
        self._linked = 0

    def link(self, paths: Sequence[str]) -> Iterator[LinkedPart]:
        """The files in parts; ends early when the budget is spent."""
        files = [(path, self._size(path)) for path in paths]
        size = sum(size for _, size in files)
        if len(files) <= _IN_PROCESS_FILES and size <= _IN_PROCESS_BYTES:
            parts = self._link_here(paths)
        else:
            parts = self._link_in_workers(files)
        for part in parts:
            self._linked += len(part.paths)
            self._on_progress(self._linked)
            yield part

    def _link_here(self, paths: Sequence[str]) -> Iterator[LinkedPart]:
        self._budget.check()
        if self._budget.spent or not paths:
            return
        if self._builder is None:
            linker = load_linker(self._linker)(self._tree)
            self._builder = GraphBuilder(self._recipe.graph_store(), self._tree, linker)
        entry = self._builder.build(paths, at=lambda _: self._budget.check())
        yield LinkedPart(paths, entry)

    def _link_in_workers(self, files: Sequence[tuple[str, int]]) -> Iterator[LinkedPart]:
        tasks = link_tasks(files, self._linker, self._tree.snapshot.generation)
        for _, result, is_last in self._pool.run(tasks, self._budget):
            if isinstance(result, LinkedPart):
                yield result
            elif is_last:  # another process has published a newer text
                return

    def _size(self, path: str) -> int:
        file = self._tree.snapshot.file(path)
        return 0 if file is None else file.size
