"""Lines that can't be parsed are answered with an error, and the session continues."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from repo_mcp.protocol import jsonrpc, jsonrpc as deep
from tests.repo_mcp.protocol.protocol_talk import META, Talk

IDS = st.integers(-(2**63), 2**63) | st.text(max_size=8)
NESTS = [("[", "]"), ('{"id":5,"method":"y","a":', "}"), ('[{"id":[', "]}]"), ('["}\\"",', "]")]
PIECES = st.sampled_from(
    [b"{", b"}", b"[", b"]", b'"', b"\\", b'"id"', b'"method"', b":", b",", b"1", b"\xff", b"\x00"]
)


def nested(depth: int, nest: tuple[str, str]) -> str:
    return nest[0] * depth + "1" + nest[1] * depth


def answers(lines: list[bytes]) -> list[dict[str, Any]]:
    talk = Talk()
    for line in lines:
        job = talk.session.receive(line)
        if job is not None:
            talk.session.perform(job)
    return talk.sent


@given(
    st.permutations(["id", "method", "params", "more"]),
    IDS,
    st.integers(1000, 4000),
    st.sampled_from(NESTS),
)
def test_what_is_nested_too_deeply_is_answered_with_its_id(
    order: list[str], id_: int | str, depth: int, nest: tuple[str, str]
) -> None:
    written = {
        "id": json.dumps(id_),
        "method": '"tools/call"',
        "params": nested(depth, nest),
        "more": '{"id":-1}',
    }
    line = "{" + ", ".join(f'"{name}" : {written[name]}' for name in order) + "}"
    answer = answers([line.encode()])
    assert [(item["id"], item["error"]["code"]) for item in answer] == [(id_, -32600)]


@pytest.mark.parametrize(
    "line",
    [
        '{"id":1,"result":%s}',
        '{"id":[1],"method":"x","params":%s}',
        '{"id":true,"method":"x","params":%s}',
        '{"id":1.5,"method":"x","params":%s}',
        '{"params":{"id":1,"a":%s},"method":"x"}',
        '[{"id":1,"method":"x","params":%s}]',
        "%s",
    ],
)
def test_an_id_that_is_none_is_not_made_up(line: str) -> None:
    answer = answers([(line % nested(100_000, NESTS[0])).encode()])
    assert [item["id"] for item in answer] == [None]


@given(
    st.dictionaries(st.sampled_from(["id", "method", "a"]), st.integers() | st.text(), max_size=3)
)
def test_the_shallow_look_reads_as_json_does(fields: dict[str, Any]) -> None:
    id_ = fields.get("id") if isinstance(fields.get("method"), str) else None
    assert deep.id_of(json.dumps(fields).encode()) == id_


@given(st.lists(PIECES | st.binary(max_size=4), max_size=40).map(b"".join))
def test_any_bytes_are_looked_at_without_harm(data: bytes) -> None:
    assert isinstance(deep.id_of(data), str | int | None)


def test_what_stands_too_far_away_is_not_looked_for() -> None:
    far = '{"method":"x","params":"' + "a" * 400_000 + '","id":1}'
    assert deep.id_of(far.encode()) is None
    unending = b'{"id":1,"method":"x","a":' + b'"\\' * 1_000_000
    assert deep.id_of(unending) == 1


WITH_LONE_SURROGATE = {
    "jsonrpc": "2.0",
    "id": "x\udc00",
    "method": "tools/list",
    "params": {"_meta": META},
}


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A request with some of its bytes taken out, put in or changed."""
    request = {"jsonrpc": "2.0", "id": draw(IDS), "method": "tools/list", "params": {"_meta": META}}
    line = bytearray(json.dumps(request).encode())
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 3))] = draw(PIECES | st.binary(max_size=3))
    return bytes(line)


@example([json.dumps(WITH_LONE_SURROGATE).encode()])
@given(st.lists(damaged(), max_size=5))
def test_a_damaged_request_has_one_answer_or_is_none(lines: list[bytes]) -> None:
    for line in lines:
        found = answers([line])
        try:
            message = jsonrpc.parse(line)
        except jsonrpc.WireError as problem:
            expected = [problem.id]
        else:
            asked = isinstance(message, jsonrpc.JsonRpcRequest) and message.id is not None
            expected = [message.id] if asked else []
        # a lone surrogate in an id is answered as "?"
        assert [item["id"] for item in found] == json.loads(jsonrpc.dumps(expected))
    served = answers([*lines, b'{"jsonrpc":"2.0","id":"last","method":"ping"}'])
    assert (served[-1]["id"], served[-1]["result"]) == ("last", {})
