"""The numbers that facts have in their text, by which symbolic code refers to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

from code_graph.facts.model import FULL, PARTIAL, Facts
from code_graph.treesitter.language_rules import Rules
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_LINE_FEED: Final = 10
_PLUS_ONE: Final = (1).__add__


class ImportNumbers(NamedTuple):
    """The numbers of imports by the place of the statement and the bound name."""

    numbers: Mapping[tuple[int, str], int]
    # the place of a statement: its offset, or its line
    place_of: Callable[[Node], int]


class FactNumbers(NamedTuple):
    """The numbers that facts have in a text, and how many there are of both.

    Of declarations by the offsets of their names.
    """

    declared: Mapping[int, int]
    imported: ImportNumbers
    declarations: int
    imports: int


def numbers_of(rules: Rules, facts: Facts, text: str) -> FactNumbers | None:
    """The numbers that facts of these rules have in their text; None if they do not tell them.

    Two imports of a line must bind different names.
    """
    if facts.language != rules.name or facts.status not in {FULL, PARTIAL}:
        return None
    starts = line_starts_of(text)
    declared: dict[int, int] = {}
    for number, item in enumerate(facts.declarations):
        declared.setdefault(starts[item.name_line - 1] + item.name_column, number)
    imported: dict[tuple[int, str], int] = {}
    for number, given in enumerate(facts.imports):
        if given.module and imported.setdefault((given.line, given.alias), number) != number:
            return None
    numbers = ImportNumbers(imported, _line_of)
    return FactNumbers(declared, numbers, len(facts.declarations), len(facts.imports))


def _line_of(node: Node) -> int:
    return node.start_point[0] + 1


def line_starts_of(text: str) -> list[int]:
    """The offsets of all lines, and the end."""
    if not text.isascii():
        return list(accumulate(map(_PLUS_ONE, map(len, text.split("\n"))), initial=0))
    data = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    return [0, *((data == _LINE_FEED).nonzero()[0] + 1).tolist(), len(text) + 1]
