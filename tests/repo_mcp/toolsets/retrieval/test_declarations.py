"""Declarations of the toolset: flat, complete, and stable."""

from __future__ import annotations

import pytest

from repo_mcp.toolsets.catalog import DEFAULT, select, toolset_of
from repo_mcp.toolsets.retrieval.declarations import INSTRUCTIONS, NAME, TOOLS

SPECIFIED = {
    "search": {"repo", "query", "limit"},
    "open_file": {"repo", "path"},
    "get_snippet": {"repo", "path", "start_line", "end_line"},
    "list_dir": {"repo", "path"},
}


@pytest.mark.requirement("RET-FR-001")
def test_the_tools_are_those_of_the_specification() -> None:
    assert {tool.name for tool in TOOLS} == set(SPECIFIED)
    for tool in TOOLS:
        assert SPECIFIED[tool.name] <= {item.name for item in tool.arguments}
        assert toolset_of(tool).name == NAME
    assert select([NAME]).names() == [tool.name for tool in TOOLS]
    assert set(SPECIFIED) & set(select([DEFAULT]).names()) == set()


def test_the_first_words_say_what_the_server_is_for() -> None:
    first = INSTRUCTIONS[:250]
    assert all(word in first for word in ("docs", "code", "search"))
