"""Arguments: strict about meaning, lenient about JSON types."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, strategies as st

from repo_mcp.errors import Problem
from repo_mcp.toolsets.interrogator.declarations import (
    BUILD_CONTEXT_BUNDLE,
    OPEN_FILE,
    REFRESH,
    SEARCH,
    TOOLS,
)
from repo_mcp.toolsets.kit.arguments import check_arguments, unknown_names
from repo_mcp.toolsets.kit.spec import Tool

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("tool", "sent", "name", "expected"),
    [
        (SEARCH, {"query": "a", "top_k": "7"}, "top_k", 7),
        (SEARCH, {"query": "a", "top_k": " +7 "}, "top_k", 7),
        (SEARCH, {"query": "a", "top_k": 7.0}, "top_k", 7),
        (SEARCH, {"query": "a", "top_k": None}, "top_k", None),
        (SEARCH, {"query": "a", "file_glob": None}, "file_glob", None),
        (SEARCH, {"query": "a", "wait_for_previous": True}, "mode", "bm25"),
        (SEARCH, {"query": 404}, "query", "404"),
        (REFRESH, {"force": "TRUE"}, "force", True),
        (REFRESH, {}, "force", False),
    ],
)
def test_the_form_may_vary(tool: Tool, sent: dict[str, Any], name: str, expected: object) -> None:
    value = check_arguments(tool, sent)[name]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    "budget", [{"max_files": "3"}, '{"max_files": 3}', {"max_files": 3, "max_tokens": None}]
)
def test_an_object_may_come_as_its_json(budget: object) -> None:
    found = check_arguments(BUILD_CONTEXT_BUNDLE, {"prompt": "a", "budget": budget})["budget"]
    assert found == {"max_files": 3, "max_total_lines": None, "max_tokens": None}


def test_an_object_that_is_left_out_has_its_defaults() -> None:
    found = check_arguments(BUILD_CONTEXT_BUNDLE, {"prompt": "a"})["budget"]
    assert found == {"max_files": None, "max_total_lines": None, "max_tokens": None}


@pytest.mark.parametrize(
    ("tool", "sent", "said"),
    [
        (SEARCH, {}, "query is missing"),
        (SEARCH, {"queries": "a"}, r"query is missing \('queries' was sent\)"),
        (SEARCH, {"query": ["a"]}, r"query is \['a'\], not a string"),
        (SEARCH, {"query": True}, "not a string"),
        (SEARCH, {"query": "a", "top_k": 0}, "1 or more"),
        (SEARCH, {"query": "a", "top_k": "many"}, "not an integer"),
        (SEARCH, {"query": "a", "top_k": True}, "not an integer"),
        (SEARCH, {"query": "a", "top_k": 1.5}, "not an integer"),
        (SEARCH, {"query": "a", "mode": "semantic"}, "mode must be one of bm25, literal, regex"),
        (SEARCH, {"query": "a" * 1_000_001}, "at most"),
        (REFRESH, {"force": 1}, "not a boolean"),
        (OPEN_FILE, {"path": ["a"]}, "not a string"),
        (BUILD_CONTEXT_BUNDLE, {"prompt": "a", "budget": 3}, "not an object"),
        (BUILD_CONTEXT_BUNDLE, {"prompt": "a", "budget": "{"}, "not an object"),
        (BUILD_CONTEXT_BUNDLE, {"prompt": "a", "budget": "[1]"}, "not an object"),
        (
            BUILD_CONTEXT_BUNDLE,
            {"prompt": "a", "budget": {"max_files": 0}},
            "max_files must be 1 or more",
        ),
        (
            BUILD_CONTEXT_BUNDLE,
            {"prompt": "a", "strategy": "llm"},
            "strategy must be one of hybrid, regions",
        ),
    ],
)
def test_the_meaning_must_be_right(tool: Tool, sent: dict[str, Any], said: str) -> None:
    with pytest.raises(Problem, match=said):
        check_arguments(tool, sent)


def test_what_is_not_known_is_named_and_has_no_effect() -> None:
    sent = {"query": "a", "limit": 3, "wait_for_previous": True}
    assert check_arguments(SEARCH, sent) == check_arguments(SEARCH, {"query": "a"})
    (said,) = unknown_names(SEARCH, sent)
    assert said.startswith("'limit'; repo.search takes context_lines, cursor, ")
    assert unknown_names(REFRESH, {"force": True}) == []


def test_what_is_not_known_inside_an_object_is_named_too() -> None:
    sent = {"prompt": "a", "budget": {"max_lines": 3}}
    assert unknown_names(BUILD_CONTEXT_BUNDLE, sent) == [
        "'max_lines'; budget takes max_files, max_tokens, max_total_lines"
    ]


@given(st.sampled_from(TOOLS), st.dictionaries(st.text(max_size=12), JSON, max_size=5), st.data())
def test_nothing_that_is_sent_is_more_than_a_problem(
    tool: Tool, sent: dict[str, Any], data: st.DataObject
) -> None:
    for item in tool.arguments:
        if data.draw(st.booleans()):
            sent[item.name] = data.draw(JSON)
    with suppress(Problem):
        found = check_arguments(tool, sent)
        assert set(found) == {item.name for item in tool.arguments}
        assert all(len(text) < 1_000 for text in unknown_names(tool, sent))


def test_patches_and_reports_may_be_long_and_other_texts_not() -> None:
    tools = {tool.name: tool for tool in TOOLS}
    patch = "x" * 900_000
    assert check_arguments(tools["repo.changes"], {"patch": patch})["patch"] == patch
    for tool, name in (
        ("repo.search", "query"),
        ("repo.ask", "question"),
        ("repo.build_context_bundle", "prompt"),
    ):
        assert check_arguments(tools[tool], {name: patch})[name] == patch
    for name, arguments in (
        ("repo.changes", {"patch": patch * 2}),
        ("repo.changes", {"rev": "x" * 10_001}),
        ("repo.search", {"query": "x", "file_glob": "x" * 10_001}),
    ):
        with pytest.raises(Problem, match="has at most"):
            check_arguments(tools[name], arguments)
