"""The record of what went between a client and the server, checked with the SDK's types."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mcp_types import ErrorData, methods

from index_format.tuples import NamedTuple

Fields = dict[str, Any]
_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"


class Answered(NamedTuple):
    """A tool call and its result, or its error."""

    name: str
    arguments: Fields
    result: Fields

    @property
    def text(self) -> str:
        """All that the answer says, as text or as data."""
        said = [str(block.get("text", "")) for block in self.result.get("content", [])]
        data = self.result.get("structuredContent", self.result if not said else "")
        return "\n".join([*said, json.dumps(data, ensure_ascii=False)])


class Wire:
    """One record; a client may have started several servers, one after the other."""

    def __init__(self, path: Path) -> None:
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self.rows: list[Fields] = [json.loads(line) for line in lines]

    def of(self, *sources: str) -> list[Any]:
        """The messages from these sources."""
        return [row["message"] for row in self.rows if row["from"] in sources]

    @property
    def methods(self) -> list[str]:
        """The methods that the client asked for, in order."""
        return [
            row["method"] for row in self.of("client") if isinstance(row, dict) and "method" in row
        ]

    @property
    def opening(self) -> tuple[str, str, Fields]:
        """The method, version and capabilities that the client opens with."""
        first = next((row for row in self.of("client") if isinstance(row, dict)), {})
        params = first.get("params", {})
        meta = params.get("_meta", {})
        if _VERSION in meta:
            return first["method"], meta[_VERSION], meta.get(_CAPABILITIES, {})
        return (
            first.get("method", ""),
            params.get("protocolVersion", ""),
            params.get("capabilities", {}),
        )

    @property
    def endings(self) -> list[str]:
        """The ways in which the client ended the server, in order."""
        rows = [row for row in self.rows if row["from"] in {"signal", "end of input"}]
        return [row["message"] or row["from"] for row in rows]

    def answered(self) -> Iterator[Answered]:
        """The tool calls with their results."""
        for asked, answer in self._pairs():
            if asked["method"] == "tools/call":
                params = asked["params"]
                result: Fields = answer["result"] if "result" in answer else answer["error"]
                yield Answered(params["name"], params.get("arguments") or {}, result)

    def told_roots(self) -> list[Any]:
        """The lists of folders that the client told, in either era."""
        asked = {
            row["id"]
            for row in self.of("server")
            if isinstance(row, dict) and row.get("method") == "roots/list"
        }
        told = []
        for row in self.of("client"):
            if row.get("id") in asked and "method" not in row:
                told.append(row.get("result", row.get("error")))
            responses = row.get("params", {}).get("inputResponses", {})
            told += [item for item in responses.values() if "roots" in item]
        return told

    def _pairs(self) -> Iterator[tuple[Fields, Fields]]:
        asked: dict[object, Fields] = {}
        for row in self.rows:
            message = row["message"]
            if row["from"] == "start":
                asked.clear()
            elif not isinstance(message, dict) or "id" not in message:
                continue
            elif row["from"] == "client" and "method" in message:
                asked[message["id"]] = message
            elif row["from"] == "server" and "method" not in message and message["id"] in asked:
                yield asked.pop(message["id"]), message

    def faults(self) -> list[str]:
        """Everything that the server sent and should not have, or should have and did not."""
        return list(_faults(self.rows))


def _faults(rows: Iterable[Fields]) -> Iterator[str]:
    version, asked, cancelled = "2025-11-25", dict[object, Fields](), set[object]()
    for row in rows:
        message = row["message"]
        if row["from"] == "start":
            asked, cancelled = {}, set()
        elif row["from"] == "stderr":
            if "Traceback" in str(message):
                yield f"standard error: {message}"
        elif row["from"] == "client" and isinstance(message, dict):
            if message.get("method") == "notifications/cancelled":
                cancelled.add(message["params"].get("requestId"))
            elif "method" in message and "id" in message:
                asked[message["id"]] = message
        elif row["from"] == "server":
            if not isinstance(message, dict):
                yield f"not a message: {str(message)[:100]}"
                continue
            request = None if "method" in message else asked.pop(message.get("id"), None)
            yield from _checked(message, request, version)
            if request is not None and request["method"] == "initialize":
                version = message.get("result", {}).get("protocolVersion", version)
        elif row["from"] == "end" and (left := set(asked) - cancelled):
            yield f"never answered: {[asked[id_]['method'] for id_ in left]}"


def _checked(message: Fields, request: Fields | None, version: str) -> Iterator[str]:
    if "method" in message:
        is_request = "id" in message
        parse = methods.parse_server_request if is_request else methods.parse_server_notification
        what = f"{message['method']} of {version}"
        yield from _fault(what, lambda: parse(message["method"], version, message.get("params")))
    elif request is None:
        yield f"answers nothing: {str(message)[:100]}"
    elif "error" in message:
        yield from _fault("error", lambda: ErrorData.model_validate(message["error"]))
    else:
        meta: Mapping[str, Any] = request.get("params", {}).get("_meta") or {}
        result, method = message["result"], request["method"]
        of = result["protocolVersion"] if method == "initialize" else meta.get(_VERSION, version)
        what = f"result of {method} of {of}"
        yield from _fault(what, lambda: methods.parse_server_result(method, of, result))


def _fault(what: str, parse: Callable[[], object]) -> Iterator[str]:
    try:
        parse()
    except Exception as error:  # noqa: BLE001 any refusal of the types is a finding
        yield f"{what}: {error}"[:300]
