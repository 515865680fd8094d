"""The shape of code stays what it is when names, numbers, strings and comments change."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from repo_mcp.native import NATIVE
from repo_mcp.vectors.shapes import (
    BYTES,
    FEWEST_MARKS,
    fold_code,
    is_renaming,
    plain_fold,
    shape_of,
    words_of,
)

CODE = st.text(st.sampled_from("ab_9 \n\t\r\"'`/*#\\+(){};é\x00"), max_size=60).map(str.encode)
FUNCTION = b"""def total(items, least=3):
    # adds them up
    found = 0
    for item in items:
        if item.price > least:
            found += item.price * 1.5
    return {"total": found, 'least': least}
"""
RENAMED = b"""def sum_of(rows, bound = 12):
    found_so_far = 0
    for row in rows:
        if row.cost > bound:   # enough
            found_so_far += row.cost * 2.25
    return {"sum": found_so_far,
            'bound': bound}
"""


@given(code=CODE | st.binary(max_size=60))
@pytest.mark.skipif(NATIVE is None, reason="nothing was compiled here")
def test_compiled_code_folds_alike(code: bytes) -> None:
    assert NATIVE is not None
    assert NATIVE.fold_code(code) == plain_fold(code)


def test_what_remains_are_marks() -> None:
    folded = fold_code(b'if (x1 >= 0x1F) { say("a\\"b", \'c\'); } /* no */ // none\nend')
    assert folded == b"i(i>=0){i(s,s);}i"


@pytest.mark.parametrize(
    "rest", [b'"""never ends', b"/* never ends", b'"not in this line', b"'''", b"#", b"//", b"`\\"]
)
def test_what_never_ends_ends_with_the_text(rest: bytes) -> None:
    assert fold_code(b"a + " + rest) in {b"i+", b"i+s"}


def test_a_renamed_copy_has_the_same_shape() -> None:
    assert shape_of(FUNCTION) == shape_of(RENAMED) != bytes(BYTES)
    assert is_renaming(words_of(FUNCTION), words_of(RENAMED))


def test_another_operator_is_another_shape() -> None:
    assert shape_of(FUNCTION) != shape_of(FUNCTION.replace(b"+=", b"-="))


@given(code=CODE, name=st.from_regex(rb"\A[a-z]{1,9}\Z"))
def test_any_renaming_keeps_the_shape(code: bytes, name: bytes) -> None:
    changed = re.sub(rb"\bab\b", name, code)
    assert fold_code(changed) == fold_code(code)


def test_names_that_are_mixed_up_are_no_renaming() -> None:
    assert is_renaming([b"a", b"b", b"a"], [b"x", b"y", b"x"])
    assert not is_renaming([b"a", b"b", b"a"], [b"x", b"y", b"y"])
    assert not is_renaming([b"a", b"b"], [b"x", b"x"])
    assert is_renaming([b"a", *[b"b"] * 9, b"a", b"a"], [b"x", *[b"b"] * 9, b"a", b"x"])
    assert not is_renaming([b"a", b"b"], [b"x", b"y", b"z"])


def test_short_code_has_no_shape() -> None:
    assert shape_of(b"+" * (FEWEST_MARKS - 1)) == bytes(BYTES)
    assert shape_of(b"+" * FEWEST_MARKS) != bytes(BYTES)
