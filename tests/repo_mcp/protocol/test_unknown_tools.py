"""A tool that does not exist is answered with those that do."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.protocol.tool_calls import nearest_names
from repo_mcp.toolsets.catalog import select

DEFAULT = select().names()
EVERY = select(["all"]).names()


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("repo.searc", "repo.search"),
        ("search", "repo.search"),
        ("open_file", "repo.open_file"),
        ("repo_openfile", "repo.open_file"),
        ("outline", "repo.outline"),
        ("context_bundle", "repo.build_context_bundle"),
    ],
)
def test_the_nearest_name_comes_first(name: str, first: str) -> None:
    assert nearest_names(name, DEFAULT)[:1] == [first]


def test_what_is_like_none_has_no_nearest_name() -> None:
    assert nearest_names("grep", DEFAULT) == []
    assert nearest_names("x", []) == []


@given(st.text(max_size=200), st.sampled_from([DEFAULT, EVERY]))
def test_any_name_gets_a_few_that_exist(name: str, known: list[str]) -> None:
    found = nearest_names(name, known)
    assert len(found) <= 3
    assert set(found) <= set(known)
