"""The pager at a terminal: less shows a page, waits for a key, and ends with the reader."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.repo_mcp.cli.search.search_process import places
from tests.repo_mcp.cli.typed import typing_at
from tests.repo_mcp.server_process import UNHURRIED
from tests.repo_mcp.trees import FOREVER, served, write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

LINES = 200


@pytest.fixture
def where(tmp_path: Path) -> list[str]:
    text = "".join(f"needle number {number:03}\n" for number in range(LINES))
    root, data = write(tmp_path / "root", {"a.txt": text}), tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    return places(root, data)


def environment(**more: str) -> dict[str, str]:
    plain = {"PATH": os.environ["PATH"], "LESSHISTFILE": "-", "NO_COLOR": "1"}
    return {**plain, **more}


def test_a_long_answer_is_shown_by_pages(where: list[str], tmp_path: Path) -> None:
    if shutil.which("less") is None:
        pytest.skip("less is not installed")
    command = [*UNHURRIED, "search", "-F", "needle", *where]
    with typing_at(command, tmp_path, environment()) as typist:
        typist.type("", r"number 010\r?\n(?s:.*):$")
        typist.type(" ", "number 030")
        typist.type("q", "")
        seen = typist.read_on()
        assert typist.process.wait(HANG) == 0
    assert f"number {LINES - 1}" not in seen


@pytest.mark.parametrize(
    ("more", "given"),
    [({"PAGER": "cat"}, []), ({"REPO_MCP_PAGER": ""}, []), ({}, ["--no-pager"]), ({}, ["-m", "3"])],
    ids=str,
)
def test_all_is_shown_at_once_where_no_pager_is_wanted_or_needed(
    where: list[str], tmp_path: Path, more: dict[str, str], given: list[str]
) -> None:
    command = [*UNHURRIED, "search", "-F", "needle", *given, *where]
    with typing_at(command, tmp_path, environment(**more)) as typist:
        seen = typist.read_on()
        assert typist.process.wait(HANG) == 0
    last = 2 if "-m" in given else LINES - 1
    assert f"number {last:03}" in seen


def test_a_pager_that_is_not_there_is_done_without(where: list[str], tmp_path: Path) -> None:
    command = [*UNHURRIED, "search", "-F", "needle", *where]
    with typing_at(command, tmp_path, environment(PAGER="no-such-pager")) as typist:
        seen = typist.read_on()
    assert f"number {LINES - 1}" in seen
