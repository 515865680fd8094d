"""A server over standard input and output with several calls under way at once."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from tests.repo_mcp.server_process import PROGRAM, request
from tests.soak.figures import children_of
from tests.waiting import HANG, is_running, until

_INITIALIZE: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "soak", "version": "1"},
}
# what a call ends with when its server was ended on purpose
ENDED: Final = "server_ended"
CANCELLED: Final = "cancelled"


class _Call:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: dict[str, Any] | None = None


class SoakServer:
    """One server process; `violations` are what the protocol does not allow."""

    def __init__(self, root: Path, data: Path, log: Path, violations: list[str]) -> None:
        command = [*PROGRAM, "serve", "--repo-root", str(root), "--data-dir", str(data)]
        with log.open("ab") as stream:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stream
            )
        assert self._process.stdin
        assert self._process.stdout
        self._stdin: IO[bytes] = self._process.stdin
        self._stdout: IO[bytes] = self._process.stdout
        self._violations = violations
        self._guard = threading.Lock()
        self._calls: dict[int, _Call] = {}
        self._abandoned: set[int] = set()
        self._next = 0
        self._ending = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        answer = self._wait(*self._begin("initialize", _INITIALIZE))
        if answer is None or "result" not in answer:
            violations.append(f"initialize was answered with {answer}")
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Call a tool and wait; returns "" or the code of the error."""
        answer = self._wait(*self._begin("tools/call", {"name": tool, "arguments": arguments}))
        if answer is None:
            return ENDED
        if "error" in answer:
            self._violations.append(f"{tool} {arguments}: {answer['error']}")
            return "protocol"
        result = answer["result"]
        if not result.get("isError"):
            return ""
        code = result["structuredContent"]["result"]["code"]
        return str(code)

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of a call; empty if it failed."""
        answer = self._wait(*self._begin("tools/call", {"name": tool, "arguments": arguments}))
        found = (answer or {}).get("result", {}).get("structuredContent", {}).get("result", {})
        return found if isinstance(found, dict) else {}

    def call_and_cancel(self, tool: str, arguments: dict[str, Any]) -> str:
        """Begin a call and cancel it; an answer that was under way is dropped."""
        number, _ = self._begin("tools/call", {"name": tool, "arguments": arguments})
        with self._guard:
            self._calls.pop(number, None)
            self._abandoned.add(number)
        self._send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": number},
            }
        )
        return CANCELLED

    def kill(self) -> None:
        """End it as the system does when memory runs out; nothing it started may stay."""
        started = children_of(self.pid)
        self._ending = True
        self._process.kill()
        self._leave(started)

    def vanish(self) -> None:
        """Let the client go without a word while calls are under way."""
        for query in ("import", "class", "self"):
            self._begin("tools/call", {"name": "repo.search", "arguments": {"query": query}})
        started = children_of(self.pid)
        self._ending = True
        self._stdin.close()
        self._leave(started)

    def _leave(self, started: dict[int, str]) -> None:
        try:
            self._process.wait(HANG)
        except subprocess.TimeoutExpired:
            self._violations.append("a server did not leave when its client had gone")
            self._process.kill()
        if not until(lambda: not any(map(is_running, started))):
            self._violations.append(f"processes outlived their server: {started}")
        self._reader.join(HANG)
        with self._guard:
            left, self._calls = self._calls, {}
        for call in left.values():
            call.done.set()
        self._process.wait()
        for stream in (self._stdin, self._stdout):
            with suppress(OSError):  # what was not written yet
                stream.close()

    def _begin(self, method: str, params: dict[str, Any]) -> tuple[int, _Call]:
        call = _Call()
        with self._guard:
            self._next += 1
            number = self._next
            self._calls[number] = call
        self._write(request(number, method, **params))
        return number, call

    def _send(self, message: dict[str, Any]) -> None:
        self._write(json.dumps(message).encode())

    def _write(self, line: bytes) -> None:
        try:
            with self._guard:
                self._stdin.write(line + b"\n")
                self._stdin.flush()
        except (OSError, ValueError):
            if not self._ending:
                self._violations.append("a server has closed its input")

    def _wait(self, number: int, call: _Call) -> dict[str, Any] | None:
        while not call.done.wait(1.0 if self._ending else HANG):
            if not self._ending:
                self._violations.append(f"call {number} was not answered in {HANG} s")
            return None
        return call.answer

    def _read(self) -> None:
        for line in self._stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self._violations.append(f"not JSON: {line[:200]!r}")
                continue
            if "id" in message:
                self._settle(message)
        if not self._ending:
            self._violations.append(f"server {self.pid} ended by itself")

    def _settle(self, message: dict[str, Any]) -> None:
        with self._guard:
            call = self._calls.pop(message["id"], None)
            known = message["id"] in self._abandoned
            self._abandoned.discard(message["id"])
        if call is not None:
            call.answer = message
            call.done.set()
        elif not known:
            self._violations.append(f"an answer to no call: {str(message)[:200]}")
