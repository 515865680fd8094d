"""Matches the terms of a query in lines of text, and weighs the matches."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph.facts import DeclarationSpan, normalize_name
from repo_mcp.native import NATIVE, EncodedQuery
from repo_mcp.search.dictionary.word_forms import stem
from repo_mcp.text.marking import Marker

if TYPE_CHECKING:
    import numpy.typing as npt

F64: TypeAlias = "npt.NDArray[np.float64]"
I64: TypeAlias = "npt.NDArray[np.int64]"
_TINY: Final = 1e-12


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
        self.worth: Mapping[int, float] = _MarkWeights(weights.values())

    @cached_property
    def _forms(self) -> tuple[I64, I64, F64]:
        """The numbers of terms with those of a word together, where each word begins, weights."""
        words: dict[str, int] = {}
        of_terms = [words.setdefault(stem(term), len(words)) for term in self.weights]
        order = np.argsort(of_terms, kind="stable")
        begins = np.searchsorted(np.array(of_terms)[order], np.arange(len(words)))
        return order, begins, np.array([*self.weights.values()], dtype=np.float64)[order]

    @cached_property
    def words(self) -> F64:
        """The weight of each word: of its forms the best counts."""
        _, begins, weights = self._forms
        largest: F64 = np.maximum.reduceat(weights, begins) if len(begins) else weights
        return largest

    def words_of(self, marks: Sequence[int]) -> F64:
        """A row for each mark: 1 for each word that it has, less for another form of it."""
        order, begins, weights = self._forms
        if not (marks and len(begins)):
            return np.zeros((len(marks), len(begins)))
        distinct: dict[int, int] = {}  # many lines have the same mark
        rows = [distinct.setdefault(mark, len(distinct)) for mark in marks]
        width = (len(order) + 7) // 8
        data = b"".join([mark.to_bytes(width, "little") for mark in distinct])
        packed = np.frombuffer(data, dtype=np.uint8).reshape(len(distinct), width)
        bits = np.unpackbits(packed, axis=1, count=len(order), bitorder="little")
        largest = np.maximum.reduceat(bits[:, order] * weights, begins, axis=1)
        shares: F64 = (largest / np.maximum(self.words, _TINY))[rows]
        return shares

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

    def __init__(self, weights: Iterable[float]) -> None:
        """The weight of each bit, the lowest first."""
        super().__init__()
        self._weights = tuple(weights)

    def __missing__(self, mark: int) -> float:
        worth = 0.0
        for bit, weight in enumerate(self._weights):  # `sum` may sum in another way
            if mark >> bit & 1:
                worth += weight
        self[mark] = worth
        return worth
