"""The compiled module alone: what it refuses, and that no input makes it touch foreign memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from repo_mcp.text.counting import COMPILED
from tests.index_format.native.sanitized import fuzzed

if TYPE_CHECKING:
    from repo_mcp.text._counting import WordCounter

KEY = bytes(16)

needs_compiled = pytest.mark.skipif(not COMPILED, reason="nothing was compiled here")


def counter() -> WordCounter:
    from repo_mcp.text._counting import WordCounter as Made  # noqa: PLC0415 it may not be there

    return Made(KEY)


def numbers(words: list[bytes]) -> list[int]:
    return list(range(len(words)))


def refused(word: bytes) -> list[bytes]:
    raise LookupError(word)


def nothing(_: bytes) -> list[bytes]:
    return []


@needs_compiled
@pytest.mark.parametrize("key", [b"", bytes(15), bytes(17)])
def test_a_key_has_sixteen_bytes(key: bytes) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        type(counter())(key)


@needs_compiled
@pytest.mark.parametrize(
    ("pieces", "numbers", "other_terms", "error"),
    [
        ([b"a", None], numbers, nothing, TypeError),
        ([b"a", 3], numbers, nothing, TypeError),
        ([b"a"], lambda _: None, nothing, TypeError),
        ([b"a b"], lambda _: [1], nothing, TypeError),
        ([b"a"], lambda _: [-1], nothing, OverflowError),
        ([b"a"], lambda _: [1 << 32], nothing, OverflowError),
        ([b"a"], lambda _: ["1"], nothing, TypeError),
        (["\u00e4"], numbers, refused, LookupError),
        (["\u00e4"], numbers, lambda _: ("a",), TypeError),
        (["\u00e4"], numbers, lambda _: ["a"], TypeError),
    ],
)
def test_what_went_wrong_leaves_nothing_behind(
    pieces: Sequence[bytes],
    numbers: Callable[[list[bytes]], list[int]],
    other_terms: Callable[[bytes], list[bytes]],
    error: type[Exception],
) -> None:
    counting = counter()
    for _ in range(2):
        counting.count([b"one two", "three"], lambda words: list(range(len(words))), nothing)
        assert len(counting) == 3
        with pytest.raises(error):
            counting.count(pieces, numbers, other_terms)
        assert len(counting) == 0


@needs_compiled
def test_it_counts_one_batch_at_a_time() -> None:
    counting = counter()

    def again(_: bytes) -> list[bytes]:
        counting.count([b"a"], numbers, nothing)
        return []

    with pytest.raises(RuntimeError, match="already"):
        counting.count(["\u00e4"], numbers, again)
    assert counting.count([b"a"], numbers, nothing)[2] == [1]


def test_no_text_makes_it_touch_foreign_memory(tmp_path: Path) -> None:
    fuzzed("repo_mcp/text/_counting.c", "fuzz_counting.py", tmp_path)
