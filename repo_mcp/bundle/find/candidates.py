"""Hits of searches, the evidence they are, and the declarations that they add up to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind, Trait
from repo_mcp.bundle.reasons import Reason
from repo_mcp.bundle.weights import CandidateWeights as Weights
from repo_mcp.languages.facts import Place
from repo_mcp.search import TermMatcher


class Evidence(NamedTuple):
    """What speaks for a place: how it was found, and by which name, text or path."""

    kind: SearchKind
    key: str = ""


class Hit(NamedTuple):
    """Lines that a search found, and what they count."""

    path: str
    first: int
    last: int
    evidence: Evidence
    worth: float
    reason: Reason
    # the declaration that the lines are the whole of, empty where they are part of one
    symbol: str = ""
    # terms of the query that the lines match
    terms: tuple[str, ...] = ()


@dataclass(slots=True)
class Candidate:
    """Lines that belong together, and all evidence for them."""

    path: str
    first: int
    last: int
    symbol: str
    # what each evidence counts for these lines
    worths: dict[Evidence, float] = field(default_factory=dict)
    reasons: dict[Reason, float] = field(default_factory=dict)
    # the lines of the hits, and what they count
    focus: dict[tuple[int, int], float] = field(default_factory=dict)
    # those of them that a trace or a literal leads to
    pointed_at: set[int] = field(default_factory=set)

    @property
    def worth(self) -> float:
        """What all evidence together counts."""
        return sum(self.worths.values())

    @property
    def best_reasons(self) -> tuple[Reason, ...]:
        """The best reasons, one of each group."""
        ordered = sorted(self.reasons, key=lambda reason: -self.reasons[reason])
        groups: dict[str, Reason] = {}
        for reason in ordered:
            groups.setdefault(reason.code.group, reason)
        return tuple(groups.values())[: Weights.REASONS]

    def has(self, trait: Trait) -> bool:
        """Whether any evidence for it has this trait."""
        return any(trait in evidence.kind.traits for evidence in self.worths)

    def add(self, hit: Hit, factor: float = 1.0) -> None:
        """Count a hit: the best one of the same evidence whole, each further one a little."""
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
        """Multiply what evidence counts; `certain` evidence too, or only the rest."""
        self.worths = {
            evidence: worth * factor
            if certain or Trait.CERTAIN not in evidence.kind.traits
            else worth
            for evidence, worth in self.worths.items()
        }


def gather_candidates(hits: Iterable[Hit], files: Files) -> list[Candidate]:
    """The declarations that hold the hits, the best first."""
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
    """The declaration around lines and its name; the lines themselves where none is known."""
    place = unit_around(files.places(path, first, last), first, last)
    if place is None:
        return first, last, ""
    return place.start_line, place.end_line, place.qualified


def unit_around(places: Sequence[Place], first: int, last: int) -> Place | None:
    """The largest declaration around lines that is short, else the smallest one."""
    holding = [place for place in places if place.start_line <= first and last <= place.end_line]
    if not holding:  # lines that reach beyond: what begins among them
        holding = [place for place in places if first <= place.start_line <= last]
    short = [place for place in holding if place.end_line - place.start_line < Weights.WHOLE]
    chosen = short or holding[-1:]
    return chosen[0] if chosen else None


def weigh_agreement(files: Files, candidates: Sequence[Candidate], matcher: TermMatcher) -> None:
    """Scale candidates by how much of the prompt stands around them.

    A namesake in a strange file has one word of it. Certain evidence stays as it is: what traces,
    paths and messages point to, and what was compared within its file.
    """
    ordered = sorted(candidates, key=lambda item: (-item.worth, item.path, item.first))
    ordered = ordered[: Weights.MOST]
    # a whole name weighs as much as many words: beside them it must not be all
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
    return matcher.worth(matcher.finder.found_in(text))
