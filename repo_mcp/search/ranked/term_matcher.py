"""The words of a question as they are looked for in lines, and how much each tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from repo_mcp.languages.facts import Place, in_one
from repo_mcp.text.marking import Marker


class TermMatcher:
    """Finds words in text, and weighs what is found."""

    def __init__(self, weights: Mapping[str, float], name: str = "") -> None:
        """Prepare to look for these; `name` is all of the question in one, if it may be a name."""
        self.weights = weights
        self._name = name
        self.marker = Marker(list(weights))
        self.finder = self.marker.finder
        self._each = list(weights.values())
        self._known: dict[int, float] = {0: 0.0}

    def worth(self, found: Collection[str]) -> float:
        """The sum of the weights of terms, in an order that does not depend on chance."""
        return sum([weight for term, weight in self.weights.items() if term in found])

    def worth_of(self, mark: int) -> float:
        """The same for a bit of each term, in their order."""
        worth = self._known.get(mark)
        if worth is None:
            worth = sum([weight for bit, weight in enumerate(self._each) if mark >> bit & 1])
            self._known[mark] = worth
        return worth

    def in_path(self, path: str) -> frozenset[str]:
        """The terms that a path holds."""
        return self.marker.terms_of(sum(self.marker.marks([path]).values()))

    def names(self, place: Place) -> bool:
        """Whether the question is the name of a declaration, alone or after those that hold it."""
        if not self._name.endswith(_in_one(place.name)) or not self._name:
            return False
        return _in_one(place.qualified).endswith(self._name)


def _in_one(name: str) -> str:
    return in_one(name.replace(".", ""))
