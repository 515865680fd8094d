"""A place that a search has found, and the declarations that such places add up to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind, Trait
from repo_mcp.bundle.reasons import Reason
from repo_mcp.bundle.weights import CandidateWeights
from repo_mcp.languages.facts.model import Place


class Evidence(NamedTuple):
    """What speaks for a place: how it was found, and by which name, text or path."""

    kind: SearchKind
    key: str = ""

    def has(self, trait: Trait) -> bool:
        """Whether evidence of this kind means that."""
        return trait in self.kind.traits


class Hit(NamedTuple):
    """Lines that a search has found; `worth` is what it counts."""

    path: str
    first: int
    last: int
    evidence: Evidence
    worth: float
    reason: Reason
    # the name of the declaration that the lines are the whole of, empty where they are part of one
    symbol: str = ""
    # words of the query that the lines hold
    terms: tuple[str, ...] = ()


@dataclass(slots=True)
class Candidate:
    """Lines that belong together, and all that speaks for them."""

    path: str
    first: int
    last: int
    symbol: str
    # by evidence, the most that it counts for these lines
    worths: dict[Evidence, float] = field(default_factory=dict)
    reasons: dict[Reason, float] = field(default_factory=dict)
    # the lines that were found, and what they count
    focus: dict[tuple[int, int], float] = field(default_factory=dict)
    # those of them that a trace or a text found as it is leads to
    pointed_at: set[int] = field(default_factory=set)

    @property
    def worth(self) -> float:
        """What all searches together count."""
        return sum(self.worths.values())

    @property
    def best_reasons(self) -> tuple[Reason, ...]:
        """The best reasons, one of each group."""
        ordered = sorted(self.reasons, key=lambda reason: -self.reasons[reason])
        distinct: dict[str, Reason] = {}
        for reason in ordered:
            distinct.setdefault(reason.code.group, reason)
        return tuple(distinct.values())[: CandidateWeights.REASONS]

    def has(self, trait: Trait) -> bool:
        """Whether any evidence for it means that."""
        return any(trait in evidence.kind.traits for evidence in self.worths)

    def add(self, hit: Hit, factor: float = 1.0) -> None:
        """Count a hit; of one search the best counts whole, each further one a little."""
        worth = round(hit.worth * factor, CandidateWeights.DIGITS)
        known = self.worths.get(hit.evidence, 0.0)
        self.worths[hit.evidence] = (
            max(known, worth) + min(known, worth) * CandidateWeights.REPEATED
        )
        self.reasons[hit.reason] = max(self.reasons.get(hit.reason, 0.0), worth)
        span = hit.first, hit.last
        self.focus[span] = self.focus.get(span, 0.0) + worth
        if hit.evidence.has(Trait.POINTS_AT_LINES) and not hit.symbol:
            self.pointed_at.update(range(hit.first, hit.last + 1))


def gathered(hits: Iterable[Hit], files: Files) -> list[Candidate]:
    """The declarations that hold the hits, the best first."""
    found: dict[tuple[str, int, int], Candidate] = {}
    for hit in hits:
        first, last, symbol = hit.first, hit.last, hit.symbol
        if not symbol:
            first, last, symbol = around(files, hit.path, first, last)
        key = hit.path, first, last
        if key not in found:
            found[key] = Candidate(hit.path, first, last, symbol)
        found[key].add(
            hit, 1.0 if symbol or not files.declarations(hit.path) else CandidateWeights.OUTSIDE
        )
    return sorted(found.values(), key=_order)


def _order(item: Candidate) -> tuple[float, str, int, int]:
    return -item.worth, item.path, item.first, item.last


def around(files: Files, path: str, first: int, last: int) -> tuple[int, int, str]:
    """The declaration around lines and its name; the lines themselves where none is known."""
    place = unit(files.places(path, first, last), first, last)
    if place is None:
        return first, last, ""
    return place.start_line, place.end_line, place.qualified


def unit(places: Sequence[Place], first: int, last: int) -> Place | None:
    """The largest declaration around lines that is short, else the smallest one."""
    holding = [place for place in places if place.start_line <= first and last <= place.end_line]
    if not holding:  # lines that reach beyond: what begins among them
        holding = [place for place in places if first <= place.start_line <= last]
    short = [
        place for place in holding if place.end_line - place.start_line < CandidateWeights.WHOLE
    ]
    chosen = short or holding[-1:]
    return chosen[0] if chosen else None
