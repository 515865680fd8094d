"""Control and data flow: call chains from entry points or a symbol, and data passed on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from code_graph.facts import Declaration
from code_graph.model import EdgeType
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import TYPES, PlacedEdge, Symbol
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import CALLS
from code_graph.query.paths import closure
from code_graph.whole_word import whole_word
from repo_mcp.ask import EdgeRelation
from repo_mcp.research.focus.architecture import entry_points
from repo_mcp.research.focus.scope import FocusScope
from repo_mcp.research.model import ResearchFinding
from repo_mcp.research.relations import BUDGET, find_callees
from repo_mcp.research.trace import ResearchTrace, node_of, target_node
from repo_mcp.text.plurals import counted, verb

_MOST_ENTRIES: Final = 5
_MOST_EDGES: Final = 400
_TAKERS: Final = EdgeRelation((EdgeType.ACCEPTS,))
_TAKEN: Final = EdgeRelation((EdgeType.ACCEPTS,), forward=True)
_MENTIONS: Final = EdgeFilter((EdgeType.REFERENCES,))


def find_folder_flow(trace: ResearchTrace, scope: FocusScope) -> str:
    """Call chains from the entry points of a folder."""
    trace.begin("entry points")
    entries = entry_points(trace.graph, scope)
    trace.add_hop("entry points", [ResearchFinding(node_of(item), "enters") for item in entries])
    reached = 0
    for entry in entries[:_MOST_ENTRIES]:
        if trace.spent:
            break
        trace.begin(f"calls from {entry.qualified_name or entry.path}")
        found = closure(trace.graph, entry.id, CALLS, depth=trace.depth, budget=BUDGET,
                        forward=True)  # fmt: skip
        rows = trace.reached(found.reached, CALLS, forward=True)
        name = node_of(entry).name
        trace.add_hop(f"called from {name}, nearest first", rows, len(found.reached))
        trace.add_chains(found, CALLS, forward=True)
        reached += len(found.reached)
        if found.truncated:
            trace.lack("budget", f"the search from {name} ended after {BUDGET} symbols")
    if len(entries) > _MOST_ENTRIES:
        trace.lack("entries", "entry points were not followed", len(entries) - _MOST_ENTRIES)
    return (
        f"{scope.title} has {counted(len(entries), 'entry point')}; those followed lead to"
        f" {counted(reached, 'symbol')} within {counted(trace.depth, 'call')}"
    )


def find_data_flow(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Where symbols are handed on: who takes and returns a type, what a function takes."""
    types = [item for item in targets if item.symbol and item.symbol.node_type in TYPES]
    taken: list[ResearchFinding] = []
    given: list[ResearchFinding] = []
    if types:
        trace.begin("who takes it and who returns it")
        for target in types:
            taken += trace.group(trace.related(target, _TAKERS, _MOST_EDGES).edges)
            given += _returning(trace, target)
        trace.add_hop("functions with a parameter of it", taken)
        trace.add_hop("functions that return it", given)
    others = [item for item in targets if item not in types]
    handed: list[ResearchFinding] = []
    if others:
        trace.begin("what it takes")
        for target in others:
            edges = trace.related(target, _TAKEN, _MOST_EDGES).edges
            handed += trace.group(edges, forward=True)
        if handed:
            trace.add_hop("types of its parameters", handed)
    if trace.spent:
        return "the time was over"
    calls = find_callees(trace, targets)
    if types:
        takes = f"{counted(len(taken), 'function')} {verb(len(taken), 'takes', 'take')}"
        gives = f"{len(given)} {verb(len(given), 'returns', 'return')} it"
        return f"{takes} {types[0].name}, {gives}; {calls}"
    return calls


def _returning(trace: ResearchTrace, target: NameTarget) -> list[ResearchFinding]:
    """Functions whose declared result names a type, with the place where they do."""
    name = target.name.rpartition(".")[2]
    word = whole_word(name)
    page = edges_into(trace.graph, target.id, _MENTIONS, limit=_MOST_EDGES)
    found: list[ResearchFinding] = []
    known: set[int] = set()
    for edge in page.edges:
        symbol = _declaring(trace, edge, word)
        if symbol is not None and symbol.id not in known:
            known.add(symbol.id)
            row = trace.finding(node_of(symbol), target_node(target), [edge])
            found.append(row._replace(relation="returns"))
    if page.next_offset is not None:
        trace.lack("limit", f"uses of {name} that were not looked at", page.counts.resolved)
    return found


def _declaring(trace: ResearchTrace, edge: PlacedEdge, word: re.Pattern[str]) -> Symbol | None:
    """The function whose declared result is at the place of an edge.

    In some languages the scope around a function evaluates its annotations.
    """
    graph = trace.graph
    holder = graph.symbol_at(edge.source_chunk)
    declared = graph.declaration(holder)
    rows: Sequence[tuple[Symbol, Declaration | None]] = [(holder, declared)]
    if holder.node_type not in _FUNCTIONS:
        rows = graph.outline(edge.path)
    return next(
        (
            symbol
            for symbol, own in rows
            if own is not None
            and symbol.node_type in _FUNCTIONS
            and own.name_line <= edge.line <= own.name_line + _SIGNATURE
            and word.search(own.returns)
        ),
        None,
    )


_FUNCTIONS: Final = frozenset({"function", "method"})
_SIGNATURE: Final = 12
