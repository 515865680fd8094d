"""Hops over the edges of symbols: implementations, callers, callees, uses and impact."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import chain, islice
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.dispatch import (
    MOST_EDGES,
    dispatched_callees,
    possible_callers,
)
from code_graph.query.edges import (
    EdgeFilter,
    edges_into,
    edges_of_parts,
    edges_out_of,
    external_uses,
    unresolved_uses,
)
from code_graph.query.model import LISTED, TYPES, USES
from code_graph.query.names import NameTarget
from code_graph.query.neighbours import (
    CALLS,
    SUBTYPES,
    members_of,
    outgoing_edges,
    targets_of,
)
from code_graph.query.overrides import overridden
from code_graph.query.paths import MAY_AFFECT, Closure, ReachedSymbol, closure
from repo_mcp.ask import find_uses
from repo_mcp.research.model import Node, ResearchFinding
from repo_mcp.research.trace import ResearchTrace, evidence_of, target_node
from repo_mcp.text.plurals import counted, verb

# symbols that one search goes through
BUDGET: Final = 2_000
# levels of a hierarchy: implementations are complete whatever depth is asked for
_LEVELS: Final = 16
_MOST_EXAMPLES: Final = 3
_USED: Final = EdgeFilter(USES, LISTED)
_CALLED: Final = EdgeFilter(CALLS.types, LISTED)


def find_implementations(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Subtypes and overrides, level by level to the end; then who uses them."""
    trace.begin("what implements it directly")
    direct: list[ResearchFinding] = []
    for target in targets:
        direct += _implementing(trace, target)
    direct = _in_order(direct)
    trace.add_hop("implementations, directly", direct)
    trace.begin("what implements those")
    found = _closure(trace, targets, SUBTYPES, depth=_LEVELS)
    known = {finding.node.id for finding in direct}
    farther = [item for item in found.reached if item.distance > 1 and item.id not in known]
    if farther:
        rows = trace.reached(farther, SUBTYPES)
        trace.add_hop("implementations through these", _in_order(rows), len(farther))
    _say_limits(trace, targets, found)
    if trace.depth > 2 and direct and not trace.spent:
        trace.begin("who uses the implementations")
        uses = [
            use
            for finding in direct[:40]
            for use in trace.group(edges_into(trace.graph, finding.node.id, _USED, limit=20).edges,
                                   finding.node)
            if finding.node.id and use.relation in {"calls", "references", "accepts"}
        ]  # fmt: skip
        trace.add_hop("who uses the implementations", uses)
    names = _names(targets)
    every = len({finding.node.key for finding in direct}) + len(farther)
    blocks = sum(bool(finding.detail) for finding in direct)
    detail = f", {blocks} of them in extensions" if blocks else ""
    return f"{counted(every, 'implementation')} of {names}: {len(direct)} direct{detail}"


def _implementing(trace: ResearchTrace, target: NameTarget) -> list[ResearchFinding]:
    page = edges_into(trace.graph, target.id, SUBTYPES, limit=MOST_EDGES)
    other = target_node(target)
    found: list[ResearchFinding] = []
    for edge in page.edges:
        detail = "extension" if trace.is_block(edge) else ""
        found.append(trace.finding(trace.source(edge), other, [edge], detail=detail))
    if page.next_offset is not None:
        trace.lack("limit", "only so many implementations are read", page.counts.resolved)
    return found


def find_callers(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Callers, their callers, and the chains of them."""
    subjects = _with_constructors(trace, targets)
    trace.begin("what calls it")
    direct: list[ResearchFinding] = []
    through: list[ResearchFinding] = []
    bases: list[int] = []
    known: set[tuple[str, int, int]] = set()
    for target in subjects:
        node = target_node(target)
        edges = find_uses(trace.graph, [target.id], _CALLED).edges
        known |= {edge.place for edge in edges}
        is_through = Confidence.DISPATCH
        direct += trace.group((edge for edge in edges if edge.confidence != is_through), node)
        through += trace.group((edge for edge in edges if edge.confidence == is_through), node)
        bases += overridden(trace.graph, target.id)
    direct = _distinct(direct)
    trace.add_hop("callers", _in_order(direct))
    if through:
        trace.add_hop("callers of what it overrides, which may reach it", _in_order(through))
    found = _closure(trace, subjects, CALLS, also=bases)
    _add_levels(trace, found, CALLS, "callers of callers")
    trace.add_chains(found, CALLS)
    _say_limits(trace, targets, found)
    for target in targets:
        _say_possible(trace, target, known)
    reached = len({finding.node.key for finding in direct})
    return (
        f"{counted(reached, 'caller')} of {_names(targets)},"
        f" {counted(len(found.reached), 'symbol')} within {counted(trace.depth, 'step')}"
    )


def find_callees(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Callees of symbols, transitively, and the chains to them."""
    subjects = _with_methods(trace, targets)
    trace.begin("what it calls")
    direct: list[ResearchFinding] = []
    instead: list[ResearchFinding] = []
    outside: list[ResearchFinding] = []
    unresolved = 0
    for target in subjects:
        node = target_node(target)
        edges = [*edges_of_parts(trace.graph, target.id, CALLS)]
        own = trace.group(edges, node, forward=True)
        direct += [finding for finding in own if finding.node.path]
        outside += [finding for finding in own if not finding.node.path]
        instead += trace.group(
            islice(dispatched_callees(trace.graph, edges), MOST_EDGES), node, forward=True
        )
        page = edges_out_of(trace.graph, target.id, CALLS, limit=1)
        unresolved += page.counts.unresolved_same_name
    trace.add_hop("calls", _in_order(direct))
    if instead:
        trace.add_hop("overrides of what is called, which may run instead", _in_order(instead))
    if outside:
        trace.add_hop("calls of what is declared elsewhere", outside)
    found = _closure(trace, subjects, CALLS, forward=True)
    _add_levels(trace, found, CALLS, "calls of what is called", forward=True)
    trace.add_chains(found, CALLS, forward=True)
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
    members = _members(trace, targets)
    trace.begin("what uses it")
    own = {target.id for target in targets} | {*members}
    direct: list[ResearchFinding] = []
    for target in targets:
        edges = find_uses(trace.graph, [target.id], _USED).edges
        direct += trace.group(
            (edge for edge in edges if edge.source not in own), target_node(target)
        )
    direct = _in_order(direct)
    trace.add_hop("uses", direct)
    known = {finding.node.id for finding in direct}
    found = _closure(trace, targets, MAY_AFFECT, also=members, through_files=False)
    through = [item for item in found.reached if item.distance == 1 and item.id not in known]
    if through:
        rows = trace.reached(through, MAY_AFFECT)
        trace.add_hop("uses of its members", _in_order(rows), len(through))
    _add_levels(trace, found, MAY_AFFECT, "uses of these")
    _say_limits(trace, targets, found)
    files = len({finding.node.path for finding in direct})
    return (
        f"{counted(len(known), 'symbol')} in {counted(files, 'file')}"
        f" {verb(len(known), 'uses', 'use')} {_names(targets)} itself, {len(through)} only its"
        f" members; {len(found.reached)} within {counted(trace.depth, 'step')}"
    )


def find_dependencies(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Dependencies of symbols and their members, internal and external."""
    members = _members(trace, targets)
    own = {target.id for target in targets} | {*members}
    trace.begin("what it uses")
    edges = chain.from_iterable(
        outgoing_edges(trace.graph, number, _USED) for number in sorted(own)
    )
    subject = target_node(targets[0])
    found = trace.group((edge for edge in edges if edge.target not in own), subject, forward=True)
    inside = [finding for finding in found if finding.node.path]
    outside = [finding for finding in found if not finding.node.path]
    trace.add_hop("uses in the repository", _in_order(_merged(inside)))
    if outside:
        trace.add_hop("uses of what is declared elsewhere", _merged(outside))
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
    members = _members(trace, targets)
    chosen = MAY_AFFECT
    found = _closure(trace, targets, chosen, also=members, through_files=False)
    tests: list[ReachedSymbol] = []
    for distance in range(1, trace.depth + 1):
        step = [item for item in found.reached if item.distance == distance]
        if not step or trace.spent:
            break
        trace.begin(f"what is {counted(distance, 'step')} away")
        others: list[ReachedSymbol] = []
        for item in step:
            symbol = trace.graph.symbol(item.id)
            in_test = symbol is not None and is_test(symbol.path)
            (tests if in_test else others).append(item)
        rows = trace.reached(others, chosen)
        if rows:
            trace.add_hop(
                f"affected, {counted(distance, 'step')} away", _in_order(rows), len(others)
            )
    if tests:
        trace.add_hop("tests that reach it", trace.reached(tests, chosen), len(tests))
    trace.add_chains(found, chosen)
    _say_limits(trace, targets, found)
    files = {symbol.path for item in found.reached if (symbol := trace.graph.symbol(item.id))}
    return (
        f"a change of {_names(targets)} may affect {counted(len(found.reached), 'symbol')} in"
        f" {counted(len(files), 'file')} within {counted(trace.depth, 'step')},"
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


def _say_limits(trace: ResearchTrace, targets: Sequence[NameTarget], found: Closure) -> None:
    """Note possible gaps: uses of unknown targets, and results left out by the budget."""
    if found.truncated:
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


def _with_constructors(trace: ResearchTrace, targets: Sequence[NameTarget]) -> list[NameTarget]:
    """Symbols, and the constructors of classes: calling a class is calling one."""
    return _with_members(trace, targets, {"constructor"})


def _with_methods(trace: ResearchTrace, targets: Sequence[NameTarget]) -> list[NameTarget]:
    return _with_members(trace, targets, {"constructor", "method", "function"})


def _with_members(
    trace: ResearchTrace, targets: Sequence[NameTarget], node_types: set[str]
) -> list[NameTarget]:
    found = {target.id: target for target in targets}
    for target in targets:
        if target.symbol is None or target.symbol.node_type not in TYPES:
            continue
        for number in targets_of(trace.graph, target.id, _CONTAINS):
            symbol = trace.graph.symbol(number)
            if symbol is not None and symbol.node_type in node_types:
                found.setdefault(number, NameTarget(number, symbol.qualified_name, symbol))
    return [*found.values()]


_CONTAINS: Final = EdgeFilter((EdgeType.CONTAINS,))


def _members(trace: ResearchTrace, targets: Sequence[NameTarget]) -> list[int]:
    return sorted({number for item in targets for number in members_of(trace.graph, item.id)})


def _names(targets: Sequence[NameTarget]) -> str:
    return ", ".join(dict.fromkeys(target.name for target in targets))


def _distinct(findings: Sequence[ResearchFinding]) -> list[ResearchFinding]:
    """Each caller once for its places: calling a class is calling its constructor, too."""
    found: dict[tuple[str, tuple[tuple[str, int], ...]], ResearchFinding] = {}
    for finding in findings:
        places = tuple((item.path, item.line) for item in finding.evidence)
        found.setdefault((finding.node.key, places), finding)
    return [*found.values()]


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
