"""Phrases are found as they are written, letter case and blanks aside, and as whole words."""

from __future__ import annotations

import pytest

from repo_mcp.search.filter.phrases import holds_phrase
from repo_mcp.search.query.tree import Phrase


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
    assert holds_phrase(text, Phrase(phrase)) == lines


def test_much_text_is_searched_in_one_pass() -> None:
    """Trying every blank anew would outlast any test run."""
    assert holds_phrase("a" + " " * 1_000_000 + "c", Phrase("a b")) == []
