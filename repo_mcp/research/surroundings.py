"""Hops around symbols: what one is, how two are connected, what is near hits of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from code_graph.model import Confidence, EdgeType
from code_graph.paths.path_kinds import CODE, is_test, rank_path
from code_graph.query.edges import USED, EdgeFilter, reference_count
from code_graph.query.model import LineOf, Symbol
from code_graph.query.names import NameTarget, find_targets
from code_graph.query.neighbours import CALLS, SUBTYPES, up_to
from code_graph.query.paths import Closure, closure, evidence, explain_dependence
from repo_mcp.ask import BASES, MEMBERS, EdgeRelation
from repo_mcp.flow import Flow, FlowSources, PartedEnds, Passage, find_question_flow, find_sides
from repo_mcp.model import SearchHit
from repo_mcp.research.model import Node, ResearchFinding
from repo_mcp.research.relations import BUDGET, callees_of, members_of_all
from repo_mcp.research.trace import BLOCKS, Journal, ResearchTrace, node_of, target_node
from repo_mcp.text.plurals import counted, verb

Search = Callable[[str, int], Sequence[SearchHit]]

_MOST_HITS: Final = 12
_MOST_FOLLOWED: Final = 6
_MOST_AROUND: Final = 300
_DEEPEST: Final = 4
_MOST_PAIRS: Final = 3
_LONGEST_WAY: Final = 12
_MOST_EDGES: Final = 60
# an import alone does nothing with a symbol
_USERS: Final = EdgeRelation(tuple(map(EdgeType, USED.types)))
_AROUND: Final = EdgeFilter((*CALLS.types, *SUBTYPES.types))
_SURE: Final = up_to(Confidence.CONTRACT, CALLS.types).confidences


def describe(trace: ResearchTrace, targets: Sequence[NameTarget]) -> str:
    """Where symbols are declared, their bases and members, and who is around them."""
    trace.begin("where it is declared")
    graph = trace.graph
    declared = [
        ResearchFinding(node_of(part), "declares", detail=_declared(trace, part) if first else "")
        for target in targets
        for first, part in ((not at, part) for at, part in enumerate(_parts(trace, target)))
    ]
    trace.add_hop("declarations", declared)
    members: list[ResearchFinding] = []
    around: list[ResearchFinding] = []
    for target in targets:
        edges = trace.related(target, MEMBERS, _MOST_EDGES).edges
        members += trace.group(edges, forward=True)
        around += trace.group(trace.related(target, BASES, _MOST_EDGES).edges, forward=True)
    if around:
        trace.add_hop("built on", around)
    if members:
        trace.add_hop("members", members)
    if trace.depth > 1 and not trace.spent:
        trace.begin("what is around it")
        _describe_neighbours(trace, targets)
    names = ", ".join(dict.fromkeys(target.name for target in targets))
    uses = sum(reference_count(graph, target.id) for target in targets)
    counts = f"{counted(len(declared), 'declaration')}, {counted(len(members), 'member')}"
    return f"{names}: {counts}, used in {counted(uses, 'place')}"


def _describe_neighbours(trace: ResearchTrace, targets: Sequence[NameTarget]) -> None:
    found: list[ResearchFinding] = []
    called: list[ResearchFinding] = []
    total = 0
    for target in targets:
        uses = trace.related(target, _USERS, _MOST_EDGES)
        found += trace.group(uses.edges)
        total += uses.counts.resolved
        edges = trace.related(target, callees_of(target), _MOST_EDGES).edges
        called += trace.group(edges, forward=True)
    if found:
        trace.add_hop("used by", sorted(found, key=lambda item: item.node.is_test))
        if total > sum(item.places for item in found):
            trace.lack("limit", "uses of it in all, of which the first were read", total)
    if called:
        trace.add_hop("calls", called)


def _parts(trace: ResearchTrace, target: NameTarget) -> list[Symbol]:
    """The declarations of a symbol: those before blocks that extend it."""

    def is_block(part: Symbol) -> bool:
        declared = trace.graph.declaration(part)
        return declared is not None and declared.kind in BLOCKS

    return sorted(trace.graph.spans(target.id), key=is_block)


def _signature(trace: ResearchTrace, number: int) -> str:
    symbol = trace.graph.symbol(number)
    return "" if symbol is None else _declared(trace, symbol)


def _declared(trace: ResearchTrace, symbol: Symbol) -> str:
    """Signature and documentation of a declaration."""
    declared = trace.graph.declaration(symbol)
    if declared is None:
        return ""
    return f"{declared.signature} \u2014 {declared.doc}" if declared.doc else declared.signature


def connect(
    trace: ResearchTrace, sources: Sequence[NameTarget], targets: Sequence[NameTarget]
) -> str:
    """A shortest way between two, forwards and backwards; empty if there is none."""
    names = f"{sources[0].name} to {targets[0].name}"
    trace.begin(f"the way from {names}")
    forward = _best_way(trace, sources, targets)
    trace.begin("the way back")
    back = _best_way(trace, targets, sources)
    if forward:
        rest = f", and back in {back}" if back else "; no way leads back"
        return f"{sources[0].name} leads to {targets[0].name} in {_steps(forward)}{rest}"
    if back:
        return (
            f"{sources[0].name} does not lead to {targets[0].name}; {targets[0].name} leads to"
            f" {sources[0].name} in {_steps(back)}"
        )
    for one, other in ((sources, targets), (targets, sources)):
        inside = members_of_all(trace.graph, one)
        if any(item.id in inside for item in other):
            return f"{one[0].name} contains {other[0].name}"
    return _meet(trace, sources, targets)


def _steps(count: int) -> str:
    return counted(count, "step")


def _best_way(
    trace: ResearchTrace, sources: Sequence[NameTarget], targets: Sequence[NameTarget]
) -> int:
    """The length of the shortest way that was found between any two; adds it as a chain."""
    best: Sequence[object] = ()
    chosen = None
    for source in sources[:_MOST_PAIRS]:
        for target in targets[:_MOST_PAIRS]:
            if source.id == target.id:
                continue
            found = explain_dependence(
                trace.graph, source.id, target.id, _SURE, depth=_LONGEST_WAY, budget=BUDGET
            )
            if found.truncated and not found.edges:
                trace.lack("budget", f"the search for a way ended after {BUDGET} symbols")
            if found.edges and (not best or len(found.edges) < len(best)):
                best, chosen = found.edges, found
    if chosen is not None:
        trace.add_chain(chosen.edges)
    return len(best)


def _meet(
    trace: ResearchTrace, sources: Sequence[NameTarget], targets: Sequence[NameTarget]
) -> str:
    """Callers that two symbols share, where neither leads to the other."""
    trace.begin("what leads to both")
    sides = [_callers_of(trace, ends) for ends in (sources, targets)]
    both = {item.id for item in sides[0].reached} & {item.id for item in sides[1].reached}
    distance = {
        number: sum(item.distance for side in sides for item in side.reached if item.id == number)
        for number in both
    }
    shared = min(both, key=lambda number: (distance[number], number), default=None)
    if shared is None:
        return ""
    for side in sides:
        trace.add_chain(evidence(trace.graph, side.ways()[shared], CALLS))
    return f"neither leads to the other; {trace.node(shared).name} calls both, directly or not"


def _callers_of(trace: ResearchTrace, targets: Sequence[NameTarget]) -> Closure:
    also = [*(item.id for item in targets), *members_of_all(trace.graph, targets)]
    depth = trace.depth + 1
    return closure(trace.graph, targets[0].id, CALLS, depth=depth, budget=BUDGET, also=also)


def find_by_words(journal: Journal, search: Search, text: str) -> list[SearchHit]:
    """The best passages for the words of a question."""
    journal.begin("ranked search")
    hits = [*search(text, _MOST_HITS)] if text.strip() else []
    findings = [_hit_finding(hit) for hit in hits]
    journal.add_hop("passages that match the words", findings)
    return hits


def find_flow_of_question(trace: ResearchTrace, search: Search, line_of: LineOf, text: str) -> str:
    """The chains of calls that a question is about, and the functions on them; empty for none.

    Between two named ends that no way joins: the calls on each side, and what may lie between.
    """
    trace.begin("what runs one after another")

    def passages(words: str) -> list[Passage]:
        hits = search(words, _MOST_HITS)
        return [(hit.path, hit.start_line, hit.end_line) for hit in hits]

    sources = FlowSources(passages, line_of, trace.check)
    flow = find_question_flow(trace.graph, text, passages(text), sources)
    sides = find_sides(trace.graph, flow, sources)
    if sides is not None:
        return _add_sides(trace, flow, sides)
    chains = flow.chains()
    for chain in chains:
        trace.add_chain([step.edge for step in chain if step.edge is not None])
    shown = {step.symbol.id for chain in chains for step in chain}
    steps = [step for step in flow.steps if step.symbol.id in shown]
    if not steps:
        return ""
    rows = [
        ResearchFinding(node_of(step.symbol), "declares", detail=_declared(trace, step.symbol))
        for step in steps
    ]
    trace.add_hop("steps in the order of calls", rows)
    return f"{counted(len(chains), 'chain')} of {counted(len(steps), 'step')}"


def _add_sides(trace: ResearchTrace, flow: Flow, sides: PartedEnds) -> str:
    """Adds the calls on both sides of a gap, and the places where the way may go on."""
    for side in (sides.from_start, sides.to_end):
        trace.add_chain([step.edge for step in side if step.edge is not None])
    start, end = flow.named
    first = sides.to_end[0].symbol if sides.to_end else end
    handed = trace.group(sides.handed)
    opened = [
        ResearchFinding(node_of(call.symbol), detail=f"{call.name} in line {call.line}")
        for call in sides.open_calls
    ]
    if handed:
        trace.add_hop(f"where {first.name} is handed on", handed)
    if opened:
        trace.add_hop(f"calls without a known target from {start.name} on", opened)
    return f"no way of calls is known from {start.qualified_name} to {end.qualified_name}"


def follow_hits(trace: ResearchTrace, hits: Sequence[SearchHit]) -> str:
    """The declarations of hits in code, if there are any, and what is around the best of them."""
    targets: dict[int, NameTarget] = {}
    for hit in [hit for hit in hits if rank_path(hit.path) == CODE] or hits:
        found = find_targets(trace.graph, f"{hit.path}:{_middle(hit)}", 1).targets
        for target in found:
            if target.symbol is not None and target.symbol.node_type != "file":
                targets.setdefault(target.id, target)
    best = [*targets.values()][:_MOST_FOLLOWED]
    if best:
        trace.begin("the declarations of the hits")
        rows = [
            ResearchFinding(target_node(item), "declares", detail=_signature(trace, item.id))
            for item in best
        ]
        trace.add_hop("declarations around the best passages", rows)
    if best and trace.depth > 1 and not trace.spent:
        _add_neighbourhood(trace, best)
    passages = f"{counted(len(hits), 'passage')} {verb(len(hits), 'matches', 'match')}"
    return f"{passages}, in {counted(len(targets), 'declaration')}"


def _add_neighbourhood(trace: ResearchTrace, targets: Sequence[NameTarget]) -> None:
    """Add the symbols one or more edges away, in both directions."""
    ids = [target.id for target in targets]
    depth = min(trace.depth - 1, _DEEPEST)
    for forward, title in ((False, "what leads to them"), (True, "what they lead to")):
        trace.begin(title)
        found = closure(
            trace.graph,
            ids[0],
            _AROUND,
            depth=depth,
            budget=_MOST_AROUND,
            also=ids[1:],
            forward=forward,
        )
        if found.truncated:
            trace.lack("budget", f"around the hits only {_MOST_AROUND} symbols were read")
        rows = trace.reached(found.reached, _AROUND, forward=forward)
        if rows:
            trace.add_hop(title, rows, len(found.reached))


def _hit_finding(hit: SearchHit) -> ResearchFinding:
    name = hit.symbol or hit.path
    node = Node(0, name, "passage", hit.path, hit.start_line, hit.end_line, is_test(hit.path))
    return ResearchFinding(node, "matches", detail=", ".join(hit.matched_terms))


def _middle(hit: SearchHit) -> int:
    return (hit.start_line + hit.end_line) // 2
