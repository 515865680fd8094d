"""Calls of each tool and their answers, made by calling them in the sample repository."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, Final

from docs.sample_shop import HOME, SHOWN, run_command, sample_shop
from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.toolsets.catalog import TOOLSETS

# a declaration whose id is looked up before the call
_SYMBOL: Final = "$"
_MOST_LINES: Final = 40
# the tool whose answer is also shown as data
_AS_DATA: Final = "repo.search"
Arguments = Mapping[str, Any]

CALLS: Final[Mapping[str, Mapping[str, Arguments]]] = {
    "interrogator": {
        "repo.search": {"query": "where is the tax added", "top_k": 2},
        "repo.open_file": {"path": "shop/tax.py", "start_line": 4, "end_line": 6},
        "repo.outline": {"path": "shop/prices.py"},
        "repo.symbol": {"name": "add_tax"},
        "repo.list_files": {"glob": "shop/**"},
        "repo.history": {"text": "add_tax"},
        "repo.changes": {"rev": "HEAD"},
        "repo.build_context_bundle": {
            "prompt": "the tax is wrong in total",
            "budget": {"max_total_lines": 12},
        },
        "repo.status": {},
        "repo.refresh_index": {},
        "repo.ask": {"names": ["add_tax", "shop/tax.py:4-6"], "more": ["uses: total"]},
        "repo.audit_log": {"limit": 2},
    },
    "codeagent": {
        "list_directory": {"path": "shop"},
        "read_file": {"path": "shop/tax.py", "line_start": 4, "line_end": 6},
        "search_symbols": {"query": "tax"},
        "get_file_outline": {"path": "shop/tax.py"},
        "get_callers": {"node_id": "add_tax"},
        "get_callees": {"node_id": "shop.prices.total"},
        "get_references": {"node_id": "$shop.prices.Price"},
        "get_symbol": {"node_id": "$shop.tax.add_tax"},
        "lookup_symbol": {"qualified_name": "shop.tax.add_tax"},
        "get_implementations": {"node_id": "$shop.prices.Price"},
        "get_dependencies": {"node_id": "$shop.prices.Price.gross"},
        "get_impact": {"node_id": "add_tax"},
        "get_path": {"source": "total", "target": "add_tax"},
        "find_similar": {"node_id": "$shop.prices.total"},
        "get_dependents": {"node_id": "$shop.tax.add_tax"},
        "get_source_spans": {"node_id": "$shop.tax.add_tax"},
        "get_directory_tree": {"depth": 2},
        "index_files": {"paths": ["shop/tax.py"]},
        "get_status": {},
    },
    "retrieval": {
        "search": {"query": "add_tax", "repo": "code"},
        "open_file": {"repo": "code", "path": "tax.py"},
        "get_snippet": {"repo": "code", "path": "tax.py", "start_line": 4, "end_line": 5},
        "list_dir": {"repo": "code"},
    },
    "swiftindex": {
        "index_codebase": {"path": "."},
        "search_code": {"query": "where is the tax added", "limit": 2},
        "search_docs": {"query": "tax rate", "limit": 1},
        "code_research": {"query": "what calls add_tax", "depth": 2},
    },
}
# what differs from run to run, and what is shown instead
_MASKS: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.\d+)?"), r"2026-01-31\g<1>09:30:00"),
    # ids of calls, in answers and in rows of the audit log
    (re.compile(r'(request_id"?: "?|\) )[0-9a-f]{16}\b'), r"\g<1>6f1c2d3e00000001"),
    (re.compile(r"(in |duration_seconds: )\d+\.\d+"), r"\g<1>0.05"),
    (re.compile(r"\b\d+(?:\.\d+)? ms\b"), "1 ms"),
    (re.compile(r"cursor=\S{20,}"), "cursor=WyJ1M0sza21QYiIsMV0"),
)


def examples() -> dict[tuple[str, str], str]:
    """The example of each tool, by toolset and name."""
    # the toolset `retrieval` reports each call on standard error
    with sample_shop() as root, redirect_stderr(io.StringIO()):
        run_command(root, ["index"])
        # answers depend on what is there already: the graph, and the commits
        run_command(root, ["callers", "add_tax"])
        run_command(root, ["history", "--text", "add_tax"])
        options = Options(
            str(root),
            watch=False,
            toolsets=("all",),
            docs_root=str(root / "tests"),
            code_root=str(root / "shop"),
        )
        return {
            (toolset, name): "\n".join(_example(apps, name, arguments, root))
            for toolset, calls in CALLS.items()
            for apps in [App(options._replace(toolsets=(toolset,)), lambda: 1.0e9)]
            for name, arguments in calls.items()
        }


def tools_without_example() -> list[str]:
    """Tools without an example."""
    return [
        tool.name
        for toolset in TOOLSETS
        for tool in toolset.tools
        if tool.name not in CALLS[toolset.name]
    ]


def _example(app: App, name: str, arguments: Arguments, root: Path) -> Iterator[str]:
    real = {key: _resolved(app, value) for key, value in arguments.items()}
    found = app.call(name, real, lambda: False)
    text = "\n".join(part["text"] for part in found["content"] if part["type"] == "text")
    call = json.dumps({"name": name, "arguments": real}, ensure_ascii=False)
    lines = _masked(text, root).splitlines()
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"… {len(lines) - _MOST_LINES} more lines"]
    yield from ("Call and answer:", "", "```json", _masked(call, root), "```", "")
    # an answer may hold fences itself, so it is indented
    yield from (f"    {line}".rstrip() for line in lines)
    yield ""
    if name == _AS_DATA:
        data = json.dumps(found["structuredContent"]["result"], ensure_ascii=False, indent=1)
        yield from ("The same as data, in `result`:", "", "```json", _masked(data, root), "```", "")


def _resolved(app: App, value: Any) -> Any:  # noqa: ANN401 any argument
    """The id of a declaration that is written with its name."""
    if not (isinstance(value, str) and value.startswith(_SYMBOL)):
        return value
    name = value.removeprefix(_SYMBOL)
    found = app.call("lookup_symbol", {"qualified_name": name}, lambda: False)
    return _node_id(found["structuredContent"])


def _node_id(found: Any) -> str:  # noqa: ANN401 JSON
    """The first id in an answer."""
    if isinstance(found, Mapping):
        if "node_id" in found:
            return str(found["node_id"])
        found = list(found.values())
    for item in found if isinstance(found, list) else ():
        node = _node_id(item)
        if node:
            return node
    return ""


def _masked(text: str, root: Path) -> str:
    text = text.replace(str(root), SHOWN).replace(str(root.parent), HOME)
    for pattern, shown in _MASKS:
        text = pattern.sub(shown, text)
    return text
