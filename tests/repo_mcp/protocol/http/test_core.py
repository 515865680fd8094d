"""The core, seen through HTTP: progress, log, tasks and questions, without a socket."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from repo_mcp.protocol import tool_calls
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.http import server
from repo_mcp.protocol.http.server import SingleCore, application
from repo_mcp.protocol.offer import Caller
from tests.repo_mcp.protocol.protocol_talk import (
    KEY,
    META,
    MODERN,
    NEWEST,
    RESULT,
    SAMPLING,
    TASKS,
    Offered,
)
from tests.waiting import HANG

PHRASE = "t"


@asynccontextmanager
async def running(application_: Any) -> AsyncIterator[None]:  # noqa: ANN401 ASGI
    """The application between its start and its end."""
    inbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    started = asyncio.Event()

    async def send(_: object) -> None:
        started.set()

    life = asyncio.create_task(application_({"type": "lifespan", "state": {}}, inbox.get, send))
    inbox.put_nowait({"type": "lifespan.startup"})
    await started.wait()
    yield
    inbox.put_nowait({"type": "lifespan.shutdown"})
    await life


class Http:
    """A client that sees every message of an answer."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client
        self.session = ""
        self.status = 0

    async def say(self, method: str, *, named: str = "", **params: Any) -> list[dict[str, Any]]:  # noqa: ANN401 JSON
        modern = KEY + "protocolVersion" in params.get("_meta", {})
        headers = {"accept": "application/json, text/event-stream"}
        headers["mcp-protocol-version"] = MODERN if modern else NEWEST
        if modern:
            headers["mcp-method"] = method
            headers["mcp-name"] = named or params.get("name") or params.get("taskId", "")
        elif self.session:
            headers["mcp-session-id"] = self.session
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await self._client.post("/mcp", json=asked, headers=headers)
        self.status = answer.status_code
        self.session = answer.headers.get("mcp-session-id", self.session)
        return messages(answer.text)

    async def tell(self, method: str, **params: Any) -> None:  # noqa: ANN401 JSON
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": NEWEST,
            "mcp-session-id": self.session,
        }
        told = {"jsonrpc": "2.0", "method": method, "params": params}
        answer = await self._client.post("/mcp", json=told, headers=headers)
        assert answer.status_code == 202

    async def leave(self) -> None:
        headers = {"mcp-protocol-version": NEWEST, "mcp-session-id": self.session}
        answer = await self._client.delete("/mcp", headers=headers)
        assert answer.status_code == 200


def messages(text: str) -> list[dict[str, Any]]:
    if text.startswith("{"):
        return [json.loads(text)]
    lines = [
        line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")
    ]
    return [json.loads(line) for line in lines]


def talk(offer: Offered, conversation: Callable[[Http], Awaitable[None]]) -> None:
    async def run() -> None:
        served = application(SingleCore(Core(offer), PHRASE), "127.0.0.1")
        headers = {"authorization": f"Bearer {PHRASE}"}
        transport = httpx2.ASGITransport(served)
        async with (
            running(served),
            httpx2.AsyncClient(
                transport=transport, base_url="http://127.0.0.1", headers=headers
            ) as client,
        ):
            await conversation(Http(client))

    asyncio.run(run())


async def shake_hands(http: Http) -> None:
    info = {"name": "x", "version": "1"}
    (found,) = await http.say(
        "initialize", protocolVersion=NEWEST, capabilities={}, clientInfo=info
    )
    assert found["result"]["capabilities"]["tasks"]


def telling(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    assert caller.client in {"x 1", ""}
    caller.progress(1, 2, "half")
    caller.log("error", "line")
    return RESULT


@pytest.mark.parametrize("modern", [True, False])
def test_what_a_call_tells_comes_before_its_answer(*, modern: bool) -> None:
    offer = Offered()
    offer.does = telling
    meta = {**META, KEY + "logLevel": "info"} if modern else {}

    async def conversation(http: Http) -> None:
        if not modern:
            await shake_hands(http)
        found = await http.say("tools/call", name="do.it", _meta={**meta, "progressToken": 7})
        assert [item.get("method", "answer") for item in found] == [
            "notifications/progress",
            "notifications/message",
            "answer",
        ]
        assert found[0]["params"]["progressToken"] == 7
        assert found[2]["result"]["structuredContent"] == RESULT["structuredContent"]

    talk(offer, conversation)


def test_a_cancelled_request_stops_its_tool() -> None:
    offer = Offered()
    began, stopped = threading.Event(), threading.Event()

    def waits(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        began.set()
        while not caller.is_cancelled():
            caller.progress(0, 0, "")
        stopped.set()
        return RESULT

    offer.does = waits

    async def conversation(http: Http) -> None:
        await shake_hands(http)
        call = asyncio.create_task(http.say("tools/call", name="do.it"))
        assert await asyncio.to_thread(began.wait, HANG)
        await http.tell("notifications/cancelled", requestId=1)
        assert await asyncio.to_thread(stopped.wait, HANG)
        call.cancel()

    talk(offer, conversation)


def test_a_long_call_becomes_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_calls, "PROMOTED_AFTER", 0.0)
    monkeypatch.setattr(server, "_TICK", 0.01)
    offer = Offered()
    go_on = threading.Event()

    def slow(_: Mapping[str, Any], __: Caller) -> dict[str, Any]:
        assert go_on.wait(HANG)
        return RESULT

    offer.does = slow

    async def conversation(http: Http) -> None:
        (found,) = await http.say("tools/call", name="do.it", _meta=TASKS)
        task = found["result"]
        assert (task["resultType"], task["status"]) == ("task", "working")
        asked = {"taskId": task["taskId"], "_meta": TASKS}
        (state,) = await http.say("tasks/get", **asked)
        assert state["result"]["status"] == "working"
        await http.say("tasks/get", named="other", **asked)
        assert http.status == 400
        go_on.set()
        while state["result"]["status"] == "working":
            (state,) = await http.say("tasks/get", **asked)
        assert state["result"]["result"]["isError"] is False

    talk(offer, conversation)


def test_a_task_of_the_handshake_belongs_to_its_session() -> None:
    async def conversation(http: Http) -> None:
        await shake_hands(http)
        (found,) = await http.say("tools/call", name="do.it", task={"ttl": 60_000})
        id_ = found["result"]["task"]["taskId"]
        answer = (await http.say("tasks/result", taskId=id_))[-1]
        assert answer["result"]["_meta"] == {KEY + "related-task": {"taskId": id_}}
        http.session = ""
        await shake_hands(http)
        assert (await http.say("tasks/list"))[-1]["result"]["tasks"] == []
        assert (await http.say("tasks/get", taskId=id_))[-1]["error"]["code"] == -32602

    talk(Offered(), conversation)


def test_a_question_is_answered_by_calling_again() -> None:
    offer = Offered()
    told: list[str | None] = []

    def asks(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        told.append(caller.sample("why?", 5))
        return RESULT

    offer.does = asks

    async def conversation(http: Http) -> None:
        (found,) = await http.say("tools/call", name="do.it", _meta=SAMPLING)
        (key,) = found["result"]["inputRequests"]
        content = {"type": "text", "text": "so"}
        answer = {"role": "assistant", "model": "m", "content": content}
        state = found["result"]["requestState"]
        again = {"requestState": state, "inputResponses": {key: answer}, "_meta": SAMPLING}
        (found,) = await http.say("tools/call", name="do.it", **again)
        assert (found["result"]["resultType"], told) == ("complete", ["so"])

    talk(offer, conversation)


def test_errors_are_those_of_the_core() -> None:
    async def conversation(http: Http) -> None:
        (found,) = await http.say("tools/call", name="nothing", _meta=META)
        assert found["error"]["code"] == -32602
        (found,) = await http.say("tasks/result", taskId="x", named="y", _meta=TASKS)
        assert found["error"]["code"] == -32601
        (found,) = await http.say("tasks/get", taskId="x", _meta=META)
        assert (found["error"]["code"], http.status) == (-32021, 400)
        await shake_hands(http)
        (found,) = await http.say("logging/setLevel", level="loud")
        assert found["error"]["code"] == -32602
        (found,) = await http.say("logging/setLevel", level="debug")
        assert found["result"] == {}

    talk(Offered(), conversation)


def test_a_session_in_use_keeps_its_log_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_MOST_LEVELS", 2)
    offer = Offered()

    def logs(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        caller.log("debug", "line")
        return RESULT

    offer.does = logs

    async def conversation(http: Http) -> None:
        sessions = []
        for _ in range(4):
            http.session = ""
            await shake_hands(http)
            sessions.append(http.session)
            await http.say("logging/setLevel", level="debug")
            http.session = sessions[0]
            found = await http.say("tools/call", name="do.it")
            assert [item.get("method", "answer") for item in found] == [
                "notifications/message",
                "answer",
            ]
        # the one that has sent nothing for the longest time went
        http.session = sessions[1]
        assert len(await http.say("tools/call", name="do.it")) == 1
        http.session = sessions[3]
        assert len(await http.say("tools/call", name="do.it")) == 2

    talk(offer, conversation)


def test_a_log_level_goes_with_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[server.SessionLevels] = []

    class Levels(server.SessionLevels):
        def __init__(self, most: int) -> None:
            super().__init__(most)
            made.append(self)

    monkeypatch.setattr(server, "SessionLevels", Levels)

    async def conversation(http: Http) -> None:
        await shake_hands(http)
        await http.say("logging/setLevel", level="debug")
        await http.say("logging/setLevel", level="error")
        (levels,) = made
        gc.collect()
        assert list(levels._levels.values()) == ["error"]
        await http.leave()
        while levels._levels:
            await asyncio.sleep(0)
            gc.collect()

    talk(Offered(), conversation)
