"""Declarations that something uses and no edge of use shows it.

A method that nothing calls is called by a language or a framework, once its type is used. A type or
function that nothing uses may be named in a text, from which code is made or looked up. Who reads a
variable may use the functions in its value, and a decorator names what is there for its function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import (
    BASES,
    EdgeFilter,
    chunks_into,
    edges_into,
    edges_of_chunk,
    edges_of_parts,
    external_chunks,
    having_edges,
    sources_of,
)
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, PlacedEdge, Symbol
from code_graph.query.neighbours import source_ids
from code_graph.query.overrides import overridden
from code_graph.query.snapshot import MOST_PARTS, GraphSnapshot, distinct
from code_graph.store.terms import kind_term, last_name
from index_format.tuples import NamedTuple

# functions that find members by names that are made at run time
REFLECTION: Final = frozenset(
    {"builtins.getattr", "builtins.vars", "builtins.dir", "builtins.globals", "builtins.locals"}
    | {"builtins.eval", "builtins.exec", "Reflect.get", "eval", "System.Type.GetMethod"}
)
# those that look up names of their own module
OWN_NAMES: Final = frozenset(
    {"builtins.globals", "builtins.locals", "builtins.vars", "builtins.eval", "builtins.exec"}
    | {"sys.modules", "eval"}
)
# by whatever says so, guesses included
BASE_TYPES: Final = EdgeFilter(BASES.types, tuple(Confidence))
# bases that call nothing
_EMPTY_BASES: Final = frozenset({"object", "ABC", "Generic", "Protocol", "NamedTuple", "Enum"})
_USES: Final = EdgeFilter(
    (EdgeType.CALLS, EdgeType.REFERENCES, EdgeType.ACCEPTS, *BASE_TYPES.types),
    (Confidence.EXACT, Confidence.INFERRED),
)
_DISPATCHED: Final = EdgeFilter((EdgeType.CALLS,), (Confidence.DISPATCH,))
_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
_MENTIONED: Final = EdgeFilter((EdgeType.REFERENCES, EdgeType.CALLS))
_LOOKED_UP: Final = EdgeFilter(_MENTIONED.types, tuple(Confidence))
# members that have code, and what has members
_MEMBERS: Final = FUNCTIONS | {"property"}
_HOLDERS: Final = TYPES | VALUES
# places of one symbol that are looked at
_MOST_PLACES: Final = 50
# functions and types of a register of which each is meant by those who read it
_MOST_MEMBERS: Final = 12


class Mentioning(NamedTuple):
    """Variables with symbols in their values, and functions and types with them in decorators.

    The `crowded` ones of the variables have many: who reads one mostly uses another one of these.
    """

    variables: set[int]
    decorated: set[int]
    crowded: set[int]


def types_of_unseen(
    graph: GraphSnapshot, methods: Iterable[int], *, strictly: bool = False
) -> dict[int, list[int]]:
    """The types and objects of those methods of which edges do not show all callers, with these.

    Such a method has no caller, overrides a method of another type or of a base from outside, or
    has a name that the language calls. Whoever runs it has an object of its type, or the object
    that it is a member of, whose members are mostly used elsewhere through values of unknown types.
    `strictly` leaves out those that have callers, beside which only others of their name may be
    called.
    """
    methods_of: dict[int, list[int]] = {}
    holders_of = _types_around(graph, methods)
    users_of = having_edges(graph, holders_of, _USES)
    for method, holders in holders_of.items():
        if (
            _is_implicit(graph, method)
            or _is_used_in_its_file_alone(graph, method, holders, users_of)
            or not _has_other_user(users_of, method)
            or (not strictly and _may_be_called_as_another(graph, method, holders))
        ):
            for holder in holders:
                methods_of.setdefault(holder, []).append(method)
    return methods_of


def named_alone(graph: GraphSnapshot, ids: Iterable[int]) -> Iterator[Symbol]:
    """The functions and types among these that nothing uses; a method goes with its type."""
    for symbol in filter(None, map(graph.symbol, without_users(graph, ids))):
        if symbol.node_type in FUNCTIONS | TYPES and not _types_around(graph, [symbol.id]):
            yield symbol


def called_by_frameworks(graph: GraphSnapshot, ids: Iterable[int]) -> dict[int, list[int]]:
    """The tests, fixtures and files of tests for which a framework calls fixtures, with these."""
    fixtures_of: dict[int, list[int]] = {}
    for number, sources in having_edges(graph, ids, _DISPATCHED).items():
        symbol = graph.symbol(number)
        if symbol is not None and symbol.node_type in FUNCTIONS and is_test(symbol.path):
            for source in sources:
                fixtures_of.setdefault(source, []).append(number)
    return fixtures_of


def is_used_by_functions_alone(graph: GraphSnapshot, number: int) -> bool:
    """True if those who use a declaration are known, and none is outside of functions.

    A framework calls it for them, too, as fixtures are called.
    """
    ids = set(source_ids(graph, number, _USES)) - {number}
    ids |= {*graph.ids_of(sources_of(graph, number, _DISPATCHED)[0])}
    users = [graph.symbol(user) for user in ids]
    return bool(users) and all(user is not None and user.node_type != "file" for user in users)


def without_users(graph: GraphSnapshot, ids: Iterable[int]) -> list[int]:
    """The declarations to which no edge leads but those of imports and from themselves."""
    declarations = [*ids]
    users_of = having_edges(graph, declarations, _USES)
    return [number for number in declarations if not _has_other_user(users_of, number)]


def mentioning_declarations(graph: GraphSnapshot, ids: Iterable[int]) -> Mentioning:
    """The declarations outside of functions that mention one of these symbols."""
    mentioning = Mentioning(set(), set(), set())
    is_file = graph.facet_mask(kind_term("file"))
    mentioned = [*ids]
    held = chunks_into(graph, mentioned, _MENTIONED)
    for place in distinct(held.which[is_file[held.chunks]]).tolist():
        for edge in edges_into(graph, mentioned[place], _MENTIONED, limit=_MOST_PLACES).edges:
            if not is_file[edge.source_chunk]:
                continue
            for symbol, declared in graph.outline(edge.path):
                if declared is None or not symbol.start_line <= edge.line <= symbol.end_line:
                    continue
                if symbol.node_type in VALUES:
                    if symbol.id not in mentioning.variables and _is_crowded(graph, edge, symbol):
                        mentioning.crowded.add(symbol.id)
                    mentioning.variables.add(symbol.id)
                elif edge.line < declared.name_line and symbol.node_type in FUNCTIONS | TYPES:
                    mentioning.decorated.add(symbol.id)
    return mentioning


def reflective_users(graph: GraphSnapshot, members: Iterable[int]) -> set[int]:
    """The functions that may use one of these members of types by its name alone.

    They are in its type, or in one that it inherits from, and look members up at run time.
    """
    holders: set[int] = set()
    for number in members:
        symbol = graph.symbol(number)
        if symbol is not None and symbol.node_type in FUNCTIONS:
            holders.update(source_ids(graph, number, _CONTAINS))

    def bases(number: int) -> Iterator[int]:
        edges = edges_of_parts(graph, number, BASE_TYPES)
        return (edge.target for edge in edges if not edge.external)

    types = closure_of(sorted(holders), bases)
    parts = [part for number in sorted(types) for part in graph.spans(number)]
    looking: defaultdict[str, list[Symbol]] = defaultdict(list)
    for source in _looking_up(graph, {part.path for part in parts}):
        looking[source.path].append(source)
    return {
        source.id
        for part in parts
        for source in looking.get(part.path, ())
        if part.encloses(source) and part.id != source.id
    }


def closure_of(first: Iterable[int], near: Callable[[int], Iterable[int]]) -> set[int]:
    """All symbols that some lead to, with these; not all of very many."""
    reached = {*first}
    pending = [*first]
    while pending and len(reached) < MOST_PARTS:
        for number in near(pending.pop()):
            if number not in reached:
                reached.add(number)
                pending.append(number)
    return reached


def _looking_up(graph: GraphSnapshot, paths: Iterable[str]) -> Iterator[Symbol]:
    """The functions of some files that look members up."""
    names = (last_name(name) for name in sorted(REFLECTION))
    places = external_chunks(graph, names, _LOOKED_UP.types)
    for path in sorted(paths) if len(places) else ():
        record = graph.snapshot.file(path)
        if record is None:
            continue
        begin, end = np.searchsorted(places, (record.first_chunk, record.last_chunk))
        for chunk in places[begin:end].tolist():
            edges = edges_of_chunk(graph, chunk, _LOOKED_UP)
            if any(edge.external in REFLECTION for edge in edges):
                yield graph.symbol_at(chunk)


def _is_crowded(graph: GraphSnapshot, inside: PlacedEdge, variable: Symbol) -> bool:
    """True for a variable with many functions and types in its value; `inside` leads to one."""
    edges = edges_of_chunk(graph, inside.source_chunk, _MENTIONED)
    lines = range(variable.start_line, variable.end_line + 1)
    targets = {edge.target for edge in edges if edge.line in lines and not edge.external}
    members = map(graph.symbol, targets if len(targets) > _MOST_MEMBERS else ())
    kinds = FUNCTIONS | TYPES
    return sum(it is not None and it.node_type in kinds for it in members) > _MOST_MEMBERS


def _is_used_in_its_file_alone(
    graph: GraphSnapshot, number: int, holders: Iterable[int], users_of: Mapping[int, Sequence[int]]
) -> bool:
    """True for a member of an object, not of a type, that no other file uses."""
    around = filter(None, map(graph.symbol, holders))
    paths = {holder.path for holder in around if holder.node_type in VALUES}
    users = [graph.symbol(user) for user in users_of.get(number, ())]
    return bool(paths) and all(user is not None and user.path in paths for user in users)


def _may_be_called_as_another(graph: GraphSnapshot, number: int, holders: Iterable[int]) -> bool:
    """True for a method that is called where the one that it overrides is."""
    return bool(overridden(graph, number)) or any(
        _has_external_base(graph, holder) for holder in holders
    )


def _is_implicit(graph: GraphSnapshot, number: int) -> bool:
    symbol = graph.symbol(number)
    name = "" if symbol is None else symbol.simple_name
    return name.startswith("__") and name.endswith("__")


def _has_external_base(graph: GraphSnapshot, number: int) -> bool:
    return any(
        edge.external and edge.external.rpartition(".")[2] not in _EMPTY_BASES
        for edge in edges_of_parts(graph, number, BASE_TYPES)
    )


def _has_other_user(users_of: Mapping[int, Sequence[int]], number: int) -> bool:
    """True if another declaration uses one."""
    return any(user != number for user in users_of.get(number, ()))


def _types_around(graph: GraphSnapshot, ids: Iterable[int]) -> dict[int, list[int]]:
    """The types and objects that contain some functions and properties, of those that any has."""
    types_of: dict[int, list[int]] = {}
    for number, parents in having_edges(graph, ids, _CONTAINS).items():
        symbol = graph.symbol(number)
        if symbol is None or symbol.node_type not in _MEMBERS:
            continue
        around = ((parent, graph.symbol(parent)) for parent in parents)
        types = [at for at, item in around if item is not None and item.node_type in _HOLDERS]
        if types:
            types_of[number] = types
    return types_of
