"""Pages of ranked hits: the cursor holds a hash of each hit that was shown.

Where the index has changed since, other hits may come up, but nothing is shown twice.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any, Final, Protocol, TypeVar

from index_format.blake2 import blake2b
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.cursors import CHANGED, decode_cursor, encode_cursor

# bytes and characters of a shown hit's hash in a cursor
_MARK_BYTES: Final = 3
_MARK: Final = 4
# the most hits of all pages of one query
DEEPEST: Final = 200


class Placed(Protocol):
    """A row that is shown, with its place."""

    @property
    def path(self) -> str:
        """The file."""

    @property
    def start_line(self) -> int:
        """The first line."""


Row = TypeVar("Row", bound=Placed)


class SeenHits(NamedTuple):
    """The hits that earlier pages have shown, and the arguments that they belong to."""

    marks: list[str]
    key: list[Any]

    @classmethod
    def of_cursor(
        cls, cursor: str | None, key: list[Any], generation: int, warnings: list[AnswerWarning]
    ) -> SeenHits:
        """The hits that a cursor tells of; without one, nothing was shown."""
        if not cursor:
            return cls([], key)
        position = decode_cursor(cursor, key, str)
        marks = position.place[0]
        if len(marks) % _MARK or len(marks) > _MARK * DEEPEST:
            raise Problem(
                "argument_invalid", "the cursor was not issued by this server: leave it out"
            )
        if position.generation != generation:
            warnings.append(CHANGED)
        return cls([marks[at : at + _MARK] for at in range(0, len(marks), _MARK)], key)

    def unseen(self, rows: Iterable[Row]) -> list[Row]:
        """The rows that were not shown, in their order."""
        seen = set(self.marks)
        return [row for row in rows if not seen or _mark(row) not in seen]

    def cursor_after(self, shown: Iterable[Placed], generation: int) -> str:
        """The cursor of the page after these rows; empty after the deepest one."""
        marks = [*self.marks, *map(_mark, shown)]
        if len(marks) >= DEEPEST:
            return ""
        return encode_cursor(self.key, generation, ["".join(marks)])


def cursor_size(count: int) -> int:
    """The bytes that a cursor after so many hits takes."""
    return _MARK * count * 4 // 3


def _mark(row: Placed) -> str:
    name = f"{row.path}\0{row.start_line}".encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(blake2b(name, digest_size=_MARK_BYTES).digest()).decode()
