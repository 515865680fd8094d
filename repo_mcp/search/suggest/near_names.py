"""Finds declared names for a word that none has: names that contain it, else that resemble it."""

from __future__ import annotations

from typing import Final

from index_format import Snapshot, list_containing_terms
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.stored import SYMBOL

# shorter words are contained in too many names
_SHORTEST: Final = 5
# places in the dictionary that are looked at, and names that are searched for
_MOST_PLACES: Final = 400
_MOST_NAMES: Final = 8
# terms of declared names, 20 bytes each, that are scanned in 7 ms
_FEW_TERMS: Final = 500_000
# the similarity of a name that differs by an edit or two
_MISSPELT: Final = 0.8


class NearName(NamedTuple):
    """A declared name as it is indexed, and how similar it is, from 0 to 1."""

    term: str
    similarity: float


def can_list_containing(snapshot: Snapshot) -> bool:
    """True if declared names that contain a text are found in a few milliseconds."""
    field = snapshot.schema.number(SYMBOL)
    if field is None:
        return False
    counts = (len(segment.reader.field(field).terms) for segment in snapshot.segments)
    return sum(counts) <= _FEW_TERMS


def near_names(
    snapshot: Snapshot, word: str, budget: Budget, *, is_unknown: bool
) -> list[NearName]:
    """The most similar declared names; those that resemble a word only if it `is_unknown`."""
    sought = word.replace("_", "")
    if len(sought) < _SHORTEST:
        return []
    budget.check()
    found = _containing(snapshot, sought)
    if not found and is_unknown:
        found = _resembling(snapshot, word, budget)
    best = sorted(found, key=lambda name: (-name.similarity, name.term))
    return best[:_MOST_NAMES]


def _containing(snapshot: Snapshot, word: str) -> list[NearName]:
    field = snapshot.schema.number(SYMBOL)
    if field is None:
        return []
    text = word.encode("utf-8", "surrogatepass")
    terms = dict.fromkeys(
        term for term, _ in list_containing_terms(snapshot, field, text, _MOST_PLACES)
    )
    return [
        NearName(term.decode("utf-8", "surrogatepass"), len(text) / len(term)) for term in terms
    ]


def _resembling(snapshot: Snapshot, word: str, budget: Budget) -> list[NearName]:
    from repo_mcp.search.suggest.near_words import NearWords  # noqa: PLC0415 rarely needed

    near = NearWords(snapshot, budget, SYMBOL)
    forms = dict.fromkeys([word, word.replace("_", "")])
    found = dict.fromkeys(item.text for form in forms for item in near.near(form, _MOST_NAMES))
    return [NearName(term, _MISSPELT) for term in found]
