"""Reads the files of a job in groups; where files are slow to come, several groups at once.

Where they come from a disk or a network, most of the time is waiting for one after the other. The
files and their order are the same in any case.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from repo_mcp.budget import Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.tasks import FileTask
from repo_mcp.safety.sandbox import Content, Sandbox

if TYPE_CHECKING:  # loaded where files are slow
    from concurrent.futures import Future

_GROUP: Final = 128
_GROUP_BYTES: Final = 1 << 20
# seconds that a file takes, from which on several groups are read at once: forty times as long as
# where the system has it in memory
_SLOW: Final = 0.001
# so many smaller groups are read ahead, each in a thread
_AHEAD: Final = 8
_SMALL_GROUP: Final = 16
# files that are read so, before it is looked whether they still are slow
_STRETCH: Final = 1024

ReadFile = tuple[FileTask, Content | Problem]


class FileReader:
    """Reads files through the sandbox, and remembers whether they are slow to come."""

    def __init__(self, sandbox: Sandbox, clock: Clock = time.perf_counter) -> None:
        """Nothing is read yet."""
        self._sandbox = sandbox
        self._clock = clock
        self._is_slow = False

    def read(self, wanted: Sequence[FileTask]) -> Iterator[ReadFile]:
        """These files with their contents, in their order."""
        files = iter(wanted)
        while group := _take(files, _GROUP):
            if self._is_slow:
                yield from self._read_ahead([*group, *islice(files, _STRETCH)])
            else:
                yield from self._read(group)

    def _read_ahead(self, wanted: Sequence[FileTask]) -> Iterator[ReadFile]:
        """Read a few groups at once, while what was read before is worked on."""
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 where files are slow

        files = iter(wanted)
        waiting: deque[Future[Sequence[ReadFile]]] = deque()
        pool = ThreadPoolExecutor(_AHEAD)
        try:
            while group := _take(files, _SMALL_GROUP):
                waiting.append(pool.submit(self._read, group))
                if len(waiting) == _AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _read(self, group: Sequence[FileTask]) -> Sequence[ReadFile]:
        begun = self._clock()
        plain = self._sandbox.read_plain([item.path for item in group])
        found = [
            (item, content or self._read_alone(item.path))
            for item, content in zip(group, plain, strict=True)
        ]
        self._is_slow = self._clock() - begun > _SLOW * len(group)
        return found

    def _read_alone(self, path: str) -> Content | Problem:
        try:
            return self._sandbox.read(path, follow=False)
        except Problem as problem:
            return problem


def _take(files: Iterator[FileTask], most: int) -> list[FileTask]:
    """The next files, so many or so many bytes."""
    group: list[FileTask] = []
    held = 0
    for item in islice(files, most):
        group.append(item)
        held += item.size
        if held >= _GROUP_BYTES:
            break
    return group
