"""The page on the tools, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from repo_mcp.toolsets.catalog import TOOLSETS, Toolset
from repo_mcp.toolsets.kit.spec import Argument, Tool

HEAD = """# Tools

Written by `make docs` from the declarations in [repo_mcp/toolsets/](../repo_mcp/toolsets/). Tools
come in toolsets; `--toolsets` chooses among them. Names may be written with underscores
(`repo_search`).
Values may be written as strings, null counts as left out, and names that a tool does not know are
ignored and named in a warning. Each call is one line of the [audit log](#repoaudit_log).
"""
INTRODUCTIONS = {
    "interrogator": """Served unless other toolsets are named.

Every answer is an object with `request_id`, `ok`, `result`, `warnings` and `blocked`; where `ok` is
false, `result` holds `code`, `reason` and `hint` instead. The same facts come as text. An answer
stays below 10,000 characters (a bundle below 12,000) unless `max_chars` says otherwise; what does
not fit is reached by giving the `cursor` of an answer, or its `next_start_line`, to the next call.
""",
    "codeagent": """Served by `--toolsets codeagent`, alone or beside others.

An answer is the result itself. A call that failed gives `{"error": {"code", "message"}}` instead,
as data and as text, with one of these codes:

| code | when |
|---|---|
| `not_found` | There is no such file or folder, or it can't be read, or it may hold secrets |
| `invalid_parameter` | An argument is not valid, out of range, or names a folder for a file |
| `path_escape` | The path leads out of the repository, or may: a file with several names |
| `binary_file` | The file is not text; the message has its media type |
| `too_large` | More paths than one call takes, or a file over `--max-file-bytes` |
| `engine_unavailable` | The index is in use or out of reach, or the call was cancelled |
| `index_error` | The index could not be read or written, or a file did not get into it |

An answer that is limited in some way has `warnings`. Listings leave out what `.gitignore` names and
what may hold secrets; folders reached through links are not listed.
""",
    "retrieval": """Served when `DOCS_ROOT` and `CODE_ROOT` name two folders that can be read, or by
`--toolsets retrieval`; then the server does not start without them. They may also be said by
`--docs-root` and `--code-root`, or in a file of your own that `--config` names:

```toml
[retrieval]
docs_root = "docs"      # relative to this file
code_root = "/srv/code"
```

Both folders are only read. Their indexes, and a log of calls, lie in the user's folder for caches
(`~/.cache/repo-mcp`, or what the system has for it), or below `--data-dir` where that is said.

An answer has `result` and `meta` with `repo`, `duration_ms` and `truncated`; a call that failed has
`error` with `code`, `message` and `details` in place of `result` ([errors.md](errors.md)). Equal
calls on equal files give equal answers, but for `duration_ms`. Names of arguments that a tool does
not know are an error.

What `search` looks for:

- A query is words with blanks between them. Everything but blanks is part of a word and stands for
  itself: there are no operators and no wildcards.
- A word is found anywhere in a line, inside other words too, in any letter case unless
  `case_sensitive` is set.
- Of several words a line must hold all, in any order: `scope` is `line`. Only if no line in any of
  the chosen repos does, files that hold all words are answered, with the first line of each word:
  `scope` is `file`.
- A quotation mark at the beginning of a word begins a phrase, if another one ends it before a blank
  or the end. It is looked for as it is written, blanks included; in it, `\\"` is a quotation mark
  and `\\\\` a backslash.
- Skipped are binary files, files over `--max-file-bytes`, what begins with a dot, what `.gitignore`
  names, folders of tools and other people's packages, links, and what may hold secrets.
- The order is that of repos (docs, code), then of paths by their bytes, then of lines.
""",
}


def page() -> str:
    """The whole page."""
    parts = (line for toolset in TOOLSETS for line in toolset_part(toolset))
    return "\n".join([HEAD, *parts]).rstrip("\n").replace("*", r"\*") + "\n"


def toolset_part(toolset: Toolset) -> Iterator[str]:
    """All there is to know of a toolset."""
    yield f"## Toolset `{toolset.name}`\n\n{INTRODUCTIONS.get(toolset.name, '')}"
    for tool in toolset.tools:
        yield from tool_part(tool)


def tool_part(tool: Tool) -> Iterator[str]:
    """All there is to know of one tool."""
    yield f"### {tool.name}\n\n{tool.description}\n"
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
        default = f"`{str(argument.default).lower()}`" if argument.default != "" else '`""`'
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
