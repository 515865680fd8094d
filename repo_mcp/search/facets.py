"""Counts matching files by language, folder and kind, from the index alone.

What paths say is kept by segment, which never changes; only files that were once counted are looked
at. A folder's files follow one another in a segment, so that folders are counted as stretches.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from code_graph import Languages
from code_graph.paths.path_kinds import is_test
from index_format import SegmentReader, Snapshot, TermScores
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.model import AT_LEAST, AT_MOST, EXACT, FILE_KINDS, FacetBound, FacetCount, FacetCounts
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.search.filter.conditions import ChunkSelection
from repo_mcp.search.filter.file_kinds import TESTS, kind_of, kind_of_language, language_name
from repo_mcp.search.filter.file_masks import I64, FileAxis, Mask
from repo_mcp.search.filter.file_words import FileWords
from repo_mcp.search.filter.path_filter import PathFilter
from repo_mcp.stored import BODY

if TYPE_CHECKING:
    import numpy.typing as npt

# values of a facet that an answer holds
_MOST: Final = 12
# postings that are read for a count, the rarest words first: some milliseconds of work
_POSTINGS: Final = 2_000_000
# the name of files that are in no folder below the one that is counted in
TOP: Final = "."
# the byte after that between a folder and what is in it
_AFTER: Final = b"0"
_TESTS: Final = FILE_KINDS.index(TESTS)

I16: TypeAlias = "npt.NDArray[np.int16]"


class FacetCounter:
    """Counts in snapshots of one repository; thread-safe."""

    def __init__(self, languages: Languages, paths: PathFilter) -> None:
        """`paths` and its masks are caches that may be shared."""
        self._languages = languages
        self._known = paths.masks
        self._paths = paths
        # numbers of languages, in the order in which files of them were met
        # with the kind of those that are no tests
        self._codes: dict[str, tuple[int, int]] = {}
        self._profiles: WeakKeyDictionary[SegmentReader, _Profile] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def of_terms(
        self,
        snapshot: Snapshot,
        terms: Iterable[TermScores],
        selection: ChunkSelection | None,
        below: str,
    ) -> FacetCounts:
        """The files that hold one of the terms in a selected chunk."""
        axis = self._known.get(snapshot).axis
        files = axis.no_files()
        # phrases are verified in hits alone
        bound: FacetBound = AT_MOST if selection is not None and selection.phrases else EXACT
        postings = 0
        for term in sorted(terms, key=lambda term: term.count):
            postings += term.count
            if postings > _POSTINGS and bound == EXACT:
                bound = AT_LEAST
                break
            chunks = term.postings()[0]
            files |= axis.files_of_chunks(
                chunks if selection is None else chunks[selection.mask[chunks]]
            )
        return self.of_files(axis, files, below, bound)

    def of_word(
        self, snapshot: Snapshot, word: str, filters: Sequence[Filter], below: str, budget: Budget
    ) -> FacetCounts:
        """Files with a word of small ASCII letters; others may have it within longer words."""
        known = self._known.get(snapshot)
        files = FileWords(known, snapshot, budget).files_with_words(BODY, word)
        return self._filtered(known.axis, files, filters, below, AT_LEAST, budget)

    def of_candidates(
        self,
        snapshot: Snapshot,
        candidates: Sequence[Sequence[int]],
        filters: Sequence[Filter],
        below: str,
        budget: Budget,
    ) -> FacetCounts:
        """Files that may match, by segment, as far as they fulfil the filters."""
        axis = self._known.get(snapshot).axis
        files = axis.no_files()
        for edge, numbers in zip(axis.edges, candidates, strict=False):
            files[np.asarray(numbers, dtype=np.int64) + edge] = True
        return self._filtered(axis, files, filters, below, AT_MOST, budget)

    def _filtered(
        self,
        axis: FileAxis,
        files: Mask,
        filters: Sequence[Filter],
        below: str,
        bound: FacetBound,
        budget: Budget,
    ) -> FacetCounts:
        held = self._paths.files_matching_all(axis, filters, budget) if filters else True
        return self.of_files(axis, files & held, below, bound)

    def of_paths(self, paths: Iterable[str], below: str, bound: FacetBound = EXACT) -> FacetCounts:
        """Files by their paths, for few of them."""
        found = _Tally()
        for path in paths:
            found.files += 1
            found.languages[language_name(path, self._languages)] += 1
            found.kinds[kind_of(path, self._languages)] += 1
            found.folders[folder_below(path, below)] += 1
        return found.facets(bound)

    def of_files(self, axis: FileAxis, files: Mask, below: str, bound: FacetBound) -> FacetCounts:
        """The live ones of these files."""
        alive, found = axis.only_alive(files), _Tally()
        for segment, edge in zip(axis.segments, axis.edges, strict=False):
            chosen = alive[edge : edge + segment.entry.files].nonzero()[0]
            if len(chosen):
                found.files += len(chosen)
                reader = segment.reader
                profile = self._profile(reader)
                languages, kinds = profile.values_of(chosen, reader)
                _add(found.languages, self._languages_of(languages))
                _add(found.kinds, _counts(kinds, FILE_KINDS))
                _add(found.folders, profile.folders_of(chosen, reader, below))
        return found.facets(bound)

    def _profile(self, reader: SegmentReader) -> _Profile:
        with self._lock:
            found = self._profiles.get(reader)
            if found is None:
                found = self._profiles[reader] = _Profile(reader.files.count, self._code_of)
            return found

    def _code_of(self, path: str) -> tuple[int, int]:
        """The numbers of a path's language and kind."""
        name = language_name(path, self._languages)
        found = self._codes.get(name)
        if found is None:
            kind = FILE_KINDS.index(kind_of_language(name))
            with self._lock:
                found = self._codes.setdefault(name, (len(self._codes), kind))
        return (found[0], _TESTS) if is_test(path) else found

    def _languages_of(self, codes: I16) -> Iterator[tuple[str, int]]:
        with self._lock:
            names = list(self._codes)
        return _counts(codes, names)


class _Profile:
    """Facets of the paths of one segment, as far as they were asked for."""

    def __init__(self, count: int, code_of: Callable[[str], tuple[int, int]]) -> None:
        # by file, the numbers of its language and its kind; -1 before it was looked at
        self._codes: I16 = np.full((2, count), -1, dtype=np.int16)
        self._code_of = code_of
        # the folder that was counted in last, and the stretches of files in it
        self._stretches: tuple[str, Sequence[_Stretch]] | None = None

    def values_of(self, files: I64, reader: SegmentReader) -> tuple[I16, I16]:
        """Languages and kinds of files; threads that look at one at once find the same."""
        codes = self._codes
        unknown = files[codes[0, files] < 0].tolist()
        for file, path in zip(unknown, reader.files.paths.paths_of(unknown), strict=True):
            codes[:, file] = self._code_of(path)
        return codes[0, files], codes[1, files]

    def folders_of(
        self, files: I64, reader: SegmentReader, below: str
    ) -> Iterator[tuple[str, int]]:
        """The number of the files, ascending, in each direct subfolder of a folder."""
        kept = self._stretches
        if kept is None or kept[0] != below:
            kept = self._stretches = below, list(_stretches(reader, below))
        if not kept[1]:
            return
        begins = np.searchsorted(files, [item.begin for item in kept[1]])
        ends = np.searchsorted(files, [item.end for item in kept[1]])
        for item, count in zip(kept[1], (ends - begins).tolist(), strict=True):
            if count:
                yield item.name, count


class _Stretch(NamedTuple):
    """The files of one folder, which follow one another in the order of paths."""

    name: str
    begin: int
    end: int


def _stretches(reader: SegmentReader, below: str) -> Iterator[_Stretch]:
    """The folders next below one; files that are directly in it stand alone."""
    count, path_of = reader.files.count, reader.files.paths.path
    paths = range(count)
    start = _encoded(f"{below}/") if below else b""
    at = bisect_left(paths, start, key=path_of) if below else 0
    end = bisect_left(paths, start[:-1] + _AFTER, key=path_of) if below else count
    while at < end:
        name, divided, _ = path_of(at)[len(start) :].partition(b"/")
        if divided:
            stop = bisect_left(paths, start + name + _AFTER, at, end, key=path_of)
            yield _Stretch((start + name).decode("utf-8", "surrogatepass"), at, stop)
        else:
            stop = at + 1
            yield _Stretch(below or TOP, at, stop)
        at = stop


class _Tally:
    """Numbers of files, while they are counted."""

    def __init__(self) -> None:
        self.files = 0
        self.languages = Counter[str]()
        self.folders = Counter[str]()
        self.kinds = Counter[str]()

    def facets(self, bound: FacetBound) -> FacetCounts:
        found = (_largest(item) for item in (self.languages, self.folders, self.kinds))
        return FacetCounts(self.files, bound, *found)


def folder_below(path: str, folder: str) -> str:
    """The folder next below one that a path in it is in; the folder itself for its own files."""
    rest = path.removeprefix(f"{folder}/") if folder else path
    name, divided, _ = rest.partition("/")
    if not divided:
        return folder or TOP
    return f"{folder}/{name}" if folder else name


def _largest(counts: Counter[str]) -> tuple[FacetCount, ...]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(FacetCount(name, files) for name, files in ranked[:_MOST] if files)


def _counts(codes: I16, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Occurrences of each name, by its number."""
    return zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=False)


def _add(counts: Counter[str], more: Iterable[tuple[str, int]]) -> None:
    for name, files in more:
        counts[name] += files


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
