"""Patches that git and diff write lead to the files that they were made of, and back."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from repo_mcp.changes.patches import apply_to, parse_patch, reversed_file
from repo_mcp.errors import Problem
from tests.repo_mcp.git.made_history import HistoryMaker, run_git

LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "\n", "- x\n", "+ y\n", "@@ z\n"]), max_size=30
)


@given(
    old=LINES, new=LINES, old_end=st.sampled_from(["", "end"]), new_end=st.sampled_from(["", "end"])
)
def test_a_diff_leads_to_the_new_text_and_back(
    old: list[str], new: list[str], old_end: str, new_end: str
) -> None:
    before, behind = "".join(old) + old_end, "".join(new) + new_end
    if before == behind:
        return
    rows = difflib.unified_diff(
        before.splitlines(keepends=True), behind.splitlines(keepends=True), "a/x.py", "b/x.py"
    )
    text = "".join(
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows
    )
    (file,) = parse_patch(text)
    assert (file.old_path, file.new_path) == ("x.py", "x.py")
    assert apply_to(file, lambda _: before.encode()) == behind.encode()
    assert apply_to(reversed_file(file), lambda _: behind.encode()) == before.encode()


@pytest.mark.servers
@pytest.mark.parametrize("seed", range(6))
def test_what_git_writes_leads_to_what_git_has(seed: int, tmp_path: Path) -> None:
    HistoryMaker(seed).make(tmp_path, 12)
    commits = run_git(tmp_path, "rev-list", "--first-parent", "HEAD").decode().split()
    first, last = commits[-1], commits[0]

    def content(commit: str, path: str) -> bytes | None:
        names = run_git(tmp_path, "ls-tree", "-r", "--name-only", commit).decode().split("\n")
        return run_git(tmp_path, "show", f"{commit}:{path}") if path in names else None

    for option in ("-M", "--no-renames"):
        text = run_git(tmp_path, "diff", option, first, last).decode()
        for file in parse_patch(text):
            made = apply_to(file, lambda path: content(first, path))
            assert made == (content(last, file.new_path) if file.new_path else None)


def test_lines_are_found_where_they_have_moved_to() -> None:
    (file,) = parse_patch("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
    assert apply_to(file, lambda _: b"new\nnew\na\nb\n") == b"new\nnew\na\nc\n"


def test_a_patch_without_lines_around_its_changes_leads_back() -> None:
    before, behind = b"a\nb\nc\nd\ne\n", b"1\n2\na\nb\nc\ne\n"
    (file,) = parse_patch("--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+1\n+2\n@@ -4 +5,0 @@\n-d\n")
    assert apply_to(file, lambda _: before) == behind
    assert apply_to(reversed_file(file), lambda _: behind) == before


def test_ends_of_lines_are_those_of_the_file() -> None:
    (file,) = parse_patch("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n")
    assert apply_to(file, lambda _: b"a\r\nb\r\n") == b"a\r\nc\r\nd\r\n"


def test_a_rename_without_lines_and_a_quoted_path() -> None:
    text = 'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to "\\303\\274.py"\n'
    (file,) = parse_patch(text)
    assert (file.old_path, file.new_path, list(file.hunks)) == ("x", "ü.py", [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no patch",
        "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n",
        "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n?\n",
    ],
)
def test_no_patch_is_refused(text: str) -> None:
    with pytest.raises(Problem) as refused:
        parse_patch(text)
    assert refused.value.code == "argument_invalid"


@pytest.mark.parametrize("there", [None, b"other\n"])
def test_a_patch_that_does_not_fit_is_refused(there: bytes | None) -> None:
    (file,) = parse_patch("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n")
    with pytest.raises(Problem) as refused:
        apply_to(file, lambda _: there)
    assert refused.value.code == "patch_conflict"


def test_a_new_file_that_is_there_is_refused() -> None:
    (file,) = parse_patch("--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+b\n")
    with pytest.raises(Problem) as refused:
        apply_to(file, lambda _: b"b\n")
    assert refused.value.code == "patch_conflict"
