"""The codes of errors in answers, and rows of answers that name files that are gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from repo_mcp.errors import TABLE
from repo_mcp.toolsets.codeagent import declarations as codeagent, errors as codeagent_errors
from repo_mcp.toolsets.retrieval import declarations as retrieval
from repo_mcp.toolsets.swiftindex import errors as swiftindex_errors

_CODEAGENT: Final = frozenset(tool.name for tool in codeagent.TOOLS)
_RETRIEVAL: Final = frozenset(tool.name for tool in retrieval.TOOLS)
# where a code stands for several problems, or there is none, the message says which one it is
_MESSAGES: Final = {
    **{entry.message: code for code, entry in TABLE.items()},
    **{entry.message: code for code, entry in codeagent_errors.TABLE.items() if entry.message},
    **{text.partition("{}")[0]: code for code, text in swiftindex_errors.TABLE.items()},
}

Absent = dict[str, int]


def error_code(tool: str, result: Mapping[str, Any]) -> str:
    """The problem in the form of the tool's toolset; empty if the call has succeeded."""
    if not result.get("isError"):
        return ""
    data = result.get("structuredContent", {})
    if tool.startswith("repo."):
        return str(data["result"]["code"])
    if tool in _RETRIEVAL:
        return str(data["error"]["code"])
    (content,) = result["content"]
    message = data["error"]["message"] if tool in _CODEAGENT else content["text"]
    known = [text for text in _MESSAGES if text in message]
    return _MESSAGES[max(known, key=len)] if known else str(message)


def absent_files(root: Path, names: list[str]) -> Absent:
    """The files that are not there, with the time of the last change of the folder they miss in."""
    return {name: _changed(root / name) for name in names if not (root / name).exists()}


def shown_though_gone(data: Mapping[str, Any], before: Absent, after: Absent) -> list[str]:
    """Files that were gone all the time, and that an answer of the graph shows as if they were not.

    A row says so by `stale`, and the whole answer where its snapshot is not complete.
    """
    if not data.get("snapshot", {}).get("complete"):
        return []
    rows = [data, *data.get("results", ())]
    named = {path for row in rows if not row.get("stale") for path in _files(row)}
    return sorted(path for path in named if path in before and before[path] == after.get(path))


def _files(row: Mapping[str, Any]) -> Iterator[str]:
    yield from filter(None, (row.get("file_path"), row.get("seen_in")))


def _changed(path: Path) -> int:
    for folder in path.parents:
        with suppress(OSError):  # is not there either
            return folder.stat().st_mtime_ns
    return 0
