"""Declarations that are a node with a name and nothing else, as columns: most of a header."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from code_graph.facts.columns import NO_MODIFIERS, DeclarationColumns, Trait
from code_graph.facts.model import MODULE
from code_graph.treesitter.docs import Above
from code_graph.treesitter.language_rules import (
    Draft,
    Rules,
    is_inside_function,
    scope_inside,
)
from code_graph.treesitter.matches import PATTERNS, AnchorMatch
from code_graph.treesitter.source import LONGEST_LINE
from index_format.tuples import NamedTuple

# captures of a match that has no others
_ANCHOR_AND_NAME: Final = 2
_NOWHERE: Final = 1 << 62


class _Block(NamedTuple):
    """Neighbours with the same declaration and control flow around them."""

    begin: int
    end: int
    holder: Draft | None
    context: str
    is_conditional: bool


class PlainDeclarations:
    """Declarations in the order of the text, of kinds that `Rules.plain` has."""

    __slots__ = (
        "_blocks", "_last_rows", "_odd", "_rows", "ends", "kinds", "name_starts", "names",
        "places", "starts",
    )  # fmt: skip

    def __init__(
        self, places: Sequence[AnchorMatch], imports: Iterable[AnchorMatch], text: str
    ) -> None:
        """Take the matches of declarations and imports, in order."""
        nodes = [place.captures["name"][0] for place in places]
        self.places = places
        self.kinds = [place.label for place in places]
        self.starts = [place.position // PATTERNS for place in places]
        self.ends = [place.node.end_byte for place in places]
        self.name_starts = [node.start_byte for node in nodes]
        ends = [node.end_byte for node in nodes]
        self.names = [text[begin:end] for begin, end in zip(self.name_starts, ends, strict=True)]
        self._odd = [*self._find_odd(imports), len(places)] if places else []
        self._blocks: list[_Block] = []
        self._rows: list[int] = []
        self._last_rows: list[int] = []

    def __len__(self) -> int:
        """Count of declarations."""
        return len(self.names)

    def _find_odd(self, imports: Iterable[AnchorMatch]) -> list[int]:
        """The numbers of declarations that hold another or an import, or have no plain name."""
        starts, ends = self.starts, self.ends
        rows = enumerate(zip(ends, [*starts[1:], _NOWHERE], self.names, strict=True))
        odd = {
            number
            for number, (end, after, name) in rows
            if end > after or not name.isidentifier() or len(name) > LONGEST_LINE
        }
        for place in imports:
            start = place.position // PATTERNS
            number = bisect_right(starts, start) - 1
            if number >= 0 and start < ends[number]:
                odd.add(number)
        return sorted(odd)

    def before(self, first: int, start: int, end: int) -> int:
        """The number after the declarations that begin before or around a range of text."""
        starts = self.starts
        number = bisect_left(starts, start, first)
        if number < len(starts) and starts[number] == start and self.ends[number] > end:
            number += 1
        return number

    def plain_until(self, first: int, last: int, start: int, end: int) -> int:
        """The number after the plain ones from `first` on that begin before `end`.

        None of them is `last` or higher, and none holds what begins at `start`.
        """
        odd = self._odd[bisect_left(self._odd, first)]
        return bisect_left(self.starts, end, first, min(odd, last - (self.ends[last - 1] > start)))

    def add(
        self,
        begin: int,
        end: int,
        holder: Draft | None,
        context: str,
        is_conditional: bool,  # noqa: FBT001 a column
    ) -> None:
        """Declare those between two numbers."""
        self._blocks.append(_Block(begin, end, holder, context, is_conditional))

    def finish(self) -> None:
        """Leave out declarations that were not added."""
        blocks = self._blocks
        if sum(block.end - block.begin for block in blocks) == len(self):
            return
        for name in ("kinds", "starts", "ends", "name_starts", "names"):
            column = getattr(self, name)
            kept = chain.from_iterable(column[block.begin : block.end] for block in blocks)
            setattr(self, name, [*kept])
        done = 0
        for number, block in enumerate(blocks):
            begin, done = done, done + block.end - block.begin
            blocks[number] = block._replace(begin=begin, end=done)

    def keys(
        self, line_starts: Sequence[int], first: int
    ) -> Iterator[tuple[int, int, str, int, int]]:
        """The keys that order declarations, with numbers from `first` on."""
        self._rows = rows = [bisect_right(line_starts, start) - 1 for start in self.starts]
        # a node that includes the line end is none of the next line
        self._last_rows = [
            row if end <= line_starts[row + 1] else _last_row(line_starts, end)
            for row, end in zip(rows, self.ends, strict=True)
        ]
        last = [-row for row in self._last_rows]
        numbers = range(first, first + len(self))
        return zip(rows, last, self.names, self.starts, numbers, strict=True)

    def columns(
        self,
        rules: Rules,
        above: Above,
        line_starts: Sequence[int],
        head: Callable[[int, int], str],
    ) -> DeclarationColumns:
        """The columns of the declarations; `head` gives the signature of one."""
        rows, count = self._rows, len(self)
        traits: list[Trait] = []
        parents: list[int] = []
        contexts: list[str] = []
        docs = [""] * count
        for begin, end, holder, context, is_conditional in self._blocks:
            scope = scope_inside(rules, holder)
            kinds = self.kinds[begin:end]
            shared = {kind: (kind, scope, is_conditional, "", NO_MODIFIERS) for kind in {*kinds}}
            traits += map(shared.__getitem__, kinds)
            parents += [MODULE if holder is None else holder.number] * (end - begin)
            contexts += [context] * (end - begin)
            # comments above the first line of what is around are not those of a declaration in it
            first = begin if holder is None else bisect_right(rows, holder.row, begin, end)
            for number in above.numbers_below(rows, first, end):
                docs[number] = above.doc(rows[number])
        name_rows = [
            row if start < line_starts[row + 1] else bisect_right(line_starts, start) - 1
            for row, start in zip(rows, self.name_starts, strict=True)
        ]
        name_lines = [line_starts[row] for row in name_rows]
        return DeclarationColumns(
            traits,
            self.names,
            [row + 1 for row in rows],
            [row + 1 for row in self._last_rows],
            [row + 1 for row in name_rows],
            [*map(int.__sub__, self.name_starts, name_lines)],
            parents,
            [*map(head, self.starts, self.ends)],
            docs,
            contexts,
            [()] * count,
            [""] * count,
            [0] * count,
            [""] * count,
        )

    def unit_rows(self, rules: Rules, line_starts: Sequence[int]) -> Iterator[int]:
        """The rows of declarations that begin units, as `_cuts` gives them of others."""
        for begin, end, holder, _, _ in self._blocks:
            if is_inside_function(rules, holder, self.starts[begin]):
                continue
            for number in range(begin, end):
                row = self._rows[number]
                if self.kinds[number] not in rules.small or self.starts[number] == line_starts[row]:
                    yield row


def take_plain(
    kinds: frozenset[str], declarations: list[AnchorMatch]
) -> tuple[list[AnchorMatch], list[AnchorMatch]]:
    """The matches that may be plain declarations of these kinds, and the others."""
    if not kinds:
        return [], [*declarations]
    plain: list[AnchorMatch] = []
    others: list[AnchorMatch] = []
    for place in declarations:
        is_plain = place.label in kinds and len(place.captures) == _ANCHOR_AND_NAME
        (plain if is_plain else others).append(place)
    return plain, others


def _last_row(line_starts: Sequence[int], end: int) -> int:
    row = bisect_right(line_starts, end) - 1
    return row - (line_starts[row] == end)
