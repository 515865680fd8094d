"""Finds the declarations of a tree and numbers them in the order in which they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from code_graph.treesitter.language_rules import Draft, Rules
from code_graph.treesitter.matches import QueryMatches, run_query
from code_graph.treesitter.nesting import nest
from code_graph.treesitter.parse import ParsedText
from code_graph.treesitter.plain import PlainDeclarations
from index_format.tuples import NamedTuple

T = TypeVar("T")


class NumberedDeclarations(NamedTuple):
    """The declarations of a tree, once they are nested and numbered."""

    matches: QueryMatches
    # outer ones before inner ones, and in the order of their numbers
    drafts: list[Draft]
    ordered: list[Draft]
    plain: PlainDeclarations
    # for each number where its declaration stands among the ordered and then the plain ones
    places: Sequence[int]

    def names(self) -> Sequence[str]:
        """All names in the order of their numbers."""
        names = [draft.name for draft in self.ordered]
        return self.merge(names, self.plain.names)

    def name_starts(self, rules: Rules) -> set[int]:
        """The offsets of names at which no reference counts, as they are declared there."""
        found = {draft.name_start for draft in self.drafts if draft.kind not in rules.reopening}
        found.update(self.plain.name_starts)
        return found

    def merge(self, drafted: Sequence[T], plain: Sequence[T]) -> Sequence[T]:
        """A column of all declarations from those of both kinds."""
        if not self.plain:
            return drafted
        every = [*drafted, *plain]
        return [every[place] for place in self.places]


def declare(
    parsed: ParsedText, line_starts: Sequence[int], *, as_columns: bool
) -> NumberedDeclarations:
    """The declarations of a tree: plain ones as columns, or all as drafts."""
    rules, grammar, tree, source = parsed
    matches = run_query(grammar, grammar.query, tree)
    if rules.regions is not None:
        matches.add_regions(rules.regions(source.text))
    drafts, plain = nest(rules, matches, source, as_columns=as_columns)
    ordered = sorted(drafts, key=_order)
    places: Sequence[int] = range(len(ordered))
    if plain:
        keys = [(*_order(draft), number) for number, draft in enumerate(ordered)]
        keys += plain.keys(line_starts, len(ordered))
        keys.sort()
        places = [key[-1] for key in keys]
    for number, place in enumerate(places):
        if place < len(ordered):
            ordered[place].number = number
    return NumberedDeclarations(matches, drafts, ordered, plain, places)


def _order(draft: Draft) -> tuple[int, int, str, int]:
    return draft.row, -draft.last_row, draft.name, draft.start
