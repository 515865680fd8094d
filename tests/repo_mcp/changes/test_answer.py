"""The answer about a change keeps to its size, and has what matters most."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from repo_mcp.answers import changes as answers
from repo_mcp.answers.records import plain
from repo_mcp.changes import ListPlace, changes_page, changes_result
from repo_mcp.cli.changes.markdown import review_comment
from repo_mcp.cli.changes.sarif import sarif_log
from tests.repo_mcp.changes.reviews import reviewed

pytestmark = pytest.mark.servers
CALLS = "".join(f"def use_{number}():\n    return f(1, {number})\n\n\n" for number in range(60))
FILES = {"a.py": "def f(a, b):\n    return a\n", "b.py": f"from a import f\n\n\n{CALLS}"}
NEW = {"a.py": "def f(a):\n    return a\n"}
SECRET = "AKIA" + "Z7Q2M4X9L1B8C3D5"


def test_an_answer_keeps_to_its_size(tmp_path: Path) -> None:
    review = reviewed(tmp_path, FILES, NEW)
    whole = changes_result(review, 100_000, lambda _: None, with_context=False)
    assert len(whole.breaking) == 60
    for most in (2_000, 8_000, 100_000):
        result = changes_result(review, most, lambda _: None, with_context=False)
        assert sum(len(row) + 1 for row in result.as_text()) < most + 1_000
        assert result.truncated == (len(result.breaking) < 60)
        assert result.breaking[0].verdict == "breaks"


def test_context_has_the_changed_lines_and_those_around_places(tmp_path: Path) -> None:
    review = reviewed(tmp_path, FILES, NEW)
    text = FILES["b.py"]
    result = changes_result(review, 100_000, lambda _: text, with_context=True)
    shown = {(entry.path, row) for entry in result.context for row in entry.text.split("\n")}
    assert {("a.py", "-def f(a, b):"), ("a.py", "+def f(a):")} <= shown
    assert ("b.py", "     return f(1, 7)") in shown


def test_context_beside_lines_that_were_shown_has_the_number_of_its_own_first_line(
    tmp_path: Path,
) -> None:
    review = reviewed(tmp_path, FILES, NEW)
    rows = FILES["b.py"].split("\n")
    result = changes_result(review, 100_000, lambda _: FILES["b.py"], with_context=True)
    shown = [
        (entry.line + number, row[1:])
        for entry in result.context
        if entry.path == "b.py"
        for number, row in enumerate(entry.text.split("\n"))
    ]
    assert len(shown) == len(dict(shown)) > 60
    assert all(rows[line - 1] == row for line, row in shown)


def test_lines_that_look_secret_are_withheld(tmp_path: Path) -> None:
    old = {"a.py": f"KEY = '{SECRET}'\n\n\ndef f(a, b):\n    return a\n", "b.py": FILES["b.py"]}
    review = reviewed(tmp_path, old, NEW)
    result = changes_result(review, 100_000, lambda _: "", with_context=True)
    assert SECRET not in json.dumps(plain(result.context))


def test_a_log_for_scanners_names_each_place(tmp_path: Path) -> None:
    review = reviewed(tmp_path, FILES, NEW)
    result = changes_result(review, 100_000, lambda _: None, with_context=False)
    (run,) = sarif_log(result)["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {item["ruleId"] for item in run["results"]} <= rules
    lines = [
        item["locations"][0]["physicalLocation"]["region"]["startLine"] for item in run["results"]
    ]
    assert lines == [5 + 4 * number for number in range(60)]


def test_a_comment_is_not_ended_by_what_is_in_it(tmp_path: Path) -> None:
    line = "x = f(1, '``` </details>')\n"
    review = reviewed(tmp_path, {**FILES, "b.py": f"from a import f\n\n{line}"}, NEW)
    result = changes_result(review, 100_000, lambda _: None, with_context=False)
    comment = "\n".join(review_comment(result))
    assert "```` x = f(1, '``` </details>') ````" in comment or "````x = f(1" in comment


def test_pages_have_each_entry_once(tmp_path: Path) -> None:
    review = reviewed(tmp_path, FILES, NEW)
    whole = changes_result(review, 100_000, lambda _: "", with_context=True)
    pages: list[answers.ChangesResult] = []
    after: Sequence[ListPlace] = ()
    while not pages or after:
        page = changes_page(review, 600, lambda _: "", after, with_context=True)
        assert page.result.truncated == bool(page.after)
        assert not page.is_other
        assert page.after != after
        pages.append(page.result)
        after = page.after
    assert len(pages) > 3
    for name in ("breaking", "tests", "declarations", "context"):
        found = [entry for page in pages for entry in plain(getattr(page, name))]
        assert found == plain(getattr(whole, name))


def test_a_page_goes_on_behind_the_entry_that_was_shown_last(tmp_path: Path) -> None:
    review = reviewed(tmp_path, FILES, NEW)
    assert review.places is not None
    first = changes_page(review, 2_000, lambda _: None, with_context=False)
    shown = len(first.result.breaking)
    fewer = review._replace(places=review.places[3:])
    second = changes_page(fewer, 2_000, lambda _: None, first.after, with_context=False)
    assert not second.is_other
    assert second.result.breaking[0].line == review.places[shown].line
    gone = review._replace(places=[*review.places[: shown - 1], *review.places[shown:]])
    third = changes_page(gone, 2_000, lambda _: None, first.after, with_context=False)
    assert third.is_other


def test_the_text_names_files_of_tests_that_may_reach_it_in_one_line() -> None:
    sure = [
        answers.TestsEntry(
            path="t/a.py", names=[f"t{at}" for at in range(30)], reasons=["x"], sure=True
        )
    ]
    others = [
        answers.TestsEntry(path=f"t/m{at}.py", names=["t"], reasons=["y"], sure=False)
        for at in range(20)
    ]
    result = answers.ChangesResult(old="a", new="b", files=1, tests=[*sure, *others])
    _, heading, shown, rest = result.as_text()
    assert heading == "tests to run, in 1 file:"
    assert "30 tests" in shown
    assert "27 more" in shown
    assert "20 files" in rest
    assert "t/m11.py, 8 more" in rest
    assert len(plain(result)["tests"]) == 21


def test_tests_that_run_it_along_are_summed_up_by_file() -> None:
    def entry(path: str, nearness: int) -> answers.TestsEntry:
        return answers.TestsEntry(
            path=path, names=["t"], reasons=["x"], sure=True, nearness=nearness
        )

    tests = [entry("t/a.py", 1), entry("t/b.py", 2), *(entry(f"t/c{at}.py", 3) for at in range(14))]
    result = answers.ChangesResult(old="a", new="b", files=1, tests=tests)
    _, heading, one, other, along = result.as_text()
    assert heading == "tests to run, in 2 files:"
    assert (one, other) == ("t/a.py: t (x)", "t/b.py: t (x)")
    assert along.startswith("tests that run it by fixtures or many steps, in 14 files: t/c0.py, ")
    assert "2 more" in along
    result = answers.ChangesResult(old="a", new="b", files=1, tests=tests[2:4])
    assert [*result.as_text()][1:] == [
        "tests to run, in 2 files:",
        "t/c0.py: t (x)",
        "t/c1.py: t (x)",
    ]


def test_each_reader_is_told_its_own_way_to_the_names_of_tests() -> None:
    entry = answers.TestsEntry(path="tests/test_a.py", reasons=["may call it"], sure=False)
    result = answers.ChangesResult(old="a", new="b", files=1, tests=[entry])
    files = "tests that may reach it, in 1 file: tests/test_a.py"
    assert files in [*result.as_text()]
    assert f"{files} (--json)" in [*result.with_way("--json")]
