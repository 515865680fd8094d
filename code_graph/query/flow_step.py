"""A step of a flow: a function, and how the one before leads to it."""

from __future__ import annotations

from typing import NamedTuple

from code_graph.model import Confidence
from code_graph.paths.path_kinds import CODE, rank_path
from code_graph.query.model import FUNCTIONS, PlacedEdge, Symbol
from code_graph.query.snapshot import GraphSnapshot


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


def callable_symbol(graph: GraphSnapshot, number: int) -> Symbol | None:
    """The function of this number; None for other symbols, and in tests and samples."""
    symbol = graph.symbol(number)
    if symbol is None or rank_path(symbol.path) != CODE or symbol.node_type not in FUNCTIONS:
        return None
    return symbol
