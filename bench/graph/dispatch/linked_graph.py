"""The graph of a folder as questions see it, without a server: linked and stored in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from bench.graph.dispatch.records import Code
from bench.graph.folder import FolderTree
from code_graph import GraphLinker
from code_graph.facts import Declaration, Facts
from code_graph.model import Confidence, EdgeType
from code_graph.query.edges import EdgeFilter, edges_of_parts
from code_graph.query.model import FUNCTIONS, TYPES, PlacedEdge, Symbol
from code_graph.query.neighbours import incoming_edges, outgoing_edges, source_ids
from code_graph.query.overrides import overridden
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.documents import LinkedSource, make_documents
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from index_format import Index, MemoryStore, Vocabulary, build_segment
from index_format.analysis.counting import Analyser

_RUNS: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES), tuple(Confidence))
_DISPATCHED: Final = EdgeFilter((EdgeType.CALLS,), (Confidence.DISPATCH,))
_BASES: Final = EdgeFilter((EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS))
_WORD: Final = re.compile(r"[\w$]+")
_DEEPEST: Final = 12
_MAKING: Final = "__new__"
# kinds of declarations whose symbol is a value, though reading it runs code
_READ: Final = frozenset({"property", "getter", "setter", "accessor"})


class Span(NamedTuple):
    """A declared function or type with its lines."""

    symbol: Symbol
    declared: Declaration


class LinkedGraph:
    """Edges into functions, and the functions at lines."""

    def __init__(self, root: Path, languages: Iterable[str]) -> None:
        """Link all files of these languages below a folder."""
        tree = FolderTree(root, frozenset(languages))
        linker = GraphLinker(tree)
        self.paths = [*tree.paths()]
        sources = [
            LinkedSource(linker.link(path), tree.facts(path) or Facts(""), _lines(root / path))
            for path in self.paths
        ]
        vocabulary = Vocabulary()
        documents = make_documents(sources, Analyser(), vocabulary)
        store = MemoryStore()
        index = Index(store, GRAPH_SCHEMA, settings=GraphProgress("made", 1).to_settings())
        with index.writer() as writer:
            writer.adopt(build_segment(store, GRAPH_SCHEMA, documents, vocabulary))
            writer.commit()
        self.graph = GraphSnapshot(index.snapshot())
        self._root = root
        self._spans: dict[str, list[Span]] = {}
        self.lines = cache(self._read_lines)

    def is_written(self, name: str, path: str, lines: Iterable[int]) -> bool:
        """True if a name stands on one of these lines of a file."""
        texts = self.lines(path)
        return any(name in _WORD.findall(texts[at - 1]) for at in lines if at <= len(texts))

    def _read_lines(self, path: str) -> list[str]:
        return (self._root / path).read_text("utf-8", "replace").split("\n")

    def spans(self, path: str) -> list[Span]:
        """The functions and types of a file, outer ones first."""
        if path not in self._spans:
            found = [
                Span(symbol, declared)
                for symbol, declared in self.graph.outline(path)
                if declared is not None
                and (symbol.node_type in FUNCTIONS | TYPES or declared.kind in _READ)
            ]
            self._spans[path] = sorted(
                found, key=lambda span: (span.symbol.start_line, -span.symbol.end_line)
            )
        return self._spans[path]

    def around(self, path: str, line: int) -> Span | None:
        """The innermost function around a line; None outside of all.

        Its decorators are run by what is around it.
        """
        inside = [
            span
            for span in self.spans(path)
            if span.symbol.node_type not in TYPES
            and span.declared.name_line <= line <= span.symbol.end_line
        ]
        return inside[-1] if inside else None

    def function(self, code: Code) -> Span | None:
        """The declaration of a function that ran."""
        named = [
            span
            for span in self.spans(code.path)
            if span.declared.name == code.simple_name
            and span.symbol.start_line <= code.first <= span.symbol.end_line
        ]
        # one that begins at this very line, if several of the name are around it
        first = [span for span in named if span.symbol.start_line == code.first]
        return (first or named)[-1] if named else None

    def same(self, span: Span) -> list[int]:
        """The symbols of a function: of all its names, and in its file of declarations."""
        symbol, declared = span
        lines = symbol.start_line, symbol.end_line
        stem = re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", symbol.path)
        files = [symbol.path, f"{stem}.d.ts", f"{stem}.js"]
        return [
            other.id
            for path in dict.fromkeys(files)
            for other, also in self.spans(path)
            if other.node_type not in TYPES
            and (
                (other.start_line, other.end_line) == lines
                if path == symbol.path
                else also.name == declared.name
            )
        ]

    def holder(self, span: Span) -> Symbol | None:
        """The type that a method is declared in."""
        inside = [
            other.symbol
            for other in self.spans(span.symbol.path)
            if other.symbol.node_type in TYPES
            and other.symbol.encloses(span.symbol)
            and other.symbol.id != span.symbol.id
        ]
        return inside[-1] if inside else None

    def is_in_place_of(self, number: int, other: int) -> bool:
        """True if a member overrides another, or stands before it in a class that has both."""
        if other in overridden(self.graph, number):
            return True
        symbols = self.graph.symbol(number), self.graph.symbol(other)
        if None in symbols or len({item.simple_name for item in symbols if item}) > 1:
            return False
        holders = [
            {*self.with_subtypes(holder.id)}
            for item in symbols
            if item is not None
            and (span := self.function(Code(item.path, item.start_line, item.simple_name)))
            and (holder := self.holder(span))
        ]
        return len(holders) == len(symbols) and not holders[0].isdisjoint(holders[1])

    def makes(self, number: int, target: Symbol) -> bool:
        """True if a function makes the objects of a type: `__new__` of it or of a base."""
        made = self.graph.symbol(number)
        if made is None or made.simple_name != _MAKING or target.node_type not in TYPES:
            return False
        span = self.function(Code(made.path, made.start_line, made.simple_name))
        holder = None if span is None else self.holder(span)
        return holder is not None and target.id in self.with_subtypes(holder.id)

    def with_subtypes(self, number: int) -> list[int]:
        """A type and all that inherit from it."""
        found = {number: None}
        step = [number]
        for _ in range(_DEEPEST):
            step = [
                each
                for one in step
                for each in source_ids(self.graph, one, _BASES)
                if each not in found
            ]
            found.update(dict.fromkeys(step))
            if not step:
                break
        return [*found]

    def name(self, number: int) -> str:
        """The qualified name of a symbol."""
        found = self.graph.symbol(number)
        return "?" if found is None else found.qualified_name

    def edges_out_of(self, number: int, chosen: EdgeFilter) -> list[PlacedEdge]:
        """The stored edges of a function."""
        return [*edges_of_parts(self.graph, number, chosen)]

    def dispatched_from(self, number: int) -> Iterator[PlacedEdge]:
        """The calls of a function that may be of several, or by way of a library."""
        for edge in outgoing_edges(self.graph, number, _DISPATCHED):
            if edge.confidence == Confidence.DISPATCH:
                yield edge

    def edges_into(self, number: int) -> Iterator[PlacedEdge]:
        """Calls and other uses of a symbol, at every confidence."""
        return incoming_edges(self.graph, number, _RUNS)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") + 1
