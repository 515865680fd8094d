"""How often the words of a question occur in chunks and files, field by field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from whoosh.scoring import BM25F

from index_format import Snapshot, TermScores, WeightedTerm, open_terms
from repo_mcp.search.saturation import FieldedBM25F, Saturation
from repo_mcp.search.wanted import Group
from repo_mcp.search.weights import Weights

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

# fields that chunks of one file differ in, and how much the first look trusts each
CHUNK_FIELDS: Final = ("body", "symbol", "doc")
_FIRST_LOOK: Final = {"body": 1.0, "symbol": 1.0, "doc": 0.2, "path": 0.8}


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a word in one field, as the index has it."""

    field: str
    factor: float
    scores: TermScores


@dataclass(frozen=True, slots=True)
class Sought:
    """A word of the question as the index has it: its forms, and the scorer of what they add to."""

    group: Group
    forms: tuple[Form, ...]
    scorer: Saturation


def sought(snapshot: Snapshot, groups: Sequence[Group], weights: Weights) -> list[Sought]:
    """The words that the index holds at all."""
    model = FieldedBM25F(weights.k1)
    first_look = BM25F(B=weights.b, K1=weights.k1, path_B=0.0, symbol_B=0.0)
    places = [
        (group, field, form, factor)
        for group in groups
        for form, factor in group.forms
        for field in _FIRST_LOOK
    ]
    terms = [
        WeightedTerm(field, form.encode("utf-8", "surrogatepass"), _FIRST_LOOK[field] * factor * group.weight)
        for group, field, form, factor in places
    ]
    opened = open_terms(snapshot, terms, first_look)
    found: dict[int, list[Form]] = {}
    for (group, field, _, factor), scores in zip(places, opened, strict=True):
        if scores is not None:
            found.setdefault(id(group), []).append(Form(field, factor, scores))
    held = [(group, tuple(found[id(group)])) for group in groups if id(group) in found]
    return [
        Sought(group, forms, model.of_counts(snapshot.chunk_count, _holders(forms)))
        for group, forms in held
    ]


def _holders(forms: Sequence[Form]) -> int:
    """In how many chunks the word is; where it is not written, how many have it in their path."""
    written = [form.scores.count for form in forms if form.field == "body"]
    return max(written or [form.scores.count for form in forms])
