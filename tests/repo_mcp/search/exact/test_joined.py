"""Files that are searched as one text: none that matches alone is left out, and few are left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import NeedleLines, Scanned
from repo_mcp.search.exact.pattern import LineMatcher, build_matcher
from repo_mcp.search.exact.query import FILE, ExactQuery
from repo_mcp.search.exact.scan import files_without_match
from repo_mcp.search.matching_lines import normalize_lines
from repo_mcp.search.regex import program
from tests.repo_mcp.trees import FOREVER

PIECES = ("foo", "Foo", "bar", "(", " ", "_", "x", "\n", "\n\n")
ODD = ("\r", "\r\n", "\0", "é", "\u017f")
IS_PLAIN = re.compile(r"[^\r\0\x80-\U0010ffff]+")
PLAIN = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
TEXTS = st.one_of(PLAIN, st.lists(st.sampled_from((*PIECES, *ODD)), max_size=8).map("".join))
PATTERNS = (
    *(r"foo", r"\bfoo\b", r"^foo$", r"foo\s*\(", r"^$", r"x*", r"$", r"o{2,}.*bar", r"(?i)FOO"),
    *(r"\Bbar", r"[^x]foo", r"foo|bar\(", r"é", r"\W_", r"zzz"),
)


def matcher_of(pattern: str, **options: Any) -> LineMatcher:  # noqa: ANN401 options of a query
    options.setdefault("regex", True)
    return build_matcher(ExactQuery((pattern,), **options))


def left_out_of(
    files: Sequence[Scanned], matcher: LineMatcher, budget: Budget = FOREVER
) -> dict[int, int]:
    return files_without_match(files, matcher, budget)


def count_alone(data: bytes, matcher: LineMatcher) -> int | None:
    """Matching lines and skipped ones of a file; None for a binary one."""
    rows = normalize_lines(data)
    if rows is None:
        return None
    found = matcher.match_file("file", rows, None)
    return (found.matching or 0) + found.skipped


@given(
    texts=st.lists(TEXTS, min_size=2, max_size=12),
    pattern=st.sampled_from(PATTERNS),
    whole_word=st.booleans(),
    ignore_case=st.booleans(),
)
def test_a_file_that_is_left_out_has_no_match(
    *, texts: list[str], pattern: str, whole_word: bool, ignore_case: bool
) -> None:
    matcher = matcher_of(pattern, whole_word=whole_word, ignore_case=ignore_case)
    files = [text.encode() for text in texts]
    left_out = left_out_of(files, matcher)
    alone = {number: count_alone(data, matcher) for number, data in enumerate(files)}
    assert all(alone[number] == 0 for number in left_out)
    assert left_out == {number: len(files[number]) for number in left_out}
    plain = {number for number, text in enumerate(texts) if IS_PLAIN.fullmatch(text)}
    assert set(left_out) == {number for number in plain if not alone[number]}


@pytest.mark.parametrize(
    ("texts", "pattern", "wanted"),
    [
        (["foo", "bar"], "$", []),
        (["foo\n", "bar\n"], "bar$", [0]),
        (["x\n", "\n", "x"], "^$", [0, 2]),
        (["foo\r\n", "bar\n"], "^foo$", [1]),
        (["foo\0bar\n", "bar\n"], "zzz", [1]),
        (["\u212a\n", "bar\n"], "(?i)k", [1]),
    ],
)
def test_edges_of_files_are_edges_of_lines(
    texts: list[str], pattern: str, wanted: list[int]
) -> None:
    files = [text.encode() for text in texts]
    assert list(left_out_of(files, matcher_of(pattern))) == wanted


@given(texts=st.lists(PLAIN, min_size=2, max_size=12), first=st.sampled_from(("foo", "bar", "x")))
def test_files_that_need_several_texts_are_left_out_for_the_first(
    texts: list[str], first: str
) -> None:
    matcher = build_matcher(ExactQuery((first, "o"), scope=FILE))
    left_out = left_out_of([text.encode() for text in texts], matcher)
    assert set(left_out) == {n for n, text in enumerate(texts) if text and first not in text}


@pytest.mark.parametrize(
    ("pattern", "options"), [("foo", {"inverted": True}), (r"foo\nbar", {}), (r"foo\s+bar\n", {})]
)
def test_no_file_is_left_out_that_may_show_lines_without_a_match_in_one(
    pattern: str, options: dict[str, bool]
) -> None:
    assert not left_out_of([b"one\n", b"two\n"], matcher_of(pattern, **options))


def test_lines_too_long_for_an_expression_are_counted_in_their_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "_MAX_STEPS", 1000)
    matcher = matcher_of("too+long+for+this")
    files = [b"short\n", b"x" * 2_000, b"last\n"]
    assert [count_alone(data, matcher) for data in files] == [0, 1, 0]
    assert not left_out_of(files, matcher)
    assert not left_out_of([b"toolongforthis\n", *files], matcher)
    assert set(left_out_of(files[::2], matcher)) == {0, 1}


def test_files_are_joined_in_groups_and_large_or_scanned_ones_stay_alone() -> None:
    matcher = matcher_of("sought")
    files = [b"some line\n" * 6_000] * 10
    files[3] = files[9] = b"what is sought"
    with_others = [*files, b"x" * 70_000, None, NeedleLines(1, 1, 0, b"", b""), b""]
    assert set(left_out_of(with_others, matcher)) == {0, 1, 2, 4, 5, 6, 7, 8}


def test_no_more_files_are_joined_when_time_is_up_or_the_search_is_cancelled() -> None:
    matcher, files = matcher_of("sought"), [b"one\n", b"two\n"]
    assert not left_out_of(files, matcher, Budget(0))
    with pytest.raises(Problem, match="cancelled"):
        left_out_of(files, matcher, Budget(cancelled=lambda: True))
