"""Puts the declaration that a name means before all other hits.

Exact spelling comes before other styles, code before tests, examples and documentation, several
lines before one; of several like that the one that others mention most. Where code declares no such
name, the line that assigns a variable of it stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import merge
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.facts import (
    OVERLOAD,
    DamagedFactsError,
    Declaration,
    decode_declarations,
    last_part,
    normalize_name,
)
from code_graph.paths.path_kinds import CODE, PROSE, rank_path
from code_graph.store.schema import FACTS
from index_format import Snapshot, TermScores, WeightedTerm, open_terms
from index_format.analysis.words import folded
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.question.query import Name
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.ranked.candidates import CandidateChunks
from repo_mcp.search.ranked.names import (
    NamedDeclaration,
    find_assignment,
    find_declarations,
    find_head,
    has_keyword,
    names_of_path,
)
from repo_mcp.search.ranked.passage_table import MEANT
from repo_mcp.search.ranked.ranked_chunks import SEEDS, ChunkRanker, RankedChunk, best_of_files
from repo_mcp.search.ranked.term_lookup import I64
from repo_mcp.search.ranked.weights import Weights
from repo_mcp.stored import BODY, SYMBOL

if TYPE_CHECKING:
    from repo_mcp.search.ranked.candidates import Mask

# files whose declarations are compared with a name, or that are read for a line that assigns it
_FILES: Final = 40
# lines above a declaration that belong to its passage: the end of its comment
_COMMENT: Final = 2
# how many types are followed from a type to those that it inherits from, and files that may
# declare each
_MOST_BASES: Final = 16
# files that stand for their folder
_FILES_OF_FOLDERS: Final = frozenset({"__init__", "index", "mod", "lib", "main"})
# chunks with a name of which one may assign the variable that is meant: `data` of a kernel means
# nothing in particular
_MOST_ASSIGNED: Final = 5_000
_ORDER: Final = attrgetter("order")
_NO_WORD: Final = re.compile(r"\W+")


class NamedDeclarations:
    """The declarations that one query names, in one snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        files: CurrentFiles,
        ranker: ChunkRanker,
        kinds: frozenset[str],
        weights: Weights,
        allowed: Mask | None,
    ) -> None:
        """`kinds` of files are those that the query asks for."""
        self._snapshot = snapshot
        self._files = files
        self._ranker = ranker
        self._kinds = kinds
        self._weights = weights
        self._allowed = allowed

    def put_first(
        self, ranked: Iterator[RankedChunk], name: Name, near: Mapping[str, float], budget: Budget
    ) -> Iterator[RankedChunk]:
        """The ranked chunks, with the declarations of a name among them and the best in front.

        If there are none, those of the most similar of some names `near` to it, in code if any is.
        """
        found = sorted(self._find(name, budget), key=_NamedPlace.order)
        if not (name.keyword or name.within or (found and found[0].is_certain)):
            found = sorted([*found, *self._assigned(name, budget)], key=_NamedPlace.order)
        found = found or self._find_near(name, near, budget)
        if not found:
            return ranked
        found = self._by_uses(found, name)
        first = list(islice(ranked, 1))
        is_any_long = any(item.declaration.is_long for item in found)
        fit = [item for item in found[1:] if item.declaration.is_long or not is_any_long]
        meant = [self._as_chunk(item) for item in (found[0], *fit)]
        if found[0].is_worth_lifting:
            best = max(item.score for item in (*first, *meant))
            lifted = max(meant[0].score, best * self._weights.first)
            if meant[0].score:
                meant[0] = meant[0].multiply(MEANT, lifted / meant[0].score)
            meant[0] = meant[0]._replace(score=lifted)
        return merge(chain(first, ranked), sorted(meant, key=_ORDER), key=_ORDER)

    def _find_near(
        self, name: Name, near: Mapping[str, float], budget: Budget
    ) -> list[_NamedPlace]:
        """The best declarations of the most similar name that is declared in code, else of any."""
        found: list[_NamedPlace] = []
        for other in sorted(near, key=lambda other: (-near[other], other)):
            places = self._find(name._replace(written=other), budget)
            places.sort(key=_NamedPlace.order)
            if places and places[0].kind == CODE:
                return places
            found = found or places
        return found

    def _find(self, name: Name, budget: Budget) -> list[_NamedPlace]:
        """The best declaration of a name in each file."""
        files = list(islice(self._files_with(name.written, SYMBOL), _FILES))
        self._snapshot.expect_attachments((item.chunk for item in files), FACTS)
        found = [item for file in files for item in self._in_file(file, name, (), budget)]
        if found or not name.within:
            return found
        holders = self._inherited(name.within[-1], budget)
        if not holders:
            return []
        return [item for file in files for item in self._in_file(file, name, holders, budget)]

    def _files_with(self, name: str, field: str) -> Iterator[RankedChunk]:
        """The best chunks of files that have a name in a field, or names that have it as a part.

        The name, or what it is in another style, is a word of the query.
        """
        chunks = _chunks_with(self._snapshot, name, field, self._allowed)
        return best_of_files(self._ranker.best(chosen=chunks))

    def _by_uses(self, found: list[_NamedPlace], name: Name) -> list[_NamedPlace]:
        """Of the likeliest ones, in front the one whose holder is mentioned most with the name."""
        alike = [item for item in found if item.likely() == found[0].likely()]
        if len(alike) == 1:
            return found
        counts = _count_together(self._snapshot, name.written, [item.holder for item in alike])
        best = max(range(len(alike)), key=lambda at: (counts[at], -at))
        return [alike[best], *(item for item in found if item is not alike[best])]

    def _in_file(
        self, file: RankedChunk, name: Name, holders: Sequence[str], budget: Budget
    ) -> list[_NamedPlace]:
        budget.check()
        places = self._files.declarations_named(file.path, file.chunk, name.written)
        found = find_declarations(name, file.path, places, holders)
        kind = self._kind(file.path)
        meant = [_NamedPlace(file, item, kind) for item in found if self._fits(file, name, item)]
        if len({item.declaration.place.qualified for item in meant}) < len(meant):
            meant = self._with_body(file, meant)
        return [min(meant, key=_NamedPlace.order)] if meant else []

    def _with_body(self, file: RankedChunk, meant: list[_NamedPlace]) -> list[_NamedPlace]:
        """The places without overload signatures, unless there are no others."""
        rows = declarations_of(self._snapshot, file.chunk)
        signatures = {item.start_line for item in rows if OVERLOAD in item.modifiers}
        found = [item for item in meant if item.declaration.place.start_line not in signatures]
        return found or meant

    def _fits(self, file: RankedChunk, name: Name, item: NamedDeclaration) -> bool:
        if not name.keyword:
            return True
        current = self._files.get(file.path)
        return current is not None and has_keyword(name, current.rows, item.place)

    def _kind(self, path: str) -> int:
        return rank_path(path, self._kinds)

    def _assigned(self, name: Name, budget: Budget) -> Iterator[_NamedPlace]:
        """The lines of the best files that assign a variable of a name.

        Of a file that is not parsed yet, the line that declares it.
        """
        terms = _open(self._snapshot, BODY, [folded(name.written)])
        if sum(term.count for term in terms) > _MOST_ASSIGNED:
            return
        files = self._files_with(name.written, BODY)
        code = list(islice((item for item in files if self._kind(item.path) == CODE), _FILES))
        self._files.prefetch(item.path for item in code)
        for item in code:
            budget.check()
            file = self._files.get(item.path)
            if file is None:
                continue
            is_parsed = bool(self._snapshot.attachment_of(item.chunk, FACTS))
            head = None if is_parsed else find_head(name, file.rows)
            if head is not None:
                yield _NamedPlace(item, NamedDeclaration.at_line(name.written, head), CODE)
                continue
            found = find_assignment(name, file.rows)
            if found is not None:
                declaration = NamedDeclaration.at_line(name.written, found.line)
                yield _NamedPlace(item, declaration, CODE, 1 + found.indentation)

    def _inherited(self, holder: str, budget: Budget) -> list[str]:
        """The types from which a type inherits, by their names, the nearest first."""
        found: dict[str, None] = {}
        left = [holder]
        while left and len(found) <= _MOST_BASES:
            budget.check()
            bases = self._bases(left.pop(0))
            left += [base for base in bases if base not in found]
            found.update(dict.fromkeys(bases))
        return list(found)

    def _bases(self, holder: str) -> list[str]:
        """The names of what the types of a name inherit from."""
        found: dict[str, None] = {}
        places = _places_with(self._snapshot, holder, SYMBOL)
        for path, chunk in islice(places.items(), _MOST_BASES):
            if not self._files.declarations_named(path, chunk, holder):
                continue
            for item in declarations_of(self._snapshot, chunk):
                if item.name == holder:
                    found.update(dict.fromkeys(map(last_part, item.bases)))
        return list(found)

    def _as_chunk(self, item: _NamedPlace) -> RankedChunk:
        """The lines of a declaration; of one line, with those beside it."""
        file, place = item.file, item.declaration.place
        last = place.end_line
        if not item.declaration.is_long:  # what is beside it says more
            last += _COMMENT
        first, head = max(place.start_line - _COMMENT, 1), place.start_line
        chunk = file.with_lines(first, last)._replace(score=file.score, head=head)
        return chunk.multiply(MEANT, 1 + self._weights.declared)


class _NamedPlace(NamedTuple):
    """A declaration with the best chunk of its file, and the kind of the file."""

    file: RankedChunk
    declaration: NamedDeclaration
    kind: int
    # 0 for a declaration, 1 and the indentation for a line that assigns a variable
    depth: int = 0

    @property
    def is_certain(self) -> bool:
        """True if it is declared in code as it is written."""
        return self.declaration.as_written and self.kind == CODE

    @property
    def is_worth_lifting(self) -> bool:
        """True if it comes before all other hits."""
        is_likely = self.declaration.as_written or self.declaration.is_long
        return is_likely and self.kind != PROSE

    @property
    def holder(self) -> str:
        """The type or module that has the declaration."""
        *_, folder, stem = ("", *names_of_path(self.file.path))[-2:]
        scopes = _NO_WORD.split(self.declaration.place.qualified)[:-1]
        return scopes[-1] if scopes else folder if stem in _FILES_OF_FOLDERS else stem

    def likely(self) -> tuple[object, ...]:
        """The likeliest first, whatever others mention."""
        item = self.declaration
        return self.kind == PROSE, not item.as_written, self.kind, self.depth, not item.is_long

    def order(self) -> tuple[object, ...]:
        """The likeliest first."""
        place = self.declaration.place
        return *self.likely(), -self.file.score, self.file.path, place.start_line


def declarations_of(snapshot: Snapshot, chunk: int) -> Sequence[Declaration]:
    """The declarations of the file of a chunk; none if its facts are damaged."""
    data = snapshot.attachment_of(chunk, FACTS)
    with suppress(DamagedFactsError):
        return decode_declarations(data).declarations if data else ()
    return ()


def _count_together(snapshot: Snapshot, name: str, others: Sequence[str]) -> list[int]:
    """For each other word, how many of the chunks with the most of a name have it, too."""
    opened = [_open(snapshot, BODY, [folded(word)]) for word in others]
    there = [scores for found in opened for scores in found]
    chunks = _chunks_with(snapshot, name, BODY)
    columns = CandidateChunks(snapshot, there, len(chunks), None, chunks)
    return [int((columns.frequencies(found[0]) > 0).sum()) if found else 0 for found in opened]


def _places_with(snapshot: Snapshot, name: str, field: str) -> dict[str, int]:
    """A chunk with a name in a field, by path."""
    chunks = _chunks_with(snapshot, name, field)
    files = np.searchsorted(snapshot.file_starts, chunks, side="right") - 1
    return dict(zip(snapshot.paths_of(files), chunks.tolist(), strict=True))


def _chunks_with(snapshot: Snapshot, name: str, field: str, allowed: Mask | None = None) -> I64:
    """The chunks with the most of a name in a field, in any naming style, ascending."""
    terms = _open(snapshot, field, [folded(name), normalize_name(name)])
    return CandidateChunks(snapshot, terms, SEEDS, allowed).chunks


def _open(snapshot: Snapshot, field: str, terms: Sequence[str]) -> list[TermScores]:
    encoded = (term.encode("utf-8", "surrogatepass") for term in dict.fromkeys(terms))
    opened = open_terms(snapshot, [WeightedTerm(field, term) for term in encoded])
    return [scores for scores in opened if scores is not None]
