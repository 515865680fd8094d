"""Declarations of the codeagent's tools: as specified, flat, and stable."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from repo_mcp.toolsets.catalog import TOOLSETS, select
from repo_mcp.toolsets.codeagent import declarations as codeagent
from repo_mcp.toolsets.codeagent.declarations import INSTRUCTIONS, TOOLS

_LISTED = {"results", "truncated", "snapshot"}
_RELATED = {
    *("results", "resolved", "unresolved_same_name", "external", "truncated", "cursor"),
    "relation",
    "snapshot",
    # beyond the document
    *("complete_list", "could_add", "could_add_count", "doubts"),
    *("overloads", "lines_of_name", "of_namesakes", "not_compiled"),
}
_PAGE = [("limit", "integer", False), ("cursor", "string", False)]
# names, arguments, and which of these are required; then what an answer holds
SPECIFIED: dict[str, tuple[list[tuple[str, str, bool]], set[str]]] = {
    "list_directory": ([("path", "string", False)], {"entries"}),
    "read_file": (
        [
            ("path", "string", True),
            ("line_start", "integer", False),
            ("line_end", "integer", False),
        ],
        {"content", "total_lines", "truncated"},
    ),
    "get_directory_tree": (
        [("path", "string", False), ("depth", "integer", False)],
        {"name", "type", "children", "truncated"},
    ),
    "index_files": ([("paths", "array", True)], {"indexed", "errors"}),
    "search_symbols": (
        [
            ("query", "string", True),
            ("project_id", "string", False),
            ("node_type", "string", False),
            ("language", "string", False),
            ("limit", "integer", False),
        ],
        _LISTED,
    ),
    "lookup_symbol": (
        [
            ("qualified_name", "string", True),
            ("language", "string", False),
            ("project_id", "string", False),
        ],
        _LISTED,
    ),
    "get_symbol": (
        [("node_id", "string", True)],
        {
            *("node_id", "name", "qualified_name", "node_type", "language", "project_id"),
            *("file_path", "line_start", "line_end", "access_modifier", "is_public_api"),
            *("is_static", "is_abstract", "is_async", "is_override", "is_deprecated"),
            *("has_doc_comment", "parse_status", "parameter_signature", "parameter_count"),
            *("return_type", "reference_count", "documentation", "snapshot"),
        },
    ),
    "get_source_spans": ([("node_id", "string", True)], {"results", "snapshot"}),
    "get_file_outline": ([("path", "string", True)], _LISTED),
    "get_callers": (
        [
            ("node_id", "string", True),
            ("include_dispatch", "boolean", False),
            ("include_possible", "boolean", False),
            *_PAGE,
        ],
        _RELATED,
    ),
    "get_callees": (
        [
            ("node_id", "string", True),
            ("include_dispatch", "boolean", False),
            ("include_external", "boolean", False),
            *_PAGE,
        ],
        _RELATED,
    ),
    "get_implementations": ([("node_id", "string", True), *_PAGE], _RELATED),
    "get_references": ([("node_id", "string", True), *_PAGE], _RELATED),
    "get_dependencies": (
        [
            ("node_id", "string", True),
            ("edge_type", "string", False),
            ("include_external", "boolean", False),
            *_PAGE,
        ],
        _RELATED,
    ),
    "get_dependents": (
        [("node_id", "string", True), ("edge_type", "string", False), *_PAGE],
        _RELATED,
    ),
    "get_status": (
        [],
        {
            *("healthy", "schema_version", "indexed_files", "indexed_symbols", "languages"),
            *("watcher_active", "last_batch_at", "embedding_model", "embeddings_count"),
        },
    ),
}


@pytest.mark.requirement(
    "CAE-list_directory",
    "CAE-read_file",
    "CAE-get_directory_tree",
    "CAE-index_files",
    "CAE-get_status",
    "CAE-search_symbols",
    "CAE-lookup_symbol",
    "CAE-get_symbol",
    "CAE-get_source_spans",
    "CAE-get_file_outline",
    "CAE-get_callers",
    "CAE-get_callees",
    "CAE-get_implementations",
    "CAE-get_references",
    "CAE-get_dependencies",
    "CAE-get_dependents",
)
@pytest.mark.parametrize("name", SPECIFIED)
def test_a_tool_takes_and_gives_what_its_document_names(name: str) -> None:
    arguments, result = SPECIFIED[name]
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    assert [(item.name, item.type, item.required) for item in tool.arguments] == arguments
    # a folder may hold more than an answer does
    assert set(tool.result) == result | ({"truncated"} if name == "list_directory" else set())
    declared = tool.declaration()["outputSchema"]
    assert set(declared["properties"]) == {*tool.result, "warnings", "error"}
    assert "required" not in declared


def test_a_tools_words_fit_into_what_clients_show() -> None:
    for tool in TOOLS:
        assert len(json.dumps(tool.declaration()["inputSchema"])) < 1_000
    assert len(INSTRUCTIONS) < 2_000
    assert "read_file" in INSTRUCTIONS[:250]


def test_words_name_no_tool_of_another_toolset() -> None:
    others = [item.name for toolset in TOOLSETS if toolset.tools != TOOLS for item in toolset.tools]
    said = json.dumps([tool.declaration() for tool in TOOLS]) + INSTRUCTIONS
    assert [name for name in others if "." in name and name in said] == []


def test_the_toolset_is_served_when_it_is_asked_for() -> None:
    names = [tool.name for tool in TOOLS]
    assert select(["codeagent"]).names() == names
    assert not set(names) & set(select().names())
    assert set(names) <= set(select(["all"]).names())
    assert select([], ["read_file"]).names() == ["read_file"]


def test_the_toolset_knows_no_other() -> None:
    """Toolsets share what a call is made of, and leave each other alone."""
    files = sorted(Path(codeagent.__file__).parent.glob("*.py"))
    assert len(files) > 1
    for file in files:
        found = re.findall(r"\brepo_mcp\.toolsets\.(\w+)", file.read_text("utf-8"))
        assert set(found) <= {"kit", "codeagent"}, file.name
