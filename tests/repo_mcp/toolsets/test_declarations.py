"""Declarations of tools, in all toolsets: valid, flat, short, and only changed on purpose."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from repo_mcp.toolsets.kit.arguments import check_arguments, unknown_names
from repo_mcp.toolsets.kit.spec import Tool
from tests.repo_mcp.toolsets.golden_declarations import ALL_TOOLS, HERE, is_golden, path_of

KEYWORDS = {"type", "description", "enum", "items", "properties", "required", "default"}

each_tool = pytest.mark.parametrize(
    "tool", ALL_TOOLS, ids=lambda tool: f"{path_of(tool).parent.parent.name}-{tool.name}"
)


def check_flat(schema: dict[str, Any]) -> None:
    assert set(schema) <= KEYWORDS
    assert isinstance(schema["type"], str)
    for inner in schema.get("properties", {}).values():
        check_flat(inner)
    if schema["type"] == "array":
        check_flat(schema["items"])


@each_tool
def test_a_declaration_is_flat_and_valid(tool: Tool) -> None:
    declared = json.loads(json.dumps(tool.declaration()))
    assert declared["annotations"]["readOnlyHint"] is True
    listed = [declared["outputSchema"]] if tool.lists_output else []
    for schema in (declared["inputSchema"], dict(tool.output_schema), *listed):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        check_flat(schema)


@each_tool
def test_every_argument_that_is_read_is_in_the_schema(tool: Tool) -> None:
    schema = tool.declaration()["inputSchema"]
    of_type: dict[str, Any] = {"string": "1", "array": ["1"], "integer": 1}
    needed = [item for item in tool.arguments if item.required]
    sample = {item.name: item.choices[0] if item.choices else of_type[item.type] for item in needed}
    assert set(check_arguments(tool, sample)) == set(schema["properties"])
    for item in tool.arguments:
        inner = schema["properties"][item.name].get("properties", {})
        assert {part.name for part in item.properties} == set(inner)
    (ignored,) = unknown_names(tool, dict.fromkeys([*tool.inner, "another"], 1))
    assert [name for name in tool.inner if repr(name) not in ignored] == []


@each_tool
def test_a_declaration_equals_its_golden_file(tool: Tool) -> None:
    assert is_golden(tool)


def test_every_golden_file_is_of_a_tool() -> None:
    assert set(HERE.glob("*/golden/*")) == {path_of(tool) for tool in ALL_TOOLS}


@each_tool
def test_a_description_fits_into_what_clients_show(tool: Tool) -> None:
    assert len(tool.description) < 600
    assert len(json.dumps(tool.declaration()["inputSchema"])) < 2_000
