"""MCP on one connection, without any input or output.

Both eras are served, and which one is decided message by message: a request that names a protocol
version in its `_meta` is of the new era, every other of the one that begins with a handshake.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from repo_mcp.protocol import jsonrpc
from repo_mcp.protocol.jsonrpc import Id, Message, WireError

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
REQUEST_VERSIONS: Final = ("2026-07-28",)
UNSUPPORTED_VERSION: Final = -32022
_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
# the list of tools never changes while the server runs
_CACHE: Final = {"ttlMs": 3_600_000, "cacheScope": "private"}
_CAPABILITIES: Final[dict[str, Any]] = {"tools": {}}


class Identity(NamedTuple):
    """What the server says of itself, and its tools as one JSON array made when first asked for."""

    info: dict[str, str]
    instructions: str
    listing: Callable[[], str]
    knows: Callable[[str], bool]


class Call(NamedTuple):
    """A tool to be run somewhere else; hand what it gives to `Session.finish`."""

    id: Id
    tool: str
    arguments: dict[str, Any]
    modern: bool
    cancelled: threading.Event


class Session:
    """Takes lines, gives answers or calls; `finish` may be called from any thread."""

    def __init__(self, identity: Identity) -> None:
        """Begin with no calls under way."""
        self._identity = identity
        self._calls: dict[Id, Call] = {}
        self._lock = threading.Lock()
        self._methods: dict[str, Callable[[Message, bool], str]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda _, modern: self._body({}, modern=modern),
            "tools/list": self._list,
        }

    def receive(self, line: bytes) -> bytes | Call | None:
        """The answer to a line, a call to run, or nothing."""
        try:
            message = jsonrpc.parse(line)
            if message is None:
                return None
            if message.id is None:
                self._notified(message)
                return None
            return self._requested(message, message.id)
        except WireError as problem:
            return jsonrpc.error(problem)

    def finish(self, call: Call, result: dict[str, Any]) -> bytes | None:
        """The answer to a call; None when it was cancelled meanwhile."""
        with self._lock:
            self._calls.pop(call.id, None)
        if call.cancelled.is_set():
            return None
        return jsonrpc.result(call.id, self._body(result, modern=call.modern))

    def cancel_all(self) -> None:
        """Nobody waits for any call any more."""
        with self._lock:
            for call in self._calls.values():
                call.cancelled.set()

    def _requested(self, message: Message, id_: Id) -> bytes | Call:
        try:
            modern = _is_modern(message)
            if message.method == "tools/call":
                return self._begin(message, id_, modern=modern)
            return jsonrpc.result(id_, self._method(message)(message, modern))
        except WireError as problem:
            problem.id = id_
            raise

    def _method(self, message: Message) -> Callable[[Message, bool], str]:
        try:
            return self._methods[message.method]
        except KeyError:
            shown = repr(message.method[:100])
            raise WireError(jsonrpc.METHOD_NOT_FOUND, f"unknown method {shown}") from None

    def _begin(self, message: Message, id_: Id, *, modern: bool) -> Call:
        name, arguments = message.params.get("name"), message.params.get("arguments")
        if not isinstance(name, str) or not self._identity.knows(name):
            raise WireError(jsonrpc.INVALID_PARAMS, f"unknown tool {str(name)[:100]!r}")
        if arguments is not None and not isinstance(arguments, dict):
            raise WireError(jsonrpc.INVALID_PARAMS, "arguments is not an object")
        call = Call(id_, name, arguments or {}, modern, threading.Event())
        with self._lock:
            if id_ in self._calls:
                raise WireError(jsonrpc.INVALID_REQUEST, "this id is in use by a running call")
            self._calls[id_] = call
        return call

    def _notified(self, message: Message) -> None:
        id_ = message.params.get("requestId")
        if message.method == "notifications/cancelled" and isinstance(id_, str | int):
            with self._lock:
                call = self._calls.get(id_)
                if call is not None:
                    call.cancelled.set()

    def _initialize(self, message: Message, _: bool) -> str:  # noqa: FBT001 as the other methods
        wanted = message.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise WireError(jsonrpc.INVALID_PARAMS, "protocolVersion is not a string")
        return jsonrpc.dumps(
            {
                "protocolVersion": wanted
                if wanted in HANDSHAKE_VERSIONS
                else HANDSHAKE_VERSIONS[-1],
                "capabilities": _CAPABILITIES,
                "serverInfo": self._identity.info,
                "instructions": self._identity.instructions,
            }
        )

    def _discover(self, _: Message, modern: bool) -> str:  # noqa: ARG002, FBT001 as the other methods
        found = {
            "supportedVersions": list(REQUEST_VERSIONS),
            "capabilities": _CAPABILITIES,
            "instructions": self._identity.instructions,
            **_CACHE,
        }
        return self._body(found, modern=True)

    def _list(self, message: Message, modern: bool) -> str:  # noqa: FBT001 as the other methods
        if message.params.get("cursor") is not None:
            raise WireError(jsonrpc.INVALID_PARAMS, "there is one page only: no cursor is valid")
        rest = self._body(_CACHE if modern else {}, modern=modern)
        comma = "," if len(rest) > len("{}") else ""
        return f'{{"tools":{self._identity.listing()}{comma}{rest[1:]}'

    def _body(self, result: dict[str, Any], *, modern: bool) -> str:
        if not modern:
            return jsonrpc.dumps(result)
        marks = {"resultType": "complete", "_meta": {_SERVER_KEY: self._identity.info}}
        return jsonrpc.dumps({**result, **marks})


def _is_modern(message: Message) -> bool:
    meta = message.params.get("_meta")
    if not isinstance(meta, dict) or _VERSION_KEY not in meta:
        return False
    wanted = meta[_VERSION_KEY]
    if wanted not in REQUEST_VERSIONS:
        data = {"supported": list(REQUEST_VERSIONS), "requested": str(wanted)[:100]}
        raise WireError(UNSUPPORTED_VERSION, "unsupported protocol version", data=data)
    return True
