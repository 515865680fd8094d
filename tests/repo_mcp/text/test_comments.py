"""Recognising comment lines and their continuations; cutting long texts."""

from __future__ import annotations

import pytest

from repo_mcp.text.comments import (
    ATTRIBUTE,
    CONDITIONS,
    DECORATOR,
    DIRECTIVES,
    continues_comment,
    is_comment,
)
from repo_mcp.text.cutting import cut


@pytest.mark.parametrize("row", ["// a", "  # a", "-- a", "/* a", " * a", " */", "; a", "% a"])
def test_lines_with_a_comment_mark_are_comments(row: str) -> None:
    assert is_comment(row)


@pytest.mark.parametrize("row", ["", "a // b", "@cached", "[Attribute]"])
def test_other_lines_are_not_comments(row: str) -> None:
    assert not is_comment(row)


def test_decorators_and_attributes_count_on_request() -> None:
    assert is_comment("  @cached", also=(DECORATOR,))
    assert is_comment("[Attribute]", also=(DECORATOR, ATTRIBUTE))


def test_preprocessor_directives_are_excluded_on_request() -> None:
    assert not is_comment('#include "a.h"', directives=CONDITIONS)
    assert is_comment("#define A 1", directives=CONDITIONS)
    assert not is_comment("#define A 1", directives=DIRECTIVES)


@pytest.mark.parametrize(
    ("before", "row"),
    [("/* a", " * b"), (" * a", " */"), ("// a", "// b"), ("# a", "  # b"), ("-- a", "-- b")],
)
def test_a_comment_continues_in_the_next_line(before: str, row: str) -> None:
    assert continues_comment(row, before)


@pytest.mark.parametrize(
    ("before", "row"),
    [
        (" */", "* a"),
        ("a = 1", " * 2"),
        ("// a", "# b"),
        ("# a", "#include <b>"),
        ("#if A", "#endif"),
    ],
)
def test_other_lines_do_not_continue_a_comment(before: str, row: str) -> None:
    assert not continues_comment(row, before)


def test_a_cut_is_marked_and_a_text_that_fits_is_not_cut() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc …"
