"""The codeagent toolset's results as text, for clients that show their model nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from repo_mcp.tools import codeagent

Result = Mapping[str, Any]
_INDENT: Final = "  "
_CUT: Final = "… (truncated)"


def rendered(tool: str, result: Result) -> str:
    """A result as text; no fact is left out."""
    return "\n".join(_RENDERERS[tool](result))


def shown(name: str) -> str:
    """A name as it stands, or as a JSON string where its end would not be seen."""
    plain = name.isprintable() and name == name.strip() and not name.startswith('"')
    return name if plain and not name.endswith(("/", ")")) else json.dumps(name)


def _list_directory(result: Result) -> Iterator[str]:
    if not result["entries"]:
        yield "no entries"
    for entry in result["entries"]:
        name = shown(entry["name"])
        yield f"{name}\t{entry['size']}" if entry["type"] == "file" else f"{name}/"
    if result.get("truncated"):
        yield _CUT


def _read_file(result: Result) -> Iterator[str]:
    lines = "1 line" if result["total_lines"] == 1 else f"{result['total_lines']} lines"
    cut = ", truncated" if result["truncated"] else ""
    yield f"({lines} in all{cut})"
    yield result["content"]


def _tree(result: Result, indent: str = "") -> Iterator[str]:
    name = shown(result["name"])
    if result["type"] == "file":
        yield f"{indent}{name}"
        return
    empty = " (empty)" if result.get("children") == [] and "truncated" not in result else ""
    yield f"{indent}{name}/{empty}"
    for child in result.get("children", ()):
        yield from _tree(child, indent + _INDENT)
    if result.get("truncated"):
        yield f"{indent}{_INDENT}{_CUT}"


def _index_files(result: Result) -> Iterator[str]:
    yield f"indexed: {result['indexed']}"
    for item in result["errors"]:
        yield f"{shown(item['path'])}: {item['code']}: {item['message']}"


def _status(result: Result) -> Iterator[str]:
    for name, value in result.items():
        yield f"{name}: {', '.join(value) if isinstance(value, list) else json.dumps(value)}"


_RENDERERS: Final[dict[str, Callable[[Result], Iterator[str]]]] = {
    codeagent.LIST_DIRECTORY.name: _list_directory,
    codeagent.READ_FILE.name: _read_file,
    codeagent.GET_DIRECTORY_TREE.name: _tree,
    codeagent.INDEX_FILES.name: _index_files,
    codeagent.GET_STATUS.name: _status,
}
