"""Hops over the edges of symbols: implementations, callers, callees, uses and impact."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import chain, islice
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.query.dispatch import (
    MOST_EDGES,
    possible_callers,
)
from code_graph.query.edges import (
    EdgeFilter,
    external_uses,
    unresolved_uses,
)
from code_graph.query.impact import impact_of
from code_graph.query.model import LISTED, TYPES, USES, PlacedEdge
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import (
    CALLS,
    SUBTYPES,
    members_of,
)
from code_graph.query.overrides import overridden
from code_graph.query.paths import MAY_AFFECT, Closure, closure
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.ask import (
    CALLEES,
    CALLEES_OF_WHOLE,
    CALLERS,
    DEPENDENCIES_OF_WHOLE,
    DEPENDENTS_OF_WHOLE,
    EdgeRelation,
    find_related,
    find_subtypes,
    target_named,
)
from repo_mcp.research.model import Node, ResearchFinding
from repo_mcp.research.trace import ResearchTrace, evidence_of
from repo_mcp.text.plurals import counted, verb

# symbols that one search goes through
BUDGET: Final = 2_000
_MOST_EXAMPLES: Final = 3
# implementations whose uses are listed, and uses of each
_MOST_USED: Final = 40
_USERS: Final = EdgeRelation((EdgeType.CALLS, EdgeType.REFERENCES, EdgeType.ACCEPTS))
_USED: Final = EdgeFilter(USES, LISTED)


def find_implementations(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Subtypes and overrides, level by level to the end; then who uses them."""
    trace.begin("what implements it directly")
    below = find_subtypes(trace.graph, targets, BUDGET)
    direct = _in_order(trace.group(below.direct))
    trace.add_hop("implementations, directly", direct)
    trace.begin("what implements those")
    if below.farther:
        rows = trace.reached(below.farther, SUBTYPES)
        trace.add_hop("implementations through these", _in_order(rows), len(below.farther))
    _say_limits(trace, targets, truncated=below.truncated)
    if trace.depth > 2 and direct and not trace.spent:
        trace.begin("who uses the implementations")
        nodes = [finding.node for finding in direct[:_MOST_USED] if finding.node.id]
        named = (target_named(trace.graph, node.id) for node in nodes)
        uses = [trace.related(target, _USERS, _MOST_USED).edges for target in named]
        trace.add_hop("who uses the implementations", trace.group(chain.from_iterable(uses)))
    names = _names(targets)
    every = len({finding.node.key for finding in direct}) + len(below.farther)
    blocks = sum(bool(finding.detail) for finding in direct)
    detail = f", {blocks} of them in extensions" if blocks else ""
    return f"{counted(every, 'implementation')} of {names}: {len(direct)} direct{detail}"


def find_callers(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Callers, their callers, and the chains of them."""
    trace.begin("what calls it")
    pages = (trace.related(target, CALLERS).edges for target in targets)
    edges = [*chain.from_iterable(pages)]
    direct, through = _by_dispatch(trace, edges)
    trace.add_hop("callers", _in_order(direct))
    if through:
        trace.add_hop("callers of what it overrides, which may reach it", _in_order(through))
    bases = [base for target in targets for base in overridden(trace.graph, target.id)]
    found = _closure(trace, targets, CALLS, also=bases)
    _add_levels(trace, found, CALLS, "callers of callers")
    trace.add_chains(found, CALLS)
    _say_limits(trace, targets, truncated=found.truncated)
    known = {edge.place for edge in edges}
    for target in targets:
        _say_possible(trace, target, known)
    reached = len({finding.node.key for finding in direct})
    return (
        f"{counted(reached, 'caller')} of {_names(targets)},"
        f" {counted(len(found.reached), 'symbol')} within {counted(trace.depth, 'step')}"
    )


def _by_dispatch(
    trace: ResearchTrace, edges: Sequence[PlacedEdge], *, forward: bool = False
) -> tuple[list[ResearchFinding], list[ResearchFinding]]:
    """The findings of calls that mean their target, and of those that may run it by dispatch."""
    direct = (edge for edge in edges if edge.confidence != Confidence.DISPATCH)
    through = (edge for edge in edges if edge.confidence == Confidence.DISPATCH)
    return trace.group(direct, forward=forward), trace.group(through, forward=forward)


def callees_of(target: NameTarget) -> EdgeRelation:
    """The relation of a symbol to what it calls: of a type all members call."""
    is_type = target.symbol is not None and target.symbol.node_type in TYPES
    return CALLEES_OF_WHOLE if is_type else CALLEES


def find_callees(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Callees of symbols, transitively, and the chains to them."""
    trace.begin("what it calls")
    each = [trace.related(target, callees_of(target)) for target in targets]
    edges = [*chain.from_iterable(uses.edges for uses in each)]
    known, instead = _by_dispatch(trace, edges, forward=True)
    direct = [finding for finding in known if finding.node.path]
    outside = [finding for finding in known if not finding.node.path]
    trace.add_hop("calls", _in_order(direct))
    if instead:
        trace.add_hop("overrides of what is called, which may run instead", _in_order(instead))
    if outside:
        trace.add_hop("calls of what is declared elsewhere", outside)
    parts = [number for uses in each for number in (*uses.ids, *uses.members)]
    found = _closure(trace, targets, CALLS, also=parts, forward=True)
    _add_levels(trace, found, CALLS, "calls of what is called", forward=True)
    trace.add_chains(found, CALLS, forward=True)
    unresolved = sum(uses.counts.unresolved_same_name for uses in each)
    if unresolved:
        trace.lack("unresolved", "calls in it whose target is not known", unresolved)
    if found.truncated:
        trace.lack("budget", f"the search ended after {BUDGET} symbols")
    reached = len({finding.node.key for finding in direct})
    return (
        f"{_names(targets)} calls {counted(reached, 'symbol')}, and {len(found.reached)} within"
        f" {counted(trace.depth, 'step')}"
    )


def find_dependents(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Dependents of symbols or their members, transitively."""
    trace.begin("what uses it")
    uses = find_related(trace.graph, targets, DEPENDENTS_OF_WHOLE, _USED)
    ids = {*uses.ids}
    direct = _in_order(trace.group(edge for edge in uses.edges if edge.target in ids))
    trace.add_hop("uses", direct)
    known = {finding.node.key for finding in direct}
    of_members = trace.group(edge for edge in uses.edges if edge.target not in ids)
    through = _merged([finding for finding in of_members if finding.node.key not in known])
    if through:
        trace.add_hop("uses of its members", _in_order(through))
    found = _closure(trace, targets, MAY_AFFECT, also=uses.members, through_files=False)
    _add_levels(trace, found, MAY_AFFECT, "uses of these")
    _say_limits(trace, targets, truncated=found.truncated)
    files = len({finding.node.path for finding in direct})
    return (
        f"{counted(len(known), 'symbol')} in {counted(files, 'file')}"
        f" {verb(len(known), 'uses', 'use')} {_names(targets)} itself, {len(through)} only its"
        f" members; {len(found.reached)} within {counted(trace.depth, 'step')}"
    )


def find_dependencies(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Dependencies of symbols and their members, internal and external."""
    trace.begin("what it uses")
    each = [trace.related(target, DEPENDENCIES_OF_WHOLE) for target in targets]
    found = trace.group((edge for uses in each for edge in uses.edges), forward=True)
    inside = [finding for finding in found if finding.node.path]
    outside = [finding for finding in found if not finding.node.path]
    trace.add_hop("uses in the repository", _in_order(_merged(inside)))
    if outside:
        trace.add_hop("uses of what is declared elsewhere", _merged(outside))
    members = [number for uses in each for number in uses.members]
    reached = _closure(trace, targets, MAY_AFFECT, also=members, forward=True)
    _add_levels(trace, reached, MAY_AFFECT, "uses of these", forward=True)
    if reached.truncated:
        trace.lack("budget", f"the search ended after {BUDGET} symbols")
    here = len({finding.node.key for finding in inside})
    there = len({finding.node.key for finding in outside})
    symbols = counted(here, "symbol")
    return f"{_names(targets)} uses {symbols} of the repository and {there} from elsewhere"


def find_impact(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """The symbols that a change may affect, nearest first, and the tests that reach it."""
    ids = [target.id for target in targets]
    impact = impact_of(trace.graph, ids, MAY_AFFECT, depth=trace.depth, budget=BUDGET)
    for distance in range(1, trace.depth + 1):
        if trace.spent or not any(item.distance == distance for item in impact.whole.reached):
            break
        trace.begin(f"what is {counted(distance, 'step')} away")
        step = [item for item in impact.code.reached if item.distance == distance]
        rows = trace.reached(step, MAY_AFFECT)
        if rows:
            title = f"affected, {counted(distance, 'step')} away"
            trace.add_hop(title, _in_order(rows), len(step))
    tests = impact.tests.reached
    if tests:
        trace.add_hop("tests that reach it", trace.reached(tests, MAY_AFFECT), len(tests))
    trace.add_chains(impact.whole, MAY_AFFECT)
    _say_limits(trace, targets, truncated=impact.whole.truncated)
    return (
        f"a change of {_names(targets)} may affect {counted(impact.affected, 'symbol')} in"
        f" {counted(impact.files, 'file')} within {counted(trace.depth, 'step')},"
        f" {len(tests)} of them in tests"
    )


def _closure(
    trace: ResearchTrace,
    targets: Sequence[NameTarget],
    chosen: EdgeFilter,
    *,
    depth: int = 0,
    also: Sequence[int] = (),
    forward: bool = False,
    through_files: bool = True,
) -> Closure:
    first, *rest = [target.id for target in targets]
    return closure(
        trace.graph,
        first,
        chosen,
        depth=depth or trace.depth,
        budget=BUDGET,
        also=[*rest, *also],
        forward=forward,
        through_files=through_files,
    )


def _add_levels(
    trace: ResearchTrace, found: Closure, chosen: EdgeFilter, title: str, *, forward: bool = False
) -> None:
    """A hop for each step after the first."""
    for distance in range(2, trace.depth + 1):
        step = [item for item in found.reached if item.distance == distance]
        if not step or trace.spent:
            break
        trace.begin(f"{title}, step {distance}")
        rows = trace.reached(step, chosen, forward=forward)
        trace.add_hop(f"{title}, step {distance}", _in_order(rows), len(step))


def _say_limits(trace: ResearchTrace, targets: Sequence[NameTarget], *, truncated: bool) -> None:
    """Note possible gaps: uses of unknown targets, and results left out by the budget."""
    if truncated:
        trace.lack("budget", f"the search ended after {BUDGET} symbols")
    symbols = (target.symbol for target in targets if target.symbol is not None)
    for name, language in sorted({(item.name, item.named_as) for item in symbols}):
        count = unresolved_uses(trace.graph, name, language=language)
        if count:
            trace.lack("unresolved", f"uses of the name {name} whose target is not known", count)
        count = external_uses(trace.graph, name, language=language)
        if count:
            text = f"uses of {name} that mean something declared elsewhere"
            trace.lack("external", text, count)


def _say_possible(
    trace: ResearchTrace, target: NameTarget, known: Container[tuple[str, int, int]]
) -> None:
    """Calls of the same name that were not followed, with the first places."""
    possible = islice(possible_callers(trace.graph, target.id), MOST_EDGES)
    edges = [edge for edge in possible if edge.place not in known]
    if edges:
        places = [evidence_of(edge) for edge in edges[:_MOST_EXAMPLES]]
        listed = ", ".join(f"{item.path}:{item.line}" for item in places)
        text = f"calls of the same name that may mean {target.name}: {listed}"
        trace.lack("possible", text, len(edges))


def members_of_all(graph: GraphSnapshot, targets: Sequence[NameTarget]) -> list[int]:
    """The members of all of some symbols, by id."""
    return sorted({number for target in targets for number in members_of(graph, target.id)})


def _names(targets: Sequence[NameTarget]) -> str:
    return ", ".join(dict.fromkeys(target.name for target in targets))


def _merged(findings: Sequence[ResearchFinding]) -> list[ResearchFinding]:
    """One finding for each node: the most used relation, with all places counted."""
    best: dict[str, ResearchFinding] = {}
    for finding in findings:
        other = best.get(finding.node.key)
        if other is None:
            best[finding.node.key] = finding
        else:
            first = max(finding, other, key=lambda item: item.places)
            best[finding.node.key] = first._replace(places=finding.places + other.places)
    return sorted(best.values(), key=lambda item: (-item.places, item.node.name, item.node.key))


def _in_order(findings: list[ResearchFinding]) -> list[ResearchFinding]:
    """Findings outside of tests first, each by path and line."""
    return sorted(findings, key=_place)


def _place(finding: ResearchFinding) -> tuple[bool, str, int, str]:
    first = finding.evidence[0] if finding.evidence else None
    node: Node = finding.node
    path, line = (first.path, first.line) if first else (node.path, node.line)
    return node.is_test, path, line, node.name
