"""Finds the files that contain a word, the words of a phrase, or a word with a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from index_format import (
    BySegment,
    ChunksWithAll,
    LiveSegment,
    Snapshot,
    chunks_of_segment,
    decode_chunks,
    frequent_prefix_terms,
    list_prefix_chunks,
)
from index_format.analysis.word_pairs import terms_of_phrase
from index_format.analysis.words import WORD, terms_of_word
from repo_mcp.budget import Budget
from repo_mcp.question.syntax.tree import Prefix
from repo_mcp.search.filter.file_masks import I64, FileAxis, Mask, SnapshotMasks
from repo_mcp.stored import BODY, PAIR, PATH, SYMBOL, IndexProgress

if TYPE_CHECKING:
    import numpy.typing as npt

# the body includes documentation, and the path the file's name
ANYWHERE: Final = (BODY, SYMBOL, PATH)
_WORD: Final = re.compile(WORD)


class FileWords:
    """Looks up words in one snapshot; the masks' values for dead files are arbitrary."""

    def __init__(self, known: SnapshotMasks, snapshot: Snapshot, budget: Budget) -> None:
        self._known = known
        self._axis = known.axis
        self._snapshot = snapshot
        self._budget = budget

    def files_with_words(self, field: str | None, text: str) -> Mask:
        """Files that contain every word of a text.

        For a word of several parts that no live file contains, its parts are looked up instead.
        """
        found = [self._files_with_word(field, word) for word in _WORD.findall(text)]
        return self._all(mask for mask in found if mask is not None)

    def files_with_phrase(self, field: str | None, text: str) -> Mask:
        """Files that may contain a phrase: they contain each of its words, and pairs of them."""
        if field not in {None, BODY}:
            words = (terms_of_word(word) for word in _WORD.findall(text))
            terms = [(field, terms[0]) for terms in words if terms]
        else:
            terms = self._phrase_terms(text)
        return self._all(self._files_with_term(*term) for term in terms)

    def chunks_with_phrase(self, text: str) -> I64:
        """Live chunks that may contain a phrase in the body, ascending."""
        self._budget.check()
        terms = self._phrase_terms(text)
        if not terms:
            return (self._axis.chunks(self._axis.all_files())).nonzero()[0]
        keys = tuple((self._number(field), _bytes(term)) for field, term in terms)
        found = self._snapshot.ask(ChunksWithAll(keys))
        alive: I64 = found[self._axis.alive[self._axis.file_of_chunk[found]]]
        return alive

    def _phrase_terms(self, text: str) -> list[tuple[str, str]]:
        """Field and term of what the body of a chunk with a phrase has.

        No pairs while some files are indexed by words only.
        """
        deep = IndexProgress.of(self._snapshot).deep
        pairs, words = terms_of_phrase(text, pairs_too=deep)
        return [*((PAIR, pair) for pair in pairs), *((BODY, word) for word in words)]

    def files_with_prefix(self, field: str | None, prefix: str) -> Mask:
        """Files that contain a word, or part of a word, with a prefix."""
        begin = prefix.lower().encode("utf-8", "surrogatepass")
        fields = ANYWHERE if field is None else (field,)
        return self._any(self._files_with_beginning(name, begin) for name in fields)

    def _files_with_word(self, field: str | None, word: str) -> Mask | None:
        terms = terms_of_word(word)
        if not terms:
            return None
        whole, *parts = terms
        held = self._files_with_term_in_any(field, whole)
        if not parts or self._axis.only_alive(held).any():
            return held
        return self._all(self._files_with_term_in_any(field, part) for part in parts)

    def _files_with_term_in_any(self, field: str | None, term: str) -> Mask:
        fields = ANYWHERE if field is None else (field,)
        return self._any(self._files_with_term(name, term) for name in fields)

    def _files_with_term(self, field: str, term: str) -> Mask:
        key = ("term", field, term)
        found = self._known.files.get(key)
        if found is None:
            self._budget.check()
            number, text = self._number(field), _bytes(term)
            if self._snapshot.is_distributed:
                found = files_elsewhere(self._snapshot, self._axis, number, text, is_prefix=False)
            else:
                lists = self._snapshot.postings(number, text)
                found = self._axis.files_of_chunks(decode_chunks(lists))
            self._known.files.put(key, found)
        return found

    def _files_with_beginning(self, field: str, begin: bytes) -> Mask:
        key = ("prefix", field, begin)
        found = self._known.files.get(key)
        if found is None:
            found, number = self._axis.no_files(), self._number(field)
            if self._snapshot.is_distributed:
                found = files_elsewhere(self._snapshot, self._axis, number, begin, is_prefix=True)
            else:
                for chunks in list_prefix_chunks(self._snapshot, number, begin):
                    self._budget.check()
                    found |= self._axis.files_of_chunks(chunks)
            self._known.files.put(key, found)
        return found

    def _number(self, field: str) -> int:
        number = self._snapshot.schema.number(field)
        if number is None:
            raise ValueError(field)
        return number

    def _all(self, masks: Iterable[Mask]) -> Mask:
        return reduce(np.logical_and, masks, self._axis.all_files())

    def _any(self, masks: Iterable[Mask]) -> Mask:
        return reduce(np.logical_or, masks, self._axis.no_files())


def files_elsewhere(
    snapshot: Snapshot, axis: FileAxis, field: int, text: bytes, *, is_prefix: bool
) -> Mask:
    """The files of a distributed snapshot with a term, or one that begins so; dead files, too."""
    found = snapshot.ask(FilesWith(field, text, is_prefix=is_prefix))
    parts = []
    for item in snapshot.segments:
        packed = found.get(item.entry.name, np.zeros(0, dtype=np.uint8))
        parts.append(np.unpackbits(packed, count=item.entry.files).view(np.bool_))
    return axis.concatenate(parts)


class FilesWith(BySegment["npt.NDArray[np.uint8]"]):
    """The files of a segment that have a term, or one with this prefix, eight to a byte."""

    def __init__(self, field: int, text: bytes, *, is_prefix: bool) -> None:
        self._field = field
        self._text = text
        self._is_prefix = is_prefix

    def of_segment(self, segment: LiveSegment) -> npt.NDArray[np.uint8]:
        """Dead files, too."""
        bounds = segment.reader.files.bounds
        mask = np.zeros(segment.entry.files, dtype=np.bool_)
        found = chunks_of_segment(segment, self._field, self._text, is_prefix=self._is_prefix)
        for chunks in found:
            mask[np.searchsorted(bounds, chunks, side="right") - 1] = True
        return np.packbits(mask)


def expand_prefix(snapshot: Snapshot, prefix: Prefix, most: int) -> tuple[str, ...]:
    """The most frequent words with a prefix, which are ranked in its place."""
    number = snapshot.schema.number(prefix.field or BODY)
    if number is None:
        raise ValueError(prefix)
    best = frequent_prefix_terms(snapshot, number, _bytes(prefix.text.lower()), most)
    return tuple(term.decode("utf-8", "surrogatepass") for term in best)


def _bytes(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")
