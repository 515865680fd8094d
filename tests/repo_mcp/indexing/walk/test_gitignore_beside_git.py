"""Ignored files are those that git ignores, on difficult trees; the exceptions are listed here."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.repo_mcp.indexing.walk.ignore_trees import (
    GIT,
    Trees,
    git,
    ignored_by_git,
    listed_by_git,
    not_ignored,
    on_paper,
    verdict,
)
from tests.repo_mcp.tree_files import write

pytestmark = [pytest.mark.servers, pytest.mark.skipif(GIT is None, reason="no git")]
AT_ONCE = 20
ON_PAPER = 250


@pytest.mark.parametrize("first", range(0, 3 * AT_ONCE, AT_ONCE))
def test_trees_with_rules_that_are_hard_to_read(tmp_path: Path, first: int) -> None:
    trees = Trees(tmp_path)
    differing = {}
    for seed in range(first, first + AT_ONCE):
        trees.grow(seed)
        here, there = not_ignored(tmp_path), listed_by_git(tmp_path)
        if here != there:
            differing[seed] = (here - there, there - here)
    assert differing == {}


SETS = r"""
    [[:alnum:]] [[:alpha:]] [[:blank:]] [[:cntrl:]] [[:digit:]] [[:graph:]] [[:lower:]]
    [[:print:]] [[:punct:]] [[:space:]] [[:upper:]] [[:xdigit:]] [!-/] [a-Z] [[-a] [\]-a] ? [!]
    []-a] [+--] [[:digit:]-z] [a-c-e] [[:alpha:]!-/] [[:x:]] [^[:alpha:]] [\a-\c] [--a] [a--]
"""


def test_sets_hold_the_bytes_that_they_hold_for_git(tmp_path: Path) -> None:
    names = [chr(code) for code in range(1, 0x180) if chr(code) not in "/."]
    texts = {
        str(number): rule.encode()
        for number, rule in enumerate([*SETS.split(), "[ -~]", "[\x01-\x1f]"])
    }
    assert_git_agrees(tmp_path, texts, [f"{folder}/{name}" for folder in texts for name in names])


@pytest.mark.parametrize("first", range(0, 2 * ON_PAPER, ON_PAPER))
def test_rules_and_paths_on_paper(tmp_path: Path, first: int) -> None:
    texts: dict[str, bytes] = {}
    paths: list[str] = []
    for seed in range(first, first + ON_PAPER):
        here, below = on_paper(seed)
        texts |= here
        paths += below
    assert_git_agrees(tmp_path, texts, paths)


def assert_git_agrees(root: Path, texts: dict[str, bytes], paths: list[str]) -> None:
    git(root, "init", "-q")
    write(root, {f"{folder}/.gitignore": text for folder, text in texts.items()})
    here = {path for path in paths if verdict(texts, path, folder=False)}
    there = ignored_by_git(root, paths) - {""}
    assert 0 < len(there) < len(set(paths))
    assert (sorted(here - there), sorted(there - here)) == ([], [])


class Case(NamedTuple):
    """Files and git's commands in turn; then what only git, or only the walk, does not ignore."""

    why: str
    steps: list[dict[str, str | bytes] | str]
    only_git: AbstractSet[str] = frozenset()
    only_here: AbstractSet[str] = frozenset()
    options: tuple[str, ...] = ()


EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # how git names an empty file
DIVERGENCES = [
    Case(
        "what git tracks stands in its index, which is denied",
        [{"kept.log": ""}, "add .", {".gitignore": "*.log"}],
        only_git={"kept.log"},
    ),
    Case(
        "git lists what it tracks though it is gone",
        [{"a.py": ""}, "add .", f"update-index --add --cacheinfo 100644,{EMPTY},gone.py"],
        only_git={"gone.py"},
    ),
    Case(
        "a repository inside is walked, by rules of its own; git leaves it alone",
        [{"inner/a.py": "", "inner/b.o": ""}, "init -q inner", {"inner/.gitignore": "*.o"}],
        only_git={"inner/"},
        only_here={"inner/a.py", "inner/.gitignore"},
    ),
    Case(
        "anything named .git begins a repository; git asks whether it is one",
        [{"inner/.git/x": "", "inner/a.o": "", ".gitignore": "*.o"}],
        only_here={"inner/a.o"},
    ),
    Case(
        "a person's own rules lie outside the repository",
        [{"a.py": "", "mine.txt": "", ".git/personal": "mine.*"}],
        only_here={"mine.txt"},
        options=("-c", "core.excludesFile=.git/personal"),
    ),
    Case(
        "the list of ignored files is read where it usually lies, not where a file .git leads",
        [{"a.o": ""}, "init -q --separate-git-dir=../apart", {"../apart/info/exclude": "*.o"}],
        only_here={"a.o"},
    ),
    Case(
        "git's settings are denied, this one included",
        [{"a.LOG": "", ".gitignore": "*.log"}],
        only_here={"a.LOG"},
        options=("-c", "core.ignoreCase=true"),
    ),
    Case(
        "rules are read up to a mebibyte",
        [{"a.o": "", "b.o": "", ".gitignore": b"a.o\n" + b"#" * (1 << 20) + b"\n*.o\n"}],
        only_here={"b.o"},
    ),
    Case(
        "a rule longer than any path is none",
        [{"a/b": "", ".gitignore": "a/" + "**/" * 1400 + "b"}],
        only_here={"a/b"},
    ),
]


@pytest.mark.parametrize("case", DIVERGENCES, ids=lambda case: case.why)
def test_where_git_decides_otherwise(tmp_path: Path, case: Case) -> None:
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "-q")
    for step in case.steps:
        if isinstance(step, str):
            git(root, *step.split())
        else:
            write(root, step)
    here, there = not_ignored(root), listed_by_git(root, *case.options)
    assert (there - here, here - there) == (case.only_git, case.only_here)


def test_a_name_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / os.fsdecode(b"\xff.py")).touch()
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    (tmp_path / os.fsdecode(b"\xff") / "a.py").touch()
    write(tmp_path, {"b.py": ""})
    listed = git(tmp_path, "ls-files", "-o")
    assert len(listed.splitlines()) == 3
    assert not_ignored(tmp_path) == {"b.py"}


def test_a_repository_inside_is_walked_as_git_would_from_there(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.py\nlib/\n", "a.py": "", "b.md": ""})
    write(tmp_path / "inner", {".gitignore": "*.md\n", "a.py": "", "b.md": "", "lib/c.py": ""})
    git(tmp_path, "init", "-q")
    git(tmp_path, "init", "-q", "inner")
    inside = {f"inner/{path}" for path in listed_by_git(tmp_path / "inner")}
    assert inside == {"inner/.gitignore", "inner/a.py", "inner/lib/c.py"}
    assert not_ignored(tmp_path) == inside | {".gitignore", "b.md"}


def test_a_file_of_rules_that_is_a_link_or_a_folder_says_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"rules": "*.py", "a.py": "", "x/a.py": "", "x/.gitignore/b.py": ""})
    (tmp_path / ".gitignore").symlink_to("rules")
    git(tmp_path, "init", "-q")
    seen = not_ignored(tmp_path)
    assert seen == listed_by_git(tmp_path)
    assert {"a.py", "x/a.py", "x/.gitignore/b.py"} < seen
