"""Code is loaded beside a call: who is cancelled does not wait for it."""

from __future__ import annotations

import threading

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.toolsets.kit.loading import beside
from tests.repo_mcp.trees import FOREVER
from tests.waiting import HANG


def test_what_is_loaded_is_given() -> None:
    assert beside(lambda: 7, FOREVER) == 7


def test_what_loading_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        beside(lambda: 1 // 0, FOREVER)


def test_who_is_cancelled_leaves_and_the_loading_goes_on() -> None:
    free, loaded = threading.Event(), threading.Event()

    def load() -> None:
        assert free.wait(HANG)
        loaded.set()

    with pytest.raises(Problem, match="cancelled"):
        beside(load, Budget(None, lambda: True))
    free.set()
    assert loaded.wait(HANG)
