"""Which files hold a word, the words of a phrase, or a word that begins in a way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from typing import Final

import numpy as np

from index_format import Snapshot, decode_chunks, frequent_prefix_terms, list_prefix_chunks
from repo_mcp.budget import Budget
from repo_mcp.search.filter.file_masks import Mask, SnapshotMasks
from repo_mcp.search.query.tree import Prefix
from repo_mcp.stored import BODY, PATH, SYMBOL
from repo_mcp.text.words import WORD, terms_of_word

# what is said of a declaration stands in the body, too, and a file's name in its path
ANYWHERE: Final = (BODY, SYMBOL, PATH)
_WORD: Final = re.compile(WORD)


class FileWords:
    """Looks words up in one snapshot; masks hold dead files, too, in any way."""

    def __init__(self, known: SnapshotMasks, snapshot: Snapshot, budget: Budget) -> None:
        """Nothing is read yet."""
        self._known = known
        self._axis = known.axis
        self._snapshot = snapshot
        self._budget = budget

    def of_text(self, field: str | None, text: str) -> Mask:
        """Files that hold every word of a text.

        A word of several parts that stands nowhere as it is holds where all its parts do.
        """
        found = [self._of_word(field, word) for word in _WORD.findall(text)]
        return self._all(mask for mask in found if mask is not None)

    def of_phrase(self, field: str | None, text: str) -> Mask:
        """Files that may hold a phrase: each of its words stands there as it is."""
        words = (terms_of_word(word) for word in _WORD.findall(text))
        return self._all(self._of_term(field or BODY, terms[0]) for terms in words if terms)

    def of_prefix(self, field: str | None, prefix: str) -> Mask:
        """Files that hold a word, or part of one, that begins so."""
        begin = prefix.lower().encode("utf-8", "surrogatepass")
        fields = ANYWHERE if field is None else (field,)
        return self._any(self._beginning(name, begin) for name in fields)

    def _of_word(self, field: str | None, word: str) -> Mask | None:
        terms = terms_of_word(word)
        if not terms:
            return None
        whole, *parts = terms
        held = self._in_fields(field, whole)
        if not parts or self._axis.living(held).any():
            return held
        return self._all(self._in_fields(field, part) for part in parts)

    def _in_fields(self, field: str | None, term: str) -> Mask:
        fields = ANYWHERE if field is None else (field,)
        return self._any(self._of_term(name, term) for name in fields)

    def _of_term(self, field: str, term: str) -> Mask:
        key = ("term", field, term)
        found = self._known.files.get(key)
        if found is None:
            self._budget.check()
            lists = self._snapshot.postings(self._number(field), _bytes(term))
            found = self._axis.holding(decode_chunks(lists))
            self._known.files.put(key, found)
        return found

    def _beginning(self, field: str, begin: bytes) -> Mask:
        key = ("prefix", field, begin)
        found = self._known.files.get(key)
        if found is None:
            found = self._axis.none()
            for chunks in list_prefix_chunks(self._snapshot, self._number(field), begin):
                self._budget.check()
                found |= self._axis.holding(chunks)
            self._known.files.put(key, found)
        return found

    def _number(self, field: str) -> int:
        number = self._snapshot.schema.number(field)
        if number is None:
            raise ValueError(field)
        return number

    def _all(self, masks: Iterable[Mask]) -> Mask:
        return reduce(np.logical_and, masks, self._axis.every())

    def _any(self, masks: Iterable[Mask]) -> Mask:
        return reduce(np.logical_or, masks, self._axis.none())


def expanded(snapshot: Snapshot, prefix: Prefix, most: int) -> tuple[str, ...]:
    """The words that most chunks hold of those that begin so: what ranks for a prefix."""
    number = snapshot.schema.number(prefix.field or BODY)
    if number is None:
        raise ValueError(prefix)
    best = frequent_prefix_terms(snapshot, number, _bytes(prefix.text.lower()), most)
    return tuple(term.decode("utf-8", "surrogatepass") for term in best)


def _bytes(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")
