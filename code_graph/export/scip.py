"""Writes the graph as an index of SCIP: one document after the other, in the order of paths.

What edges and declarations do not have comes from the text of the file: where a name ends. An
occurrence is written only where the text names its symbol, as the symbol or an import calls it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import quote

from code_graph.export.scip_symbols import SymbolNames
from code_graph.facts import Declaration, Facts
from code_graph.language_table import language_named
from code_graph.model import FILE, EdgeType
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot
from code_graph.scip import messages as field_of
from code_graph.scip.wire import write_bytes, write_number, write_numbers, write_text
from code_graph.store.schema import PROJECT_EXPORTS_PATH
from code_graph.store.terms import last_name
from index_format.records import Record, field
from index_format.tuples import NamedTuple

_TOKEN: Final = re.compile(r"[#~@]?[\w$]+")
_IMPLEMENTING: Final = frozenset(
    {EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.OVERRIDES}
)
# edges without a place where the target is named
_UNNAMED: Final = frozenset({EdgeType.CONTAINS, EdgeType.OVERRIDES})
# of other edges it is not known whether they read or write
_ROLES: Final = {EdgeType.IMPORTS: field_of.IMPORT, EdgeType.CALLS: field_of.READ}
_ANY: Final = EdgeFilter()

# the text of a file if it is as it was linked, or None
TextOf = Callable[[str], str | None]
FactsOf = Callable[[str], Facts | None]


class ExportCounts(Record, frozen=False):
    """Numbers of symbols written and left out."""

    documents: int = 0
    definitions: int = 0
    references: int = 0
    # places of edges at which the text does not name the target
    unnamed: int = 0
    # files that have changed since they were linked, or can't be read
    left_out: list[str] = field(factory=list)


class _Place(NamedTuple):
    """The range of an occurrence: line from 0, columns in characters."""

    line: int
    begin: int
    end: int


class Exporter:
    """Writes one index."""

    def __init__(
        self,
        graph: GraphSnapshot,
        names: SymbolNames,
        text_of: TextOf,
        facts_of: FactsOf,
    ) -> None:
        """Nothing is read yet."""
        self.counts = ExportCounts()
        self._graph = graph
        self._names = names
        self._text_of = text_of
        self._facts_of = facts_of
        self._external: set[str] = set()

    def write(self, put: Callable[[bytes], object], version: str, root: str) -> ExportCounts:
        """Write the whole index in pieces; `root` is the full path of the repository."""
        put(_metadata(version, root))
        for path in sorted({*self._graph.snapshot.paths()} - {PROJECT_EXPORTS_PATH}):
            document = self._document(path)
            if document is not None:
                put(write_bytes(field_of.DOCUMENTS, document))
        for name in sorted(self._external):
            info = write_text(field_of.INFO_SYMBOL, self._names.external(name))
            info += write_text(field_of.DISPLAY_NAME, last_name(name))
            put(write_bytes(field_of.EXTERNAL_SYMBOLS, info))
        return self.counts

    def _document(self, path: str) -> bytes | None:
        rows = self._graph.outline(path)
        language = language_named(rows[0][0].language).scip if rows else ""
        if not language:
            return None
        text = self._text_of(path)
        if text is None:
            self.counts.left_out.append(path)
            return None
        file = _Document(rows, text.split("\n"), self._names.of_file(path), self._facts_of(path))
        edges = [*edges_of_rows(self._graph, path, _ANY)]
        self.counts.documents += 1
        parts = [write_text(field_of.PATH, path)]
        parts += self._occurrences(file, edges)
        parts += self._infos(file, edges, language)
        parts.append(write_text(field_of.LANGUAGE, language))
        parts.append(write_number(field_of.POSITIONS, field_of.CHARACTERS))
        return b"".join(parts)

    def _occurrences(self, file: _Document, edges: Sequence[PlacedEdge]) -> Iterator[bytes]:
        found: dict[tuple[_Place, str], int] = {}
        enclosing: dict[tuple[_Place, str], Sequence[int]] = {}
        for at, symbol, span in file.definitions():
            found[at, symbol] = field_of.DEFINITION
            enclosing[at, symbol] = span
        self.counts.definitions += len(found)
        for edge in edges:
            if edge.type in _UNNAMED or edge.is_of_module:
                continue
            symbol, place = self._symbol(edge), self._named(file, edge)
            if not symbol or place is None:
                self.counts.unnamed += 1
                continue
            key = place, symbol
            if key not in found:
                self.counts.references += 1
            found[key] = found.get(key, 0) | _ROLES.get(edge.type, 0)
            if edge.external:
                self._external.add(edge.external)
        for (place, symbol), roles in sorted(found.items()):
            message = write_numbers(field_of.RANGE, place)
            message += write_text(field_of.SYMBOL, symbol)
            message += write_number(field_of.ROLES, roles)
            message += write_numbers(field_of.ENCLOSING, enclosing.get((place, symbol), ()))
            yield write_bytes(field_of.OCCURRENCES, message)

    def _symbol(self, edge: PlacedEdge) -> str:
        if edge.external:
            return self._names.external(edge.external)
        return self._names.of_id(edge.target)

    def _named(self, file: _Document, edge: PlacedEdge) -> _Place | None:
        """The place of an edge if the text names the target there."""
        place = file.token(edge.line, edge.column)
        if place is None:
            return None
        word = file.text_at(place)
        if edge.external:
            named = word == last_name(edge.external)
            return place if named or word in file.aliases else None
        target = self._graph.symbol(edge.target)
        if target is None:
            return None
        is_named = word == target.name or word in file.aliases or target.declaration == FILE
        if target.node_type == "constructor":
            is_named |= word == target.qualified_name.rpartition(".")[0].rpartition(".")[2]
        return place if is_named else None

    def _infos(
        self, file: _Document, edges: Sequence[PlacedEdge], language: str
    ) -> Iterator[bytes]:
        related: dict[str, set[str]] = {}
        for edge in edges:
            if edge.type in _IMPLEMENTING:
                own = file.symbol_of.get(edge.source, "")
                symbol = self._symbol(edge)
                if symbol and own and symbol != own:
                    related.setdefault(own, set()).add(symbol)
                    if edge.external:
                        self._external.add(edge.external)
        for info in file.infos(related, language):
            yield write_bytes(field_of.SYMBOLS, info)


class _Document:
    """One file: its declarations, its symbols and its lines."""

    def __init__(
        self,
        rows: Sequence[tuple[Symbol, Declaration | None]],
        lines: Sequence[str],
        symbols: Sequence[str],
        facts: Facts | None,
    ) -> None:
        self._rows = rows
        self._lines = lines
        self._symbols = symbols
        self.symbol_of = {row.id: symbol for (row, _), symbol in zip(rows, symbols, strict=True)}
        imports = () if facts is None else facts.imports
        own = ((item.alias, item.name or last_name(item.module)) for item in imports)
        self.aliases = {alias for alias, name in own if alias and alias != name}

    def definitions(self) -> Iterator[tuple[_Place, str, Sequence[int]]]:
        """The places of the names of the file and of its declarations, and what they enclose."""
        last = len(self._lines) - 1
        yield _Place(0, 0, 0), self._symbols[0], (0, 0, last, len(self._lines[last]))
        for (_, item), symbol in zip(self._rows[1:], self._symbols[1:], strict=True):
            if item is None or not symbol or not item.name or not item.name_line:
                continue
            place = _Place(item.name_line - 1, item.name_column, item.name_column + len(item.name))
            if self.text_at(place) == item.name:
                yield place, symbol, self._span(item, place)

    def _span(self, item: Declaration, name: _Place) -> Sequence[int]:
        first = min(item.start_line - 1, name.line)
        last = min(max(item.end_line - 1, name.line), len(self._lines) - 1)
        text = self._lines[first]
        begin = len(text) - len(text.lstrip())
        if first == name.line:
            begin = min(begin, name.begin)
        return first, begin, last, len(self._lines[last].removesuffix("\r"))

    def token(self, line: int, column: int) -> _Place | None:
        """The place of the word at a place of the facts."""
        if not 0 < line <= len(self._lines):
            return None
        found = _TOKEN.match(self._lines[line - 1], column)
        return None if found is None else _Place(line - 1, *found.span())

    def text_at(self, place: _Place) -> str:
        """The text of a place."""
        return self._lines[place.line][place.begin : place.end] if self._has(place) else ""

    def _has(self, place: _Place) -> bool:
        return place.line < len(self._lines)

    def infos(self, related: Mapping[str, set[str]], language: str) -> Iterator[bytes]:
        """The information on each symbol, each once."""
        seen: set[str] = set()
        for number, ((row, item), symbol) in enumerate(zip(self._rows, self._symbols, strict=True)):
            if not symbol or symbol in seen:
                continue
            seen.add(symbol)
            yield self._info(number, row, item, symbol, sorted(related.get(symbol, ())), language)

    def _info(
        self,
        number: int,
        row: Symbol,
        item: Declaration | None,
        symbol: str,
        related: Sequence[str],
        language: str,
    ) -> bytes:
        parts = [write_text(field_of.INFO_SYMBOL, symbol)]
        kind = field_of.FILE_KIND if item is None else field_of.KINDS.get(item.kind, 0)
        if row.node_type == "constructor":
            kind = field_of.KINDS["constructor"]
        if item is not None:
            parts.append(write_text(field_of.DOCUMENTATION, item.doc))
        for other in related:
            message = write_text(field_of.RELATED, other)
            message += write_number(field_of.IS_IMPLEMENTATION, 1)
            if kind in _MEMBER_KINDS:
                message += write_number(field_of.IS_REFERENCE, 1)
            parts.append(write_bytes(field_of.RELATIONSHIPS, message))
        parts += [write_number(field_of.KIND, kind), write_text(field_of.DISPLAY_NAME, row.name)]
        if item is not None and item.signature:
            signature = write_text(field_of.LANGUAGE, language)
            signature += write_text(field_of.TEXT, item.signature)
            parts.append(write_bytes(field_of.SIGNATURE, signature))
        if item is not None and self._symbols[item.parent + 1] != symbol:
            parts.append(write_text(field_of.ENCLOSING_SYMBOL, self._symbols[item.parent + 1]))
        del number
        return b"".join(parts)


_MEMBER_KINDS: Final = frozenset(
    field_of.KINDS[name] for name in ("method", "getter", "setter", "property", "field")
)


_NAME: Final = write_text(field_of.TOOL_NAME, "repo-mcp")
# tags and lengths of the metadata and of the tool's description, before its name
_BEFORE_NAME: Final = 8


def is_exported(start: bytes) -> bool:
    """True for the start of an index that was written here."""
    at = start.find(_NAME)
    return 0 < at <= _BEFORE_NAME and start[:1] == write_bytes(field_of.METADATA, b"")[:1]


def _metadata(version: str, root: str) -> bytes:
    tool = _NAME + write_text(field_of.TOOL_VERSION, version)
    message = write_bytes(field_of.TOOL, tool)
    message += write_text(field_of.PROJECT_ROOT, _uri(root))
    message += write_number(field_of.TEXT_ENCODING, field_of.UTF8)
    return write_bytes(field_of.METADATA, message)


def _uri(root: str) -> str:
    path = root.replace("\\", "/")
    return "file://" + quote(path if path.startswith("/") else f"/{path}", safe="/:")
