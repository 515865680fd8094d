"""Hits of searches with their evidence, and the candidate declarations that they add up to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind, Trait
from repo_mcp.bundle.reasons import Reason
from repo_mcp.bundle.weights import CandidateWeights as Weights
from repo_mcp.languages.facts import DeclarationSpan
from repo_mcp.search import TermMatcher


class Evidence(NamedTuple):
    """How a place was found, and by which name, text or path."""

    kind: SearchKind
    key: str = ""


class Hit(NamedTuple):
    """Lines that a search found, and their worth."""

    path: str
    first: int
    last: int
    evidence: Evidence
    worth: float
    reason: Reason
    # the declaration, if the lines are all of it, else empty
    symbol: str = ""
    # terms of the query that the lines match
    terms: tuple[str, ...] = ()


@dataclass(slots=True)
class Candidate:
    """A declaration or other lines, with all evidence for them."""

    path: str
    first: int
    last: int
    symbol: str
    # worth by evidence
    worths: dict[Evidence, float] = field(default_factory=dict)
    reasons: dict[Reason, float] = field(default_factory=dict)
    # worth by the lines of the hits
    focus: dict[tuple[int, int], float] = field(default_factory=dict)
    # lines that a trace or a literal leads to
    pointed_at: set[int] = field(default_factory=set)

    @property
    def worth(self) -> float:
        """The sum over all evidence."""
        return sum(self.worths.values())

    @property
    def best_reasons(self) -> tuple[Reason, ...]:
        """The best reasons, at most one of each group."""
        ordered = sorted(self.reasons, key=lambda reason: -self.reasons[reason])
        groups: dict[str, Reason] = {}
        for reason in ordered:
            groups.setdefault(reason.code.group, reason)
        return tuple(groups.values())[: Weights.REASONS]

    def has(self, trait: Trait) -> bool:
        """Whether any evidence has a trait."""
        return any(trait in evidence.kind.traits for evidence in self.worths)

    def add(self, hit: Hit, factor: float = 1.0) -> None:
        """Adds a hit: the best one of the same evidence fully, each further one by a fraction."""
        worth = round(hit.worth * factor, Weights.DIGITS)
        before = self.worths.get(hit.evidence, 0.0)
        repeated = Weights.REPEATED * min(before, worth)
        self.worths[hit.evidence] = max(before, worth) + repeated
        self.reasons[hit.reason] = max(self.reasons.get(hit.reason, 0.0), worth)
        span = hit.first, hit.last
        self.focus[span] = self.focus.get(span, 0.0) + worth
        if Trait.POINTS_AT_LINES in hit.evidence.kind.traits and not hit.symbol:
            self.pointed_at.update(range(hit.first, hit.last + 1))

    def scale(self, factor: float, *, certain: bool = True) -> None:
        """Multiplies the worth of all evidence, or without `certain` of uncertain evidence only."""
        self.worths = {
            evidence: worth * factor
            if certain or Trait.CERTAIN not in evidence.kind.traits
            else worth
            for evidence, worth in self.worths.items()
        }


def gather_candidates(hits: Iterable[Hit], files: Files) -> list[Candidate]:
    """The declarations around the hits, best first."""
    candidates: dict[tuple[str, int, int], Candidate] = {}
    for hit in hits:
        first, last, symbol = hit.first, hit.last, hit.symbol
        if not symbol:
            first, last, symbol = _declaration_around(files, hit.path, first, last)
        key = hit.path, first, last
        if key not in candidates:
            candidates[key] = Candidate(hit.path, first, last, symbol)
        is_outside = not symbol and bool(files.declarations(hit.path))
        candidates[key].add(hit, Weights.OUTSIDE if is_outside else 1.0)
    return sorted(
        candidates.values(), key=lambda item: (-item.worth, item.path, item.first, item.last)
    )


def _declaration_around(files: Files, path: str, first: int, last: int) -> tuple[int, int, str]:
    """The declaration around lines and its name; the lines themselves if there is none."""
    place = unit_around(files.places(path, first, last), first, last)
    if place is None:
        return first, last, ""
    return place.start_line, place.end_line, place.qualified


def unit_around(places: Sequence[DeclarationSpan], first: int, last: int) -> DeclarationSpan | None:
    """The largest declaration around lines that is short, else the smallest one."""
    holding = [place for place in places if place.start_line <= first and last <= place.end_line]
    if not holding:  # no declaration has all the lines: take those that begin in them
        holding = [place for place in places if first <= place.start_line <= last]
    short = [place for place in holding if place.end_line - place.start_line < Weights.WHOLE]
    chosen = short or holding[-1:]
    return chosen[0] if chosen else None


def weigh_agreement(files: Files, candidates: Sequence[Candidate], matcher: TermMatcher) -> None:
    """Scales candidates by the prompt's words around them.

    This lowers namesakes in unrelated files, which have one word of the prompt. Certain evidence is
    not scaled: traces, paths, messages, and what was ranked within its file.
    """
    ordered = sorted(candidates, key=lambda item: (-item.worth, item.path, item.first))
    ordered = ordered[: Weights.MOST]
    # the square root keeps a rare name from outweighing all other words
    flat = TermMatcher({word: math.sqrt(weight) for word, weight in matcher.weights.items()})
    matches = [_match_around(files, item, flat) for item in ordered]
    best = max(matches, default=0.0)
    if best <= 0:
        return
    for item, match in zip(ordered, matches, strict=True):
        factor = Weights.LEAST + (1 - Weights.LEAST) * match / best
        item.scale(factor, certain=False)


def _match_around(files: Files, item: Candidate, matcher: TermMatcher) -> float:
    source = files.source(item.path)
    if source is None:
        return 0.0
    first = max(1, item.first - Weights.AROUND)
    end = min(item.last, item.first + Weights.LONGEST) + Weights.AROUND
    rows = source.rows.between(first, min(source.rows.count, end))
    text = "\n".join([item.path, *rows])
    return matcher.weigh(matcher.finder.found_in(text))
