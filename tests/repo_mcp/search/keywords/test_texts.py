"""Texts that are kept only hold back files without a match, and are read ahead when none waits."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.budget import Budget
from repo_mcp.search.keywords import texts
from repo_mcp.search.keywords.ahead import Prepare, ReadAhead
from repo_mcp.search.keywords.search import FILE, LINE, KeywordEngine, KeywordQuery
from repo_mcp.search.keywords.texts import Sieve
from tests.repo_mcp.search.keywords.test_search import CountingSandbox, Tree, places, tree

FEW = st.text("ab\n", max_size=40)
NEEDLES = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=3)


@given(before=FEW, text=FEW, after=FEW, needles=NEEDLES, on_a_line=st.booleans())
def test_a_sieve_passes_what_has_all_of_it_and_nothing_else(
    *, before: str, text: str, after: str, needles: list[str], on_a_line: bool
) -> None:
    whole, part = f"{before}\n{text}\n{after}", f"{text}\n"
    begin = len(before) + 1
    sieve = Sieve(tuple(map(str.encode, needles)), on_a_line)
    wanted = any(
        all(needle in row for needle in needles)
        for row in (part.split("\n") if on_a_line else [part])
    )
    assert sieve.passes(bytearray(whole.encode()), begin, begin + len(part)) is wanted


FILES = {
    "a.txt": b"one two\nthree\n",
    "b.txt": b"One\nTwo\n",
    "c.txt": "gr\u00f6\u00dfe eins\n".encode(),
    "d.txt": "mi\u017ft one\n".encode(),
    "hidden.txt": b"one two\n",
    "e.txt": b"none at all, wto\n",
}


@pytest.fixture
def small(tmp_path: Path) -> Tree:
    return tree(tmp_path, FILES)


def is_allowed(path: str) -> bool:
    return path != "hidden.txt"


def ready(made: Tree, patience: int = 0) -> tuple[KeywordEngine, CountingSandbox]:
    """An engine that was asked once, and has read ahead what it may."""
    counting = CountingSandbox(made.sandbox)
    engine = KeywordEngine(counting, patience)  # type: ignore[arg-type]
    engine.find(made.snapshot, KeywordQuery(("nowhere",), LINE, 9), Budget())
    engine.read_ahead(made.snapshot, is_allowed)
    engine.finish_reading()
    return engine, counting


@pytest.mark.requirement("RET-SC-003")
@pytest.mark.parametrize(
    ("words", "scope", "found"),
    [
        (("one", "two"), LINE, ["a.txt"]),
        (("one two",), LINE, ["a.txt"]),
        (("on", "wo"), FILE, ["a.txt", "b.txt"]),
        (("\u00f6SSE E",), LINE, []),
        (("\u00f6\u00dfe E",), LINE, ["c.txt"]),
        (("three", "one"), LINE, []),
    ],
)
def test_of_texts_that_were_read_ahead_only_those_with_a_match_are_read_again(
    small: Tree, words: tuple[str, ...], scope: str, found: list[str]
) -> None:
    engine, counting = ready(small)
    read = counting.read_files
    query = KeywordQuery(words, scope, 20, allowed=is_allowed)  # type: ignore[arg-type]
    matches = engine.find(small.snapshot, query, Budget())
    assert list(dict.fromkeys(match.path for match in matches)) == found
    # the text with a letter that stands for an ASCII one is not kept
    assert counting.read_files - read in {len(found), len(found) + 1}


def test_nothing_that_is_not_allowed_is_read_ahead(small: Tree) -> None:
    _, counting = ready(small)
    assert counting.read_files == len(FILES) - 1


def test_a_tree_that_is_not_searched_a_lot_is_not_read_ahead(small: Tree) -> None:
    _, counting = ready(small, patience=1000)
    assert counting.read_files == 0


def test_a_tree_that_can_not_be_kept_is_not_read_ahead(
    small: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "MOST_BYTES", sum(map(len, FILES.values())) - 1)
    _, counting = ready(small)
    assert counting.read_files == 0


def test_a_file_that_changed_since_is_found_as_it_is_now(small: Tree, tmp_path: Path) -> None:
    engine, _ = ready(small)
    (tmp_path / "root" / "a.txt").write_bytes(b"two, and\none two\n")
    query = KeywordQuery(("one two",), LINE, 20, allowed=is_allowed)
    assert places(engine.find(small.snapshot, query, Budget())) == [("a.txt", 2)]


def test_every_line_of_a_file_of_many_chunks_is_found_in_what_is_kept(tmp_path: Path) -> None:
    rows = [f"row{number:04} of many" for number in range(700)]
    made = tree(tmp_path, {"long.txt": "\r\n".join(rows).encode(), "other.txt": b"x\n"})
    engine, _ = ready(made)
    for number in range(0, 700, 9):
        query = KeywordQuery(("of MANY", f"ROW{number:04}"), LINE, 20)
        assert places(engine.find(made.snapshot, query, Budget())) == [("long.txt", number + 1)]
    apart = KeywordQuery(("row0003", "row0600"), FILE, 20)
    assert len(engine.find(made.snapshot, apart, Budget())) == 2
    assert engine.find(made.snapshot, apart._replace(scope=LINE), Budget()) == []


class Steps:
    """What is prepared, and when it may go on."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.done: list[str] = []

    def text(self, path: str, *_: object) -> None:
        self.begun.set()
        self.go_on.wait()
        self.done.append(path)


def begun(made: Tree, steps: Steps) -> ReadAhead:
    ahead = ReadAhead(Prepare(lambda _: None, steps.text), 1 << 20)
    ahead.begin(made.snapshot.segments, is_allowed, texts=True)
    return ahead


def test_nothing_is_prepared_while_a_search_runs(small: Tree) -> None:
    steps = Steps()
    ahead = begun(small, steps)
    assert steps.begun.wait(60)
    with ahead.searching():
        steps.go_on.set()
        # a second thread would not wait for the first
        ahead.begin(small.snapshot.segments, is_allowed, texts=True)
        assert len(steps.done) <= 1
    ahead.join()
    assert sorted(steps.done) == sorted(filter(is_allowed, FILES))


def test_what_was_prepared_is_not_prepared_again(small: Tree) -> None:
    steps = Steps()
    steps.go_on.set()
    ahead = begun(small, steps)
    ahead.join()
    ahead.begin(small.snapshot.segments, is_allowed, texts=True)
    ahead.join()
    assert len(steps.done) == len(FILES) - 1


def test_what_fails_while_it_is_prepared_is_left_to_the_searches(
    small: Tree, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError("needle")

    ahead = ReadAhead(Prepare(fail, fail), 1 << 20)
    ahead.begin(small.snapshot.segments, is_allowed, texts=True)
    ahead.join()
    told = capfd.readouterr().err
    assert "OSError at fail:" in told
    assert "needle" not in told


def test_closed_it_stops_and_does_not_begin_again(small: Tree) -> None:
    steps = Steps()
    ahead = begun(small, steps)
    assert steps.begun.wait(60)
    ahead.close()
    steps.go_on.set()
    ahead.join()
    assert len(steps.done) == 1
    ahead.begin(small.snapshot.segments, is_allowed, texts=True)
    ahead.join()
    assert len(steps.done) == 1
