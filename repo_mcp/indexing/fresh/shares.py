"""Merges a large build share by share while it goes on, so that sources and results never add up.

A share (`index_format/generation/cuts.py`) is merged as soon as all of its files are indexed. What
was merged is freed at once, so that the disk holds the shares before, one share twice, and the
words of files that are still to be parsed. At the end of the build all segments are those of a full
compaction. When a share is merged depends on workers; what is published does not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

from index_format import IndexWriter, LiveSegment, Snapshot
from repo_mcp.indexing.build.merging import MergeRun
from repo_mcp.indexing.build.tasks import FileResult, FileTask

# what indexes at least this part of the text merges on the way: less leaves most shares as they are
_LEAST_PART: Final = 0.5


class ShareMerges:
    """The shares that one round completes."""

    def __init__(self, writer: IndexWriter, wanted: Sequence[FileTask]) -> None:
        """Find where shares will end, given the files of the index and those of the round."""
        self._writer = writer
        self._begin = ""
        self._ends: deque[str | None] = deque(self._find_ends(writer, wanted))
        self._left = deque(item.path for item in wanted) if self._ends else deque()
        self._done: set[str] = set()
        self.planned = bool(self._ends)

    @staticmethod
    def _find_ends(writer: IndexWriter, wanted: Sequence[FileTask]) -> list[str | None]:
        sizes = {item.path: item.size for item in wanted}
        part = sum(sizes.values())
        base = writer.base
        if base is not None:
            if part < _LEAST_PART * sum(map(_live_bytes, base.segments)):
                return []
            known = base.fingerprints()
            sizes = {path: size for path, (_, size) in known.items()} | sizes
        found = writer.shares(sizes)
        return [*found, None] if found else []

    def add(self, files: Sequence[FileResult]) -> None:
        """Note that these files are indexed, or left out."""
        if self.planned:
            self._done.update(item.path for item in files)

    def merge(self, run: MergeRun) -> Iterator[Snapshot]:
        """Merge the shares that are complete, all that is committed; gives each generation."""
        while self._left and self._left[0] in self._done:
            self._done.remove(self._left.popleft())
        while self._ends and self._is_complete(self._ends[0]):
            end = self._ends.popleft()
            for snapshot in self._writer.settle(self._begin, end, run):
                yield snapshot
                self._writer.free_replaced()
            self._begin = end or ""

    def _is_complete(self, end: str | None) -> bool:
        return not self._left or (end is not None and end <= self._left[0])


def _live_bytes(segment: LiveSegment) -> int:
    """Bytes of the text of its live files."""
    sizes = segment.reader.files.sizes()
    return int(sizes.sum()) - sum(int(sizes[number]) for number in segment.dead_files)
