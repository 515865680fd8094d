"""The words of a question in the names of functions."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from index_format.analysis.words import split_identifier, terms_of_words
from repo_mcp.flow.questions import COMMON, QUALIFIED
from repo_mcp.flow.weights import FlowWeights as Weights
from repo_mcp.search import stems
from repo_mcp.text.query_terms import STOP, weigh_terms

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.model import Symbol
# words of such questions that name nothing
_WORD: Final = re.compile(r"\w+")


class NameWeights:
    """The number of words of a question in the names of a function."""

    def __init__(self, text: str) -> None:
        # of `Owner.name` the last part alone means nothing
        self._qualified = QUALIFIED.findall(text)
        plain = QUALIFIED.sub(" ", text)
        words = (word for word in _WORD.findall(plain) if word.lower() not in COMMON | STOP)
        # as they are written
        self.written = [*dict.fromkeys(word for word in words if len(word) >= Weights.SHORTEST)]
        terms = {term: weight for term, weight in weigh_terms(text).items() if term not in COMMON}
        self.stems: dict[str, float] = {}
        for term, weight in terms.items():
            for stem in stems([term]):
                self.stems[stem] = max(weight, self.stems.get(stem, 0.0))
        self._all = sum(self.stems.values()) or 1.0
        self._shares: dict[str, float] = {}

    def weigh(self, symbol: Symbol) -> float:
        """The share of the words in its name, and in the best of the names around it."""
        written = Weights.WRITTEN if self._is_written(symbol) else 0.0
        own, outer = self._share(symbol.simple_name), self.share_around(symbol)
        return written + Weights.NAME * own + Weights.AROUND * outer

    def _is_written(self, symbol: Symbol) -> bool:
        from code_graph.query.names import ends_with  # noqa: PLC0415 as above

        return symbol.simple_name in self.written or any(
            ends_with(symbol, name) for name in self._qualified
        )

    def share(self, symbol: Symbol) -> float:
        """The share of the words in its name; those in the names around it count less, up to 1."""
        own, outer = self._share(symbol.simple_name), self.share_around(symbol)
        return min(1.0, own + (Weights.AROUND if own else Weights.AROUND_ALONE) * outer)

    def share_around(self, symbol: Symbol) -> float:
        """The share of the words in the best of the names around it."""
        *around, _ = symbol.qualified_name.split(symbol.separator)
        return max(map(self._share, around), default=0.0)

    def _share(self, name: str) -> float:
        """The share of the words that a name has; less for a name that has others, too."""
        if name not in self._shares:
            parts = [part.lower() for part in split_identifier(name)] or [name.lower()]
            known = sum(not self.stems.keys().isdisjoint(stems([part])) for part in parts)
            found = stems(terms_of_words(name))
            share = sum(weight for stem, weight in self.stems.items() if stem in found) / self._all
            self._shares[name] = share * math.sqrt(known / len(parts))
        return self._shares[name]
