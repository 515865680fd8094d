"""Reports of coverage say which tests have run changed lines, and which new lines none has."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from repo_mcp.changes import ChangeQuestion, ChangeReview
from repo_mcp.changes.covered_lines import CoveredFile, parse_context, read_coverage
from repo_mcp.errors import Problem
from tests.repo_mcp.changes.reviews import Reviewed, commit, reviewed
from tests.repo_mcp.trees import write

JSON = json.dumps(
    {
        "meta": {},
        "files": {
            "a.py": {
                "executed_lines": [1, 2],
                "missing_lines": [3],
                "contexts": {"1": [""], "2": ["tests/test_a.py::test_f[1]|run", ""]},
            }
        },
    }
)
LCOV = "TN:\nSF:a.py\nDA:1,1\nDA:2,4\nDA:3,0\nend_of_record\n"
GO = "mode: set\nexample.org/m/a.py:1.1,2.10 2 1\nexample.org/m/a.py:3.1,3.9 1 0\n"
ISTANBUL = json.dumps(
    {
        "/work/a.py": {
            "statementMap": {
                "0": {"start": {"line": 1, "column": 0}, "end": {"line": 2, "column": 1}},
                "1": {"start": {"line": 3, "column": 0}, "end": {"line": 3, "column": 1}},
            },
            "s": {"0": 2, "1": 0},
        }
    }
)
JACOCO = (
    '<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">'
    '<report name="x"><package name=""><sourcefile name="a.py">'
    '<line nr="1" mi="0" ci="2"/><line nr="2" mi="0" ci="1"/><line nr="3" mi="1" ci="0"/>'
    "</sourcefile></package></report>"
)


@pytest.mark.parametrize("text", [JSON, LCOV, GO, ISTANBUL, JACOCO])
def test_all_forms_say_the_same(text: str) -> None:
    found = read_coverage(text, lambda name: "a.py" if name.endswith("a.py") else "")
    assert {path: (set(item.run), set(item.missed)) for path, item in found.items()} == {
        "a.py": ({1, 2}, {3})
    }


def test_tests_are_known_of_contexts() -> None:
    (file,) = read_coverage(JSON, str).values()
    assert file == CoveredFile(
        {1: frozenset(), 2: frozenset({"tests/test_a.py::test_f[1]|run"})}, frozenset({3})
    )
    assert parse_context("tests/test_a.py::TestA::test_f[1]|run") == (
        "tests/test_a.py",
        "TestA.test_f",
    )
    assert parse_context("something") == ("", "something")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "{",
        "{}x",
        '{"files": {"a": 1}}',
        '{"a": {"s": {}}}',
        "mode",
        "<report",
        '<!DOCTYPE report [<!ENTITY a "b">]><report>&a;</report>',
        "SF:a\nDA:x,y\n",
        "[" * 100_000,
        '{"files":' * 50_000,
    ],
)
def test_what_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(Problem) as refused:
        read_coverage(text, str)
    assert refused.value.code == "argument_invalid"


OLD = {
    ".gitignore": "coverage.json\n",
    "a.py": "def f(x):\n    y = x\n    return y\n\n\ndef g():\n    return 1\n",
    "tests/test_a.py": "def test_f():\n    run('f')\n\n\ndef test_g():\n    run('g')\n",
}


def report(lines: dict[str, list[str]], missing: list[int]) -> str:
    executed = sorted(int(line) for line in lines)
    file = {"executed_lines": executed, "missing_lines": missing, "contexts": lines}
    return json.dumps({"files": {"a.py": file}})


@pytest.mark.servers
def test_tests_that_have_run_changed_lines_come_first(tmp_path: Path) -> None:
    covered = report(
        {"2": ["tests/test_a.py::test_f|run"], "7": ["tests/test_a.py::test_g|run"]}, []
    )
    # the report is of before the change
    new = {"coverage.json": covered, "a.py": OLD["a.py"].replace("return 1", "return 2")}
    review = reviewed(tmp_path, OLD, new)
    (chosen,) = [item for item in review.tests if item.path == "tests/test_a.py"]
    assert list(chosen.names)[:1] == ["test_g"]
    assert chosen.reasons[0] == "it has run changed lines"


@pytest.mark.servers
def test_new_lines_that_no_test_has_run_are_named(tmp_path: Path) -> None:
    new = OLD["a.py"].replace("    y = x\n", "    y = x\n    z = 1\n    w = 2\n")
    written = {"a.py": new, "c.json": report({"2": [""]}, [3, 4])}
    review = reviewed(tmp_path, OLD, written, ChangeQuestion(coverage="c.json"))
    assert list(review.uncovered) == ["a.py:3-4"]


@pytest.mark.servers
def test_a_report_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Problem) as refused:
        reviewed(tmp_path, OLD, {}, ChangeQuestion(coverage="none.json"))
    assert refused.value.code == "not_found"


def reviewed_behind_a_run(folder: Path, covered: str, new: str) -> ChangeReview:
    """The review of a change of `a.py` that was made when tests had been run."""
    root = folder / "root"
    commit(root, OLD)
    write(root, {"c.json": covered, "a.py": new})
    os.utime(root / "c.json", (1, 1))
    opened = Reviewed(root, folder / "data")
    try:
        return opened.review(ChangeQuestion(coverage="c.json"))
    finally:
        opened.close()


@pytest.mark.servers
def test_a_run_of_before_the_change_says_nothing_of_new_lines(tmp_path: Path) -> None:
    covered = report({"2": ["tests/test_a.py::test_f|run"]}, [7])
    new = OLD["a.py"].replace("return 1", "return 2")
    assert list(reviewed_behind_a_run(tmp_path, covered, new).uncovered) == []


@pytest.mark.servers
def test_tests_that_have_run_the_line_before_new_ones_come_first(tmp_path: Path) -> None:
    covered = report({"2": ["tests/test_a.py::test_g|run"]}, [])
    new = OLD["a.py"].replace("    y = x\n", "    y = x\n    z = 1\n")
    review = reviewed_behind_a_run(tmp_path, covered, new)
    (chosen,) = [item for item in review.tests if item.path == "tests/test_a.py"]
    assert list(chosen.names)[:1] == ["test_g"]
