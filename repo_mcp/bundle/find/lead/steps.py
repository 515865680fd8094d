"""Makes the steps of an answer of places, and names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit, unit_around
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason
from repo_mcp.bundle.weights import LeadWeights as Weights
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.model import Symbol
    from code_graph.query.snapshot import GraphSnapshot
    from repo_mcp.flow import Place


class Lead(NamedTuple):
    """The steps of an answer, of which the first so many are what is asked for."""

    steps: Sequence[Candidate] = ()
    main: int = 0
    # the same in lines, as chains of calls are
    lines: Sequence[str] = ()
    # whether nothing else is asked for
    is_whole: bool = False
    # whether two ends are named, and no way leads from one to the other
    is_parted: bool = False


class StepMaker:
    """Makes candidates of places, each declaration once."""

    def __init__(self, files: Files, worth: float) -> None:
        self._files = files
        self._worth = worth
        self._found: dict[tuple[str, int, int], Candidate] = {}

    def add(self, place: Place, reason: Reason, span: tuple[int, int] | None = None) -> None:
        """Add a line with the declaration around it, or with the lines of a span."""
        path, line = place
        first, last = span or self._unit(path, line)
        key = path, first, last
        if key not in self._found:
            self._found[key] = Candidate(path, first, last, self._name(path, first, last))
        evidence = Evidence(SearchKind.FLOW, f"{path}:{first}")
        self._found[key].add(LineHit(path, line, line, evidence, self._worth, reason))

    def steps(self) -> list[Candidate]:
        """The candidates in their order."""
        return [*self._found.values()]

    def _unit(self, path: str, line: int) -> tuple[int, int]:
        around = unit_around(self._files.places(path, line, line), line, line)
        if around is None:
            source = self._files.source(path)
            count = line if source is None else source.rows.count
            return max(1, line - Weights.AROUND), min(count, line + Weights.AROUND)
        return around.start_line, around.end_line

    def _name(self, path: str, first: int, last: int) -> str:
        for place in self._files.places(path, first, last):
            if (place.start_line, place.end_line) == (first, last):
                return place.qualified
        return ""


def short_name(symbol: Symbol) -> str:
    """The name of a symbol with that of the declaration around it."""
    owner = symbol.owner.rpartition(symbol.separator)[2]
    return f"{owner}{symbol.separator}{symbol.simple_name}" if owner else symbol.simple_name


def name_line(graph: GraphSnapshot, symbol: Symbol) -> int:
    """The line with the name of a symbol, behind its decorators."""
    declared = graph.declaration(symbol)
    return symbol.start_line if declared is None else declared.name_line


def name_of(graph: GraphSnapshot, number: int) -> str:
    """The short name of a symbol; empty for one of outside."""
    symbol = graph.symbol(number)
    return "" if symbol is None else short_name(symbol)


def within(symbol: Symbol | None) -> str:
    """The declaration around a place, as it stands behind it."""
    if symbol is None or symbol.node_type == "file":
        return ""
    return f" in {short_name(symbol)}"


def placed(places: Iterable[tuple[str, int, Symbol | None]]) -> list[str]:
    """Places in few characters: a path once, and the lines in one declaration together."""
    found: dict[tuple[str, str], list[int]] = {}
    for path, line, around in places:
        lines = found.setdefault((path, within(around)), [])
        if line not in lines:
            lines.append(line)
    shown: list[str] = []
    above = ""
    for (path, inside), lines in found.items():
        shown.append(f"{'' if path == above else path}:{','.join(map(str, sorted(lines)))}{inside}")
        above = path
    return shown


def listed(items: Iterable[str], most: int = Weights.MOST_LISTED) -> str:
    """The first items, and the number of the others."""
    found = [*dict.fromkeys(items)]
    more = f", and {counted(len(found) - most, 'other')}" if len(found) > most else ""
    return ", ".join(found[:most]) + more
