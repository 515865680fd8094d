"""A copier waits for a pause in the questions, but not for ever."""

from __future__ import annotations

import threading

from repo_mcp.remote.objects.priority import RangePriority
from tests.waiting import HANG


def test_a_copier_waits_for_nobody_who_does_not_ask() -> None:
    turns = RangePriority(most_seconds=HANG)
    turns.wait()
    with turns.copying(), turns.asking():
        turns.wait()


def test_a_copier_waits_until_a_question_has_its_answer() -> None:
    turns, done = RangePriority(most_seconds=HANG), threading.Event()

    def copy() -> None:
        turns.wait()
        done.set()

    with turns.asking():
        copier = threading.Thread(target=copy)
        copier.start()
        assert not done.is_set()
    assert done.wait(HANG)
    copier.join()


def test_questions_that_never_end_do_not_stop_a_copier() -> None:
    turns = RangePriority(most_seconds=0.01)
    with turns.asking():
        turns.wait()


def test_a_pause_is_longer_than_what_is_between_two_requests_of_a_question() -> None:
    seconds = iter([0.0, 10.0, 10.0, 10.0, 10.1, 10.4, 10.4, 10.4])
    turns = RangePriority(clock=lambda: next(seconds))
    with turns.asking():
        pass  # ends at 10
    turns.wait()
    assert next(seconds) >= 10.3
