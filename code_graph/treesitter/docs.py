"""Finds comments and attributes above declarations: their first lines and documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.treesitter.source import Source
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.treesitter.matches import AnchorMatch

_MARK: Final = re.compile(r"/\*[*!]*<?|//[/!]*<?|#+")
_BLANKS: Final = " \t\r\f"
# a comment for a tool, as in `//go:embed`
_DIRECTIVE: Final = re.compile(r"//[a-z0-9]+:[a-z0-9]")
# characters of one comment
_MAX_COMMENT: Final = 20_000


class _Attachment(NamedTuple):
    first_row: int
    start: int
    end: int
    column: int
    is_comment: bool


_NOTHING: Final[list[_Attachment]] = []


class Above:
    """Comments and attributes directly above rows, if they are alone on their lines."""

    __slots__ = ("_by_last_row", "_known", "_marks", "_source")

    def __init__(
        self,
        source: Source,
        marks: tuple[str, ...],
        comments: Iterable[AnchorMatch],
        attributes: Iterable[AnchorMatch],
    ) -> None:
        """Index comments and attributes by their last row."""
        self._source = source
        self._marks = marks
        self._by_last_row: dict[int, _Attachment] = {}
        self._known: dict[int, list[_Attachment]] = {}
        for places, is_comment in ((comments, True), (attributes, False)):
            for place in places:
                node = place.node
                first_row, column = node.start_point
                last_row, last_column = node.end_point
                # some grammars include the line end in the comment
                last_row -= last_column == 0 and last_row > first_row
                if not is_comment and source.has_code_after(node.end_byte):
                    continue
                self._by_last_row[last_row] = _Attachment(
                    first_row, node.start_byte, node.end_byte, column, is_comment
                )

    def first_row(self, row: int) -> int:
        """The first row of a declaration with the comments and attributes above it."""
        attached = self._above(row)
        return attached[-1].first_row if attached else row

    def doc(self, row: int) -> str:
        """The documentation above a row, without comment marks."""
        if row - 1 not in self._by_last_row:
            return ""
        text, marks = self._source.text, self._marks
        parts = [
            text[item.start : min(item.end, item.start + _MAX_COMMENT)]
            for item in self._above(row)
            if item.is_comment and text.startswith(marks, item.start)
        ]
        return clean(reversed(parts)) if parts else ""

    def first_rows(self, rows: Iterable[int]) -> set[int]:
        """The first rows of declarations."""
        known = self._by_last_row
        return {self.first_row(row) if row - 1 in known else row for row in rows}

    def numbers_below(self, rows: Sequence[int], begin: int, end: int) -> list[int]:
        """The numbers of the rows with a comment or attribute above, in order."""
        known = self._by_last_row
        return [number for number in range(begin, end) if rows[number] - 1 in known]

    def _above(self, row: int) -> list[_Attachment]:
        """The attachments above a row, nearest first."""
        by_last_row, source = self._by_last_row, self._source
        if row - 1 not in by_last_row:
            return _NOTHING
        found = self._known.get(row)
        if found is None:
            found = self._known[row] = []
            while (item := by_last_row.get(row - 1)) is not None:
                if not source.is_first_on_line(item.start, item.column):
                    break
                found.append(item)
                row = item.first_row
        return found


def clean(comments: Iterable[str]) -> str:
    """The text of comments without comment marks."""
    lines: list[str] = []
    for comment in comments:
        if not _DIRECTIVE.match(comment):
            rows = comment.rstrip()
            if rows.endswith("*/"):
                rows = rows[:-2].rstrip("*").rstrip()
            lines.extend(map(_remove_marks, rows.split("\n")))
    return "\n".join(lines).strip("\n")


def _remove_marks(row: str) -> str:
    row = row.strip(_BLANKS)
    if row.startswith("*"):
        row = row[1:]
    elif row.startswith(("/", "#")):
        row = _MARK.sub("", row, count=1)
    return row[1:] if row.startswith((" ", "\t")) else row
