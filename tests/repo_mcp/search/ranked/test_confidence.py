"""An answer says when nothing in the repository answers a question confidently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.model import SearchAnswer
from repo_mcp.question.query import parse_words
from repo_mcp.search import RankedEngine
from repo_mcp.search.ranked.confidence import (
    LEARNED_CONFIDENCE,
    ConfidenceRow,
    HitEvidence,
    is_confident,
)
from repo_mcp.search.ranked.term_lookup import look_up
from repo_mcp.search.ranked.trees import read_trees
from tests.repo_mcp.search.ranked.test_one_order import tree
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, Services, served, write

CACHE = '''"""Streams kept in memory."""


def evict(entries, limit):
    """Drop the oldest entries of the cache until those left fit the limit."""
    while len(entries) > limit:
        entries.pop(0)
    return entries
'''
# of the words of the question without an answer this has one
DAYS = "".join(f"day_{at} = 'a day of a month, {at}'\n" for at in range(60)) + "# an employee\n"
FILES: dict[str, str | bytes] = {
    **tree(7),
    "src/eviction.py": CACHE,
    "src/price.py": "PRICE = 3  # the month of a price is told by its day\n" * 3,
}
ANSWERED = "where are the oldest entries of the cache dropped to fit a limit"
# none of these words stands with another of them in a file
UNANSWERED = "how are taxed salaries transferred to pension accounts of each employee"
ASKED = {"prompt": UNANSWERED}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], SearchAnswer]:
    services = indexed(tmp_path_factory.mktemp("tree"))
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    return lambda text: engine.search(snapshot, text, 10, None, FOREVER)


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Caller:
    folder = tmp_path_factory.mktemp("called")
    files: dict[str, str | bytes] = {**FILES, "src/days.py": DAYS}
    return Caller(write(folder / "root", files), folder / "data")


def indexed(folder: Path) -> Services:
    found = served(write(folder / "root", dict(FILES)), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def text_of(answer: dict[str, Any]) -> str:
    return str(answer["content"][0]["text"])


def test_what_a_file_tells_is_a_confident_answer(ask: Callable[[str], SearchAnswer]) -> None:
    found = ask(ANSWERED)
    assert found.confident
    assert found.hits[0].path == "src/eviction.py"


def test_names_and_two_words_are_always_answered_by_what_has_them(
    ask: Callable[[str], SearchAnswer],
) -> None:
    assert ask("evict").confident
    assert ask("price month").confident


def test_a_question_without_an_answer_has_its_nearest_hits_and_a_first_line(call: Caller) -> None:
    text = text_of(call.answer("repo.search", query=UNANSWERED))
    first = text.split("\n")[0]
    assert first.startswith("no confident answer to ")
    assert "nowhere in the index: taxed, salaries, transferred, pension, accounts" in first
    result = call.result("repo.search", query=UNANSWERED)
    assert result["confident"] is False
    assert result["hits"]


def test_an_answer_that_is_confident_says_nothing_of_it(call: Caller) -> None:
    answer = call.answer("repo.search", query=ANSWERED)
    assert "confident" not in answer["structuredContent"]["result"]
    assert "no confident answer" not in text_of(answer)


def test_a_bundle_says_so_too(call: Caller) -> None:
    text = text_of(call.answer("repo.build_context_bundle", **ASKED))
    assert text.startswith("no confident answer to ")
    assert call.result("repo.build_context_bundle", **ASKED)["confident"] is False
    assert (
        "confident"
        not in call.answer("repo.build_context_bundle", prompt=ANSWERED)["structuredContent"][
            "result"
        ]
    )


def test_a_place_in_the_prompt_is_what_a_bundle_was_asked_for(call: Caller) -> None:
    prompt = f"{UNANSWERED}: see src/eviction.py:5"
    answer = call.answer("repo.build_context_bundle", prompt=prompt)
    assert "confident" not in answer["structuredContent"]["result"]


def test_more_of_the_score_is_never_less_confident(tmp_path: Path) -> None:
    snapshot = indexed(tmp_path).manager.snapshot()
    assert snapshot is not None
    statistics = look_up(snapshot, parse_words(ANSWERED))
    judged = [is_confident(statistics, best / 10, 4_000) for best in range(200)]
    assert judged == sorted(judged)
    assert {*judged} == {False, True}
    assert is_confident(statistics, 1.0, 4_000) == is_confident(statistics, 1.0, 400_000)


@pytest.mark.parametrize("number", range(len(HitEvidence._fields)))
def test_nearer_hits_with_more_of_the_question_are_never_less_confident(
    tmp_path: Path, number: int
) -> None:
    snapshot = indexed(tmp_path).manager.snapshot()
    assert snapshot is not None
    statistics = look_up(snapshot, parse_words(ANSWERED))
    for best in (0.5, 2.0, 8.0):
        for others in (0.2, 0.5, 0.8):
            rows = [[others] * len(HitEvidence._fields) for _ in range(21)]
            for at, row in enumerate(rows):
                row[number] = at / 20
            judged = [is_confident(statistics, best, 4_000, HitEvidence(*row)) for row in rows]
            assert judged == sorted(judged)


def test_trees_of_confidence_speak_of_the_evidence_there_is() -> None:
    trees = read_trees(LEARNED_CONFIDENCE)
    assert trees.columns == ConfidenceRow._fields
    assert trees.split_columns.max() < len(ConfidenceRow._fields)
