"""The mock model and the checks of the bench of clients, without any client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.clients.killed import running
from bench.clients.models import DONE, Model, ScriptedCall
from bench.clients.seen import results_shown, text_before_results, tools_shown
from bench.clients.wire import Wire
from tests.waiting import HANG, until

CALLS = (ScriptedCall("repo.search", {"query": "x"}), ScriptedCall("repo.status", {}))
TOOLS = ("mcp__repo__repo_search", "mcp__repo__repo_status")
Fields = dict[str, Any]


@pytest.fixture
def model() -> Iterator[Model]:
    found = Model(CALLS)
    yield found
    found.close()


def post(model: Model, path: str, body: Fields) -> Fields:
    request = urllib.request.Request(  # noqa: S310 of this machine
        model.address + path, json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310 as above
        found: Fields = json.loads(answer.read())
    return found


def as_responses(results: list[str]) -> Fields:
    tools = [{"type": "function", "name": name} for name in TOOLS]
    rows = [{"type": "function_call_output", "output": result} for result in results]
    return {"tools": tools, "input": rows}


def as_completions(results: list[str]) -> Fields:
    tools = [{"type": "function", "function": {"name": name}} for name in TOOLS]
    return {
        "tools": tools,
        "messages": [{"role": "tool", "content": result} for result in results],
    }


def as_messages(results: list[str]) -> Fields:
    blocks = [
        {
            "type": "tool_result",
            "tool_use_id": f"call-{number}",
            "content": [{"type": "text", "text": result}],
        }
        for number, result in enumerate(results)
    ]
    return {
        "tools": [{"name": name} for name in TOOLS],
        "messages": [{"role": "user", "content": blocks}],
    }


def as_contents(results: list[str]) -> Fields:
    parts = [{"functionResponse": {"response": {"output": result}}} for result in results]
    declared = [{"functionDeclarations": [{"name": name} for name in TOOLS]}]
    return {"tools": declared, "contents": [{"role": "user", "parts": parts}]}


INTERFACES = [
    ("/v1/responses", as_responses),
    ("/v1/chat/completions", as_completions),
    ("/v1/messages", as_messages),
    ("/v1beta/models/x:generateContent", as_contents),
]


@pytest.mark.parametrize(("path", "body"), INTERFACES)
def test_the_model_calls_each_tool_once_and_then_says_so(
    model: Model, path: str, body: Callable[[list[str]], Fields]
) -> None:
    for number, tool in enumerate(TOOLS):
        answer = json.dumps(post(model, path, body(["found"] * number)))
        assert tool in answer
        assert DONE not in answer
    assert DONE in json.dumps(post(model, path, body(["first", "second"])))
    assert [*tools_shown(model.requests)] == [*TOOLS]
    assert results_shown(model.requests) == ["first", "second"]
    assert TOOLS[0] in text_before_results(model.requests)
    assert "found" not in text_before_results(model.requests)


@pytest.mark.parametrize(("path", "body"), INTERFACES)
def test_a_tool_that_is_not_offered_is_not_called(
    model: Model, path: str, body: Callable[[list[str]], Fields]
) -> None:
    asked = json.loads(json.dumps(body([])).replace("repo_search", "repo_other"))
    assert "repo_search" not in json.dumps(post(model, path, asked))


def test_a_tool_that_is_searched_for_is_called(model: Model) -> None:
    asked: Fields = {"tools": [{"name": "ToolSearch"}], "messages": []}
    assert post(model, "/v1/messages", asked)["content"][0]["name"] == "ToolSearch"
    found = {"type": "tool_reference", "tool_name": TOOLS[0]}
    result: Fields = {"type": "tool_result", "tool_use_id": "search-0", "content": [found]}
    asked["messages"] = [{"role": "user", "content": [result]}]
    assert post(model, "/v1/messages", asked)["content"][0]["name"] == TOOLS[0]


def wire(path: Path, *rows: tuple[str, object]) -> Wire:
    lines = [json.dumps({"seconds": 0, "from": name, "message": row}) for name, row in rows]
    path.write_text("\n".join(lines), "utf-8")
    return Wire(path)


ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "repo.status"}}
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "ready"}]}}


def test_a_sound_record_has_no_faults(tmp_path: Path) -> None:
    found = wire(tmp_path / "wire", ("client", ASKED), ("server", ANSWER), ("end", 0))
    assert found.faults() == []
    (answered,) = found.answered()
    assert (answered.name, answered.arguments) == ("repo.status", {})
    assert "ready" in answered.text


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("a stray line", "not a message"),
        ({**ANSWER, "id": 2}, "answers nothing"),
        ({**ANSWER, "result": {"content": "ready"}}, "result of tools/call"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": "x"}}, "error"),
        ({"jsonrpc": "2.0", "method": "notifications/progress"}, "notifications/progress"),
    ],
)
def test_what_a_server_should_not_send_is_a_fault(tmp_path: Path, row: object, fault: str) -> None:
    found = wire(tmp_path / "wire", ("client", ASKED), ("server", row)).faults()
    assert len(found) == 1
    assert found[0].startswith(fault)


def test_a_request_without_an_answer_is_a_fault_unless_it_was_cancelled(tmp_path: Path) -> None:
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    end = ("end", 0)
    assert wire(tmp_path / "a", ("client", ASKED), end).faults() == [
        "never answered: ['tools/call']"
    ]
    assert wire(tmp_path / "b", ("client", ASKED), ("client", cancelled), end).faults() == []


def test_folders_are_told_in_either_era(tmp_path: Path) -> None:
    told = {"roots": [{"uri": "file:///a"}]}
    question = {"jsonrpc": "2.0", "id": "repo-mcp-1", "method": "roots/list"}
    reply = {"jsonrpc": "2.0", "id": "repo-mcp-1", "result": told}
    again = {**ASKED, "params": {"name": "repo.status", "inputResponses": {"key": told}}}
    found = wire(tmp_path / "wire", ("server", question), ("client", reply), ("client", again))
    assert found.told_roots() == [told, told]


def test_a_model_that_waits_answers_the_last_result_when_it_is_closed() -> None:
    model = Model(CALLS, waits=True)
    assert (
        post(model, "/v1/responses", as_responses(["one"]))["output"][0]["type"] == "function_call"
    )
    assert not model.is_waiting
    asked = threading.Thread(target=post, args=(model, "/v1/responses", as_responses(["1", "2"])))
    asked.start()
    assert until(lambda: model.is_waiting)
    assert asked.is_alive()
    model.close()
    asked.join(HANG)
    assert not asked.is_alive()


@pytest.mark.servers
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for its processes")
def test_processes_are_found_by_their_home_and_told_apart(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "input()  # repo-mcp"]
    environment = {**os.environ, "HOME": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as process:
        assert until(lambda: [row.is_ours for row in running(tmp_path)] == [True])
        assert [row.number for row in running(tmp_path)] == [process.pid]
        process.kill()
    assert list(running(tmp_path)) == []
