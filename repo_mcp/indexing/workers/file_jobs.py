"""Jobs that work through files of the text index, one after the other, and survive bad ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem

# parsers and linkers have budgets of their own; this is for one that is stuck
_TIMEOUT: Final = 60.0
_MIN_TASK_BYTES: Final = 1 << 19
_MAX_TASK_BYTES: Final = 8 << 20
_MAX_TASK_FILES: Final = 2048
# enough to keep eight workers busy to the end; the same on every machine
_TASKS: Final = 32
_CRASHES_PER_FAULT: Final = 2
_MAX_FALSE_STARTS: Final = 3
# after so many crashing files of one task the cause is not the files
_MAX_SKIPPED: Final = 64


class FileGroup(NamedTuple):
    """Paths of one job, the bytes of the files, and those of the largest one."""

    paths: Sequence[str]
    size: int
    largest_bytes: int


class FileJob:
    """Works through the files of a group; `skipped` are those that crashed a worker."""

    def __init__(self, group: FileGroup) -> None:
        """No worker has crashed yet."""
        self.paths, self.size, self.largest_bytes = group
        self.skipped: set[str] = set()
        self._crashes: Counter[str] = Counter()

    @property
    def timeout(self) -> float:
        """Seconds that the slowest file, or writing the segment, may take."""
        return _TIMEOUT

    def advance(self, at: int) -> int:
        """The number of files that were done before this one."""
        return at

    def record_crash(self, at: int) -> None:
        """Skip a file that crashes workers; a first crash may have other causes."""
        path = self.paths[at] if at >= 0 else ""
        self._crashes[path] += 1
        false_starts = self._crashes[""] > _MAX_FALSE_STARTS
        if false_starts or path in self.skipped or len(self.skipped) >= _MAX_SKIPPED:
            raise Problem("workers_end")
        if path and self._crashes[path] >= _CRASHES_PER_FAULT:
            self.skipped.add(path)


def group_files(files: Sequence[tuple[str, int]]) -> list[FileGroup]:
    """Split paths with their sizes into groups, by their order and sizes alone."""
    limit = min(max(sum(size for _, size in files) // _TASKS, _MIN_TASK_BYTES), _MAX_TASK_BYTES)
    groups: list[FileGroup] = []
    begin = held = largest = 0
    for at, (_, size) in enumerate(files, 1):
        held, largest = held + size, max(largest, size)
        if held >= limit or at - begin >= _MAX_TASK_FILES or at == len(files):
            groups.append(FileGroup([path for path, _ in files[begin:at]], held, largest))
            begin, held, largest = at, 0, 0
    return groups
