"""Combines the operands of a query into one condition, by operators or by being adjacent."""

from __future__ import annotations

from collections.abc import Sequence

from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.question.syntax.tokens import Token
from repo_mcp.question.syntax.tree import Condition, Filter, all_of, any_of, not_


class Demand(NamedTuple):
    """A condition; without `required` it only counts as an operand of an operator.

    `positive` and `negative` are the numbers of operands outside and under a NOT.
    """

    condition: Condition
    required: bool
    positive: tuple[int, ...]
    negative: tuple[int, ...] = ()


def operand_demand(token: Token, number: int, field: str | None = None) -> Demand:
    """The demand of one operand; `field`, from brackets around it, applies if it has none."""
    leaf = token.leaf
    if leaf is None:
        raise ValueError(token)
    if field and not isinstance(leaf, Filter) and leaf.field is None:
        return Demand(replace(leaf, field=field), required=True, positive=(number,))
    return Demand(leaf, not token.bare or token.sign == "+", (number,))


def combine_adjacent(demands: Sequence[Demand]) -> Demand:
    """Adjacent demands: all required ones; if none is, any of them, and not required."""
    required = [demand.condition for demand in demands if demand.required]
    if required:
        return _together(all_of(required), demands, required=True)
    return _together(any_of(demand.condition for demand in demands), demands, required=False)


def combine_and(demands: Sequence[Demand]) -> Demand:
    """The demands joined by AND."""
    return _together(all_of(demand.condition for demand in demands), demands, required=True)


def combine_or(demands: Sequence[Demand]) -> Demand:
    """The demands joined by OR."""
    return _together(any_of(demand.condition for demand in demands), demands, required=True)


def negate(demand: Demand) -> Demand:
    """The demand under NOT."""
    return Demand(not_(demand.condition), True, demand.negative, demand.positive)  # noqa: FBT003


def _together(condition: Condition, demands: Sequence[Demand], *, required: bool) -> Demand:
    positive = tuple(number for demand in demands for number in demand.positive)
    negative = tuple(number for demand in demands for number in demand.negative)
    return Demand(condition, required, positive, negative)
