"""Equal trees give equal answers: repeatedly, after a restart, and at another path."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.differential

FILES: dict[str, str | bytes] = {
    ".gitignore": "*.log\n",
    "README.md": "# Title\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\0",
    **{f"src/{name}/{name}.py": f"{name} = 1\n" * 50 for name in "qwertyuiop"},
    **{f"src/{name}/trace.log": "x" for name in "qwe"},
}
CALLS: list[tuple[str, dict[str, object]]] = [
    ("list_directory", {}),
    ("list_directory", {"path": "src"}),
    ("get_directory_tree", {}),
    ("get_directory_tree", {"path": "src", "depth": 1}),
    ("read_file", {"path": "src/q/q.py"}),
    ("read_file", {"path": "src/q/q.py", "line_start": 10, "line_end": 20}),
    ("read_file", {"path": "logo.png"}),
    ("read_file", {"path": "../root"}),
    ("read_file", {"path": "none"}),
]
INDEXING: tuple[str, dict[str, object]] = (
    "index_files",
    {"paths": ["README.md", "none.py", "logo.png", "../x"]},
)


def answers(call: Caller) -> bytes:
    """All answers as they are sent."""
    return json.dumps([call.answer(name, **arguments) for name, arguments in CALLS]).encode()


@pytest.mark.requirement("CAE-list_directory", "CAE-read_file", "CAE-get_directory_tree")
def test_a_hundred_runs_say_the_same(tmp_path: Path) -> None:
    call = Caller(write(tmp_path / "root", FILES), tmp_path / "data")
    assert len({answers(call) for _ in range(100)}) == 1


@pytest.mark.parametrize("seed", range(4))
def test_restarts_and_copies_made_in_another_order_say_the_same(tmp_path: Path, seed: int) -> None:
    first = write(tmp_path / "one" / "root", FILES)
    names = list(FILES)
    random.Random(seed).shuffle(names)
    second = write(tmp_path / "two" / "root", {name: FILES[name] for name in names})
    third = tmp_path / "three" / "root"
    shutil.copytree(first, third)
    for path in third.rglob("*"):
        os.utime(path, (seed, seed))
    said = [answers(Caller(root, root.parent / "data")) for root in (first, first, second, third)]
    assert len(set(said)) == 1


@pytest.mark.requirement("CAE-index_files")
def test_indexing_twice_says_the_same(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    name, arguments = INDEXING
    said = [
        json.dumps(Caller(root, tmp_path / data).answer(name, **arguments))
        for data in ("one", "one", "two")
    ]
    assert len(set(said)) == 1
