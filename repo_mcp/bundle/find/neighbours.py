"""Finds the declarations that the best candidates use, and those that use them.

Uses are those of a file's own names, and those that the symbol graph knows, in other files too: it
knows no target of a call on a value of unknown type, and names tie no declarations of one name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from code_graph.facts import Declaration
from code_graph.paths.path_kinds import is_test
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit, Span, unit_around
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import NeighbourWeights as Weights

if TYPE_CHECKING:  # most servers have no graph
    from repo_mcp.bundle.find.links import SymbolLinks


class Neighbours(NamedTuple):
    """Declarations tied to candidates in their files, and those of other files."""

    near: Sequence[LineHit]
    far: Sequence[LineHit]


class _Ties(NamedTuple):
    """The spans in its file that a candidate uses, and those that use it."""

    used: set[Span]
    users: set[Span]


def find_neighbours(
    files: Files, candidates: Sequence[Candidate], links: SymbolLinks | None = None
) -> Neighbours:
    """The neighbours of the best candidates; those of other files only with `links`."""
    near: list[LineHit] = []
    far: list[LineHit] = []
    for candidate in candidates[: Weights.GIVERS]:
        ties = _ties_in_file(files, candidate, links)
        near += _hits_in_file(files, candidate, ties.used, ReasonCode.USED_BY)
        near += _hits_in_file(files, candidate, ties.users, ReasonCode.USES)
        if links is not None:
            used, callers = _linked_symbols(candidate, links)
            far += _hits_outside(files, candidate, links, used, ReasonCode.USED_BY)
            far += _hits_outside(files, candidate, links, callers, ReasonCode.USES)
    return Neighbours(near, far)


def _ties_in_file(files: Files, candidate: Candidate, links: SymbolLinks | None) -> _Ties:
    """The ties by names that only one declaration of the file has, and those of the graph."""
    linked = None if links is None else links.of_file(candidate.path)
    pairs = [*_named_uses(files, candidate.path), *(() if linked is None else linked.inside)]
    ties = _Ties(set(), set())
    for user, used in pairs:
        if _holds(candidate, user) and not _holds(candidate, used):
            ties.used.add(used)
        elif _holds(candidate, used) and not _holds(candidate, user):
            ties.users.add(user)
    return ties


def _named_uses(files: Files, path: str) -> Iterator[tuple[Span, Span]]:
    """Lines that use a name, and the only declaration of it in the file."""
    named: dict[str, list[Declaration]] = {}
    for declaration in files.declarations(path):
        named.setdefault(declaration.name, []).append(declaration)
    for use in files.uses(path):
        declared = named.get(use.name, ())
        if len(declared) == 1:
            span = declared[0].start_line, declared[0].end_line
            if not span[0] <= use.line <= span[1]:
                yield (use.line, use.line), span


def _holds(candidate: Candidate, span: Span) -> bool:
    return candidate.first <= span[0] and span[1] <= candidate.last


def _hits_in_file(
    files: Files, candidate: Candidate, spans: Iterable[Span], code: ReasonCode
) -> list[LineHit]:
    """The declarations around spans of the candidate's file that it is tied to."""
    path = candidate.path
    units = {unit_around(files.places(path, *span), *span) for span in sorted(spans)}
    places = sorted(
        (unit.start_line, unit.end_line, unit.qualified)
        for unit in units
        if unit is not None and not unit.holds(candidate.first, candidate.last)
    )
    return [
        _hit(candidate, path, (first, last), name, len(places), SearchKind.NEIGHBOUR, code)
        for first, last, name in places
    ]


def _linked_symbols(
    candidate: Candidate, links: SymbolLinks
) -> tuple[Sequence[int], Sequence[int]]:
    """The symbols of other files that a candidate uses, and those that call it."""
    linked = links.of_file(candidate.path)
    if linked is None:
        return (), ()
    used = {
        symbol
        for span, symbols in linked.outside.items()
        if _holds(candidate, span)
        for symbol in symbols
    }
    span = candidate.first, candidate.last
    return sorted(used), links.callers(candidate.path, span, Weights.MOST_CALLERS)


def _hits_outside(
    files: Files,
    candidate: Candidate,
    links: SymbolLinks,
    symbols: Sequence[int],
    code: ReasonCode,
) -> Iterator[LineHit]:
    """The declarations of symbols of other files, without tests."""
    for symbol in symbols[: Weights.MOST_OUTSIDE]:
        place = links.place(symbol)
        if place is None or is_test(place.path):
            continue
        unit = unit_around(files.places(*place), place.first, place.last)
        if unit is not None:
            span = unit.start_line, unit.end_line
            kind = SearchKind.LINK
            yield _hit(candidate, place.path, span, unit.qualified, len(symbols), kind, code)


def _hit(
    candidate: Candidate,
    path: str,
    span: Span,
    name: str,
    count: int,
    kind: SearchKind,
    code: ReasonCode,
) -> LineHit:
    """A neighbour, one of several: it gets its share of the candidate's worth."""
    worth = Weights.SHARE * candidate.worth / math.sqrt(count)
    reason = Reason(code, candidate.symbol or candidate.path)
    return LineHit(path, *span, Evidence(kind, candidate.path), worth, reason, name)
