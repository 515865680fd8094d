"""Which files are found: what git would list, without secrets, links and what is no text."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.discovery import Discovery, Selection
from repo_mcp.sandbox import Sandbox
from tests.repo_mcp.trees import FOREVER, sandbox, write

GIT = shutil.which("git")
NAMES = ["a", "b.py", "c.md", "build", "x y", "ä.txt", "Makefile", "log", "a.py", ".hidden"]
RULES = [
    "*.py",
    "!b.py",
    "build",
    "build/",
    "/a",
    "a/b.py",
    "**/log",
    "log/**",
    "!log/a",
    "# note",
    "\\#a",
    "x y",
    "x\\ y ",
    "ä.*",
    "[ab].*",
    "*",
    "!*/",
    "!*.md",
    "a/**/c.md",
    ".hidden",
    "!.hidden",
    "",
    "a?py",
    "/*/a",
]


def candidates(fence: Sandbox) -> dict[str, str]:
    return dict(Discovery(fence, Selection(1 << 20)).candidates(FOREVER))


def found(root: Path, **selection: object) -> list[str]:
    chosen = Selection(1 << 20, **selection)  # type: ignore[arg-type]
    fence = sandbox(root)
    paths = list(Discovery(fence, chosen).paths(FOREVER))
    fence.close()
    return paths


def git(root: Path, *arguments: str) -> str:
    assert GIT
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = [GIT, "-c", "core.excludesFile=", "-C", str(root), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    return done.stdout.decode()


def listed_by_git(root: Path) -> set[str]:
    listed = git(root, "ls-files", "-z", "-co", "--exclude-standard")
    return {path for path in listed.split("\0") if path}


def not_ignored(root: Path) -> set[str]:
    fence = sandbox(root)
    paths = {path for path, why in candidates(fence).items() if why not in {"ignored", "denied"}}
    fence.close()
    return paths


def grow(chance: random.Random, folder: Path, depth: int) -> None:
    folder.mkdir(exist_ok=True)
    if chance.random() < 0.4:
        rules = chance.choices(RULES, k=chance.randrange(1, 6))
        text = chance.choice(["", "\ufeff"]) + chance.choice(["\n", "\r\n"]).join(rules)
        (folder / ".gitignore").write_bytes(text.encode())
    for name in chance.sample(NAMES, chance.randrange(1, 6)):
        if depth and chance.random() < 0.5:
            grow(chance, folder / name, depth - 1)
        else:
            (folder / name).write_text("x", encoding="utf-8")


@pytest.mark.skipif(GIT is None, reason="no git")
@pytest.mark.parametrize("seed", range(40))
def test_what_is_ignored_is_what_git_ignores(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    grow(chance, tmp_path, 3)
    git(tmp_path, "init", "-q")
    if chance.random() < 0.5:
        exclude = tmp_path / ".git" / "info" / "exclude"
        exclude.write_text("\n".join(chance.choices(RULES, k=2)), encoding="utf-8")
    assert not_ignored(tmp_path) == listed_by_git(tmp_path)


@pytest.mark.skipif(GIT is None, reason="no git")
@pytest.mark.parametrize(
    "rules",
    [
        ["log/**", "!log/a"],
        ["log/*", "!log/a"],
        ["log", "!log/a"],
        ["/**/a", "!/log/a"],
        ["*", "!*/", "!b.py"],
        ["log/", "!log/x/"],
        ["!a", "a"],
        ["a", "!a"],
        ["\\!a", "b.py  "],
        ["log/**/a"],
        ["**"],
        ["x/"],
    ],
)
def test_rules_that_speak_of_each_other(tmp_path: Path, rules: list[str]) -> None:
    paths = ["a", "b.py", "log/a", "log/b.py", "log/x/a", "log/x/y/a", "x", "!a"]
    write(tmp_path, {**dict.fromkeys(paths, "x"), ".gitignore": "\n".join(rules)})
    git(tmp_path, "init", "-q")
    assert not_ignored(tmp_path) == listed_by_git(tmp_path)


@pytest.mark.skipif(GIT is None, reason="no git")
@pytest.mark.parametrize(
    ("what", "only_git", "only_here"),
    [
        ("a tracked file that a rule names", {"kept.log"}, set()),
        ("a repository inside", {"inner/"}, {"inner/a.py"}),
    ],
)
def test_where_git_decides_otherwise(
    tmp_path: Path, what: str, only_git: set[str], only_here: set[str]
) -> None:
    git(tmp_path, "init", "-q")
    if "tracked" in what:
        write(tmp_path, {"kept.log": "x"})
        git(tmp_path, "add", "kept.log")
        write(tmp_path, {".gitignore": "*.log"})
    else:
        write(tmp_path, {"inner/a.py": "x"})
        git(tmp_path / "inner", "init", "-q")
    here, there = not_ignored(tmp_path), listed_by_git(tmp_path)
    assert (there - here, here - there) == (only_git, only_here)


def test_reasons_are_counted(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "x",
            ".env": "x",
            "logo.png": b"\x89PNG",
            "large.txt": "x" * 101,
            "node_modules/m/a.js": "x",
            "gen/a.py": "x",
            "out.log": "x",
            ".gitignore": "*.log",
            ".git/config": "x",
        },
    )
    (tmp_path / "link.py").symlink_to("a.py")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / os.fsdecode(b"\xff.py")).write_text("x", encoding="utf-8")
    fence = sandbox(tmp_path)
    discovery = Discovery(fence, Selection(100, exclude_globs=("gen",)))
    assert list(discovery.paths(FOREVER)) == [".gitignore", "a.py"]
    assert {reason: count for reason, count in discovery.left_out.items() if count} == {
        "denied": 2,
        "extension": 1,
        "large": 1,
        "excluded": 2,
        "ignored": 1,
        "link": 1,
        "other": 1,
        "name": 1,
    }
    fence.close()


def test_a_link_to_a_folder_is_not_walked(tmp_path: Path) -> None:
    write(tmp_path, {"root/a/b.py": "x", "outside/c.py": "x"})
    (tmp_path / "root" / "loop").symlink_to(".", target_is_directory=True)
    (tmp_path / "root" / "out").symlink_to("../outside", target_is_directory=True)
    assert found(tmp_path / "root") == ["a/b.py"]


def test_more_extensions_can_be_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x", "b.odd": "x", "c.ODD": "x"})
    assert found(tmp_path) == ["a.py"]
    assert found(tmp_path, include_extensions=(".odd",)) == ["a.py", "b.odd", "c.ODD"]


def test_the_order_is_that_of_bytes_folder_by_folder(tmp_path: Path) -> None:
    paths = ["b/a.py", "b.py", "B.py", "ä.py", "b/ä/z.py", "a/z.py"]
    write(tmp_path, dict.fromkeys(paths, ""))
    assert found(tmp_path) == ["B.py", "b.py", "ä.py", "a/z.py", "b/a.py", "b/ä/z.py"]


def test_a_cancelled_walk_stops(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x"})
    fence = sandbox(tmp_path)
    with pytest.raises(Problem, match="cancelled"):
        list(Discovery(fence, Selection(100)).paths(Budget(None, lambda: True)))
    fence.close()
