"""A search for several literals finds the same lines as reading every file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import re2  # type: ignore[import-untyped]  # it brings no types
from hypothesis import given, settings, strategies as st

from index_format import Snapshot
from index_format.analysis.content import lines
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.exact.engine import FILE, LINE, ExactAnswer, ExactEngine, ExactQuery, Scope
from repo_mcp.text.files import decode
from tests.repo_mcp.search.exact.exact_trees import PlainReads
from tests.repo_mcp.trees import FOREVER, served, write

pytestmark = pytest.mark.differential

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


def wanted(files: dict[str, bytes], query: ExactQuery) -> Iterator[tuple[str, int]]:
    """The lines that reading every file finds, in order."""
    for path in sorted(files, key=str.encode):
        text = decode(files[path])
        rows = lines(text.content) if text else []
        held = [
            [holds(row, word, case_sensitive=not query.ignore_case) for word in query.patterns]
            for row in rows
        ]
        if query.scope == LINE:
            numbers = {number for number, row in enumerate(held, 1) if all(row)}
        else:
            firsts = [
                next((number for number, row in enumerate(held, 1) if row[at]), 0)
                for at in range(len(query.patterns))
            ]
            numbers = set(firsts) if all(firsts) else set()
        for number in sorted(numbers):
            if (path, number) > (query.after_path, query.after_line):
                yield path, number


def places(found: ExactAnswer) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in found.matches]


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
    compiled=st.booleans(),
    counted=st.booleans(),
)
def test_the_index_and_the_files_give_what_reading_every_file_gives(
    *,
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    queries: list[tuple[list[str], Scope, bool, int, str]],
    compiled: bool,
    counted: bool,
) -> None:
    files = {name: text.encode() for name, text in zip(NAMES, texts, strict=False)}
    made = tree(tmp_path_factory.mktemp("tree"), files)
    sandbox = made.sandbox if compiled else PlainReads(made.sandbox)
    engine = ExactEngine(sandbox)  # type: ignore[arg-type]
    for words, scope, case_sensitive, most, after in queries:
        query = ExactQuery(
            tuple(words),
            ignore_case=not case_sensitive,
            limit=most,
            scope=scope,
            counted=counted,
            after_path=after,
            after_line=1 if after else 0,
        )
        expected = list(wanted(files, query))[:most]
        assert places(engine.find(made.snapshot, query, Budget())) == expected
        assert places(engine.find_in(sorted(files, key=str.encode), query, Budget())) == expected


@pytest.fixture
def many(tmp_path: Path) -> Tree:
    files = {f"f{number:03}.txt": b"common word\n" for number in range(300)}
    return tree(tmp_path, files | {"q/rare.txt": b"Unique_Thing here\n"})


@pytest.mark.requirement("RET-SC-003")
@pytest.mark.parametrize(
    ("word", "most", "reads"),
    [("common", 20, 20), ("que_thi", 200, 1), ("nowhere", 200, 0), ("common word", 5, 5)],
)
def test_no_more_files_are_read_than_the_answer_needs(
    many: Tree, word: str, most: int, reads: int
) -> None:
    counting = PlainReads(many.sandbox)
    engine = ExactEngine(counting)  # type: ignore[arg-type]
    engine.find(
        many.snapshot, ExactQuery((word,), ignore_case=True, limit=most, counted=False), Budget()
    )
    assert counting.read_files == reads


def test_files_that_are_not_allowed_are_not_read(many: Tree) -> None:
    counting = PlainReads(many.sandbox)
    engine = ExactEngine(counting)  # type: ignore[arg-type]
    query = ExactQuery(("common",), allowed=lambda path: path == "f007.txt")
    assert places(engine.find(many.snapshot, query, Budget())) == [("f007.txt", 1)]
    assert counting.read_files == 1


def test_a_search_without_time_says_so(many: Tree) -> None:
    answer = ExactEngine(many.sandbox).find(many.snapshot, ExactQuery(("common",)), Budget(0.0))
    assert (answer.matches, answer.out_of_time, answer.complete) == ((), True, False)


FILES = {
    "a.txt": b"one two\nthree\n",
    "b.txt": b"One\nTwo\n",
    "c.txt": "gr\u00f6\u00dfe eins\n".encode(),
    "d.txt": "mi\u017ft one\n".encode(),
    "e.txt": b"none at all, wto\n",
    "hidden.txt": b"one two\n",
}


@pytest.fixture
def small(tmp_path: Path) -> Tree:
    return tree(tmp_path, FILES)


@pytest.mark.parametrize(
    ("words", "scope", "found"),
    [
        (("one", "two"), LINE, [("a.txt", 1)]),
        (("one two",), LINE, [("a.txt", 1)]),
        (("on", "wo"), FILE, [("a.txt", 1), ("b.txt", 1), ("b.txt", 2)]),
        (("\u00f6SSE E",), LINE, []),
        (("\u00f6\u00dfe E",), LINE, [("c.txt", 1)]),
        (("MIST", "ONE"), LINE, [("d.txt", 1)]),
        (("three", "one"), LINE, []),
        (("three", "one"), FILE, [("a.txt", 1), ("a.txt", 2)]),
    ],
)
def test_a_line_or_a_file_holds_all_literals(
    small: Tree,
    words: tuple[str, ...],
    scope: Scope,
    found: list[tuple[str, int]],
) -> None:
    query = ExactQuery(
        words, ignore_case=True, scope=scope, allowed=lambda path: path != "hidden.txt"
    )
    engine = ExactEngine(small.sandbox)
    assert places(engine.find(small.snapshot, query, Budget())) == found


def test_columns_are_those_of_all_literals(small: Tree) -> None:
    query = ExactQuery(("two", "one", "ne t"), allowed=lambda path: path == "a.txt")
    (match,) = ExactEngine(small.sandbox).find(small.snapshot, query, Budget()).matches
    assert match.columns == ((0, 3), (1, 5), (4, 7))


def test_literals_over_several_lines_do_not_go_together(small: Tree) -> None:
    with pytest.raises(Problem, match="several lines"):
        ExactEngine(small.sandbox).find(small.snapshot, ExactQuery(("one", "two\nt")), Budget())


def test_a_file_that_changed_since_is_found_as_it_is_now(small: Tree, tmp_path: Path) -> None:
    (tmp_path / "root" / "a.txt").write_bytes(b"two, and\none two\n")
    query = ExactQuery(("two", "one"), allowed=lambda path: path != "hidden.txt")
    found = ExactEngine(small.sandbox).find(small.snapshot, query, Budget())
    assert places(found) == [("a.txt", 2)]


def test_lines_of_a_file_of_many_chunks_are_found(tmp_path: Path) -> None:
    rows = [f"row{number:04} of many" for number in range(700)]
    made = tree(tmp_path, {"long.txt": "\r\n".join(rows).encode(), "other.txt": b"x\n"})
    engine = ExactEngine(made.sandbox)
    for number in range(0, 700, 9):
        query = ExactQuery(("of MANY", f"ROW{number:04}"), ignore_case=True)
        assert places(engine.find(made.snapshot, query, Budget())) == [("long.txt", number + 1)]
    apart = ExactQuery(("row0003", "row0600"), scope=FILE)
    assert len(engine.find(made.snapshot, apart, Budget()).matches) == 2
    together = ExactQuery(("row0003", "row0600"))
    assert engine.find(made.snapshot, together, Budget()).matches == ()


@pytest.mark.parametrize(
    "data",
    [
        "eins\r\nn\u00e9edle zwei\r\n".encode(),
        "eins\nn\u00e9edle zwei".encode("utf-16"),
        "\ufeffeins\nn\u00e9edle zwei\n".encode(),
        "eins\nn\u00e9edle zwei\n".encode("latin-1"),
    ],
)
def test_an_encoding_makes_no_difference(tmp_path: Path, data: bytes) -> None:
    made = tree(tmp_path, {"a.txt": data})
    query = ExactQuery(("N\u00c9EDLE",), ignore_case=True)
    (match,) = ExactEngine(made.sandbox).find(made.snapshot, query, Budget()).matches
    assert (match.line, match.text) == (2, "n\u00e9edle zwei")
