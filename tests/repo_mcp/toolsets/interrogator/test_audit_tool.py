"""`repo.audit_log`: recorded calls of any client, without secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.settings import check_options
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "def needle(): ...\n" * 3, ".env": "TOKEN=hidden"})


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


def calls(call: Caller, **arguments: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call.result("repo.audit_log", **arguments)["calls"]
    return found


@pytest.mark.requirement("INT-11.8-audit-log")
def test_calls_are_told_newest_first_with_what_they_showed(call: Caller) -> None:
    opened = call("repo.open_file", path="a.py", start_line=2, end_line=3)
    searched = call("repo.search", query="needle", file_glob="*.py")
    last, first = calls(call, limit=2)
    assert (last["tool"], last["request_id"]) == ("repo.search", searched["request_id"])
    assert json.loads(last["arguments"]) == {"file_glob": "*.py", "query": "needle"}
    assert (last["ok"], last["blocked"], last["code"]) == (True, False, "")
    assert last["counts"] == ["terms 1", "hits 1"]
    again = call.answer("repo.search", query="needle", file_glob="*.py")
    assert last["generation"] == again["_meta"]["repo-mcp/generation"] > 0
    assert again["_meta"]["repo-mcp/request_id"] == again["structuredContent"]["request_id"]
    assert last["milliseconds"] > 0
    assert first["request_id"] == opened["request_id"]
    assert first["shown"] == ["a.py:2-3"]
    assert first["time"] <= last["time"]


@pytest.mark.requirement("INT-07.2-denylist", "INT-12-observability")
def test_what_was_refused_is_told_without_its_name_or_content(call: Caller) -> None:
    call("repo.open_file", path=".env")
    call("repo.open_file", path="/etc/some/private/file")
    call("repo.search", query="needle AKIA" + "IOSFODNN7EXAMPLE")
    text = (call.data / "audit.jsonl").read_text()
    for hidden in (".env", "private", "EXAMPLE", "hidden", "def needle"):
        assert hidden not in text
    found = calls(call)
    assert [item["code"] for item in found] == ["", "path_outside", "path_denied"]
    assert [item["blocked"] for item in found] == [False, True, True]


def test_calls_that_failed_are_told(call: Caller) -> None:
    call("repo.open_file", path="none.py")
    call("repo.search", query="a", top_k="many")
    assert [item["code"] for item in calls(call)] == ["argument_invalid", "not_found"]


def test_pages_tell_each_call_once_though_the_log_grows(call: Caller) -> None:
    for _ in range(7):
        call("repo.status")
    pages = call.pages("repo.audit_log", limit=3)
    told = [item["request_id"] for page in pages for item in page["calls"]]
    assert len(told) == len(set(told)) == 7
    assert [item["tool"] for item in calls(call)][: len(pages)] == ["repo.audit_log"] * len(pages)


def test_since_and_what_is_no_time(call: Caller) -> None:
    call("repo.status")
    (told,) = calls(call)
    assert len(calls(call, since=told["time"])) == 2
    assert calls(call, since="2999-01-01T00:00:00Z") == []
    refused = call.refusal("repo.audit_log", since="yesterday")
    assert "2026-01-31T09:30:00Z" in refused["reason"]


def test_lines_that_can_not_be_read_are_counted(call: Caller) -> None:
    call("repo.status")
    with (call.data / "audit.jsonl").open("a") as file:
        file.write("junk\n")
    found = call.result("repo.audit_log")
    assert (found["skipped_lines"], len(found["calls"])) == (1, 1)


def test_a_log_that_can_not_be_written_is_said_once_and_stops_nothing(call: Caller) -> None:
    call("repo.search", query="needle")
    (call.data / "audit.jsonl").unlink()
    (call.data / "audit.jsonl").mkdir()
    first, second = (call("repo.search", query="needle") for _ in range(2))
    assert first["result"]["hits"] == second["result"]["hits"] != []
    assert any("can't be written to the audit log" in text for text in first["warnings"])
    assert second["warnings"] == []


def test_a_server_that_starts_on_a_data_folder_with_nothing_but_a_log_serves(
    call: Caller, root: Path
) -> None:
    call("repo.status")
    assert {path.name for path in call.data.iterdir()} <= {".gitignore", "audit.jsonl"}
    check_options(call.options)
    assert Caller(root, call.data)("repo.status")["ok"]
