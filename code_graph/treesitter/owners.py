"""The innermost declaration around any offset, and its properties."""

from __future__ import annotations

from bisect import bisect_right

from code_graph.facts.model import MODULE
from code_graph.treesitter.language_rules import Draft, Rules
from code_graph.treesitter.matches import PATTERNS, QueryMatches
from code_graph.treesitter.source import Source


class Owners:
    """The innermost declaration around any offset."""

    __slots__ = ("by_number", "numbers", "starts")

    def __init__(self, drafts: list[Draft]) -> None:
        """Divide the text into ranges with one owner; drafts come outer before inner."""
        self.by_number = {draft.number: draft for draft in drafts}
        self.starts = [0]
        self.numbers = [MODULE]
        around: list[Draft] = []
        for draft in drafts:
            self._close(around, draft.start)
            around.append(draft)
            self._begin(draft.start, draft.number)
        self._close(around, 1 << 62)

    def at(self, offset: int) -> int:
        """The owner's number, or MODULE."""
        return self.numbers[bisect_right(self.starts, offset) - 1]

    def of_base(self, rules: Rules, owner: int) -> int:
        """The declaration that a base belongs to: for an embedded field, its parent."""
        if owner == MODULE or self.by_number[owner].kind not in rules.leaves:
            return owner
        parent = self.by_number[owner].parent
        return MODULE if parent is None else parent.number

    def _close(self, around: list[Draft], offset: int) -> None:
        while around and around[-1].end <= offset:
            end = around.pop().end
            self._begin(end, around[-1].number if around else MODULE)

    def _begin(self, offset: int, number: int) -> None:
        self.starts.append(offset)
        self.numbers.append(number)


def add_bases(rules: Rules, matches: QueryMatches, owners: Owners, source: Source) -> None:
    """Add the bases of declarations as they are written."""
    for place in matches.others["extends"]:
        owner = owners.of_base(rules, owners.at(place.position // PATTERNS))
        if owner != MODULE:
            owners.by_number[owner].bases += (source.line_of(place.node),)
