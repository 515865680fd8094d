"""A budget ends with its deadline, to the second, and with whoever has cancelled it."""

from __future__ import annotations

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from tests.repo_mcp.clocks import Clock


def test_it_is_spent_at_its_deadline_and_not_before() -> None:
    clock = Clock()
    budget = Budget(2.0, clock=clock)
    clock.advance(1.75)
    assert (budget.spent, budget.seconds_left) == (False, 0.25)
    clock.advance(0.25)
    assert (budget.spent, budget.seconds_left) == (True, 0.0)
    clock.advance(1.0)
    assert (budget.spent, budget.seconds_left) == (True, 0.0)
    budget.check()  # who has cancelled nothing may finish a step


def test_without_a_deadline_it_is_never_spent() -> None:
    clock = Clock()
    budget = Budget(clock=clock)
    clock.advance(1e9)
    assert (budget.spent, budget.seconds_left) == (False, None)


def test_a_part_of_it_has_its_own_deadline_and_ends_with_the_whole() -> None:
    clock, cancelled = Clock(), False
    budget = Budget(10.0, lambda: cancelled, clock)
    part = budget.within(1.0)
    part.check()
    clock.advance(1.0)
    assert (part.spent, budget.spent) == (True, False)
    cancelled = True
    for item in (budget, part, part.within(5.0)):
        with pytest.raises(Problem) as found:
            item.check()
        assert found.value.code == "cancelled"
