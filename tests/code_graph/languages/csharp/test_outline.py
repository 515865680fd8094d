"""C#: declarations in every branch of conditional compilation."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import FULL
from code_graph.treesitter.adapter import adapter
from code_graph.treesitter.branches import (
    branches,
    first_branches,
    without_directives,
)
from tests.code_graph.fact_checks import check
from tests.code_graph.golden_facts import GOLDEN

ROWS = [
    row
    for name in ("csharp.cs", "csharp_branches.cs")
    for row in (GOLDEN / name).read_text("utf-8").splitlines()
]
DIRECTIVES = st.lists(
    st.sampled_from(["#if A", "  # if B // why", "#elif C", "#else", "#endif", "text é", "", "#x"]),
    max_size=12,
)


@given(rows=st.lists(st.sampled_from(ROWS), max_size=25))
def test_rows_in_any_order_give_valid_facts(rows: list[str]) -> None:
    text = "\n".join(rows)
    check(adapter("csharp").facts("x.cs", text), text)


def test_the_name_of_an_explicit_implementation_begins_at_its_interface() -> None:
    text = "class A : IShop { void IShop\n.Open() {} }"
    facts = adapter("csharp").facts("x.cs", text)
    (member,) = (item for item in facts.declarations if item.kind == "method")
    assert (member.name, member.name_line, member.name_column) == ("IShop.Open", 1, 23)
    check(facts, text)


@given(rows=DIRECTIVES)
def test_blanked_text_keeps_all_offsets(rows: list[str]) -> None:
    text = "\n".join(rows)
    for other in (without_directives(text), first_branches(text)):
        assert len(other) == len(text)
        assert all(new in (old, " ") for new, old in zip(other, text, strict=True))
        assert other.count("\n") == text.count("\n")


@given(rows=DIRECTIVES)
def test_first_branches_are_those_of_a_simple_reading(rows: list[str]) -> None:
    kept = first_branches("\n".join(rows)).split("\n")[: len(rows)]
    open_branches: list[bool] = []
    for row, found in zip(rows, kept, strict=True):
        word = row.replace("#", "").split()[:1] if row.strip().startswith("#") else []
        if word == ["if"]:
            open_branches.append(True)
        elif word in (["else"], ["elif"]) and open_branches:
            open_branches[-1] = False
        elif word == ["endif"] and open_branches:
            open_branches.pop()
        elif word in ([], ["x"]):
            assert found == (row if all(open_branches) else " " * len(row.rstrip()) or row)


def test_each_branch_has_its_condition() -> None:
    text = "a\n#if A && B // why\nb\n# if C\nc\n#endif\n#elif D\nd\n#else\ne\n#endif\n#if open\n"
    found = {label: text[start:end].strip() for start, end, label in branches(text)}
    assert found == {
        "#if C": "c",
        "#if A && B": "b\n# if C\nc\n#endif",
        "#elif D": "d",
        "#else": "e",
    }


@pytest.mark.parametrize(
    "text",
    [
        "class A\n#if X\n: B\n#else\n: C\n#endif\n{ void D() { } }\nclass E { }",
        "#if X\nclass A : B {\n#else\nclass A : C {\n#endif\nvoid D() { } }\nclass E { }",
        "class A { void D() { Call(\n#if X\n1\n#else\n2\n#endif\n); } }\nclass E { }",
    ],
)
def test_branches_around_part_of_a_declaration_leave_the_rest_readable(text: str) -> None:
    facts = adapter("csharp").facts("x.cs", text)
    assert facts.status == FULL
    assert [one.name for one in facts.declarations] == ["A", "D", "E"]


def test_members_that_are_complete_in_a_branch_are_found() -> None:
    text = "class A {\n#if X\nvoid B() { }\n#else\nvoid C() { }\n#endif\n}\n"
    _, b, c = adapter("csharp").outline("x.cs", text)
    assert (b.name, b.decl_context, b.is_conditional) == ("B", "class A > #if X", True)
    assert (c.name, c.decl_context, c.is_conditional) == ("C", "class A > #else", True)
