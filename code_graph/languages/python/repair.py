"""Repairs Python text that the parser refuses, so that one error does not hide the file.

The text is parsed in pieces, each a statement at the margin with all below it. In a piece that is
refused each logical line is tried alone; one that is refused, or has no place among the lines
around it, is replaced by a stand-in. Lines stay where they are, and their columns are known, so
that facts are those of the original text. Every step reads on from where the one before ended, and
what is read again has a budget.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from code_graph.languages.python.logical_lines import (
    FOLLOWS,
    LineReader,
    LogicalLine,
    is_parsed,
    stand_ins,
    swallows_declarations,
)
from code_graph.languages.python.source import REFUSALS, PythonSource, parse, parse_or_raise
from index_format.records import Record

# characters that are read for each one of the text
_READINGS: Final = 8
_HANDLERS: Final = re.compile(r"except\b|finally\b")
# blocks inside of each other: the parser takes 100
_DEEPEST: Final = 90
# statements that are dropped from one piece because it is refused as a whole
_ATTEMPTS: Final = 8
_DECORATED: Final = frozenset(("def", "class", "async", "@"))


class RepairedSource(PythonSource):
    """A text whose syntax tree has other columns in some lines."""

    __slots__ = ("shifts",)

    def __init__(self, text: str) -> None:
        """Begin without other columns."""
        super().__init__(text)
        self.shifts: dict[int, int] = {}

    @property
    def all_ascii(self) -> bool:
        """Never: each column has to be converted."""
        return False

    def column(self, line: int, offset: int) -> int:
        """The column in the text, at most its row's end."""
        offset = max(offset + self.shifts.get(line, 0), 0)
        return min(super().column(line, offset), len(self.rows[line - 1]))


def repair(source: RepairedSource) -> ast.Module | None:
    """The syntax tree of what can be parsed, and the shifts in `source`; None if nothing can."""
    return _Repair(source).run()


class _Statement(Record, frozen=False):
    """A logical line that is kept, and the text that is parsed in its place."""

    line: LogicalLine
    text: str
    depth: int = 0
    placed: str = ""  # the text, changed so that it fits to the statements around it

    @property
    def needs_block(self) -> bool:
        """True if statements have to follow, one level further in."""
        return self.line.is_head and self.text.endswith(":")


class _Repair:
    """One pass over the pieces of a text."""

    def __init__(self, source: RepairedSource) -> None:
        self._source = source
        starts = [source.index_of(row, 0) for row in range(1, len(source.rows) + 1)]
        text = source.text.replace("\0", " ")
        self._rows = text.split("\n")
        self._reader = LineReader(text, self._rows, starts, _READINGS * len(text) + 10_000)
        self._parsed: list[str] = [""] * len(self._rows)

    def run(self) -> ast.Module | None:
        row = 0
        while row < len(self._rows) and not self._reader.is_exhausted:
            end = self._end_of_piece(row)
            rows = self._rows[row:end]
            if parse("\n".join(rows)) is not None:
                self._parsed[row:end] = rows
                row = end
            else:
                row = self._mend(row)
        return parse("\n".join(self._parsed))

    def _end_of_piece(self, row: int) -> int:
        """The row at which the next piece begins."""
        line, before = self._reader.read(row), ""
        while line is not None:
            if before and _begins_piece(line, before):
                return line.first
            before = line.word or "?"
            line = self._reader.read(line.last)
        return len(self._rows)

    def _mend(self, row: int) -> int:
        """Repair a piece line by line; returns where the next one begins."""
        kept: list[_Statement] = []
        begin, before = row, ""
        line = self._reader.read(row)
        while line is not None and not self._reader.is_exhausted:
            if before and _begins_piece(line, before):
                break
            statement = self._stand_in(line)
            if statement.text:
                kept.append(statement)
            before = line.word or "?"
            line = self._reader.read(statement.line.last)
        end = line.first if line is not None else len(self._rows)
        self._write(kept, begin, end)
        return end

    def _stand_in(self, line: LogicalLine) -> _Statement:
        """The text parsed in place of a line: for an unclosed one, in place of its first row."""
        is_alone = line.last == line.first + 1
        if not line.is_open and is_parsed(line, line.text):
            if is_alone or not swallows_declarations(line):
                return _Statement(line, line.text)
            after = self._reader.read(line.last)
            if after is None or is_parsed(after, after.text):
                return _Statement(line, line.text)
        if not is_alone and (line.is_open or swallows_declarations(line)):
            text = self._rows[line.first][line.column :].rstrip()
            line = line._replace(last=line.first + 1, text=text)
        found = (text for text in stand_ins(line) if is_parsed(line, text))
        return _Statement(line, next(found, ""))

    def _write(self, kept: list[_Statement], begin: int, end: int) -> None:
        """Write the statements of a piece at their depths, without those that are still refused."""
        for _ in range(_ATTEMPTS):
            _arrange(kept)
            rows = self._place(kept, begin, end)
            refused = _refused_row(rows)
            if refused is None:
                self._parsed[begin:end] = rows
                return
            before = [item for item in kept if item.line.first - begin <= refused]
            if not before:
                return
            kept.remove(before[-1])

    def _place(self, kept: list[_Statement], begin: int, end: int) -> list[str]:
        """The rows of a piece, each statement indented by its depth."""
        rows = [""] * (end - begin)
        for statement in kept:
            line = statement.line
            rest = statement.placed.lstrip(" ")
            skipped = len(statement.placed) - len(rest)
            first, *more = rest.split("\n")
            at = line.first - begin
            rows[at : at + 1 + len(more)] = [" " * statement.depth + first, *more]
            self._source.shifts[line.first + 1] = line.column + skipped - statement.depth
        return rows


def _refused_row(rows: list[str]) -> int | None:
    """The row with the error, the first one if that is unknown; None if there is none."""
    try:
        parse_or_raise("\n".join(rows))
    except SyntaxError as error:
        return (error.lineno or 1) - 1
    except REFUSALS:
        return 0
    return None


def _begins_piece(line: LogicalLine, before: str) -> bool:
    """True if a line begins a piece: text at the margin that is no code does not."""
    is_at_margin = line.column == 0 and line.word not in FOLLOWS and before != "@"
    return is_at_margin and (line.word in _DECORATED or is_parsed(line, line.text))


def _arrange(statements: list[_Statement]) -> None:
    """Give statements their depths, every block a head and every head a block."""
    levels: list[int] = []  # the indents of the open blocks
    last: dict[int, _Statement] = {}  # the last statement of each depth
    before: _Statement | None = None
    for statement in statements:
        statement.placed = statement.text
        indent = statement.line.indent
        if before is not None and before.needs_block and indent > before.line.indent:
            levels.append(indent)
        else:
            while levels and levels[-1] > indent:
                levels.pop()
        statement.depth = min(len(levels), _DEEPEST)
        above = last.get(statement.depth)
        last = {depth: item for depth, item in last.items() if depth < statement.depth}
        last[statement.depth] = before = statement
        word = statement.line.word
        if word in FOLLOWS and (above is None or above.line.word not in FOLLOWS[word]):
            statement.placed = "if 1:" if statement.needs_block else "pass"
    _complete(statements)


def _complete(statements: list[_Statement]) -> None:
    """Give heads without a block a body, and drop a `@` or `try` that nothing belongs to."""
    following: dict[int, _Statement] = {}  # the next statement of each depth
    after: _Statement | None = None
    for statement in reversed(statements):
        depth, word = statement.depth, statement.line.word
        following = {other: item for other, item in following.items() if other <= depth}
        then = following.get(depth)
        if statement.needs_block and (after is None or after.depth <= depth):
            # behind the text, so that a signature is cut where it ends
            missing = len(statement.line.text) - len(statement.placed)
            statement.placed += " " * missing * ("\n" not in statement.line.text) + "pass"
        if word == "try" and (then is None or not _HANDLERS.match(then.placed)):
            statement.placed = "if 1" + statement.placed[len(word) :]
        if word == "@" and (then is None or then is not after or then.line.word not in _DECORATED):
            statement.placed = "pass"
            continue
        following[depth] = after = statement
