"""Reads candidate files in batches, several at once when they are many, and matches their lines."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import NeedleLines, Sandbox, Scanned
from repo_mcp.search.exact.joined import files_without_match
from repo_mcp.search.exact.pattern import LineMatcher
from repo_mcp.search.line_matches import LineMatch, PackedLines
from repo_mcp.search.matching_lines import normalize_lines

if TYPE_CHECKING:
    from concurrent.futures import Future

# files that are read one by one, where few may suffice
_ONE_BY_ONE: Final = 64
# files of the first batch; each further one has twice as many, up to the most
_FIRST_FILES: Final = 8
_MOST_FILES: Final = 64
# batches that are read one after the other, before threads are worth their start
_BATCHES_ALONE: Final = 5
_THREADS: Final = min(4, os.cpu_count() or 1)
_BATCHES_AHEAD: Final = 2

T = TypeVar("T")


class ScannedFile(NamedTuple):
    """A file that was read, its matching lines, and its size in bytes and lines, where known.

    `matching` counts the matching lines; it is None for a file that is gone, unreadable or binary.
    `skipped` lines were too long; `searches` counts calls of the engine of expressions. Over a
    `broken` file the parser has ended or taken too long.
    """

    path: str
    matching: int | None
    lines: Sequence[LineMatch] = ()
    size: int = 0
    all_lines: int = 0
    skipped: int = 0
    searches: int = 0
    broken: bool = False


class Scanner(Protocol):
    """Reads files for one search; the order of the answers is that of the paths."""

    def scan(self, paths: Iterable[str]) -> Iterator[ScannedFile]:
        """The files one by one, as far as the budget's time suffices."""
        ...

    def scan_file(self, path: str) -> ScannedFile | None:
        """One file; None if time is up."""
        ...


class FileScanner:
    """Reads files, and matches expressions in their lines."""

    def __init__(
        self, sandbox: Sandbox, matcher: LineMatcher, budget: Budget, most: int | None
    ) -> None:
        """Keeps the first `most` matching lines of a file, all if None."""
        self._sandbox = sandbox
        self._matcher = matcher
        self._budget = budget
        self._most = most
        self._scan = matcher.needle._replace(most=-1 if most is None else most)

    def scan(self, paths: Iterable[str]) -> Iterator[ScannedFile]:
        """The files one by one, as far as the budget's time suffices."""
        several = iter(paths)
        single = ([path] for path in islice(several, _ONE_BY_ONE if self._most else 0))
        begun = ((batch, self._scan_batch(batch)) for batch in single)
        for batch, found in chain(begun, work_in_batches(several, self._scan_batch)):
            yield from found
            if len(found) < len(batch):
                return

    def scan_file(self, path: str) -> ScannedFile | None:
        """One file; None if time is up."""
        found = self._scan_batch([path])
        return found[0] if found else None

    def _scan_batch(self, batch: list[str]) -> list[ScannedFile]:
        """The files of a batch; fewer if time is up."""
        found: list[ScannedFile] = []
        files = self._sandbox.scan(batch, self._scan)
        without = files_without_match(files, self._matcher, self._budget)
        for number, (path, scanned) in enumerate(zip(batch, files, strict=True)):
            self._budget.check()
            if self._budget.spent:
                break
            if number in without:
                found.append(ScannedFile(path, 0, size=without[number]))
            else:
                found.append(self._match(path, scanned))
        return found

    def _match(self, path: str, scanned: Scanned) -> ScannedFile:
        if isinstance(scanned, NeedleLines):
            size, all_lines, count, *_ = scanned
            lines = PackedLines(path, scanned, self._matcher.spans_of) if count else ()
            return ScannedFile(path, count, lines, size, all_lines)
        data = read_scanned(self._sandbox, path, scanned)
        if data is None:
            return ScannedFile(path, None)
        rows = normalize_lines(data) if self._matcher.may_match(data) else b""
        if rows is None:
            return ScannedFile(path, None, size=len(data))
        found = self._matcher.match_file(path, rows, self._most)
        all_lines = rows.count(b"\n") if found.count else 0
        rest = found.skipped_lines, found.searches
        return ScannedFile(path, found.count, found.lines, len(data), all_lines, *rest)


def read_scanned(sandbox: Sandbox, path: str, scanned: bytes | None) -> bytes | None:
    """A file that a scan has read or left to be judged; None if it is gone or unreadable."""
    if scanned is not None:
        return scanned
    try:
        return sandbox.read(path, follow=False).data
    except Problem:
        return None


def work_in_batches(
    paths: Iterator[str], work: Callable[[list[str]], T]
) -> Iterator[tuple[list[str], T]]:
    """Batches of paths in order, each with the result of its work; several at once if many."""
    rest = batches(paths)
    for batch in islice(rest, _BATCHES_ALONE):
        yield batch, work(batch)
    ahead = list(islice(rest, _THREADS * _BATCHES_AHEAD))
    if not ahead:
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 most searches read few files

    with ThreadPoolExecutor(_THREADS) as pool:
        begun: deque[tuple[list[str], Future[T]]] = deque(
            (batch, pool.submit(work, batch)) for batch in ahead
        )
        try:
            while begun:
                batch, future = begun.popleft()
                found = future.result()
                begun.extend((later, pool.submit(work, later)) for later in islice(rest, 1))
                yield batch, found
        finally:
            for _, future in begun:
                future.cancel()


def batches(paths: Iterator[str]) -> Iterator[list[str]]:
    """Lists of paths, each longer than the one before up to a limit."""
    size = _FIRST_FILES
    while batch := list(islice(paths, size)):
        yield batch
        size = min(2 * size, _MOST_FILES)
