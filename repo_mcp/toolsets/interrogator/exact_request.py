"""The request for a page of matching lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, Final

from index_format.records import Record
from repo_mcp.question.syntax.tree import Filter
from repo_mcp.repository import OpenIndex
from repo_mcp.search import ExactQuery, FileCount
from repo_mcp.stored import paths_declaring
from repo_mcp.toolsets.interrogator.line_order import FileOrder, LinePlace

# the argument `show`: files instead of lines, lines below their declarations, or these
LINES: Final = "lines"
FILES: Final = "files"
SYMBOLS: Final = "symbols"
# a name in a query, and what is none in an expression
_NAME: Final = re.compile(r"[^\W\d]\w*")
_ESCAPES: Final = re.compile(r"\\.")
# a name that more passages declare says little of where it is looked for
_MOST_DECLARING: Final = 100


class PageStart(Record):
    """The last line of earlier pages.

    Pages are of the files after one and up to another: where more match than are counted, those
    that are come first.
    """

    after: str = ""
    last: str = ""
    place: LinePlace = LinePlace()

    @property
    def values(self) -> list[Any]:
        """Its values, as a cursor holds them."""
        return [self.after, self.last, *self.place]


class PageRequest(Record):
    """The requested page."""

    query: ExactQuery
    cursor_key: list[Any]
    start: PageStart
    top_k: int
    # whether the caller gives that number
    is_limited: bool
    page: int
    show: str
    # lines around each
    around: int
    # filters of the paths, and a folder that has all that match
    filters: tuple[Filter, ...]
    folder: str
    # the folder below which folders are counted
    facets_below: str | None

    @property
    def is_first(self) -> bool:
        """True if this is the first page."""
        return self.start == PageStart()

    def order(self, counts: Iterable[FileCount], index: OpenIndex) -> FileOrder:
        """The order of the lines of these files."""
        return FileOrder(counts, self.query.rank or (lambda _: 0), self._declaring(index))

    def _declaring(self, index: OpenIndex) -> Collection[str]:
        """The files that declare the name in the query, if it has one and no other."""
        text = self.query.patterns[0]
        words = _NAME.findall(_ESCAPES.sub(" ", text) if self.query.regex else text)
        if len(words) != 1 or index.snapshot is None:
            return ()
        return paths_declaring(index.snapshot, words[0], _MOST_DECLARING)
