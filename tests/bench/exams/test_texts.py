"""Texts that people wrote: how they are read, and the traces in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from bench.exams.listed import LIST, asked, fixes, repositories
from bench.exams.rows import TRACES
from bench.exams.texts import fields, trace_of
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.trees import write

_NODE = """It fails when I pay.

```
TypeError: price is not a function
    at Cart.total (/home/ann/till/node_modules/till/lib/cart.js:12:9)
    at process._tickCallback (node.js:355:11)
```

Any idea?
"""
_PYTHON = """Traceback (most recent call last):
  File "/usr/lib/till/cart.py", line 3, in total
    return sum(cart)
TypeError: unsupported operand

I use version 2.
"""
_RUST = "It said thread 'main' panicked at 'no price', src/cart.rs:7:5\nand then it was gone"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (_NODE, "TypeError: price is not a function", "at process._tickCallback (node.js:355:11)"),
        (_PYTHON, "Traceback (most recent call last):", "TypeError: unsupported operand"),
        (
            _RUST,
            "It said thread 'main' panicked at 'no price', src/cart.rs:7:5",
            "and then it was gone",
        ),
    ],
)
def test_a_trace_is_its_frames_with_the_message(text: str, first: str, last: str) -> None:
    rows = [row.strip() for row in trace_of(text).split("\n")]
    assert (rows[0], rows[-1]) == (first, last)


def test_a_text_without_frames_has_no_trace() -> None:
    assert trace_of("Look at line 3:\n\nit is wrong") == ""
    assert asked(TRACES, "nothing here") == ""


def _varint(value: int) -> bytes:
    rows = []
    while value >= 0x80:
        rows.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*rows, value])


_FIELD = st.tuples(st.integers(1, 1 << 20), st.one_of(st.integers(0, 1 << 63), st.binary()))


@given(st.lists(_FIELD))
def test_fields_of_a_message_read_back(rows: list[tuple[int, int | bytes]]) -> None:
    data = b""
    for number, value in rows:
        if isinstance(value, bytes):
            data += _varint(number << 3 | 2) + _varint(len(value)) + value
        else:
            data += _varint(number << 3) + _varint(value)
    assert [*fields(data)] == rows


@pytest.mark.servers
@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("Fix: crash of the till (fixes #12) (#15)", {12, 15}),
        ("Merge pull request #7 from ann/till", {7}),
        ("Take rates (#9)", {9}),
        ("Look at #3", set()),
        ("fix #1, fixes #2, closes #3", set()),
    ],
)
def test_a_fix_is_the_commit_that_says_what_it_closes(
    tmp_path: Path, message: str, numbers: set[int]
) -> None:
    run_git(write(tmp_path, {"a.py": "A = 1\n"}), "init", "-q")
    for text, told in (("A till", "A = 1\n"), (message, "A = 2\n")):
        write(tmp_path, {"a.py": told})
        run_git(tmp_path, "add", "-A")
        run_git(tmp_path, "commit", "-q", "-m", text)
    assert fixes(tmp_path / ".git").keys() == numbers


def test_listed_rows_have_hashes_and_no_text() -> None:
    rows = LIST.read_text("utf-8").partition("row = [")[2].strip().splitlines()
    names = {item.name for item in repositories()}
    assert len(rows) > 100
    assert all(f'repository = "{_repository(row)}"' in row for row in rows[:-1])
    assert {_repository(row) for row in rows[:-1]} <= names


def _repository(row: str) -> str:
    return row.partition('repository = "')[2].partition('"')[0]


def test_each_repository_of_listed_rows_belongs_to_a_split() -> None:
    assert {item.split for item in repositories()} == {"train", "test"}
