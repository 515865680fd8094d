"""Reads candidate files in batches, several at once when they are many, and matches their lines."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Final, TypeVar

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import NeedleLines, Sandbox, Scanned
from repo_mcp.search.exact.pattern import LineMatcher
from repo_mcp.search.exact.query import ExactQuery, ScannedFile
from repo_mcp.search.line_matches import PackedLines
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
# a small file is joined to others, most of which have no match: a call of the engine for each would
# take longer than the search of its lines
_MOST_OF_A_FILE: Final = 1 << 16
_MOST_TOGETHER: Final = 1 << 18

T = TypeVar("T")


class FileScanner:
    """Reads files, and matches expressions in their lines."""

    def __init__(
        self, sandbox: Sandbox, matcher: LineMatcher, query: ExactQuery, budget: Budget
    ) -> None:
        self._sandbox = sandbox
        self._matcher = matcher
        self._budget = budget
        self._most = most = query.most_of_file
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
            count = scanned.matching_lines
            lines = PackedLines(path, scanned, self._matcher.lines_of) if count else ()
            return ScannedFile(path, count, lines, scanned.size)
        data = read_scanned(self._sandbox, path, scanned)
        if data is None:
            return ScannedFile(path, None)
        rows = normalize_lines(data) if self._matcher.may_match(data) else b""
        if rows is None:
            return ScannedFile(path, None, size=len(data))
        return self._matcher.match_file(path, rows, self._most)._replace(size=len(data))


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


def files_without_match(
    files: Sequence[Scanned], matcher: LineMatcher, budget: Budget
) -> dict[int, int]:
    """Numbers and sizes of files that are sure to have no match; others are to be matched alone."""
    without: dict[int, int] = {}
    if len(files) > 1 and matcher.needs_first:
        for sizes, texts in _groups(files):
            budget.check()
            if budget.spent:
                break
            numbers = list(sizes)
            for at in {*_may_match(texts, matcher)}:
                del sizes[numbers[at]]
            without |= sizes
    return without


def _groups(files: Sequence[Scanned]) -> Iterator[tuple[dict[int, int], list[bytes]]]:
    """Numbers, sizes and lines of plain files; each text ends with a line feed."""
    sizes: dict[int, int] = {}
    texts: list[bytes] = []
    total = 0
    for number, data in enumerate(files):
        if not isinstance(data, bytes) or not _is_plain(data):
            continue
        if total + len(data) > _MOST_TOGETHER:
            yield sizes, texts
            sizes, texts, total = {}, [], 0
        sizes[number] = len(data)
        texts.append(data if data.endswith(b"\n") else data + b"\n")
        total += len(data)
    if sizes:
        yield sizes, texts


def _is_plain(data: bytes) -> bool:
    """True if a small file's bytes are its lines."""
    small = 0 < len(data) <= _MOST_OF_A_FILE
    return small and data.isascii() and b"\0" not in data and b"\r" not in data


def _may_match(texts: Sequence[bytes], matcher: LineMatcher) -> Iterator[int]:
    """The texts that may have a match; all where a line is too long for the expression."""
    joined = b"".join(texts)
    matches = matcher.first_matches(joined)
    starts = [0, *accumulate(map(len, texts))]
    begin, last = 0, len(joined) - 1
    while begin <= last:
        span = next(matches.iter_spans(last, begin), None)
        if matches.skipped_lines:
            yield from range(len(texts))
            return
        if span is None:
            return
        number = bisect_right(starts, span[0]) - 1
        yield number
        begin = starts[number + 1]
