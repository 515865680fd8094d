"""Pairs of common words: what is listed, what is found, and what a phrase is looked up by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format import Vocabulary
from index_format.analysis.counting import Analyser
from index_format.analysis.word_pairs import COMMON_WORDS, plain_text, terms_of_phrase
from index_format.native import NATIVE
from index_format.native.pairs import LONGEST_LISTED, MOST_LISTED
from repo_mcp.question.syntax.tree import Phrase
from repo_mcp.search.filter.phrases import find_phrase

PIECES = [
    "return",
    "0",
    "The",
    "size_t",
    "other",
    ".",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\xa0",
    "\u2003",
]
BEYOND = ["\u212a", "\u00e9", "\u4e2d", "\u2014", "\u0301", "\U00010428", "_", "s", "\u017f"]


def pairs_of(text: str, *edges: int, analyser: Analyser | None = None) -> list[list[str]]:
    """The pairs of each stretch."""
    vocabulary = Vocabulary()
    stretches = np.array(edges, dtype=np.int64).reshape(-1, 2)
    content = text.encode() if text.isascii() else text
    found = (analyser or Analyser()).count_pairs([(content, stretches)], vocabulary)
    return [[vocabulary.words[number].decode() for number in item.words] for item in found]


def test_the_list_is_what_compiled_code_takes() -> None:
    assert len(COMMON_WORDS) <= MOST_LISTED
    assert max(map(len, COMMON_WORDS)) <= LONGEST_LISTED
    assert all(word.isascii() and word == word.lower() for word in COMMON_WORDS)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("return 0;", ["return 0"]),
        ("Return\r\n\t 0", ["return 0"]),
        ("return(0)", []),
        ("return 0 return 0", ["return 0", "0 return"]),
        ("return xyzzy 0", []),
        ("xreturn 0", []),
        ("return 0x", []),
        ("return\u00a00", ["return 0"]),
        ("return \u2014 0", []),
        ("\u00e9return 0", []),
        ("return 0 \u00e9", ["return 0"]),
        ("", []),
    ],
)
def test_pairs_are_listed_words_with_blanks_between(text: str, pairs: list[str]) -> None:
    assert pairs_of(text, 0, len(text)) == [pairs]


def test_a_pair_belongs_to_the_stretch_in_which_it_begins() -> None:
    text = "the return\n\n0 is it\n"
    assert pairs_of(text, 0, 11, 11, len(text)) == [["the return", "return 0"], ["0 is", "is it"]]
    assert pairs_of(text, 11, 12) == [[]]


@given(st.lists(st.sampled_from([*PIECES, *BEYOND])).map("".join), st.data())
def test_compiled_and_plain_code_list_the_same(text: str, data: st.DataObject) -> None:
    places = st.integers(0, len(text))
    edges = [sorted(data.draw(st.tuples(places, places))) for _ in range(3)]
    flat = [edge for pair in edges for edge in pair]
    assert pairs_of(text, *flat) == pairs_of(text, *flat, analyser=Analyser(None))


@given(
    st.lists(st.sampled_from([*PIECES, *BEYOND])).map("".join),
    st.lists(st.sampled_from(["return", "0", "the", "size_t", "other"]), min_size=2, max_size=4),
)
def test_a_text_with_a_phrase_has_its_pairs(text: str, words: list[str]) -> None:
    phrase = " ".join(words)
    if find_phrase(text, Phrase(phrase)):
        (pairs,) = pairs_of(text, 0, len(text))
        assert set(terms_of_phrase(phrase).pairs) <= set(pairs)


@pytest.mark.parametrize(
    ("phrase", "pairs", "words"),
    [
        ("return 0", ("return 0",), ()),
        ("Return  0 xyzzy", ("return 0",), ("xyzzy",)),
        ("return fooBar 0", (), ("return", "foobar", "0")),
        ("if (return 0)", ("return 0",), ("if",)),
        ("return, 0", (), ("return", "0")),
        ("the return 0 the return", ("the return", "return 0", "0 the"), ()),
        ("-> (", (), ()),
    ],
)
def test_terms_of_a_phrase(phrase: str, pairs: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert terms_of_phrase(phrase) == (pairs, words)


@given(st.text())
def test_stand_ins_keep_the_length(text: str) -> None:
    assert len(plain_text(text)) == len(text)


@pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")
def test_numbers_of_words_and_pairs_do_not_disturb_each_other() -> None:
    analyser, vocabulary = Analyser(), Vocabulary()
    stretch = np.array([[0, 8]], dtype=np.int64)
    for text in (b"return 0", b"return 1", b"return 0", b"sort two"):
        analyser.count([text], vocabulary)
        analyser.count_pairs([(text, stretch)], vocabulary)
    assert len(set(vocabulary.words)) == len(vocabulary.words)
    assert {b"return", b"0", b"1", b"sort", b"two", b"return 0", b"return 1"} <= set(
        vocabulary.words
    )
