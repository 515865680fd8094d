"""Jobs that build segments from files, and the split of file lists into such jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from index_format import SegmentEntry
from index_format.records import Record, field
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import StatKey

# outcomes for files; others are reasons why they are left out
INDEXED: Final = ""
SAME: Final = "same"
CRASHED: Final = "crashed"
# once a task has so many files excluded from parsing, none of its files is parsed
_MAX_UNPARSED: Final = 16
# only parsers should crash a worker: after so many crashing files the cause is not the files
_MAX_CRASHED: Final = 64
# files per progress message without parsers, where no crash is expected and messages cost time
_REPORT_EVERY: Final = 32
_MAX_FALSE_STARTS: Final = 3
# a worker may be killed from outside: a file is blamed only after this many crashes
_CRASHES_PER_FAULT: Final = 2
_TIMEOUT: Final = 60.0
_MIN_TASK_BYTES: Final = 1 << 20
_MAX_TASK_BYTES: Final = 32 << 20
_MAX_PARSED_TASK_BYTES: Final = 16 << 20
_MAX_TASK_FILES: Final = 8192
# enough to keep eight workers busy to the end; not more for more workers and not fewer for fewer,
# since equal files have to give equal segments on every machine
_TASKS: Final = 16
_NO_KEY: Final = StatKey(-1, -1, -1, -1)


class FileTask(NamedTuple):
    """A file to index, unless its content has the known fingerprint."""

    path: str
    known_fingerprint: bytes = b""
    size: int = 0


class FileResult(NamedTuple):
    """The outcome for one file: `INDEXED`, `SAME`, or the reason why it was left out."""

    path: str
    outcome: str
    key: StatKey
    fingerprint: bytes
    size: int
    shallow: bool


class BuildResult(NamedTuple):
    """A segment (None when no file gave a document) and the result for each file."""

    entry: SegmentEntry | None
    files: list[FileResult]


class ProgressStep(NamedTuple):
    """Files and bytes processed since the last step."""

    files: int
    size: int


class BuildTask(Record, frozen=False):
    """Builds one segment from these files."""

    wanted: Sequence[FileTask]
    parse: bool
    # files whose parser crashed a worker: they are not parsed again
    unparsed: set[str] = field(factory=set)
    # files that crashed a worker even unparsed: they are left out
    crashed: set[str] = field(factory=set)
    # worker crashes by file; "" counts those before the first file
    _crashes: Counter[str] = field(factory=Counter)
    _reported: int = 0

    @property
    def retained_bytes(self) -> int:
        """Input bytes; a quarter of them without parsing, which retains less."""
        size = sum(item.size for item in self.wanted)
        return size if self.parse else size // 4

    @property
    def timeout(self) -> float:
        """Seconds that the slowest file, or writing the segment, may take."""
        return _TIMEOUT

    def message(self) -> object:
        """The task message for the worker."""
        self._reported = 0
        return {
            "wanted": self._remaining(),
            "parse": self.parse,
            "unparsed": sorted(self.unparsed),
            "every": 1 if self.parse or self._crashes else _REPORT_EVERY,
        }

    def advance(self, at: int) -> ProgressStep:
        """Files and bytes processed since the last call."""
        begun, self._reported = self._reported, at
        wanted = self._remaining() if self.crashed else self.wanted
        return ProgressStep(at - begun, sum(item.size for item in wanted[begun:at]))

    def finish(self) -> ProgressStep:
        """Files and bytes processed since the last call, when all are done."""
        return self.advance(len(self._remaining()))

    def result(self, message: Any) -> BuildResult:  # noqa: ANN401 as the worker sent it
        """The built segment and the result for each file."""
        record, files = message
        done = [
            FileResult(path, outcome, StatKey(*key), *rest) for path, outcome, key, *rest in files
        ]
        done += [FileResult(path, CRASHED, _NO_KEY, b"", 0, shallow=False) for path in self.crashed]
        return BuildResult(None if record is None else SegmentEntry.from_record(record), done)

    def record_crash(self, at: int) -> None:
        """Stop parsing a file that crashes workers; leave it out if it still crashes them.

        A first crash may have other causes and only counts. When many files of one task crash
        workers, none of its files is parsed.
        """
        if at >= 0 and not self.parse and not self._crashes:
            self._crashes[""] += 1  # the next worker reports every file
            return
        path = self._remaining()[at].path if at >= 0 else ""
        self._crashes[path] += 1
        if len(self.crashed) >= _MAX_CRASHED or self._crashes[""] > _MAX_FALSE_STARTS:
            raise Problem("workers_end")
        if self._crashes[path] % _CRASHES_PER_FAULT or not path:
            return
        if not self.parse or path in self.unparsed:
            self.crashed.add(path)
        elif len(self.unparsed) < _MAX_UNPARSED:
            self.unparsed.add(path)
        else:
            self.unparsed.update(item.path for item in self.wanted)

    def _remaining(self) -> list[FileTask]:
        return [item for item in self.wanted if item.path not in self.crashed]


def build_tasks(wanted: Sequence[FileTask], *, parse: bool) -> list[BuildTask]:
    """Split files into tasks of one segment each, by their order and sizes alone."""
    share = sum(item.size for item in wanted) // _TASKS
    limit = min(max(share, _MIN_TASK_BYTES), _MAX_PARSED_TASK_BYTES if parse else _MAX_TASK_BYTES)
    tasks: list[BuildTask] = []
    begin = held = 0
    for at, item in enumerate(wanted, 1):
        held += item.size
        if held >= limit or at - begin >= _MAX_TASK_FILES or at == len(wanted):
            tasks.append(BuildTask(wanted[begin:at], parse))
            begin, held = at, 0
    return tasks
