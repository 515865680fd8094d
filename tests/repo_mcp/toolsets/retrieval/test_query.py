"""Parsing queries into words and phrases; previews of lines."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.search.line_matches import LineMatch
from repo_mcp.toolsets.retrieval.search import (
    MOST_CHARACTERS,
    MOST_PREVIEW,
    MOST_WORDS,
    QueryError,
    parse_keywords,
    preview,
)


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
    assert parse_keywords(query) == expected


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "empty"),
        (" \t\n", "empty"),
        ('""', "empty"),
        ("x" * (MOST_CHARACTERS + 1), "more than 1000 characters"),
        (" ".join(map(str, range(MOST_WORDS + 1))), "more than 32 words"),
        ('"two\nlines"', "several lines"),
        ("\ud800", "lone surrogate"),
    ],
)
def test_what_can_not_be_asked_says_why(query: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        parse_keywords(query)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)))
def test_what_is_quoted_is_taken_as_it_is_written(texts: list[str]) -> None:
    wanted = tuple(dict.fromkeys(text for text in texts if not set(text) & {"\n", "\r"}))
    quoted = [text.replace("\\", r"\\").replace('"', r"\"") for text in wanted]
    query = " ".join(f'"{text}"' for text in quoted)
    if wanted and len(wanted) <= MOST_WORDS:
        assert parse_keywords(query) == wanted


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("   needle  ", "needle"),
        ("needle" + "x" * 300, "needle" + "x" * 194 + "…"),
        ("a" * 300 + "needle", "…" + "a" * 60 + "needle"),
        ("a" * 300 + "needle" + "b" * 300, "…" + "a" * 60 + "needle" + "b" * 134 + "…"),
        (" " * 400 + "needle", "needle"),
        ("ä" * 300 + "needle", "…" + "ä" * 60 + "needle"),
    ],
)
def test_a_long_line_is_shown_where_it_matches(line: str, shown: str) -> None:
    at = line.index("needle")
    found = preview(LineMatch("a.txt", 1, ((at, at + 6),), line))
    assert found == shown
    assert len(found) <= MOST_PREVIEW + 2
