"""Matching lines: line splitting, columns in characters, and lines of context."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.content import lines
from repo_mcp.search.line_matches import MAX_SPANS, LineMatch, columns_of
from repo_mcp.search.matching_lines import (
    MatchingLines,
    lines_of_part,
    lines_with_spans,
    nonempty_spans,
    normalize_lines,
)
from repo_mcp.search.regex.parser import parse
from repo_mcp.search.regex.program import CompiledExpression
from repo_mcp.text.files import decode

TEXTS = st.text(st.sampled_from("ab\r\n\u0085\u2028é\ufeff \x0c"), max_size=30)


class Given:
    """Matches of a Python expression in bytes."""

    def __init__(self, pattern: bytes, rows: bytes) -> None:
        self._pattern, self._rows = re.compile(pattern), rows

    skipped_lines = searches = 0
    in_parts = False

    def iter_spans(
        self,
        end: int,
        begin: int = 0,
        *,
        one_a_line: bool = False,  # noqa: ARG002 all of a line may be given
    ) -> Iterator[tuple[int, int]]:
        for match in self._pattern.finditer(self._rows, begin, end):
            yield match.span()


def found(text: bytes, pattern: bytes, context: int = 0, most: int | None = None) -> MatchingLines:
    rows = normalize_lines(text)
    assert rows is not None
    made = MatchingLines("a.txt", rows, context)
    made.collect([Given(pattern, rows)], most)
    return made


@given(TEXTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_rows_are_the_lines_of_the_text(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    rows, decoded = normalize_lines(data), decode(data)
    assert rows is not None
    assert decoded is not None
    assert rows.decode().split("\n")[:-1] == lines(decoded.content)


@given(st.binary(max_size=20))
def test_rows_of_any_bytes(data: bytes) -> None:
    rows, decoded = normalize_lines(data), decode(data)
    assert (rows is None) == (decoded is None)
    if rows is not None and decoded is not None:
        assert rows.decode().split("\n")[:-1] == lines(decoded.content)


def test_columns_count_characters() -> None:
    (match,) = found("éé foo foo\n".encode(), b"foo").lines
    assert (match.columns, match.text) == (((3, 6), (7, 10)), "éé foo foo")


@given(st.text(st.sampled_from("aé中")), st.data())
def test_columns_of_overlapping_matches_count_characters(text: str, data: st.DataObject) -> None:
    offset = st.integers(0, len(text))
    pairs = sorted(data.draw(st.lists(st.tuples(offset, offset).map(sorted), max_size=8)))
    before = "\n中".encode()
    sizes = [len(before + text[:at].encode()) for at in range(len(text) + 1)]
    spans = [(sizes[start], sizes[stop]) for start, stop in pairs]
    wanted = tuple((start, stop) for start, stop in pairs if start < stop)
    assert columns_of(text.encode(), len(before), spans) == wanted


def test_empty_matches_have_no_columns() -> None:
    made = found(b"abc\n\nb\n", b"b*")
    assert [(match.line, match.columns) for match in made.lines] == [
        (1, ((1, 2),)),
        (2, ()),
        (3, ((0, 1),)),
    ]


def test_columns_of_a_line_are_bounded() -> None:
    (match,) = found(b"a" * 500, b"a").lines
    assert len(match.columns) == MAX_SPANS


def test_lines_around_a_match_end_with_the_file() -> None:
    rows = b"1\n2\n3\n4\n5\n"
    assert [(m.before, m.after) for m in found(rows, b"[135]", 2).lines] == [
        ((), ("2", "3")),
        (("1", "2"), ("4", "5")),
        (("3", "4"), ()),
    ]


@given(st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=1), st.integers(0, 3))
def test_lines_around_a_match(rows: list[str], context: int) -> None:
    data = "".join(f"{row}\n" for row in rows).encode()
    wanted = [
        LineMatch(
            "a.txt",
            number,
            tuple(m.span() for m in re.finditer("a", row)),
            row,
            tuple(rows[max(number - 1 - context, 0) : number - 1]),
            tuple(rows[number : number + context]),
        )
        for number, row in enumerate(rows, 1)
        if "a" in row
    ]
    assert found(data, b"a", context).lines == wanted


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_no_more_lines_are_kept_but_all_are_counted(most: int) -> None:
    made = found(b"a\nb\na\na\n", b"a", most=most)
    assert (len(made.lines), made.count) == (min(most, 3), 3)


def test_a_match_over_lines_is_in_each_of_them() -> None:
    rows = b"one two\nthree\n\nfour one\n"
    made = MatchingLines("a.txt", rows, 0)
    made.collect_multiline(Given(rb"two\nthree\n\nfo|one", rows), None)
    assert [(match.line, match.columns) for match in made.lines] == [
        (1, ((0, 3), (4, 7))),
        (2, ((0, 5),)),
        (3, ()),
        (4, ((0, 2), (5, 8))),
    ]
    assert made.count == 4


@given(
    st.lists(st.text("ab \u00e9", max_size=8), max_size=8),
    st.sampled_from(["a", "ab", "(a|b)+", "b$", "^a"]),
    st.integers(2, 4),
)
def test_matches_of_all_lines_are_those_of_each_alone(
    rows: list[str], pattern: str, most: int
) -> None:
    compiled = CompiledExpression(parse(pattern, folded=False).body, whole_word=False)
    text = "".join(f"{row}\n" for row in rows).encode()
    alone = [
        (begin, end, nonempty_spans(compiled.spans(text), end, begin)[:most])
        for begin, end in lines_of_part(text, 0, len(text))
    ]
    assert [*lines_with_spans(text, compiled.spans(text), most)] == [row for row in alone if row[2]]


def test_of_a_line_with_very_many_matches_the_first_are_told() -> None:
    text = b"a" * (2 * MAX_SPANS) + b"\nba\n"
    first, second = lines_with_spans(text, Given(b"a", text))
    assert (len(first[2]), second) == (MAX_SPANS, (201, 203, [(202, 203)]))
