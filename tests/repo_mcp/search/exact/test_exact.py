"""Exact search finds the same lines as reading all files, and warns when it could not."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search.exact.engine import ExactAnswer, ExactEngine, ExactQuery
from repo_mcp.search.exact.pattern import build_matcher
from repo_mcp.search.exact.query import FileCount
from tests.repo_mcp.search.exact.exact_oracle import across_lines, compiled, matching, rows_of_files
from tests.repo_mcp.search.exact.exact_trees import (
    GAPS,
    WORDS,
    Engine,
    hard_tree,
    made,
    places,
    without_compiled,
)
from tests.repo_mcp.search.regex.expression_samples import expressions
from tests.repo_mcp.trees import FOREVER, Services, served, write

pytestmark = pytest.mark.differential

TREE = hard_tree(seed=2, for_ripgrep=False)
ROWS = rows_of_files(TREE)
ALL_ROWS = sorted({row for rows in ROWS.values() for row in rows})

Found = list[tuple[str, int]]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> list[Engine]:
    """Engines that read in compiled code, and file by file."""
    first = made(tmp_path_factory.mktemp("tree"), TREE)
    return [first, without_compiled(first)]


def check(engines: list[Engine], pattern: str, wanted: Found, **options: bool) -> None:
    for engine in engines:
        answer = engine.find(pattern, **options)
        assert places(answer) == wanted, (pattern, options)
        assert answer.complete
        counted = dict.fromkeys(path for path, _ in wanted)
        assert [count.path for count in answer.per_file] == [*counted]
        assert sum(count.lines for count in answer.per_file) == len(wanted)


def literals(chance: random.Random, count: int) -> Iterator[str]:
    """Parts of lines, words, parts of words, and texts that are in no file."""
    for _ in range(count):
        kind = chance.randrange(4)
        text = chance.choice(ALL_ROWS if kind < 2 else WORDS)
        if kind == 3:
            text += chance.choice(GAPS) + chance.choice(WORDS)
        begin = chance.randrange(len(text) + 1)
        end = begin + (chance.randrange(12) if kind == 0 else chance.randrange(len(text) + 1))
        found = text[begin : end + 1]
        if found and "\r" not in found:
            yield found


@pytest.mark.parametrize("seed", range(8))
def test_literals_are_found_where_they_are(engines: list[Engine], seed: int) -> None:
    for text in literals(random.Random(seed), 80):
        check(engines, text, matching(ROWS, compiled(text, regex=False)))


@pytest.mark.parametrize("regex", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_the_other_lines_are_those_that_do_not_match(
    engines: list[Engine], seed: int, *, regex: bool
) -> None:
    for text in literals(random.Random(seed), 30):
        pattern = re.escape(text) if regex else text
        same = set(matching(ROWS, compiled(text, regex=False)))
        others = [
            (path, number)
            for path in sorted(ROWS, key=str.encode)
            for number in range(1, len(ROWS[path]) + 1)
            if (path, number) not in same
        ]
        check(engines, pattern, others, inverted=True, regex=regex)


@pytest.mark.parametrize("pattern", ["^$", "x*", "$", r"^\s*", "a|^"])
def test_the_other_lines_of_empty_matches(engines: list[Engine], pattern: str) -> None:
    for engine in engines:
        both = places(engine.find(pattern, regex=True))
        rest = places(engine.find(pattern, regex=True, inverted=True))
        assert len(both) + len(rest) == sum(map(len, ROWS.values()))
        assert not set(both) & set(rest)


@pytest.mark.parametrize("seed", range(4))
def test_whole_words_are_found_where_they_are(engines: list[Engine], seed: int) -> None:
    """Python counts some other characters as word characters than RE2, and no marks."""
    for text in literals(random.Random(seed), 60):
        oracle = compiled(text, regex=False, whole_word=True)
        wanted = [
            place
            for place in matching(ROWS, oracle)
            if not _is_disputed(ROWS[place[0]][place[1] - 1])
        ]
        for engine in engines:
            found = places(engine.find(text, whole_word=True))
            undisputed = [
                place for place in found if not _is_disputed(ROWS[place[0]][place[1] - 1])
            ]
            assert undisputed == wanted, text


def _is_disputed(row: str) -> bool:
    return any(character in row for character in "²\u0301\u0345\u200d\u24d0\u0307")


@pytest.mark.parametrize("seed", range(4))
def test_literals_in_any_case(engines: list[Engine], seed: int) -> None:
    for text in literals(random.Random(seed), 60):
        check(
            engines,
            text,
            matching(ROWS, compiled(text, regex=False, ignore_case=True)),
            ignore_case=True,
        )


SLOW = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
PIECES = st.sampled_from([*WORDS[:24], "fo", "oo", "alloc", "_pages", "Http", "é", "x"])
EXPRESSIONS = st.one_of(
    expressions(),
    st.tuples(PIECES, expressions(), PIECES).map("".join),
    st.tuples(PIECES, st.sampled_from([r"\w+", ".*", r"\W", "|", "?", r"\s*"]), PIECES).map(
        "".join
    ),
)


@SLOW
@given(pattern=EXPRESSIONS, ignore_case=st.booleans())
def test_expressions_match_where_they_do(
    *, engines: list[Engine], pattern: str, ignore_case: bool
) -> None:
    """Tests the candidate files; matching itself is tested in `test_expression`."""
    wanted = _all_lines(pattern, ignore_case=ignore_case)
    check(engines, pattern, wanted, regex=True, ignore_case=ignore_case)


def _all_lines(pattern: str, *, ignore_case: bool) -> Found:
    matcher = build_matcher(ExactQuery((pattern,), regex=True, ignore_case=ignore_case))
    alone = {row: f"{row}\n".encode() for row in ALL_ROWS}
    held = {
        row
        for row, data in alone.items()
        if next(matcher.first_matches(data).iter_spans(len(data) - 1), None)
    }
    return [
        (path, number)
        for path in sorted(ROWS, key=str.encode)
        for number, row in enumerate(ROWS[path], 1)
        if row in held
    ]


@pytest.mark.parametrize("seed", range(3))
def test_literals_over_several_lines(engines: list[Engine], seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        rows = chance.choice([rows for rows in ROWS.values() if rows])
        first = chance.randrange(len(rows))
        text = "\n".join(rows[first : first + chance.choice([2, 3])])
        begin = chance.randrange(len(text) + 1)
        literal = text[begin : begin + chance.randrange(1, 60)]
        literal += chance.choice(["", "\n"])
        if "\n" in literal.strip("\n") and "\r" not in literal:
            check(engines, literal, across_lines(ROWS, literal))
            check(engines, literal.replace("\n", "\r\n"), across_lines(ROWS, literal))


def test_a_literal_of_line_ends_alone(engines: list[Engine]) -> None:
    check(engines, "\n\n", across_lines(ROWS, "\n\n"))


def test_over_several_lines_in_any_case(engines: list[Engine]) -> None:
    text = "\n".join(ROWS["odd_ends.txt"][1:])
    for engine in engines:
        found = places(engine.find(text.upper() + "\n", ignore_case=True))
        assert found == [("odd_ends.txt", 2), ("odd_ends.txt", 3)]


@pytest.fixture
def small(tmp_path: Path) -> Services:
    files: dict[str, str | bytes] = {
        "a/one.c": "int foo;\nint bar;\nfoo();\n",
        "a/two.c": "foo\r\nfoo bar\r\n",
        "b.c": "nothing\n" * 30 + "foo\n",
        "z.c": "foo " * 3,
    }
    found = served(write(tmp_path / "root", files), tmp_path / "data")
    found.manager.refresh(FOREVER)
    return found


def ask(
    services: Services, pattern: str, budget: Budget = FOREVER, **options: object
) -> ExactAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    query = ExactQuery((pattern,), **options)  # type: ignore[arg-type]
    return ExactEngine(services.sandbox).find(snapshot, query, budget)


def test_matches_come_in_order_of_paths_and_lines(small: Services) -> None:
    assert places(ask(small, "foo")) == [
        ("a/one.c", 1),
        ("a/one.c", 3),
        ("a/two.c", 1),
        ("a/two.c", 2),
        ("b.c", 31),
        ("z.c", 1),
    ]


def test_the_end_of_a_line_is_not_part_of_it(small: Services) -> None:
    assert places(ask(small, "bar$", regex=True)) == [("a/two.c", 2)]
    assert [match.text for match in ask(small, "foo", limit=4).matches][2:] == ["foo", "foo bar"]


def test_a_limit_is_kept_with_a_warning(small: Services) -> None:
    answer = ask(small, "foo", limit=3)
    assert places(answer) == [("a/one.c", 1), ("a/one.c", 3), ("a/two.c", 1)]
    assert answer.per_file == (FileCount("a/one.c", 2), FileCount("a/two.c", 2))
    assert (answer.complete, answer.files_looked_at) == (False, 2)
    assert any("stopped at 3" in item.text for item in answer.warnings)


@pytest.mark.parametrize("limit", [6, 7, None])
def test_an_answer_that_holds_all_is_complete(small: Services, limit: int | None) -> None:
    answer = ask(small, "foo", limit=limit)
    assert (len(answer.matches), answer.complete, answer.warnings) == (6, True, ())


def test_lines_may_be_counted_only(small: Services) -> None:
    answer = ask(small, "foo", limit=0)
    assert (answer.matches, answer.complete, answer.warnings) == ((), True, ())
    assert sorted(answer.per_file) == [("a/one.c", 2), ("a/two.c", 2), ("b.c", 1), ("z.c", 1)]


def test_files_that_are_not_allowed_are_not_read(small: Services) -> None:
    answer = ask(small, "foo", allowed=lambda path: path.startswith("a/"))
    assert {match.path for match in answer.matches} == {"a/one.c", "a/two.c"}
    assert (answer.complete, answer.files_looked_at) == (True, 2)


def test_lines_around_a_match_are_given(small: Services) -> None:
    (match,) = ask(small, "bar;", context=1).matches
    assert (match.before, match.after) == (("int foo;",), ("foo();",))


class Steps(Budget):
    """A budget that is spent after a number of checks."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.left = steps

    @property
    def spent(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("limit", [0, 100])
@pytest.mark.parametrize("steps", range(4))
def test_out_of_time_the_warning_counts_searched_files(
    small: Services, steps: int, limit: int
) -> None:
    answer = ask(small, "foo", Steps(steps), limit=limit)
    assert (answer.files_looked_at, answer.complete) == (steps, False)
    assert any(f"after {steps} of 4 files" in item.text for item in answer.warnings)


def test_equal_questions_get_equal_counts_that_end_after_some_bytes(
    engines: list[Engine],
) -> None:
    tree = engines[0]
    every = tree.find("foo", limit=0).per_file
    sizes = {path: len(tree.sandbox.read(path).data) for path in tree.snapshot.paths()}
    ended = 0
    for most in (1, 5_000, 20_000, sum(sizes.values())):
        answers = [one.find("foo", limit=0, most_bytes=most) for one in (*engines, *engines)]
        assert len({(answer.per_file, answer.complete) for answer in answers}) == 1
        counted, complete = answers[0].per_file, answers[0].complete
        assert counted == every[: len(counted)]
        assert not complete or counted == every
        assert sum(sizes[count.path] for count in counted[:-1]) < most
        ended += not complete
    assert ended == 3


def test_a_pattern_without_words_is_looked_for_in_all_files(small: Services) -> None:
    answer = ask(small, "();")
    assert places(answer) == [("a/one.c", 3)]
    assert (answer.files_looked_at, answer.complete) == (4, True)
    stopped = ask(small, "();", Steps(2))
    assert not stopped.complete
    assert any(
        "the pattern has no word to narrow the files by" in item.text for item in stopped.warnings
    )


def test_files_that_can_not_match_are_not_read(small: Services) -> None:
    assert ask(small, "nothing").files_looked_at == 1
    assert ask(small, "nowhere").files_looked_at == 0


def test_a_cancelled_search_stops(small: Services) -> None:
    with pytest.raises(Problem, match="cancelled"):
        ask(small, "foo", Budget(None, lambda: True))


@pytest.mark.parametrize(
    ("pattern", "options", "reason"),
    [
        ("", {}, "a literal has 1 to 2000 characters"),
        ("x" * 2001, {}, "a literal has 1 to 2000 characters"),
        ("\ud800", {}, "lone surrogate"),
        ("a(", {"regex": True}, "character 2"),
    ],
)
def test_invalid_patterns_are_refused(
    small: Services, pattern: str, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Problem, match=reason):
        ask(small, pattern, **options)


def gone(path: Path) -> None:
    path.unlink()


def binary(path: Path) -> None:
    path.write_bytes(b"foo\0")


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "two.c")


@pytest.mark.parametrize("change", [gone, binary, linked])
def test_files_that_are_gone_are_left_out_and_counted(
    small: Services, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    change(tmp_path / "root" / "a" / "one.c")
    answer = ask(small, "foo")
    assert {match.path for match in answer.matches} == {"a/two.c", "b.c", "z.c"}
    assert any("1 file of the index gone" in item.text for item in answer.warnings)


def test_a_changed_file_is_looked_at_as_it_is(small: Services, tmp_path: Path) -> None:
    write(tmp_path / "root", {"z.c": "\n\nbar foo", "b.c": "nothing left"})
    found = ask(small, "foo").matches
    assert [(match.path, match.line, match.columns) for match in found][-1] == ("z.c", 3, ((4, 7),))
    assert "b.c" not in {match.path for match in found}


def test_replaced_and_removed_files_are_not_found_by_what_they_were(
    small: Services, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    write(root, {"a/one.c": "changed\n", "new.c": "bar foo\n"})
    (root / "b.c").unlink()
    small.manager.refresh(FOREVER)
    answer = ask(small, "foo")
    assert {match.path for match in answer.matches} == {"a/two.c", "new.c", "z.c"}
    assert answer.warnings == ()


def test_answers_do_not_depend_on_the_history(small: Services, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for text in ("foo one", "foo two"):
        write(root, {"a/one.c": text, "later.c": text})
        small.manager.refresh(FOREVER)
    fresh = served(root, tmp_path / "fresh")
    fresh.manager.refresh(FOREVER)
    assert ask(small, "foo").matches == ask(fresh, "foo").matches


@pytest.mark.parametrize("limit", [0, 3])
def test_lines_of_a_large_file_are_counted_up_to_a_number_of_searches(
    tmp_path: Path, limit: int
) -> None:
    engine = made(tmp_path, {"large.txt": b"some words\n" * 5_000})
    whole = engine.find("s.me", regex=True, limit=limit)
    assert whole.per_file == (FileCount("large.txt", 5_000),)
    part = engine.find("s.me", regex=True, limit=limit, most_searches=100)
    assert (len(part.matches), part.complete) == (limit, False)
    assert 3 < part.per_file[0].lines <= 101
    every = engine.find("s.me", regex=True, limit=limit, most_searches=10_000)
    assert every.per_file == whole.per_file
