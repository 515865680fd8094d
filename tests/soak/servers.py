"""Servers with several calls under way at once, over standard input and output or HTTP."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import subprocess
import threading
from abc import abstractmethod
from contextlib import suppress
from typing import IO, Any, Final
from urllib.parse import urlsplit

from tests.repo_mcp.server_process import request
from tests.soak.processes import Place, SoakProcess
from tests.waiting import HANG, until

_VERSION: Final = "2025-11-25"
_INITIALIZE: Final = {
    "protocolVersion": _VERSION,
    "capabilities": {},
    "clientInfo": {"name": "soak", "version": "1"},
}
_INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_TOKEN: Final = "soak-" + "t" * 32
_TASK: Final = {"ttl": HANG * 1000}

Fields = dict[str, Any]


class ToolServer(SoakProcess):
    """A server whose tools are called."""

    def call(self, tool: str, arguments: Fields, *, as_task: bool = False) -> Fields | None:
        """The result of a call; None if the server was ended on purpose."""
        params: Fields = {"name": tool, "arguments": arguments}
        found = self._say("tools/call", {**params, "task": _TASK} if as_task else params)
        if as_task and found is not None and "result" in found:
            found = self._say("tasks/result", {"taskId": found["result"]["task"]["taskId"]})
        if found is None:
            return None
        if "error" in found:
            self._complain(f"{tool} {arguments}: {found['error']}")
        return found.get("result")

    def ask(self, tool: str, arguments: Fields) -> Fields:
        """The data of an answer; empty if there is none."""
        data = (self.call(tool, arguments) or {}).get("structuredContent", {})
        found = data.get("result", data)
        return found if isinstance(found, dict) else {}

    @abstractmethod
    def call_and_leave(self, tool: str, arguments: Fields) -> None:
        """Begin a call whose answer nobody waits for."""

    @abstractmethod
    def _say(self, method: str, params: Fields) -> Fields | None:
        """The answer to a request; None without one."""


class _Call:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: Fields | None = None


class StdioServer(ToolServer):
    """A server over standard input and output."""

    def __init__(self, place: Place) -> None:
        """Start it and shake hands."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        super().__init__(place, place.serving(), **pipes)
        assert self.process.stdin
        assert self.process.stdout
        self._stdin: IO[bytes] = self.process.stdin
        self._stdout: IO[bytes] = self.process.stdout
        self._guard = threading.Lock()
        self._calls: dict[int, _Call] = {}
        self._abandoned: set[int] = set()
        self._next = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        answer = self._say("initialize", _INITIALIZE)
        if answer is None or "result" not in answer:
            self._complain(f"initialize was answered with {answer}")
        self._send(_INITIALIZED)

    def call_and_leave(self, tool: str, arguments: Fields) -> None:
        """Begin a call and cancel it; an answer that was under way is dropped."""
        number, _ = self._begin("tools/call", {"name": tool, "arguments": arguments})
        with self._guard:
            self._calls.pop(number, None)
            self._abandoned.add(number)
        params = {"requestId": number}
        self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def vanish(self) -> None:
        """Let the client go without a word while calls are under way."""
        for query in ("import", "class", "self"):
            self._begin("tools/call", {"name": "repo.search", "arguments": {"query": query}})
        started = self._begin_end()
        self._stdin.close()
        self._leave(started)

    def _leave(self, started: dict[int, str]) -> None:
        super()._leave(started)
        self._reader.join(HANG)
        with self._guard:
            left, self._calls = self._calls, {}
        for call in left.values():
            call.done.set()
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):  # what was not written yet
                stream.close()

    def _say(self, method: str, params: Fields) -> Fields | None:
        number, call = self._begin(method, params)
        while not call.done.wait(1.0 if self._ending else HANG):
            self._complain(f"call {number} was not answered in {HANG} s")
            return None
        return call.answer

    def _begin(self, method: str, params: Fields) -> tuple[int, _Call]:
        call = _Call()
        with self._guard:
            self._next += 1
            number = self._next
            self._calls[number] = call
        self._write(request(number, method, **params))
        return number, call

    def _send(self, message: Fields) -> None:
        self._write(json.dumps(message).encode())

    def _write(self, line: bytes) -> None:
        try:
            with self._guard:
                self._stdin.write(line + b"\n")
                self._stdin.flush()
        except (OSError, ValueError):
            self._complain("a server has closed its input")

    def _read(self) -> None:
        for line in self._stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self.violations.append(f"not JSON: {line[:200]!r}")
                continue
            if "id" in message:
                self._settle(message)
        self._complain(f"server {self.pid} ended by itself")

    def _settle(self, message: Fields) -> None:
        with self._guard:
            call = self._calls.pop(message["id"], None)
            known = message["id"] in self._abandoned
            self._abandoned.discard(message["id"])
        if call is not None:
            call.answer = message
            call.done.set()
        elif not known:
            self.violations.append(f"an answer to no call: {str(message)[:200]}")


class HttpServer(ToolServer):
    """A server over HTTP; each request has a connection of its own, all have one session."""

    def __init__(self, place: Place) -> None:
        """Start it on a free port and shake hands."""
        told = {**os.environ, "REPO_MCP_HTTP_TOKEN": _TOKEN}
        super().__init__(place, [*place.serving(), "--http", "--http-port", "0"], env=told)
        self._numbers = itertools.count(1)
        self._headers = {
            "authorization": f"Bearer {_TOKEN}",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": _VERSION,
        }
        if not until(lambda: "/mcp" in self.log.read_text()):
            self._complain("a server over HTTP has not started")
        self._address = urlsplit(self.log.read_text().split()[-1]).netloc
        self._say("initialize", _INITIALIZE)
        self._post(json.dumps(_INITIALIZED).encode())

    def call_and_leave(self, tool: str, arguments: Fields) -> None:
        """Send a call and hang up."""
        call = request(next(self._numbers), "tools/call", name=tool, arguments=arguments)
        with suppress(OSError):
            connection = http.client.HTTPConnection(self._address, timeout=HANG)
            connection.request("POST", "/mcp", call, self._headers)
            connection.close()

    def _say(self, method: str, params: Fields) -> Fields | None:
        number = next(self._numbers)
        text = self._post(request(number, method, **params))
        for line in text.splitlines():
            message = json.loads(line.removeprefix("data: ")) if "{" in line else {}
            if message.get("id") == number:
                return dict(message)
        self._complain(f"{method} {params} was answered with {text[:200]}")
        return None

    def _post(self, body: bytes) -> str:
        connection = http.client.HTTPConnection(self._address, timeout=HANG)
        try:
            connection.request("POST", "/mcp", body, self._headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            return f"{error!r}"
        finally:
            connection.close()
        self._headers.setdefault("mcp-session-id", answer.headers.get("mcp-session-id", ""))
        return text if answer.status < 300 else f"{answer.status} {text}"
