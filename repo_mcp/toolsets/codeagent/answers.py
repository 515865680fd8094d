"""The shape of the codeagent toolset's answers: bare results, or one error, as data and as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.codeagent import declarations as codeagent
from repo_mcp.toolsets.codeagent.errors import fault_of
from repo_mcp.toolsets.kit.answers import (
    Call,
    Fields,
    Outcome,
    Shape,
    tool_result,
    warning_texts,
)
from repo_mcp.toolsets.kit.records import plain


class BareShape(Shape):
    """Answers of the codeagent toolset; equal calls give equal answers."""

    def answered(self, call: Call, outcome: Outcome) -> Fields:
        """A call that was answered."""
        listed = warning_texts(outcome.warnings)
        result = plain(outcome.result)
        lines = [rendered(call.tool.name, result), *(f"warning: {item}" for item in listed)]
        return tool_result("\n".join(lines), _with(result, listed), failed=False)

    def refused(self, call: Call, problem: Problem, warnings: Sequence[AnswerWarning]) -> Fields:  # noqa: ARG002 all errors have one shape
        """A call that was not; the text is the error as the document writes it."""
        data = _with({"error": fault_of(problem)._asdict()}, warning_texts(warnings))
        return tool_result(json.dumps(data, ensure_ascii=False), data, failed=True)


SHAPE = BareShape()


def _with(result: Mapping[str, Any], warnings: list[str]) -> Fields:
    return {**result, **({"warnings": warnings} if warnings else {})}


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
