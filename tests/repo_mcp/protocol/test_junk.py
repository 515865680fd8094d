"""Random input: every request has one answer, and every answer fits the SDK's types."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from hypothesis import given, strategies as st

from tests.repo_mcp.protocol.protocol_talk import KEY, META, MODERN, Talk

METHODS = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "completion/complete",
    "logging/setLevel",
    "tasks/get",
    "tasks/list",
    "tasks/cancel",
    "tasks/update",
    "notifications/cancelled",
]
NAMES = [
    "name",
    "uri",
    "arguments",
    "argument",
    "ref",
    "type",
    "value",
    "cursor",
    "level",
    "task",
    "ttl",
    "taskId",
    "requestId",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "_meta",
    "progressToken",
    "requestState",
    "inputResponses",
    *META,
    KEY + "logLevel",
]
TELLING = ["do.it", "ask", "x:///a", "ref/prompt", "info", "2025-06-18", MODERN, META]
LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9)
)
ANY = st.recursive(
    LEAF | st.sampled_from(TELLING),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
PARAMS = st.dictionaries(st.sampled_from(NAMES), ANY, max_size=6)
REQUEST = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS) | st.text(max_size=9)},
    optional={"id": st.integers(0, 5) | st.text(max_size=3), "params": PARAMS},
)


def run(messages: list[Any]) -> Talk:
    talk = Talk(MODERN)
    for message in messages:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        job = talk.session.receive(data)
        if job is not None:
            talk.session.perform(job)
    return talk


@given(st.lists(REQUEST, max_size=8))
def test_every_request_has_one_answer(messages: list[dict[str, Any]]) -> None:
    asked = [message["id"] for message in messages if "id" in message]
    talk = run(messages)
    answered = [message["id"] for message in talk.sent if "method" not in message]
    assert answered == asked
    for message in talk.sent:
        if "method" not in message:
            assert ("result" in message) is not ("error" in message)
        if "error" in message:
            types.ErrorData.model_validate(message["error"])
            assert message["error"]["code"] != -32603


@given(st.lists(st.binary(max_size=60) | ANY | REQUEST, max_size=8))
def test_after_any_junk_it_is_served_on(messages: list[Any]) -> None:
    talk = run([message for message in messages if message != b""])
    talk.sent.clear()
    assert talk.result("server/discover", _meta=META)["resultType"] == "complete"


@given(ANY)
def test_a_message_is_read_as_json_reads_it(value: object) -> None:
    talk = Talk()
    talk.session.receive(json.dumps(value).encode())
    assert all(message.get("error", {}).get("code") == -32600 for message in talk.sent)
