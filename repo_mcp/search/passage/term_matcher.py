"""Matches the terms of a query in lines of text, and weighs the matches."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from code_graph.facts import DeclarationSpan, normalize_name
from repo_mcp.native import NATIVE, EncodedQuery
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.text.marking import Marker


class TermMatcher:
    """Finds weighted terms in text."""

    def __init__(
        self, weights: Mapping[str, float], name: str = "", near: Collection[str] = ()
    ) -> None:
        """`weights` has the terms; `name` is the whole query joined, if it may be a name.

        `near` are normalized names that the query may mean instead.
        """
        self.weights = weights
        self._name = name
        self._near = near
        self.marker = Marker(list(weights))
        self.finder = self.marker.finder
        # by mark, the sum of the weights of its terms
        self.worth: Mapping[int, float] = _MarkWeights(
            [(at, at, weight) for at, weight in enumerate(weights.values())]
        )

    @cached_property
    def words_worth(self) -> Mapping[int, float]:
        """By mark, the sum of the weights of its words: of each its best form counts."""
        words: dict[str, int] = {}
        terms = enumerate(self.weights.items())
        each = [(at, words.setdefault(stem(term), len(words)), w) for at, (term, w) in terms]
        return _MarkWeights(sorted(each, key=lambda item: -item[2]))

    @cached_property
    def encoded_query(self) -> EncodedQuery | None:
        """The query for compiled code; None where that can't answer it."""
        if NATIVE is None or self._near or len(self.weights) > NATIVE.MAX_TERMS:
            return None
        name = self._name.encode("utf-8", "surrogatepass")
        return self.marker.encoded, array("d", self.weights.values()).tobytes(), name

    def weigh(self, terms: Collection[str]) -> float:
        """The sum of the weights of terms, in a fixed order so that equal sets give equal sums."""
        return sum([weight for term, weight in self.weights.items() if term in terms])

    def in_path(self, path: str) -> frozenset[str]:
        """The terms in a path."""
        return self.marker.terms_of(sum(self.marker.marks([path]).values()))

    def find_meant(self, places: Sequence[DeclarationSpan]) -> list[int]:
        """Numbers of the declarations whose plain or qualified name the query is."""
        if not (self._name or self._near):
            return []
        # all names at once: a chunk may have hundreds
        names = normalize_name("\n".join([place.name for place in places]))
        parts, name = names.replace(".", "").split("\n"), self._name
        if len(parts) != len(places):  # a name of several lines
            parts = [_in_one(place.name) for place in places]
        found = [at for at, part in enumerate(parts) if name.endswith(part)] if name else []
        meant = {at for at in found if _in_one(places[at].qualified).endswith(name)}
        if self._near:
            meant.update(
                at for at, item in enumerate(places) if normalize_name(item.name) in self._near
            )
        return sorted(meant)


def _in_one(name: str) -> str:
    return normalize_name(name.replace(".", ""))


class _MarkWeights(dict[int, float]):
    """Sums of weights by mark, each computed at the first use."""

    def __init__(self, each: Sequence[tuple[int, int, float]]) -> None:
        """Bits, their groups, and weights: the first bit of each group counts."""
        super().__init__()
        self._each = each

    def __missing__(self, mark: int) -> float:
        worth, groups = 0.0, 0
        for bit, group, weight in self._each:  # `sum` may sum in another way
            if mark >> bit & 1 and not groups >> group & 1:
                groups |= 1 << group
                worth += weight
        self[mark] = worth
        return worth
