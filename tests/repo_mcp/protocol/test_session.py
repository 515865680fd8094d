"""Sessions without I/O: both eras, malformed input, cancellation; checked with the SDK's types."""

from __future__ import annotations

import json
from typing import Any

import pytest

from repo_mcp.protocol.call import ThreadJob
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.eras import HANDSHAKE_VERSIONS, VERSIONS
from tests.repo_mcp.protocol.protocol_talk import (
    KEY,
    META,
    MODERN,
    NEWEST,
    RESULT,
    TOOL,
    Talk,
    line,
)


@pytest.fixture
def talk() -> Talk:
    return Talk()


def meta_of(version: str) -> dict[str, Any]:
    return {"_meta": META} if version == MODERN else {}


def refused(talk: Talk, data: bytes) -> tuple[int, object]:
    assert talk.session.receive(data) is None
    (found,) = talk.sent
    assert "result" not in found
    return found["error"]["code"], found["id"]


@pytest.mark.requirement("INT-05-stdio")
@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_every_handshake_version_is_accepted(version: str) -> None:
    talk = Talk(version)
    asked = {"capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    found = talk.result("initialize", protocolVersion=version, **asked)
    assert (found["protocolVersion"], found["serverInfo"]["name"]) == (version, "n")
    assert found["instructions"] == "how to"


@pytest.mark.parametrize("version", ["1999-01-01", "2099-01-01", MODERN])
def test_an_unknown_handshake_version_gets_the_newest(talk: Talk, version: str) -> None:
    assert talk.result("initialize", protocolVersion=version)["protocolVersion"] == NEWEST


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("2024-11-05", set()),
        ("2025-03-26", {"completions"}),
        ("2025-06-18", {"completions"}),
        ("2025-11-25", {"completions", "tasks", "extensions"}),
        (MODERN, {"completions", "extensions"}),
    ],
)
def test_capabilities_are_those_of_the_version(version: str, more: set[str]) -> None:
    talk = Talk(version)
    if version == MODERN:
        found = talk.result("server/discover", _meta=META)
    else:
        found = talk.result("initialize", protocolVersion=version)
    assert set(found["capabilities"]) == {"tools", "resources", "prompts", "logging"} | more


@pytest.mark.parametrize(
    ("version", "fields"),
    [
        ("2024-11-05", {"name", "description", "inputSchema"}),
        ("2025-03-26", {"name", "description", "inputSchema", "annotations"}),
        ("2025-06-18", set(TOOL) - {"icons", "execution"}),
        ("2025-11-25", set(TOOL)),
        (MODERN, set(TOOL) - {"execution"}),
    ],
)
def test_a_tool_is_declared_with_what_the_version_knows(version: str, fields: set[str]) -> None:
    found = Talk(version).result("tools/list", **meta_of(version))["tools"]
    assert [tool["name"] for tool in found] == ["do.it", "another"]
    assert set(found[0]) == fields


def test_a_list_is_written_once_for_a_version() -> None:
    talk = Talk()
    first = talk.result("tools/list")
    assert talk.result("tools/list") == first
    assert talk.offer.listings == 1


def test_lists_of_the_new_era_say_how_long_they_hold(talk: Talk) -> None:
    talk.version = MODERN
    for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        found = talk.result(method, _meta=META)
        assert (found["resultType"], found["cacheScope"]) == ("complete", "private")
        assert found["ttlMs"] >= 0


def test_a_probe_of_the_new_era_is_answered() -> None:
    found = Talk(MODERN).result("server/discover", _meta=META)
    assert found["supportedVersions"] == [MODERN]
    assert found["resultType"] == "complete"
    assert found["_meta"][KEY + "serverInfo"]["name"] == "n"


@pytest.mark.parametrize(
    ("version", "kinds", "structured"),
    [
        ("2024-11-05", ["text"], False),
        ("2025-03-26", ["text", "audio"], False),
        ("2025-06-18", ["text", "resource_link", "audio"], True),
        ("2025-11-25", ["text", "resource_link", "audio"], True),
        (MODERN, ["text", "resource_link", "audio"], True),
    ],
)
def test_a_call_is_answered_in_the_era_it_came_in(
    version: str, kinds: list[str], *, structured: bool
) -> None:
    found = Talk(version).result("tools/call", name="do_it", arguments={}, **meta_of(version))
    assert [block["type"] for block in found["content"]] == kinds
    assert ("structuredContent" in found) is structured
    assert ("resultType" in found) is (version == MODERN)
    known = found["content"][0]["annotations"]
    assert ("lastModified" in known) is (version >= "2025-06-18")


def test_content_of_kinds_that_a_version_lacks_is_not_answered_by_nothing() -> None:
    talk = Talk("2024-11-05")
    talk.offer.does = lambda _, __: {"content": RESULT["content"][2:], "isError": False}  # type: ignore[index]
    assert talk.result("tools/call", name="do.it")["content"][0]["type"] == "text"


def test_the_era_is_decided_by_each_message(talk: Talk) -> None:
    talk.version = MODERN
    talk.result("tools/list", _meta=META)
    talk.version = "2025-06-18"
    talk.result("initialize", protocolVersion="2025-06-18")
    assert "icons" not in talk.result("tools/list")["tools"][0]
    talk.version = MODERN
    assert "icons" in talk.result("tools/list", _meta=META)["tools"][0]


@pytest.mark.parametrize("method", ["ping", "initialize", "logging/setLevel", "tasks/list"])
def test_methods_of_the_handshake_are_unknown_in_the_new_era(method: str) -> None:
    asked = {"protocolVersion": MODERN, "level": "info", "_meta": META}
    assert Talk(MODERN).error(method, **asked)[0] == -32601


def test_an_unknown_version_of_the_new_era_is_named(talk: Talk) -> None:
    meta = {**META, KEY + "protocolVersion": "2027-01-01"}
    found = talk.answer("tools/list", _meta=meta)["error"]
    assert found["code"] == -32022
    assert found["data"] == {"supported": [MODERN], "requested": "2027-01-01"}


def test_a_request_of_the_new_era_says_what_its_client_can_do() -> None:
    meta = {KEY + "protocolVersion": MODERN}
    assert Talk(MODERN).error("tools/list", _meta=meta)[0] == -32602


@pytest.mark.parametrize("id_", [0, -1, "a", "", 2**60])
def test_an_id_comes_back_as_it_was(talk: Talk, id_: object) -> None:
    talk.session.receive(line("ping", id=id_))
    assert talk.sent[-1] == {"jsonrpc": "2.0", "id": id_, "result": {}}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", -32700),
        (b"nonsense", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700),
        (b"\xff\xfe", -32700),
        (b'{"a": NaN}', -32700),
        (b'{"id": ' + b"9" * 5000 + b"}", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'"text"', -32600),
        (b"null", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
    ],
)
def test_what_is_no_message_is_refused_without_an_id(talk: Talk, data: bytes, code: int) -> None:
    assert refused(talk, data) == (code, None)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (line("ping", jsonrpc="1.0"), -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600),
        (line("ping", [1]), -32602),
        (line("nothing"), -32601),
        (line("tasks/nothing"), -32601),
        (line("resources/subscribe", {"uri": "x:///a"}), -32601),
        (line("initialize", {}), -32602),
        (line("logging/setLevel", {"level": "loud"}), -32602),
        (line("tools/list", {"cursor": "x"}), -32602),
        (line("tasks/list", {"cursor": "x"}), -32602),
        (line("tools/call", {}), -32602),
        (line("tools/call", {"name": "nothing"}), -32602),
        (line("tools/call", {"name": "do.it", "arguments": []}), -32602),
        (line("tools/call", {"name": "do.it", "task": 1}), -32602),
        (line("tools/call", {"name": "do.it", "task": {"ttl": "x"}}), -32602),
    ],
)
def test_a_message_that_can_not_be_served_is_refused_by_its_id(
    talk: Talk, data: bytes, code: int
) -> None:
    assert refused(talk, data) == (code, 1)


@pytest.mark.parametrize(
    "data",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
        b'{"jsonrpc":"2.0","method":"notifications/unknown","params":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{}}',
    ],
)
def test_answers_and_notifications_are_not_answered(talk: Talk, data: bytes) -> None:
    assert talk.session.receive(data) is None
    assert talk.sent == []


def call(talk: Talk, id_: object) -> ThreadJob:
    job = talk.session.receive(line("tools/call", {"name": "do.it"}, id=id_))
    assert job is not None
    return job


def test_a_cancelled_call_is_told_and_never_answered(talk: Talk) -> None:
    first, second = call(talk, 1), call(talk, "other")
    talk.tell("notifications/cancelled", requestId=1)
    assert (first.call.is_cancelled(), second.call.is_cancelled()) == (True, False)
    talk.session.perform(first)
    assert talk.sent == []
    talk.session.perform(second)
    assert talk.answer_to("other")["result"]["isError"] is False


def test_a_number_is_not_cancelled_by_a_truth_value(talk: Talk) -> None:
    job = call(talk, 1)
    talk.tell("notifications/cancelled", requestId=True)
    assert not job.call.is_cancelled()


def test_the_end_of_a_session_cancels_what_is_under_way(talk: Talk) -> None:
    job = call(talk, 1)
    task = talk.begin("tools/call", name="do.it", task={})
    assert task is not None
    talk.session.end()
    assert (job.call.is_cancelled(), task.call.is_cancelled()) == (True, True)


def test_an_id_in_use_is_refused_and_free_again_after_the_answer(talk: Talk) -> None:
    job = call(talk, 1)
    assert refused(talk, line("tools/call", {"name": "do.it"})) == (-32600, 1)
    talk.sent.clear()
    talk.session.perform(job)
    talk.sent.clear()
    talk.session.perform(call(talk, 1))
    assert "result" in talk.answer_to(1)


def test_a_defect_is_answered_without_its_message(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> dict[str, Any]:
        raise RuntimeError("text of a file")

    talk.offer.does = fail
    assert talk.error("tools/call", name="do.it")[0] == -32603
    assert "text of a file" not in json.dumps(talk.sent) + capsys.readouterr().err


def test_a_defect_before_the_call_is_answered_and_the_session_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("text of a file")

    talk = Talk()
    with monkeypatch.context() as patched:
        patched.setattr(Core, "plan", fail)
        assert talk.error("tools/list") == (-32603, "internal error")
    assert talk.result("tools/list")["tools"]


def test_a_result_that_json_can_not_express_is_an_internal_error() -> None:
    talk = Talk()
    talk.offer.does = lambda _, __: {**RESULT, "structuredContent": {"a": float("nan")}}
    assert talk.error("tools/call", name="do.it") == (-32603, "internal error")


def test_half_characters_do_not_spoil_an_answer(talk: Talk) -> None:
    content = [{"type": "text", "text": "\ud83d\ude00 \ud800 \\ud800 é \U0001f600"}]
    talk.offer.does = lambda _, __: {"content": content, "isError": False}
    text = talk.result("tools/call", name="do.it")["content"][0]["text"]
    assert text == "?? ? \\ud800 é \U0001f600"


def test_versions_are_in_the_order_of_their_dates() -> None:
    assert list(VERSIONS) == sorted(VERSIONS)
