"""A problem is the same in the process that it is handed to."""

from __future__ import annotations

import pickle

import pytest

from repo_mcp.errors import Problem
from repo_mcp.repository.reading import RangeFault, RangeProblem
from repo_mcp.toolsets.retrieval.errors import RetrievalRefusal
from repo_mcp.toolsets.swiftindex.errors import EMPTY_QUERY, SwiftIndexRefusal


@pytest.mark.parametrize(
    "problem",
    [
        Problem("path_denied", "no detail of the file"),
        Problem("argument_invalid"),
        RangeProblem(RangeFault.BACKWARDS, "line 2 is before line 3"),
        RetrievalRefusal("PATH_DENIED", path="a.py"),
        SwiftIndexRefusal(EMPTY_QUERY),
    ],
)
def test_a_pickled_problem_keeps_its_kind_and_fields(problem: Problem) -> None:
    restored = pickle.loads(pickle.dumps(problem))  # noqa: S301 made here
    assert type(restored) is type(problem)
    assert vars(restored) == vars(problem)
    assert str(restored) == str(problem)
