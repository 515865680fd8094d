"""Words: identifiers are split by one rule, and counters refuse what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, strategies as st

from index_format.native import (
    MAX_WORD,
    NATIVE,
    PlainWordCounter,
    TermCounter,
    split_identifier,
)

KEY = bytes(16)
LONG = b"(long)"
LETTERS = st.sampled_from("aBcX_19\u00e9\u00c9\u0130\u03a3\u01c5\u4e2d\u0663\U00010428")

needs_compiled = pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")


def compiled_counter(key: bytes = KEY) -> TermCounter:
    assert NATIVE is not None
    return NATIVE.WordCounter(key, LONG)


def make_counter(*, compiled: bool) -> TermCounter:
    return compiled_counter() if compiled else PlainWordCounter(KEY, LONG)


def numbers(words: list[bytes]) -> list[int]:
    return list(range(len(words)))


def refused(word: bytes) -> list[bytes]:
    raise LookupError(word)


def nothing(_: bytes) -> list[bytes]:
    return []


def cut(word: str) -> list[str]:
    """The rule, character by character."""
    parts = [""]
    for before, here, after in zip(" " + word, word, word[1:] + " ", strict=False):
        begins = here.isupper() and (not before.isupper() or after.islower())
        if here == "_" or begins:
            parts.append("")
        if here != "_":
            parts[-1] += here
    return [part for part in parts if part]


def count_terms(counter: TermCounter, piece: str | bytes) -> Counter[bytes]:
    names: list[bytes] = []

    def number_terms(terms: list[bytes]) -> list[int]:
        names.extend(terms)
        return list(range(len(names) - len(terms), len(names)))

    terms, times, ends, _ = counter.count([piece], number_terms, nothing)
    assert len(terms) == len(times) == 4 * ends[0]
    found: Counter[bytes] = Counter()
    pairs = zip(memoryview(terms).cast("I"), memoryview(times).cast("I"), strict=True)
    for term, count in pairs:
        found[names[term]] += count
    return found


@given(st.lists(LETTERS, min_size=1, max_size=12).map("".join))
def test_words_are_split_before_capitals_and_at_underscores(word: str) -> None:
    assert split_identifier(word) == cut(word)


@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=needs_compiled)], ids=["plain", "compiled"]
)
@given(word=st.text(st.sampled_from("abXYZ_09"), min_size=1, max_size=MAX_WORD))
def test_counters_split_words_by_the_same_rule(word: str, compiled: bool) -> None:  # noqa: FBT001 as pytest gives it
    parts = cut(word)
    terms = [word] if parts == [word] else [word, *parts] if parts else []
    expected = Counter(term.lower().encode() for term in terms)
    for piece in (word, word.encode()):
        assert count_terms(make_counter(compiled=compiled), piece) == expected


@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=needs_compiled)], ids=["plain", "compiled"]
)
@pytest.mark.parametrize(
    ("letter", "length"), [("a", MAX_WORD + 1), ("\u00e9", MAX_WORD + 1), ("\U00010428", 300)]
)
def test_long_words_give_the_term_of_the_caller(letter: str, length: int, compiled: bool) -> None:  # noqa: FBT001 as pytest gives it
    counter = make_counter(compiled=compiled)
    word = letter * length
    assert count_terms(counter, f"{word} x {word}") == {LONG: 2, b"x": 1}
    assert len(counter) == 1


@needs_compiled
def test_the_limit_of_words_is_the_same_in_c() -> None:
    assert NATIVE is not None
    assert NATIVE.MAX_WORD == MAX_WORD


@needs_compiled
@pytest.mark.parametrize("key", [b"", bytes(15), bytes(17)])
def test_a_key_has_sixteen_bytes(key: bytes) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        compiled_counter(key)


@needs_compiled
@pytest.mark.parametrize(
    ("pieces", "numbers", "other_terms", "error"),
    [
        ([b"a", None], numbers, nothing, TypeError),
        ([b"a", 3], numbers, nothing, TypeError),
        ([b"a"], lambda _: None, nothing, TypeError),
        ([b"a b"], lambda _: [1], nothing, TypeError),
        ([b"a"], lambda _: [-1], nothing, OverflowError),
        ([b"a"], lambda _: [1 << 32], nothing, OverflowError),
        ([b"a"], lambda _: ["1"], nothing, TypeError),
        (["\u00e4"], numbers, refused, LookupError),
        (["\u00e4"], numbers, lambda _: ("a",), TypeError),
        (["\u00e4"], numbers, lambda _: ["a"], TypeError),
    ],
)
def test_what_went_wrong_leaves_nothing_behind(
    pieces: Sequence[bytes],
    numbers: Callable[[list[bytes]], list[int]],
    other_terms: Callable[[bytes], list[bytes]],
    error: type[Exception],
) -> None:
    counting = compiled_counter()
    for _ in range(2):
        counting.count([b"one two", "three"], lambda words: list(range(len(words))), nothing)
        assert len(counting) == 3
        with pytest.raises(error):
            counting.count(pieces, numbers, other_terms)
        assert len(counting) == 0


@needs_compiled
def test_it_counts_one_batch_at_a_time() -> None:
    counting = compiled_counter()

    def again(_: bytes) -> list[bytes]:
        counting.count([b"a"], numbers, nothing)
        return []

    with pytest.raises(RuntimeError, match="already"):
        counting.count(["\u00e4"], numbers, again)
    assert counting.count([b"a"], numbers, nothing)[2] == [1]
