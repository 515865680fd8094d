"""Every error has one of the specified codes, the same form, and a line in the audit log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.errors import TABLE as SERVERS, Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.toolsets.codeagent.answers import SHAPE
from repo_mcp.toolsets.codeagent.declarations import READ_FILE
from repo_mcp.toolsets.codeagent.errors import TABLE, fault_of, fault_of_reason
from repo_mcp.toolsets.kit.answers import ToolCall
from tests.repo_mcp.toolsets.codeagent.calls import CODES, Caller
from tests.repo_mcp.trees import write


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    files: dict[str, str | bytes] = {".env": "TOKEN=hidden", "a.py": "a = 1\nb = 2\n"}
    return Caller(write(tmp_path / "root", files), tmp_path / "data")


@pytest.mark.requirement("CAE-errors")
def test_every_problem_of_the_server_has_a_code_of_the_document() -> None:
    assert set(TABLE) == set(SERVERS)
    assert {entry.code for entry in TABLE.values()} == CODES


@pytest.mark.parametrize("code", SERVERS)
def test_hints_name_no_tool_of_another_toolset(code: str) -> None:
    message = fault_of(Problem(code)).message
    assert "repo." not in message
    assert message.endswith(".")


@pytest.mark.requirement("CAE-errors")
@pytest.mark.parametrize("code", SERVERS)
def test_an_error_has_one_shape_as_data_and_as_text(code: str) -> None:
    answer = SHAPE.render_problem(ToolCall(READ_FILE, {}, "id"), Problem(code, "detail"), ())
    error = answer["structuredContent"]
    assert answer["isError"] is True
    assert list(error) == ["error"]
    assert list(error["error"]) == ["code", "message"]
    assert ("detail" in error["error"]["message"]) is not bool(TABLE[code].message)
    assert json.loads(answer["content"][0]["text"]) == error


def test_a_reason_that_nobody_thought_of_is_an_error_of_the_index() -> None:
    assert fault_of_reason("new").code == "index_error"


@pytest.mark.requirement("CAE-errors")
def test_a_defect_is_told_without_its_words(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("hidden words")

    monkeypatch.setattr(Sandbox, "read", broken)
    error = call.error("read_file", path="a.py")
    assert error["code"] == "engine_unavailable"
    assert "hidden" not in error["message"]


def test_what_a_tool_does_not_know_is_ignored_and_said(call: Caller) -> None:
    found = call("read_file", path="a.py", lines="1-2")
    assert found["content"] == "a = 1\nb = 2\n"
    assert found["warnings"] == ["ignored: 'lines'; read_file takes line_end, line_start, path"]
    assert "(pth" not in call.error("read_file", file="a.py")["message"]


@pytest.mark.requirement("CAE-errors")
def test_calls_are_in_the_audit_log_without_what_is_denied(call: Caller) -> None:
    call("read_file", path="a.py", line_start=2)
    call("list_directory")
    call.error("read_file", path=".env")
    call.error("read_file", path="../outside.py")
    call("index_files", paths=["a.py", ".env"])
    lines = (call.data / "audit.jsonl").read_text("utf-8").splitlines()
    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert [(it["tool"], it["ok"], it["blocked"], it["code"]) for it in records] == [
        ("read_file", True, False, ""),
        ("list_directory", True, False, ""),
        ("read_file", False, True, "path_denied"),
        ("read_file", False, True, "path_outside"),
        ("index_files", True, False, ""),
    ]
    assert [it["shown"] for it in records] == [["a.py:2-2"], ["a.py"], [], [], ["a.py"]]
    for secret in (".env", "outside.py", "hidden", "b = 2"):
        assert secret not in json.dumps([record["arguments"] for record in records])
