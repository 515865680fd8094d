"""The page on the tools, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from repo_mcp.tools.interrogator import TOOLS
from repo_mcp.tools.spec import Argument, Tool

HEAD = """# Tools

Written by `make docs` from the declarations in [repo_mcp/tools/](../repo_mcp/tools/). Names may be
written with underscores (`repo_search`).

Every answer is an object with `request_id`, `ok`, `result`, `warnings` and `blocked`; where `ok` is
false, `result` holds `code`, `reason` and `hint` instead. The same facts come as text. An answer
stays below 10,000 characters unless `max_chars` says otherwise; what does not fit is reached by
giving the `cursor` of an answer, or its `next_start_line`, to the next call. Values may be written
as strings, null counts as left out, and names that a tool does not know are ignored and named in a
warning. Each call is one line of the [audit log](#repoaudit_log).
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
        for argument in tool.arguments:
            yield argument_row(argument)
            yield from (argument_row(item, f"{argument.name}.") for item in argument.properties)
        yield ""
    yield "| result | type | meaning |\n|---|---|---|"
    for name, schema in tool.result.items():
        yield result_row(name, schema)
        yield from inner_rows(name, schema)
    yield ""


def argument_row(argument: Argument, within: str = "") -> str:
    """One argument of a tool, or of an object that is one."""
    default = "required" if argument.required else "none"
    if argument.default is not None:
        default = f"`{str(argument.default).lower()}`"
    meaning = argument.description
    if argument.choices:
        meaning += f": {', '.join(f'`{choice}`' for choice in argument.choices)}"
    return f"| `{within}{argument.name}` | {argument.type} | {default} | {meaning} |"


def result_row(name: str, schema: Mapping[str, Any]) -> str:
    """One property of a tool's result."""
    kind = schema["type"]
    if kind == "array":
        kind = f"{schema['items']['type']}s"
    return f"| `{name}` | {kind} | {schema.get('description', '')} |"


def inner_rows(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """What is inside of an object, or of each object of a list."""
    holder = f"{name}[]" if schema["type"] == "array" else name
    for key, inner in schema.get("items", schema).get("properties", {}).items():
        yield result_row(f"{holder}.{key}", inner)
        yield from inner_rows(f"{holder}.{key}", inner)
