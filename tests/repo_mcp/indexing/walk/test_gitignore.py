"""Rules of .gitignore files, held against a slow reading of them, and against hostile ones."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import example, given, strategies as st

from repo_mcp.indexing.walk.gitignore import IgnoreRules
from tests.repo_mcp.indexing.walk.ignore_oracle import ignored
from tests.repo_mcp.indexing.walk.ignore_trees import NAMES, PIECES, RULES, verdict

PLAIN = [name for name in NAMES if "\n" not in name]
PATTERNS = st.one_of(
    st.sampled_from(RULES),
    st.lists(st.sampled_from([*PIECES, *PLAIN]), min_size=1, max_size=6).map("".join),
    st.text(st.sampled_from("ab*?[]!-^\\/. #:ä"), min_size=1, max_size=9),
)
LINES = st.tuples(
    st.sampled_from(["", "", "!", "/"]), PATTERNS, st.sampled_from(["", "", "/", " ", "\r"])
).map("".join)
FILES = st.lists(LINES, max_size=4).map(
    lambda lines: "\n".join(lines).encode("utf-8", "surrogateescape")
)
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map("/".join)


@given(FILES, FILES, PATHS, st.sampled_from(["file", "folder"]))
@example(b"a**/b", b"", "ab", "file")
@example(b"a**/**/b/", b"", "ax/y/b", "folder")
@example(b"a**/**/b", b"", "ab", "file")
@example(b"a**/**", b"", "ab/c", "file")
@example(b"/a**\n!/ab/", b"", "ab/c", "file")
@example(b"foo**\\/x", b"", "foo/x", "file")
@example(b"a/**/**", b"", "a", "folder")
@example(b"a/**\\/b", b"", "a/x/y/b", "file")
@example(b"[[:space:]]", b"", "\x0b", "file")
@example(b"a\\ ", b"", "a ", "file")
@example(b"\xef\xbb\xbfa", b"", "a", "file")
@example(b"*\n!a/", b"*", "a/b", "file")
@example(b"\\**foo", b"", "foo", "file")
def test_rules_are_read_as_the_slow_reading_has_it(
    top: bytes, inner: bytes, path: str, kind: str
) -> None:
    files, folder = [("", top), (path.partition("/")[0], inner)], kind == "folder"
    assert verdict(dict(files), path, folder=folder) == ignored(files, path, folder=folder)


@given(PATTERNS, PATHS)
def test_one_rule_is_read_as_the_slow_reading_has_it(pattern: str, path: str) -> None:
    files = [("", pattern.encode("utf-8", "surrogateescape"))]
    assert verdict(dict(files), path, folder=False) == ignored(files, path, folder=False)


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("*a" * 100 + "b", "a" * 255),
        ("a*" * 100 + "b", "a" * 255),
        ("*?" * 100 + "b", "a" * 255),
        ("*a*a", "b" + "a" * 254 + "b"),
        ("[a]*" * 60 + "b", "a" * 255),
        ("**/a/" * 30 + "b", "a/" * 150 + "c"),
        ("**/*a*/" * 30 + "b", "aaaa/" * 150 + "c"),
        ("a**/" * 500 + "b", "a" * 255),
        ("a" + "**/" * 1300 + "b", "a/" * 150 + "c"),
    ],
)
def test_no_rule_can_keep_a_walk_busy(rule: str, path: str) -> None:
    """Trying every way to share a name out among the stars would outlast any test run."""
    assert not verdict({"": rule.encode()}, path, folder=False)


@pytest.mark.parametrize(
    "line", [b"x" * 5000, b"\xff\xfe*", b"a\0b", b"[", b"\\", b"!", b"/", b"\r"]
)
def test_a_line_that_says_nothing_hides_nothing(line: bytes) -> None:
    rules = IgnoreRules().with_rules(line)
    seen = [name for name in NAMES if rules.ignores(name, folder=False)]
    assert seen == (["a"] if line == b"a\0b" else [])


SAME = ["ab.c", "ab*", "*.c", "*b.c", "a*c", "[a]*", "/ab.c", "**/ab.c", "/a*", "*", "a*", "*c"]


@pytest.mark.parametrize(("first", "last"), list(permutations(SAME, 2)))
def test_the_last_rule_that_speaks_decides(first: str, last: str) -> None:
    lifted = IgnoreRules().with_rules(f"{first}\n!{last}\n".encode())
    hidden = IgnoreRules().with_rules(f"!{first}\n{last}\n".encode())
    assert not lifted.ignores("ab.c", folder=False)
    assert hidden.ignores("ab.c", folder=False)


@pytest.mark.parametrize(("outer", "inner"), list(permutations(SAME, 2)))
def test_the_deepest_file_of_rules_decides(outer: str, inner: str) -> None:
    rules = IgnoreRules().with_rules(f"{outer}\n".encode()).with_rules(f"!{inner}\n".encode())
    assert not rules.ignores("ab.c", folder=False)


def test_folders_without_rules_of_their_own_share_those_above() -> None:
    rules = IgnoreRules().with_rules(b"*.o\n/build\nbuild\n")
    inside = rules.below("src")
    assert inside.below("x") is inside
    assert inside.ignores("a.o", folder=False)
    assert not inside.ignores("x", folder=True)


def test_a_file_of_rules_that_is_cut_off_does_not_end_in_half_a_rule() -> None:
    whole = b"*.o\n" * (1 << 18)
    rules = IgnoreRules().with_rules(whole[:-4] + b"\n\n\n*")
    assert rules.ignores("a.o", folder=False)
    assert not rules.ignores("a.c", folder=False)
