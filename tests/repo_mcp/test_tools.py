"""Tools: what they accept, what they answer, and that both forms of an answer agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from repo_mcp.app import App, services
from repo_mcp.config import Options
from repo_mcp.errors import Problem
from repo_mcp.indexing.manager import IndexManager
from repo_mcp.tools.arguments import checked
from repo_mcp.tools.catalog import Catalog
from repo_mcp.tools.interrogator import OPEN_FILE, REFRESH, SEARCH, TOOLS
from repo_mcp.tools.spec import Tool
from tests.repo_mcp.trees import sandbox, write

Call = Callable[..., dict[str, Any]]
LONG = "\n".join(f"line {number} of a long file" for number in range(1, 1001))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "a.py": "def needle():\n    return 1\n",
        "long.txt": LONG,
        "empty.txt": "",
        ".env": "TOKEN=hidden",
        "binary.py": b"\x00",
        "wide.js": "needle " + "é" * 100_000,
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Call:
    app = App(Options(str(root), str(tmp_path / "data")))

    def run(name: str, **arguments: object) -> dict[str, Any]:
        answer = app.call(name, arguments, lambda: False)
        envelope: dict[str, Any] = answer["structuredContent"]
        tool = next(tool for tool in TOOLS if tool.name == name)
        schema = tool.declaration()["outputSchema"]
        jsonschema.validate(envelope, schema)
        if envelope["ok"]:
            assert set(envelope["result"]) == set(tool.result)
        assert answer["isError"] is not envelope["ok"]
        assert_same_facts(envelope, answer["content"][0]["text"])
        return envelope

    return run


def assert_same_facts(envelope: dict[str, Any], text: str) -> None:
    """Every text, number and warning of the data is in the text too."""

    def leaves(value: object) -> list[str]:
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        if isinstance(value, list):
            return [leaf for item in value for leaf in leaves(item)]
        return [] if isinstance(value, bool) or value == 0 else [str(value)]

    missing = [leaf for leaf in leaves(envelope) if leaf not in text]
    assert missing == []


def result(envelope: dict[str, Any]) -> dict[str, Any]:
    assert envelope["ok"], envelope
    found: dict[str, Any] = envelope["result"]
    return found


def test_the_declarations_are_flat_and_valid() -> None:
    allowed = {"type", "description", "enum", "items", "properties", "required", "default"}

    def check(schema: dict[str, Any]) -> None:
        assert set(schema) <= allowed
        assert isinstance(schema["type"], str)
        for inner in schema.get("properties", {}).values():
            check(inner)
        if schema["type"] == "array":
            check(schema["items"])

    declared = json.loads(Catalog(TOOLS).listing())
    assert [tool["name"] for tool in declared] == [tool.name for tool in TOOLS]
    for tool in declared:
        assert tool["annotations"]["readOnlyHint"] is True
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            check(schema)


def test_a_name_is_found_in_either_spelling() -> None:
    catalog = Catalog(TOOLS)
    assert catalog.find("repo.search") is catalog.find("repo_search") is SEARCH
    assert catalog.find("repo.nothing") is None
    with pytest.raises(ValueError, match="same name"):
        Catalog([SEARCH, SEARCH._replace(name="repo_search")])


@pytest.mark.parametrize(
    ("tool", "given", "name", "expected"),
    [
        (SEARCH, {"query": "a", "top_k": "7"}, "top_k", 7),
        (SEARCH, {"query": "a", "top_k": 7.0}, "top_k", 7),
        (SEARCH, {"query": "a", "top_k": None}, "top_k", 10),
        (SEARCH, {"query": "a", "file_glob": None}, "file_glob", None),
        (SEARCH, {"query": "a", "wait_for_previous": True}, "mode", "bm25"),
        (REFRESH, {"force": "TRUE"}, "force", True),
        (REFRESH, {}, "force", False),
    ],
)
def test_the_form_of_an_argument_may_vary(
    tool: Tool, given: dict[str, object], name: str, expected: object
) -> None:
    value = checked(tool, given)[name]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        (SEARCH, {}, "query is missing"),
        (SEARCH, {"query": 3}, "query is 3, not a string"),
        (SEARCH, {"query": "a", "top_k": 0}, "1 or more"),
        (SEARCH, {"query": "a", "top_k": "many"}, "not a integer"),
        (SEARCH, {"query": "a", "top_k": True}, "not a integer"),
        (SEARCH, {"query": "a", "top_k": 1.5}, "not a integer"),
        (SEARCH, {"query": "a", "mode": "semantic"}, "mode is one of bm25"),
        (SEARCH, {"query": "a", "limit": 3}, "takes: file_glob, mode, query, top_k"),
        (SEARCH, {"query": "a" * 10_001}, "at most"),
        (REFRESH, {"force": 1}, "not a boolean"),
        (OPEN_FILE, {"path": ["a"]}, "not a string"),
    ],
)
def test_the_meaning_of_an_argument_must_be_right(
    tool: Tool, given: dict[str, object], said: str
) -> None:
    with pytest.raises(Problem, match=said):
        checked(tool, given)


def test_status_before_and_after_indexing(call: Call, root: Path) -> None:
    before = call("repo.status")
    assert result(before)["index_status"] == "missing"
    assert before["warnings"]
    call("repo.refresh_index")
    after = call("repo.status")
    assert after["warnings"] == []
    found = result(after)
    assert (found["repo_root"], found["index_status"]) == (str(root), "ready")
    assert found["indexed_files"] == 4
    assert found["last_refresh"].endswith("Z")
    assert found["limits"]["max_open_lines"] == 400


def test_the_first_search_builds_the_index(call: Call) -> None:
    first = call("repo.search", query="needle")
    assert {hit["path"] for hit in result(first)["hits"]} == {"a.py", "wide.js"}
    again = call("repo.search", query="needle")
    assert {hit["path"] for hit in result(again)["hits"]} == {"a.py", "wide.js"}


def test_a_search_that_can_not_wait_for_the_index_reads_the_files(
    root: Path, tmp_path: Path
) -> None:
    options = Options(str(root), str(tmp_path / "data"), watch=False)
    with IndexManager(services(options).settings, sandbox(root))._store.lock(0):
        app = App(options)
        answer = app.call("repo.search", {"query": "needle"}, lambda: False)["structuredContent"]
    assert answer["ok"]
    assert {hit["path"] for hit in answer["result"]["hits"]} == {"a.py", "wide.js"}
    assert any("the index is being built" in text for text in answer["warnings"])


def test_damage_met_by_a_search_is_repaired_in_the_same_call(call: Call, tmp_path: Path) -> None:
    call("repo.search", query="needle")
    for segment in (tmp_path / "data" / "index").glob("seg-*"):
        data = bytearray(segment.read_bytes())
        middle = len(data) // 2
        data[64:middle] = bytes(middle - 64)
        segment.write_bytes(data)
    again = call("repo.search", query="needle")
    assert {hit["path"] for hit in result(again)["hits"]} == {"a.py", "wide.js"}
    assert call("repo.search", query="needle")["warnings"] == []


def test_a_file_that_a_hit_shows_to_have_changed_is_indexed_before_the_answer(
    call: Call, tmp_path: Path
) -> None:
    call("repo.search", query="needle")
    (tmp_path / "root" / "a.py").write_bytes(b"\n\n\ndef needle(haystack):\n    return haystack\n")
    found = call("repo.search", query="needle")
    (hit,) = [item for item in result(found)["hits"] if item["path"] == "a.py"]
    assert (hit["start_line"], hit["stale"]) == (4, False)


def test_where_nothing_is_found_something_near_is_suggested(call: Call) -> None:
    found = result(call("repo.search", query="nedle"))
    assert not found["hits"]
    assert {"needle"} <= {item["text"] for item in found["suggestions"]}


def test_more_hits_than_allowed_are_not_given(call: Call) -> None:
    found = call("repo.search", query="needle", top_k=51)
    assert any("top_k is 50 at most" in text for text in found["warnings"])


@pytest.mark.requirement("INT-11.5-search")
def test_a_hit_has_path_lines_snippet_score_and_terms(call: Call) -> None:
    hits = result(call("repo.search", query="needle", mode="bm25", top_k=1, file_glob="*.py"))[
        "hits"
    ]
    assert len(hits) == 1
    assert hits[0]["score"] > 0
    del hits[0]["score"]
    assert hits[0] == {
        "path": "a.py",
        "start_line": 1,
        "end_line": 2,
        "matched_terms": ["needle"],
        "snippet": "def needle():\n    return 1",
        "stale": False,
        "symbol": "needle",
    }


@pytest.mark.requirement("INT-11.6-refresh")
def test_a_refresh_counts_what_it_did(call: Call, root: Path) -> None:
    found = result(call("repo.refresh_index"))
    assert (found["added"], found["updated"], found["removed"]) == (4, 0, 0)
    assert found["duration_seconds"] > 0
    assert found["timestamp"] == result(call("repo.status"))["last_refresh"]
    assert {"reason": "denied", "count": 1} in found["left_out"]
    write(root, {"a.py": "x"})
    (root / "empty.txt").unlink()
    found = result(call("repo.refresh_index"))
    assert (found["added"], found["updated"], found["removed"]) == (0, 1, 1)
    found = result(call("repo.refresh_index", force=True))
    assert (found["added"], found["updated"], found["removed"]) == (0, 3, 0)


@pytest.mark.requirement("INT-11.3-open-file")
def test_lines_are_numbered_and_what_was_left_out_is_said(call: Call) -> None:
    found = result(call("repo.open_file", path="a.py", start_line=1, end_line=99))
    assert found["lines"] == [
        {"line": 1, "text": "def needle():"},
        {"line": 2, "text": "    return 1"},
    ]
    assert (found["truncated"], found["next_start_line"], found["total_lines"]) == (False, 0, 2)
    part = result(call("repo.open_file", path="long.txt", start_line=2, end_line=3))
    assert [row["line"] for row in part["lines"]] == [2, 3]
    assert (part["truncated"], part["start_line"], part["end_line"]) == (False, 2, 3)


def test_a_long_file_comes_in_parts_that_make_up_the_whole(call: Call) -> None:
    rows: list[str] = []
    start = 1
    while start:
        found = result(call("repo.open_file", path="long.txt", start_line=start))
        assert len(json.dumps(found)) < 10_000
        assert found["truncated"] is (found["next_start_line"] > 0)
        rows += [row["text"] for row in found["lines"]]
        start = found["next_start_line"]
    assert rows == LONG.split("\n")


def test_a_line_too_long_for_an_answer_is_cut_and_said(call: Call) -> None:
    found = call("repo.open_file", path="wide.js")
    assert result(found)["truncated"] is True
    assert len(json.dumps(found, ensure_ascii=False).encode()) < 10_000
    assert "too long" in found["warnings"][0]


def test_a_limit_on_lines_holds(root: Path, tmp_path: Path) -> None:
    app = App(Options(str(root), str(tmp_path / "data"), {"max_open_lines": 3}))
    answer = app.call("repo.open_file", {"path": "long.txt"}, lambda: False)
    assert [row["line"] for row in answer["structuredContent"]["result"]["lines"]] == [1, 2, 3]


def test_an_empty_file_has_no_lines(call: Call) -> None:
    found = result(call("repo.open_file", path="empty.txt"))
    assert (found["lines"], found["total_lines"], found["truncated"]) == ([], 0, False)


@pytest.mark.parametrize(
    ("arguments", "code", "blocked"),
    [
        ({"path": ".env"}, "path_denied", True),
        ({"path": "sub/.env"}, "path_denied", True),
        ({"path": "../root/a.py"}, "path_outside", True),
        ({"path": "/etc/passwd"}, "path_outside", True),
        ({"path": "none.py"}, "not_found", False),
        ({"path": "binary.py"}, "binary_file", False),
        ({"path": "."}, "not_a_file", False),
        ({"path": "a.py", "start_line": 9}, "argument_invalid", False),
        ({"path": "a.py", "start_line": 2, "end_line": 1}, "argument_invalid", False),
        ({}, "argument_invalid", False),
    ],
)
def test_what_can_not_be_opened(
    call: Call, arguments: dict[str, object], code: str, *, blocked: bool
) -> None:
    found = call("repo.open_file", **arguments)
    assert (found["ok"], found["blocked"], found["result"]["code"]) == (False, blocked, code)


@pytest.mark.requirement("INT-07.2-blocked-shape")
def test_a_blocked_read_says_why_and_what_to_do(call: Call) -> None:
    found = call("repo.open_file", path=".env")
    assert found["blocked"] is True
    assert "secrets" in found["result"]["reason"]
    assert ".env.example" in found["result"]["hint"]
    assert "hidden" not in json.dumps(found)


def test_a_file_over_the_limit_is_blocked(root: Path, tmp_path: Path) -> None:
    app = App(Options(str(root), str(tmp_path / "data"), {"max_file_bytes": 100}))
    found = app.call("repo.open_file", {"path": "long.txt"}, lambda: False)["structuredContent"]
    assert (found["blocked"], found["result"]["code"]) == (True, "file_too_large")
    hits = app.call("repo.search", {"query": "line"}, lambda: False)["structuredContent"]
    assert hits["result"]["hits"] == []


def test_answers_stay_within_the_limit(call: Call, root: Path) -> None:
    write(root, {f"many/{n}.py": "\n".join(["needle " + "é" * 280] * 20) for n in range(40)})
    found = call("repo.search", query="needle", top_k=50)
    assert len(json.dumps(found, ensure_ascii=False).encode()) < 10_000
    assert result(found)["truncated"] is True


def test_each_call_has_an_id_of_its_own(call: Call) -> None:
    assert call("repo.status")["request_id"] != call("repo.status")["request_id"]


def test_a_defect_is_answered_without_its_message(
    call: Call, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("text of a file")

    monkeypatch.setattr("repo_mcp.tools.interrogator_calls.decode", fail)
    found = call("repo.open_file", path="a.py")
    assert found["result"]["code"] == "internal"
    assert "text of a file" not in json.dumps(found) + capsys.readouterr().err


def test_notes_on_the_repositorys_settings_are_in_every_answer(call: Call, root: Path) -> None:
    write(root, {"repo_mcp.toml": "[limits]\nmax_open_lines = 9999"})
    assert "can only be lowered" in call("repo.open_file", path="a.py")["warnings"][0]


@pytest.mark.requirement("INT-08.2-priority")
def test_a_changed_configuration_holds_from_the_next_call_on(call: Call, root: Path) -> None:
    assert {hit["path"] for hit in result(call("repo.search", query="needle"))["hits"]} == {
        "a.py",
        "wide.js",
    }
    write(root, {"repo_mcp.toml": '[security]\ndeny_globs = ["a.py"]\n'})
    assert call("repo.open_file", path="a.py")["blocked"]
    assert [hit["path"] for hit in result(call("repo.search", query="needle"))["hits"]] == [
        "wide.js"
    ]
    (root / "repo_mcp.toml").unlink()
    assert call("repo.open_file", path="a.py")["ok"]
