"""An MCP server as a process: its tools, and the sizes of its answers."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

_SECONDS = 120.0


class Sizes(NamedTuple):
    """Bytes of an answer: its text, its structured form, and the whole line on the wire."""

    text: int
    structured: int
    wire: int


class Answer(NamedTuple):
    """An answer and its sizes."""

    result: dict[str, Any]
    sizes: Sizes

    @property
    def text(self) -> str:
        """All text blocks."""
        blocks = self.result.get("content", ())
        return "\n".join(item["text"] for item in blocks if item["type"] == "text")

    @property
    def data(self) -> dict[str, Any]:
        """The structured form."""
        found: dict[str, Any] = self.result.get("structuredContent") or {}
        return found


class Server:
    """A server on standard input and output."""

    def __init__(self, command: Sequence[str], folder: Path, around: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(around),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        client = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.request("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        """The server itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End its input, and the process if that does not."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    @property
    def process_id(self) -> int:
        """The number of its process."""
        return self._process.pid

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """The result and the bytes of its line; raises `OSError` if there is none."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        ends = time.monotonic() + _SECONDS
        while time.monotonic() < ends:
            line = self._process.stdout.readline()
            if not line:
                raise OSError("the server has ended")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise OSError(str(message["error"])[:200])
                return message["result"], len(line)
        raise OSError("no answer in time")

    def tools(self) -> tuple[int, int]:
        """The number of tools, and the bytes of their list."""
        found, _ = self.request("tools/list", {})
        return len(found["tools"]), size(found)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer of a tool."""
        found, wire = self.request("tools/call", {"name": tool, "arguments": arguments})
        blocks = [item["text"] for item in found.get("content", ()) if item["type"] == "text"]
        data = found.get("structuredContent")
        text = len("\n".join(blocks).encode())
        return Answer(found, Sizes(text, 0 if data is None else size(data), wire))

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def size(value: object) -> int:
    """Bytes of a value as compact JSON in UTF-8."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
