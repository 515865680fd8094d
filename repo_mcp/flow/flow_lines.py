"""The chains of calls of a flow as lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from repo_mcp.flow.model import Flow, FlowStep, PartedEnds
from repo_mcp.flow.weights import FlowWeights as Weights

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.model import Symbol
    from code_graph.query.snapshot import GraphSnapshot

# the last name of a symbol and the one around it
_OWNED: Final = re.compile(r"(?:[^.:]+(?:\.|::))?[^.:]+$")


def chain_lines(flow: Flow) -> list[str]:
    """Each chain in a line: `A → B (file:line) → C`; the beginning of the one above is left out.

    Ends that were guessed, and have no way between them, are said first.
    """
    lines = [*_guess_line(flow)]
    above: Sequence[FlowStep] = ()
    # one that is cut off from both sides is told by what lacks
    chains = [chain for chain in flow.chains() if len(chain) > 1]
    for chain in chains[: Weights.MOST_CHAINS]:
        shared = 0
        while shared < min(len(chain), len(above)) and chain[shared] == above[shared]:
            shared += 1
        left_out = max(0, shared - 1)
        lines.append("… → " * bool(left_out) + " → ".join(_shown_steps(chain[left_out:])))
        above = chain
    for start, end in flow.gaps:
        lines.append(f"no way of calls is known from {_placed(start)} to {_placed(end)}")
    return lines


def parted_lines(graph: GraphSnapshot, flow: Flow, sides: PartedEnds) -> list[str]:
    """The calls on each side of two ends that no way connects."""
    start, end = flow.named
    lines = [f"no way of calls is known from {_placed(start)} to {_placed(end)}"]
    for told, side in (("from the first", sides.from_start), ("to the second", sides.to_end)):
        if len(side) > 1:
            lines.append(f"{told}: {' → '.join(_shown_steps(side))}")
    first = sides.to_end[0].symbol if sides.to_end else end
    for edge in sides.handed:
        around = graph.symbol(edge.source)
        inside = ""
        if around is not None and around.node_type != "file":
            inside = f" in {_owned(around)}"
        lines.append(f"{_owned(first)} is handed on at {edge.path}:{edge.line}{inside}")
    opened = [f"{call.name} ({call.symbol.path}:{call.line})" for call in sides.open_calls]
    if opened:
        lines.append(f"calls without a known target behind the first: {', '.join(opened)}")
    return lines


def _guess_line(flow: Flow) -> Iterator[str]:
    """A line on the functions that both ends were taken for, if the question names none.

    A way between them shows its ends itself.
    """
    is_way = bool(flow.routes) and not flow.is_parted
    if not is_way and flow.guessed and all(flow.guessed):
        start, end = (", ".join(map(_placed, side)) for side in flow.guessed)
        yield (
            f"no way of calls is known; the question names no function, and by its words the ends"
            f" were guessed: from {start} to {end}"
        )


def _shown_steps(steps: Sequence[FlowStep]) -> Iterator[str]:
    """The steps as text, the first without its place; the path where it is another than before."""
    path = ""
    for at, step in enumerate(steps):
        shown = _owned(step.symbol)
        if at and step.edge is not None:
            place = f"{'' if step.edge.path == path else step.edge.path}:{step.edge.line}"
            shown += f" ({place}{_note(step)})"
            path = step.edge.path
        yield shown


def _note(step: FlowStep) -> str:
    return f", through {step.through}" if step.through else ", by name" * step.is_by_name


def _placed(symbol: Symbol) -> str:
    return f"{_owned(symbol)} ({symbol.path}:{symbol.start_line})"


def _owned(symbol: Symbol) -> str:
    name = _OWNED.search(symbol.qualified_name)
    return name[0] if name else symbol.qualified_name
