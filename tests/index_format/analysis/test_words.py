"""Terms are the same for index and question; identifiers count whole and in parts."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.words import LONG_WORD, MAX_WORD, TermFinder, split_identifier, terms
from repo_mcp.question.terms import weigh_terms

TEXT = st.text(st.sampled_from("aBcX_19 é\n\r.É"), max_size=60)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("parseHTTPHeader", ["parse", "HTTP", "Header"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("__init__", ["init"]),
        ("XMLHttpRequest", ["XML", "Http", "Request"]),
        ("xxh3_128", ["xxh3", "128"]),
        ("getÜber", ["get", "Über"]),
        ("plain", ["plain"]),
        ("ALLCAPS", ["ALLCAPS"]),
        ("A", ["A"]),
    ],
)
def test_identifiers_have_parts(word: str, expected: list[str]) -> None:
    assert split_identifier(word) == expected


def test_terms_are_the_whole_and_its_parts_in_lower_case() -> None:
    assert terms("x = parseHTTPHeader(FOO)") == [
        "x",
        "parsehttpheader",
        "parse",
        "http",
        "header",
        "foo",
    ]
    assert terms("_ ___") == []


def test_one_term_stands_for_all_words_that_are_too_long() -> None:
    assert terms("a" * MAX_WORD + " " + "b" * (MAX_WORD + 1)) == ["a" * MAX_WORD, LONG_WORD]
    assert weigh_terms("find " + "b" * (MAX_WORD + 1)) == {"find": 1.0}


def test_stop_words_count_only_if_there_are_no_other_words() -> None:
    assert list(weigh_terms("where is the parser of the parser")) == ["where", "parser"]
    assert list(weigh_terms("to be or not to be")) == ["to", "be", "or", "not"]
    assert weigh_terms("... ___") == {}


def test_an_identifier_counts_more_than_its_parts() -> None:
    found = weigh_terms("call parseHTTPHeader with http")
    assert list(found) == ["call", "parsehttpheader", "parse", "http", "header"]
    assert found["parsehttpheader"] > found["call"] == found["http"] > found["parse"]


@given(TEXT, TEXT)
def test_a_finder_finds_exactly_the_common_terms(text: str, question: str) -> None:
    query = terms(question)
    assert TermFinder(query).found_in(text) == set(query) & set(terms(text))
