"""A message that a program printed finds the line that makes it, though values stand in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.question.syntax.query import ParsedQuery, parse_query
from repo_mcp.question.syntax.tree import Phrase
from repo_mcp.search.passage.narrowing import Passage
from repo_mcp.search.ranked.current_passages import CurrentPassage
from repo_mcp.search.ranked.engine import RankedEngine, raise_quoting
from repo_mcp.search.ranked.hits import ShownPassage
from repo_mcp.search.ranked.ranked_chunks import RankedChunk
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, served, write

MESSAGE = "error: task `deploy` got 3 arguments but takes at most 2"
STEPS = "".join(f"    step_{n}(task, arguments)\n" for n in range(120))
RAISED = "    raise E(f'task `{task}` got {n} but takes at most {most}')\n"
OTHER = "def deploy_task_{}(arguments):\n    'Error of arguments: takes most.'\n"
TREE: dict[str, str | bytes] = {
    "run.py": f"def run(task, arguments):\n{STEPS}{RAISED}",
    **{f"task_{n}.py": OTHER.format(n) for n in range(12)},
}


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        (MESSAGE, ["arguments but takes at most", "but takes at most"]),
        ("cannot open the socket file /tmp/a (permission denied)", None),
        ('"a.com" was refused by the proxy', ["was refused by the proxy", "refused by the proxy"]),
        ("connection closed by 10.0.0.1:80 before a reply", ["connection closed by"]),
        ("unknown max_jobs value (3) of the pool", ["unknown max_jobs value"]),
        ("The `timeout` option cannot be greater than 10", ["option cannot be greater than"]),
        ("flag provided but not defined: -foo", ["flag provided but not defined"]),
        ("connection to %s refused after %d tries", ["connection to", "refused after"]),
    ],
)
def test_the_constant_part_of_a_message_is_what_stands_between_its_values(
    text: str, phrases: list[str] | None
) -> None:
    quoted = [phrase.text for phrase in parse_query(text).quoted]
    assert quoted
    assert phrases is None or set(phrases) <= set(quoted)


@pytest.mark.parametrize(
    "text",
    [
        "How does `run` get 3 arguments of a task to the shell?",
        "Fix `run` so that it takes at most 3 arguments of a task",
        "task arguments that the shell takes",
        "what takes at most 2 arguments of a task?",
        "run 3",
        "pass the option of a task to tar -xzf",
        "? ? task shell 0",
    ],
)
def test_questions_changes_and_plain_words_are_no_message(text: str) -> None:
    assert parse_query(text).quoted == ()


def test_the_line_that_makes_a_message_is_shown(tmp_path: Path) -> None:
    services = served(write(tmp_path / "root", TREE), tmp_path / "data")
    services.manager.refresh(FOREVER, force=False)
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    found = engine.search(snapshot, MESSAGE, 3, None, FOREVER)
    assert any("takes at most {most}" in hit.snippet for hit in found.hits)


def test_a_hit_with_more_parts_of_a_message_comes_first() -> None:
    """Each part alone stands in many lines."""

    def shown(path: str, score: float, snippet: str) -> ShownPassage:
        found = CurrentPassage(Passage(1, 2, frozenset(), "", snippet), frozenset(), stale=False)
        return ShownPassage(RankedChunk(path, 0, 1, 2, score), score, found, 1.0, ())

    one = shown("one.py", 9.0, "the output style")
    both = shown("both.py", 8.0, "raise E(f'output style {name}\n  Not  recognized')")
    phrases = (Phrase("output style"), Phrase("not recognized"))
    raised = raise_quoting([one, both], ParsedQuery("", quoted=phrases), 1.5)
    assert [item.ranked.score for item in raised] == [13.5, 18.0]
    tested = shown("tests/test_both.py", 8.0, both.found.passage.snippet)
    message = ParsedQuery("", quoted=phrases, is_message=True)
    assert [item.ranked.score for item in raise_quoting([tested, one], message, 1.5)] == [8.0, 13.5]


def test_of_a_message_a_page_shows_the_lines_that_have_a_part_of_it(tmp_path: Path) -> None:
    call = Caller(write(tmp_path / "root", TREE), tmp_path / "data")
    first = call.result("repo.search", query=MESSAGE)
    assert "run.py" in [hit["path"] for hit in first["hits"]]
    assert len(first["hits"]) == 4
    following = call.result("repo.search", query=MESSAGE, cursor=first["cursor"])
    assert len(following["hits"]) > 4
    assert len(call.result("repo.search", query=MESSAGE, top_k=9)["hits"]) == 9
