"""Questions in other words: which words count as a function's, and which questions are made."""

from __future__ import annotations

import pytest

from bench.answers.paraphrase import own_words, paraphrases, reworded, shared_words
from bench.answers.paraphrased import is_function
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked

TEXT = """import os


# Forgets what nobody has asked for.
def evictStale(cache):
    oldest = min(cache, key=cache.get)
    del cache[oldest]


def other():
    return harvest
"""
OWN = own_words(TEXT, Place("lib/store_room.py", 5, 7))


@pytest.mark.parametrize(
    ("question", "shared"),
    [
        ("throw away unused things", []),
        ("evicting the old ones", ["evicting"]),
        ("is something stale", ["stale"]),
        ("what is forgotten, by nobody", ["nobody"]),
        ("which rooms are full", ["rooms"]),
        ("when to harvest", []),
    ],
    ids=["none", "a form", "a part of a name", "documentation", "path", "another function"],
)
def test_words_of_name_body_documentation_and_path_are_shared(
    question: str, shared: list[str]
) -> None:
    assert shared_words(question, OWN) == shared


def test_a_sentence_has_other_words_for_those_of_the_function() -> None:
    own = own_words("def find_node(key):\n    return key\n", Place("a.py", 1, 2))
    assert reworded("Find the node which carries some precious label today.", own) == (
        "search the vertex which carries some precious label today"
    )


def test_a_sentence_of_which_too_little_is_left_is_no_question() -> None:
    own = own_words("def zip_all(fruit, basket, orchard):\n    pass\n", Place("a.py", 1, 2))
    assert not reworded("Zip the fruit, the basket and the orchard.", own)


@pytest.mark.parametrize(
    ("hit", "is_right"),
    [
        (Ranked("a.py", 10, 20), True),
        (Ranked("a.py", 8, 20), True),
        (Ranked("a.py", 1, 90), False),
        (Ranked("a.py", 12, 13), False),
        (Ranked("b.py", 10, 20), False),
    ],
    ids=["the same", "with a decorator", "a class", "inside", "another file"],
)
def test_a_hit_is_the_function_if_it_has_about_its_lines(hit: Ranked, *, is_right: bool) -> None:
    assert is_function(hit, Place("a.py", 10, 20)) == is_right


def test_repositories_of_the_splits_differ_and_each_function_has_one_question() -> None:
    found = paraphrases()
    train, test = ({item.repository for item in paraphrases(split)} for split in ("train", "test"))
    assert len({(item.repository, item.place) for item in found}) == len(found)
    assert not train & test
    assert sum(item.by == "hand" for item in paraphrases("test")) >= 100
