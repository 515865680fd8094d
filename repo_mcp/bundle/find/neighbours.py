"""Finds declarations tied to the best ones of a file: by uses, and by words in their names."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from repo_mcp.bundle.find.candidates import Candidate, Evidence, Hit
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.score_declarations import promising_files, split_units
from repo_mcp.bundle.model import SearchKind, Trait
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import NeighbourWeights as Weights
from repo_mcp.languages.facts import DeclarationSpan
from repo_mcp.text.words import terms_of_word

# kinds of ties, weakest first: of equal shares the strongest kind is the reason
_STRENGTH: Final = (
    ReasonCode.PART_OF_USED,
    ReasonCode.PART_OF_USER,
    ReasonCode.NAMED_LIKE,
    ReasonCode.USED_BY,
    ReasonCode.USES,
)

Ties = dict[int, set[int]]


class _Share(NamedTuple):
    """The worth that a declaration gains from a tied one, and the kind of tie."""

    worth: float
    strength: int
    name: str


def find_neighbours(
    files: Files, candidates: Sequence[Candidate], terms: Collection[str]
) -> list[Hit]:
    """Declarations tied to candidates in the best files; the prompt's `terms` tie no names."""
    return [
        hit
        for path, _ in promising_files(candidates)
        for hit in _FileTies(files, path, candidates, terms).hits()
    ]


class _FileTies:
    """Spreads worth between tied declarations of one file."""

    def __init__(
        self,
        files: Files,
        path: str,
        candidates: Sequence[Candidate],
        terms: Collection[str],
    ) -> None:
        self._path = path
        places = sorted(files.places(path, 1, Weights.MOST_LINES), key=lambda item: item.start_line)
        units = sorted(split_units(places, Weights.MOST_LINES), key=lambda item: item.start_line)
        self._units = units
        uses, beside = _use_ties(files, path, places, units)
        self._ties = (
            (uses, ReasonCode.USED_BY),
            (_reverse(uses), ReasonCode.USES),
            (beside, ReasonCode.PART_OF_USED),
            (_reverse(beside), ReasonCode.PART_OF_USER),
            (_name_ties(units, terms), ReasonCode.NAMED_LIKE),
        )
        here = [item for item in candidates if item.path == path]
        self._worths = {
            number: worth for number, unit in enumerate(units) if (worth := _worth(here, unit)) > 0
        }
        inside = Evidence(SearchKind.DECLARATION, path)
        matches = {(item.first, item.last): item.worths.get(inside, 0.0) for item in here}
        best = max(matches.values(), default=0.0) or 1.0
        # each declaration's own match with the prompt, relative to the best one
        self._own = [matches.get(_span(unit), 0.0) / best for unit in units]
        tied_fully = [item for item in here if item.has(Trait.TIES_FULLY)]
        self._tied_fully = _holders(tied_fully, units)
        # frames of a trace gain nothing: the trace ties them already
        traced = [item for item in here if any(e.kind is SearchKind.FRAME for e in item.worths)]
        self._traced = _holders(traced, units)

    def hits(self) -> list[Hit]:
        """The hits for declarations that gain worth, over ties and ties of ties."""
        gained = self._spread(self._worths)
        again = self._spread({number: _sum(shares) for number, shares in gained.items()})
        for number, shares in again.items():
            gained.setdefault(number, []).extend(shares)
        hits = [
            self._hit(number, shares)
            for number, shares in gained.items()
            if number not in self._traced
        ]
        hits.sort(key=lambda hit: (-hit.worth, hit.first))
        return hits[: Weights.TOP]

    def _spread(self, worths: Mapping[int, float]) -> dict[int, list[_Share]]:
        """By number of a declaration, the shares that it gains from its neighbours."""
        gained: dict[int, list[_Share]] = {}
        for number, worth in worths.items():
            name = self._units[number].qualified
            for ties, code in self._ties:
                others = ties.get(number, set())
                for other in sorted(others):
                    own = 1.0 if number in self._tied_fully else self._own[other]
                    own = Weights.WITHOUT_TERMS + (1 - Weights.WITHOUT_TERMS) * own
                    share = Weights.SHARE * worth * own / math.sqrt(len(others))
                    gained.setdefault(other, []).append(_Share(share, _STRENGTH.index(code), name))
        return gained

    def _hit(self, number: int, shares: list[_Share]) -> Hit:
        place = self._units[number]
        best = max(shares)
        reason = Reason(_STRENGTH[best.strength], best.name)
        span = place.start_line, place.end_line
        worth = min(Weights.MOST_GAINED, _sum(shares))
        evidence = Evidence(SearchKind.NEIGHBOUR, self._path)
        return Hit(self._path, *span, evidence, worth, reason, place.qualified)


def _holders(candidates: Sequence[Candidate], units: Sequence[DeclarationSpan]) -> set[int]:
    """Numbers of the declarations that contain candidates."""
    return {
        number
        for item in candidates
        for number, unit in enumerate(units)
        if unit.start_line <= item.first and item.last <= unit.end_line
    }


def _sum(shares: Sequence[_Share]) -> float:
    return sum(share.worth for share in shares)


def _worth(candidates: Sequence[Candidate], place: DeclarationSpan) -> float:
    """The worth of a declaration: the best worth of a candidate in it, bounded."""
    worths = (
        item.worth
        for item in candidates
        if place.start_line <= item.first and item.last <= place.end_line
    )
    return min(Weights.MOST_GIVEN, max(worths, default=0.0))


def _reverse(ties: Ties) -> Ties:
    """The ties in the other direction."""
    reversed_ties: Ties = {}
    for one, others in ties.items():
        for other in others:
            reversed_ties.setdefault(other, set()).add(one)
    return reversed_ties


def _name_ties(units: Sequence[DeclarationSpan], terms: Collection[str]) -> Ties:
    """Ties between names that share a long word which few names of the file have."""
    names = [place.qualified.lower().replace("_", "") for place in units]
    words = [
        {
            word
            for word in terms_of_word(place.name)
            if len(word) >= Weights.LONG_WORD and word not in terms
        }
        for place in units
    ]
    holders = {
        word: {number for number, name in enumerate(names) if word in name}
        for word in sorted(set().union(*words))
    }
    ties: Ties = {}
    for number, own in enumerate(words):
        for word in own:
            others = holders[word] - {number}
            if 0 < len(others) <= Weights.MOST_HOLDERS:
                ties.setdefault(number, set()).update(others)
    return ties


def _use_ties(
    files: Files, path: str, places: Sequence[DeclarationSpan], units: Sequence[DeclarationSpan]
) -> tuple[Ties, Ties]:
    """By number of a declaration, those that it uses; names with several declarations tie nothing.

    The second value has the ties in which a side is only a part of the used or using declaration.
    """
    inside = _parts(places, units)
    whole = {_span(unit) for unit in units}
    named: dict[str, list[DeclarationSpan]] = {}
    for place in places:
        named.setdefault(place.name, []).append(place)
    starts = [place.start_line for place in places]
    uses: Ties = {}
    beside: Ties = {}
    for item in files.uses(path):
        targets = named.get(item.name, ())
        if len(targets) != 1:
            continue
        user = _innermost(places, starts, item.line)
        if user is None or user is targets[0]:
            continue
        ties = uses if {_span(user), _span(targets[0])} <= whole else beside
        used = inside[_span(targets[0])]
        for number in inside[_span(user)]:
            ties.setdefault(number, set()).update(used - {number})
    return uses, beside


def _parts(
    places: Sequence[DeclarationSpan], units: Sequence[DeclarationSpan]
) -> dict[tuple[int, int], set[int]]:
    """By span of a declaration, the numbers of the units that it is, is in, or contains."""
    starts = [unit.start_line for unit in units]
    found: dict[tuple[int, int], set[int]] = {}
    for place in places:
        holding = _innermost(units, starts, place.start_line)
        first, last = bisect_left(starts, place.start_line), bisect_right(starts, place.end_line)
        if holding is not None and holding.end_line >= place.end_line:
            found[_span(place)] = {bisect_right(starts, holding.start_line) - 1}
        else:
            found[_span(place)] = set(range(first, min(last, first + Weights.MOST_PARTS)))
    return found


def _span(place: DeclarationSpan) -> tuple[int, int]:
    return place.start_line, place.end_line


def _innermost(
    places: Sequence[DeclarationSpan], starts: Sequence[int], line: int
) -> DeclarationSpan | None:
    """The innermost declaration around a line."""
    at = bisect_right(starts, line) - 1
    while at >= 0 and starts[at] > line - Weights.FAR:
        if places[at].end_line >= line:
            return places[at]
        at -= 1
    return None
