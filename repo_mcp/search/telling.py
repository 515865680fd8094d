"""The words of a question as they are looked for in lines, and how much each tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from repo_mcp.analysis.words import TermFinder, folded


class Telling:
    """Finds words in text, and weighs what is found."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Prepare to look for these."""
        self.weights = weights
        self.finder = TermFinder(weights)
        # as substrings of folded text
        self.folded = [folded(term) for term in weights]
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
