"""The needles of a pattern are in the words of every matching line."""

from __future__ import annotations

import re
import unicodedata
from itertools import product

import pytest
import re2  # type: ignore[import-untyped]  # it brings no types
from hypothesis import given, strategies as st

from index_format import Edge, TermLines, TermText
from index_format.analysis.words import LONG_WORD, MAX_WORD, terms
from repo_mcp.search.dictionary.needles import (
    Branch,
    Needle,
    Separator,
    Unit,
    build_branch,
    is_word_character,
)
from tests.repo_mcp.search.dictionary.needle_oracle import holds


def units(text: str) -> list[Unit]:
    return [character if is_word_character(character) else Separator.CLOSED for character in text]


def needles(text: str) -> dict[str, tuple[Edge, Edge]]:
    return {
        found.text: (found.left, found.right) for found in build_branch(units(text), folded=False)
    }


OPEN, SOFT, CLOSED = Edge.OPEN, Edge.SOFT, Edge.CLOSED


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("kmalloc", {"kmalloc": (OPEN, OPEN)}),
        ("(kmalloc", {"kmalloc": (CLOSED, OPEN)}),
        (" kmalloc(", {"kmalloc": (CLOSED, CLOSED)}),
        (
            "alloc_pages_no",
            {
                "alloc_pages_no": (OPEN, OPEN),
                "alloc": (OPEN, CLOSED),
                "pages": (CLOSED, CLOSED),
                "no": (CLOSED, OPEN),
            },
        ),
        ("_ops ", {"ops": (CLOSED, CLOSED)}),
        (" _ops", {"_ops": (CLOSED, OPEN), "ops": (CLOSED, OPEN)}),
        ("Header", {"header": (CLOSED, OPEN)}),
        (
            "parseHTTPH",
            {"parsehttph": (OPEN, OPEN), "parse": (OPEN, CLOSED), "http": (CLOSED, OPEN)},
        ),
        ("___", {}),
        ("->", {}),
        ("x" * (MAX_WORD + 1), {"": (OPEN, OPEN)}),
    ],
)
def test_a_literal_requires_words_and_parts(
    literal: str, expected: dict[str, tuple[Edge, Edge]]
) -> None:
    assert needles(literal) == expected


@pytest.mark.differential
def test_every_substring_of_every_small_identifier() -> None:
    """Cut anywhere, with or without its neighbours: the word's terms contain all needles."""
    for size in range(1, 6):
        for letters in product("aB_1é", repeat=size):
            word = "".join(letters)
            held = terms(f" {word} ")
            for begin in range(size):
                for end in range(begin + 1, size + 1):
                    for before, after in ((0, 0), (begin == 0, end == size)):
                        text = " " * before + word[begin:end] + " " * after
                        found = build_branch(units(text), folded=False)
                        assert all(holds(held, needle) for needle in found), (word, text)


TEXTS = st.text(st.sampled_from("aAbBsSkK\u017f\u212aéÉß\u03c3ςΣ\u0130i1_²中 .-"), max_size=90)


@given(st.data())
def test_any_part_of_any_text(data: st.DataObject) -> None:
    text = data.draw(TEXTS | st.text(max_size=80))
    row = text.replace("\n", " ")
    begin = data.draw(st.integers(0, len(row)))
    end = data.draw(st.integers(begin, len(row)))
    for needle in build_branch(units(row[begin:end]), folded=False):
        assert holds(terms(row), needle)


@given(st.data())
def test_any_part_of_any_text_in_any_case(data: st.DataObject) -> None:
    """A folded text may have any letter that the engine treats as equal."""
    row = data.draw(TEXTS).replace("\u0345", "")
    begin = data.draw(st.integers(0, len(row)))
    end = data.draw(st.integers(begin, len(row)))
    pattern = "".join(data.draw(st.sampled_from(variants(c))) for c in row[begin:end])
    for needle in build_branch(units(pattern), folded=True):
        assert holds(terms(row), needle)


def variants(character: str) -> list[str]:
    others = [*"sS\u017fkK\u212a\u03c3ςΣ", character.upper(), character.lower(), character]
    alike = re.compile(re.escape(character), re.IGNORECASE)
    return [other for other in others if len(other) == 1 and alike.fullmatch(other)]


def cased() -> list[str]:
    """All characters that have another case."""
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    return [c for c in map(chr, codes) if c.lower() != c or c.upper() != c or c.casefold() != c]


@pytest.fixture(scope="module")
def alike() -> dict[str, str]:
    """For each such character, those that the engine treats as equal."""
    every = cased()
    text = "".join(every).encode()
    options = re2.Options()
    found = {
        c: "".join(
            m.group().decode() for m in re2.compile(b"(?i)" + c.encode(), options).finditer(text)
        )
        for c in every
    }
    re2.purge()
    return found


def test_letters_that_stand_for_others_are_in_words_alike(alike: dict[str, str]) -> None:
    """Letters for which this fails are never part of a needle."""
    uneven = set("\u0345\u0399\u03b9\u1fbe")
    for character, others in alike.items():
        if character not in uneven:
            kinds = {is_word_character(other) for other in others + character}
            assert len(kinds) == 1, (character, others)


def test_a_term_is_found_by_letters_that_stand_for_its_own(alike: dict[str, str]) -> None:
    for character, others in alike.items():
        if character in "\u0345\u0399\u03b9\u1fbe\u017f\u212a":
            continue  # expressions make no needles of these, folded
        needle = folded_needle(f"a{character}b")
        if needle is None:
            continue
        for other in others:
            assert holds(terms(f"a{other}b"), needle), (character, other)


def folded_needle(text: str) -> Needle | None:
    found: Branch = build_branch(units(text), folded=True)
    return found[0] if len(found) == 1 and len(found[0].text) >= len(text) else None


def test_a_boundary_beside_ascii_lets_only_other_letters_follow() -> None:
    for begin, end in (([Separator.BOUNDARY], []), ([], [Separator.BOUNDARY])):
        (needle,) = build_branch([*begin, *"foo", *end], folded=False)
        assert (needle.left, needle.right) == (SOFT if begin else OPEN, SOFT if end else OPEN)


def test_a_boundary_beside_other_letters_says_nothing() -> None:
    (needle,) = build_branch([Separator.BOUNDARY, *"éé"], folded=False)
    assert needle.left == OPEN


def test_the_index_sees_edges_like_the_oracle() -> None:
    """`TermText`, `TermLines` and the oracle agree on edges."""
    words = ["foo", "éfoo", "fooé", "xfoo", "foox", "éfooé", "xfooé"]
    for left, right in product(Edge, Edge):
        needle = Needle("foo", left, right)
        what = TermText("foo", left, right)
        lines = TermLines([word.encode() for word in words])
        numbers = lines.containing(what, len(words))
        assert numbers is not None
        for number, word in enumerate(words):
            wanted = holds([word], needle)
            assert what.fits(word.encode()) == wanted, (word, left, right)
            assert (number in numbers) == wanted, (word, left, right)


def test_long_words_may_hold_what_is_open_at_a_side() -> None:
    assert holds([LONG_WORD], Needle("foo"))
    assert not holds([LONG_WORD], Needle("foo", CLOSED, CLOSED, long=False))


def test_the_alphabet_has_marks_that_are_in_no_word() -> None:
    assert unicodedata.category("\u0345") == "Mn"
    assert not is_word_character("\u0345")
