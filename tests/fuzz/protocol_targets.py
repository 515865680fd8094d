"""Input from a client: bytes on standard input, HTTP requests, signed state."""

from __future__ import annotations

import asyncio
import json
import tempfile
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from unittest import mock

from repo_mcp.hook.event import format_answer, read_event
from repo_mcp.hook.question import searched_pattern, written_by_person
from repo_mcp.protocol import stdio
from repo_mcp.protocol.call import Call
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.http import server
from repo_mcp.protocol.http.guard import Application
from repo_mcp.protocol.http.server import CoreMiddleware
from repo_mcp.protocol.jsonrpc import INTERNAL_ERROR
from repo_mcp.protocol.offer import Caller
from repo_mcp.protocol.seal import LIFETIME, Seal
from repo_mcp.protocol.session import Session
from tests.fuzz.engine import Target, text_of
from tests.fuzz.mutations import json_bytes, line_mutation, mutated, tree_mutation
from tests.repo_mcp.hook.test_event import EVENTS
from tests.repo_mcp.protocol.http.test_core import running
from tests.repo_mcp.protocol.protocol_talk import (
    KEY,
    META,
    NEWEST,
    RESULT,
    SAMPLING,
    TASKS,
    Offered,
    line,
)
from tests.repo_mcp.protocol.test_junk import METHODS, NAMES
from tests.waiting import HANG

Message = dict[str, Any]
_SEED_PARAMS: Final[tuple[tuple[str, Message | None], ...]] = (
    ("initialize", {"protocolVersion": NEWEST, "capabilities": {}, "clientInfo": {"name": "x"}}),
    ("ping", None),
    ("tools/list", {"_meta": META}),
    ("tools/call", {"name": "do.it", "arguments": {"n": 1}, "_meta": META}),
    ("tools/call", {"name": "do.it", "_meta": {**SAMPLING, "progressToken": 3}}),
    ("tools/call", {"name": "do.it", "task": {"ttl": 60_000}}),
    ("tools/call", {"name": "do.it", "_meta": {**SAMPLING}, "requestState": "x" * 60}),
    ("tasks/list", {}),
    ("tasks/get", {"taskId": "x", "_meta": TASKS}),
    ("tasks/result", {"taskId": "x"}),
    ("tasks/update", {"taskId": "x", "inputResponses": {}, "_meta": TASKS}),
    ("prompts/get", {"name": "ask", "arguments": {"what": "x"}}),
    ("resources/read", {"uri": "x:///a"}),
    ("resources/list", {"cursor": None}),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "b", "value": "c"}},
    ),
    ("logging/setLevel", {"level": "info"}),
    ("server/discover", {"_meta": META}),
)
_LEVEL: Final = {**META, KEY + "logLevel": "debug"}
_WORDS: Final = [
    *(json.dumps(name).encode() for name in (*METHODS, *NAMES)),
    *(
        b"\n",
        b"\r\n",
        b'"jsonrpc":"2.0"',
        b'"id":1,',
        b'"params":{',
        b'"_meta":',
        b"null",
        b"1e400",
    ),
    *(b"-1e400", b"NaN", b"[[[[", b"}}", b'\\ud800"', b'"result":{},', json.dumps(_LEVEL).encode()),
]


# ---- standard input ----

# smaller than in the product, so that inputs reach both bounds
_MAX_FRAME: Final = 2048
_PIECES: Final = (1, 7, 64, 65_536)


def run_session(data: bytes) -> object:
    """Lines are cut as they should be, and each is answered as the protocol says."""
    size = _PIECES[len(data) % len(_PIECES)]
    with (
        mock.patch.object(stdio, "_PIECE", size),
        mock.patch.object(stdio, "MAX_FRAME", _MAX_FRAME),
    ):
        found = list(_frames(data))
    assert found == list(_frames_of_model(data))
    conversation = _Conversation()
    return [conversation.say(frame) for frame in found if frame is not None]


def _frames(data: bytes) -> Iterator[bytes | None]:
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data)
        file.seek(0)
        yield from stdio.frames(stdio.pieces(file.fileno(), lambda: None))


def _frames_of_model(data: bytes) -> Iterator[bytes | None]:
    for text in data.split(b"\n")[:-1]:
        if len(text) > _MAX_FRAME:
            yield None
        elif text.strip(b" \t\r"):
            yield text.strip(b" \t\r")


def _use_caller(arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """A tool that reports, and asks where nothing has to be waited for."""
    caller.progress(1, 2, "half")
    caller.log("error", str(arguments)[:50])
    if isinstance(caller, Call) and caller.peer.modern:
        caller.sample("why?", 5)
    return RESULT


def _core() -> Core:
    offer = Offered()
    offer.does = _use_caller
    core = Core(offer, lambda: 0.0, lambda: 1_000_000.0)
    core._calls._seal._key = bytes(32)  # equal inputs have equal answers
    return core


class _Conversation:
    """A session whose answers are checked."""

    def __init__(self) -> None:
        self._sent: list[Message] = []
        self._session = Session(_core(), self._take)

    def say(self, frame: bytes) -> object:
        """Send a line and do the work it asks for; gives the shape of what came back."""
        self._sent.clear()
        job = self._session.receive(frame)
        if job is not None:
            self._session.perform(job)
        self._session.tick()
        answers = [message for message in self._sent if "method" not in message]
        for answer in answers:
            check_answer(answer)
        _check_count(frame, answers)
        return [_shape(message) for message in self._sent]

    def _take(self, sent: bytes) -> None:
        assert sent.endswith(b"\n")
        assert sent.count(b"\n") == 1
        assert sent.isascii()
        message = json.loads(sent, parse_constant=_refuse)
        assert message["jsonrpc"] == "2.0"
        self._sent.append(message)


def _refuse(name: str) -> object:
    raise ValueError(name)


def check_answer(answer: Message) -> None:
    """It is a result or an error that is not this server's fault."""
    assert answer.keys() in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
    if "result" in answer:
        assert isinstance(answer["result"], dict)
    else:
        assert isinstance(answer["error"]["code"], int)
        assert isinstance(answer["error"]["message"], str)
        assert answer["error"]["code"] != INTERNAL_ERROR, answer


def _check_count(frame: bytes, answers: list[Message]) -> None:
    """One answer for a request, with its id; none for a notification or a response."""
    try:
        message = json.loads(frame.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        assert len(answers) == 1
        return
    if not isinstance(message, dict):
        assert [answer["id"] for answer in answers] == [None]
    elif "method" not in message and ("result" in message or "error" in message):
        assert answers == []
    elif "id" not in message:
        assert all("error" in answer for answer in answers)
    else:
        id_ = message["id"]
        is_valid = isinstance(id_, str | int) and not isinstance(id_, bool)
        assert [answer["id"] for answer in answers] == [id_ if is_valid else None]


def _shape(message: Message) -> object:
    error = message.get("error", {})
    return message.get("method"), error.get("code"), sorted(message.get("result", {}))


def session_seeds() -> Iterator[bytes]:
    """Each kind of message, and a conversation."""
    requests = [line(method, params, id=at) for at, (method, params) in enumerate(_SEED_PARAMS)]
    yield from (request + b"\n" for request in requests)
    yield b"\n".join(requests[:8]) + b"\n"
    yield line("notifications/cancelled", {"requestId": 1}).replace(b'"id": 1, ', b"") + b"\n"
    yield b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    yield b"[" * 1900 + b"\n" + b"x" * 2100 + b"\n{}\n"


_MUTATION: Final = line_mutation(tree_mutation(json.loads, json_bytes, (*METHODS, *NAMES)))
SESSION: Final = Target(
    "session", run_session, session_seeds, ("repo_mcp/protocol",), _WORDS, _MUTATION
)


# ---- HTTP ----

_TOKEN: Final = "t"  # noqa: S105 of a server that nobody reaches
_BETWEEN: Final = b"\n====\n"
_MOST_REQUESTS: Final = 4
_LOCAL: Final = frozenset({b"127.0.0.1", b"localhost", b"[::1]"})
Headers = list[tuple[bytes, bytes]]


def run_http(data: bytes) -> object:
    """Every request is answered; one that is not for this server, or without its token, refused."""
    middleware = CoreMiddleware(server.SingleCore(_core(), _TOKEN))
    with (
        mock.patch.object(server, "_keep_ticking"),
        mock.patch.object(server, "CoreMiddleware", return_value=middleware),
    ):
        served = server.application(server.SingleCore(_core(), _TOKEN), "127.0.0.1")
    return asyncio.run(_converse(served, middleware, data.split(_BETWEEN)[:_MOST_REQUESTS]))


async def _converse(
    served: Application, middleware: CoreMiddleware, requests: Iterable[bytes]
) -> list[object]:
    session, shapes = b"", list[object]()
    async with running(served):
        for text in requests:
            exchange = _Exchange(text.replace(b"SESSION", session))
            await asyncio.wait_for(exchange.run(served), HANG)
            session = dict(exchange.answer_headers).get(b"mcp-session-id", session)
            shapes.append(exchange.shape())
        for pool in middleware._pools.values():  # tasks outlive their requests, but not the loop
            await asyncio.to_thread(pool.shutdown)
    return shapes


class _Exchange:
    """One request as an ASGI server hands it on, and its answer."""

    def __init__(self, text: bytes) -> None:
        head, _, self._body = text.partition(b"\n\n")
        first, *rows = head.split(b"\n")
        method, _, path = first.decode("latin-1").partition(" ")
        pairs = [row.partition(b":")[::2] for row in rows]
        self.headers: Headers = [(name.lower().strip(), value.strip()) for name, value in pairs]
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method or "GET",
            "scheme": "http",
            "path": path.partition("?")[0] or "/",
            "raw_path": path.encode("latin-1"),
            "query_string": path.partition("?")[2].encode("latin-1"),
            "root_path": "",
            "headers": self.headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        self.status = 0
        self.answer_headers: Headers = []
        self._sent = b""
        self._parts = [self._body]
        self._started = asyncio.Event()

    async def run(self, served: Application) -> None:
        """Until the answer is complete, or a stream has begun."""
        await served(self._scope, self._receive, self._send)

    async def _receive(self) -> Message:
        if self._parts:
            return {"type": "http.request", "body": self._parts.pop(), "more_body": False}
        await self._started.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            assert not self.status
            self.status, self.answer_headers = message["status"], list(message["headers"])
        self._sent += message.get("body", b"")
        is_stream = self._scope["method"] == "GET"
        if is_stream or (message["type"] == "http.response.body" and not message.get("more_body")):
            self._started.set()

    def shape(self) -> object:
        """The status and error codes of a response; checked first."""
        assert 200 <= self.status < 500 or self.status == 501, self.status
        if not self._is_permitted():
            assert self.status in {401, 403, 421}
            assert self._sent == b""
        codes = [message.get("error", {}).get("code") for message in self._messages()]
        assert INTERNAL_ERROR not in codes, self._sent
        return self.status, codes

    def _is_permitted(self) -> bool:
        """By a stricter rule than the server's: what this refuses is refused there too."""
        values = dict[bytes, list[bytes]]()
        for name, value in self.headers:
            values.setdefault(name, []).append(value)
        tokens = values.get(b"authorization", [])
        is_known = (
            len(tokens) == 1 and tokens[0][:7].lower() == b"bearer " and b"t" in tokens[0][7:]
        )
        return is_known and len(values.get(b"host", [])) == 1

    def _messages(self) -> Iterator[Message]:
        for row in self._sent.split(b"\n"):
            text = row.removeprefix(b"data: ")
            if text.startswith(b"{"):
                yield json.loads(text)


def _request(body: bytes, path: str = "/mcp", method: str = "POST", extra: str = "") -> bytes:
    head = (
        f"{method} {path}\nhost: 127.0.0.1:80\nauthorization: Bearer {_TOKEN}\n"
        f"accept: application/json, text/event-stream\ncontent-type: application/json\n{extra}"
    )
    return head.encode() + b"\n" + body


def http_seeds() -> Iterator[bytes]:
    """Requests of both eras, of both transports, and refused ones."""
    version = f"mcp-protocol-version: {NEWEST}\n"
    shake = _request(line(*_SEED_PARAMS[0]), extra=version)
    later = f"{version}mcp-session-id: SESSION\n"
    for method, params in _SEED_PARAMS:
        modern = f"mcp-protocol-version: 2026-07-28\nmcp-method: {method}\nmcp-name: do.it\n"
        if params is not None and "_meta" in params:
            yield _request(line(method, params), extra=modern)
        else:
            yield shake + _BETWEEN + _request(line(method, params), extra=later)
    yield shake + _BETWEEN + _request(b"", method="GET", extra=later)
    yield shake + _BETWEEN + _request(b"", method="DELETE", extra=later)
    yield _request(b"", "/sse", "GET")
    yield _request(b"{}", "/messages/?session_id=" + "0" * 32)
    yield _request(b"{}").replace(b"127.0.0.1", b"[::1]", 1).replace(b"Bearer t", b"Bearer u")
    yield _request(b"{}", extra="origin: http://localhost:80\n").replace(
        b"127.0.0.1", b"evil.example"
    )


_HEADER_WORDS: Final = (
    *(b"host: localhost", b"origin: http://[::1]", b"\xc2\xb2", b"bearer ", b":", _BETWEEN),
    *(b"SESSION", b"/sse", b"/messages/", b"GET", b"mcp-protocol-version: "),
)
HTTP: Final = Target(
    "http",
    run_http,
    http_seeds,
    ("repo_mcp/protocol",),
    words=[*_WORDS, *_HEADER_WORDS],
    mutation=_MUTATION,
)


# ---- signed state ----


def run_seal(data: bytes) -> object:
    """Only what was signed is opened, whatever it is mixed with."""
    now = 1_000.0
    seal = Seal(lambda: now)
    seal._key = bytes(32)
    text = text_of(data)
    found = seal.open(text)
    state = {"a": text[:20]}
    closed = seal.close(state)
    assert seal.open(closed) == json.loads(json.dumps(state))
    for changed in (closed[:-4], text[:9] + closed, closed + text[:9], closed.swapcase()):
        opened = seal.open(changed)
        assert opened is None or _raw(changed) == _raw(closed)
    now += LIFETIME
    assert seal.open(closed) is None
    return found is None


def _raw(text: str) -> bytes:
    return urlsafe_b64decode(text.encode("ascii"))


def seal_seeds() -> Iterator[bytes]:
    """States, sound and otherwise."""
    seal = Seal(lambda: 1_000.0)
    seal._key = bytes(32)
    yield from (seal.close(state).encode() for state in ({}, {"call": "x"}))
    yield from (b"", b"====", b"A", "ä".encode(), b"\xed\xa0\x80")


SEAL: Final = Target(
    "seal",
    run_seal,
    seal_seeds,
    ("repo_mcp/protocol/seal.py",),
    mutation=lambda data, chance: mutated(data, chance, [b"=", b"-_", b"\n"]),
)


# ---- events of hooks ----


def run_hook(data: bytes) -> object:
    """Whatever a client writes is an event or none, and asks for something or nothing."""
    event = read_event(data)
    if event is None:
        return None
    json.loads(format_answer(event, event.prompt) or b"null")
    own, pattern = written_by_person(event.prompt), searched_pattern(event)
    return event.form, bool(own), bool(pattern)


def hook_seeds() -> Iterator[bytes]:
    """The events of several clients."""
    yield from (json.dumps(given).encode() for given, _, _ in EVENTS.values())
    yield json.dumps(
        {"prompt": "<a-b>x</a-b> y", "tool_input": {"cmd": ["sh", "-c", "rg 'x"]}}
    ).encode()


HOOK: Final = Target(
    "hook",
    run_hook,
    hook_seeds,
    ("repo_mcp/hook/event.py", "repo_mcp/hook/question.py"),
    mutation=tree_mutation(json.loads, json_bytes, ("prompt", "tool_input", "command", "pattern")),
    words=[b"UserPromptSubmit", b"transcript_path", b"<task-x>", b"/clear", b"grep -e ", b'"'],
)

TARGETS: Final = (SESSION, HTTP, SEAL, HOOK)
