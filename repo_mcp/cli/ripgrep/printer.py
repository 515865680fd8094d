"""Prints matching lines byte by byte as ripgrep does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.cli.ripgrep.arguments import RipgrepRequest
from repo_mcp.console import visible
from repo_mcp.search import RawLine, RawText, Span
from repo_mcp.text.cutting import replaced

_PATH: Final = b"\x1b[0m\x1b[35m"
_NUMBER: Final = b"\x1b[0m\x1b[32m"
_COLUMN: Final = b"\x1b[0m"
_MATCH: Final = b"\x1b[0m\x1b[1m\x1b[31m"
_RESET: Final = b"\x1b[0m"
_BLANKS: Final = b" \t\x0b\x0c\r"


class Look(Record):
    """The parts of a line that are printed."""

    terminal: bool
    colors: bool
    heading: bool
    named: bool
    numbered: bool
    column: bool


def look_of(request: RipgrepRequest, *, terminal: bool, colors: bool, one_file: bool) -> Look:
    """The output of ripgrep where no option changes it."""
    vimgrep = request.vimgrep
    heading = terminal if request.heading is None else request.heading
    named, numbered = request.with_filename, request.line_number
    return Look(
        terminal=terminal,
        colors=colors,
        heading=heading and not vimgrep,
        named=(vimgrep or not one_file) if named is None else named,
        numbered=(terminal or request.column or vimgrep) if numbered is None else numbered,
        column=request.column or vimgrep,
    )


class _Row(NamedTuple):
    """A line to print; `matching` is False for one of context, `apart`: a gap is before it."""

    line: RawLine
    matching: bool
    apart: bool


class RawPrinter:
    """Prints files one after the other."""

    def __init__(self, request: RipgrepRequest, look: Look) -> None:
        self._request = request
        self._look = look
        self._begun = False
        self._has_context = bool(request.before or request.after)
        changed = request.trim or request.max_columns or look.colors or look.terminal
        self._has_plain_text = not changed

    @property
    def needs_spans(self) -> bool:
        """True if all matches of a line have to be known."""
        request, look = self._request, self._look
        if request.inverted or request.mode in {"count", "files"}:
            return False
        return bool(
            request.mode == "matches"
            or request.only_matching
            or request.vimgrep
            or request.replacement is not None
            or look.colors
            or look.column
        )

    @property
    def is_on_terminal(self) -> bool:
        """True if a terminal shows the lines."""
        return self._look.terminal

    @property
    def counts_only(self) -> bool:
        """True if no line is printed."""
        return self._request.mode in {"count", "files"} or self._request.quiet

    @property
    def is_plain(self) -> bool:
        """True if matching lines are printed as they are, behind their places or none."""
        request, look = self._request, self._look
        if self.counts_only:
            return not request.inverted
        changed = request.trim or request.max_columns or request.byte_offset or look.terminal
        return not (self.needs_spans or changed or look.heading or self._has_context)

    @property
    def is_unlike(self) -> bool:
        """True if lines around others that do not match are marked in ways of their own."""
        request, look = self._request, self._look
        marked = request.only_matching or request.vimgrep or look.colors or look.column
        around = self._has_context or request.passthru
        return request.inverted and around and (marked or request.replacement is not None)

    def file(self, path: bytes, text: RawText, lines: Sequence[RawLine] | None) -> Iterator[bytes]:
        """A file with its count or its lines; None for those of which it is known that they match.

        That may be where `is_plain`.
        """
        request = self._request
        if request.mode == "files":
            yield self._colored(_PATH, path) + (b"\0" if request.null else b"\n")
        elif request.mode in {"count", "matches"}:
            behind = b"\0" if request.null else b":"
            above = self._colored(_PATH, path) + behind if self._look.named else b""
            yield above + b"%d\n" % self._count(text, lines)
        elif lines is None:
            mark = request.match_separator
            head = path + (b"\0" if request.null else mark) if self._look.named else b""
            yield text.prefixed(head, mark, numbered=self._look.numbered)
        else:
            yield from self._lines(path, text, lines)

    def _count(self, text: RawText, lines: Sequence[RawLine] | None) -> int:
        """The matching lines, or their matches, up to the most of them.

        And those in the context behind the last one.
        """
        request = self._request
        if lines is None:
            return min(text.matching or 0, request.max_count or sys.maxsize)
        kept = lines[: request.max_count]
        if len(kept) < len(lines) and request.after:
            end = kept[-1].number + request.after
            kept = [line for line in lines if line.number <= end]
        return len(kept) if request.mode == "count" else sum(len(line.spans) for line in kept)

    def _lines(self, path: bytes, text: RawText, lines: Sequence[RawLine]) -> Iterator[bytes]:
        """The lines of a file, and those around them."""
        look, request = self._look, self._request
        separator = request.context_separator
        headed = look.heading and look.named
        name = self._colored(_PATH, path)
        if self._begun and look.heading:
            yield b"\n"
        elif self._begun and self._has_context and separator is not None:
            yield separator + b"\n"
        self._begun = True
        if headed:
            yield name + (b"\0" if request.null else b"\n")
        for row in self._rows(text, lines):
            if row.apart and separator is not None:
                yield separator + b"\n"
            yield from self._row(name, text, row)

    def _rows(self, text: RawText, lines: Sequence[RawLine]) -> Iterator[_Row]:
        """The lines to print in order."""
        request = self._request
        if request.passthru:
            shown = lines[: request.max_count]
            rows = [_Row(line, matching=True, apart=False) for line in shown]
            rows += [_Row(line, matching=False, apart=False) for line in text.others(shown)]
            yield from sorted(rows)
            return
        if not self._has_context:
            for line in lines[: request.max_count]:
                yield _Row(line, matching=True, apart=False)
            return
        matching = {line.number: line for line in lines}
        last = 0
        for line in lines[: request.max_count]:
            for near in text.around(line, request.before, request.after):
                if near.number > last:
                    apart = bool(last) and near.number > last + 1
                    found_here = matching.get(near.number)
                    yield _Row(found_here or near, found_here is not None, apart)
                    last = near.number

    def _row(self, name: bytes, source: RawText, row: _Row) -> Iterator[bytes]:
        """A line, or each of its matches."""
        request, line, rows = self._request, row.line, source.rows or b""
        text = rows[line.begin : line.end]
        shows = row.matching and self.needs_spans
        spans = tuple((a - line.begin, b - line.begin) for a, b in line.spans) if shows else ()
        if request.replacement is not None and spans:
            text, spans = replaced(text, spans, request.replacement)
        # a line's length is that of its bytes, with a line feed if there is one
        feed = int(source.is_ended or line.end + 1 < len(rows))
        if spans and request.only_matching:
            for begin, end in spans:
                part = text[begin:end]
                head = self._head(name, line.number, row, begin, line.begin + begin)
                yield head + self._text(part, ((0, len(part)),), row, len(spans), 0)
        elif spans and request.vimgrep:
            for span in spans:
                head = self._head(name, line.number, row, span[0], line.begin + span[0])
                yield head + self._text(text, (span,), row, len(spans), feed)
        else:
            first = spans[0][0] if spans else None
            head = self._head(name, line.number, row, first, line.begin)
            yield head + self._text(text, spans, row, len(spans), feed)

    def _head(self, name: bytes, number: int, row: _Row, column: int | None, offset: int) -> bytes:
        """The text before a line."""
        look, request = self._look, self._request
        mark = request.match_separator if row.matching else request.aside_separator
        parts: list[bytes] = []
        if look.named and not look.heading:
            parts.append(name + (b"\0" if request.null else mark))
        if look.numbered:
            parts.append(self._number(_NUMBER, number) + mark)
        if look.column and column is not None:
            parts.append(self._number(_COLUMN, column + 1) + mark)
        if request.byte_offset:
            parts.append(self._number(_COLUMN, offset) + mark)
        return b"".join(parts)

    def _number(self, color: bytes, number: int) -> bytes:
        return b"%b%d%b" % (color, number, _RESET) if self._look.colors else b"%d" % number

    def _text(
        self, text: bytes, spans: Sequence[Span], row: _Row, matches: int, feed: int
    ) -> bytes:
        """A line, with its end."""
        if self._has_plain_text:
            return text + b"\n"
        request = self._request
        # a line with colors in it is measured before it is cut
        size = len(text) + feed
        if request.trim:
            blanks = len(text) - len(text.lstrip(_BLANKS))
            text = text[blanks:]
            spans = [(max(a - blanks, 0), max(b - blanks, 0)) for a, b in spans]
            size = size if self._look.colors and spans else len(text) + feed
        if request.max_columns and size > request.max_columns:
            return self._omitted(row, matches) + b"\n"
        if not (self._look.colors and spans):
            return self._shown(text) + b"\n"
        parts, at = [], 0
        for begin, end in _joined(spans):
            if begin < end:
                parts += [self._shown(text[at:begin]), self._colored(_MATCH, text[begin:end])]
                at = end
        return b"".join([*parts, self._shown(text[at:]), b"\n"])

    def _omitted(self, row: _Row, matches: int) -> bytes:
        if not row.matching:
            return b"[Omitted long context line]"
        if not matches or self._request.only_matching:
            return b"[Omitted long matching line]"
        return b"[Omitted long line with %d matches]" % matches

    def _colored(self, color: bytes, text: bytes) -> bytes:
        return color + self._shown(text) + _RESET if self._look.colors else self._shown(text)

    def _shown(self, text: bytes) -> bytes:
        """The text; on a terminal, without what would control that."""
        if not self._look.terminal or (text.isascii() and text.decode().isprintable()):
            return text
        # a byte that is no UTF-8 may control a terminal of eight bits
        return visible(text.decode(errors="backslashreplace")).encode()


def _joined(spans: Sequence[Span]) -> Iterator[Span]:
    """The spans, one for those that touch."""
    begin = end = -1
    for first, last in spans:
        if first > end:
            if begin >= 0:
                yield begin, end
            begin = first
        end = last
    yield begin, end
