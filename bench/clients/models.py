"""A mock model on this machine, in four interfaces: it calls scripted tools, one after the other.

It speaks OpenAI's responses and chat completions, Anthropic's messages and Gemini's
`generateContent`, streamed where the client asks for that. A call is made once a tool of that name
is offered; what the client sent is kept, as that is what a model would have read.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from index_format.tuples import NamedTuple

Fields = dict[str, Any]
DONE: Final = "all calls are made"
NOTHING: Final = "no such tool is offered"
_CALL: Final = "call-"
_SEARCH: Final = "ToolSearch"


class ScriptedCall(NamedTuple):
    """A call that the model makes: the server's name of a tool, and arguments."""

    tool: str
    arguments: Mapping[str, Any]


class Model:
    """The mock model; `requests` has what it was sent."""

    def __init__(self, calls: Sequence[ScriptedCall], *, waits: bool = False) -> None:
        """A model that `waits` answers nothing more once all calls are made."""
        self._calls = calls
        self._waits = waits
        self._is_closed = threading.Event()
        self.is_waiting = False
        self.requests: list[Fields] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._is_closed.set()
        self._server.shutdown()
        self._server.server_close()

    def next_call(self, answered: int, names: Iterable[str]) -> tuple[str, str, Fields] | None:
        """Id, offered name and arguments of the next call; None if all are made, or none can be."""
        if answered >= len(self._calls):
            self.is_waiting = self._waits
            if self._waits:
                self._is_closed.wait()
            return None
        call = self._calls[answered]
        name = offered_name(names, call.tool)
        return None if name is None else (f"{_CALL}{answered}", name, dict(call.arguments))

    def wanted(self, answered: int) -> str:
        """The tool that is to be called next; empty if all calls are made."""
        return self._calls[answered].tool if answered < len(self._calls) else ""


def offered_name(names: Iterable[str], tool: str) -> str | None:
    """The name under which a client offers a tool of the server."""
    wanted = plain_name(tool)
    return next((name for name in names if plain_name(name).endswith(wanted)), None)


def plain_name(name: str) -> str:
    """A tool's name without the marks that clients replace."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _rows(body: Mapping[str, Any], name: str) -> list[Fields]:
    return [row for row in body.get(name) or [] if isinstance(row, dict)]


def responses(model: Model, body: Fields) -> list[Fields]:
    """The events of OpenAI's responses interface."""
    names: dict[str, tuple[str, str]] = {}
    for tool in _rows(body, "tools"):
        if tool.get("type") == "function":
            names[tool["name"]] = ("", tool["name"])
        for inner in _rows(tool, "tools"):
            names[f"{tool['name']}__{inner['name']}"] = (tool["name"], inner["name"])
    answered = sum(row.get("type") == "function_call_output" for row in _rows(body, "input"))
    call = model.next_call(answered, names)
    if call is None:
        text: Fields = {
            "type": "output_text",
            "text": DONE if answered else NOTHING,
            "annotations": [],
        }
        item: Fields = {"type": "message", "id": "m", "role": "assistant", "content": [text]}
    else:
        space, name = names[call[1]]
        item = {"type": "function_call", "id": call[0], "call_id": call[0], "name": name}
        item |= {"arguments": json.dumps(call[2])} | ({"namespace": space} if space else {})
    item["status"] = "completed"
    used = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    answer = {"id": f"r{answered}", "object": "response", "status": "completed", "usage": used}
    return [
        {"type": "response.created", "response": {**answer, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**answer, "output": [item]}},
    ]


def completions(model: Model, body: Fields) -> list[Fields]:
    """The events of OpenAI's chat completions."""
    names = [tool["function"]["name"] for tool in _rows(body, "tools") if "function" in tool]
    answered = sum(row.get("role") == "tool" for row in _rows(body, "messages"))
    call = model.next_call(answered, names)
    message: Fields = {"role": "assistant", "content": DONE if answered else NOTHING}
    if call is not None:
        function = {"name": call[1], "arguments": json.dumps(call[2])}
        made = {"index": 0, "id": call[0], "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [made]}
    ends = {"index": 0, "finish_reason": "stop" if call is None else "tool_calls"}
    used = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    first = {"id": "c", "created": 1, "model": body.get("model"), "usage": used}
    if not body.get("stream"):
        return [{**first, "object": "chat.completion", "choices": [{**ends, "message": message}]}]
    chunk = {**first, "object": "chat.completion.chunk"}
    begins = {"index": 0, "delta": message, "finish_reason": None}
    return [{**chunk, "choices": [begins]}, {**chunk, "choices": [{**ends, "delta": {}}]}]


def messages(model: Model, body: Fields) -> list[Fields]:
    """The events of Anthropic's messages; tools that are not offered yet are searched for."""
    names = [tool["name"] for tool in _rows(body, "tools") if "name" in tool]
    blocks = [block for row in _rows(body, "messages") for block in _blocks(row)]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    answered = sum(str(block.get("tool_use_id")).startswith(_CALL) for block in results)
    found = [str(row.get("tool_name")) for block in results for row in _blocks(block)]
    call = model.next_call(answered, [*names, *found]) if names else None
    searches = len(results) - answered
    block: Fields = {"type": "text", "text": DONE if answered else NOTHING}
    if call is not None:
        block = {"type": "tool_use", "id": call[0], "name": call[1], "input": call[2]}
    elif _SEARCH in names and model.wanted(answered) and searches < len(model.wanted(0)):
        word = re.split(r"[._]", model.wanted(answered))[-1]
        query = {"query": f"+{word}", "max_results": 5}
        block = {"type": "tool_use", "id": f"search-{searches}", "name": _SEARCH, "input": query}
    ends = {"stop_reason": "end_turn" if block["type"] == "text" else "tool_use"}
    answer: Fields = {"id": f"m{len(results)}", "type": "message", "role": "assistant"}
    answer |= {"model": body.get("model"), "stop_sequence": None}
    answer |= {"usage": {"input_tokens": 1, "output_tokens": 1}}
    if not body.get("stream"):
        return [{**answer, **ends, "content": [block]}]
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "message_start", "message": {**answer, "stop_reason": None, "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ends, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _blocks(row: Mapping[str, Any]) -> list[Fields]:
    return _rows(row, "content") if isinstance(row.get("content"), list) else []


def contents(model: Model, body: Fields) -> list[Fields]:
    """The answer of Gemini's `generateContent`."""
    tools = [row for tool in _rows(body, "tools") for row in _rows(tool, "functionDeclarations")]
    parts = [part for row in _rows(body, "contents") for part in _rows(row, "parts")]
    answered = sum("functionResponse" in part for part in parts)
    call = model.next_call(answered, [tool["name"] for tool in tools])
    part: Fields = {"text": DONE if answered else NOTHING}
    if call is not None:
        part = {"functionCall": {"id": call[0], "name": call[1], "args": call[2]}}
    content = {"role": "model", "parts": [part]}
    used = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return [{"candidates": [candidate], "usageMetadata": used, "modelVersion": "mock"}]


_INTERFACES: Final = {
    "/responses": responses,
    "/chat/completions": completions,
    "/messages": messages,
    "enerateContent": contents,
}
_COUNTS: Final = {"/count_tokens": "input_tokens", ":countTokens": "totalTokens"}


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        answers_for = model

    return Handler


class _Handler(BaseHTTPRequestHandler):
    answers_for: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Be silent: clients print enough."""

    def do_HEAD(self) -> None:
        """Be there."""
        self._send({})

    def do_GET(self) -> None:
        """A list of models, which is empty."""
        self._send({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        """Answer a request to a model; a client that is gone needs no answer."""
        with suppress(ConnectionError):
            self._answer()

    def _answer(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        for ending, name in _COUNTS.items():
            if path.endswith(ending):
                self._send({name: 1})
                return
        for ending, interface in _INTERFACES.items():
            if path.endswith(ending):
                self.answers_for.requests.append(body)
                events = interface(self.answers_for, body)
                if body.get("stream") or "stream" in path:
                    self._stream(events, ends="chat" in ending)
                else:
                    self._send(events[-1].get("response", events[-1]))
                return
        self._send({}, 404)

    def _body(self) -> Fields:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            import gzip  # noqa: PLC0415 few clients compress

            raw = gzip.decompress(raw)
        try:
            found = json.loads(raw)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _send(self, answer: Fields, status: int = 200) -> None:
        raw = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _stream(self, events: Iterable[Fields], *, ends: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            kind = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{kind}data: {json.dumps(event)}\n\n".encode())
        if ends:
            self.wfile.write(b"data: [DONE]\n\n")
