"""Which rule is the last to speak of a name, found without asking them one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from repo_mcp.indexing.ignore_parts import Kind, Part


class Named(NamedTuple):
    """A part that decides about names in this folder, by the rule of this number."""

    part: Part
    rule: int


class Names:
    """Tables of texts, and expressions, each with the last rule that has it."""

    __slots__ = ("_beginnings", "_dotted", "_endings", "_exact", "_expressions", "_first", "_last")

    def __init__(self, named: Iterable[Named]) -> None:
        """Sort into tables; the numbers rise."""
        self._exact: dict[str, int] = {}
        self._dotted: dict[str, int] = {}  # `*.o`: by far the most common
        self._beginnings: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        self._expressions: dict[re.Pattern[bytes], tuple[str, int]] = {}
        for part, rule in named:
            if part.expression is not None:
                self._expressions[part.expression] = part.text, rule
            else:
                self._table(part)[part.text] = rule
        self._first = tuple(self._beginnings)
        self._last = tuple(self._endings)

    def _table(self, part: Part) -> dict[str, int]:
        if part.kind is Kind.EXACT:
            return self._exact
        if part.kind is Kind.BEGINNING:
            return self._beginnings
        return self._dotted if part.text.rfind(".") == 0 else self._endings

    def last(self, name: str) -> int:
        """The number of the last rule that speaks of it; -1 when none does."""
        found = self._exact.get(name, -1)
        dotted = self._dotted.get(name[name.rfind(".") :], -1)
        found = max(found, dotted)
        if self._first and name.startswith(self._first):
            found = max(found, *_spoken(self._beginnings, name.startswith))
        if self._last and name.endswith(self._last):
            found = max(found, *_spoken(self._endings, name.endswith))
        for expression, (text, rule) in self._expressions.items():
            if text in name and rule > found and expression.fullmatch(name.encode()):
                found = rule
        return found


def _spoken(table: dict[str, int], says: Callable[[str], bool]) -> list[int]:
    return [rule for text, rule in table.items() if says(text)]
