"""Tools and results that a client showed its model, of four interfaces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bench.clients.models import Fields


def tools_shown(requests: Iterable[Mapping[str, Any]]) -> dict[str, Fields]:
    """The declarations that the model got, by the names that the client gave them."""
    shown: dict[str, Fields] = {}
    for body in requests:
        for tool in _dicts(body.get("tools")):
            for name, declared in _declared(tool):
                shown.setdefault(name, declared)
    return shown


def _declared(tool: Fields) -> Iterator[tuple[str, Fields]]:
    if tool.get("type") == "namespace":
        for inner in _dicts(tool.get("tools")):
            yield f"{tool['name']}__{inner['name']}", inner
    elif "functionDeclarations" in tool:
        for inner in _dicts(tool["functionDeclarations"]):
            yield inner["name"], inner
    elif isinstance(tool.get("function"), dict):
        yield tool["function"]["name"], tool["function"]
    elif "name" in tool:
        yield tool["name"], tool


def text_before_results(requests: Iterable[Mapping[str, Any]]) -> str:
    """The text that the model was sent with tools and before any result."""
    first = (body for body in requests if body.get("tools") and not any(_results(body)))
    return "\n".join(json.dumps(body, ensure_ascii=False) for body in first)


def results_shown(requests: Iterable[Mapping[str, Any]]) -> list[str]:
    """The results of the scripted calls as the model got them, in order."""
    found: list[str] = []
    for body in requests:
        results = list(_results(body))
        if len(results) > len(found):
            found = results
    return found


def _results(body: Mapping[str, Any]) -> Iterator[str]:
    for row in _dicts(body.get("input")):
        if row.get("type") == "function_call_output":
            yield _text(row["output"])
    for row in _dicts(body.get("messages")):
        if row.get("role") == "tool":
            yield _text(row["content"])
        for block in _dicts(row.get("content")):
            if str(block.get("tool_use_id")).startswith("call-"):
                yield _text(block.get("content"))
    for row in _dicts(body.get("contents")):
        for part in _dicts(row.get("parts")):
            if "functionResponse" in part:
                yield _text(part["functionResponse"].get("response"))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    blocks = _dicts(value)
    if blocks:
        return "\n".join(str(block.get("text", "")) for block in blocks)
    if isinstance(value, dict) and set(value) <= {"output", "error"}:
        return "\n".join(_text(part) for part in value.values())
    return json.dumps(value, ensure_ascii=False)


def _dicts(value: object) -> list[Fields]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
