"""Links the files of one tree, here or in workers, so that its graph follows the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from code_graph.scip.occurrences import ScipOccurrences
from code_graph.store.builder import GraphBuilder
from code_graph.store.code_files import CodeFiles
from code_graph.store.relink import EarlierTree, LinkCounts, LinkedPart, relink
from code_graph.store.text_tree import TextTree
from code_graph.tree import Linker
from index_format import IndexFormatError, Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.indexing.build.manifests import list_manifests, read_texts
from repo_mcp.indexing.keep.keeper import LOCK_WAIT, IndexKeeper
from repo_mcp.indexing.workers.linking import link_tasks, load_linker
from repo_mcp.model import Progress
from repo_mcp.processes.pool import JobRunner
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import GRAPH_INDEX

# a byte is linked in so many times the time in which it is parsed: 62 and 38 s of 65 MB
_LINKING: Final = 1.6
# up to so much is linked in this process: starting a worker takes longer
_IN_PROCESS_FILES: Final = 32
_IN_PROCESS_BYTES: Final = 256 << 10


def read_tree(
    text: Snapshot, sandbox: Sandbox, code: CodeFiles, scip: ScipOccurrences | None = None
) -> TextTree:
    """All that is linked, with the manifests as they are now."""
    return TextTree(text, read_texts(list_manifests(text), sandbox), code, scip)


def with_linking(on_progress: Callable[[Progress], None]) -> Callable[[Progress], None]:
    """Reports of parsing before a first graph: all that is parsed is linked afterwards."""
    return lambda now: on_progress(
        replace(now, following=_LINKING * (now.all_size or now.all_files))
    )


def remember_tree(tree: TextTree, linker: str) -> EarlierTree:
    """The tree of a first build, with which the next run goes on."""
    return EarlierTree(tree, EarlierExports(tree, linker).exports)


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


class LinkRun:
    """Links the files of one tree, here or in workers."""

    def __init__(
        self,
        keeper: IndexKeeper,
        tree: TextTree,
        linker: str,
        pool: JobRunner,
        budget: Budget,
        on_progress: Callable[[Progress], None],
    ) -> None:
        """The `keeper` is that of the graph; nothing is linked yet."""
        self._keeper = keeper
        self._tree = tree
        self._linker = linker
        self._pool = pool
        self._budget = budget
        self._on_progress = on_progress
        self._builder: GraphBuilder | None = None
        self._started = budget.clock()
        self._files = self._size_of_files = 0  # that are linked

    def follow(self, signature: str, earlier: EarlierTree | None) -> LinkCounts:
        """Let the graph follow the tree; `earlier` is that of an unfinished first build."""
        return relink(
            self._keeper.index,
            self._tree,
            signature,
            self.link,
            project_exports=self.project_exports,
            previous=self._keeper.latest,
            earlier=earlier,
            wait_seconds=LOCK_WAIT,
        )

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
            store = self._keeper.recipe.store(GRAPH_INDEX)
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
