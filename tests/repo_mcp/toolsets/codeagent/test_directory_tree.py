"""`get_directory_tree`: levels, limits, and truncation."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Folder, Sandbox
from repo_mcp.toolsets.codeagent.declarations import GET_DIRECTORY_TREE, MOST_BYTES
from repo_mcp.toolsets.codeagent.listing import DirectoryTree
from repo_mcp.toolsets.kit.services import Context
from tests.repo_mcp.indexing.walk.ignore_trees import GIT, Trees, listed_by_git
from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import write

DEEP = "/".join(f"level{number}" for number in range(1, 15))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        ".gitignore": "*.log\nbuild/\n",
        "build/out.txt": "",
        "src/lib/util.rs": "",
        "src/main.rs": "",
        "src/trace.log": "",
        f"{DEEP}/bottom.txt": "",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


def levels(node: dict[str, Any]) -> int:
    """The number of levels below a folder."""
    return 1 + max(map(levels, node["children"]), default=0) if "children" in node else 0


def files_in(node: dict[str, Any], prefix: str = "") -> set[str]:
    """Paths of all files in a tree."""
    found: set[str] = set()
    for child in node["children"]:
        path = prefix + child["name"]
        found |= {path} if child["type"] == "file" else files_in(child, f"{path}/")
    return found


@pytest.mark.requirement("CAE-get_directory_tree")
def test_the_tree_is_nested_as_the_document_shows_it(call: Caller) -> None:
    assert call("get_directory_tree", path="src") == {
        "name": "src",
        "type": "directory",
        "children": [
            {
                "name": "lib",
                "type": "directory",
                "children": [{"name": "util.rs", "type": "file"}],
            },
            {"name": "main.rs", "type": "file"},
        ],
    }


@pytest.mark.requirement("CAE-get_directory_tree")
def test_the_root_is_shown_to_a_depth_of_three_unless_told_otherwise(call: Caller) -> None:
    found = call("get_directory_tree")
    assert found["name"] == "."
    assert [child["name"] for child in found["children"]] == [".gitignore", "level1", "src"]
    assert levels(found) == 3
    assert found == call("get_directory_tree", path="", depth=3)


@pytest.mark.requirement("CAE-get_directory_tree")
@pytest.mark.parametrize("depth", range(11))
def test_no_more_levels_are_shown_than_were_asked_for(call: Caller, depth: int) -> None:
    found = call("get_directory_tree", depth=depth)
    assert levels(found) == depth
    last = found
    for number in range(1, depth + 1):
        last = next(c for c in last["children"] if c["name"] == f"level{number}")
    assert "children" not in last
    assert "truncated" not in last


@pytest.mark.requirement("CAE-get_directory_tree", "CAE-errors")
@pytest.mark.parametrize("depth", [-1, 11, 10_000, "many", 2.5, True])
def test_a_depth_out_of_range_is_refused(call: Caller, depth: object) -> None:
    assert call.code("get_directory_tree", depth=depth) == "invalid_parameter"


def test_a_depth_may_be_written_as_a_string(call: Caller) -> None:
    assert levels(call("get_directory_tree", depth="2")) == 2


@pytest.mark.requirement("CAE-get_directory_tree")
@pytest.mark.parametrize("count", [1000, 1001, 2500])
def test_a_folder_shows_its_first_thousand_entries(call: Caller, root: Path, count: int) -> None:
    names = [f"{number:04}.txt" for number in range(count)]
    folder = root / "src" / "many"
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    (folder / "zz.log").touch()  # ignored: it does not count
    many = call("get_directory_tree", path="src")["children"][2]
    assert [child["name"] for child in many["children"]] == names[:1000]
    assert many.get("truncated", False) is (count > 1000)


@pytest.mark.requirement("CAE-get_directory_tree")
def test_ignored_files_and_folders_are_left_out(call: Caller) -> None:
    text = call.answer("get_directory_tree", depth=2)["content"][0]["text"]
    assert "main.rs" in text
    assert "build" not in text
    assert "trace.log" not in text


@pytest.mark.servers
@pytest.mark.skipif(GIT is None, reason="no git")
@pytest.mark.requirement("CAE-get_directory_tree", "CAE-list_directory")
@pytest.mark.parametrize("first", [1000, 1010])
def test_what_is_left_out_is_what_git_ignores(tmp_path: Path, first: int) -> None:
    root = tmp_path / "root"
    root.mkdir()
    trees = Trees(root)
    call = Caller(root, tmp_path / "data")
    for seed in range(first, first + 10):
        trees.grow(seed)
        said = {path for path in listed_by_git(root) if not set(path) & set("\\\n\t\x0b\x7f")}
        assert files_in(call("get_directory_tree", depth=10)) == said, seed


def test_an_empty_folder_is_not_one_that_was_not_looked_into(call: Caller, root: Path) -> None:
    (root / "src" / "lib" / "empty").mkdir()
    lib = call("get_directory_tree", path="src/lib")
    assert lib["children"][0] == {"name": "empty", "type": "directory", "children": []}
    assert call("get_directory_tree", path="src/lib", depth=1)["children"][0] == {
        "name": "empty",
        "type": "directory",
    }


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_links_to_folders_lead_nowhere_so_that_no_tree_is_endless(call: Caller, root: Path) -> None:
    (root / "src" / "lib" / "again").symlink_to("..")
    (root / "src" / "self").symlink_to(".")
    found = call("get_directory_tree", path="src", depth=10)
    assert files_in(found) == {"lib/util.rs", "main.rs"}
    assert found["warnings"] == ["left out: 2 links (not followed)"]


def test_a_folder_that_can_not_be_read_costs_only_itself(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Sandbox.list_folder

    def folder(fence: Sandbox, path: str) -> Folder:
        if path == "src/lib":
            raise Problem("unreadable")
        return listed(fence, path)

    monkeypatch.setattr(Sandbox, "list_folder", folder)
    found = call("get_directory_tree", path="src")
    assert found["children"] == [
        {"name": "lib", "type": "directory"},
        {"name": "main.rs", "type": "file"},
    ]
    assert found["warnings"] == ["left out: 1 folder (not readable)"]


def test_where_room_ends_all_levels_above_are_whole(call: Caller, root: Path) -> None:
    for folder in range(40):
        for number in range(60):
            path = root / "wide" / f"{folder:02}" / f"{number:02}-{'n' * 220}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    found = call("get_directory_tree", path="wide", depth=5)
    folders = found["children"]
    assert [folder["name"] for folder in folders] == [f"{number:02}" for number in range(40)]
    shown = [len(folder.get("children", ())) for folder in folders]
    cut = [folder.get("truncated", False) for folder in folders]
    first = cut.index(True)
    assert shown[:first] == [60] * first
    assert shown[first + 1 :] == [0] * (39 - first)
    assert cut == [number >= first for number in range(40)]
    assert "a smaller depth" in found["warnings"][0]
    written = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    assert MOST_BYTES * 0.9 < len(written.encode()) <= MOST_BYTES + 500


@pytest.mark.requirement("CAE-get_directory_tree", "CAE-errors")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../root", "path_escape"),
        ("src/../../root", "path_escape"),
        ("none", "not_found"),
        (".git", "not_found"),
        ("src/main.rs", "invalid_parameter"),
    ],
)
def test_what_has_no_tree(call: Caller, path: str, code: str) -> None:
    assert call.code("get_directory_tree", path=path) == code


def test_a_tree_that_nobody_waits_for_is_given_up(call: Caller) -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 2

    call("list_directory")
    tree = DirectoryTree(call.app.services.running().tools)
    with pytest.raises(Problem) as caught:
        tree({"path": "", "depth": 10}, Context(Budget(None, cancelled)))
    assert caught.value.code == "cancelled"
    assert len(asked) == 3
    answer = call.app.call(GET_DIRECTORY_TREE.name, {}, lambda: True)
    assert answer["structuredContent"]["error"]["code"] == "engine_unavailable"
