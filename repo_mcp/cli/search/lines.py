"""Matching lines in the format of grep, one file after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from index_format.records import values_of
from index_format.tuples import NamedTuple
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.pager import PagedOutput
from repo_mcp.cli.search.scope import shown_path
from repo_mcp.cli.search.style import Style
from repo_mcp.console import print_json
from repo_mcp.errors import Problem
from repo_mcp.search import FileCount, LineMatch, Span
from repo_mcp.text.cutting import cut_around, replaced, stretches

# characters of a long line on a terminal, and how many of them before the first match
_WIDEST: Final = 300
_BEFORE: Final = 100
_REFERENCE: Final = re.compile(r"\$(?:(\$)|(\w+)|\{(\w+)\})")


class _Row(NamedTuple):
    """A line of output; `columns` is None for a context line.

    `first` is the byte at which its first match begins in the line of the file, counted from 1.
    """

    number: int
    text: str
    columns: tuple[Span, ...] | None
    first: int = 1


def context_of(args: CommandLine) -> tuple[int, int]:
    """Lines before and after a match."""
    if args.only_matching or args.passthru or args.vimgrep:
        return 0, 0
    around = args.context or 0
    before, after = args.before_context, args.after_context
    return around if before is None else before, around if after is None else after


class LineFormat:
    """Formats the lines of each file as the command line says; made for one output."""

    def __init__(self, args: CommandLine, style: Style) -> None:
        """Raises `Problem` for a replacement that has more than the whole match."""
        self._style = style
        self._around = context_of(args)
        self._parts = args.only_matching
        self._every = args.vimgrep
        self._column = args.column or args.vimgrep
        self._named = not args.no_filename
        self._heading = style.heading and self._named and not args.vimgrep
        self._behind = "\0" if args.null else ""
        self._replacement = None if args.replace is None else _pieces(args.replace)
        self._passthru = args.passthru
        self._begun = False
        # what stands behind the number of a line: of one that matches, and of one beside it
        self._marks = style("aside", ":"), style("aside", "-")

    @property
    def shows_matches(self) -> bool:
        """True if it matters where a line matches, and not only that it does."""
        is_cut = self._style.terminal or self._style.columns is not None
        is_shown = self._parts or self._every or self._column or self._passthru
        return is_shown or is_cut or self._style.colours or self._replacement is not None

    def file(self, count: FileCount, *, counted: bool) -> str:
        """A file on a line of its own, or with its count."""
        if not counted:
            return self._style.path(count.path) + self._behind
        mark = self._behind or ":"
        return (self._style.path(count.path) + mark if self._named else "") + str(count.lines)

    def lines(self, path: str, matches: Sequence[LineMatch]) -> Iterator[str]:
        """The lines of a file and those around them."""
        shown = self._style.path(path)
        if self._heading:
            yield from [""] if self._begun else []
            yield shown + self._behind
        if not (self.shows_matches or any(self._around)):
            self._begun = True
            head = "" if self._heading or not self._named else shown + (self._behind or ":")
            marked = self._style.marked
            yield from (f"{head}{match.line}:{marked(match.text, ())}" for match in matches)
            return
        for number, block in enumerate(_blocks(matches, *self._around)):
            if any(self._around) and (number or (self._begun and not self._heading)):
                yield self._style("aside", "--")
            self._begun = True
            for row in self._rows(block):
                yield self._line(shown, row)

    def _rows(self, rows: Iterable[_Row]) -> Iterator[_Row]:
        """A row for each match where that is wanted."""
        for row in rows:
            spans = row.columns
            if self._passthru and not spans:
                yield row._replace(columns=None)
            elif spans and (self._parts or self._every):
                for span in spans:
                    yield _part(row, span) if self._parts else _from(row, (span,))
            elif not self._parts:
                yield _from(row, spans) if spans and self._column else row

    def _line(self, path: str, row: _Row) -> str:
        style = self._style
        mark = self._marks[row.columns is None]
        text, columns = row.text, row.columns or ()
        if self._replacement is not None:
            text, columns = replaced(text, columns, self._replacement)
        widest = style.columns or (_WIDEST if style.terminal else 0)
        if widest:
            text, columns = cut_around(text, columns, widest, min(_BEFORE, widest // 3))
        place = f"{style('line', str(row.number)) if style.colours else row.number}{mark}"
        if self._column and row.columns is not None:
            place += f"{row.first}{mark}"
        if self._named and not self._heading:
            place = path + (self._behind or mark) + place
        return place + style.marked(text, columns)


class LinePrinter:
    """Prints the lines of a file as soon as they are found."""

    def __init__(self, lines: LineFormat, out: PagedOutput, args: CommandLine, folder: str) -> None:
        self._format = lines
        self._out = out
        self._json = args.json
        self._folder = folder
        self._last = ""
        # true if a line was printed that the pattern itself matches, if all are printed
        self.has_matched = False

    def __call__(self, count: FileCount, matches: Sequence[LineMatch]) -> None:
        """Print a file's lines, once: a damaged index is searched again from its beginning."""
        if count.path <= self._last:
            return
        self._last = count.path
        self.has_matched = self.has_matched or any(match.columns for match in matches)
        if self._json:
            path = shown_path(count.path, self._folder)
            for match in matches:
                print_json(match_record(match) | {"path": path})
        else:
            self._out.write_all(self._format.lines(count.path, matches))
        self._out.flush()


def match_record(match: LineMatch) -> dict[str, object]:
    """A matching line as JSON, with the structural matches that begin in it."""
    trees = [{**values_of(tree), "bindings": dict(tree.bindings)} for tree in match.trees]
    values = {"type": "match", **values_of(match), "trees": trees}
    if not trees:
        del values["trees"]
    return values


def _from(row: _Row, spans: tuple[Span, ...]) -> _Row:
    """The row with these of its matches, and the place of the first."""
    begin = spans[0][0] if spans else 0
    return _Row(row.number, row.text, spans, len(row.text[:begin].encode()) + 1)


def _part(row: _Row, span: Span) -> _Row:
    begin, end = span
    first = len(row.text[:begin].encode()) + 1
    return _Row(row.number, row.text[begin:end], ((0, end - begin),), first)


def _pieces(text: str) -> tuple[str, ...]:
    """The parts of a replacement between the places of the whole match."""
    parts, at = [""], 0
    for found in _REFERENCE.finditer(text):
        parts[-1] += text[at : found.start()]
        at = found.end()
        if found[1]:
            parts[-1] += "$"
        elif (found[2] or found[3]) == "0":
            parts.append("")
        else:
            raise Problem(
                "argument_invalid",
                f"-r {text}: groups are not kept, only $0, the whole match; $$ is a dollar sign",
            )
    parts[-1] += text[at:]
    return tuple(parts)


def _blocks(matches: Sequence[LineMatch], above: int, below: int) -> Iterator[list[_Row]]:
    """Blocks of consecutive lines of one file, without duplicates; one of all without context."""
    if not (above or below):
        yield [_Row(match.line, match.text, match.columns) for match in matches]
        return
    rows: dict[int, _Row] = {}
    for match in matches:
        shown = match.before[-above:] if above else ()
        before = enumerate(shown, match.line - len(shown))
        after = enumerate(match.after[:below], match.line + 1)
        for number, text in chain(before, after):
            if number not in rows:
                rows[number] = _Row(number, text, None)
        rows[match.line] = _Row(match.line, match.text, match.columns)
    for first, last in stretches(sorted(rows)):
        yield [rows[number] for number in range(first, last + 1)]
