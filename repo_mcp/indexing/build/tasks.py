"""Jobs that build segments from files, and the split of file lists into such jobs."""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, overload

from index_format import SegmentEntry
from index_format.records import Record, field
from index_format.tuples import NamedTuple
from repo_mcp.budget import do_nothing
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import UNKNOWN_KEY, StatKey

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
# a worker's memory follows this
_MAX_TASK_BYTES: Final = 16 << 20
_MAX_TASK_FILES: Final = 8192
# enough to keep eight workers busy to the end; not more for more workers and not fewer for fewer,
# since equal files have to give equal segments on every machine
_TASKS: Final = 16
# to look one task up among others takes as long as to pass so many of them
_TASKS_PER_LOOKUP: Final = 16
# tasks, or folders of them, that are put in order until `between` is called again
_TASKS_BETWEEN: Final = 4096
_FOLDERS_BETWEEN: Final = 256


class FileTask(NamedTuple):
    """A file to index, unless its content has the known fingerprint."""

    path: str
    known_fingerprint: bytes = b""
    size: int = 0


class _FileColumns:
    """Files by number, in the order in which they were added: some forty bytes for each.

    Files of one folder come one after the other, so that each has its folder's number and name.
    """

    __slots__ = ("ends", "fingerprints", "folder_of", "folders", "names", "sizes")

    def __init__(self) -> None:
        self.folders: list[bytes] = []
        self.folder_of = array("I")
        self.names = bytearray()
        # where each name ends
        self.ends = array("Q")
        self.sizes = array("q")
        # of the files that have one
        self.fingerprints: dict[int, bytes] = {}

    def append(self, task: FileTask) -> int:
        """Add a file; returns its number."""
        if task.known_fingerprint:
            self.fingerprints[len(self.sizes)] = task.known_fingerprint
        return self.add_path(_encode(task.path), task.size)

    def add_path(self, path: bytes, size: int) -> int:
        """Add a file without a fingerprint; returns its number."""
        cut = path.rfind(b"/") + 1
        if not self.folders or path[:cut] != self.folders[-1]:
            self.folders.append(path[:cut])
        self.folder_of.append(len(self.folders) - 1)
        self.names += path[cut:]
        self.ends.append(len(self.names))
        self.sizes.append(size)
        return len(self.sizes) - 1

    def add_folder(self, folder: bytes, files: Iterable[tuple[str, int]]) -> None:
        if not self.folders or folder != self.folders[-1]:
            self.folders.append(folder)
        of, end = len(self.folders) - 1, len(self.names)
        for name, size in files:
            data = _encode(name)
            end += len(data)
            self.folder_of.append(of)
            self.names += data
            self.ends.append(end)
            self.sizes.append(size)

    def path(self, number: int) -> bytes:
        name = self.names[self.ends[number - 1] if number else 0 : self.ends[number]]
        return self.folders[self.folder_of[number]] + name

    def task(self, number: int) -> FileTask:
        path = self.path(number).decode("utf-8", "surrogatepass")
        return FileTask(path, self.fingerprints.get(number, b""), self.sizes[number])


class _Paths(Sequence[bytes]):
    """The paths of some files."""

    def __init__(self, columns: _FileColumns, numbers: Sequence[int]) -> None:
        self._columns = columns
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[bytes]: ...

    def __getitem__(self, at: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(at, slice):
            return _Paths(self._columns, self._numbers[at])
        return self._columns.path(self._numbers[at])


class FileTasks(Sequence[FileTask]):
    """File tasks as columns: a sixth of what objects take.

    A part, or another order, shares the columns, and can't be added to.
    """

    __slots__ = ("_columns", "_numbers")

    def __init__(self, tasks: Iterable[FileTask] = ()) -> None:
        """Begin with these."""
        self._columns = _FileColumns()
        self._numbers: range | array[int] = range(0)
        for task in tasks:
            self.append(task)

    def append(self, task: FileTask) -> None:
        """Add a task."""
        self._columns.append(task)
        self._numbers = range(len(self._columns.sizes))

    def add_path(self, path: bytes, size: int) -> None:
        """Add a file of which no fingerprint is known."""
        self._columns.add_path(path, size)
        self._numbers = range(len(self._columns.sizes))

    def add_folder(self, folder: str, files: Iterable[tuple[str, int]]) -> None:
        """Add files of a folder, by names and sizes, of which no fingerprint is known."""
        self._columns.add_folder(_encode(folder), files)
        self._numbers = range(len(self._columns.sizes))

    def __len__(self) -> int:
        """Count of tasks."""
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> FileTask: ...

    @overload
    def __getitem__(self, at: slice) -> FileTasks: ...

    def __getitem__(self, at: int | slice) -> FileTask | FileTasks:
        """One task, or some that follow one another."""
        if isinstance(at, slice):
            return self._part(self._numbers[at])
        return self._columns.task(self._numbers[at])

    @property
    def size(self) -> int:
        """Bytes of all files."""
        numbers, sizes = self._numbers, self._columns.sizes
        if isinstance(numbers, range) and numbers.step == 1:
            return sum(sizes[numbers.start : numbers.stop])
        return sum(map(sizes.__getitem__, numbers))

    @property
    def sizes(self) -> array[int]:
        """The size of each file."""
        return array("q", map(self._columns.sizes.__getitem__, self._numbers))

    @property
    def paths(self) -> Sequence[bytes]:
        """The path of each file, as UTF-8, made when it is asked for."""
        return _Paths(self._columns, self._numbers)

    def merge(self, others: FileTasks) -> FileTasks:
        """The tasks of both in order, as both are; they are of different files."""
        if len(others) > len(self):
            return others.merge(self)
        if not others:
            return self
        if len(others) * _TASKS_PER_LOOKUP > len(self):
            return FileTasks(heapq.merge(self, others))
        numbers, begin, paths = array("I"), 0, self.paths
        for task in others:
            at = bisect_left(paths, _encode(task.path), begin)
            numbers.extend(self._numbers[begin:at])
            numbers.append(self._columns.append(task))
            begin = at
        numbers.extend(self._numbers[begin:])
        return self._part(numbers)

    def in_order(self, between: Callable[[], None] = do_nothing) -> FileTasks:
        """The tasks by their paths; quick where those of a folder follow one another.

        `between` is called often.
        """
        columns = self._columns
        folders: dict[bytes, array[int]] = {}
        before, ordered = b"", True
        for number in self._numbers:
            if not number % _TASKS_BETWEEN:
                between()
            path = columns.path(number)
            ordered = ordered and before <= path
            before = path
            folder = columns.folders[columns.folder_of[number]]
            numbers = folders.get(folder)
            if numbers is None:
                numbers = folders[folder] = array("I")
            numbers.append(number)
        return self if ordered else self._part(array("I", self._in_order(folders, between)))

    def _in_order(
        self, folders: Mapping[bytes, Sequence[int]], between: Callable[[], None]
    ) -> Iterator[int]:
        """A folder's files stand before, between and behind what is in its subfolders."""
        path = self._columns.path
        open_folders: list[tuple[bytes, list[int]]] = []
        for at, folder in enumerate(sorted(folders)):
            if not at % _FOLDERS_BETWEEN:
                between()
            while open_folders and not folder.startswith(open_folders[-1][0]):
                yield from reversed(open_folders.pop()[1])
            if open_folders:
                left = open_folders[-1][1]
                while left and path(left[-1]) < folder:
                    yield left.pop()
            open_folders.append((folder, sorted(folders[folder], key=path, reverse=True)))
        while open_folders:
            yield from reversed(open_folders.pop()[1])

    def _part(self, numbers: range | array[int]) -> FileTasks:
        part = FileTasks()
        part._columns, part._numbers = self._columns, numbers
        return part


def _encode(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def size_of(tasks: Sequence[FileTask]) -> int:
    """Bytes of all files."""
    return tasks.size if isinstance(tasks, FileTasks) else sum(item.size for item in tasks)


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
        size = size_of(self.wanted)
        return size if self.parse else size // 4

    @property
    def largest_bytes(self) -> int:
        """Bytes of the largest file that is parsed."""
        wanted = self.wanted
        sizes = wanted.sizes if isinstance(wanted, FileTasks) else [item.size for item in wanted]
        return max(sizes, default=0) if self.parse else 0

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
        return ProgressStep(at - begun, size_of(wanted[begun:at]))

    def finish(self) -> ProgressStep:
        """Files and bytes processed since the last call, when all are done."""
        return self.advance(len(self._remaining()))

    def result(self, message: Any) -> BuildResult:  # noqa: ANN401 as the worker sent it
        """The built segment and the result for each file."""
        record, files = message
        done = [
            FileResult(path, outcome, StatKey(*key), *rest) for path, outcome, key, *rest in files
        ]
        done += [
            FileResult(path, CRASHED, UNKNOWN_KEY, b"", 0, shallow=False) for path in self.crashed
        ]
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
    share = size_of(wanted) // _TASKS
    limit = min(max(share, _MIN_TASK_BYTES), _MAX_TASK_BYTES)
    tasks: list[BuildTask] = []
    begin = held = 0
    sizes = wanted.sizes if isinstance(wanted, FileTasks) else [item.size for item in wanted]
    for at, size in enumerate(sizes, 1):
        held += size
        if held >= limit or at - begin >= _MAX_TASK_FILES or at == len(wanted):
            tasks.append(BuildTask(wanted[begin:at], parse))
            begin, held = at, 0
    return tasks
