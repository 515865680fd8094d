"""Places in rows of text: names of files, alone or with lines, lead to the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.web.addresses import file_link, place_link

_PLACE: Final = re.compile(r"(?P<path>[\w./@+~$=-]*\w)(?P<lines>:\d+(?:-\d+)?)?")
# a line of the file that was named last: its number, and its text or what it is in
_NUMBERED: Final = re.compile(r"(?P<space> *)(?P<number>\d{1,9})(?=[:-](?: |$)| in | \[|, \d)")


class RowPiece(NamedTuple):
    """A part of a row, and the address that it leads to."""

    text: str
    address: str = ""


def link_places(
    rows: Iterable[str], has_file: Callable[[str], bool]
) -> Iterator[tuple[RowPiece, ...]]:
    """The rows, cut where a place begins or ends."""
    path = ""
    for row in rows:
        numbered = _NUMBERED.match(row) if path else None
        name = row.strip()
        if numbered is not None:
            number = numbered["number"]
            address = file_link(path, int(number))
            rest = RowPiece(row[numbered.end() :])
            yield RowPiece(numbered["space"]), RowPiece(number, address), rest
        elif name and has_file(name):
            path = name
            yield (RowPiece(row, file_link(path)),)
        else:
            pieces, path = _pieces(row, has_file, path)
            yield pieces


def _pieces(
    row: str, has_file: Callable[[str], bool], path: str
) -> tuple[tuple[RowPiece, ...], str]:
    """The parts of a row, and the file that it names last, or the `path` before it."""
    pieces: list[RowPiece] = []
    end = 0
    for place in _PLACE.finditer(row):
        name = place["path"]
        if not ("/" in name or "." in name) or not has_file(name):
            continue
        path = name
        address = place_link(place[0]) if place["lines"] else file_link(name)
        pieces += [RowPiece(row[end : place.start()]), RowPiece(place[0], address)]
        end = place.end()
    return (*pieces, RowPiece(row[end:])), path
