"""A file of code as contracts are read from it: its text, and where declarations stand in it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from code_graph.contracts.descriptions import Descriptions, compiled, quick
from code_graph.contracts.read.calls import WrittenText
from code_graph.expressions import NONE
from code_graph.facts import Facts
from code_graph.language import Language

_KIND: Final = "class"
_WORD: Final = re.compile(r"[\w$]+")
BRACKETS: Final = re.compile(r"[()\[\]{}]")
_MOST_OPEN: Final = 12


class ContractSource:
    """The text of a file with its declarations."""

    def __init__(
        self, text: str, facts: Facts, language: Language, descriptions: Descriptions
    ) -> None:
        """Nothing is read yet."""
        self.text = text
        self.data = text.encode("utf-8", "surrogatepass")
        self._marks = descriptions.marks_in(self.data)
        self.facts = facts
        self.written = WrittenText(text, language)
        self._applies: dict[tuple[tuple[str, ...], frozenset[str]], bool] = {}

    def fits(self, imports: tuple[str, ...], words: frozenset[str]) -> bool:
        """True if the file imports one of these modules, and has one of these words."""
        known = self._applies.get((imports, words))
        if known is None:
            known = (not words or not words.isdisjoint(self._marks)) and (
                not imports
                or any(
                    item.module.startswith(imports) or f"{item.module}.{item.name}" in imports
                    for item in self.facts.imports
                )
            )
            self._applies[imports, words] = known
        return known

    def has(self, pattern: str) -> bool:
        """True if an expression matches somewhere."""
        expression = quick(pattern) if len(self.data) == len(self.text) else None
        may_match = expression is None or expression.search(self.data) is not None
        return may_match and compiled(pattern).search(self.text) is not None

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1]

    def head(self, number: int) -> tuple[int, int]:
        """The place of the name of a declaration."""
        row = self.facts.declarations[number]
        return row.name_line, row.name_column

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column; the end of the text behind its last line."""
        starts = self._line_starts
        return starts[line - 1] + column if line <= len(starts) else len(self.text)

    def word(self, offset: int) -> str:
        """The word at an offset."""
        found = _WORD.match(self.text, offset)
        return "" if found is None else found[0]

    def word_before(self, offset: int) -> str:
        """The word that ends at an offset."""
        start = offset
        while start and (self.text[start - 1].isalnum() or self.text[start - 1] in "_$"):
            start -= 1
        return self.text[start:offset]

    def code_before(self, offset: int) -> int:
        """The end of the code before an offset, without blanks and comments."""
        spans = self.written.spans
        at = bisect_left(spans, (offset,)) - 1
        while True:
            while offset and self.text[offset - 1].isspace():
                offset -= 1
            if at < 0 or spans[at][1] < offset or not spans[at][2]:
                return offset
            offset, at = spans[at][0], at - 1

    def declared_behind(self, offset: int) -> int:
        """The first declaration whose name stands behind an offset."""
        at = bisect_right(self.heads, (self.place(offset), NONE))
        return self.heads[at][1] if at < len(self.heads) else NONE

    def around(self, line: int) -> int:
        """The innermost declaration that has a line."""
        found, size = NONE, 0
        for number, item in self._by_start[: bisect_right(self._starts, line)]:
            length = item[1] - item[0]
            if line <= item[1] and (found == NONE or length <= size):
                found, size = number, length
        return found

    def class_behind(self, offset: int) -> int:
        """The class that a decorator, which has an offset, stands before."""
        number = self.declared_behind(offset)
        return number if number != NONE and self.facts.declarations[number].kind == _KIND else NONE

    def class_around(self, own: int) -> int:
        """The class that names its table in a field; any other declaration stays."""
        rows = self.facts.declarations
        is_field = own != NONE and rows[own].start_line == rows[own].end_line
        return rows[own].parent if is_field and rows[own].parent != NONE else own

    def open_before(self, offsets: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The brackets that are open at ascending offsets, outermost first."""
        found: dict[int, tuple[int, ...]] = {}
        opened: list[int] = []
        at = 0
        for start, end in self._code():
            for item in BRACKETS.finditer(self.text, start, end):
                while at < len(offsets) and offsets[at] < item.start():
                    found[offsets[at]] = tuple(opened[-_MOST_OPEN:])
                    at += 1
                if item[0] in "([{":
                    opened.append(item.start())
                elif opened:
                    opened.pop()
        return found

    def _code(self) -> Iterator[tuple[int, int]]:
        """The stretches that are neither comments nor texts."""
        at = 0
        for start, end, _ in self.written.spans:
            yield at, start
            at = end
        yield at, len(self.text)

    def between_comments(self) -> Iterator[tuple[int, int]]:
        """The stretches that are no comments."""
        at = 0
        for start, end, is_comment in self.written.spans:
            if is_comment:
                yield at, start
                at = end
        yield at, len(self.text)

    @cached_property
    def heads(self) -> list[tuple[tuple[int, int], int]]:
        """The places of all names of declarations, ascending, with the declarations."""
        rows = enumerate(self.facts.declarations)
        return sorted(((item.name_line, item.name_column), number) for number, item in rows)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(item.end() for item in re.finditer(r"\n", self.text))]

    @cached_property
    def _by_start(self) -> list[tuple[int, tuple[int, int]]]:
        rows = enumerate(self.facts.declarations)
        spans = [(number, (item.start_line, item.end_line)) for number, item in rows]
        return sorted(spans, key=lambda row: (row[1][0], row[0]))

    @cached_property
    def _starts(self) -> list[int]:
        return [row[1][0] for row in self._by_start]
