"""The demands of a type on those that implement it, as steps of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.lead.steps import Lead, StepMaker, listed, name_line, short_name
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import LeadWeights as Weights
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.implementing import Maker, TypeDemand
    from code_graph.query.model import PlacedEdge, Symbol
    from code_graph.query.snapshot import GraphSnapshot

_MEMBERS_SHOWN: Final = 40


def type_lead(graph: GraphSnapshot, demand: TypeDemand, files: Files, worth: float) -> Lead:
    """The members that a type asks for, its nearest implementers, their makers and a test."""
    from code_graph.query.implementing import find_makers, find_tests  # noqa: PLC0415 most servers have no graph

    steps = StepMaker(files, worth)
    symbol = demand.symbol
    makers, tests = find_makers(graph, demand, files.line), find_tests(graph, demand)
    asked = Reason(ReasonCode.ASKS, symbol.name)
    for member in demand.required:
        inside = symbol.encloses(member)
        span = (symbol.start_line, symbol.end_line) if inside else None
        steps.add((member.path, name_line(graph, member)), asked, span)
    if not demand.required:
        steps.add((symbol.path, symbol.start_line), asked)
    for maker in makers[: Weights.MOST_MAKERS]:
        for edge in maker.places[: Weights.MOST_PLACES]:
            steps.add((edge.path, edge.line), Reason(ReasonCode.MAKES, symbol.name))
    main = len(steps.steps())
    for item in demand.in_code[: Weights.MOST_IMPLEMENTERS]:
        span = item.start_line, item.end_line
        steps.add((item.path, item.start_line), Reason(ReasonCode.IMPLEMENTS, symbol.name), span)
        for member in _supplied(graph, item, demand.required):
            if not item.encloses(member):
                steps.add(
                    (member.path, member.start_line), Reason(ReasonCode.IMPLEMENTS, symbol.name)
                )
    for edge in tests[:1]:
        steps.add((edge.path, edge.line), Reason(ReasonCode.TESTS, names=(symbol.name,)))
    lines = [*_type_lines(graph, demand), *_maker_lines(makers, tests)]
    return Lead(steps.steps(), main, lines, is_whole=True)


def _supplied(graph: GraphSnapshot, item: Symbol, required: Sequence[Symbol]) -> Iterator[Symbol]:
    """The members by which a type supplies what is asked for."""
    from code_graph.query.neighbours import members_of  # noqa: PLC0415 most servers have no graph

    names = {member.simple_name for member in required}
    for number in members_of(graph, item.id):
        member = graph.symbol(number)
        if member is not None and member.simple_name in names:
            yield member


def _type_lines(graph: GraphSnapshot, demand: TypeDemand) -> Iterator[str]:
    symbol = demand.symbol
    asked = [_asked_member(graph, member, symbol) for member in demand.required]
    place = _placed_type(graph, symbol)
    if asked:
        count = counted(len(asked), "member")
        yield f"{place} asks for {count}: {listed(asked, _MEMBERS_SHOWN)}"
    elif not demand.outside:
        yield f"{place} asks for no member"
    if demand.outside:
        yield f"types outside ask for {listed(demand.outside)}"
    if demand.optional:
        yield f"with a default: {listed(member.simple_name for member in demand.optional)}"
    if demand.in_code:
        shown = (_placed_type(graph, item) for item in demand.in_code)
        yield f"implemented by {listed(shown)}"


def _maker_lines(makers: Sequence[Maker], tests: Sequence[PlacedEdge]) -> Iterator[str]:
    for maker in makers[: Weights.MOST_LISTED]:
        lines = [f"{edge.line}" for edge in maker.places]
        path = maker.places[0].path
        made = (
            f" makes {counted(maker.made, 'implementer')}" if maker.made else " takes or makes one"
        )
        yield f"{short_name(maker.symbol)}{made} ({path}:{','.join(dict.fromkeys(lines))})"
    if tests:
        places = (f"{edge.path}:{edge.line}" for edge in tests)
        yield f"tests: {listed(places, Weights.MOST_PLACES)}"


def _placed_type(graph: GraphSnapshot, symbol: Symbol) -> str:
    return f"{short_name(symbol)} ({symbol.path}:{name_line(graph, symbol)})"


def _asked_member(graph: GraphSnapshot, member: Symbol, holder: Symbol) -> str:
    path = "" if member.path == holder.path else member.path
    return f"{member.simple_name} ({path}:{name_line(graph, member)})"
