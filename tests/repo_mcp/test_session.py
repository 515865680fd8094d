"""MCP without a pipe: both eras, malformed input, cancellation; judged by the SDK's types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_types import methods

from repo_mcp.app import App
from repo_mcp.config import Options
from repo_mcp.protocol.session import HANDSHAKE_VERSIONS, Call, Session

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
RESULT = {
    "content": [{"type": "text", "text": "x"}],
    "structuredContent": {"a": 1},
    "isError": False,
}


@pytest.fixture
def session() -> Session:
    return Session(App(Options("/")).identity())


def line(method: str, params: object = None, **rest: object) -> bytes:
    message: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": method, **rest}
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()


def answered(session: Session, data: bytes) -> dict[str, Any]:
    reply = session.receive(data)
    assert isinstance(reply, bytes)
    assert reply.endswith(b"\n")
    assert reply.count(b"\n") == 1
    found: dict[str, Any] = json.loads(reply)
    assert found["jsonrpc"] == "2.0"
    return found


def result(session: Session, method: str, version: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result, judged by the types of this version."""
    found: dict[str, Any] = answered(session, line(method, params))["result"]
    methods.parse_server_result(method, version, found)
    return found


def error(session: Session, data: bytes) -> tuple[int, object]:
    found = answered(session, data)
    assert "result" not in found
    return found["error"]["code"], found["id"]


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_every_handshake_version_is_accepted(session: Session, version: str) -> None:
    asked = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    found = result(session, "initialize", version, asked)
    assert (found["protocolVersion"], found["serverInfo"]["name"]) == (version, "repo-mcp")
    assert found["capabilities"] == {"tools": {}}


@pytest.mark.parametrize("version", ["1999-01-01", "2099-01-01", MODERN])
def test_an_unknown_handshake_version_gets_the_newest(session: Session, version: str) -> None:
    found = result(session, "initialize", "2025-11-25", {"protocolVersion": version})
    assert found["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_tools_are_listed_to_every_version(session: Session, version: str) -> None:
    found = result(session, "tools/list", version, {})
    names = [tool["name"] for tool in found["tools"]]
    assert names == ["repo.status", "repo.search", "repo.open_file", "repo.refresh_index"]
    assert set(found) == {"tools"}


def test_a_probe_of_the_new_era_is_answered(session: Session) -> None:
    found = result(session, "server/discover", MODERN, {"_meta": META})
    assert found["supportedVersions"] == [MODERN]
    assert found["resultType"] == "complete"
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "repo-mcp"


def test_tools_are_listed_in_the_new_era(session: Session) -> None:
    found = result(session, "tools/list", MODERN, {"_meta": META})
    assert (found["resultType"], found["cacheScope"]) == ("complete", "private")
    old = result(session, "tools/list", "2025-11-25", {})
    assert found["tools"] == old["tools"]


@pytest.mark.parametrize(("meta", "version"), [(META, MODERN), ({}, "2025-06-18")])
def test_a_call_is_answered_in_the_era_it_came_in(
    session: Session, meta: dict[str, Any], version: str
) -> None:
    asked = {"name": "repo.status", "arguments": {}, "_meta": meta}
    call = session.receive(line("tools/call", asked))
    assert isinstance(call, Call)
    reply = session.finish(call, RESULT)
    assert reply is not None
    found = json.loads(reply)["result"]
    methods.parse_server_result("tools/call", version, found)
    assert ("resultType" in found) is (version == MODERN)


def test_the_era_is_decided_by_each_message(session: Session) -> None:
    result(session, "tools/list", MODERN, {"_meta": META})
    result(session, "initialize", "2025-06-18", {"protocolVersion": "2025-06-18"})
    result(session, "tools/list", MODERN, {"_meta": META})


def test_an_unknown_version_of_the_new_era_is_named(session: Session) -> None:
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}
    found = answered(session, line("tools/list", {"_meta": meta}))["error"]
    assert found["code"] == -32022
    assert found["data"] == {"supported": [MODERN], "requested": "2027-01-01"}


def test_ping(session: Session) -> None:
    assert result(session, "ping", "2025-11-25", {}) == {}


@pytest.mark.parametrize("id_", [0, -1, "a", "", 2**60])
def test_an_id_comes_back_as_it_was(session: Session, id_: object) -> None:
    assert answered(session, line("ping", id=id_))["id"] == id_


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
def test_what_is_no_message_is_refused_without_an_id(
    session: Session, data: bytes, code: int
) -> None:
    assert error(session, data) == (code, None)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (line("ping", jsonrpc="1.0"), -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600),
        (line("ping", [1]), -32602),
        (line("nothing"), -32601),
        (line("resources/list"), -32601),
        (line("initialize", {}), -32602),
        (line("tools/list", {"cursor": "x"}), -32602),
        (line("tools/call", {}), -32602),
        (line("tools/call", {"name": "repo.nothing"}), -32602),
        (line("tools/call", {"name": "repo.status", "arguments": []}), -32602),
    ],
)
def test_a_message_that_can_not_be_served_is_refused_by_its_id(
    session: Session, data: bytes, code: int
) -> None:
    assert error(session, data) == (code, 1)


@pytest.mark.parametrize(
    "data",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/unknown","params":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{}}',
    ],
)
def test_answers_and_notifications_are_not_answered(session: Session, data: bytes) -> None:
    assert session.receive(data) is None


def test_a_cancelled_call_is_told_and_never_answered(session: Session) -> None:
    call = session.receive(line("tools/call", {"name": "repo.status"}))
    other = session.receive(line("tools/call", {"name": "repo.status"}, id="other"))
    assert isinstance(call, Call)
    assert isinstance(other, Call)
    session.receive(line("notifications/cancelled", {"requestId": 1}).replace(b'"id": 1, ', b""))
    assert (call.cancelled.is_set(), other.cancelled.is_set()) == (True, False)
    assert session.finish(call, RESULT) is None
    assert session.finish(other, RESULT) is not None


def test_an_id_in_use_is_refused_and_free_again_after_the_answer(session: Session) -> None:
    asked = line("tools/call", {"name": "repo.status"})
    call = session.receive(asked)
    assert isinstance(call, Call)
    assert error(session, asked) == (-32600, 1)
    session.finish(call, RESULT)
    assert isinstance(session.receive(asked), Call)
