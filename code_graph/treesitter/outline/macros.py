"""Facts of macros that were left out of a parsed text: what the query would find, without a tree.

A macro between declarations has nothing around it but conditional compilation, and nothing inside.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from code_graph.facts.model import MODULE, Declaration
from code_graph.treesitter.docs import Above
from code_graph.treesitter.language_rules import AFTER_A_HEAD, Draft, Rules
from code_graph.treesitter.matches import QueryMatches
from code_graph.treesitter.nesting import joined_path
from code_graph.treesitter.outline import bodies
from code_graph.treesitter.outline.bodies import MACRO, OutlineText
from code_graph.treesitter.source import MAX_SOURCE, Source, one_line
from index_format.tuples import NamedTuple

T = TypeVar("T")

_KIND: Final = "macro"
_NO_MODIFIERS: Final = frozenset[str]()


class _Branch(NamedTuple):
    """Conditional compilation that is open at a place, and the path of all that is."""

    end: int
    path: str


_NONE: Final = _Branch(1 << 62, "")


class PlainMacros:
    """The macros of an outline, in their order, and where they stand among other declarations."""

    def __init__(self, outline: OutlineText) -> None:
        """Take the macros that an outline was left without."""
        self._outline = outline
        self._values = outline.macros
        self._rows = self._values[bodies.ROW :: MACRO]
        # for each declaration, how many macros are before it
        self._before: list[int] = []

    def __len__(self) -> int:
        """Count of macros."""
        return len(self._rows)

    @property
    def names(self) -> list[str]:
        """Their names."""
        text = self._outline.whole
        spans = zip(
            self._values[bodies.NAME :: MACRO], self._values[bodies.NAME_END :: MACRO], strict=True
        )
        return [one_line(text[begin:end]) for begin, end in spans]

    def number(self, ordered: Sequence[Draft]) -> None:
        """Number these declarations, which are in order, with the macros among them."""
        rows = self._rows
        self._before = [bisect_left(rows, draft.row) for draft in ordered] if rows else []
        for number, draft in enumerate(ordered):
            draft.number = number + (self._before[number] if rows else 0)

    def merge(self, declared: Iterable[T], macros: list[T]) -> list[T]:
        """Items of declarations and of macros, in the order of their numbers."""
        if not macros:
            return [*declared]
        found: list[T] = []
        done = 0
        for item, before in zip(declared, self._before, strict=True):
            if before > done:
                found += macros[done:before]
                done = before
            found.append(item)
        return found + macros[done:]

    def name_starts(self) -> Iterator[tuple[int, int]]:
        """The offset of each name in the whole text, and the number of its macro."""
        taken = {number + before for number, before in enumerate(self._before)}
        count = len(self) + len(self._before)
        free = (number for number in range(count) if number not in taken)
        return zip(self._values[bodies.NAME :: MACRO], free, strict=False)

    def declarations(
        self, rules: Rules, matches: QueryMatches, source: Source, above: Above
    ) -> list[Declaration]:
        """The macros as declarations."""
        if not self._rows:
            return []
        text, values = self._outline.whole, self._values
        columns = (values[at::MACRO] for at in range(bodies.MARKED))
        branches = _branches(rules, matches, source, self._outline.macro_offsets())
        doc = above.doc
        found: list[Declaration] = []
        for row, more, start, stop, name, name_end, end, arguments, branch in zip(
            *columns, branches, strict=True
        ):
            line = text.rfind("\n", 0, start) + 1
            head = text[start : min(stop + 1, start + MAX_SOURCE)]
            path = branch.path
            found.append(
                Declaration(
                    _KIND,
                    one_line(text[name:name_end]),
                    row + 1,
                    row + more + 1,
                    row + 1,
                    name - line,
                    MODULE,
                    one_line(head.rstrip(AFTER_A_HEAD)),
                    doc(row),
                    "module",
                    bool(path),
                    path,
                    "",
                    _NO_MODIFIERS,
                    (),
                    one_line(text[name_end:end]) if end > name_end else "",
                    arguments,
                )
            )
        return found

    def first_rows(self, above: Above) -> Iterator[int]:
        """The rows at which units begin: of macros whose mark begins its line."""
        text, rows = self._outline.whole, self._rows
        for row, start in zip(rows, self._values[bodies.START :: MACRO], strict=True):
            if not start or text[start - 1] == "\n":
                yield above.first_row(row)


def _branches(
    rules: Rules, matches: QueryMatches, source: Source, offsets: Sequence[int]
) -> list[_Branch]:
    """The conditional compilation around each of these offsets."""
    open_ones = [_NONE]
    found: list[_Branch] = []

    def add_until(last: int) -> None:
        while len(found) < last:
            while open_ones[-1].end <= offsets[len(found)]:
                open_ones.pop()
            until = bisect_left(offsets, open_ones[-1].end, len(found), last)
            found.extend([open_ones[-1]] * (until - len(found)))

    for place in matches.others["flow"]:
        start, end = place.node.start_byte, place.node.end_byte
        first = bisect_left(offsets, start)
        if bisect_left(offsets, end, first) == first:
            continue
        label = rules.flow(place.label, place.captures, source)
        if label:
            add_until(first)
            while open_ones[-1].end <= start:
                open_ones.pop()
            around = open_ones[-1]
            open_ones.append(_Branch(min(end, around.end), joined_path(around.path, label)))
    add_until(len(offsets))
    return found
