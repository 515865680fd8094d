"""Passages of ranked chunks as their files are now.

A passage of a file that changed since it was indexed is marked stale; one of a missing file, or of
a copy of a file that is shown, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.search.filter.phrases import lines_near_phrase
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
        # the passages of changed files that were shown: path, first and last line
        self._stale: set[tuple[str, int, int]] = set()
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
        # of a changed file passages are looked for everywhere in it: two chunks may give the same
        if found is None or (ranked.path, found.start, found.end) in self._stale:
            return "condition"
        matched = found.terms | self._matcher.in_path(ranked.path)
        if stale and not matched:
            return "changed"
        if stale:
            self._stale.add((ranked.path, found.start, found.end))
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
        first, last = (1, file.rows.count) if stale else (ranked.first, ranked.last)
        if not quoted:
            found = self._narrow(file.rows, ranked, first, last, stale=stale)
            if stale or ranked.head or not is_import_block(found.snippet):
                return found
            # rather other lines that match, too
            spans = self._files.declarations_between(ranked.path, ranked.chunk, first, last)
            where = file.rows, first, last, self._matcher, spans
            other = narrow_to_passage(*where, ignored=import_lines)
            return other if other.terms else found
        shown = self._quoted.setdefault(ranked.path, set())
        place = lines_near_phrase(quoted, shown, first, ranked.last, file.rows.count)
        if place is None:
            return None
        found = self._narrow(file.rows, ranked, *place, stale=stale)
        shown.update(range(found.start, found.end + 1))
        return found

    def _narrow(
        self,
        rows: Rows,
        ranked: RankedChunk,
        first: int,
        last: int,
        lines: tuple[int, ...] = (),
        *,
        stale: bool,
    ) -> Passage:
        """The best lines of these, with one of `lines` if there are any."""
        lines = lines or ((ranked.head,) if ranked.head and not stale else ())
        known = None if stale else self._files.places(ranked.path, ranked.chunk)
        found = None
        if stale or not ranked.head:
            found = choose_passage(rows, first, last, self._matcher, known, lines)
        if found is not None:
            return found
        at = ranked.path, ranked.chunk, first, last
        places = [] if stale else self._files.declarations_between(*at)
        return narrow_to_passage(rows, first, last, self._matcher, places, lines)
