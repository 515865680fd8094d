"""Matches the terms of a query in lines of text, and weighs the matches."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from repo_mcp.languages.facts import DeclarationSpan, normalize_name
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
        self._each = list(weights.values())
        self._known: dict[int, float] = {0: 0.0}

    def weigh(self, terms: Collection[str]) -> float:
        """The sum of the weights of terms, in a fixed order so that equal sets give equal sums."""
        return sum([weight for term, weight in self.weights.items() if term in terms])

    def weigh_mark(self, mark: int) -> float:
        """The sum of the weights of terms, given as a bit for each."""
        worth = self._known.get(mark)
        if worth is None:
            worth = sum([weight for bit, weight in enumerate(self._each) if mark >> bit & 1])
            self._known[mark] = worth
        return worth

    def in_path(self, path: str) -> frozenset[str]:
        """The terms in a path."""
        return self.marker.terms_of(sum(self.marker.marks([path]).values()))

    def is_name_of(self, place: DeclarationSpan) -> bool:
        """Whether the query is the plain or qualified name of a declaration."""
        if self._near and normalize_name(place.name) in self._near:
            return True
        if not self._name.endswith(_in_one(place.name)) or not self._name:
            return False
        return _in_one(place.qualified).endswith(self._name)


def _in_one(name: str) -> str:
    return normalize_name(name.replace(".", ""))
