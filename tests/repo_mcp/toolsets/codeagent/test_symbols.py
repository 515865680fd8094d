"""Declarations are counted without decoding all of them; damaged data counts as none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from code_graph.facts import (
    DamagedFactsError,
    Declaration,
    Facts,
    decode_count,
    decode_declarations,
    encode,
)
from repo_mcp.toolsets.codeagent.engine import _declaration_count
from repo_mcp.toolsets.kit.index_warnings import describe_cut
from tests.code_graph.facts.samples import any_facts

ONE = Declaration("function", "f", 1, 2, 1, 4)


@given(facts=any_facts())
def test_the_count_is_that_of_what_is_decoded(facts: Facts) -> None:
    data = encode(facts)
    assert decode_count(data) == len(decode_declarations(data).declarations)


def test_a_count_far_behind_its_beginning_is_found() -> None:
    facts = Facts("python", "full", (ONE, replace(ONE, name="g")), cuts=tuple(range(0, 90_000, 3)))
    assert decode_count(encode(facts)) == 2


@pytest.mark.parametrize("kept", [0, 5, 20, 60])
def test_damage_is_told_and_counts_as_nothing(kept: int) -> None:
    data = encode(Facts("python", "full", (ONE,)))[:kept]
    with pytest.raises(DamagedFactsError):
        decode_count(data)
    assert _declaration_count(data) == 0


def test_files_without_all_edges_are_named_on_one_line() -> None:
    assert describe_cut(5, ["a.py", "b\n.py"]).endswith("missing: a.py, b\\x0a.py and 3 more")
