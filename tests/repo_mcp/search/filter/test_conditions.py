"""Conditions select the files that fulfil them, with several segments and dead files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from code_graph import Languages
from index_format.analysis.word_pairs import terms_of_phrase
from index_format.analysis.words import MAX_WORD, terms
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.question.syntax.tree import (
    All,
    Any,
    Condition,
    Filter,
    Not,
    Phrase,
    Prefix,
    Word,
    leaves,
)
from repo_mcp.search.filter.conditions import Conditions
from repo_mcp.search.filter.file_words import expand_prefix
from repo_mcp.search.filter.path_filter import PathFilter
from repo_mcp.search.filter.phrases import find_phrase
from repo_mcp.text.files import Rows
from tests.repo_mcp.search.filter.condition_oracle import File, Oracle, index_of, shown
from tests.repo_mcp.trees import FOREVER

BODIES = [
    "alpha beta",
    "return 0",
    "0",
    "the return",
    "Return\t0 the",
    "alphaBeta",
    "alpha_gamma beta",
    "Beta ALPHA",
    "gamma\tdelta",
    "",
    "alp",
]
FILES = st.builds(
    File,
    st.sampled_from(["a.py", "alpha/b.py", "alpha/beta.c", "gamma_delta/c.c", "d/delta.md"]),
    st.lists(st.sampled_from(BODIES), min_size=1, max_size=3).map(tuple),
    st.sampled_from(["", "", "alpha", "deltaGamma"]),
    st.sampled_from(["", "", "beta gamma"]),
)
GENERATIONS = st.lists(st.lists(FILES, max_size=4), min_size=1, max_size=4)

FIELDS = st.sampled_from([None, None, "body", "symbol", "doc", "path", "name"])
WORDS = st.sampled_from(
    ["alpha", "Beta", "alphaBeta", "alpha_gamma", "delta_gamma", "gammaAlpha", "alpha.beta", "zz"]
)
LEAVES: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Word, FIELDS, WORDS),
    st.builds(Prefix, FIELDS, st.sampled_from(["alp", "alpha", "ALPHAB", "gam", "zzz", "alpha_"])),
    st.builds(Filter, st.just("glob"), st.sampled_from(["*.py", "alpha/**", "**/b*"])),
    st.builds(Filter, st.just("ext"), st.sampled_from(["py", "c"])),
)
PHRASES = st.builds(
    Phrase,
    st.sampled_from(
        [
            *("alpha beta", "BETA  alpha", "gamma delta", "beta alphaBeta", "return 0"),
            *("the Return 0", "0 the", "0 alpha beta", "return 0 alpha"),
        ]
    ),
)


def trees(leaf: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            inner.map(Not),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: All(tuple(parts))),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: Any(tuple(parts))),
        ),
        max_leaves=6,
    )


def last_of(generations: list[list[File]]) -> dict[str, File]:
    return {file.path: file for files in generations for file in files}


@given(GENERATIONS, trees(LEAVES))
def test_a_mask_holds_the_files_that_fulfil_the_condition(
    generations: list[list[File]], condition: Condition
) -> None:
    index, snapshot = index_of(*generations)
    expected = Oracle(last_of(generations)).paths(condition)
    conditions = Conditions(PathFilter(Languages()))
    assert shown(snapshot, conditions.mask(snapshot, condition, FOREVER)) == expected
    assert shown(snapshot, conditions.mask(snapshot, condition, FOREVER)) == expected
    index.compact(full=True)
    compacted = index.snapshot()
    assert shown(compacted, conditions.mask(compacted, condition, FOREVER)) == expected


@given(GENERATIONS, trees(st.one_of(LEAVES, PHRASES)))
def test_with_the_text_of_each_file_the_mask_becomes_exact(
    generations: list[list[File]], condition: Condition
) -> None:
    _, snapshot = index_of(*generations)
    files = last_of(generations)
    found = Conditions(PathFilter(Languages())).narrow(snapshot, condition, (), FOREVER)
    expected = Oracle(files).paths(condition)
    may = shown(snapshot, found.mask)
    assert expected <= may
    chunks = {snapshot.chunk(at).path: at for at in np.flatnonzero(found.mask).tolist()}
    places = {path: found.phrase_places(Rows(files[path].text.encode())) for path in may}
    assert {path for path in may if found.matches(chunks[path], places[path])} == expected
    phrases = [leaf for leaf in leaves(condition) if isinstance(leaf, Phrase)]
    assert found.phrases == tuple(dict.fromkeys(phrases))


@given(GENERATIONS, PHRASES)
def test_chunks_that_may_show_a_phrase_are_those_with_all_of_its_words_and_pairs(
    generations: list[list[File]], phrase: Phrase
) -> None:
    _, snapshot = index_of(*generations)
    files = last_of(generations)
    found = Conditions(PathFilter(Languages())).narrow(snapshot, phrase, (), FOREVER)
    showing = [
        (snapshot.chunk(at).path, snapshot.chunk(at).start_line // 2) for at in found.showing
    ]
    assert found.showing.tolist() == sorted(set(found.showing.tolist()))
    holding = {
        (path, number)
        for path, file in files.items()
        for number, body in enumerate(file.bodies)
        if find_phrase(body, phrase)
    }
    assert holding <= set(showing)
    for path, number in set(showing) - holding:
        words = set(terms(files[path].bodies[number]))
        assert words.issuperset(terms_of_phrase(phrase.text).words)


ALPHA = File("a.py", ("alpha",))
BETA = File("b.c", ("beta", "alphabet"))


def test_filters_narrow_further() -> None:
    _, snapshot = index_of([ALPHA, BETA])
    either = Any((Word(None, "alpha"), Word(None, "beta")))
    narrow = Conditions(PathFilter(Languages())).narrow
    assert shown(snapshot, narrow(snapshot, either, (), FOREVER).mask) == {"a.py", "b.c"}
    filters = (Filter("ext", "c"),)
    assert shown(snapshot, narrow(snapshot, either, filters, FOREVER).mask) == {"b.c"}
    assert shown(snapshot, narrow(snapshot, None, filters, FOREVER).mask) == {"b.c"}


def test_no_condition_and_no_filter_leave_all_that_is_alive() -> None:
    _, snapshot = index_of([ALPHA, BETA], [ALPHA])
    found = Conditions(PathFilter(Languages())).narrow(snapshot, None, (), FOREVER)
    assert shown(snapshot, found.mask) == {"a.py", "b.c"}
    assert int(found.mask.sum()) == snapshot.chunk_count == snapshot.chunk_span - 1


@pytest.mark.parametrize("condition", [Prefix(None, "zz"), Not(Prefix(None, "al"))])
def test_a_short_beginning_narrows_nothing_and_is_named(condition: Condition) -> None:
    _, snapshot = index_of([ALPHA, BETA])
    found = Conditions(PathFilter(Languages())).narrow(snapshot, condition, (), FOREVER)
    assert shown(snapshot, found.mask) == {"a.py", "b.c"}
    assert found.ignored_prefixes == tuple(leaves(condition))


def test_a_long_word_is_where_words_too_long_to_be_indexed_are() -> None:
    long = "x" * (MAX_WORD + 1)
    _, snapshot = index_of([File("a", (long,)), File("b", ("y" * 140,)), File("c", ("x",))])
    mask = Conditions(PathFilter(Languages())).mask(snapshot, Word(None, long), FOREVER)
    assert shown(snapshot, mask) == {"a", "b"}


def test_a_word_of_several_parts_that_only_a_dead_file_holds_is_its_parts() -> None:
    condition = Word(None, "alphaBeta")
    parts = File("parts", ("beta", "alpha"))
    _, snapshot = index_of([File("old", ("alphaBeta",)), parts])
    assert shown(
        snapshot, Conditions(PathFilter(Languages())).mask(snapshot, condition, FOREVER)
    ) == {"old"}
    _, snapshot = index_of([File("old", ("alphaBeta",)), parts], [File("old", ("nothing",))])
    assert shown(
        snapshot, Conditions(PathFilter(Languages())).mask(snapshot, condition, FOREVER)
    ) == {"parts"}


def test_a_returned_mask_may_be_modified() -> None:
    _, snapshot = index_of([ALPHA, BETA])
    conditions = Conditions(PathFilter(Languages()))
    for _ in range(3):
        mask = conditions.mask(snapshot, Word(None, "alpha"), FOREVER)
        assert shown(snapshot, mask) == {"a.py"}
        mask[:] = True


def test_cancelling_stops_the_work() -> None:
    _, snapshot = index_of([ALPHA])
    with pytest.raises(Problem, match="cancelled"):
        Conditions(PathFilter(Languages())).mask(
            snapshot, Word(None, "alpha"), Budget(None, lambda: True)
        )


def test_a_prefix_stands_for_its_most_frequent_live_words() -> None:
    old = File("c", ("alpine alpine2",))
    _, snapshot = index_of([ALPHA, BETA, old], [File("c", ("alpha alp",))])
    assert expand_prefix(snapshot, Prefix(None, "Alp"), 2) == ("alpha", "alp")
    assert expand_prefix(snapshot, Prefix(None, "alp"), 9) == ("alpha", "alp", "alphabet")
    assert expand_prefix(snapshot, Prefix("symbol", "alp"), 9) == ()
