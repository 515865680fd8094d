"""The parts of a review: places that may break, unused declarations, tests, companions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.ask import NEAR

# reads a file of the new side; None where there is none
ReadText = Callable[[str], str | None]
BREAKS: Final = "breaks"
MAY_BREAK: Final = "may break"
MEANS_OTHER: Final = "means another"


class BreakingPlace(NamedTuple):
    """A place that may not do any more what it did, with the edge that leads there."""

    path: str
    line: int
    column: int
    symbol: str  # in which the place is
    verdict: str
    reason: str
    used: str  # the name of the declaration that has changed
    used_path: str  # where that was declared
    kind: str  # calls, references, …
    confidence: str
    text: str


class UnusedDeclaration(NamedTuple):
    """A declaration that the change has taken the last use of."""

    name: str
    kind: str
    path: str
    line: int


class ChosenTest(NamedTuple):
    """A file of tests to run, and those in it that are known to matter; none stand for all.

    They are sure if edges lead from them to the change, and else may run it by other ways.
    """

    path: str
    names: Sequence[str]
    reasons: Sequence[str]
    is_sure: bool
    nearness: int = NEAR


class MissingCompanion(NamedTuple):
    """A file that usually changes with one that has changed, and has not."""

    path: str
    because: str  # the file that has changed
    together: int
    of: int
    last: str  # the day of the last one
