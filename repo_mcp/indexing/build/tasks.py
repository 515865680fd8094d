"""Jobs that make segments of files, and how long lists of files are cut into such jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from index_format import SegmentEntry
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.builder import Built, FileResult, FileTask
from repo_mcp.safety.sandbox import StatKey

CRASHED: Final = "crashed"
_MOST_BLAMED: Final = 16
# nothing but a parser should end a worker: when so many files did, it is not the files
_MOST_CRASHED: Final = 64
# without parsers nothing is expected to end a worker, and every word to us takes its time
_EVERY: Final = 32
_MOST_FALSE_STARTS: Final = 3
# a worker may also be ended from outside: it is a file's fault when it happens so many times
_FORGIVEN: Final = 2
_PATIENCE: Final = 60.0
_LEAST_BYTES: Final = 1 << 20
_MOST_BYTES: Final = 32 << 20
_MOST_PARSED_BYTES: Final = 16 << 20
_MOST_FILES: Final = 8192
_TASKS_PER_WORKER: Final = 4
_NO_KEY: Final = StatKey(-1, -1, -1, -1)


class ProgressStep(NamedTuple):
    """So many files more, of so many bytes."""

    files: int
    size: int


@dataclass(slots=True)
class BuildTask:
    """Files for one segment."""

    wanted: Sequence[FileTask]
    parse: bool
    # a worker ended at these: their parser is not tried again
    unparsed: set[str] = field(default_factory=set)
    # and at these once more: they are left out
    crashed: set[str] = field(default_factory=set)
    # how often a worker ended at each file; without a name, before the first
    _ends: Counter[str] = field(default_factory=Counter)
    _told: int = 0

    @property
    def strain(self) -> int:
        """Parsing leaves more behind than counting words."""
        size = sum(item.size for item in self.wanted)
        return size if self.parse else size // 4

    @property
    def patience(self) -> float:
        """How long the slowest file, and writing the segment, may take."""
        return _PATIENCE

    def message(self) -> object:
        """What a worker is told."""
        self._told = 0
        return {
            "wanted": self._left(),
            "parse": self.parse,
            "unparsed": sorted(self.unparsed),
            "every": 1 if self.parse or self._ends else _EVERY,
        }

    def advance(self, at: int) -> ProgressStep:
        """What was gone through since this was last asked."""
        begun, self._told = self._told, at
        wanted = self._left() if self.crashed else self.wanted
        return ProgressStep(at - begun, sum(item.size for item in wanted[begun:at]))

    def rest(self) -> ProgressStep:
        """What was gone through after that, when all of it is done."""
        return self.advance(len(self._left()))

    def result(self, message: Any) -> Built:  # noqa: ANN401 as the worker sent it
        """The segment that was made."""
        record, files = message
        done = [
            FileResult(path, outcome, StatKey(*key), *rest) for path, outcome, key, *rest in files
        ]
        done += [FileResult(path, CRASHED, _NO_KEY, b"", 0, shallow=False) for path in self.crashed]
        return Built(None if record is None else SegmentEntry.from_record(record), done)

    def blame(self, at: int) -> None:
        """A file at which workers end is parsed no more; when they end even so, it is left out.

        Once may be anybody's doing, and is forgiven. Where many files of one task end workers, none
        of the others is parsed.
        """
        if at >= 0 and not self.parse and not self._ends:
            self._ends[""] += 1  # where exactly, the next worker will say
            return
        path = self._left()[at].path if at >= 0 else ""
        self._ends[path] += 1
        if len(self.crashed) >= _MOST_CRASHED or self._ends[""] > _MOST_FALSE_STARTS:
            raise Problem("workers_end")
        if self._ends[path] % _FORGIVEN or not path:
            return
        if not self.parse or path in self.unparsed:
            self.crashed.add(path)
        elif len(self.unparsed) < _MOST_BLAMED:
            self.unparsed.add(path)
        else:
            self.unparsed.update(item.path for item in self.wanted)

    def _left(self) -> list[FileTask]:
        return [item for item in self.wanted if item.path not in self.crashed]


def build_tasks(wanted: Sequence[FileTask], workers: int, *, parse: bool) -> list[BuildTask]:
    """Runs of files for one segment each: enough of them to keep all workers busy to the end."""
    share = sum(item.size for item in wanted) // (workers * _TASKS_PER_WORKER)
    limit = min(max(share, _LEAST_BYTES), _MOST_PARSED_BYTES if parse else _MOST_BYTES)
    tasks: list[BuildTask] = []
    begin = held = 0
    for at, item in enumerate(wanted, 1):
        held += item.size
        if held >= limit or at - begin >= _MOST_FILES or at == len(wanted):
            tasks.append(BuildTask(wanted[begin:at], parse))
            begin, held = at, 0
    return tasks
