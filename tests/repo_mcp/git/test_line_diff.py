"""Hunks are those of git, and the compiled search is the model's."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from repo_mcp.git.line_diff import Hunk, diff_lines, diff_plainly
from repo_mcp.native import NATIVE
from tests.waiting import HANG

LINES = st.sampled_from(
    [b"", b"a", b"b", b"  a", b"\tb", b"}", b"    pass", b"x" * 70, b"c\r", b"\xff\x00"]
)
TEXTS = st.tuples(st.lists(LINES, max_size=60), st.booleans()).map(
    lambda made: b"\n".join(made[0]) + (b"\n" if made[1] else b"")
)
HEAD = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def long_texts(seed: int) -> tuple[bytes, bytes]:
    """A text and one made of it, with so many equal lines that searches are cut short."""
    chance = random.Random(seed)
    words = [b"  " * chance.randrange(4) + b"w%d" % n for n in range(chance.choice((2, 8, 300)))]
    words += [b"", b"}"]
    old = [chance.choice(words) for _ in range(chance.randrange(1500))]
    new = list(old)
    for _ in range(chance.randrange(500)):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randrange(6)] = chance.choices(words, k=chance.randrange(6))
    return b"\n".join(old), b"\n".join(new) + b"\n"


def git_hunks(old: Path, new: Path) -> list[tuple[int, int, int, int]]:
    done = subprocess.run(
        ["git", "diff", "--no-index", "-U0", "--text", str(old), str(new)],  # noqa: S607 whichever it is
        capture_output=True,
        check=False,
        timeout=HANG,
    )
    rows = [
        [1 if part is None else int(part) for part in row.groups()]
        for row in HEAD.finditer(done.stdout)
    ]
    return [(a, b, c, d) for a, b, c, d in rows]


def as_git_says(hunk: Hunk) -> tuple[int, int, int, int]:
    old, new = hunk.old_end - hunk.old, hunk.new_end - hunk.new
    return hunk.old + bool(old), old, hunk.new + bool(new), new


@given(TEXTS, TEXTS, st.tuples(st.booleans(), st.booleans()))
@settings(max_examples=300)
def test_hunks_make_the_new_text_of_the_old_one(
    old: bytes, new: bytes, flags: tuple[bool, bool]
) -> None:
    any_blanks, whole = flags
    made, at = b"", 0
    for hunk in diff_lines(old, new, whole=whole):
        made += old[at : hunk.old_at] + new[hunk.new_at : hunk.new_stop]
        at = hunk.old_stop
    assert made + old[at:] == new
    if NATIVE is not None:
        compiled = NATIVE.diff_lines(old, new, any_blanks, whole)
        assert compiled == diff_plainly(old, new, any_blanks, whole)


@pytest.mark.skipif(NATIVE is None, reason="nothing is compiled")
@pytest.mark.parametrize("seed", range(6))
def test_the_compiled_search_is_that_of_the_model(seed: int) -> None:
    assert NATIVE is not None
    old, new = long_texts(seed)
    for any_blanks in (False, True):
        for whole in (False, True):
            compiled = NATIVE.diff_lines(old, new, any_blanks, whole)
            assert compiled == diff_plainly(old, new, any_blanks, whole)


@needs_git
@pytest.mark.servers
@pytest.mark.parametrize("seed", range(20))
def test_hunks_are_those_of_git(tmp_path: Path, seed: int) -> None:
    old, new = long_texts(seed)
    one, other = tmp_path / "old", tmp_path / "new"
    one.write_bytes(old)
    other.write_bytes(new)
    assert [*map(as_git_says, diff_lines(old, new))] == git_hunks(one, other)


def test_lines_that_differ_in_blanks_alone_are_equal_if_that_is_asked() -> None:
    assert diff_lines(b"a b\n  c\n", b"ab\nc\n", any_blanks=True) == []
    assert len(diff_lines(b"a b\nx\n", b"ab\ny\n", any_blanks=True)) == 1


@pytest.mark.parametrize("size", [1023, 1024, 1025, 2048])
def test_a_text_that_ends_within_a_line_of_the_other(size: int) -> None:
    old = b"a\n" * (size // 2) + b"b" * (size % 2)
    for first, second in (
        (old, old + b"c\n"),
        (old[:-1], old),
        (old[:-1] + b"x", old[:-1] + b"xyz"),
    ):
        for one, other in ((first, second), (second, first)):
            (hunk,) = diff_lines(one, other, whole=True)
            assert (
                one[: hunk.old_at] + other[hunk.new_at : hunk.new_stop] + one[hunk.old_stop :]
                == other
            )
            flags = (False, True)
            compiled = diff_plainly if NATIVE is None else NATIVE.diff_lines
            assert compiled(one, other, *flags) == diff_plainly(one, other, *flags)
