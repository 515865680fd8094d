"""Matching of SCIP documents with files of the same text, and of their symbols with declarations.

The facts of a file know the names in it with their places, so that the text is not read again. A
document counts if nothing in it contradicts them: every definition has the name of its symbol,
every occurrence the length of the name that stands there, all places of a local the same name, and
the last declarations of the file are in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, BindingKind
from code_graph.facts import MODULE
from code_graph.model import FILE
from code_graph.scip import messages as field_of
from code_graph.scip.reading import Occurrence, ScipDocument
from code_graph.scip.symbols import (
    Descriptor,
    Suffix,
    SymbolError,
    SymbolName,
    is_local,
    parse_symbol,
    suffix_of,
)
from index_format.tuples import NamedTuple

Place = tuple[int, int]
# names of constructors, which are called by the name of their class
_CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "constructor", ".ctor", "init"})
# the name of what a module exports without one, where it is imported
_DEFAULT: Final = "default"
_ACCESSORS: Final = ("<get>", "<set>")
_MODULES: Final = frozenset({Suffix.NAMESPACE, Suffix.META})
# of the lines with occurrences at most this share, or so few, may have columns that differ from
# ours since they count other units: UTF-16 differs behind rare characters alone
_SHIFTED: Final = {field_of.UTF8_UNITS: 0.1}
_RARELY_SHIFTED: Final = 0.02
_FEW_LINES: Final = 2


# symbols at one place, and declarations of one name, that are looked at
_MOST_AT_PLACE: Final = 16
_MOST_OF_NAME: Final = 64


class DocumentMatch(NamedTuple):
    """A document that matches the text of its file."""

    # the symbols at each place that uses one, and the declarations of symbols
    uses: Mapping[Place, Sequence[str]]
    declarations: Mapping[str, int]
    relations: Sequence[tuple[str, str]]


class FileNames:
    """The names in a file by their places, lines from 0."""

    def __init__(self, file: SourceFile) -> None:
        """Collect them from the facts."""
        names: dict[Place, str] = {}
        imports = file.facts.imports
        self.aliases: set[str] = set()
        self.imported: set[Place] = set()
        for expression in file.expressions:
            if expression.line and expression.name:
                names[expression.line - 1, expression.column] = expression.name
        for binding in file.code.bindings:
            place = binding.line - 1, binding.column
            if binding.kind == BindingKind.IMPORTED:
                self.aliases.add(binding.name)
                self.imported.add(place)
                name = imports[binding.value].name if binding.value != NONE else ""
                if binding.line and name:
                    names.setdefault(place, binding.name if name == _DEFAULT else name)
            elif binding.line:
                names.setdefault(place, binding.name)
        self.declarations: dict[Place, int] = {}
        for number, item in enumerate(file.declarations):
            place = item.name_line - 1, item.name_column
            names[place] = item.name
            self.declarations.setdefault(place, number)
        self.names = names
        self.by_line: dict[int, list[tuple[int, str]]] = {}
        for (line, column), name in names.items():
            self.by_line.setdefault(line, []).append((column, name))


def match(document: ScipDocument, file: SourceFile) -> DocumentMatch | None:
    """Match a document with a file; None if it is of another text."""
    return _Matching(document, file).match()


def names_of(symbol: SymbolName) -> tuple[str, ...]:
    """The names that the text may have at a place of a symbol."""
    last = symbol.descriptors[-1]
    found = [last.name]
    found += [last.name.removeprefix(mark) for mark in _ACCESSORS if last.name.startswith(mark)]
    plain = last.name.strip("<>")
    if plain in _CONSTRUCTORS and len(symbol.descriptors) > 1:
        found += [plain, symbol.descriptors[-2].name]
    return tuple(found)


def is_module(symbol: SymbolName) -> bool:
    """True if a symbol is a module, namespace or package."""
    return symbol.descriptors[-1].suffix in _MODULES


def parsed(symbol: str) -> SymbolName | None:
    """The parts of a symbol, or None for a local and for other text."""
    if is_local(symbol):
        return None
    try:
        return parse_symbol(symbol)
    except SymbolError:
        return None


def find_declarations(file: SourceFile, symbols: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The one declaration that the names of each symbol lead to, where it is one.

    Serves files that have changed since: their declarations are known, but not by place.
    """
    by_name: dict[str, list[int]] = {}
    for number, item in enumerate(file.declarations):
        by_name.setdefault(item.name, []).append(number)
    for symbol in symbols:
        name = parsed(symbol)
        if name is None or is_module(name) or not _is_declared(name.descriptors[-1]):
            continue
        wanted = [item.name for item in name.descriptors if item.suffix is not Suffix.NAMESPACE]
        numbers = by_name.get(wanted[-1], [])
        if len(numbers) <= _MOST_OF_NAME:
            found = [number for number in numbers if _chain(file, number) == wanted]
            if len(found) == 1:
                yield symbol, found[0]


def _is_declared(descriptor: Descriptor) -> bool:
    return descriptor.suffix not in {Suffix.PARAMETER, Suffix.TYPE_PARAMETER}


def _chain(file: SourceFile, number: int) -> list[str]:
    found: list[str] = []
    while number != MODULE and len(found) <= len(file.declarations):
        item = file.declarations[number]
        if suffix_of(item.kind) is not Suffix.NAMESPACE:
            found.append(item.name)
        number = item.parent
    return found[::-1]


class _Matching:
    """Compares one document with one file."""

    def __init__(self, document: ScipDocument, file: SourceFile) -> None:
        self._document = document
        self._file = file
        self._names = FileNames(file)
        self._symbols = [parsed(symbol) for symbol in document.symbols]
        self._allowed = [() if item is None else names_of(item) for item in self._symbols]
        self._locals: dict[int, str] = {}
        self._shifted: set[int] = set()

    def match(self) -> DocumentMatch | None:
        """Match the document with the file; None if something contradicts the file."""
        document = self._document
        for item in document.occurrences:
            if item.column != item.end and not self._fits(item) and not self._is_shifted(item):
                return None
        lines = {item.line for item in document.occurrences}
        most = _SHIFTED.get(document.positions, _RARELY_SHIFTED) * len(lines)
        if len(self._shifted) > max(_FEW_LINES, most) or not self._is_whole():
            return None
        declarations = self._declarations()
        uses: dict[Place, list[str]] = {}
        for item in document.occurrences:
            if item.roles & field_of.DEFINITION or item.line in self._shifted:
                continue
            if self._is_named(item):
                found = uses.setdefault((item.line, item.column), [])
                if len(found) < _MOST_AT_PLACE and document.symbols[item.symbol] not in found:
                    found.append(document.symbols[item.symbol])
        symbols = document.symbols
        relations = [(symbols[row.symbol], symbols[row.other]) for row in document.relations]
        return DocumentMatch(uses, declarations, relations)

    def _fits(self, item: Occurrence) -> bool:
        """True if an occurrence and the names of the file can both be right."""
        word = self._names.names.get((item.line, item.column))
        symbol = self._symbols[item.symbol]
        if self._is_loose(item):
            return True
        is_definition = bool(item.roles & field_of.DEFINITION)
        if word is None:
            # a method or type is always among our names, a field or parameter perhaps not
            last = None if symbol is None else symbol.descriptors[-1].suffix
            return not (is_definition and last is Suffix.METHOD)
        if len(word) != item.end - item.column:
            return False
        if symbol is None:
            return self._locals.setdefault(item.symbol, word) == word
        return not is_definition or word in self._allowed[item.symbol]

    def _is_loose(self, item: Occurrence) -> bool:
        """True if a range says nothing, since indexers differ in how long it is."""
        if (item.line, item.column) in self._names.imported:
            return True
        symbol = self._symbols[item.symbol]
        if symbol is None:  # … or in what a symbol is
            return not is_local(self._document.symbols[item.symbol])
        return is_module(symbol)

    def _is_shifted(self, item: Occurrence) -> bool:
        """True if columns of the line are larger as they count other units than characters."""
        if self._document.positions == field_of.CHARACTERS:
            return False
        if item.line in self._shifted:
            return True
        allowed, size = self._allowed[item.symbol], item.end - item.column
        for column, name in self._names.by_line.get(item.line, ()):
            if column < item.column and (name in allowed or (not allowed and len(name) == size)):
                self._shifted.add(item.line)
                return True
        return False

    def _is_whole(self) -> bool:
        """True if no declaration stands behind everything that the document knows."""
        last = max((item.line for item in self._document.occurrences), default=-1)
        return all(item.name_line - 1 <= last for item in self._file.declarations)

    def _is_named(self, item: Occurrence) -> bool:
        """True if the text names the symbol of an occurrence, as it is called or as an alias."""
        word = self._names.names.get((item.line, item.column))
        if word is None:
            return False
        symbol = self._symbols[item.symbol]
        if symbol is None:
            return is_local(self._document.symbols[item.symbol])
        return word in self._allowed[item.symbol] or word in self._names.aliases

    def _declarations(self) -> dict[str, int]:
        """The declarations that symbols are defined at, the first of each."""
        found: dict[str, int] = {}
        for item in self._document.occurrences:
            if not item.roles & field_of.DEFINITION:
                continue
            symbol = self._document.symbols[item.symbol]
            number = self._names.declarations.get((item.line, item.column))
            if item.column == item.end and item.line == 0:
                found.setdefault(symbol, FILE)
            elif number is not None and item.line not in self._shifted:
                found.setdefault(symbol, number)
        return found
