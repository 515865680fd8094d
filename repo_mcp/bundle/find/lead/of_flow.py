"""The steps of a flow as steps of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.lead.steps import Lead
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.flow import Flow, FlowStep, PartedEnds, chain_lines, parted_lines

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.snapshot import GraphSnapshot


def flow_lead(
    graph: GraphSnapshot,
    flow: Flow,
    sides: PartedEnds | None,
    files: Files,
    known: Sequence[Candidate],
) -> Lead:
    """The steps of a flow, those between two ends alone if the question names both."""
    if sides is not None:
        lines = parted_lines(graph, flow, sides)
        ends = [side[at] for side in (sides.from_start, sides.to_end) for at in (0, -1)]
        shown = {step.symbol.id: step for step in ends}
        steps = step_candidates(flow._replace(steps=[*shown.values()], routes=()), files, known)
        return Lead(steps, 0, lines, is_whole=True, is_parted=True)
    steps = step_candidates(flow, files, known)
    main = len({step.symbol.id for route in flow.routes for step in route})
    is_whole = bool(flow.named) and bool(flow.routes)
    steps = steps[:main] if is_whole else steps
    return Lead(steps, main, chain_lines(flow), is_whole, flow.is_parted)


def step_candidates(flow: Flow, files: Files, known: Sequence[Candidate]) -> list[Candidate]:
    """The steps as candidates; the calls of other steps in them are what they are shown for."""
    best = max((item.worth for item in known), default=0.0) or 1.0
    found: list[Candidate] = []
    for step in flow.steps:
        symbol = step.symbol
        inner = [
            other.edge.line for other in flow.steps if other.edge and other.before == symbol.id
        ]
        place = symbol.path, symbol.start_line, symbol.end_line
        candidate = Candidate(*place, _declared_name(files, step))
        evidence, reason = Evidence(SearchKind.FLOW, symbol.qualified_name), _reason(flow, step)
        for line in inner or [symbol.start_line]:
            lines = (line, line) if inner else place[1:]
            candidate.add(LineHit(symbol.path, *lines, evidence, best, reason))
        found.append(candidate)
    return found


def _declared_name(files: Files, step: FlowStep) -> str:
    symbol = step.symbol
    places = files.places(symbol.path, symbol.start_line, symbol.end_line)
    span = symbol.start_line, symbol.end_line
    names = [place.qualified for place in places if (place.start_line, place.end_line) == span]
    return names[0] if names else symbol.name


def _reason(flow: Flow, step: FlowStep) -> Reason:
    before = next((item for item in flow.steps if item.symbol.id == step.before), None)
    return (
        Reason(ReasonCode.BEGINS) if before is None else Reason(ReasonCode.STEP, before.symbol.name)
    )
