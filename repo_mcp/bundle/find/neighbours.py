"""Finds declarations tied to the best ones: by uses, and by words in their names.

Uses are those of a file's own names, and those that the symbol graph knows, in other files too: it
knows no target of a call on a value of unknown type, and names tie no declarations of one name.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from code_graph.facts import DeclarationSpan, Use
from code_graph.paths.path_kinds import is_test
from index_format.analysis.words import terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit, unit_around
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.score_declarations import promising_files, split_units
from repo_mcp.bundle.model import SearchKind, Trait
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import NeighbourWeights as Weights
from repo_mcp.search import TermMatcher

if TYPE_CHECKING:  # most servers have no graph
    from repo_mcp.bundle.find.links import SymbolLinks

# first and last line of a declaration
Span = tuple[int, int]
# kinds of ties, weakest first: of equal shares the strongest kind is the reason
_STRENGTH: Final = (
    ReasonCode.PART_OF_USED,
    ReasonCode.PART_OF_USER,
    ReasonCode.NAMED_LIKE,
    ReasonCode.USED_BY,
    ReasonCode.USES,
)

Ties = dict[int, set[int]]
_Parts = Mapping[Span, set[int]]


class _Share(NamedTuple):
    """The worth that a declaration gains from a tied one, and the kind of tie."""

    worth: float
    strength: int
    name: str


class Neighbours(NamedTuple):
    """Declarations tied to candidates in their files, and those of other files."""

    near: list[LineHit]
    far: list[LineHit]


def find_neighbours(
    files: Files,
    candidates: Sequence[Candidate],
    matcher: TermMatcher,
    links: SymbolLinks | None = None,
) -> Neighbours:
    """Declarations tied to candidates in the best files; terms of the prompt tie no names.

    With `links` they are tied by what the symbol graph knows, too, and across files.
    """
    near: list[LineHit] = []
    others = None if links is None else _OtherFiles(files, links, matcher)
    for path, _ in promising_files(candidates):
        ties = _FileTies(files, path, candidates, matcher.weights, links)
        near += ties.hits()
        if others is not None:
            others.add(ties)
    return Neighbours(near, [] if others is None else others.hits())


class _FileTies:
    """Spreads worth between tied declarations of one file."""

    def __init__(
        self,
        files: Files,
        path: str,
        candidates: Sequence[Candidate],
        terms: Collection[str],
        links: SymbolLinks | None,
    ) -> None:
        self.path = path
        places = sorted(files.places(path, 1, Weights.MOST_LINES), key=lambda item: item.start_line)
        units = sorted(split_units(places, Weights.MOST_LINES), key=lambda item: item.start_line)
        self._units = units
        parts = _parts(places, units)
        linked = None if links is None else links.of_file(path)
        named = _named_uses(files.uses(path), places)
        pairs = named if linked is None else [*named, *linked.inside]
        uses, beside = _tie(pairs, units, parts)
        self._parts = parts
        self._outside: Mapping[Span, Sequence[int]] = {} if linked is None else linked.outside
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
        # the worths after the first round, by number of a declaration
        self._given: Mapping[int, float] = {}
        best = max(matches.values(), default=0.0) or 1.0
        # each declaration's own match with the prompt, relative to the best one
        self._own = [matches.get(_span(unit), 0.0) / best for unit in units]
        tied_fully = [item for item in here if item.has(Trait.TIES_FULLY)]
        self._tied_fully = _holders(tied_fully, units)
        # frames of a trace gain nothing: the trace ties them already
        traced = [item for item in here if any(e.kind is SearchKind.FRAME for e in item.worths)]
        self._traced = _holders(traced, units)

    def hits(self) -> list[LineHit]:
        """The hits for declarations that gain worth, over ties and ties of ties."""
        gained = self._spread(self._worths)
        once = {number: _sum(shares) for number, shares in gained.items()}
        again = self._spread(once)
        for number, worth in self._worths.items():
            once[number] = once.get(number, 0.0) + worth
        self._given = once
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

    def _hit(self, number: int, shares: list[_Share]) -> LineHit:
        place = self._units[number]
        best = max(shares)
        reason = Reason(_STRENGTH[best.strength], best.name)
        span = place.start_line, place.end_line
        worth = min(Weights.MOST_GAINED, _sum(shares))
        evidence = Evidence(SearchKind.NEIGHBOUR, self.path)
        return LineHit(self.path, *span, evidence, worth, reason, place.qualified)

    def outside(self) -> Iterator[tuple[str, float, Sequence[int]]]:
        """Names and worths of declarations, and the symbols of other files that they use."""
        for span, targets in self._outside.items():
            for number in sorted(self._parts.get(span, ())):
                if worth := self._given.get(number, 0.0):
                    yield self._units[number].qualified, worth, targets

    def best(self, most: int) -> list[tuple[DeclarationSpan, float]]:
        """The declarations of most worth."""
        ordered = sorted(self._worths.items(), key=lambda item: (-item[1], item[0]))[:most]
        return [(self._units[number], worth) for number, worth in ordered]


class _OtherFiles:
    """Collects what declarations give to those of other files that they use, or that call them."""

    def __init__(self, files: Files, links: SymbolLinks, matcher: TermMatcher) -> None:
        self._files = files
        self._links = links
        self._matcher = matcher
        # by symbol, its shares and the first file that gave one
        self._shares: dict[int, list[_Share]] = {}
        self._givers: dict[int, str] = {}

    def add(self, ties: _FileTies) -> None:
        """Take what the declarations of one file give."""
        for name, worth, used in ties.outside():
            self._give(ties.path, name, worth, used, ReasonCode.USED_BY)
        for unit, worth in ties.best(Weights.ASKED_FOR_CALLERS):
            callers = self._links.callers(ties.path, _span(unit), Weights.MOST_CALLERS)
            self._give(ties.path, unit.qualified, worth, callers, ReasonCode.USES)

    def _give(
        self, path: str, name: str, worth: float, symbols: Sequence[int], code: ReasonCode
    ) -> None:
        for symbol in symbols:
            share = Weights.OUTSIDE * worth / math.sqrt(len(symbols))
            self._givers.setdefault(symbol, path)
            self._shares.setdefault(symbol, []).append(_Share(share, _STRENGTH.index(code), name))

    def hits(self) -> list[LineHit]:
        """The hits of the symbols with the largest shares, less for those without terms."""
        gained = {symbol: _sum(shares) for symbol, shares in self._shares.items()}
        best = sorted(gained, key=lambda symbol: (-gained[symbol], symbol))
        found = [self._hit(symbol) for symbol in best[: Weights.MOST_OUTSIDE]]
        matches = [match for match, _ in filter(None, found)]
        most, least = max(matches, default=0.0) or 1.0, Weights.WITHOUT_TERMS
        return [
            hit._replace(
                worth=min(Weights.MOST_GAINED, hit.worth * (least + (1 - least) * match / most))
            )
            for match, hit in filter(None, found)
        ]

    def _hit(self, symbol: int) -> tuple[float, LineHit] | None:
        """A symbol's declaration as a hit, with the degree to which it matches the prompt."""
        place = self._links.place(symbol)
        if place is None or is_test(place.path):
            return None
        places = self._files.places(place.path, place.first, place.last)
        unit = unit_around(places, place.first, place.last)
        source = self._files.source(place.path)
        if unit is None or source is None:
            return None
        first, last = _span(unit)
        last = min(last, first + Weights.MOST_COMPARED, source.rows.count)
        text = "\n".join([unit.qualified, *source.rows.between(first, last)])
        match = self._matcher.weigh(self._matcher.finder.found_in(text))
        shares = self._shares[symbol]
        best = max(shares)
        reason = Reason(_STRENGTH[best.strength], best.name)
        evidence = Evidence(SearchKind.LINK, self._givers[symbol])
        hit = LineHit(place.path, *_span(unit), evidence, _sum(shares), reason, unit.qualified)
        return match, hit


def _holders(candidates: Sequence[Candidate], units: Sequence[DeclarationSpan]) -> set[int]:
    """Numbers of the declarations that contain candidates."""
    return {
        number
        for item in candidates
        for number, unit in enumerate(units)
        if unit.holds(item.first, item.last)
    }


def _sum(shares: Sequence[_Share]) -> float:
    return sum(share.worth for share in shares)


def _worth(candidates: Sequence[Candidate], place: DeclarationSpan) -> float:
    """The worth of a declaration: the best worth of a candidate in it, bounded."""
    worths = (item.worth for item in candidates if place.holds(item.first, item.last))
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
    text = "\n".join(names)
    starts = [*accumulate((len(name) + 1 for name in names), initial=0)]
    holders = {word: _holding(text, starts, word) for word in sorted(set().union(*words))}
    ties: Ties = {}
    for number, own in enumerate(words):
        for word in own:
            others = holders[word] - {number}
            if 0 < len(others) <= Weights.MOST_HOLDERS:
                ties.setdefault(number, set()).update(others)
    return ties


def _holding(text: str, starts: Sequence[int], word: str) -> set[int]:
    """Numbers of the lines of a text that contain a word; not all of too many."""
    found: set[int] = set()
    at = text.find(word)
    while at >= 0 and len(found) <= Weights.MOST_HOLDERS + 1:
        number = bisect_right(starts, at) - 1
        found.add(number)
        at = text.find(word, starts[number + 1])
    return found


def _named_uses(
    uses: Sequence[Use], places: Sequence[DeclarationSpan]
) -> Sequence[tuple[Span, Span]]:
    """Users and what they use, by name; a name with several declarations means none."""
    named: dict[str, list[DeclarationSpan]] = {}
    for place in places:
        named.setdefault(place.name, []).append(place)
    starts = [place.start_line for place in places]
    pairs: list[tuple[Span, Span]] = []
    for item in uses:
        targets = named.get(item.name, [])
        user = _innermost(places, starts, item.line) if len(targets) == 1 else None
        if user is not None and user is not targets[0]:
            pairs.append((_span(user), _span(targets[0])))
    return pairs


def _tie(
    pairs: Sequence[tuple[Span, Span]], units: Sequence[DeclarationSpan], parts: _Parts
) -> tuple[Ties, Ties]:
    """By number of a declaration, those that it uses.

    The second value has the ties in which a side is only a part of the used or using declaration.
    """
    whole = {_span(unit) for unit in units}
    uses: Ties = {}
    beside: Ties = {}
    for user, used in pairs:
        ties = uses if {user, used} <= whole else beside
        for number in parts.get(user, ()):
            ties.setdefault(number, set()).update(parts.get(used, set()) - {number})
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
