"""Nests operands by Whoosh's own query parser; loaded for queries with operators or brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from whoosh import query
from whoosh.qparser import FieldsPlugin, GroupPlugin, OperatorsPlugin, QueryParser
from whoosh.qparser.syntax import DisMaxGroup

from repo_mcp.search.query.demands import Demand, every, none_of, of_operand, side_by_side, some
from repo_mcp.search.query.marks import Mark

_OPERATORS: Final = OperatorsPlugin(AndNot=None, AndMaybe=None, Require=None)
# what stands side by side is a group of a kind that no operator makes
_PARSER: Final = QueryParser(
    "", None, plugins=[FieldsPlugin(), GroupPlugin(), _OPERATORS], group=DisMaxGroup
)


def nested(marks: Sequence[Mark]) -> Demand:
    """What well-formed marks demand together: NOT binds first, then AND, then OR."""
    written = [_written(mark, number) for number, mark in enumerate(marks) if mark.kind != "plain"]
    text = " ".join(written)
    return _demand(_PARSER.parse(text, normalize=False), marks)


def _written(mark: Mark, number: int) -> str:
    """A mark in Whoosh's words: an operand by its number, so that what it holds is no syntax."""
    sign = "NOT " if mark.sign == "-" else ""
    if mark.kind == "operand":
        return f"{sign}{number}"
    if mark.kind == "open":
        return f"{sign}{mark.field}:(" if mark.field else f"{sign}("
    return mark.shown


def _demand(node: Any, marks: Sequence[Mark]) -> Demand:  # noqa: ANN401 Whoosh has no types
    if isinstance(node, query.Term):
        number = int(node.text)
        return of_operand(marks[number], number, node.fieldname)
    if isinstance(node, query.Not):
        return none_of(_demand(node.query, marks))
    parts = [_demand(part, marks) for part in node.subqueries]
    if isinstance(node, query.And):
        return every(parts)
    return some(parts) if isinstance(node, query.Or) else side_by_side(parts)
