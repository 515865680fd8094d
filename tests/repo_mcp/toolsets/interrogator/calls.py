"""Calls tools as a client does and checks invariants of every answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.toolsets.interrogator.declarations import TOOLS
from repo_mcp.toolsets.kit.spec import Tool
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.schemas import check_shape

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in TOOLS}
PAGE = 10_000
BUNDLE = 12_000
SEVERAL = 20_000
# fields that text does not repeat: indentation and signatures show them, the question is known,
# and the number of commits that were asked is told where none fits
SAID_OTHERWISE = {"parent_symbol", "decl_context", "kind", "name", "title", "indexed"}
EMPTY: dict[str, object] = {
    "string": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
    "array": [],
    "object": {},
}


class Caller:
    """The tools of one repository."""

    def __init__(self, root: Path, data: Path, **options: object) -> None:
        given: dict[str, Any] = {"watch": False, **options}
        self.options = Options(str(root), str(data), **given)
        self.clock = Clock()
        self.app = App(self.options, self.clock)
        self.data = data

    def answer(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """The whole answer, after checks that hold for any."""
        found = self.app.call(name, arguments, lambda: False)
        asked = arguments.get("max_chars") or (SEVERAL if arguments.get("queries") else None)
        check(name, found, limit(self.options.limits, asked, name))
        return found

    def __call__(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """The envelope, with the defaults of the fields that are absent."""
        envelope: dict[str, Any] = self.answer(name, **arguments)["structuredContent"]
        if envelope["ok"]:
            schema = {"type": "object", "properties": BY_NAME[name].result}
            envelope = {**envelope, "result": filled(envelope["result"], schema)}
        return envelope

    def result(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """The result of a call that must be answered."""
        envelope = self(name, **arguments)
        assert envelope["ok"], envelope
        result: dict[str, Any] = envelope["result"]
        return result

    def refusal(self, name: str, /, **arguments: object) -> dict[str, Any]:
        """The error of a call that must not be answered."""
        envelope = self(name, **arguments)
        assert not envelope["ok"], envelope
        result: dict[str, Any] = envelope["result"]
        return result

    def pages(self, name: str, /, **arguments: object) -> list[dict[str, Any]]:
        """All pages of an answer."""
        found = [self.result(name, **arguments)]
        while found[-1]["cursor"]:
            found.append(self.result(name, **arguments, cursor=found[-1]["cursor"]))
        return found


def filled(data: Any, schema: Any) -> Any:  # noqa: ANN401 any JSON value, and its schema
    """The data with the defaults of the fields that are absent."""
    if schema["type"] == "array":
        return [filled(item, schema["items"]) for item in data]
    if schema["type"] != "object":
        return data
    fields = schema.get("properties", {})
    absent = {
        name: field.get("default", EMPTY[field["type"]])
        for name, field in fields.items()
        if name not in data
    }
    known = {name: filled(item, fields[name]) for name, item in data.items() if name in fields}
    return {**data, **known, **absent}


def limit(limits: Any, asked: object, name: str) -> int:  # noqa: ANN401 any mapping
    """The limit of an answer's size."""
    most: int = limits.get("max_total_bytes_per_response", 40_000)
    # whole files and ranges that were asked for are as large as an answer may be
    large = {"repo.build_context_bundle": BUNDLE, "repo.open_file": most, "repo.ask": 2 * PAGE}
    usual = large.get(name, PAGE)
    return min(most, asked if isinstance(asked, int) else usual)


def check(name: str, answer: dict[str, Any], most: int) -> None:
    """The schema holds, both forms say the same, and neither is too long."""
    tool, envelope = BY_NAME[name], answer["structuredContent"]
    check_shape(envelope, tool.output_schema)
    if envelope["ok"]:
        assert set(envelope["result"]) <= set(tool.result)
    assert answer["isError"] is not envelope["ok"]
    text = answer["content"][0]["text"]
    assert missing(envelope, text) == []
    data = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    assert len(data.encode("utf-8", "surrogatepass")) <= most
    assert len(text) <= most


def missing(envelope: dict[str, Any], text: str) -> list[str]:
    """Leaves of the data that the text lacks, but for what is said otherwise there."""
    return [leaf for leaf in leaves(envelope) if leaf not in text]


def leaves(value: object) -> list[str]:
    if isinstance(value, dict):
        told = (item for name, item in value.items() if name not in SAID_OTHERWISE)
        return [leaf for item in told for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if isinstance(value, bool) or value in {0, ""} else [str(value)]
