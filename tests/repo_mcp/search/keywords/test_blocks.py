"""Finding a text by what three bytes are where gives what going through all of it gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.search.keywords import blocks as keyword_blocks
from repo_mcp.search.keywords.blocks import Blocks


def every(text: bytes, needle: bytes) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(needle, at)]


FEW = st.text("ab\n", max_size=60).map(str.encode)


@given(FEW, st.text("ab\n", min_size=1, max_size=5).map(str.encode))
def test_all_places_are_found_wherever_blocks_end(text: bytes, needle: bytes) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keyword_blocks, "_BLOCK", 4)
        assert Blocks(text).places(needle, len(text) + 1) == every(text, needle)


@pytest.mark.parametrize("needle", [b"needle", b"nee", b"ne", b"n", b"dle\nnee"])
@pytest.mark.parametrize("lead", [4090, 4093, 4096, 8191])
def test_places_across_blocks_are_found(needle: bytes, lead: int) -> None:
    text = b"." * lead + b"needle\nneedle" + b"." * 5000
    assert Blocks(text).places(needle, 100) == every(text, needle)


def test_too_many_places_are_none() -> None:
    assert Blocks(b"aaa" * 10).places(b"aaa", 28) == every(b"aaa" * 10, b"aaa")
    assert Blocks(b"aaa" * 10).places(b"aaa", 27) is None


def test_blocks_without_the_bytes_are_not_looked_at() -> None:
    text = b"".join(bytes([65 + number % 26]) * 4096 for number in range(40))
    blocks = Blocks(text)
    # the last one of a block begins what goes on in the next
    assert len(blocks._holding(b"BBB")) <= 4
    assert blocks._holding(b"BQB") == []
