"""A client's session over one connection, with little cost of its own: many share a processor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Self

from repo_mcp.protocol.http.listener import Address


class HttpSession:
    """Calls tools of a server, one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._head = ""
        self._number = 0

    @classmethod
    async def opened(cls, address: Address, token: str) -> Self:
        """A session that has said who it is."""
        session = cls(*await asyncio.open_connection(address.host, address.port))
        session._head = (
            f"POST /mcp HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n"
        )
        client = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        _, session_id = await session._ask("initialize", hello)
        session._head += f"Mcp-Session-Id: {session_id}\r\nMCP-Protocol-Version: 2025-06-18\r\n"
        await session._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return session

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text of an answer, which may say why there is no other."""
        result, _ = await self._ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        return str(result["content"][0]["text"])

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()

    async def _ask(self, method: str, params: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        body, session_id = await self._send(request)
        for line in body.splitlines():
            text = line.removeprefix(b"data:").strip()
            if text.startswith(b"{"):
                message = json.loads(text)
                if message.get("id") == self._number:
                    if "result" not in message:
                        raise RuntimeError(message["error"]["message"])
                    return message["result"], session_id
        raise RuntimeError(body.decode(errors="replace"))

    async def _send(self, message: Mapping[str, Any]) -> tuple[bytes, str]:
        """The body of an answer, and the session that it names."""
        body = json.dumps(message).encode()
        self._writer.write(f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        status = await self._reader.readline()
        headers: dict[str, str] = {}
        while (line := await self._reader.readline()).strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        answer = await self._read_body(headers)
        if status.split()[1][:1] != b"2":
            raise RuntimeError(f"{status.decode().strip()}: {answer.decode(errors='replace')}")
        return answer, headers.get("mcp-session-id", "")

    async def _read_body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await self._reader.readexactly(int(headers.get("content-length", 0)))
        chunks = []
        while size := int((await self._reader.readline()).partition(b";")[0], 16):
            chunks.append(await self._reader.readexactly(size))
            await self._reader.readline()
        await self._reader.readline()
        return b"".join(chunks)
