"""The lines that are compiled, compared with a preprocessor, and the conditions that are told."""

from __future__ import annotations

from hypothesis import given, strategies as st

from code_graph.conditions.branches import LineState
from code_graph.conditions.truth import Truth
from tests.code_graph.conditions.condition_texts import (
    NAMES,
    KnownMacros,
    compiled_lines,
    states,
)


def rows() -> st.SearchStrategy[list[str]]:
    """Lines with conditions that are closed."""
    name = st.sampled_from(NAMES)
    simple = st.one_of(
        st.just(["code"]),
        name.map(lambda it: [f"#define {it}"]),
        name.map(lambda it: [f"#undef {it}"]),
    )
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4).map(lambda parts: [row for part in parts for row in part]),
            st.tuples(st.sampled_from(["#ifdef", "#ifndef"]), name, inner, inner).map(
                lambda it: [f"{it[0]} {it[1]}", *it[2], "#else", *it[3], "#endif"]
            ),
        ),
        max_leaves=12,
    )


@given(rows(), st.dictionaries(st.sampled_from(NAMES), st.just(1)))
def test_the_lines_that_a_preprocessor_keeps_are_compiled(
    lines: list[str], values: dict[str, int]
) -> None:
    branches = states("\n".join(["first", *lines]), KnownMacros(values))
    kept = compiled_lines(["first", *lines], values)
    for number, row in enumerate(["first", *lines], 1):
        if not row.startswith("#"):
            assert branches.at(number).truth == Truth.of(number in kept)


@given(rows(), st.dictionaries(st.sampled_from(NAMES), st.none()))
def test_what_is_left_out_without_all_names_is_left_out_for_every_value(
    lines: list[str], values: dict[str, None]
) -> None:
    branches = states("\n".join(lines), KnownMacros(values))
    for chosen in ({}, dict.fromkeys(values, 1)):
        kept = compiled_lines(lines, chosen)
        for number, row in enumerate(lines, 1):
            if not row.startswith("#") and number in kept:
                assert not branches.at(number).is_left_out


def test_conditions_are_told_from_the_outermost_in() -> None:
    text = "#if A || B\n1\n#if C\n2\n#elif D\n3\n#else\n4\n#endif\n#endif\n5\n"
    branches = states(text)
    assert branches.at(2).condition == "A || B"
    assert branches.at(4).condition == "(A || B) && C"
    assert branches.at(6).condition == "(A || B) && !(C) && D"
    assert branches.at(8).condition == "(A || B) && !(C) && !(D)"
    assert branches.at(11) == LineState()


def test_a_constant_condition_is_decided_without_a_build() -> None:
    branches = states("#if 0\n1\n#else\n2\n#endif\n#if 1 // always\n3\n#endif")
    assert [branches.at(number).truth for number in (2, 4, 7)] == [0, 2, 2]


def test_a_guard_of_a_header_is_no_condition() -> None:
    branches = states("/* a */\n#ifndef A_H\n#define A_H\nint a;\n#if B\n1\n#endif\n#endif\n")
    assert branches.at(4) == LineState()
    assert branches.at(6).condition == "B"


def test_directives_in_comments_and_joined_lines_are_read_as_c_does() -> None:
    text = (
        '/*\n#if 0\n*/\n1\nchar *s = "/*";\n#if \\\n  0 /* b\n*/\n2\n#endif\nchar *e = "*/";\n3\n'
    )
    branches = states(text)
    assert [branches.at(number).is_left_out for number in (4, 9, 12)] == [False, True, False]


def test_what_is_defined_where_it_is_not_yet_is_defined() -> None:
    branches = states(
        "#ifndef A\n#define A 0\n#endif\n#ifdef A\n1\n#else\n2\n#endif\n#if A\n3\n#endif"
    )
    assert [branches.at(number).truth for number in (5, 7, 10)] == [2, 0, 1]


def test_unclosed_and_needless_ends_are_read() -> None:
    assert states("#endif\n#else\n1\n").at(3) == LineState()
    assert states("#if 0\n" * 3000 + "1").at(3001).is_left_out
