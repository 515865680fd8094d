"""The page on the tools, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from repo_mcp.tools.interrogator import TOOLS
from repo_mcp.tools.spec import Argument, Tool

HEAD = """# Tools

Written by `make docs` from the declarations in [repo_mcp/tools/](../repo_mcp/tools/). Names may be
written with underscores (`repo_search`). Every answer is an object with `request_id`, `ok`,
`result`, `warnings` and `blocked`; where `ok` is false, `result` holds `code`, `reason` and `hint`.
"""


def page() -> str:
    """The whole page."""
    parts = (line for tool in TOOLS for line in tool_part(tool))
    return "\n".join([HEAD, *parts]).rstrip("\n").replace("*", r"\*") + "\n"


def tool_part(tool: Tool) -> Iterator[str]:
    """All there is to know of one tool."""
    yield f"## {tool.name}\n\n{tool.description}\n"
    if tool.arguments:
        yield "| argument | type | default | meaning |\n|---|---|---|---|"
        yield from map(argument_row, tool.arguments)
        yield ""
    yield "| result | type | meaning |\n|---|---|---|"
    yield from (result_row(name, schema) for name, schema in tool.result.items())
    yield ""


def argument_row(argument: Argument) -> str:
    """One argument of a tool."""
    default = "required" if argument.required else "none"
    if argument.default is not None:
        default = f"`{str(argument.default).lower()}`"
    return f"| `{argument.name}` | {argument.type} | {default} | {argument.description} |"


def result_row(name: str, schema: Mapping[str, Any]) -> str:
    """One property of a tool's result, with the names of what is in it."""
    inner = schema.get("items", schema).get("properties", {})
    said = [schema.get("description", ""), ", ".join(f"`{key}`" for key in inner)]
    return f"| `{name}` | {schema['type']} | {': '.join(filter(None, said))} |"
