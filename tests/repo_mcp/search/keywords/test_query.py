"""What a keyword query means: words, phrases, and everything else as it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.search.keywords.query import MOST_CHARACTERS, MOST_WORDS, QueryError, keywords


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("one", ("one",)),
        ("  one\ttwo  ", ("one", "two")),
        ("one one", ("one",)),
        ('"one two" three', ("one two", "three")),
        ('"one  two"', ("one  two",)),
        ('"say \\"x\\"" y', ('say "x"', "y")),
        ('"back\\\\slash"', ("back\\slash",)),
        ('"open', ('"open',)),
        ('printf("a b")', ('printf("a', 'b")')),
        ('"a"b', ('"a"b',)),
        ('x="1"', ('x="1"',)),
        ('"" one', ("one",)),
        ("a AND -b *", ("a", "AND", "-b", "*")),
        ("foo.bar(baz)", ("foo.bar(baz)",)),
        ("größe 漢字", ("größe", "漢字")),
    ],
)
def test_a_query_is_words_and_phrases(query: str, expected: tuple[str, ...]) -> None:
    assert keywords(query) == expected


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "empty"),
        (" \t\n", "empty"),
        ('""', "empty"),
        ("x" * (MOST_CHARACTERS + 1), "more than 1000 characters"),
        (" ".join(map(str, range(MOST_WORDS + 1))), "more than 32 words"),
        ('"two\nlines"', "several lines"),
        ("\ud800", "half of a character"),
    ],
)
def test_what_can_not_be_asked_says_why(query: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        keywords(query)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)))
def test_what_is_quoted_is_taken_as_it_is_written(texts: list[str]) -> None:
    wanted = tuple(dict.fromkeys(text for text in texts if not set(text) & {"\n", "\r"}))
    quoted = [text.replace("\\", r"\\").replace('"', r"\"") for text in wanted]
    query = " ".join(f'"{text}"' for text in quoted)
    if wanted and len(wanted) <= MOST_WORDS:
        assert keywords(query) == wanted
