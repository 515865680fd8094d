"""What clients are told of the toolset: flat, complete, and only changed on purpose."""

from __future__ import annotations

import json

import jsonschema
import pytest

from repo_mcp.toolsets.catalog import DEFAULT, select, toolset_of
from repo_mcp.toolsets.kit.spec import Tool
from repo_mcp.toolsets.retrieval.declarations import INSTRUCTIONS, NAME, TOOLS
from tests.repo_mcp.toolsets.interrogator.test_declarations import check_flat
from tests.repo_mcp.toolsets.retrieval.golden_declarations import GOLDEN, path_of, shown

SPECIFIED = {
    "search": {"repo", "query", "limit"},
    "open_file": {"repo", "path"},
    "get_snippet": {"repo", "path", "start_line", "end_line"},
    "list_dir": {"repo", "path"},
}


@pytest.mark.requirement("RET-FR-001")
def test_the_tools_are_those_of_the_specification() -> None:
    assert {tool.name for tool in TOOLS} == set(SPECIFIED)
    for tool in TOOLS:
        assert SPECIFIED[tool.name] <= {item.name for item in tool.arguments}
        assert toolset_of(tool).name == NAME
    assert select([NAME]).names() == [tool.name for tool in TOOLS]
    assert set(SPECIFIED) & set(select([DEFAULT]).names()) == set()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_declaration_is_flat_and_valid(tool: Tool) -> None:
    declared = json.loads(json.dumps(tool.declaration()))
    assert declared["annotations"]["readOnlyHint"] is True
    for schema in (declared["inputSchema"], declared["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        check_flat(schema)
    assert len(tool.description) < 600


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_declaration_is_as_it_was(tool: Tool) -> None:
    assert shown(tool) == path_of(tool).read_text("utf-8")


def test_every_golden_file_is_of_a_tool() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {path_of(tool).name for tool in TOOLS}


def test_the_first_words_say_what_the_server_is_for() -> None:
    first = INSTRUCTIONS[:250]
    assert all(word in first for word in ("docs", "code", "search"))
