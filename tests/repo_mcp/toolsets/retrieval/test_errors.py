"""Every case of docs/errors.md happens as documented, in each of its tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.errors import TABLE as PROBLEMS, Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.toolsets.retrieval import root
from repo_mcp.toolsets.retrieval.declarations import TOOLS
from repo_mcp.toolsets.retrieval.errors import TABLE, refusal_of
from tests.repo_mcp.toolsets.retrieval.two_roots import TwoRoots
from tests.repo_mcp.tree_files import write

ERRORS = (Path(__file__).parents[4] / "docs" / "errors.md").read_text("utf-8")
GOOD: dict[str, dict[str, Any]] = {
    "search": {"query": "needle", "repo": "code"},
    "open_file": {"repo": "code", "path": "src/call.py"},
    "get_snippet": {"repo": "code", "path": "src/call.py", "start_line": 1, "end_line": 1},
    "list_dir": {"repo": "code", "path": "src"},
}
# what is said otherwise than in a good call
WRONG: dict[str, dict[str, Any]] = {
    "REPO_INVALID": {"repo": "other"},
    "QUERY_INVALID": {"query": " "},
    "LIMIT_INVALID": {"limit": 0},
    "RANGE_INVALID": {"start_line": 99, "end_line": 99},
    "CURSOR_INVALID": {"cursor": "none"},
    "ARGUMENT_INVALID": {"unknown": 1},
    "PATH_INVALID": {"path": "a\\b"},
    "PATH_OUTSIDE_ROOT": {"path": "../x"},
    "PATH_DENIED": {"path": ".git"},
    "PATH_NOT_FOUND": {"path": "src/none"},
    "PATH_IGNORED": {"path": "build"},
    "NOT_A_FILE": {"path": "src"},
    "NOT_A_DIRECTORY": {"path": "src/call.py"},
    "FILE_BINARY": {"path": "src/x.bin"},
    "FILE_TOO_LARGE": {"path": "src/large.txt"},
}
CASES = [(tool, code) for code, case in TABLE.items() for tool in case.tools]


def failing(code: str) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise Problem(code)

    return fail


def defect(*_: object, **__: object) -> None:
    raise ZeroDivisionError


def arranged(code: str, served: TwoRoots, patched: pytest.MonkeyPatch) -> None:
    """Whatever makes a good call fail."""
    if code == "ROOT_INVALID":
        served.code.rename(served.code.with_name("moved"))
    if code == "FILE_CHANGING":
        patched.setattr(Sandbox, "read", failing("file_changing"))
    if code == "PATH_UNREADABLE":
        patched.setattr(Sandbox, "read", failing("unreadable"))
        patched.setattr(Sandbox, "list_folder", failing("unreadable"))
    if code == "SEARCH_TIMEOUT":
        patched.setattr(root, "_SECONDS", 0.0)
    if code == "INTERNAL":
        patched.setattr(root.Root, "open", defect)


@pytest.mark.requirement("RET-FR-014")
@pytest.mark.parametrize(("tool", "code"), CASES)
def test_every_case_happens_as_it_is_documented(
    tool: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = TwoRoots(tmp_path, limits={"max_file_bytes": 1000})
    write(served.code, {"src/x.bin": b"\x00", "src/large.txt": "x" * 1001})
    arranged(code, served, monkeypatch)
    served.app._import_answering()  # a call that is cancelled meanwhile is answered without data
    wrong = WRONG.get(code, {})
    if (tool, code) == ("search", "PATH_INVALID"):
        wrong = {"glob": "*" * 99}
    found = served.app.call(tool, {**GOOD[tool], **wrong}, lambda: code == "CANCELLED")
    served.close()
    error = found["structuredContent"]["error"]
    assert (error["code"], error["message"]) == (code, TABLE[code].message)
    assert set(error["details"]) <= set(TABLE[code].details)
    assert found["isError"] is True
    assert found["content"][0]["text"].startswith(f"error {code}: {TABLE[code].message}\n")
    section = ERRORS.partition(f"\n## {tool}\n")[2].partition("\n## ")[0]
    assert f"\n| `{code}` | {TABLE[code].message} |" in section


def test_every_tool_has_its_section() -> None:
    assert all(f"\n## {tool.name}\n" in ERRORS for tool in TOOLS)


def test_no_problem_of_the_parts_below_goes_without_a_code() -> None:
    inside = {"index_busy", "index_missing", "index_unavailable", "workers_end"}
    inside |= {"data_link", "data_shared", "data_of_other_root"}
    # of the symbol graph, which this toolset does not use
    inside |= {"graph_missing", "graph_damaged", "symbol_missing", "file_not_linked"}
    # of vectors, which its indexes do not have
    inside |= {"model_unusable", "vectors_off"}
    # of commands that publish, pull, or give work to other machines
    inside |= {"store_unavailable", "engine_unusable", "index_behind"}
    # of structural search, and of the history
    inside |= {
        "structure_missing",
        "no_history",
        "history_unindexed",
        "history_unread",
        "patch_conflict",
    }
    inside |= {code for code in PROBLEMS if code.startswith("publication_")}
    for code in set(PROBLEMS) - inside - {"internal", "not_a_folder", "too_many"}:
        assert refusal_of(Problem(code), {}).code != "INTERNAL", code


def test_a_reason_does_not_repeat_the_message() -> None:
    assert refusal_of(Problem("path_outside"), {}).details == {}
    assert refusal_of(Problem("path_denied", "rule .env"), {}).details == {"reason": "rule .env"}
    told = refusal_of(Problem("argument_invalid", "path is missing"), {}).details
    assert told == {"reason": "path is missing"}
    assert "name" in str(refusal_of(Problem("path_hard_link"), {}).details["reason"])
