"""Graphs of linked files as tests describe them, without any text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import xxhash

from code_graph.facts import MODULE, Declaration, Facts
from code_graph.language_table import language_named
from code_graph.link.linker import GraphLinker
from code_graph.link.source_tree import SourceTree
from code_graph.model import (
    FILE,
    EdgeType,
    ExternalUse,
    GraphEdge,
    LinkedFile,
    LinkedSymbol,
    Strategy,
    UnresolvedUse,
)
from code_graph.query.model import Symbol
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.documents import LinkedSource, make_documents
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from index_format import Index, MemoryStore, Vocabulary, build_segment
from index_format.analysis.counting import Analyser


def id_of(qualified: str) -> int:
    return xxhash.xxh3_64_intdigest(qualified.encode("utf-8", "surrogatepass"))


@dataclass
class FileDraft:
    """A file to be: declarations are added with their edges."""

    path: str
    project: str = ""
    language: str = "python"
    declarations: list[Declaration] = field(default_factory=list)
    symbols: list[LinkedSymbol] = field(default_factory=list)
    edges: list[GraphEdge] = field(default_factory=list)
    external: list[ExternalUse] = field(default_factory=list)
    unresolved: list[UnresolvedUse] = field(default_factory=list)
    is_complete: bool = True

    def __post_init__(self) -> None:
        self.symbols.append(LinkedSymbol(FILE, id_of(self.path), self.path, "file"))

    def declare(
        self,
        qualified: str,
        node_type: str = "function",
        *,
        public: bool = False,
        primary: bool = True,
        parent: int = MODULE,
        modifiers: frozenset[str] = frozenset(),
    ) -> FileDraft:
        number = len(self.declarations)
        line = 10 * number + 1
        name = qualified.rpartition(language_named(self.language).separator)[2]
        kind = node_type
        signature = f"def {name}()"
        self.declarations.append(
            Declaration(kind, name, line, line + 9, line, 4, parent, signature, modifiers=modifiers)
        )
        self.symbols.append(
            LinkedSymbol(number, id_of(qualified), qualified, node_type, public, primary)
        )
        return self

    def edge(
        self,
        target: str,
        kind: EdgeType = EdgeType.CALLS,
        strategy: Strategy = Strategy.SCOPE,
        *,
        at: tuple[int, int] | None = None,
        source: int | None = None,
    ) -> FileDraft:
        """An edge of the last declaration."""
        number = len(self.declarations) - 1 if source is None else source
        line, column = at or (10 * max(number, 0) + 2, 0)
        self.edges.append(GraphEdge(number, id_of(target), kind, strategy, line, column))
        return self

    def outside(self, name: str, kind: EdgeType = EdgeType.CALLS) -> FileDraft:
        number = len(self.declarations) - 1
        self.external.append(ExternalUse(number, name, kind, 10 * max(number, 0) + 3, 0))
        return self

    def unknown(self, name: str, kind: EdgeType = EdgeType.CALLS) -> FileDraft:
        number = len(self.declarations) - 1
        self.unresolved.append(UnresolvedUse(number, name, kind, 10 * max(number, 0) + 4, 0))
        return self

    def source(self) -> LinkedSource:
        linked = LinkedFile(
            self.path,
            xxhash.xxh3_128_digest(repr(self).encode()),
            self.project,
            self.language,
            self.symbols,
            self.edges,
            self.external,
            self.unresolved,
            is_complete=self.is_complete,
        )
        facts = Facts(self.language, declarations=tuple(self.declarations))
        return LinkedSource(linked, facts, 10 * len(self.declarations) + 10)


def graph_of_texts(texts: dict[str, str]) -> GraphSnapshot:
    """The graph of files, linked as a repository's are."""
    tree = SourceTree(texts)
    linker = GraphLinker(tree)
    return _written(
        [
            LinkedSource(linker.link(path), tree.facts(path) or Facts(""), text.count("\n"))
            for path, text in texts.items()
        ]
    )


def symbol_named(graph: GraphSnapshot, name: str) -> Symbol:
    """The only symbol of a qualified name."""
    (found,) = graph.lookup(name, 2)
    return found


def graph_of(*generations: Sequence[FileDraft]) -> GraphSnapshot:
    """The graph after each of these was written over those before."""
    return _written(*([file.source() for file in files] for files in generations))


def _written(*generations: Sequence[LinkedSource]) -> GraphSnapshot:
    store = MemoryStore()
    index = Index(store, GRAPH_SCHEMA, settings=GraphProgress("test", 1).to_settings())
    analyser = Analyser()
    for sources in generations:
        vocabulary = Vocabulary()
        documents = make_documents(sources, analyser, vocabulary)
        with index.writer() as writer:
            writer.adopt(build_segment(store, GRAPH_SCHEMA, documents, vocabulary))
            writer.commit()
    return GraphSnapshot(index.snapshot())
