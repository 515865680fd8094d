"""Calls the codeagent's tools and checks invariants of every answer."""

from __future__ import annotations

import copy
import json
from itertools import compress
from pathlib import Path
from typing import Any

from repo_mcp.answers.symbols import short_name
from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.toolsets.codeagent.declarations import TOOLS
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.schemas import check_shape
from tests.repo_mcp.toolsets.codeagent.texts import listed, missing, tree

# fields of edges that their text leaves to its order, or to the head of the answer
_FOR_PROGRAMS = {
    *(
        "node_id",
        "name",
        "qualified_name",
        "node_type",
        "strategy",
        "direction",
        "file_path",
        "line_start",
    ),
}
BY_NAME = {tool.name: tool for tool in TOOLS}
CODES = {
    "not_found",
    "invalid_parameter",
    "path_escape",
    "binary_file",
    "too_large",
    "engine_unavailable",
    "index_error",
}


class Caller:
    """The tools of one repository."""

    def __init__(self, root: Path, data: Path, **options: object) -> None:
        given: dict[str, Any] = {"watch": False, "toolsets": ("codeagent",), **options}
        self.app = App(Options(str(root), str(data), **given), Clock())
        self.data = data

    def answer(self, name: str, **arguments: object) -> dict[str, Any]:
        """The whole answer, after checks that hold for any."""
        found = self.app.call(name, arguments, lambda: False)
        check(name, found)
        return found

    def __call__(self, name: str, **arguments: object) -> dict[str, Any]:
        """The result of a call that must be answered."""
        found = self.answer(name, **arguments)
        assert not found["isError"], found
        result: dict[str, Any] = found["structuredContent"]
        return result

    def error(self, name: str, **arguments: object) -> dict[str, str]:
        """The error of a call that must not be answered."""
        found = self.answer(name, **arguments)
        assert found["isError"], found
        error: dict[str, str] = found["structuredContent"]["error"]
        return error

    def code(self, name: str, **arguments: object) -> str:
        """The code with which a call is refused."""
        return self.error(name, **arguments)["code"]

    def names(self, path: str = "") -> list[str]:
        """Names in a folder."""
        return [entry["name"] for entry in self("list_directory", path=path)["entries"]]


def check(name: str, answer: dict[str, Any]) -> None:
    """The schema holds, and both forms say the same."""
    tool, data = BY_NAME[name], answer["structuredContent"]
    check_shape(data, tool.declaration()["outputSchema"])
    assert set(data) <= {*tool.result, "warnings", "error"}
    (block,) = answer["content"]
    if answer["isError"]:
        assert json.loads(block["text"]) == data
        assert data["error"].keys() == {"code", "message"}
        assert data["error"]["code"] in CODES
    else:
        assert "error" not in data
        _check_text(name, data, block["text"])


def _check_text(name: str, data: dict[str, Any], text: str) -> None:
    said = "".join(f"\nwarning: {warning}" for warning in data.get("warnings", ()))
    assert text.endswith(said)
    body = text.removesuffix(said)
    facts = copy.deepcopy({key: value for key, value in data.items() if key != "warnings"})
    if name == "list_directory":
        assert listed(body) == facts
    elif name == "get_directory_tree":
        assert tree(body) == facts
    elif name == "read_file":
        head, _, content = body.partition("\n")
        assert content == data["content"]
        assert head.startswith(f"({data['total_lines']} line")
        assert ("truncated" in head) is data["truncated"]
    else:
        is_whole = facts.pop("complete_list", None)
        claims = [line for line in body.splitlines() if line.startswith("complete: ")]
        assert is_whole is None or is_whole is bool(claims)
        for row in (*facts.get("results", ()), *facts.get("tests", ())):
            if "source" in row and row["confidence"] == "exact":  # as of the steps of a path
                del row["confidence"]
            if "seen_in" in row:  # ids, and how targets were found, are for programs
                own = row["seen_in"] if row["direction"] == "incoming" else row["file_path"]
                shown = short_name(row["qualified_name"] or row["name"], own)
                assert (shown or row["node_type"]) in body
                for key in _FOR_PROGRAMS & row.keys():
                    del row[key]
                exact = row["confidence"] == "exact", row["edge_type"] == "calls"
                for key in compress(("confidence", "edge_type"), exact):
                    del row[key]
        assert missing(facts, body) == []
