"""Lines that match in the bytes of files as they are, for a command that prints these bytes.

Nothing is decoded: a carriage return belongs to its line, and bytes that are no UTF-8 match no
character.
"""

from __future__ import annotations

import codecs
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from typing import Final

from index_format import LiveSegment, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import LineScan, NeedleLines, Sandbox, Scanned, prefix_lines
from repo_mcp.search.dictionary.words import Dictionaries
from repo_mcp.search.exact.candidates import Candidates
from repo_mcp.search.exact.pattern import ExpressionPattern, SearchedText, build_pattern
from repo_mcp.search.exact.raw_pattern import NotExactError, PatternSyntax
from repo_mcp.search.exact.scan import work_in_batches
from repo_mcp.search.line_matches import MAX_SPANS, PlacedLine, Span
from repo_mcp.search.matching_lines import (
    LineCounter,
    begin_before,
    between_lines,
    end_behind,
    lines_of_part,
    lines_with_spans,
    matching_lines,
)
from repo_mcp.search.regex.program import CompiledExpression
from repo_mcp.search.regex.tree import Char, Concatenation, Node

# bytes of a text that is worth to be looked for before an expression is
_SHORTEST: Final = 3
_AFTER_SLASH: Final = chr(ord("/") + 1).encode()


class RawLine(NamedTuple):
    """A line: its number, where it begins and ends, and its matches if they were asked for."""

    number: int
    begin: int
    end: int
    spans: tuple[Span, ...] = ()


class RawText(NamedTuple):
    """A file and its text in UTF-8, each line with its end; None for one that has a NUL byte.

    `is_ended`: the last line has an end in the file. With `numbers` (uint32) these are only the
    lines that may match, or the first of them; with `matching` they do, and so many in all.
    """

    path: str
    rows: bytes | None
    is_ended: bool
    numbers: bytes = b""
    matching: int | None = None

    @classmethod
    def read(cls, path: str, data: bytes) -> RawText:
        """The text of a file's bytes."""
        is_ended = data.endswith((b"\n", b"\n\0"))
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            data = data.decode("utf-16", "replace").encode("utf-8", "replace")
        data = data.removeprefix(codecs.BOM_UTF8)
        if b"\0" in data:
            return cls(path, None, is_ended)
        return cls(path, data if data.endswith(b"\n") or not data else data + b"\n", is_ended)

    def prefixed(self, head: bytes, mark: bytes, *, numbered: bool) -> bytes:
        """Each line behind a head and, if `numbered`, its number with a mark."""
        return prefix_lines(self.rows or b"", self.numbers if numbered else b"", head, mark)

    def others(self, lines: Iterable[RawLine]) -> list[RawLine]:
        """The lines that are none of these."""
        rows = self.rows or b""
        counter = LineCounter(rows)
        parts = between_lines(rows, ((line.begin, line.end) for line in lines))
        places = chain.from_iterable(lines_of_part(rows, *part) for part in parts)
        return [RawLine(counter.number(begin), begin, end) for begin, end in places]

    def around(self, line: RawLine, before: int, after: int) -> Iterator[RawLine]:
        """A line with those before and after it."""
        rows = self.rows or b""
        start = begin_before(rows, line.begin, before)
        places = lines_of_part(rows, start, end_behind(rows, line.end, after))
        first = line.number - rows.count(b"\n", start, line.begin)
        for number, (begin, end) in enumerate(places, first):
            yield line if number == line.number else RawLine(number, begin, end)


class RawPattern:
    """Finds the lines of patterns, and the files that may have some."""

    def __init__(self, syntax: PatternSyntax) -> None:
        """Raises `NotExactError` for an expression that the engine refuses."""
        try:
            self._pattern = build_pattern(syntax.body, whole_word=syntax.word)
        except Problem as problem:
            raise NotExactError(problem.reason) from problem
        self._clauses = syntax.clauses
        decisive = self._pattern.needle
        self._is_decided = bool(decisive.needle)
        self._needle = decisive if self._is_decided else _needle_of(syntax.body)

    @property
    def is_decided(self) -> bool:
        """True if compiled code decides about the lines of nearly all files."""
        return self._is_decided

    @property
    def has_needle(self) -> bool:
        """True if compiled code finds the lines that may match."""
        return bool(self._needle.needle)

    def candidates(
        self,
        snapshot: Snapshot,
        folders: Sequence[str],
        most: int,
        budget: Budget,
        *,
        narrowed: bool = True,
    ) -> list[str] | None:
        """The files of some folders that may match, or all; None if there are more than `most`."""
        clauses = self._clauses if narrowed else ()
        found = Candidates(snapshot, [clauses], Dictionaries(once=True), budget, every=True)
        paths: list[str] = []
        for segment, numbers in zip(snapshot.segments, found.by_segment(), strict=True):
            meant = [at for part in _below(segment, numbers, folders) for at in part]
            if len(meant) > most - len(paths):
                return None
            dead = segment.dead_files
            paths += segment.reader.files.paths.paths_of([at for at in meant if at not in dead])
        return paths

    def texts(
        self, sandbox: Sandbox, paths: Sequence[str], *, whole: bool, most: int = -1
    ) -> Iterator[RawText]:
        """The texts of files in their order, as far as they may match; `whole`: of all files.

        Of a text whose matching lines are known, the first `most` are kept. Files that are gone are
        left out. Raises `NotExactError` for one that is there and can't be read.
        """
        decided = self._is_decided and not whole
        scan = LineScan() if whole else self._needle._replace(most=most if decided else -1)

        def work(batch: list[str]) -> list[Scanned]:
            return sandbox.scan(batch, scan)

        for batch, several in work_in_batches(iter(paths), work):
            for path, scanned in zip(batch, several, strict=True):
                if isinstance(scanned, NeedleLines):
                    count = scanned.matching_lines
                    if count:
                        known = count if decided else None
                        yield RawText(path, scanned.text, True, scanned.numbers, known)  # noqa: FBT003 a named tuple
                    continue
                data = scanned if scanned is not None else _read(sandbox, path)
                if data is not None:
                    yield RawText.read(path, data)

    def lines(self, text: RawText, *, spans: bool, most: int | None = None) -> list[RawLine]:
        """The matching lines of a text, or the first ones; `spans`: with all of their matches."""
        rows, pattern = text.rows or b"", self._pattern
        if isinstance(pattern, ExpressionPattern):
            _check_encoding(pattern.expression, self._needle, rows)
        matches, counter = pattern.matches(SearchedText(rows)), LineCounter(rows)
        known = memoryview(text.numbers).cast("I")
        lines: list[RawLine] = []
        places: Iterator[PlacedLine]
        if spans:
            bound = MAX_SPANS if isinstance(pattern, ExpressionPattern) else sys.maxsize
            places = lines_with_spans(rows, matches, bound)
        else:
            places = ((begin, end, ()) for begin, end in matching_lines(rows, matches))
        for begin, end, inside in islice(places, most):
            if len(inside) >= MAX_SPANS and matches.searches:
                raise NotExactError("a line has too many matches")
            number = counter.number(begin)
            lines.append(RawLine(known[number - 1] if known else number, begin, end, tuple(inside)))
        if matches.skipped_lines:
            raise NotExactError("a line is too long for the expression")
        return lines


def _read(sandbox: Sandbox, path: str) -> bytes | None:
    try:
        return sandbox.read(path, follow=False).data
    except Problem as problem:
        if problem.code == "not_found":
            return None
        raise NotExactError(f"{path} can't be read") from None


def _needle_of(body: Node) -> LineScan:
    """The longest text that each line of an expression holds."""
    longest = LineScan()
    for folded, run in groupby(_items(body), _folding_of):
        text = "".join(item.value for item in run if isinstance(item, Char))
        if len(text) > max(len(longest.needle), _SHORTEST - 1) and (text.isascii() or not folded):
            shown = text.lower() if folded else text
            longest = LineScan(shown.encode(), fold=bool(folded))
    return longest


def _items(body: Node) -> Sequence[Node]:
    return body.items if isinstance(body, Concatenation) else (body,)


def _folding_of(node: Node) -> bool | None:
    """True or False for a character in any case or in one, None for another node."""
    return node.folded if isinstance(node, Char) else None


def _check_encoding(expression: CompiledExpression, needle: LineScan, rows: bytes) -> None:
    """Refuse edges of words that RE2 can't see, in lines that may match."""
    if rows.isascii() or not (expression.is_framed or expression.is_bounded_inside):
        return
    sought = b"" if needle.fold else needle.needle
    beyond = [row for row in rows.split(b"\n") if not row.isascii() and sought in row]
    if beyond and expression.is_bounded_inside:
        raise NotExactError("edges of words beyond ASCII")
    try:
        b"\n".join(beyond).decode()
    except UnicodeDecodeError:
        raise NotExactError("edges of words beside bytes that are no UTF-8") from None


def _below(
    segment: LiveSegment, numbers: Sequence[int], folders: Sequence[str]
) -> Iterator[Sequence[int]]:
    """The ascending files of a segment that are in the folders, which do not overlap."""
    files = segment.reader.files
    for folder in folders:
        if not folder:
            yield numbers
            continue
        name = folder.encode("utf-8", "surrogatepass")
        places = range(files.count)
        first = bisect_left(places, name + b"/", key=files.paths.path)
        end = bisect_left(places, name + _AFTER_SLASH, key=files.paths.path)
        yield numbers[bisect_left(numbers, first) : bisect_left(numbers, end)]
