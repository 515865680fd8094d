"""The parts of a text."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.words import MAX_WORD, terms
from repo_mcp.vectors.words import (
    LONGEST_PART,
    count_parts,
    grams,
    parts_of_term,
    parts_of_word,
    path_words,
    saturate,
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("parseHTTP2Header", ["parse", "http", "header"]),
        ("snake_case CONSTANT_NAME", ["snake", "case", "constant", "name"]),
        ("x i18n 0xFF 1234 a_b", ["ff"]),
        ("utf8 sha256sum", ["utf", "sha", "sum"]),
        ("Straße naïve", ["straße", "naïve"]),
        ("a" * 25 + " " + "b" * (MAX_WORD + 1) + " " + "c" * 24, ["c" * 24]),
        ("__init__ _x", ["init"]),
    ],
)
def test_a_word_is_cut_at_capitals_underscores_and_digits(text: str, parts: list[str]) -> None:
    assert count_parts(text) == Counter(parts)


def test_the_last_two_parts_of_the_path_count_without_extension() -> None:
    assert path_words("src/net/http_client.test.py") == "net http_client.test"
    assert count_parts("get", "src/net/http_client.py") == Counter(["get", "net", "http", "client"])
    assert path_words("main.c") == "main"


@given(st.text())
def test_parts_are_those_of_the_terms_that_are_no_wholes(text: str) -> None:
    expected: Counter[str] = Counter()
    for word in text.split():
        if word.isalnum() and len(word) <= MAX_WORD:
            found = terms(word)
            expected.update(part for term in found[1:] or found for part in parts_of_term(term))
    assert (
        sum((Counter(parts_of_word(word)) for word in text.split() if word.isalnum()), Counter())
        == expected
    )
    assert all(1 < len(part) <= LONGEST_PART for part in count_parts(text))


def test_an_occurrence_counts_less_than_the_one_before() -> None:
    worth = [saturate(times) for times in range(1, 50)]
    steps = [after - before for before, after in pairwise(worth)]
    assert worth[0] == 1
    assert max(worth) < 2
    assert steps == sorted(steps, reverse=True)
    assert min(steps) > 0


def test_grams_are_of_three_and_four_characters_with_marks_at_the_ends() -> None:
    pieces = ["^ab", "ab$", "^ab$"]
    assert grams("ab", 4096) == [crc32(piece.encode()) % 4096 for piece in pieces]
    assert len(grams("größe", 64)) == 5 + 4
    assert max(grams("größe", 64)) < 64
