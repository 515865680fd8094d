"""Nests operands with Whoosh's query parser; loaded for queries with operators or brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from whoosh import query
from whoosh.qparser import FieldsPlugin, GroupPlugin, OperatorsPlugin, QueryParser
from whoosh.qparser.syntax import DisMaxGroup

from repo_mcp.question.syntax.demands import (
    Demand,
    combine_adjacent,
    combine_and,
    combine_or,
    negate,
    operand_demand,
)
from repo_mcp.question.syntax.tokens import Token

_OPERATORS: Final = OperatorsPlugin(AndNot=None, AndMaybe=None, Require=None)
# adjacent operands get a group type that no operator produces
_PARSER: Final = QueryParser(
    "", None, plugins=[FieldsPlugin(), GroupPlugin(), _OPERATORS], group=DisMaxGroup
)


def parse_nested(tokens: Sequence[Token]) -> Demand:
    """The demand of well-formed tokens: NOT binds first, then AND, then OR."""
    written = [
        _to_whoosh(token, number) for number, token in enumerate(tokens) if token.kind != "plain"
    ]
    text = " ".join(written)
    return _demand(_PARSER.parse(text, normalize=False), tokens)


def _to_whoosh(token: Token, number: int) -> str:
    """A token in Whoosh's syntax; an operand is its number, so that its text is not parsed."""
    sign = "NOT " if token.sign == "-" else ""
    if token.kind == "operand":
        return f"{sign}{number}"
    if token.kind == "open":
        return f"{sign}{token.field}:(" if token.field else f"{sign}("
    return token.raw


def _demand(node: Any, tokens: Sequence[Token]) -> Demand:  # noqa: ANN401 Whoosh has no types
    if isinstance(node, query.Term):
        number = int(node.text)
        return operand_demand(tokens[number], number, node.fieldname)
    if isinstance(node, query.Not):
        return negate(_demand(node.query, tokens))
    parts = [_demand(part, tokens) for part in node.subqueries]
    if isinstance(node, query.And):
        return combine_and(parts)
    return combine_or(parts) if isinstance(node, query.Or) else combine_adjacent(parts)
