"""Finds the symbols that a text means: an id, a file, a line of one, or a name.

Code writes members by names that their qualified names do not have: behind a type that inherits
one, that a block elsewhere extends, or around the companion, inline namespace or enumeration that
declares it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from typing import Final

import numpy as np

from code_graph.facts import Declaration
from code_graph.identity import external_id
from code_graph.language_table import implicit_names
from code_graph.model import EdgeType
from code_graph.paths.globs import is_below
from code_graph.paths.name_places import (
    line_in_place,
    name_in_place,
    plain_name,
    titles_in,
    with_dots,
)
from code_graph.query.edges import (
    BASES,
    EdgeFilter,
    edges_of_parts,
    having_edges,
    ids_into,
    known_edges,
    sources_of,
)
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, Symbol
from code_graph.query.snapshot import I64, GraphSnapshot, Mask
from code_graph.store.schema import SYMBOL_NAME
from code_graph.store.terms import last_name
from index_format.analysis.words import terms_of_words
from index_format.tuples import NamedTuple

_NODE_ID: Final = re.compile("[0-9a-f]{1,16}")
_BLANK: Final = " "
_WHOLE_ID: Final = 16
# declarations that are looked at for one simple name
_MOST_LOOKED_AT: Final = 2_000
# parts of a name, and symbols that the parts before its last one may mean
_MOST_PARTS: Final = 12
_MOST_OWNERS: Final = 40
_ENUMERATOR: Final = "enumerator"
_EVERY: Final = EdgeFilter()
_IMPORTS: Final = EdgeFilter((EdgeType.IMPORTS,))
_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_BELONGS: Final = EdgeFilter((EdgeType.BELONGS_TO,))
# what may give its names to the module around it
_OPEN: Final = frozenset({"namespace", "module", "enum"})
# types of which a type is built, and members of one name, that are looked at
_MOST_BASES: Final = 100
_MOST_MEMBERS: Final = 500


class NameTarget(NamedTuple):
    """The target of a name: a symbol, or an external name."""

    id: int
    name: str
    symbol: Symbol | None = None


class NameMatches(NamedTuple):
    """All that a text may mean; `truncated` if there may be more."""

    targets: Sequence[NameTarget] = ()
    truncated: bool = False


def node_text(number: int) -> str:
    """The id of a symbol as people and clients see it."""
    return f"{number:016x}"


def parse_node_id(text: str) -> int | None:
    """The number of an id; None for any other text."""
    stripped = text.strip().lower()
    return None if _NODE_ID.fullmatch(stripped) is None else int(stripped, 16)


def find_targets(graph: GraphSnapshot, text: str, limit: int) -> NameMatches:
    """The targets of a text, by path and line.

    `path:line` means the innermost declaration there, `path:name` a name in a file or below a
    folder. A whole qualified name comes before names that end so; a name of no symbol may be one
    from outside.
    """
    text = text.strip()
    if len(text) == _WHOLE_ID and (number := parse_node_id(text)) is not None:
        symbol = graph.symbol(number)
        if symbol is not None:
            return _only(symbol)
    found = _in_file(graph, text, limit) or _below_folder(graph, text, limit)
    found = found or _by_name(graph, text, limit)
    if not found.targets and _BLANK in text:
        found = _by_title(graph, text, limit)
    if not found.targets and text and len(sources_of(graph, external_id(text), _EVERY)[0]):
        return NameMatches([NameTarget(external_id(text), text)])
    if not found.targets:
        found = _as_member(graph, text.strip("."), limit)
    if not found.targets and (plain := plain_name(text, implicit_names())) != with_dots(text):
        found = find_targets(graph, plain, limit)
    return found


def chunks_named(
    graph: GraphSnapshot, name: str, within: Mask | None = None, folder: str = ""
) -> tuple[list[int], bool]:
    """Chunks whose name has all words of a name, and whether some are left out."""
    words = [word.encode("utf-8", "surrogatepass") for word in dict.fromkeys(terms_of_words(name))]
    if not words:
        return [], False
    found: list[I64] = [graph.postings(SYMBOL_NAME, word)[0] for word in words]
    chunks = reduce(_in_both, found)
    if within is not None:
        chunks = chunks[within[chunks]]
    if folder:
        files = graph.files_of(chunks).tolist()
        chunks = chunks[[is_below(graph.path_of(file), folder) for file in files]]
    return chunks[:_MOST_LOOKED_AT].tolist(), len(chunks) > _MOST_LOOKED_AT


def symbols_named(
    graph: GraphSnapshot,
    name: str,
    limit: int,
    within: Mask | None = None,
    *,
    folder: str = "",
    in_any_case: bool = False,
) -> tuple[list[Symbol], bool]:
    """Symbols of a simple name by path and line, and whether there may be more.

    `within` says of each chunk whether it counts, `folder` where its file is.
    """
    fold = str.lower if in_any_case else str
    chunks, cut = chunks_named(graph, name, within, folder)
    found: dict[int, Symbol] = {}
    for chunk in chunks:
        symbol = graph.symbol_at(chunk)
        if fold(symbol.simple_name) != fold(name) or not symbol.id:
            continue
        if len(found) >= limit and symbol.id not in found:
            return [*found.values()], True
        if symbol.id not in found or symbol.is_primary > found[symbol.id].is_primary:
            found[symbol.id] = symbol
    return sorted(found.values(), key=_by_place), cut


def _only(symbol: Symbol) -> NameMatches:
    return NameMatches([NameTarget(symbol.id, symbol.qualified_name, symbol)])


def _matches(symbols: Sequence[Symbol], *, truncated: bool) -> NameMatches:
    return NameMatches(
        [NameTarget(item.id, item.qualified_name, item) for item in symbols], truncated
    )


def _in_file(graph: GraphSnapshot, text: str, limit: int) -> NameMatches | None:
    """The targets of a path, alone or with a line or a name; None if there is no such file."""
    text = text.removeprefix("./")
    rows = graph.outline(text)
    if rows:
        return _only(rows[0][0])
    place = line_in_place(text)
    if place is not None:
        rows = graph.outline(place[0])
        return _only(innermost(graph, *place) or rows[0][0]) if rows else None
    inside = name_in_place(text)
    rows = graph.outline(inside[0]) if inside else []
    if inside is None or not rows:
        return None
    symbols = _unique(symbol for symbol, _ in rows[1:] if ends_with(symbol, inside[1]))
    return _matches(symbols[:limit], truncated=len(symbols) > limit)


def _below_folder(graph: GraphSnapshot, text: str, limit: int) -> NameMatches | None:
    """The targets of a folder and a name; None if no symbol below such a folder has the name."""
    inside = name_in_place(text.removeprefix("./"))
    if inside is None:
        return None
    folder, name = inside[0], with_dots(inside[1])
    rows, cut = symbols_named(graph, last_name(name), _MOST_LOOKED_AT, folder=folder)
    symbols = [item for item in rows if ends_with(item, name)]
    if not symbols:
        return None
    return _matches(symbols[:limit], truncated=cut or len(symbols) > limit)


def innermost(graph: GraphSnapshot, path: str, line: int) -> Symbol | None:
    """The smallest declaration around a line of a file; None outside of all."""
    inside = [
        symbol
        for symbol, declared in graph.outline(path)
        if declared is not None and symbol.id and symbol.start_line <= line <= symbol.end_line
    ]
    return min(reversed(inside), key=lambda item: item.end_line - item.start_line, default=None)


def _by_name(graph: GraphSnapshot, text: str, limit: int) -> NameMatches:
    name = with_dots(text).lstrip(".")
    exact = {item.id: item for part in (text, name) for item in graph.lookup(part, limit + 1)}
    if exact:
        symbols = [*exact.values()]
        return _matches(symbols[:limit], truncated=len(symbols) > limit)
    rows, cut = symbols_named(graph, last_name(name), _MOST_LOOKED_AT)
    symbols = [item for item in rows if ends_with(item, name)]
    return _matches(symbols[:limit], truncated=cut or len(symbols) > limit)


def _by_title(graph: GraphSnapshot, text: str, limit: int) -> NameMatches:
    """Tests by their title, alone or behind the names around it."""
    for title in titles_in(text):
        rows, cut = symbols_named(graph, title, _MOST_LOOKED_AT)
        symbols = [item for item in rows if item.qualified_name.endswith(text)]
        if symbols:
            return _matches(symbols[:limit], truncated=cut or len(symbols) > limit)
    return NameMatches()


def _as_member(graph: GraphSnapshot, text: str, limit: int) -> NameMatches:
    """The targets of a name behind its owner, as code writes it.

    A module's owner may be one that imports it, and a type's one that inherits it.
    """
    owner, _, name = with_dots(text).rpartition(".")
    if not owner or owner.count(".") >= _MOST_PARTS:
        return NameMatches()
    is_value = "." in owner or owner[:1].isupper()
    owners = [*_owners(graph, owner, is_value=is_value)]
    found = _unique(item for symbol in owners for item in _imports_named(graph, symbol, name))
    if not found and (owners or last_name(owner)[:1].isupper()):
        named, _ = symbols_named(graph, name, _MOST_LOOKED_AT)
        found = written_members(graph, owners, named)
        found = found or extensions(graph, last_name(owner), name, named)
    return _matches(found[:limit], truncated=len(found) > limit)


def _owners(graph: GraphSnapshot, name: str, *, is_value: bool) -> Iterator[Symbol]:
    """The types and modules that a name may mean; of a value its declared type.

    A name that any variable may have is none of a value.
    """
    values: dict[tuple[str, str], None] = {}
    for target in find_targets(graph, name, _MOST_OWNERS).targets:
        symbol = target.symbol
        if symbol is None or symbol.node_type in FUNCTIONS:
            continue
        if symbol.node_type not in VALUES:
            yield symbol
        elif is_value and (declared := graph.declaration(symbol)) is not None:
            if declared.kind == _ENUMERATOR:
                yield from graph.lookup(symbol.owner, _MOST_OWNERS)
            elif declared.returns:
                values[_plain_type(declared.returns), symbol.language] = None
    for written, language in values:
        for item in symbols_named(graph, written, _MOST_OWNERS)[0]:
            if item.node_type in TYPES and item.language == language:
                yield item


def _plain_type(written: str) -> str:
    """The simple name of a type without its arguments and marks."""
    return last_name(plain_name(written.strip("?!&* "), frozenset()))


def _imports_named(graph: GraphSnapshot, module: Symbol, name: str) -> Iterator[Symbol]:
    """The symbols of a name that a module imports."""
    for edge in known_edges(graph, module.id, _IMPORTS):
        symbol = graph.symbol(edge.target) if edge.target else None
        if symbol is not None and symbol.simple_name == name:
            yield symbol


def ends_with(symbol: Symbol, name: str) -> bool:
    """True if a name is the last parts of a qualified name, whatever stands between them."""
    whole = with_dots(symbol.qualified_name)
    name = with_dots(name)
    if not name or not symbol.id or not whole.endswith(name):
        return False
    before = whole[: -len(name)][-1:]
    return not (before.isalnum() or before == "_")


def _in_both(one: I64, other: I64) -> I64:
    """The numbers that both have: `np.intersect1d`, which is not of numpy's core."""
    every = np.sort(np.concatenate((one, other)))
    both: I64 = every[:-1][every[1:] == every[:-1]]
    return both


def _unique(symbols: Iterator[Symbol]) -> list[Symbol]:
    found: dict[int, Symbol] = {}
    for symbol in symbols:
        if symbol.id not in found or symbol.is_primary > found[symbol.id].is_primary:
            found[symbol.id] = symbol
    return [*found.values()]


def _by_place(symbol: Symbol) -> tuple[str, int, int]:
    return symbol.path, symbol.start_line, symbol.chunk


def written_members(
    graph: GraphSnapshot, owners: Sequence[Symbol], named: Sequence[Symbol]
) -> list[Symbol]:
    """The symbols of one name that code writes as members of one of these owners.

    A member of the owner itself hides one of its bases, and this one what stands deeper in it.
    """
    named = named[:_MOST_MEMBERS]
    around = having_edges(graph, [item.id for item in named], _CONTAINS) if owners else {}
    types = {item.id for item in owners}
    own: set[int] = set()
    for level in _levels(graph, types):
        blocks = {number for item in level for number in ids_into(graph, item, _BELONGS)}
        own = own or level | blocks
        found = [
            item
            for item in named
            if item.id in blocks or not (level | blocks).isdisjoint(around.get(item.id, ()))
        ]
        if found:
            return found
    # what stands in a declaration that one of the types has
    holders = {holder for item in named for holder in around.get(item.id, ())}
    inside = having_edges(graph, sorted(holders), _CONTAINS) if holders else {}
    modules = {item.id for item in owners if item.node_type not in TYPES}
    near = {
        holder
        for holder, outer in inside.items()
        if not (own - modules).isdisjoint(outer)
        or (not modules.isdisjoint(outer) and _shares_names(graph, holder))
    }
    return [item for item in named if not near.isdisjoint(around.get(item.id, ()))]


def _shares_names(graph: GraphSnapshot, holder: int) -> bool:
    """True of a module or an enumeration in a module, whose names may be seen in that."""
    symbol = graph.symbol(holder)
    declared = None if symbol is None else graph.declaration(symbol)
    return declared is not None and declared.kind in _OPEN


def _levels(graph: GraphSnapshot, types: Collection[int]) -> Iterator[set[int]]:
    """The types, then their bases, level by level."""
    level, seen = {*types}, {*types}
    while level and len(seen) < _MOST_BASES:
        yield level
        bases = (edge for item in sorted(level) for edge in edges_of_parts(graph, item, BASES))
        level = {edge.target for edge in bases if not edge.external} - seen
        seen |= level


def extensions(
    graph: GraphSnapshot, owner: str, name: str, named: Sequence[Symbol]
) -> list[Symbol]:
    """The extension functions of a type."""
    return [item for item in named if _names_receiver(graph.declaration(item), owner, name)]


def _names_receiver(declared: Declaration | None, owner: str, name: str) -> bool:
    """True of `fun Owner.name()`, and of the first parameter `this Owner`."""
    if declared is None:
        return False
    own, written = re.escape(owner), plain_name(declared.signature, frozenset())
    is_first = re.match(rf"\(\s*this\s+(?:\w+\.)*{own}\b", declared.parameters)
    return bool(is_first or re.search(rf"(?<!\w){own}\??\.{re.escape(name)}\b", written))
