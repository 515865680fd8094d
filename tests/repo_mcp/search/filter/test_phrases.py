"""Phrases match whole words in any letter case and with any length of blanks."""

from __future__ import annotations

import pytest

from repo_mcp.question.syntax.tree import Phrase
from repo_mcp.search.filter.phrases import find_phrase


@pytest.mark.parametrize(
    ("phrase", "text", "lines"),
    [
        ("a b", "a b", [1]),
        ("a b", "x\nA  B y a\tb\nab\na\n\n  b\n", [2, 4]),
        ("a b", "aa b\na bb\na.b\na - b", []),
        ("A b", "\n\na b a b", [3]),
        ("foo->bar(", "x = FOO->bar(baz)", [1]),
        ("->bar", "foo->bar foo->bars", [1]),
        ("a.b", "a.b axb", [1]),
        ("a_b c", "a_b c", [1]),
        ("b c", "a_b c", []),
        ("grosse straße", "Grosse Straße", [1]),
        ("ΟΔΟΣ λ", "οδος λ", [1]),
        ("οδοσ λ", "ΟΔΟΣ Λ", [1]),
        (" a b ", "a b", [1]),
        ("a b", "", []),
    ],
)
def test_lines_of_a_phrase(phrase: str, text: str, lines: list[int]) -> None:
    assert find_phrase(text, Phrase(phrase)) == lines


def test_much_text_is_searched_in_one_pass() -> None:
    """With quadratic time, this test would not end."""
    assert find_phrase("a" + " " * 1_000_000 + "c", Phrase("a b")) == []
