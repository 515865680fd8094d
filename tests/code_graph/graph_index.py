"""Graphs in memory: of Python files by the linker of tests, or of files as they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from code_graph.store.builder import GraphBuilder, LinkerFactory
from code_graph.store.code_files import CodeFiles
from code_graph.store.relink import EarlierTree, LinkCounts, LinkedPart, relink
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from code_graph.store.text_tree import TextTree
from index_format import Index, IndexMissingError, MemoryStore, Snapshot
from tests.code_graph.small_linker import link_with
from tests.code_graph.text_index import TextIndex


def tree_of(text: Snapshot) -> TextTree:
    """A text whose files have their code beside their facts."""
    return TextTree(text, None, CodeFiles(text, _is_python))


class GraphIndex:
    """A graph that follows a text index."""

    def __init__(self, linker: LinkerFactory = link_with, signature: str = "graph") -> None:
        self.store = MemoryStore()
        self.index = Index(self.store, GRAPH_SCHEMA)
        self.signature = signature
        self.linked: list[str] = []  # by the last run
        self.keeps_tree = True  # of a first build that has to end early
        self._linker = linker
        self._earlier: EarlierTree | None = None

    def refresh(
        self,
        text: Snapshot,
        *,
        part: int = 1000,
        most: int = 1 << 30,
        arrange: Callable[[list[Sequence[str]]], object] = lambda _: None,
    ) -> LinkCounts:
        """Follow the text; link so many files in a part, and so many files in all."""
        tree = tree_of(text)
        builder = GraphBuilder(self.store, tree, self._linker(tree))
        self.linked = []

        def link(paths: Sequence[str]) -> Iterator[LinkedPart]:
            parts = [paths[at : at + part] for at in range(0, len(paths), part)]
            arrange(parts)
            for chosen in parts:
                if len(self.linked) + len(chosen) > most:
                    return
                self.linked += chosen
                yield LinkedPart(chosen, builder.build(chosen))

        earlier = self._earlier if self.keeps_tree else None
        counts = relink(self.index, tree, self.signature, link, earlier=earlier)
        if self.generation() and GraphProgress.of(self.snapshot()).tree == tree.digest():
            linker = self._linker(tree)
            self._earlier = EarlierTree(
                tree, lambda path: dict(linker.link(path).exports) if tree.fingerprint(path) else {}
            )
        return counts

    def snapshot(self) -> Snapshot:
        return self.index.snapshot()

    def segments(self) -> dict[str, bytes]:
        """Bytes of all segments, after merging them as far as they can be."""
        self.index.compact(full=True)
        return {
            item.entry.name: bytes(self.store.open(item.entry.name).read(0, item.entry.length))
            for item in self.index.snapshot().segments
        }

    def generation(self) -> int:
        try:
            return self.snapshot().generation
        except IndexMissingError:
            return 0


def graph_of(files: Mapping[str, str]) -> GraphIndex:
    graph = GraphIndex()
    graph.refresh(TextIndex(files).snapshot())
    return graph


def _is_python(path: str) -> bool:
    return path.endswith(".py")
