"""Lines as answers show them, cut into pieces that are coloured or marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.budget import Budget
from repo_mcp.repository import NamePlace, Names
from repo_mcp.web.addresses import link
from repo_mcp.web.highlight import Span, highlight

# kinds of text in which a word that is spelled like a symbol does not name it
_UNNAMED: Final = frozenset({"tc", "ts", "tn", "tk"})
_NO_NAMES: Final[Names] = {}
# columns of a line that are marked
Marks = Callable[[str], Iterable[tuple[int, int]]]


class Piece(NamedTuple):
    """A part of a line with one look."""

    text: str
    style: str
    marked: bool
    # of the page of the symbol that it names
    address: str = ""


class NumberedLine(NamedTuple):
    """A numbered line."""

    number: int
    text: str
    around: bool = False
    # the declaration that it and those after it are in, where that changes
    heading: str = ""
    # no line before it, or not the one before it
    apart: bool = False
    pieces: tuple[Piece, ...] = ()


def no_marks(_: str) -> Iterable[tuple[int, int]]:
    """Marks nothing."""
    return ()


def page_lines(lines: NumberedLines) -> Iterator[NumberedLine]:
    """The lines of an answer, before they are dressed."""
    last = 0
    for line in lines.lines:
        number = line.number
        yield NumberedLine(number, line.text, line.around, line.heading or "", number != last + 1)
        last = number


def dress(
    lines: Sequence[NumberedLine],
    path: str,
    marks: Marks,
    budget: Budget,
    names: Names = _NO_NAMES,
    near: int = 0,
) -> list[NumberedLine]:
    """The lines with their pieces; names that are declared lead to their symbols.

    If there is no time to colour all, those around the one at `near` are coloured.
    """
    coloured = highlight([line.text for line in lines], path, budget, near)
    return [
        line._replace(pieces=tuple(_pieces(line, spans, marks, names.get(line.number, ()))))
        for line, spans in zip(lines, coloured, strict=True)
    ]


def _pieces(
    line: NumberedLine, spans: Sequence[Span], marks: Marks, names: Sequence[NamePlace]
) -> Iterator[Piece]:
    """The text cut wherever a colour, a mark or a name begins or ends."""
    text = line.text
    marked = [] if line.around else sorted(span for span in marks(text) if span[0] < span[1])
    named = {item.column: item for item in names}
    cuts = {0, len(text), *(at for span in spans for at in span[:2])}
    cuts.update(at for mark in marked for at in mark)
    cuts.update(at for item in names for at in (item.column, item.column + len(item.name)))
    ends = sorted(at for at in cuts if 0 <= at <= len(text))
    colours, inside = iter(spans), iter(marked)
    colour, mark = next(colours, None), next(inside, None)
    for start, end in pairwise(ends):
        while colour is not None and colour.end <= start:
            colour = next(colours, None)
        while mark is not None and mark[1] <= start:
            mark = next(inside, None)
        style = colour.style if colour is not None and colour.start <= start else ""
        item = named.get(start)
        address = "" if item is None or end < start + len(item.name) else _address(item, style)
        yield Piece(text[start:end], style, mark is not None and mark[0] <= start, address)


def _address(item: NamePlace, style: str) -> str:
    if item.symbol:
        return link("/symbol", id=item.symbol)
    return "" if style in _UNNAMED else link("/symbol", name=item.name)
