"""Suggestions come from the index, nearest first, and are deterministic."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.words import MAX_WORD
from index_format.generation.snapshot import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Suggestion
from repo_mcp.search.suggest import near_paths, near_words
from repo_mcp.search.suggest.near_words import NearWords
from repo_mcp.search.suggest.suggestions import MOST, suggest_queries
from tests.repo_mcp.search.filter.condition_oracle import File, index_of
from tests.repo_mcp.trees import FOREVER


def snapshot_of(*bodies: str) -> Snapshot:
    """A snapshot with a file for each text."""
    return index_of([File(f"f{at}", (body,)) for at, body in enumerate(bodies)])[1]


def texts(snapshot: Snapshot, query: str, kind: str) -> list[str]:
    return [item.text for item in suggest_queries(snapshot, query, FOREVER) if item.kind == kind]


def near(snapshot: Snapshot, word: str, most: int = 9) -> list[str]:
    return [item.text for item in NearWords(snapshot, FOREVER).near(word, most)]


def test_the_nearest_come_first_then_the_most_frequent_then_by_text() -> None:
    snapshot = snapshot_of("parsers parsed parsec", "parsed parser", "parse pars", "parsers")
    assert near(snapshot, "parsex") == ["parsed", "parse", "parsec", "parser", "parsers", "pars"]


def test_swapped_letters_are_one_typo() -> None:
    snapshot = snapshot_of("receive", "recevxx recevxx")
    assert near(snapshot, "receiev")[0] == "receive"
    assert near(snapshot, "erceive") == ["receive"]


def test_an_extra_first_letter_is_a_typo() -> None:
    assert near(snapshot_of("malloc"), "kmalloc") == ["malloc"]


@pytest.mark.parametrize(
    "word", ["ab", "x" * (MAX_WORD + 1), "0xabc", "1234", "12a4", "", "zzzzzz", "_____"]
)
def test_some_words_have_no_suggestions(word: str) -> None:
    snapshot = snapshot_of("abc 1235 12b4 ____ yyyyyy 0xabd", "x" * MAX_WORD)
    assert near(snapshot, word) == []


def test_short_words_may_differ_once_long_ones_twice() -> None:
    snapshot = snapshot_of("lock mutex")
    assert near(snapshot, "lokk") == ["lock"]
    assert near(snapshot, "lokm") == []
    assert near(snapshot, "mutax") == ["mutex"]
    assert near(snapshot, "mutuk") == ["mutex"]
    assert near(snapshot, "mukuk") == []


def test_only_live_words_are_suggested_and_counted() -> None:
    files = [File("a", ("parser",)), File("b", ("parsed",)), File("c", ("parsed parses",))]
    _, snapshot = index_of(files, [File("b", ("parser",)), File("c", ("parsed",))])
    found = NearWords(snapshot, FOREVER).near("parsex", 9)
    assert [(item.text, item.chunks) for item in found] == [("parser", 2), ("parsed", 1)]


WORDS = st.text("abc", min_size=3, max_size=6)


def distance(one: str, other: str) -> int:
    """The Levenshtein distance, by its definition."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row = row, [at]
        for place, wanted in enumerate(other, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != wanted)))
    return row[-1]


@given(st.lists(WORDS, min_size=1, max_size=20), WORDS)
def test_all_words_that_begin_alike_and_are_near_are_found(words: list[str], word: str) -> None:
    limit = 2 if len(word) >= 5 else 1
    found = near(snapshot_of(" ".join(words)), word, 99)
    expected = {w for w in words if w != word and w[:2] == word[:2] and distance(w, word) <= limit}
    assert expected <= set(found)
    assert set(found) - expected <= set(words).intersection(near_words.undo_typos(word))


def test_dead_files_do_not_count_in_the_choice_of_candidates() -> None:
    """More words are near than are counted; the choice must not depend on dead files."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    rare = [f"parse{letter}" for letter in letters]
    old = [File(f"old{at}", (" ".join(rare),)) for at in range(3)]
    index, snapshot = index_of(old, [File("new", (" ".join([*rare, "parser2"]),))])
    with index.writer() as writer:
        for at in range(3):
            writer.add(File(f"old{at}", ("parsez parsey",)).document(writer.vocabulary))
        writer.commit()
    snapshot = index.snapshot()
    found = near(snapshot, "parse_")
    assert found[:3] == ["parsey", "parsez", "parse0"]
    index.compact(full=True)
    assert near(index.snapshot(), "parse_") == found


def test_every_unknown_word_is_corrected_then_one_by_its_next_best_correction() -> None:
    snapshot = snapshot_of(*["container mutex"] * 3, "contained")
    assert texts(snapshot, "the contaimer, mutx!", "spelling") == [
        "the container, mutex!",
        "the contained, mutex!",
    ]


def test_a_correction_says_why() -> None:
    snapshot = snapshot_of("mutex", "mutex")
    expected = Suggestion("spelling", "mutex", "'mutx' is nowhere, 'mutex' in 2 places")
    assert suggest_queries(snapshot, "mutx", FOREVER) == (expected,)


def test_a_known_word_is_corrected_only_if_it_is_a_rare_typo() -> None:
    snapshot = snapshot_of("mutax mutes", *["mutex"] * 100, *["mutes"] * 30)
    assert texts(snapshot, "mutex", "spelling") == []
    assert texts(snapshot, "mutes", "spelling") == []
    assert texts(snapshot, "mutax", "spelling")[0] == "mutex"


def test_parts_of_an_identifier_are_corrected_if_the_whole_has_no_correction() -> None:
    snapshot = snapshot_of("get user name", "get_other")
    assert texts(snapshot, "getUserNane()", "spelling") == ["getUsername()"]
    assert texts(snapshot, "get_user_name", "spelling") == []


def test_adjacent_words_are_joined_to_a_known_word() -> None:
    snapshot = snapshot_of("database", "data_base", "data_base line", "base_line", "data base")
    assert texts(snapshot, "my data base line", "joined") == [
        "my data_base line",
        "my data base_line",
    ]
    assert texts(snapshot, "data, base", "joined") == []
    assert texts(snapshot_of("into"), "in to", "joined") == []


def test_an_unknown_word_is_split_into_two_known_ones() -> None:
    assert texts(snapshot_of("database connection"), "a DatabaseConnection", "split") == []
    assert texts(snapshot_of("database connection"), "a databaseconnection", "split") == [
        "a database connection"
    ]
    known = snapshot_of("database connection", "database_connection")
    assert texts(known, "databaseConnection", "split") == []
    assert texts(known, "databaseconnection", "spelling") == ["database_connection"]
    long = snapshot_of("abcdefgh_ijklmnop qrst", "abcdefgh", "ijklmnop")
    assert texts(long, "abcdefghijklmnop", "spelling") == ["abcdefgh_ijklmnop"]
    assert texts(snapshot_of("da tabase"), "databasx", "split") == []


PATHS = ["src/net/e1000_main.c", "src/igb/e1000_mac.c", "doc/e1000.rst", "src/net/main.c"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("e1000_mian.c", ["src/net/e1000_main.c", "src/igb/e1000_mac.c"]),
        ("where is src/net/amin.c", ["src/net/main.c", "src/net/e1000_main.c"]),
        ("E1000", ["doc/e1000.rst"]),
        ("e100", ["doc/e1000.rst"]),
        ("net something main", ["src/net/main.c", "src/net/e1000_main.c"]),
        ("net something", []),
        ("zzz", []),
        ("in the to", []),
    ],
)
def test_the_closest_paths(query: str, expected: list[str]) -> None:
    files = [File(path, ("x",)) for path in PATHS]
    _, snapshot = index_of(files[:2], files[2:])
    assert texts(snapshot, query, "path") == expected


def test_if_too_many_paths_tie_none_is_suggested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, snapshot = index_of([File(f"net/core/{at}.c", ("x",)) for at in range(4)])
    assert texts(snapshot, "the core of net", "path") == ["net/core/0.c", "net/core/1.c"]
    monkeypatch.setattr(near_paths, "_MOST_TIES", 3)
    assert texts(snapshot, "the core of net", "path") == []


def test_paths_of_dead_files_are_not_suggested() -> None:
    index, _ = index_of([File("a/main.c", ("x",)), File("b/main.c", ("x",))])
    with index.writer() as writer:
        writer.remove("a/main.c")
        writer.commit()
    assert texts(index.snapshot(), "amin.c", "path") == ["b/main.c"]
    assert texts(index.snapshot(), "a of main", "path") == []


def test_there_are_no_more_than_five() -> None:
    bodies = ["parsed parser parses", "parse", "spin_lock", "spinlock", "lock_held", "spin lock"]
    files = [File(f"spin/lock/parsex{at}.c", (body,)) for at, body in enumerate(bodies)]
    _, snapshot = index_of(files)
    found = suggest_queries(snapshot, "parsex spin lock held", FOREVER)
    assert len(found) == MOST
    assert {item.kind for item in found} == {"spelling", "joined", "path"}


QUERIES = st.text(st.sampled_from([*"abc_/. ", "é", "\ud800", "B"]), max_size=40)
TREES = st.lists(
    st.lists(
        st.builds(File, QUERIES.filter(bool), st.tuples(QUERIES)),
        max_size=4,
        unique_by=lambda f: f.path,
    ),
    min_size=1,
    max_size=3,
)


@given(TREES, st.one_of(QUERIES, st.text(max_size=50)))
def test_any_query_gets_the_same_before_and_after_compaction(
    generations: list[list[File]], query: str
) -> None:
    index, snapshot = index_of(*generations)
    found = suggest_queries(snapshot, query, FOREVER)
    assert len({item.text for item in found}) == len(found) <= MOST
    index.compact(full=True)
    assert suggest_queries(index.snapshot(), query, FOREVER) == found


def test_much_text_is_answered() -> None:
    assert suggest_queries(snapshot_of("parser"), "parsxr " * 20_000, FOREVER)[0].kind == "spelling"


def test_cancelling_stops_the_work() -> None:
    with pytest.raises(Problem, match="cancelled"):
        suggest_queries(snapshot_of("parser"), "parsxr", Budget(None, lambda: True))
