"""Tells what a symbol's name means on each line that has it as a word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import groupby
from typing import Final

from code_graph.contracts.templates import lines_with_name
from code_graph.data_places import data_places, is_data
from code_graph.facts import MODULE, PARTIAL, Declaration, last_part
from code_graph.language_table import language_named, naming
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import DOCS, PROSE, path_kinds, rank_path
from code_graph.query.edges import NameOnLine, names_on_lines
from code_graph.query.model import FUNCTIONS, TYPES, Symbol
from code_graph.query.module_names import needs_import
from code_graph.query.snapshot import GraphSnapshot
from code_graph.whole_word import whole_word
from code_graph.word_places import NameKind, WordPlace, word_places
from index_format.tuples import NamedTuple
from repo_mcp.repository import SourceFiles
from repo_mcp.repository.symbol_places import cited_place
from repo_mcp.repository.word_lines import WordLine, WordLines
from repo_mcp.text.plurals import with_rest

# the word before a name that declares it; others stand before a value
_DECLARING_WORD: Final = re.compile(
    r"\b(?:function|class|const|let|var|def|interface|type|enum|fn|struct|func|trait|record)\s*\*?\s*$"
)
_KINDS: Final = {"method": NameKind.METHOD, "constructor": NameKind.CONSTRUCTOR}
_HTML: Final = "html"
_MEMBERS: Final = frozenset({"method", "property", "constructor"})
# languages whose files use members by their bare names
_TEMPLATES: Final = frozenset({"html", "template", "notebook"})


class LineMeaning(IntEnum):
    """The meanings of a symbol's name on a line: of several on one line the first."""

    USE = 0
    IMPORT = 1
    OWN = 2  # in the declaration itself
    OPEN = 3  # may be a use
    UNLINKED = 4  # uses that no language's rules resolve, keys, and texts that are a name
    UNKNOWN = 5  # a use whose target is unknown
    LIKELIER = 6  # a call on an object of unknown type that more probably means another symbol
    NAMESAKE = 7  # the declaration or a use of another symbol
    OUTSIDE = 8  # a use of what is declared outside of the repository
    REPLACED = 9  # a text by which a test puts another in its place
    OTHER = 10  # a name that scopes bind, or that is none of a symbol
    COMMENT = 11  # a comment or another text in code
    DOCUMENT = 12
    LEFT_OUT = 13  # not compiled by any build that is asked about


class NameReach(NamedTuple):
    """The places that the name of a symbol reaches: by scopes, and by imports.

    A declaration in a function is seen in the function alone. One of a module is seen in another
    file by an import of its name, which has an edge, unless something holds the module as a value.
    """

    kind: NameKind
    path: str
    # the lines of the function around it, if one is
    first: int = 0
    last: int = 0
    # a file without an edge of an import can't mean it
    needs_import: bool = False

    def has_line(self, path: str, line: int) -> bool:
        """True if a line is where the name is seen."""
        return not self.last or (path == self.path and self.first <= line <= self.last)

    def kind_in(self, graph: GraphSnapshot, path: str) -> NameKind:
        """The kind of the declaration in a file, whose names are bound if all of it is linked."""
        if path in graph.all_incomplete:
            return NameKind.ANY
        if self.kind == NameKind.FREE and graph.facts(path).status == PARTIAL:
            return NameKind.ANY
        return self.kind


class NamedLine(NamedTuple):
    """A line with a symbol's name, and what the name means there."""

    line: WordLine
    meaning: LineMeaning
    namesake: int = 0


class KnownLines(NamedTuple):
    """Lines with a name whose meaning no edge of the file shows."""

    # those with a use of the symbol, by whatever name
    used: Container[WordLine] = ()
    # those on which it more probably means another symbol than this one, with that
    likelier: Mapping[WordLine, int] = {}


class UnlinkedLines(NamedTuple):
    """The lines with a symbol's name on which the graph has nothing of that name."""

    # uses that no language's rules resolve, keys, and texts that are a name
    code: Sequence[WordLine] = ()
    # texts by which a test puts another in its place
    replaced: Sequence[WordLine] = ()

    @classmethod
    def among(cls, lines: Sequence[NamedLine]) -> UnlinkedLines:
        """The unlinked ones of all lines with a name."""
        kinds = LineMeaning.UNLINKED, LineMeaning.REPLACED
        return cls(*([item.line for item in lines if item.meaning == kind] for kind in kinds))


# of these a line that can't mean the symbol has the name of something else
_UNKNOWN: Final = (LineMeaning.UNLINKED, LineMeaning.UNKNOWN)
# a declaration, and the edge to it from what holds it
_DECLARING: Final = (-1, EdgeType.CONTAINS)
_MOST_NAMESAKES: Final = 6
_OF_PLACES: Final = {
    WordPlace.CODE: LineMeaning.UNLINKED,
    WordPlace.NAMING: LineMeaning.UNLINKED,
    WordPlace.REPLACED: LineMeaning.REPLACED,
    WordPlace.OTHER: LineMeaning.OTHER,
    WordPlace.PROSE: LineMeaning.COMMENT,
}


def reach_of_name(graph: GraphSnapshot, files: SourceFiles, symbol: Symbol) -> NameReach:
    """The places that the name of a symbol reaches."""
    kind = _KINDS.get(symbol.node_type, NameKind.ANY)
    own = graph.declaration(symbol)
    # read of every symbol: an answer tells whether its file has changed
    number = symbol.start_line if own is None else own.name_line
    line = next(iter(files.lines(symbol.path, number, number)), "")
    if kind != NameKind.ANY or own is None:
        return NameReach(kind, symbol.path)
    if symbol.node_type in FUNCTIONS | TYPES and _has_declaring_word(own, line):
        if own.parent == MODULE:
            needed = needs_import(graph, symbol)
            return NameReach(NameKind.FREE, symbol.path, needs_import=needed)
        if own.scope_kind == "function" and language_named(symbol.language).binds_names:
            holder = graph.facts(symbol.path).declarations[own.parent]
            return NameReach(NameKind.FREE, symbol.path, holder.start_line, holder.end_line)
    return NameReach(kind, symbol.path)


def _has_declaring_word(own: Declaration, line: str) -> bool:
    """True if a word declares the name where it stands: what is assigned may be seen elsewhere.

    What is declared in a block of a module may be one of the whole program: `declare global`.
    """
    is_in_block = own.parent == MODULE and line[:1].isspace()
    return not is_in_block and _DECLARING_WORD.search(line[: own.name_column]) is not None


def lines_inside(files: SourceFiles, reach: NameReach, word: str) -> WordLines:
    """The lines with a word in the function around a local declaration."""
    wanted = whole_word(word)
    rows = enumerate(files.lines(reach.path, reach.first, reach.last), reach.first)
    found = [WordLine(reach.path, number) for number, row in rows if wanted.search(row)]
    return WordLines(found, is_complete=True)


def classify_lines(
    graph: GraphSnapshot,
    files: SourceFiles,
    symbols: Sequence[Symbol],
    lines: Iterable[WordLine],
    reach: NameReach,
    known_lines: KnownLines,
) -> list[NamedLine]:
    """The meaning of a symbol's name, and of its overloads', on each line that has it.

    In a file of which edges are missing nothing is believed that the graph has, but `known_lines`.
    """
    named: list[NamedLine] = []
    for path, group in groupby(lines, key=lambda item: item.path):
        found = {item.line: item for item in group}
        known = _linked_meanings(graph, symbols, path, found, known_lines)
        named += known.values()
        for number in known:
            del found[number]
        if found:
            named += _unlinked_meanings(graph, files, symbols[0], path, found, reach)
    return named


class LinesOfName(NamedTuple):
    """The numbers of all lines with a name by what it means there, and whose it is else."""

    counts: Mapping[str, int] = {}
    namesakes: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        graph: GraphSnapshot,
        named: Sequence[NamedLine],
        could_add: Sequence[WordLine],
        left_out: Container[WordLine] = (),
    ) -> LinesOfName:
        """Count lines; those that may add to a list of uses are open, unless no build has them."""
        is_open = set(could_add)
        meanings: Counter[LineMeaning] = Counter()
        namesakes: Counter[int] = Counter()
        for line, meaning, namesake in named:
            known = LineMeaning.OTHER if meaning in _UNKNOWN else meaning
            known = LineMeaning.LEFT_OUT if line in left_out else known
            meanings[LineMeaning.OPEN if line in is_open else known] += 1
            if namesake and line not in is_open:
                namesakes[namesake] += 1
        rows: list[str] = []
        for number, count in namesakes.most_common(_MOST_NAMESAKES):
            symbol = graph.symbol(number)
            if symbol is not None:
                place = cited_place(graph, symbol)
                rows.append(f"{place.name} {count}, {place.path}:{place.first}")
        counts = {meaning.name.lower(): meanings[meaning] for meaning in sorted(meanings)}
        return cls(counts, with_rest(rows, len(namesakes) - len(rows)))


def _linked_meanings(
    graph: GraphSnapshot,
    symbols: Sequence[Symbol],
    path: str,
    lines: Mapping[int, WordLine],
    known_lines: KnownLines,
) -> dict[int, NamedLine]:
    """The meanings that the graph has of lines of a file, by number."""
    used, likelier = known_lines
    known = {
        number: NamedLine(line, LineMeaning.USE) for number, line in lines.items() if line in used
    }
    ids = {item.id for item in symbols}
    if path not in graph.all_incomplete:
        word = symbols[0].simple_name
        for name in names_on_lines(graph, path, lines):
            # where a member overrides another one, its own declaration is
            if name.name != word or name.type == EdgeType.OVERRIDES:
                continue
            line = lines[name.line]
            is_likelier = name.is_unknown and line in likelier
            meaning = LineMeaning.LIKELIER if is_likelier else _meaning(name, ids)
            before = known.get(name.line)
            if before is None or meaning < before.meaning:
                of_other = name.symbol if meaning == LineMeaning.NAMESAKE else 0
                namesake = likelier[line] if is_likelier else of_other
                known[name.line] = NamedLine(line, meaning, namesake)
    for symbol in symbols:
        own = lines.keys() & {*range(symbol.start_line, symbol.end_line + 1)}
        for number in own if path == symbol.path else ():
            if number not in known or known[number].meaning > LineMeaning.OWN:
                known[number] = NamedLine(lines[number], LineMeaning.OWN)
    return known


def _meaning(name: NameOnLine, symbols: Container[int]) -> LineMeaning:
    """The meaning of a name that the graph has."""
    if name.symbol in symbols:
        if name.type in _DECLARING:
            return LineMeaning.OWN
        return LineMeaning.IMPORT if name.type == EdgeType.IMPORTS else LineMeaning.USE
    if name.is_unknown:
        return LineMeaning.UNKNOWN
    return LineMeaning.NAMESAKE if name.symbol else LineMeaning.OUTSIDE


def _unlinked_meanings(
    graph: GraphSnapshot,
    files: SourceFiles,
    symbol: Symbol,
    path: str,
    lines: Mapping[int, WordLine],
    reach: NameReach,
) -> Iterator[NamedLine]:
    """The meanings of lines of a file on which the graph has nothing of the name."""
    word = symbol.simple_name
    if _is_document(path):
        bound = _bound(files, path, word)
        for number, line in lines.items():
            is_bound = number in bound
            yield NamedLine(line, LineMeaning.UNLINKED if is_bound else LineMeaning.DOCUMENT)
        return
    places = _places(graph, files, path, word, reach)
    is_foreign = _is_foreign(graph, symbol, path)
    for number, line in lines.items():
        meaning = _OF_PLACES[places.get(number, WordPlace.CODE)]
        if meaning == LineMeaning.UNLINKED and is_foreign:
            is_named = _names_member(symbol, files.line(path, number))
            meaning = LineMeaning.UNLINKED if is_named else LineMeaning.OTHER
        yield NamedLine(line, meaning)


def _is_foreign(graph: GraphSnapshot, symbol: Symbol, path: str) -> bool:
    """True if a member's name alone can't mean it in a file.

    A program of a language that can't use its type knows no member of that; data and scripts call
    no methods. Templates use members by their names.
    """
    if symbol.node_type not in _MEMBERS:
        return False
    language = language_named(_language_of(graph, path))
    if language.name in naming(symbol.named_as) or language.name in _TEMPLATES:
        return False
    return bool(language.rules) or symbol.node_type in FUNCTIONS


def _names_member(symbol: Symbol, text: str) -> bool:
    """True if a line names a member as one, with its type, or as a whole text."""
    owner, name = re.escape(last_part(symbol.owner)), re.escape(symbol.simple_name)
    telling = rf"(?<!\w){owner}(?!\w)|\w(?:\.|::?|#|->){name}(?!\w)|([\"'`]){name}\1"
    return re.search(telling, text) is not None


def _language_of(graph: GraphSnapshot, path: str) -> str:
    """The language of a file; empty if that is not known."""
    record = graph.snapshot.file(path)
    if record is None:
        return ""
    name: str = graph.file(graph.file_of(record.first_chunk)).symbols.language
    return name


def _bound(files: SourceFiles, path: str, word: str) -> set[int]:
    """The lines of a document on which it is a template that uses the word as a name."""
    is_template = path.lower().endswith(language_named(_HTML).endings)
    return lines_with_name(files.text(path), word) if is_template else set()


def _is_document(path: str) -> bool:
    """True for prose by its extension, and for a name without one as `ChangeLog`."""
    name = path.rpartition("/")[2]
    return rank_path(path) >= PROSE or ("." not in name and DOCS in path_kinds(name))


def _places(
    graph: GraphSnapshot, files: SourceFiles, path: str, word: str, reach: NameReach
) -> Mapping[int, WordPlace]:
    """The kinds of places of a name by line of a file; none for what is not known to be code."""
    language = language_named(_language_of(graph, path))
    if graph.snapshot.file(path) is None or (not language.rules and is_data(path)):
        return data_places(files.text(path), path, word)
    kind = reach.kind_in(graph, path)
    places = word_places(files.text(path), language, word, kind)
    if not reach.needs_import or kind != NameKind.FREE:
        return places
    # without a file that holds the module, no owner stands before its names
    is_code = {line for line, place in places.items() if place == WordPlace.CODE}
    is_bound = language.binds_names
    return {**places, **dict.fromkeys(is_code, WordPlace.OTHER)} if is_bound else places
