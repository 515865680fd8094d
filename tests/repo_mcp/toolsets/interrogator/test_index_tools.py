"""`repo.status` and `repo.refresh_index`, and properties of all answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.answers import warning_texts
from repo_mcp.toolsets.kit.services import Context
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write
from tests.repo_mcp.vectors.encoder_files import write_encoder
from tests.waiting import until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "a.py": "def needle():\n    return 1\n",
        "b.txt": "text\n",
        "empty.txt": "",
        "binary.py": b"\x00",
        ".env": "TOKEN=hidden",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


@pytest.mark.requirement("INT-11.1-status", "INT-07.3-limits")
def test_status_before_and_after_indexing(call: Caller, root: Path) -> None:
    before = call("repo.status")
    assert before["result"]["index_status"] == "missing"
    assert "there is no index yet" in before["warnings"][0]
    call.result("repo.refresh_index")
    after = call("repo.status")
    assert after["warnings"] == []
    found = after["result"]
    assert (found["repo_root"], found["index_status"]) == (str(root), "ready")
    assert found["indexed_files"] == 3
    assert found["last_refresh"].endswith("Z")
    assert {"python", "c", "markdown"} < set(found["enabled_adapters"])
    assert found["limits"] == {
        "max_file_bytes": 1_048_576,
        "max_open_lines": 2_000,
        "max_total_bytes_per_response": 40_000,
        "max_search_hits": 200,
        "max_bundle_files": 50,
    }


@pytest.mark.requirement("INT-11.6-refresh")
def test_a_refresh_counts_what_it_did(call: Caller, root: Path) -> None:
    found = call.result("repo.refresh_index")
    assert (found["added"], found["updated"], found["removed"]) == (3, 0, 0)
    assert found["duration_seconds"] > 0
    assert found["timestamp"] == call.result("repo.status")["last_refresh"]
    assert "1 denied" in found["left_out"].split(", ")
    write(root, {"a.py": "x"})
    (root / "empty.txt").unlink()
    found = call.result("repo.refresh_index")
    assert (found["added"], found["updated"], found["removed"]) == (0, 1, 1)
    found = call.result("repo.refresh_index", force=True)
    assert (found["added"], found["updated"], found["removed"]) == (0, 2, 0)


def test_each_call_has_an_id_of_its_own_or_that_of_its_request(call: Caller) -> None:
    assert call("repo.status")["request_id"] != call("repo.status")["request_id"]


def test_a_tool_is_told_the_id_of_its_request(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    def listen(_: object, _arguments: object, context: Context) -> None:
        heard.append(context.request_id)
        raise ValueError

    monkeypatch.setattr("repo_mcp.toolsets.interrogator.index.Status.__call__", listen)
    found = call("repo.status")
    assert heard == [found["request_id"]]


def test_a_defect_is_answered_without_its_message(
    call: Caller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("text of a file")

    monkeypatch.setattr("repo_mcp.repository.reading.decode", fail)
    found = call("repo.open_file", path="a.py")
    assert found["result"]["code"] == "internal"
    assert "text of a file" not in json.dumps(found) + capsys.readouterr().err


def test_a_call_that_was_cancelled_says_so(call: Caller) -> None:
    call.result("repo.refresh_index")
    found = call.app.call("repo.search", {"query": "needle"}, lambda: True)["structuredContent"]
    assert found["result"]["code"] == "cancelled"


def test_notes_on_the_repositorys_settings_are_in_every_answer(call: Caller, root: Path) -> None:
    write(root, {"repo_mcp.toml": "[limits]\nmax_open_lines = 9999"})
    assert "can only be lowered" in call("repo.open_file", path="a.py")["warnings"][0]


@pytest.mark.requirement("INT-08.2-priority")
def test_a_changed_configuration_holds_from_the_next_call_on(call: Caller, root: Path) -> None:
    def hits() -> list[str]:
        return [hit["path"] for hit in call.result("repo.search", query="needle")["hits"]]

    assert hits() == ["a.py"]
    write(root, {"repo_mcp.toml": '[security]\ndeny_globs = ["a.py"]\n'})
    assert call("repo.open_file", path="a.py")["blocked"]
    assert hits() == []
    (root / "repo_mcp.toml").unlink()
    assert call("repo.open_file", path="a.py")["ok"]


def test_warnings_are_few_short_and_each_said_once() -> None:
    given: list[Any] = ["a\nb", "a b", "x" * 1_000, *map(str, range(20))]
    found = warning_texts(AnswerWarning("x", text) for text in given)
    assert found[0] == "a b"
    assert len(found) == 6
    assert max(map(len, found)) == 240


def test_a_budget_that_is_spent_leaves_the_refresh_to_the_background(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Budget, "within", lambda budget, _: Budget(0.0, budget._cancelled, budget.clock)
    )
    found = call("repo.refresh_index")
    assert found["result"]["complete"] is False
    assert any("the refresh continues in the background" in text for text in found["warnings"])


def test_status_tells_how_many_functions_are_encoded(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    write(root, {"encoded.py": "def tidy(row):\n    remove(row)\n    return row\n"})
    model = write_encoder(tmp_path / "model", [["remove"]])
    call = Caller(root, tmp_path / "encoded", function_encoder=str(model))
    call.result("repo.refresh_index")
    until(lambda: call("repo.status")["warnings"] == ["1 of 1 functions are encoded"])
