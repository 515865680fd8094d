"""Deltas, trees and likeness: compiled code and its models agree, on damaged bytes too."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from repo_mcp.git.deltas import apply_plainly, compare_plainly, tree_entries
from repo_mcp.git.likeness import LineSpans
from repo_mcp.native import NATIVE

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(NATIVE is None, reason="nothing is compiled")
NAMES = st.binary(min_size=1, max_size=3).map(
    lambda name: name.replace(b"\0", b"a").replace(b"/", b"b")
)
ENTRIES = st.dictionaries(
    NAMES,
    st.tuples(
        st.sampled_from([b"100644", b"40000", b"040000", b"120000", b"160000"]),
        st.binary(min_size=20, max_size=20),
    ),
    max_size=6,
)


def tree(entries: dict[bytes, tuple[bytes, bytes]]) -> bytes:
    def order(name: bytes) -> bytes:
        return name + (b"/" if entries[name][0].endswith(b"40000") else b"")

    return b"".join(
        entries[name][0] + b" " + name + b"\0" + entries[name][1]
        for name in sorted(entries, key=order)
    )


def outcome(call: Callable[[], object]) -> object:
    with suppress(ValueError):
        return call()
    return "refused"


@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(0, 200))
def test_any_bytes_as_a_delta(base: bytes, commands: bytes, size: int) -> None:
    assert NATIVE is not None
    native = NATIVE
    for delta in (commands, bytes([len(base), size & 0x7F]) + commands):
        made = outcome(partial(native.apply_delta, base, delta, 100))
        assert made == outcome(partial(apply_plainly, base, delta, 100))


@given(ENTRIES, ENTRIES)
def test_entries_that_differ(
    one: dict[bytes, tuple[bytes, bytes]], other: dict[bytes, tuple[bytes, bytes]]
) -> None:
    assert NATIVE is not None
    found = NATIVE.changed_entries(tree(one), tree(other))
    assert found == compare_plainly(tree(one), tree(other))
    before, behind = tree_entries(tree(one)), tree_entries(tree(other))
    changed = {key for key in {*before, *behind} if before.get(key) != behind.get(key)}
    assert len(found) == len(changed)


@given(st.binary(max_size=80))
def test_any_bytes_as_a_tree(data: bytes) -> None:
    assert NATIVE is not None
    native = NATIVE
    is_refused = outcome(lambda: native.changed_entries(data, b"")) == "refused"
    assert is_refused == (outcome(lambda: tree_entries(data)) == "refused")


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_likeness(one: bytes, other: bytes) -> None:
    for old, new in ((one, other), (one, one), (one + other, other)):
        common = LineSpans(old).common(LineSpans(new))
        assert common == LineSpans(old, None).common(LineSpans(new, None))
        assert 0 <= common <= len(old)


@pytest.mark.parametrize("most", [100, 199, 200])
def test_a_delta_makes_no_more_than_is_allowed(most: int) -> None:
    assert NATIVE is not None
    base = b"a" * 100
    # the sizes of both, then the whole base twice
    delta = bytes([100, 0x80 | 200 & 0x7F, 200 >> 7, 0x90, 100, 0x90, 100])
    expected = base * 2 if most >= 200 else "refused"
    for apply in (NATIVE.apply_delta, apply_plainly):
        assert outcome(partial(apply, base, delta, most)) == expected
