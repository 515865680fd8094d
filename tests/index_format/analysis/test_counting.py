"""Counting terms gives the same result with compiled code and without."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from index_format import MemoryStore, Tokens, Vocabulary, build_segment
from index_format.analysis import counting
from index_format.analysis.counting import Analyser
from index_format.analysis.words import LONG_WORD, MAX_WORD, terms
from index_format.native import NATIVE, Native
from repo_mcp.indexing.build.documents import TextFile, make_documents
from repo_mcp.model import Windows
from repo_mcp.stored import SCHEMA

Pieces = list[str | bytes]

ASCII = st.text(st.sampled_from("aBcX_19 \n\r.-\0\x0c\x1c\x7f"), max_size=80)
# letters of several widths, some that grow when lowered, marks, digits of other scripts, surrogates
LETTERS = (
    "aBX_9 .\0\n\u00e9\u00c9\u0130\u1e9e\u03a3\u03c2\u4e2d\u2014\u0301\u0663\U00010428"
    "\ud800\U0010ffff"
)
STRETCHES = st.sampled_from(
    ["b" * (MAX_WORD - 1), "C" * MAX_WORD, "\u00e9" * (MAX_WORD - 1), "x" * 250]
)
ANY = st.lists(st.sampled_from(LETTERS) | STRETCHES, max_size=40).map("".join)

needs_compiled = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")
each_way = pytest.mark.parametrize(
    "native", [None, pytest.param(NATIVE, marks=needs_compiled)], ids=["plain", "compiled"]
)


def read(found: list[Tokens], vocabulary: Vocabulary) -> list[Counter[str]]:
    counters = []
    for tokens in found:
        assert tokens.frequencies is not None
        held: Counter[str] = Counter()
        for word, times in zip(tokens.words.tolist(), tokens.frequencies.tolist(), strict=True):
            held[vocabulary.words[word].decode("utf-8", "surrogatepass")] += times
        counters.append(held)
    return counters


def counted(analyser: Analyser, pieces: Pieces) -> list[Counter[str]]:
    vocabulary = Vocabulary()
    return read(analyser.count(pieces, vocabulary), vocabulary)


def failing(word: bytes) -> list[bytes]:
    raise LookupError(word)


@each_way
@pytest.mark.requirement("CARD-whoosh")
@given(texts=st.lists(ASCII, max_size=5))
def test_plain_text_is_counted_as_whooshs_filters_split_it(
    texts: list[str], native: Native | None
) -> None:
    expected = [Counter(terms(text)) for text in texts]
    analyser = Analyser(native)
    assert counted(analyser, [text.encode() for text in texts]) == expected
    assert counted(analyser, list(texts)) == expected


@each_way
@given(first=st.lists(ANY, max_size=5), second=st.lists(ANY, max_size=5))
def test_any_text_is_counted_the_same_whatever_was_counted_before(
    first: list[str],
    second: list[str],
    native: Native | None,
) -> None:
    analyser, vocabulary = Analyser(native), Vocabulary()
    read(analyser.count(list(first), vocabulary), vocabulary)
    found = read(analyser.count(list(second), vocabulary), vocabulary)
    assert found == [Counter(terms(text)) for text in second]


@needs_compiled
@given(pieces=st.lists(st.text(max_size=60) | st.binary(max_size=60) | ANY, max_size=6))
def test_both_implementations_count_the_same(pieces: Pieces) -> None:
    plain, compiled = Analyser(None), Analyser(NATIVE)
    assert counted(compiled, pieces) == counted(plain, pieces)


@needs_compiled
def test_both_implementations_count_the_same_in_text_of_any_size() -> None:
    numbers = range(15_000)
    words = " ".join(f"reg_{number:x} Value{number % 977}Of{number // 7}" for number in numbers)
    pieces: Pieces = [words.encode(), words[::-1], words.replace("a", "\u00e4"), b"", ""]
    plain, compiled = Analyser(None), Analyser(NATIVE)
    assert counted(compiled, pieces) == counted(plain, pieces)


@needs_compiled
@pytest.mark.requirement("INT-02-deterministic")
def test_an_index_does_not_depend_on_how_its_words_were_counted() -> None:
    texts = ["int main(void) {\n}\n" * 150, "def \u00fcberTragung(x_1):\n    return X_1\n", "_ __"]
    entries = []
    for native in (None, NATIVE):
        vocabulary = Vocabulary()
        sources = [
            TextFile(f"f{number}.txt", text, bytes(16), len(text))
            for number, text in enumerate(texts)
        ]
        made = make_documents(sources, Windows(), Analyser(native), vocabulary)
        entries.append(build_segment(MemoryStore(), SCHEMA, made, vocabulary))
    assert entries[0] == entries[1]


@each_way
def test_one_vocabulary_serves_many_calls(native: Native | None) -> None:
    analyser, vocabulary = Analyser(native), Vocabulary()
    vocabulary.number("here before")
    (first,) = analyser.count([b"Foo foo bar_baz"], vocabulary)
    vocabulary.number("from elsewhere")
    (second,) = analyser.count([b"baz foo " + b"x" * 300], vocabulary)
    assert vocabulary.words == [
        b"here before",
        *(b"foo", b"bar_baz", b"bar", b"baz"),
        b"from elsewhere",
        LONG_WORD.encode(),
    ]
    assert read([first, second], vocabulary) == [
        Counter(foo=2, bar_baz=1, bar=1, baz=1),
        Counter({"baz": 1, "foo": 1, LONG_WORD: 1}),
    ]


@each_way
def test_after_an_error_words_keep_their_numbers_and_their_terms(
    native: Native | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    analyser, vocabulary = Analyser(native), Vocabulary()
    analyser.count([b"one two"], vocabulary)
    with monkeypatch.context() as patch:
        patch.setattr(counting, "split_other", failing)
        with pytest.raises(LookupError):
            analyser.count([b"three", "f\u00fcnf four"], vocabulary)
    (found,) = read(analyser.count(["four f\u00fcnf three two"], vocabulary), vocabulary)
    assert found == Counter(["four", "f\u00fcnf", "three", "two"])
    assert len(set(vocabulary.words)) == len(vocabulary) == 5


@each_way
def test_another_vocabulary_starts_afresh(native: Native | None) -> None:
    analyser = Analyser(native)
    for _ in range(2):
        assert counted(analyser, [b"foo"]) == [Counter(foo=1)]


@each_way
def test_the_cache_of_words_has_a_limit(
    native: Native | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "_MAX_REMEMBERED", 3)
    analyser, vocabulary = Analyser(native), Vocabulary()
    long_words = " ".join(f"{number}" + "x" * 300 for number in range(9))
    analyser.count([f"one two three {long_words}"], vocabulary)
    assert not analyser.is_full
    analyser.count([b"One"], vocabulary)
    assert analyser.is_full


@needs_compiled
def test_the_result_does_not_depend_on_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: Pieces = [" ".join(f"w{number % 3001}" for number in range(9000)), "\u00e4 w1 aBc"]
    found = []
    for key in (bytes(16), b"k" * 16):
        monkeypatch.setattr("os.urandom", lambda _, key=key: key)
        found.append(Analyser(NATIVE).count(pieces, Vocabulary()))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one.words, other.words)
        assert one.frequencies is not None
        assert other.frequencies is not None
        assert np.array_equal(one.frequencies, other.frequencies)
