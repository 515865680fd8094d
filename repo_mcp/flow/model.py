"""Records of flows: what they are found by, their steps, and the two sides of a gap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from code_graph.model import Confidence
from index_format.tuples import NamedTuple

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.model import LineOf, PlacedEdge, Symbol

# a path with the first and last line of a passage
Passage: TypeAlias = tuple[str, int, int]


class FlowSources(NamedTuple):
    """Sources of a flow: the passages for some words, best first, and lines of files."""

    search: Callable[[str], Sequence[Passage]]
    line_of: LineOf
    check: Callable[[], None]


class FlowStep(NamedTuple):
    """A function, and the place that leads to it; without one a flow begins there."""

    symbol: Symbol
    edge: PlacedEdge | None = None
    # the field or variable by which the step before leads here, if it does not call
    through: str = ""
    # whether this is the caller of the step before, which goes on when that has returned
    is_back: bool = False

    @property
    def before(self) -> int:
        """The id of the step before; 0 for a beginning."""
        return 0 if self.edge is None else self.edge.source

    @property
    def is_by_name(self) -> bool:
        """True if the step before calls this one by name alone."""
        return self.edge is not None and self.edge.confidence == Confidence.POSSIBLE


class Flow(NamedTuple):
    """Steps in the order in which they run, as far as calls tell."""

    steps: Sequence[FlowStep]
    # the ways between two ends, if the question names them, or else parts of one from each end
    routes: Sequence[Sequence[FlowStep]] = ()
    # true if the question names two ends, and no way leads from one to the other
    is_parted: bool = False
    # the functions of both ends, if the question names them, and not in other words
    named: tuple[Symbol, ...] = ()
    # the likeliest functions of each end, if the question names these in other words
    guessed: Sequence[Sequence[Symbol]] = ()
    # pairs of functions that the question names one after another, without a way between them
    gaps: Sequence[tuple[Symbol, Symbol]] = ()

    def along(
        self,
        routes: Sequence[Sequence[FlowStep]],
        *,
        is_parted: bool = False,
        named: tuple[Symbol, ...] = (),
        guessed: Sequence[Sequence[Symbol]] = (),
        gaps: Sequence[tuple[Symbol, Symbol]] = (),
    ) -> Flow:
        """The steps of some routes, each once, and then the others of this flow."""
        steps: dict[int, FlowStep] = {}
        for step in (*(step for route in routes for step in route), *self.steps):
            steps.setdefault(step.symbol.id, step)
        return Flow([*steps.values()], routes, is_parted, named, guessed, gaps)

    def chains(self) -> Sequence[Sequence[FlowStep]]:
        """Each way from a beginning to a last step; steps without any call are left out."""
        if self.routes:
            return self.routes
        known = {step.symbol.id: step for step in self.steps}
        inner = {step.before for step in self.steps}
        chains: list[list[FlowStep]] = []
        for step in self.steps:
            if step.symbol.id in inner or step.edge is None:
                continue
            way = [step]
            while way[-1].before in known:
                way.append(known[way[-1].before])
            chains.append(way[::-1])
        return chains


class OpenCall(NamedTuple):
    """A call in a function whose target is unknown."""

    symbol: Symbol
    name: str
    line: int


class PartedEnds(NamedTuple):
    """The calls on each side of a gap: from the first end on, and to the second end."""

    from_start: Sequence[FlowStep]
    to_end: Sequence[FlowStep]
    # places where the first function of those to the end is handed on, which is no call
    handed: Sequence[PlacedEdge]
    open_calls: Sequence[OpenCall]
