"""A repository in which each thing has a file that the commits about it change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write

THINGS = ("basket", "invoice", "coupon", "parcel", "ticket")
FILES = {thing: f"{letter}.py" for thing, letter in zip(THINGS, "abcde", strict=True)}
ROUNDS = 6
QUERY = "fix rounding of the coupon total"


def body(path: str, count: int) -> str:
    """A file with the same words whatever it is about."""
    return (
        f"def total(rows):\n    # rounding\n    return round(sum(rows), {count})\n# {path[0] * 9}\n"
    )


def make(root: Path, messages: Sequence[str]) -> Path:
    """The repository with these messages of the commits about each thing."""
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    write(root, {**{path: body(path, 0) for path in FILES.values()}, "secret.env": "KEY=1\n"})
    run_git(root, "add", "-A", "-f")
    run_git(root, "commit", "-qm", "begin")
    for count in range(1, ROUNDS + 1):
        for at, thing in enumerate(THINGS):
            path = FILES[thing]
            write(root, {path: body(path, count), "secret.env": f"K={count}{at}\n"})
            run_git(root, "commit", "-qam", messages[at])
    return root


def about(thing: str) -> str:
    return f"fix rounding of the {thing} total"
