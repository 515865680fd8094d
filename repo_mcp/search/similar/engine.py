"""Finds the declarations of a snapshot that are most like one of them.

Rows of bits choose candidates; their current text, read through the sandbox, decides: by the cosine
of exact vectors, near-duplicates first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.passage.current_files import CurrentFile, CurrentFiles
from repo_mcp.search.similar.likeness import ComparedCode, Likeness
from repo_mcp.search.similar.rows import RowPlace, SymbolRows
from repo_mcp.vectors import shapes, symbol_rows
from repo_mcp.vectors.embedder import I8, Embedder

# rows that are compared by bits, and by signs; declarations whose text is compared, besides those
# that are asked for
_BY_BITS: Final = 1_500
_BY_TEXT: Final = 80
_OF_SHAPE: Final = 20
# the cosine from which words are compared to tell whether they are nearly the same
_WORTH_COMPARING: Final = 0.85
_DIGITS: Final = 4


class SimilarDeclaration(NamedTuple):
    """A declaration, by its number among those of its file that have rows, and how near it is."""

    path: str
    row: int
    start_line: int
    end_line: int
    similarity: float
    likeness: Likeness
    stale: bool
    # the compared text: its beginning
    text: str


class NearestDeclarations(NamedTuple):
    """The nearest declarations first, and the files that changed since they were indexed."""

    found: tuple[SimilarDeclaration, ...]
    stale_paths: frozenset[str] = frozenset()
    # true if there was anything to compare
    has_words: bool = True


class _Subject(NamedTuple):
    """A text that others are compared with, and where it is; in no file without a path."""

    text: str
    path: str
    lines: tuple[int, int]

    def overlaps(self, place: RowPlace) -> bool:
        """True if a declaration is around or inside of it."""
        first, last = self.lines
        return place.path == self.path and place.first <= last and first <= place.last


class _Candidate(NamedTuple):
    """A declaration with what counts of its current text."""

    place: RowPlace
    text: str
    stale: bool


class SimilarEngine:
    """Searches snapshots of one repository."""

    def __init__(
        self, sandbox: Sandbox, embedder: Embedder, rows: SymbolRows | None = None
    ) -> None:
        """Nothing is read yet; `rows` may be shared with other searches."""
        self._sandbox = sandbox
        self._embedder = embedder
        self._rows = rows or SymbolRows(embedder.width)

    def similar(
        self,
        snapshot: Snapshot,
        path: str,
        lines: tuple[int, int],
        limit: int,
        budget: Budget,
    ) -> NearestDeclarations:
        """Declarations like these lines of a file; what overlaps them is left out."""
        files = CurrentFiles(self._sandbox, snapshot)
        own, record = files.get(path), snapshot.file(path)
        if own is None:
            raise Problem("not_found", path)
        found = self._like(
            files, snapshot, _Subject(_text(own, *lines), path, lines), limit, budget
        )
        if record is None or record.fingerprint == own.fingerprint:
            return found
        return found._replace(stale_paths=found.stale_paths | {path})

    def like(
        self, snapshot: Snapshot, text: str, limit: int, budget: Budget
    ) -> NearestDeclarations:
        """Declarations like a text."""
        files = CurrentFiles(self._sandbox, snapshot)
        subject = _Subject(str(symbol_rows.cut_text(text)), "", (0, 0))
        return self._like(files, snapshot, subject, limit, budget)

    def _like(
        self,
        files: CurrentFiles,
        snapshot: Snapshot,
        subject: _Subject,
        limit: int,
        budget: Budget,
    ) -> NearestDeclarations:
        vector = self._embedder.vectors([subject.text])[0]
        if not vector.any():
            return NearestDeclarations((), has_words=False)
        near = self._candidates(snapshot, subject.text, vector, limit)
        budget.check()
        others = [*_read(files, [item for item in near if not subject.overlaps(item)])]
        found = self._compare(others, subject.text, vector, limit)
        return NearestDeclarations(
            tuple(found), frozenset(item.path for item in found if item.stale)
        )

    def _candidates(self, snapshot: Snapshot, text: str, vector: I8, limit: int) -> list[RowPlace]:
        """The declarations whose text is compared, in the order of paths."""
        near = self._rows.near(snapshot, vector, limit + _BY_TEXT, _BY_BITS)
        shape = shapes.shape_of(symbol_rows.encoded(symbol_rows.cut_text(text)))
        near += self._rows.of_shape(snapshot, shape, vector, limit + _OF_SHAPE)
        return [place for _, place in sorted({item[:2]: item for item in near}.items())]

    def _compare(
        self, others: Sequence[_Candidate], text: str, vector: I8, limit: int
    ) -> list[SimilarDeclaration]:
        """The declarations, near-duplicates first, then by their exact vectors."""
        vectors = self._embedder.vectors([item.text for item in others])
        cosines = _cosines(vector, vectors)
        ordered = sorted(range(len(others)), key=lambda at: (-cosines[at], at))
        subject = ComparedCode(symbol_rows.encoded(text))
        found: list[tuple[Likeness, float, _Candidate]] = []
        for at in ordered:
            item, cosine = others[at], cosines[at]
            code = symbol_rows.encoded(item.text)
            likeness = Likeness.NONE
            if cosine >= _WORTH_COMPARING or subject.has_shape(code):
                likeness = subject.likeness(code)
            found.append((likeness, cosine, item))
        found.sort(key=lambda row: -row[0])
        return [_result(*row) for row in found[:limit]]


def _result(likeness: Likeness, cosine: float, item: _Candidate) -> SimilarDeclaration:
    place, similarity = item.place, round(cosine, _DIGITS)
    return SimilarDeclaration(
        *(place.path, place.row, place.first, place.last),
        similarity,
        likeness,
        item.stale,
        item.text,
    )


def _read(files: CurrentFiles, places: Sequence[RowPlace]) -> Iterator[_Candidate]:
    """The current text of declarations, without those in files that are gone."""
    files.prefetch(place.path for place in places)
    for place in places:
        current = files.get(place.path)
        if current is not None and current.rows.is_text:
            known = place.segment.reader.files.fingerprint(place.file)
            text = _text(current, place.first, place.last)
            yield _Candidate(place, text, known != current.fingerprint)


def _text(current: CurrentFile, first: int, last: int) -> str:
    """The compared text of some lines."""
    rows = current.rows.between(first, symbol_rows.last_line(first, last))
    return str(symbol_rows.cut_text("\n".join(rows)))


def _cosines(vector: I8, vectors: I8) -> list[float]:
    """The cosines of a vector with others; sums are of whole numbers, so that they are exact."""
    one, others = vector.astype(np.float64), vectors.astype(np.float64)
    lengths = np.sqrt((others**2).sum(axis=1)) * np.sqrt(float(one @ one))
    found: list[float] = ((others @ one) / np.maximum(lengths, 1.0)).tolist()
    return found
