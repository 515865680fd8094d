"""Hits of searches with their evidence, and the candidate declarations that they add up to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from code_graph.facts import DeclarationSpan
from index_format.records import Record, field
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import FilePlace, SearchKind
from repo_mcp.bundle.reasons import Reason
from repo_mcp.bundle.weights import CandidateWeights as Weights, SizeWeights
from repo_mcp.text.comments import ATTRIBUTE, DECORATOR, is_comment

Span = tuple[int, int]


class Evidence(NamedTuple):
    """The search that found a place, and the name, text or path by which it did."""

    kind: SearchKind
    key: str = ""


class LineHit(NamedTuple):
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


class Candidate(Record, frozen=False):
    """A declaration or other lines, with all evidence for them."""

    path: str
    first: int
    last: int
    symbol: str
    # worth by evidence
    worths: dict[Evidence, float] = field(factory=dict)
    reasons: dict[Reason, float] = field(factory=dict)
    # words of the prompt that its lines or its name have
    terms: set[str] = field(factory=set)
    # worth by the lines of the hits
    focus: dict[tuple[int, int], float] = field(factory=dict)

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

    def add(self, hit: LineHit) -> None:
        """Adds a hit; of hits of the same evidence only the best one counts."""
        worth = round(hit.worth, Weights.DIGITS)
        self.worths[hit.evidence] = max(self.worths.get(hit.evidence, 0.0), worth)
        self.reasons[hit.reason] = max(self.reasons.get(hit.reason, 0.0), worth)
        self.terms.update(hit.terms)
        span = hit.first, hit.last
        self.focus[span] = self.focus.get(span, 0.0) + worth

    def place(self, files: Files) -> FilePlace:
        """The place of it, or of the best part that it was found by, if it is long."""
        parts = sorted(self.focus, key=lambda span: (-self.focus[span], span))
        return short_place(files, self.path, (self.first, self.last), parts)


def gather_candidates(hits: Iterable[LineHit], files: Files) -> list[Candidate]:
    """The declarations around the hits, best first."""
    candidates: dict[tuple[str, int, int], Candidate] = {}
    for hit in hits:
        first, last, symbol = hit.first, hit.last, hit.symbol
        if not symbol:
            first, last, symbol = _declaration_around(files, hit.path, first, last)
        key = hit.path, first, last
        if key not in candidates:
            candidates[key] = Candidate(hit.path, first, last, symbol)
        candidates[key].add(hit)
    return sorted(
        candidates.values(), key=lambda item: (-item.worth, item.path, item.first, item.last)
    )


def _declaration_around(files: Files, path: str, first: int, last: int) -> tuple[int, int, str]:
    """The declaration around lines and its name; the lines themselves if there is none."""
    places = files.places(path, first, last)
    place = _mostly_of(files, path, places, first, last) or unit_around(places, first, last)
    if place is None:
        return first, last, ""
    return place.start_line, place.end_line, place.qualified


def _mostly_of(
    files: Files, path: str, places: Sequence[DeclarationSpan], first: int, last: int
) -> DeclarationSpan | None:
    """The short declaration that lines are of, but for its comment or few lines beside it."""
    if any(_is_short(place) and place.holds(first, last) for place in places):
        return None  # these lines are all of one
    source = files.source(path)
    if source is None:
        return None
    for place in places:
        begin, end = max(first, place.start_line), min(last, place.end_line)
        rows = source.rows.between(first, begin - 1) if begin > first else []
        is_led = last <= place.end_line and all(
            not row.strip() or is_comment(row, also=(DECORATOR, ATTRIBUTE)) for row in rows
        )
        if _is_short(place) and (is_led or Weights.MOSTLY * (end - begin + 1) >= last - first + 1):
            return place
    return None


def _is_short(place: DeclarationSpan) -> bool:
    return place.end_line - place.start_line < Weights.WHOLE


def unit_around(places: Sequence[DeclarationSpan], first: int, last: int) -> DeclarationSpan | None:
    """The largest declaration around lines that is short, else the smallest one."""
    holding = [place for place in places if place.holds(first, last)]
    if not holding:  # no declaration has all the lines: take those that begin in them
        holding = [place for place in places if first <= place.start_line <= last]
    short = [place for place in holding if _is_short(place)]
    chosen = short or holding[-1:]
    return chosen[0] if chosen else None


def short_place(files: Files, path: str, whole: Span, parts: Iterable[Span]) -> FilePlace:
    """A declaration as a place to read, or the unit around the first of its parts that is short.

    If all are long, the place is where the first one begins.
    """
    most = SizeWeights.LONGEST_PLACE
    spans = [whole, *parts]
    for span in spans:
        if span[1] - span[0] < most:
            around = unit_around(files.places(path, *span), *span) if span != whole else None
            if around is not None and around.end_line - around.start_line < most:
                return FilePlace(path, around.start_line, around.end_line)
            return FilePlace(path, *span)
    first = spans[min(1, len(spans) - 1)][0]
    return FilePlace(path, first, first + most - 1)
