"""A server without a repository, and a client that checks every message with the SDK's types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mcp_types as types
from mcp_types import methods

from repo_mcp.protocol.call import ThreadJob
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.offer import Caller, NoResourceError, NotOfferedError, Values
from repo_mcp.protocol.session import Session

NEWEST = "2025-11-25"
MODERN = "2026-07-28"
KEY = "io.modelcontextprotocol/"
META = {KEY + "protocolVersion": MODERN, KEY + "clientCapabilities": {}}
TASKS = {**META, KEY + "clientCapabilities": {"extensions": {KEY + "tasks": {}}}}
SAMPLING = {**META, KEY + "clientCapabilities": {"sampling": {}}}
ICONS = [{"src": "data:image/svg+xml,x", "mimeType": "image/svg+xml", "sizes": ["any"]}]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": []}
LINK = {"type": "resource_link", "uri": "x:///a", "name": "a", "title": "A", "icons": ICONS}
AUDIO = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
TEXT = {
    "type": "text",
    "text": "x",
    "annotations": {"audience": ["user"], "lastModified": "2026-01-01T00:00:00Z"},
}
RESULT = {"content": [TEXT, LINK, AUDIO], "structuredContent": {"a": 1}, "isError": False}
TOOL = {
    "name": "do.it",
    "title": "Do it",
    "description": "Does it",
    "inputSchema": SCHEMA,
    "outputSchema": SCHEMA,
    "annotations": {"readOnlyHint": True},
    "icons": ICONS,
    "execution": {"taskSupport": "optional"},
    "_meta": {"x/y": 1},
}
PROMPT = {
    "name": "ask",
    "title": "Ask",
    "arguments": [{"name": "what", "title": "What", "required": True}],
    "icons": ICONS,
}
RESOURCE = {"uri": "x:///a", "name": "a", "title": "A", "annotations": {"priority": 1.0}}
TEMPLATE = {"uriTemplate": "x:///{path}", "name": "f", "title": "F", "icons": ICONS}
SKILL = {"uri": "x:///a/SKILL.md", "frontmatter": {"name": "a"}, "resources": "dynamic"}
# the SDK has these types without a version of theirs
OF_TASKS: dict[str, Any] = {
    "tasks/get": types.GetTaskResult,
    "tasks/list": types.ListTasksResult,
    "tasks/cancel": types.CancelTaskResult,
    "tasks/result": types.CallToolResult,
}


class Offered:
    """Something of each kind; what the tool does can be set."""

    info: Mapping[str, Any] = {"name": "n", "title": "N", "version": "1", "icons": ICONS}
    instructions = "how to"

    def __init__(self) -> None:
        self.does: Callable[[Mapping[str, Any], Caller], dict[str, Any]] = lambda _, __: RESULT
        self.listings = 0
        self.changes_of_roots = 0

    def begin(self) -> None:
        """Prepare nothing."""

    def roots_changed(self) -> None:
        self.changes_of_roots += 1

    def tools(self) -> Sequence[dict[str, Any]]:
        self.listings += 1
        return [TOOL, {**TOOL, "name": "another"}]

    def has_tool(self, name: str) -> bool:
        return name in {"do.it", "do_it", "another"}

    def run_tool(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        assert self.has_tool(name)
        return self.does(arguments, caller)

    def resources(self) -> Sequence[dict[str, Any]]:
        return [RESOURCE]

    def templates(self) -> Sequence[dict[str, Any]]:
        return [TEMPLATE]

    def read(self, uri: str) -> Sequence[dict[str, Any]]:
        if uri != "x:///a":
            raise NoResourceError(uri)
        return [{"uri": uri, "mimeType": "text/plain", "text": "content"}]

    def skills(self) -> Sequence[dict[str, Any]]:
        return [SKILL]

    def prompts(self) -> Sequence[dict[str, Any]]:
        return [PROMPT]

    def prompt(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if name != "ask" or "what" not in arguments:
            raise NotOfferedError("what is missing")
        return {"messages": [{"role": "user", "content": {"type": "text", "text": "do"}}]}

    def complete(self, reference: Mapping[str, Any], argument: str, begun: str) -> Values:
        if reference.get("name") == "none":
            raise NotOfferedError("no such prompt")
        return Values([f"{begun}{argument}{n}" for n in range(150)], 150)


class Talk:
    """A session and its client on one thread; time passes when it is told to."""

    def __init__(
        self, version: str = NEWEST, capabilities: Mapping[str, Any] | None = None
    ) -> None:
        self.offer = Offered()
        self.now = 0.0
        self.core = Core(self.offer, lambda: self.now, lambda: 1_000_000 + self.now)
        self.sent: list[dict[str, Any]] = []
        self.session = Session(self.core, self._take)
        self.version = version
        self._last = 0
        if version != MODERN:
            self.result("initialize", protocolVersion=version, capabilities=capabilities or {})

    def _take(self, line: bytes) -> None:
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert line.isascii()
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if "method" in message:
            self._check_sent(message)
        self.sent.append(message)

    def _check_sent(self, message: dict[str, Any]) -> None:
        if message["method"] == "notifications/tasks/status":
            types.TaskStatusNotification.model_validate(message, by_name=False)
            return
        judge = (
            methods.parse_server_request if "id" in message else methods.parse_server_notification
        )
        judge(message["method"], self.version, message.get("params"))

    def begin(self, method: str, **params: Any) -> ThreadJob | None:  # noqa: ANN401 JSON
        """Send a request; the next id is its own."""
        self._last += 1
        return self.session.receive(line(method, params, id=self._last))

    def tell(self, method: str, **params: Any) -> None:  # noqa: ANN401 JSON
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        assert self.session.receive(json.dumps(message).encode()) is None

    def answer(self, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 JSON
        """The one answer to a request, whatever thread it would run on."""
        job = self.begin(method, **params)
        if job is not None:
            self.session.perform(job)
        return self.answer_to(self._last)

    def answer_to(self, id_: object) -> dict[str, Any]:
        (found,) = [message for message in self.sent if message.get("id") == id_]
        self.sent.remove(found)
        return found

    def result(self, method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 JSON
        """The result, judged by the types of the version in use."""
        answer = self.answer(method, **params)
        assert "error" not in answer, answer
        found: dict[str, Any] = answer["result"]
        if method.startswith("tasks/"):
            if self.version != MODERN:  # the extension of that version has no types there
                OF_TASKS[method].model_validate(found, by_name=False)
        elif "task" in params:
            types.CreateTaskResult.model_validate(found, by_name=False)
        else:
            methods.parse_server_result(method, self.version, found)
        return found

    def error(self, method: str, **params: Any) -> tuple[int, str]:  # noqa: ANN401 JSON
        found = self.answer(method, **params)
        types.ErrorData.model_validate(found["error"])
        assert "result" not in found
        return found["error"]["code"], found["error"]["message"]

    def notes(self, method: str) -> list[dict[str, Any]]:
        """The notifications of a kind that were sent."""
        return [message["params"] for message in self.sent if message.get("method") == method]


def line(method: str, params: object = None, **rest: object) -> bytes:
    message: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": method, **rest}
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()
