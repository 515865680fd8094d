"""Small files are joined to one text and searched at once: most of them have no match.

A call of the engine for each file would take longer than the search of its lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.safety.sandbox import Scanned
from repo_mcp.search.exact.pattern import LineMatcher

_MOST_OF_A_FILE: Final = 1 << 16
_MOST_TOGETHER: Final = 1 << 18


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
