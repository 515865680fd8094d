"""Functions that find members by names made at run time: no edge shows which ones they use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from code_graph.model import Confidence, EdgeType
from code_graph.query.edges import (
    EdgeFilter,
    edges_of_chunk,
    edges_of_parts,
    external_chunks,
)
from code_graph.query.model import FUNCTIONS, Symbol
from code_graph.query.neighbours import source_ids
from code_graph.query.snapshot import MOST_PARTS, GraphSnapshot
from code_graph.store.terms import last_name

REFLECTION: Final = frozenset(
    {"builtins.getattr", "builtins.vars", "builtins.dir", "builtins.globals", "builtins.locals"}
    | {"builtins.eval", "builtins.exec", "Reflect.get", "eval", "System.Type.GetMethod"}
)
# those that look up names of their own module
OWN_NAMES: Final = frozenset(
    {"builtins.globals", "builtins.locals", "builtins.vars", "builtins.eval", "builtins.exec"}
    | {"sys.modules", "eval"}
)
BASES: Final = EdgeFilter(
    (EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS), tuple(Confidence)
)
_LOOKS: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES), tuple(Confidence))
_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))


def reflective_users(graph: GraphSnapshot, members: Iterable[int]) -> set[int]:
    """The functions that may use one of these members of types by its name alone.

    They are in its type, or in one that it inherits from, and look members up at run time.
    """
    types: set[int] = set()
    for number in members:
        symbol = graph.symbol(number)
        if symbol is not None and symbol.node_type in FUNCTIONS:
            types.update(source_ids(graph, number, _CONTAINS))
    pending = sorted(types)
    while pending and len(types) < MOST_PARTS:
        for edge in edges_of_parts(graph, pending.pop(), BASES):
            if not edge.external and edge.target not in types:
                types.add(edge.target)
                pending.append(edge.target)
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


def _looking_up(graph: GraphSnapshot, paths: Iterable[str]) -> Iterator[Symbol]:
    """The functions of some files that look members up."""
    places = external_chunks(graph, (last_name(name) for name in sorted(REFLECTION)), _LOOKS.types)
    for path in sorted(paths) if len(places) else ():
        record = graph.snapshot.file(path)
        if record is None:
            continue
        begin, end = np.searchsorted(places, (record.first_chunk, record.last_chunk))
        for chunk in places[begin:end].tolist():
            edges = edges_of_chunk(graph, chunk, _LOOKS)
            if any(edge.external in REFLECTION for edge in edges):
                yield graph.symbol_at(chunk)
