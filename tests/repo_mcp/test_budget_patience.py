"""A patient budget waits for what is expected within it, and for nothing else."""

from __future__ import annotations

import pytest

from repo_mcp.budget import Budget, PatientBudget
from repo_mcp.errors import Problem
from tests.repo_mcp.clocks import Clock


def patient(clock: Clock, expected: list[float | None], budget: Budget | None = None) -> Budget:
    return PatientBudget(
        budget or Budget(clock=clock), lambda: expected[0], least=1.0, unsure=3.0, most=10.0
    )


@pytest.mark.parametrize(
    ("passed", "expected", "spent"),
    [
        (0.5, 99.0, False),
        (1.0, 99.0, True),
        (1.0, 8.9, False),
        (5.0, 4.9, False),
        (5.0, 5.1, True),
        (2.9, None, False),
        (3.0, None, True),
        (10.0, 0.0, True),
    ],
)
def test_it_lasts_while_the_rest_is_expected_within_it(
    passed: float, expected: float | None, *, spent: bool
) -> None:
    clock = Clock()
    budget = patient(clock, [expected])
    clock.advance(passed)
    assert budget.spent is spent


def test_each_phase_has_time_to_tell_how_long_it_takes() -> None:
    clock, expected = Clock(), list[float | None]([0.5])
    budget = patient(clock, expected)
    clock.advance(3.5)
    assert not budget.spent
    expected[0] = None
    clock.advance(2.9)
    assert not budget.spent
    clock.advance(0.1)
    assert budget.spent


def test_it_is_cancelled_with_the_budget_around_it() -> None:
    clock, gone = Clock(), [False]
    budget = patient(clock, [None], Budget(cancelled=lambda: gone[0], clock=clock))
    budget.check()
    gone[0] = True
    with pytest.raises(Problem, match="cancelled"):
        budget.check()
