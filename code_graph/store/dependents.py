"""Finds the files to link again: the changed files and their dependents.

A file's exports may depend on other files, so files are linked until no export changes. A file is
linked once in a run at most, since linking reads the whole tree and not what was linked before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

import numpy as np

from code_graph.store.listing import FileChanges, compare_files, list_files
from code_graph.store.records import unpack_exports
from code_graph.store.schema import DEPENDENCY, EXPORTS, GRAPH_FIELDS, PROJECT_EXPORTS_PATH, SYMBOLS
from code_graph.store.terms import id_term
from index_format import SegmentReader, Snapshot, decode_chunks

_DEPENDENCY: Final = GRAPH_FIELDS.index(DEPENDENCY)


def compare(text: Mapping[bytes, bytes], graph: Snapshot | None) -> FileChanges:
    """The changes from the graph to these files, given as fingerprints by path."""
    return compare_files({} if graph is None else list_files(graph, SYMBOLS), text)


def _no_exports(_: str) -> Mapping[int, int]:
    return {}


class ExportChanges:
    """The keys whose hashes differ between a graph and the files linked now."""

    def __init__(
        self, base: Snapshot, earlier: Callable[[str], Mapping[int, int]] = _no_exports
    ) -> None:
        """Nothing has changed yet; `earlier` gives the exports of files that the graph lacks."""
        self._base = base
        self._earlier = earlier
        self._keys: set[int] = set()
        self._followed: set[int] = set()

    def remove(self, path: str) -> None:
        """A file is gone, and all its exports."""
        self._keys.update(self._exports_of(path))

    def replace_project_exports(self, exports: Iterable[tuple[int, int]]) -> None:
        """Replace the stored exports of paths and manifests by the current ones."""
        old: Mapping[int, int] = {}
        if self._base.find(PROJECT_EXPORTS_PATH) is not None:
            old = unpack_exports(self._base.attachment(PROJECT_EXPORTS_PATH, EXPORTS))
        self._keys.update(key for key, _ in dict(exports).items() ^ old.items())

    def replace(self, segment: SegmentReader) -> None:
        """The files of a new segment replace files of the same paths."""
        for number, path in enumerate(segment.files.paths.all):
            new = unpack_exports(segment.attachments.get(number, EXPORTS))
            old = self._exports_of(path.decode("utf-8", "surrogatepass"))
            self._keys.update(key for key, _ in new.items() ^ old.items())

    def compare(self, path: str, other: Mapping[int, int], but: Collection[int]) -> None:
        """Compare the exports of another version of a file, without the keys of `but`."""
        differing = dict(other.items() ^ self._exports_of(path).items())
        self._keys.update(differing.keys() - but)

    def dependents(self, known: Collection[str]) -> list[str]:
        """Files of the graph that looked up a key which has changed since the last call.

        Without those in `known`, in path order.
        """
        fresh = sorted(self._keys - self._followed)
        self._followed.update(fresh)
        found = set(self._files_that_looked_up(fresh))
        return sorted(
            found.difference(known), key=lambda path: path.encode("utf-8", "surrogatepass")
        )

    def _exports_of(self, path: str) -> Mapping[int, int]:
        if self._base.find(path) is None:
            return self._earlier(path)
        return unpack_exports(self._base.attachment(path, EXPORTS))

    def _files_that_looked_up(self, keys: Iterable[int]) -> Iterator[str]:
        base = self._base
        parts = [decode_chunks(base.postings(_DEPENDENCY, id_term(key))) for key in keys]
        if not parts:
            return
        chunks = np.unique(np.concatenate(parts))
        files = np.unique(np.searchsorted(base.file_starts, chunks, side="right") - 1)
        first = 0
        for segment in base.segments:
            last = first + segment.entry.files
            inside = files[(files >= first) & (files < last)] - first
            for number in inside.tolist():
                if number not in segment.dead_files:
                    yield segment.reader.files.paths.path(number).decode("utf-8", "surrogatepass")
            first = last
