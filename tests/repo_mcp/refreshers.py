"""Refreshers of repositories that do nothing but let time go by."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.budget import Budget
from tests.repo_mcp.clocks import Clock


class Waiting:
    """A refresher that waits as long as it may; time goes by in steps of a tenth of a second."""

    has_walked = True
    failure = None

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def wait_until_ready(self, budget: Budget) -> None:
        """Do nothing."""

    def rebuild(self, budget: Budget, file: str = "") -> None:
        """Do nothing."""

    def freshen(self) -> None:
        """Do nothing."""

    def index_first(self, paths: Sequence[str], budget: Budget) -> None:
        """Do nothing."""

    def relink(self) -> None:
        """Do nothing."""

    def catch_up(self, budget: Budget) -> bool:
        return not budget.spent

    def wait_until_linked(self, budget: Budget) -> bool:
        while not budget.spent:
            self.clock.advance(0.1)
        return False
