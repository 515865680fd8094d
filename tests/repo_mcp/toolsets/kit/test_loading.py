"""Imports on a thread: a cancelled call does not wait for them."""

from __future__ import annotations

import threading

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.toolsets.kit.loading import load_in_thread
from tests.repo_mcp.trees import FOREVER
from tests.waiting import HANG


def test_what_is_loaded_is_given() -> None:
    assert load_in_thread(lambda: 7, FOREVER) == 7


def test_what_loading_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        load_in_thread(lambda: 1 // 0, FOREVER)


def test_who_is_cancelled_leaves_and_the_loading_goes_on() -> None:
    free, loaded = threading.Event(), threading.Event()

    def load() -> None:
        assert free.wait(HANG)
        loaded.set()

    with pytest.raises(Problem, match="cancelled"):
        load_in_thread(load, Budget(None, lambda: True))
    free.set()
    assert loaded.wait(HANG)
