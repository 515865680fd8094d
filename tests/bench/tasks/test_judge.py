"""Lines of files that an answer or a command has shown, and how right a policy is by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.tasks.judge import (
    Call,
    Task,
    missing,
    printed,
    right,
    shown_by_answer,
    shown_by_rg,
    tables,
    tasks_of,
)
from bench.tasks.policies import MOST_CALLS, by_shell, by_tools
from bench.tasks.words import called_names, constant_parts, is_message

ANSWER = """2 hits for pay
shop/a.py:3-9 in Card.pay (7.1)
3: def pay():
…
9:     return 1
Card.pay: method, shop/b.py:5-6 (python)
5:     def pay(self):
used in code, 1 place:
 shop/till.py
  5 in sell: return Card().pay(price)
calls 1: 6 check (:9)
extended or overridden by 1: Gold.pay (shop/gold.py:4)
a change may reach 2 symbols in 1 file, tests: tests/test_a.py: test_pay 9, test_sell 12
request_id: 1
"""
SHOWN = {("shop/a.py", 3), ("shop/a.py", 9), ("shop/b.py", 5), ("shop/till.py", 5)}
SHOWN |= {("shop/b.py", 9), ("shop/gold.py", 4), ("tests/test_a.py", 9), ("tests/test_a.py", 12)}


def test_an_answer_shows_the_lines_that_it_prints_and_names() -> None:
    assert shown_by_answer(ANSWER) == SHOWN
    assert [*printed(ANSWER)][:2] == [
        ("shop/a.py", "3: def pay():"),
        ("shop/a.py", "9:     return 1"),
    ]


def test_a_command_shows_the_lines_that_it_prints() -> None:
    assert shown_by_rg("a.py:3:x: 1\nb/c.go:12:y\nno line") == {("a.py", 3), ("b/c.go", 12)}


def test_a_task_is_right_by_the_share_of_its_places_and_a_test_by_its_name_too() -> None:
    places = (
        (("a.py", 3), ""),
        (("a.py", 4), ""),
        (("t.py", 7), "test_it"),
        (("t.py", 9), "other"),
    )
    task = Task("r", "tests", "which?", "it", places)
    calls = [
        Call("rg", "a.py:3", frozenset({("a.py", 3)})),
        Call("x", "t.py: test_it 8", frozenset()),
    ]
    assert (right(task, calls[:1]), right(task, calls)) == (0.25, 0.5)
    assert missing(task, calls) == ["a.py:4", "t.py:9"]


def test_the_source_of_a_message_has_a_constant_part_of_it_in_its_case() -> None:
    message = "error: task `a` got 3 arguments but takes at most 2"
    assert constant_parts(message)[0] == "arguments but takes at most"
    assert is_message('E("{n} arguments but takes at most")', message)
    assert not is_message("Takes at Most arguments", message)


def test_called_names_are_those_like_the_question_first() -> None:
    code = "def a(x):\n    other(x)\n    if load_task(x):\n        a(x)"
    assert called_names(code, ["a"], "how is a task loaded?") == ["load_task", "other"]


@pytest.mark.servers
def test_policies_make_at_most_five_calls_and_know_no_place(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "def target():\n    return helper()\n\n\ndef helper():\n    pass\n"
    )
    asked: list[str] = []

    def silent(tool: str, _: object) -> str:
        asked.append(tool)
        return ""

    for task in tasks_of(tables()):
        blind = task._replace(places=())
        calls = by_tools(silent, blind, "Python")
        assert 1 <= len(calls) <= MOST_CALLS
        assert 1 <= len(by_shell(tmp_path, blind, "Python")) <= MOST_CALLS
    assert {"repo.search", "repo.symbol", "repo.build_context_bundle"} <= {*asked}
