"""What is tied to the declarations that answer best, in the same file: by uses and by names."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Candidate, Evidence, Hit
from repo_mcp.bundle.find.score_declarations import apart, promising
from repo_mcp.bundle.model import SearchKind, Trait
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import NeighbourWeights
from repo_mcp.languages.facts.model import Place
from repo_mcp.text.words import terms_of_word

# of ties that give as much the last one is told
_STRENGTH: Final = (
    ReasonCode.PART_OF_USED,
    ReasonCode.PART_OF_USER,
    ReasonCode.NAMED_LIKE,
    ReasonCode.USED_BY,
    ReasonCode.USES,
)
_ROLES: Final = frozenset({"call", "base", "decorator", "read"})

Ties = dict[int, set[int]]


class _Share(NamedTuple):
    """What a declaration gains from one that it is tied to, and how they are tied."""

    worth: float
    strength: int
    name: str


def neighbours(files: Files, candidates: Sequence[Candidate], asked: Collection[str]) -> list[Hit]:
    """Declarations that are tied to good candidates of the best files; `asked` ties none."""
    found: list[Hit] = []
    for path, _ in promising(candidates):
        found += _InFile(files, path, candidates, asked).hits()
    return found


class _InFile:
    """What the declarations of one file gain from those that they are tied to."""

    def __init__(
        self,
        files: Files,
        path: str,
        candidates: Sequence[Candidate],
        asked: Collection[str],
    ) -> None:
        self._path = path
        places = sorted(
            files.places(path, 1, NeighbourWeights.MOST_LINES), key=lambda item: item.start_line
        )
        units = sorted(apart(places, NeighbourWeights.MOST_LINES), key=lambda item: item.start_line)
        self._units = units
        uses, beside = _uses(files, path, places, units)
        self._ties = (
            (uses, ReasonCode.USED_BY),
            (_turned(uses), ReasonCode.USES),
            (beside, ReasonCode.PART_OF_USED),
            (_turned(beside), ReasonCode.PART_OF_USER),
            (_alike(units, asked), ReasonCode.NAMED_LIKE),
        )
        here = [item for item in candidates if item.path == path]
        self._worths = {
            number: worth for number, unit in enumerate(units) if (worth := _worth(here, unit)) > 0
        }
        inside = Evidence(SearchKind.DECLARATION, path)
        said = {(item.first, item.last): item.worths.get(inside, 0.0) for item in here}
        best = max(said.values(), default=0.0) or 1.0
        # what a declaration says itself of the prompt, beside the one that says most
        sure = [item for item in here if item.has(Trait.TIES_FULLY)]
        self._sure = _around_candidates(sure, units)
        # what a trace names is known to be tied
        traced = [item for item in here if any(e.kind is SearchKind.FRAME for e in item.worths)]
        self._known = _around_candidates(traced, units)
        self._own = [said.get((unit.start_line, unit.end_line), 0.0) / best for unit in units]

    def hits(self) -> list[Hit]:
        """The most that any gains; of what is gained at first, others gain once more."""
        gained = self._gained(self._worths)
        again = self._gained({number: _sum(shares) for number, shares in gained.items()})
        for number, shares in again.items():
            gained.setdefault(number, []).extend(shares)
        hits = [
            self._hit(number, shares)
            for number, shares in gained.items()
            if number not in self._known
        ]
        hits.sort(key=lambda hit: (-hit.worth, hit.first))
        return hits[: NeighbourWeights.TOP]

    def _gained(self, worths: Mapping[int, float]) -> dict[int, list[_Share]]:
        """By number of a declaration, what it gains from each that it is tied to, and how."""
        gained: dict[int, list[_Share]] = {}
        for number, worth in worths.items():
            name = self._units[number].qualified
            for ties, code in self._ties:
                others = ties.get(number, set())
                for other in sorted(others):
                    own = 1.0 if number in self._sure else self._own[other]
                    own = NeighbourWeights.SILENT + (1 - NeighbourWeights.SILENT) * own
                    share = NeighbourWeights.SHARE * worth * own / math.sqrt(len(others))
                    gained.setdefault(other, []).append(_Share(share, _STRENGTH.index(code), name))
        return gained

    def _hit(self, number: int, shares: list[_Share]) -> Hit:
        place = self._units[number]
        best = max(shares)
        reason = Reason(_STRENGTH[best.strength], best.name)
        span = place.start_line, place.end_line
        worth = min(NeighbourWeights.MOST_GAINED, _sum(shares))
        evidence = Evidence(SearchKind.NEIGHBOUR, self._path)
        return Hit(self._path, *span, evidence, worth, reason, place.qualified)


def _around_candidates(candidates: Sequence[Candidate], units: Sequence[Place]) -> set[int]:
    """Numbers of the declarations that hold candidates."""
    return {
        number
        for item in candidates
        for number, unit in enumerate(units)
        if unit.start_line <= item.first and item.last <= unit.end_line
    }


def _sum(shares: Sequence[_Share]) -> float:
    return sum(share.worth for share in shares)


def _worth(candidates: Sequence[Candidate], place: Place) -> float:
    """What is known of a declaration: what counts for it, or for lines in it."""
    worths = (
        item.worth
        for item in candidates
        if place.start_line <= item.first and item.last <= place.end_line
    )
    return min(NeighbourWeights.MOST_GIVEN, max(worths, default=0.0))


def _turned(ties: Ties) -> Ties:
    """The same seen from the other end."""
    turned: Ties = {}
    for one, others in ties.items():
        for other in others:
            turned.setdefault(other, set()).add(one)
    return turned


def _alike(units: Sequence[Place], asked: Collection[str]) -> Ties:
    """Declarations whose names have a long word in common that few names of the file have."""
    names = [place.qualified.lower().replace("_", "") for place in units]
    words = [
        {
            word
            for word in terms_of_word(place.name)
            if len(word) >= NeighbourWeights.LONG_WORD and word not in asked
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
            if 0 < len(others) <= NeighbourWeights.FEW:
                ties.setdefault(number, set()).update(others)
    return ties


def _uses(
    files: Files, path: str, places: Sequence[Place], units: Sequence[Place]
) -> tuple[Ties, Ties]:
    """By number of a declaration, those that it uses: names that one declaration alone has.

    The second is of those that are parts: of what is used, or of what uses it.
    """
    inside = _parts(places, units)
    whole = {_span(unit) for unit in units}
    named: dict[str, list[Place]] = {}
    for place in places:
        named.setdefault(place.name, []).append(place)
    starts = [place.start_line for place in places]
    uses: Ties = {}
    beside: Ties = {}
    for item in files.references(path):
        targets = named.get(item.name, ())
        if len(targets) != 1 or item.role not in _ROLES:
            continue
        user = _around(places, starts, item.line)
        if user is None or user is targets[0]:
            continue
        ties = uses if {_span(user), _span(targets[0])} <= whole else beside
        used = inside[_span(targets[0])]
        for number in inside[_span(user)]:
            ties.setdefault(number, set()).update(used - {number})
    return uses, beside


def _parts(places: Sequence[Place], units: Sequence[Place]) -> dict[tuple[int, int], set[int]]:
    """By lines of a declaration the numbers of it, of what holds it, or of what it holds."""
    starts = [unit.start_line for unit in units]
    found: dict[tuple[int, int], set[int]] = {}
    for place in places:
        holding = _around(units, starts, place.start_line)
        first, last = bisect_left(starts, place.start_line), bisect_right(starts, place.end_line)
        if holding is not None and holding.end_line >= place.end_line:
            found[_span(place)] = {bisect_right(starts, holding.start_line) - 1}
        else:
            found[_span(place)] = set(range(first, min(last, first + NeighbourWeights.MOST_PARTS)))
    return found


def _span(place: Place) -> tuple[int, int]:
    return place.start_line, place.end_line


def _around(places: Sequence[Place], starts: Sequence[int], line: int) -> Place | None:
    """The last declaration that begins before a line and ends after it."""
    at = bisect_right(starts, line) - 1
    while at >= 0 and starts[at] > line - NeighbourWeights.FAR:
        if places[at].end_line >= line:
            return places[at]
        at -= 1
    return None
