"""Days are those of the author's clock, as git shows them, over each face."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from docs.sample_shop import run_command
from repo_mcp.git import Person
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.web.browsing import Browser

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
# a quarter to midnight in California, which is the next day in UTC; committed days later, before
# midnight, too
WRITTEN = "2024-01-31T23:45:00-0800"
COMMITTED = "2024-02-03T23:00:00-0300"
DAY = "2024-01-31"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files that change together three times."""
    monkeypatch.setenv("GIT_AUTHOR_DATE", WRITTEN)
    monkeypatch.setenv("GIT_COMMITTER_DATE", COMMITTED)
    place = tmp_path / "root"
    place.mkdir()
    run_git(place, "init", "-q", "-b", "main")
    for number in range(3):
        write(place, {"a.py": f"one = {number}\n", "b.py": f"two = {number}\n"})
        run_git(place, "add", "-A")
        run_git(place, "commit", "-qm", f"change {number}")
    return place


@pytest.mark.parametrize("zone", ["+0000", "-0800", "+0530", "+1400", "-1200", "+9959"])
@pytest.mark.parametrize("time", [86_400, 1_706_773_500, 1 << 37])
def test_a_day_is_that_of_the_zone(zone: str, time: int, tmp_path: Path) -> None:
    day = Person("x", "x@x", time, zone).day
    run_git(tmp_path, "init", "-q")
    if time < 1 << 32:  # git has others of later ones
        text = f"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor x <x@x> {time} {zone}\n"
        made = f"{text}committer x <x@x> {time} {zone}\n\nx\n"
        (tmp_path / "commit").write_text(made)
        run_git(tmp_path, "write-tree")
        name = run_git(tmp_path, "hash-object", "-t", "commit", "-w", "commit").decode().strip()
        shown = run_git(tmp_path, "log", "-1", "--format=%ad", "--date=format:%Y-%m-%d", name)
        assert day == shown.decode().strip()


def days(answer: Any) -> set[str]:  # noqa: ANN401 JSON
    """The days that an answer has at any depth."""
    if isinstance(answer, list):
        return {day for item in answer for day in days(item)}
    if not isinstance(answer, dict):
        return set()
    own = {str(answer[name]) for name in ("date", "last") if isinstance(answer.get(name), str)}
    return own | {day for item in answer.values() for day in days(item)}


@pytest.mark.parametrize(
    "words",
    [
        ["history"],
        ["history", "a.py"],
        ["history", "a.py", "--lines", "1"],
        ["history", "a.py", "--related"],
        ["history", "--people"],
        ["history", "--rev", "HEAD"],
        ["changes"],
    ],
)
def test_commands_show_the_day_of_the_author(words: list[str], root: Path, tmp_path: Path) -> None:
    if words == ["changes"]:
        write(root, {"a.py": "one = 9\n"})
    given = [*words, "--json", "--data-dir", str(tmp_path / "data")]
    assert days(json.loads(run_command(root, given, piped=True).out)) == {DAY}


def test_tools_and_pages_show_the_day_of_the_author(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data")
    assert days(call.result("repo.history", path="a.py")) == {DAY}
    warnings = call("repo.search", query="one", rev="HEAD")["warnings"]
    assert any(DAY in text for text in map(str, warnings))
    browser = Browser(tmp_path, {})
    assert days(browser.get("/history.json?path=a.py").json) == {DAY}
    assert DAY in browser.get("/history?path=a.py").text


def test_days_that_are_asked_for_are_those_of_the_clock(root: Path, tmp_path: Path) -> None:
    """The committer's, as `git log --since` has it; the last commits of all, and of a file."""
    data = str(tmp_path / "data")
    for path in ([], ["a.py"]):
        for given, count in (
            (["--since", "2024-02-03"], 3),
            (["--since", "2024-02-04"], 0),
            (["--until", "2024-02-02"], 0),
            (["--until", "2024-02-03"], 3),
        ):
            words = ["history", *path, *given, "--json", "--data-dir", data]
            found = json.loads(run_command(root, words, piped=True).out)
            assert len(found.get("commits", ())) == count, words
