"""Looks commits up in their index: by terms, paths and people, the newest first."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from code_graph.recent import RecentValues
from index_format import CorruptIndexError, LiveSegment, Snapshot
from index_format.analysis.words import terms_of_words
from repo_mcp.budget import Budget
from repo_mcp.commit_table import CommitTable
from repo_mcp.history.model import CommitFilter
from repo_mcp.indexing.build.commits import path_term
from repo_mcp.search import Dictionaries, Required, chunks_with_needles
from repo_mcp.stored import AUTHOR, CHANGED, CHANGED_PATH
from repo_mcp.stored_commits import FILES, MANY_PATHS, UNREAD_LINES, CommitFile, unpack_files
from repo_mcp.text.globs import compile_globs

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"
_NONE: Final = np.zeros(0, dtype=np.int64)
_GLOB: Final = frozenset("*?[{")
# commits whose files are kept for the next question
_MOST_COMMITS: Final = 64


class CommitFiles(list[CommitFile]):
    """The files that a commit has changed, which may be all of a large tree."""

    @cached_property
    def renamed(self) -> list[CommitFile]:
        """The renamed files."""
        return [item for item in self if item.kind == "R"]

    @cached_property
    def _by_path(self) -> dict[str, CommitFile]:
        found: dict[str, CommitFile] = {}
        for item in reversed(self):
            found[item.old_path] = item
        return found | {item.path: item for item in reversed(self)}

    def find(self, path: str) -> CommitFile | None:
        """The change to a file of this name, or that took the name from it."""
        return self._by_path.get(path) if path else None


class CommitIndex:
    """The commits of one generation; places are those of `table`."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Read the table of commits."""
        self.snapshot = snapshot
        self.table = CommitTable(snapshot)
        self._dictionaries = Dictionaries()
        self._files: RecentValues[int, CommitFiles] = RecentValues(_MOST_COMMITS)

    def files(self, place: int) -> CommitFiles:
        """The files that a commit has changed; none of a merge."""
        return self._files.get(place, self._read_files)

    def _read_files(self, place: int) -> CommitFiles:
        segment = self.snapshot.segments[int(self.table.segments[place])]
        data = segment.reader.attachments.get(int(self.table.files[place]), FILES)
        try:
            return CommitFiles(unpack_files(data))
        except (ValueError, zlib.error) as error:
            raise CorruptIndexError(segment.entry.name, "ATTD", 0, str(error), "files") from error

    def with_term(self, field: str, term: bytes) -> I64:
        """Places of the commits with a term, ascending."""
        return self._ascending(self._chunks_with(field, [term]))

    def with_path(self, path: str) -> I64:
        """Places of the commits that have changed a file, merges too, ascending."""
        return self.with_term(CHANGED_PATH, path_term(path))

    @cached_property
    def unsure(self) -> I64:
        """Places of the commits whose paths are not all known."""
        return self.with_term(CHANGED_PATH, MANY_PATHS)

    @cached_property
    def crowded(self) -> frozenset[int]:
        """Places of the commits that have changed more files than are indexed."""
        merges = self.table.is_merge
        return frozenset(at for at in self.unsure.tolist() if not merges[at] and self.files(at))

    def allowed(self, wanted: CommitFilter) -> Mask:
        """By place, whether a commit is one that is wanted."""
        found = np.ones(len(self.table), dtype=np.bool_)
        if wanted.since:
            found &= self.table.dates >= wanted.since
        if wanted.until:
            found &= self.table.dates < wanted.until
        if wanted.path:
            found &= self._marked(self.below(wanted.path))
        for term in dict.fromkeys(terms_of_words(wanted.author)):
            found &= self._marked(self.with_term(AUTHOR, term.encode("utf-8", "surrogatepass")))
        return found

    def below(self, path: str) -> I64:
        """Places of the commits that have changed a file, files below a folder, or of a glob."""
        exact = self.with_path(path) if not _is_glob(path) else _NONE
        if len(exact):
            return exact
        return self._ascending(self._chunks_with(CHANGED_PATH, self.path_terms(path)))

    def path_terms(self, path: str) -> list[bytes]:
        """The terms of the paths that are a file, are below a folder, or match a glob."""
        field = self.snapshot.schema.number(CHANGED_PATH) or 0
        if not _is_glob(path):
            start = path_term(path.rstrip("/"))
            found = []
            for term in self.snapshot.terms(field, start):
                if not term.startswith(start):
                    break
                if term == start or term[len(start) :].startswith(b"/"):
                    found.append(term)
            return found
        matches = compile_globs(path).matches
        terms = self.snapshot.terms(field)
        return [term for term in terms if matches(term.decode("utf-8", "surrogateescape"))]

    def changed_with(self, required: Required, budget: Budget) -> tuple[I64, I64]:
        """Commits and the numbers of files of which the changed lines may have a text.

        By place; numbers are those of the documents' chunks, 0 being the message's.
        """
        field = self.snapshot.schema.number(CHANGED) or 0
        places, numbers = self._unread
        places, numbers = [*places], [*numbers]
        for number, segment in enumerate(self.snapshot.segments):
            words = self._dictionaries.segment_words(segment.reader, field)
            chunks = chunks_with_needles(words, required, budget)
            if chunks is None:
                chunks = np.arange(segment.entry.chunks, dtype=np.int64)
            found, chunk_numbers = self._located(number, segment, chunks)
            places.append(found)
            numbers.append(chunk_numbers)
        return _sorted_by_place(places, numbers)

    @cached_property
    def _unread(self) -> tuple[list[I64], list[I64]]:
        return self._chunks_with(CHANGED, [UNREAD_LINES])

    @cached_property
    def unread_files(self) -> frozenset[tuple[int, int]]:
        """Places of commits and numbers of files of which no changed line is indexed."""
        places, numbers = _sorted_by_place(*self._unread)
        return frozenset(zip(places.tolist(), numbers.tolist(), strict=True))

    def chunk_mask(self, allowed: Mask) -> Mask:
        """By chunk of the snapshot, whether its commit is allowed."""
        found = np.zeros(self.snapshot.chunk_span, dtype=np.bool_)
        for number, segment in enumerate(self.snapshot.segments):
            places = self.table.places[number]
            files = (places >= 0) & allowed[places]
            bounds = segment.reader.files.bounds
            marks = np.repeat(files, np.diff(bounds))
            found[segment.base : segment.base + len(marks)] = marks
        return found

    def located(self, chunks: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Place and number of chunks by their numbers in the snapshot."""
        for chunk in chunks:
            segment, local = self.snapshot.segment_of(chunk)
            number = self.snapshot.segments.index(segment)
            file = segment.reader.files.file_of(local)
            first = int(segment.reader.files.bounds[file])
            yield int(self.table.places[number][file]), local - first

    def _chunks_with(self, field: str, terms: Iterable[bytes]) -> tuple[list[I64], list[I64]]:
        number = self.snapshot.schema.number(field) or 0
        places: list[I64] = []
        numbers: list[I64] = []
        at = {id(segment): place for place, segment in enumerate(self.snapshot.segments)}
        for term in terms:
            for item in self.snapshot.postings(number, term):
                chunks = item.postings.all()[0].astype(np.int64)
                found = self._located(at[id(item.segment)], item.segment, chunks)
                places.append(found[0])
                numbers.append(found[1])
        return places, numbers

    def _located(self, number: int, segment: LiveSegment, chunks: I64) -> tuple[I64, I64]:
        bounds = segment.reader.files.bounds
        files = np.searchsorted(bounds, chunks, side="right") - 1
        places = self.table.places[number][files]
        alive = places >= 0
        return places[alive], (chunks - bounds[files])[alive]

    @staticmethod
    def _ascending(found: tuple[list[I64], list[I64]]) -> I64:
        return np.unique(np.concatenate(found[0])) if found[0] else _NONE

    def _marked(self, places: I64) -> Mask:
        marks = np.zeros(len(self.table), dtype=np.bool_)
        marks[places] = True
        return marks


def path_filter(path: str) -> Callable[[str], bool]:
    """Tells paths that are a file, are below a folder, or match a glob; all for an empty one."""
    if not path:
        return lambda _: True
    if _is_glob(path):
        return compile_globs(path).matches
    name = path.rstrip("/")
    return lambda other: other == name or other.startswith(f"{name}/")


def _is_glob(path: str) -> bool:
    """True for a glob, and for a list of paths."""
    return not _GLOB.isdisjoint(path) or ", " in path


def _sorted_by_place(places: list[I64], numbers: list[I64]) -> tuple[I64, I64]:
    if not places:
        return _NONE, _NONE
    one, other = np.concatenate(places), np.concatenate(numbers)
    order = np.lexsort((other, one))
    return one[order], other[order]
