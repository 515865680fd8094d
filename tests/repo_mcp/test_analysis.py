"""Terms: the same for index and question, identifiers whole and in parts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_format import Vocabulary
from repo_mcp.analysis.counting import Analyser
from repo_mcp.analysis.question import question
from repo_mcp.analysis.words import LONG_WORD, TermFinder, parts, terms

TEXT = st.text(st.sampled_from("aBcX_19 é\n\r.É"), max_size=60)
ASCII = st.text(st.sampled_from("aBcX_19 \n\r.-\x0c\x1c\x7f"), max_size=80)


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
    assert parts(word) == expected


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


def test_one_term_stands_for_all_that_is_too_long_to_be_a_word() -> None:
    assert terms("a" * 64 + " " + "b" * 65) == ["a" * 64, LONG_WORD]
    assert question("find " + "b" * 65) == {"find": 1.0}


def test_stop_words_count_only_when_there_is_nothing_else() -> None:
    assert list(question("where is the parser of the parser")) == ["where", "parser"]
    assert list(question("to be or not to be")) == ["to", "be", "or", "not"]
    assert question("... ___") == {}


def test_an_identifier_counts_more_than_its_parts() -> None:
    found = question("call parseHTTPHeader with http")
    assert list(found) == ["call", "parsehttpheader", "parse", "http", "header"]
    assert found["parsehttpheader"] > found["call"] == found["http"] > found["parse"]


def counted(analyser: Analyser, pieces: list[str | bytes]) -> list[Counter[str]]:
    vocabulary = Vocabulary()
    found = []
    for tokens in analyser.counted(pieces, vocabulary):
        assert tokens.frequencies is not None
        held: Counter[str] = Counter()
        for word, times in zip(tokens.words.tolist(), tokens.frequencies.tolist(), strict=True):
            held[vocabulary.words[word].decode("utf-8", "surrogatepass")] += times
        found.append(held)
    return found


@pytest.mark.requirement("CARD-whoosh")
@given(st.lists(ASCII, max_size=5))
def test_plain_text_is_counted_as_whooshs_filters_cut_it(texts: list[str]) -> None:
    expected = [Counter(terms(text)) for text in texts]
    assert counted(Analyser(), [text.encode() for text in texts]) == expected
    assert counted(Analyser(), list(texts)) == expected


@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=5))
def test_any_text_is_counted_the_same_whatever_was_counted_before(
    first: list[str], second: list[str]
) -> None:
    analyser = Analyser()
    counted(analyser, list(first))
    assert counted(analyser, list(second)) == [Counter(terms(text)) for text in second]


def test_one_vocabulary_serves_many_calls() -> None:
    analyser, vocabulary = Analyser(), Vocabulary()
    (first,) = analyser.counted([b"Foo foo bar_baz"], vocabulary)
    (second,) = analyser.counted([b"baz foo " + b"x" * 300], vocabulary)
    assert vocabulary.words == [b"foo", b"bar_baz", b"bar", b"baz", LONG_WORD.encode()]
    assert sorted(first.words.tolist()) == [0, 0, 1, 2, 3]
    assert sorted(second.words.tolist()) == [0, 3, 4]


@given(TEXT, TEXT)
def test_a_finder_finds_exactly_the_terms_both_have(text: str, question: str) -> None:
    wanted = terms(question)
    assert TermFinder(wanted).found_in(text) == set(wanted) & set(terms(text))
