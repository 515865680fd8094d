"""What operands demand, alone, side by side and under operators; and which of them are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from repo_mcp.search.query.marks import Mark
from repo_mcp.search.query.tree import Condition, Filter, all_of, any_of, not_


class Demand(NamedTuple):
    """A condition; `required` says whether it holds of itself or only where an operator asks.

    `wanted` are the numbers of the operands that a hit is to hold, `unwanted` of the others.
    """

    condition: Condition
    required: bool
    wanted: tuple[int, ...]
    unwanted: tuple[int, ...] = ()


def of_operand(mark: Mark, number: int, field: str | None = None) -> Demand:
    """What one operand demands; a field before the brackets around it holds where it has none."""
    leaf = mark.leaf
    if leaf is None:
        raise ValueError(mark)
    if field and not isinstance(leaf, Filter) and leaf.field is None:
        return Demand(replace(leaf, field=field), required=True, wanted=(number,))
    return Demand(leaf, not mark.bare or mark.sign == "+", (number,))


def side_by_side(demands: Sequence[Demand]) -> Demand:
    """What is required of itself; if nothing is, then one of them, where an operator asks."""
    required = [demand.condition for demand in demands if demand.required]
    if required:
        return _together(all_of(required), demands, required=True)
    return _together(any_of(demand.condition for demand in demands), demands, required=False)


def every(demands: Sequence[Demand]) -> Demand:
    """All of them, by an operator."""
    return _together(all_of(demand.condition for demand in demands), demands, required=True)


def some(demands: Sequence[Demand]) -> Demand:
    """One of them, by an operator."""
    return _together(any_of(demand.condition for demand in demands), demands, required=True)


def none_of(demand: Demand) -> Demand:
    """The contrary."""
    return Demand(not_(demand.condition), True, demand.unwanted, demand.wanted)  # noqa: FBT003


def _together(condition: Condition, demands: Sequence[Demand], *, required: bool) -> Demand:
    wanted = tuple(number for demand in demands for number in demand.wanted)
    unwanted = tuple(number for demand in demands for number in demand.unwanted)
    return Demand(condition, required, wanted, unwanted)
