"""Declarations of the tools: flat, complete, and stable."""

from __future__ import annotations

import pytest

from repo_mcp.toolsets.catalog import Catalog
from repo_mcp.toolsets.interrogator.declarations import (
    BUILD_CONTEXT_BUNDLE,
    INSTRUCTIONS,
    LIST_FILES,
    OPEN_FILE,
    OUTLINE,
    SEARCH,
    TOOLS,
)

SPECIFIED: dict[str, set[str]] = {
    "repo.status": set(),
    "repo.list_files": {"glob", "max_results", "include_hidden"},
    "repo.open_file": {"path", "start_line", "end_line"},
    "repo.outline": {"path"},
    "repo.search": {"query", "mode", "top_k", "file_glob"},
    "repo.refresh_index": {"force"},
    "repo.build_context_bundle": {"prompt", "budget", "strategy", "include_tests"},
    "repo.audit_log": {"since", "limit"},
}


def test_all_specified_tools_take_what_is_specified() -> None:
    # questions of any kind, one symbol in one answer, and the history, are none of these
    assert {tool.name for tool in TOOLS} == {
        *SPECIFIED,
        "repo.ask",
        "repo.symbol",
        "repo.history",
        "repo.changes",
    }
    for tool in (tool for tool in TOOLS if tool.name in SPECIFIED):
        taken = {item.name for item in tool.arguments}
        # what comes beside it is for answers that come in pages, and for exact search
        assert SPECIFIED[tool.name] <= taken
        required = {item.name for item in tool.arguments if item.required}
        assert required == SPECIFIED[tool.name] & {"path", "query", "prompt"}


def test_the_first_words_say_what_to_use_first() -> None:
    first = INSTRUCTIONS[:250]
    assert "Begin with repo.ask" in first
    assert "verdict" in first
    assert len(INSTRUCTIONS) < 2_000


def test_every_tool_that_finds_says_what_comes_next() -> None:
    for tool in (SEARCH, LIST_FILES, OUTLINE):
        assert "repo.open_file" in tool.description
    assert "next_start_line" in OPEN_FILE.description
    assert "repo.search" in BUILD_CONTEXT_BUNDLE.description
    assert "repo.status" not in SEARCH.description


def test_a_name_is_found_in_either_spelling() -> None:
    catalog = Catalog(TOOLS)
    assert catalog.find("repo.search") is catalog.find("repo_search") is SEARCH
    assert catalog.find("repo.nothing") is None
    with pytest.raises(ValueError, match="same name"):
        Catalog([SEARCH, SEARCH._replace(name="repo_search")])
