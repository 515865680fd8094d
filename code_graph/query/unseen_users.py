"""Declarations that something uses and no edge shows it: by a type of which they are, or by a text.

A method that nothing calls is called by a language or a framework, once its type is used. A type or
function that nothing uses may be named in a text, from which code is made or looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter, edges_of_parts, having_edges, sources_of
from code_graph.query.model import FUNCTIONS, TYPES, VALUES, Symbol
from code_graph.query.neighbours import source_ids
from code_graph.query.overrides import overridden
from code_graph.query.reflection import BASES
from code_graph.query.snapshot import GraphSnapshot

_USES: Final = EdgeFilter(
    (
        *(EdgeType.CALLS, EdgeType.REFERENCES, EdgeType.ACCEPTS),
        *(EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS),
    ),
    (Confidence.EXACT, Confidence.INFERRED),
)
# bases that call nothing
_EMPTY_BASES: Final = frozenset({"object", "ABC", "Generic", "Protocol", "NamedTuple", "Enum"})
_DISPATCHED: Final = EdgeFilter((EdgeType.CALLS,), (Confidence.DISPATCH,))
_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))
# members that have code, and what has members
_MEMBERS: Final = FUNCTIONS | {"property"}
_HOLDERS: Final = TYPES | VALUES


def types_of_unseen(
    graph: GraphSnapshot, methods: Iterable[int], *, strictly: bool = False
) -> dict[int, list[int]]:
    """The types, and objects, of those methods that no edge shows all callers of, with these.

    They have none, replace a method of another type, or of one that is declared outside, or have a
    name that the language calls. Whoever runs one has an object of its type, or the object that it
    is a member of, whose members elsewhere are mostly used through values of unknown types.
    `strictly` leaves out those that have callers, beside which only others of their name may be
    called.
    """
    found: dict[int, list[int]] = {}
    types = _types_around(graph, methods)
    used = having_edges(graph, types, _USES)
    for number, around in types.items():
        if (
            _is_implicit(graph, number)
            or _is_used_in_its_file_alone(graph, number, around, used)
            or not _others(used, number)
            or (not strictly and _may_be_called_as_another(graph, number, around))
        ):
            for item in around:
                found.setdefault(item, []).append(number)
    return found


def _is_used_in_its_file_alone(
    graph: GraphSnapshot, number: int, around: Iterable[int], used: Mapping[int, Sequence[int]]
) -> bool:
    """True for a member of an object, not of a type, that no other file uses."""
    holders = [graph.symbol(item) for item in around]
    paths = {item.path for item in holders if item is not None and item.node_type in VALUES}
    users = [graph.symbol(user) for user in used.get(number, ())]
    return bool(paths) and all(user is not None and user.path in paths for user in users)


def _may_be_called_as_another(graph: GraphSnapshot, number: int, around: Iterable[int]) -> bool:
    """True for a method that is called where the one that it replaces is."""
    return bool(overridden(graph, number)) or any(
        _has_external_base(graph, item) for item in around
    )


def _is_implicit(graph: GraphSnapshot, number: int) -> bool:
    symbol = graph.symbol(number)
    name = "" if symbol is None else symbol.simple_name
    return name.startswith("__") and name.endswith("__")


def _has_external_base(graph: GraphSnapshot, number: int) -> bool:
    return any(
        edge.external and edge.external.rpartition(".")[2] not in _EMPTY_BASES
        for edge in edges_of_parts(graph, number, BASES)
    )


def named_alone(graph: GraphSnapshot, ids: Iterable[int]) -> Iterator[Symbol]:
    """The functions and types among these that nothing uses; a method goes with its type."""
    wanted = [*ids]
    used = having_edges(graph, wanted, _USES)
    for number in wanted:
        symbol = None if _others(used, number) else graph.symbol(number)
        if symbol is None or symbol.node_type not in FUNCTIONS | TYPES:
            continue
        if not _types_around(graph, [number]):
            yield symbol


def called_by_frameworks(graph: GraphSnapshot, ids: Iterable[int]) -> dict[int, list[int]]:
    """The tests, fixtures and files of tests for which a framework calls fixtures, with these."""
    found: dict[int, list[int]] = {}
    for number, sources in having_edges(graph, ids, _DISPATCHED).items():
        symbol = graph.symbol(number)
        if symbol is not None and symbol.node_type in FUNCTIONS and is_test(symbol.path):
            for source in sources:
                found.setdefault(source, []).append(number)
    return found


def is_used_by_functions_alone(graph: GraphSnapshot, number: int) -> bool:
    """True if those who use a declaration are known, and none is outside of functions.

    A framework calls it for them, too, as fixtures are called.
    """
    users = set(source_ids(graph, number, _USES)) - {number}
    users |= {*graph.ids_of(sources_of(graph, number, _DISPATCHED)[0])}
    found = [graph.symbol(user) for user in users]
    return bool(found) and all(item is not None and item.node_type != "file" for item in found)


def without_users(graph: GraphSnapshot, ids: Iterable[int]) -> list[int]:
    """The declarations to which no edge leads but those of imports and from themselves."""
    wanted = [*ids]
    used = having_edges(graph, wanted, _USES)
    return [number for number in wanted if not _others(used, number)]


def _others(used: Mapping[int, Sequence[int]], number: int) -> bool:
    """True if another declaration uses one."""
    return any(user != number for user in used.get(number, ()))


def _types_around(graph: GraphSnapshot, ids: Iterable[int]) -> dict[int, list[int]]:
    """The types and objects that contain some functions and properties, of those that any has."""
    found: dict[int, list[int]] = {}
    for number, parents in having_edges(graph, ids, _CONTAINS).items():
        symbol = graph.symbol(number)
        if symbol is None or symbol.node_type not in _MEMBERS:
            continue
        around = ((parent, graph.symbol(parent)) for parent in parents)
        types = [at for at, item in around if item is not None and item.node_type in _HOLDERS]
        if types:
            found[number] = types
    return found
