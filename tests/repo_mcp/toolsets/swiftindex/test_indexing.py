"""`index_codebase`: what it counts, and the errors of calls without an index or a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.toolsets.swiftindex.calls import Caller, Client
from tests.repo_mcp.trees import write

FILES: dict[str, str | bytes] = {
    "a.swift": "func a() {}\n",
    "src/b.swift": "func b() {}\n",
    "src/c.bin": b"\0\1",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


@pytest.mark.requirement("SWI-index_codebase")
def test_files_are_indexed_once_unless_forced(call: Caller, root: Path) -> None:
    first = call("index_codebase", path=str(root))
    assert (first["files"], first["added"], first["complete"]) == (2, 2, True)
    assert first["chunks"] == 2
    assert first["errors"] == []
    again = call("index_codebase", path=str(root))
    assert (again["added"], again["updated"], again["unchanged"]) == (0, 0, 2)
    (root / "a.swift").write_text("func a() {}\nfunc more() {}\n")
    changed = call("index_codebase", path=str(root))
    assert (changed["updated"], changed["unchanged"]) == (1, 1)
    forced = call("index_codebase", path=str(root), force=True)
    assert forced["files"] == 2
    assert forced["added"] + forced["updated"] == 2


@pytest.mark.requirement("SWI-index_codebase")
def test_a_folder_is_counted_by_itself(call: Caller, root: Path) -> None:
    call.index()
    inside = call("index_codebase", path=str(root / "src"))
    assert (inside["path"], inside["files"], inside["chunks"]) == ("src", 1, 1)


@pytest.mark.requirement("SWI-index_codebase")
def test_files_that_can_not_be_read_are_errors(call: Caller, root: Path) -> None:
    (root / "big.swift").write_text("// x\n" * 300_000)
    found = call("index_codebase", path=str(root))
    assert found["files"] == 2
    assert found["errors"] == [{"reason": "large", "count": 1}]


@pytest.mark.requirement("SWI-errors")
def test_messages_are_those_of_the_specification(call: Caller, root: Path) -> None:
    without = f"No index found for path: {root}. Run 'index_codebase' tool first."
    assert call.error("search_code", query="x") == without
    assert call.error("search_docs", query="x") == without
    inside = f"No index found for path: {root}/src. Run 'index_codebase' tool first."
    assert call.error("search_code", query="x", path="src") == inside
    for name in ("search_code", "search_docs", "code_research"):
        assert call.error(name) == "Missing required argument: query"
        assert call.error(name, query=None) == "Missing required argument: query"
        assert call.error(name, query=" \n") == "Query cannot be empty"
    assert call.error("index_codebase") == "Missing required argument: path"


@pytest.mark.requirement("SWI-errors")
@pytest.mark.parametrize("path", ["/nowhere", "..", "../root2", "a.swift", "missing", "/etc", "~"])
def test_a_path_that_is_no_folder_of_the_repository(call: Caller, path: str) -> None:
    text = f"Path does not exist or is not a directory: {path}"
    assert call.error("index_codebase", path=path) == text
    assert call.error("search_code", query="x", path=path) == text


def test_control_characters_of_a_path_are_not_repeated(call: Caller) -> None:
    assert call.error("search_code", query="x", path="a\x1b[2Jb\n").endswith("a?[2Jb?")


@pytest.mark.requirement("SWI-progress")
def test_a_task_waits_until_everything_is_indexed(call: Caller, root: Path) -> None:
    found = call("index_codebase", Client(is_task=True), path=str(root))
    assert found["complete"]
