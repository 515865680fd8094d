"""Pages of the history of several roots: all commits once, in one order, whatever a page has."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.workspace.workspaces import call, roots_of, serve

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

NAMES = {"lib": "lib", "web": "web", "few": "few"}
COUNTS = {"lib": 23, "web": 17, "few": 1}
_BEGIN = 1_700_000_000
_DAY = 86_400


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of the roots, and the subjects of all commits, the newest first."""
    top, chance = tmp_path_factory.mktemp("histories"), random.Random(5)
    dated: list[tuple[int, str]] = []
    days = chance.sample(range(500), sum(COUNTS.values()))
    for name, count in COUNTS.items():
        (top / name).mkdir()
        own, days = sorted(days[:count]), days[count:]
        stream = b""
        for number, day in enumerate(own):
            subject, text = f"tax {name} {number}", f"value = {number}\n"
            seconds = _BEGIN + day * _DAY
            stream += (
                f"commit refs/heads/main\ncommitter x <x@y> {seconds} +0000\n"
                f"data {len(subject)}\n{subject}\n"
                f"M 100644 inline a{number}.py\ndata {len(text)}\n{text}\n"
            ).encode()
            dated.append((seconds, subject))
        run_git(top / name, "init", "-q", "-b", "main")
        run_git(top / name, "fast-import", "--quiet", given=stream)
        run_git(top / name, "reset", "-q", "--hard")
    return top, [subject for _, subject in sorted(dated, reverse=True)]


@pytest.fixture(scope="module")
def app(expected: tuple[Path, list[str]]) -> Iterator[App]:
    top, _ = expected
    with serve(*roots_of(top, NAMES), ("toolsets", "default"), data=top / "data") as app:
        call(app, "repo.refresh_index")
        yield app


def pages(app: App, **arguments: object) -> Iterator[list[dict[str, Any]]]:
    """The commits of each page until there are no more."""
    cursor = None
    while True:
        given = {**arguments, **({"cursor": cursor} if cursor else {})}
        found = call(app, "repo.history", **given)["structuredContent"]["result"]
        assert found["indexed"] == sum(COUNTS.values())
        yield found.get("commits", [])
        cursor = found.get("cursor")
        if not cursor:
            return
        assert found["truncated"]


@pytest.mark.parametrize("limit", [1, 5, 16, 40, 100])
def test_each_commit_is_on_one_page_in_one_order(
    app: App, expected: tuple[Path, list[str]], limit: int
) -> None:
    found = [*pages(app, limit=limit)]
    assert [entry["subject"] for page in found for entry in page] == expected[1]
    assert all(len(page) == limit for page in found[:-1])


def test_pages_of_few_characters_have_the_same_order(
    app: App, expected: tuple[Path, list[str]]
) -> None:
    found = [*pages(app, limit=30, max_chars=2000)]
    assert [entry["subject"] for page in found for entry in page] == expected[1]
    assert len(found) > 2


def test_each_root_gives_its_best_for_words_in_turn(
    app: App, expected: tuple[Path, list[str]]
) -> None:
    found = [*pages(app, words="tax", limit=6)]
    assert {entry["subject"].split()[1] for entry in found[0][:3]} == set(NAMES)
    subjects = [entry["subject"] for page in found for entry in page]
    assert sorted(subjects) == sorted(expected[1])


def test_a_text_is_found_in_all_roots(app: App) -> None:
    subjects = [
        entry["subject"] for page in pages(app, text="value = 3", limit=1) for entry in page
    ]
    assert sorted(subjects) == ["tax lib 3", "tax web 3"]


@pytest.mark.parametrize("cursor", ["x", "W10", "WyJhIiwwLFtbMSwyXV1d"])
def test_a_cursor_of_somebody_else_is_refused(app: App, cursor: str) -> None:
    text = call(app, "repo.history", cursor=cursor)["content"][0]["text"]
    assert "argument_invalid" in text
