"""Reports are equal for equal questions, and hostile questions are answered like others."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from repo_mcp.research import Diagram, Focus, Node
from repo_mcp.research.answer import MOST_CHARACTERS, research_result, write_mermaid
from repo_mcp.research.model import DiagramArrow
from tests.repo_mcp.research.projects import PYTHON, Project

HOSTILE = [
    *("", " ", "\x00\x1b[31m", "what calls \u202e\u2066", "(" * 10_000, "a" * 10_000),
    *(".*+?[](){}|^$\\", "what calls .*", "`", "``", "what calls `(`", "from to", "-> x"),
    *("what is 🦜", "who calls \ud800", "../../etc/passwd", "%s %n {0}", "é" * 600),
    "how does " * 1_000,
]


@pytest.mark.parametrize("question", HOSTILE)
@pytest.mark.parametrize("focus", [None, *(item.value for item in Focus)])
def test_hostile_questions_are_answered(python: Project, question: str, focus: str | None) -> None:
    report = python.ask(question, depth=5, focus=focus)
    text = "\n".join(research_result(report).as_text())
    assert len(text) <= MOST_CHARACTERS + 500
    assert not {char for char in text if char < " "} - {"\n"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    start=st.sampled_from(["what calls ", "what uses ", "impact of ", "", "flow of "]),
    name=st.sampled_from(["User", "login", "main", "check", "shop/auth", "authenticate", "?"]),
    depth=st.integers(1, 5),
)
def test_equal_questions_give_equal_reports(
    python: Project, start: str, name: str, depth: int
) -> None:
    one, other = (python.ask(start + name, depth) for _ in range(2))
    assert one == other


def test_equal_trees_give_equal_reports(
    python: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = dict(reversed(PYTHON.items()))
    other = Project(tmp_path_factory.mktemp("again"), files)
    for question, focus in (("what calls User.check", None), ("User", "flow"), ("", "patterns")):
        assert python.ask(question, 5, focus) == other.ask(question, 5, focus)


def test_depth_is_from_one_to_five(python: Project) -> None:
    assert python.ask("User", 0).depth == 1
    assert python.ask("User", 99).depth == 5


@given(st.text(max_size=80), st.text(max_size=20))
def test_labels_of_diagrams_are_escaped(name: str, label: str) -> None:
    nodes = [Node(1, name, "class"), Node(2, "other", "class")]
    text = write_mermaid(Diagram(nodes, [DiagramArrow(nodes[0].key, nodes[1].key, label)]))
    lines = text.split("\n")
    assert len(lines) == 4
    inner = lines[1].removeprefix('  n0["').removesuffix('"]')
    assert not set(inner) & set('"<>&|`[]{}()\\')
