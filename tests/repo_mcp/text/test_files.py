"""Bytes to text and text to lines."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.content import lines
from index_format.analysis.words import MAX_WORD
from repo_mcp.text.files import Rows, decode

CHARACTERS = "aBcX_19 \n\r.\0\u00e9\u0130\u03a3\u03c2\u4e2d\U00010428"
TEXTS = st.lists(
    st.sampled_from(CHARACTERS)
    | st.sampled_from(["parseHTTP", "x" * (MAX_WORD - 1), "Y" * (MAX_WORD + 1)]),
    max_size=40,
).map("".join)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"])


@pytest.mark.parametrize(
    ("data", "content", "encoding"),
    [
        (b"", "", "utf-8"),
        ("ä\n".encode(), "ä\n", "utf-8"),
        ("\ufeffa".encode(), "a", "utf-8"),
        ("aä".encode("utf-16"), "aä", "utf-16"),
        (b"1\xe9\n", "1é\n", "latin-1"),
        (b"\x1b[1mbold\x0c", "\x1b[1mbold\x0c", "utf-8"),
        (b"\xe9\x01", "\xe9\x01", "latin-1"),
    ],
)
def test_text_is_decoded(data: bytes, content: str, encoding: str) -> None:
    assert decode(data) == (content, encoding)


@pytest.mark.parametrize("data", [b"a\x00b", b"\x89PNG\r\n\x1a\n\xff\0", b"\xff\xfe\x00"])
def test_binary_data_is_recognised(data: bytes) -> None:
    assert decode(data) is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\r\nb", ["a\r", "b"]),
        ("a\rb\u2028c\x0bd", ["a\rb\u2028c\x0bd"]),
        ("\n\n", ["", ""]),
    ],
)
def test_lines_end_at_line_feeds_only(content: str, expected: list[str]) -> None:
    assert lines(content) == expected


@given(TEXTS, ENCODINGS, st.integers(1, 9), st.integers(0, 9))
def test_rows_are_the_lines_of_the_whole_text(
    text: str, encoding: str, first: int, more: int
) -> None:
    data = text.encode(encoding, "replace")
    whole, rows = decode(data), Rows(data)
    assert rows.is_text == (whole is not None)
    expected = lines(whole.content) if whole else []
    assert (rows.count, rows.is_empty) == (len(expected), not expected)
    assert rows.between(first, first + more) == expected[first - 1 : first + more]


@given(TEXTS, st.sampled_from(["a", "B", "X_1", "\u00e9", "parseHTTP", "."]), ENCODINGS)
def test_lines_that_hold_a_text_are_those_of_all_lines(
    content: str, sought: str, encoding: str
) -> None:
    rows = Rows(content.encode(encoding, "replace"))
    numbered = enumerate(rows.between(1, rows.count), 1)
    assert [*rows.holding(sought)] == [(at, row) for at, row in numbered if sought in row]
