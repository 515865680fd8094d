"""Keyword search against reading every file: the same lines, with and without the index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import re2  # type: ignore[import-untyped]  # it brings no types
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.keywords.lines import MOST_PREVIEW, Keyword, KeywordLine, Rows, lines_with_all
from repo_mcp.search.keywords.search import (
    FILE,
    LINE,
    KeywordEngine,
    KeywordMatch,
    KeywordQuery,
    OutOfTimeError,
    Scope,
)
from repo_mcp.text.files import decode, lines
from tests.repo_mcp.trees import FOREVER, served, write

WORDS = (
    "alpha",
    "Beta",
    "gam_ma",
    "delta9",
    "GetHTTPName",
    "\u017fet",
    "größe",
    "\u212ak",
    "\u0130x",
    "漢字",
    "x",
)
SIGNS = (" ", ".", "_", "->", "(", "\t", "é")
PIECES = st.lists(st.sampled_from(WORDS + SIGNS), min_size=1, max_size=6).map("".join)
TEXTS = st.lists(PIECES, max_size=6).map("\n".join)
NAMES = ("a.c", "a/b.md", "a/c.txt", "a.c.d", "b", "z/long.py")


class Tree(NamedTuple):
    files: dict[str, bytes]
    sandbox: Sandbox
    snapshot: Snapshot


def tree(folder: Path, files: dict[str, bytes]) -> Tree:
    """The files, indexed in two steps, so that there are several segments."""
    root = write(folder / "root", dict(files))
    made = served(root, folder / "data", workers=1)
    held = {path: data for number, (path, data) in enumerate(files.items()) if number % 3 == 0}
    for path in held:
        (root / path).unlink()
    made.manager.refresh(FOREVER)
    write(root, dict(held))
    made.manager.refresh(FOREVER)
    snapshot = made.manager.snapshot()
    assert snapshot is not None
    return Tree(files, made.sandbox, snapshot)


def holds(line: str, word: str, *, case_sensitive: bool) -> bool:
    if case_sensitive:
        return word in line
    return re2.search(f"(?i){re2.escape(word)}", line) is not None


def wanted(files: dict[str, bytes], query: KeywordQuery) -> Iterator[tuple[str, int]]:
    """What reading every file gives, in order."""
    for path in sorted(files, key=str.encode):
        text = decode(files[path])
        rows = lines(text.content) if text else []
        held = [
            [holds(row, word, case_sensitive=query.case_sensitive) for word in query.words]
            for row in rows
        ]
        if query.scope == LINE:
            numbers = {number for number, row in enumerate(held, 1) if all(row)}
        else:
            firsts = [
                next((number for number, row in enumerate(held, 1) if row[at]), 0)
                for at in range(len(query.words))
            ]
            numbers = set(firsts) if all(firsts) else set()
        for number in sorted(numbers):
            if (path, number) > (query.after_path, query.after_line):
                yield path, number


def places(found: list[KeywordMatch]) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in found]


@settings(max_examples=40)
@given(
    texts=st.lists(TEXTS, min_size=2, max_size=len(NAMES)),
    queries=st.lists(
        st.tuples(
            st.lists(PIECES.filter(lambda text: "\n" not in text), min_size=1, max_size=3),
            st.sampled_from([LINE, FILE]),
            st.booleans(),
            st.integers(1, 5),
            st.sampled_from(["", *NAMES]),
        ),
        min_size=1,
        max_size=4,
    ),
    patience=st.sampled_from([0, 1, 1000]),
)
def test_the_index_and_the_files_give_what_reading_every_file_gives(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    queries: list[tuple[list[str], Scope, bool, int, str]],
    patience: int,
) -> None:
    files = {name: text.encode() for name, text in zip(NAMES, texts, strict=False)}
    made = tree(tmp_path_factory.mktemp("tree"), files)
    engine = KeywordEngine(made.sandbox, patience)
    for words, scope, case_sensitive, most, after in queries:
        query = KeywordQuery(tuple(words), scope, most, case_sensitive, after, 1 if after else 0)
        expected = list(wanted(files, query))[:most]
        for _ in range(2):  # the second time from texts that were kept
            assert places(engine.find(made.snapshot, query, Budget())) == expected
        assert places(engine.find_in(sorted(files, key=str.encode), query, Budget())) == expected


@pytest.fixture
def many(tmp_path: Path) -> Tree:
    files = {f"f{number:03}.txt": b"common word\n" for number in range(300)}
    return tree(tmp_path, files | {"q/rare.txt": b"Unique_Thing here\n"})


class CountingSandbox:
    """Counts what is read."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.read_files = 0

    def read(self, path: str, *, follow: bool = True) -> object:
        self.read_files += 1
        return self._inner.read(path, follow=follow)


@pytest.mark.requirement("RET-SC-003")
@pytest.mark.parametrize(
    ("word", "most", "reads"),
    [("common", 20, 20), ("que_thi", 200, 1), ("nowhere", 200, 0), ("common word", 5, 5)],
)
@pytest.mark.parametrize("patience", [0, 1000])
def test_no_more_files_are_read_than_the_answer_needs(
    many: Tree, word: str, most: int, reads: int, patience: int
) -> None:
    counting = CountingSandbox(many.sandbox)
    engine = KeywordEngine(counting, patience)  # type: ignore[arg-type]
    engine.find(many.snapshot, KeywordQuery((word,), LINE, most), Budget())
    assert counting.read_files == reads


def test_files_that_are_not_allowed_are_not_read(many: Tree) -> None:
    counting = CountingSandbox(many.sandbox)
    engine = KeywordEngine(counting)  # type: ignore[arg-type]
    query = KeywordQuery(("common",), LINE, 200, allowed=lambda path: path == "f007.txt")
    assert places(engine.find(many.snapshot, query, Budget())) == [("f007.txt", 1)]
    assert counting.read_files == 1


def test_a_search_without_time_gives_no_part_of_an_answer(many: Tree) -> None:
    engine = KeywordEngine(many.sandbox)
    with pytest.raises(OutOfTimeError):
        engine.find(many.snapshot, KeywordQuery(("common",), LINE, 200), Budget(0.0))


def in_file(data: bytes, word: str) -> list[KeywordLine]:
    wanted = [Keyword(word, case_sensitive=False)]
    rows = Rows.of(data)
    return [] if rows is None else lines_with_all(rows, wanted, 5)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("   needle  ", "needle"),
        ("needle" + "x" * 300, "needle" + "x" * 194 + "…"),
        ("a" * 300 + "needle", "…" + "a" * 60 + "needle"),
        ("a" * 300 + "needle" + "b" * 300, "…" + "a" * 60 + "needle" + "b" * 134 + "…"),
        (" " * 400 + "needle", "needle"),
        ("ä" * 300 + "needle", "…" + "ä" * 60 + "needle"),
    ],
)
def test_a_long_line_is_shown_where_it_matches(line: str, shown: str) -> None:
    (found,) = in_file(line.encode(), "Needle")
    assert (found.line, found.preview) == (1, shown)
    assert len(found.preview) <= MOST_PREVIEW + 2


@pytest.mark.parametrize(
    "data",
    [
        "eins\r\nnéedle zwei\r\n".encode(),
        "eins\nnéedle zwei".encode("utf-16"),
        "\ufeffeins\nnéedle zwei\n".encode(),
        "eins\nnéedle zwei\n".encode("latin-1"),
    ],
)
def test_an_encoding_makes_no_difference(data: bytes) -> None:
    assert [tuple(item) for item in in_file(data, "NÉEDLE")] == [(2, "néedle zwei")]
