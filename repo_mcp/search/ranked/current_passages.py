"""Passages of ranked chunks as their files are now.

A passage of a file that changed since it was indexed is marked stale; one of a missing file, or of
a copy of a file that is shown, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from code_graph.facts import DeclarationSpan
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.search.filter.phrases import PhraseLines, lines_near_phrase
from repo_mcp.search.passage.current_files import CurrentFile, CurrentFiles
from repo_mcp.search.passage.narrowing import Passage, choose_passage, narrow_to_passage
from repo_mcp.search.passage.showing import import_lines, is_import_block
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.ranked_chunks import RankedChunk
from repo_mcp.text.files import Rows

if TYPE_CHECKING:  # most queries have no conditions
    from repo_mcp.search.filter.conditions import ChunkSelection, PhrasePlaces


class CurrentPassage(NamedTuple):
    """A passage of a current file, the terms in it and its path, and whether the file changed."""

    passage: Passage
    terms: frozenset[str]
    stale: bool


class PassageHits:
    """Hits as they are ranked: passages, and further declarations of their chunks."""

    # true if a hit brings no others of its chunk
    is_alone = False

    def ranked(self, passages: Iterator[RankedChunk]) -> Iterator[RankedChunk]:
        """The hits that the ranked passages become, best first."""
        return passages

    def shown(self, _item: RankedChunk, found: CurrentPassage) -> CurrentPassage:
        """A passage as a hit."""
        return found


class CurrentPassages:
    """The passages that one answer shows, each content and each phrase once."""

    def __init__(
        self,
        snapshot: Snapshot,
        files: CurrentFiles,
        matcher: TermMatcher,
        selection: ChunkSelection | None,
    ) -> None:
        self._snapshot = snapshot
        self._files = files
        self._matcher = matcher
        self._selection = selection
        # by content, the first file shown
        self._shown: dict[bytes, str] = {}
        # by path, the shown file that equals it
        self.copies: dict[str, str] = {}
        # by path, where the query's phrases begin
        self._places: dict[str, PhrasePlaces] = {}
        # by path, the lines of passages already shown for phrases
        self._quoted: dict[str, set[int]] = {}

    def find(
        self, ranked: RankedChunk, known: CurrentPassage | None = None
    ) -> CurrentPassage | str:
        """The passage in the current file, or a code for why there is none.

        A `known` one is only left out where the file is gone or a copy.
        """
        file = self._files.get(ranked.path)
        if file is None or not file.rows.is_text or file.rows.is_empty:
            return "gone"
        if self._shown.get(file.fingerprint, ranked.path) != ranked.path:
            self.copies[ranked.path] = self._shown[file.fingerprint]
            return "copy"
        if known is not None:
            self._shown[file.fingerprint] = ranked.path
            return known
        stale = self._snapshot.fingerprint_of(ranked.chunk) != file.fingerprint
        found = self._passage(file, ranked, stale=stale)
        if found is None:
            return "condition"
        matched = found.terms | self._matcher.in_path(ranked.path)
        if stale and not matched:
            return "changed"
        self._shown[file.fingerprint] = ranked.path
        return CurrentPassage(found, matched, stale)

    def _passage(self, file: CurrentFile, ranked: RankedChunk, *, stale: bool) -> Passage | None:
        """The passage; None if the file lacks a phrase, or all its phrases were shown."""
        quoted: list[int] = []
        if self._selection is not None and self._selection.phrases:
            places = self._places.get(ranked.path)
            if places is None:
                places = self._selection.phrase_places(file.rows)
                self._places[ranked.path] = places
            if not self._selection.matches(ranked.chunk, places):
                return None
            quoted = self._selection.phrase_lines(places)
        if not quoted:
            found = self._narrow(file.rows, ranked, stale=stale)
            return self._beside_imports(file.rows, ranked, found, stale=stale)
        shown = self._quoted.setdefault(ranked.path, set())
        first = 1 if stale else ranked.first
        place = lines_near_phrase(quoted, shown, first, ranked.last, file.rows.count)
        if place is None:
            return None
        found = self._narrow_to_phrase(file.rows, ranked, place, stale=stale)
        shown.update(range(found.start, found.end + 1))
        return found

    def _beside_imports(
        self, rows: Rows, ranked: RankedChunk, found: Passage, *, stale: bool
    ) -> Passage:
        """The passage, or a better one where it only imports and other lines match, too."""
        if stale or ranked.head or not is_import_block(found.snippet):
            return found
        places = self._declarations(ranked, ranked.first, ranked.last)
        other = narrow_to_passage(
            rows, ranked.first, ranked.last, self._matcher, places, ignored=import_lines
        )
        return other if other.terms else found

    def _narrow_to_phrase(
        self,
        rows: Rows,
        ranked: RankedChunk,
        place: PhraseLines,
        *,
        stale: bool,
    ) -> Passage:
        first, last = place.first, place.last
        known = None if stale else self._files.places(ranked.path, ranked.chunk)
        found = choose_passage(rows, first, last, self._matcher, known, place.lines)
        if found is not None:
            return found
        places = [] if stale else self._declarations(ranked, first, last)
        return narrow_to_passage(rows, first, last, self._matcher, places, place.lines)

    def _narrow(self, rows: Rows, ranked: RankedChunk, *, stale: bool) -> Passage:
        if stale:
            first, last, known = 1, rows.count, None
        else:
            first, last = ranked.first, ranked.last
            known = self._files.places(ranked.path, ranked.chunk)
        if stale or not ranked.head:
            found = choose_passage(rows, first, last, self._matcher, known)
            if found is not None:
                return found
        if stale:
            return narrow_to_passage(rows, first, last, self._matcher)
        places = self._declarations(ranked, ranked.first, ranked.last)
        heads = [ranked.head] if ranked.head else []
        return narrow_to_passage(rows, ranked.first, ranked.last, self._matcher, places, heads)

    def _declarations(self, ranked: RankedChunk, first: int, last: int) -> list[DeclarationSpan]:
        return self._files.declarations_between(ranked.path, ranked.chunk, first, last)
