"""Generates the page on the tools from their declarations, and from calls of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docs.tool_examples import examples
from repo_mcp.toolsets.catalog import TOOLSETS, Toolset
from repo_mcp.toolsets.kit.spec import Tool, ToolArgument

HEAD = """# Tools

Written by `make docs` from the declarations in [repo_mcp/toolsets/](../repo_mcp/toolsets/). Tools
come in toolsets; `--toolsets` chooses among them. Names may be written with underscores
(`repo_search`).
Values may be written as strings, null counts as left out, and unknown argument names are
ignored with a warning. A field of a result that has its default is absent: false, 0, nothing, or
what the table says. `--content` chooses between text and structured data; the default is both, and
[clients.md](clients.md#forms-of-answers) says what each client shows its model. Each call is one
line of the [audit log](#repoaudit_log).

Below each tool is a call and its answer as text, from a small repository: `make docs` makes the
calls, a test makes them again. Times, cursors and ids that differ from run to run are replaced.
"""
INTRODUCTIONS = {
    "interrogator": """Served unless other toolsets are named.

Every answer is an object with `request_id`, `ok`, `result`, `warnings` and `blocked`; if `ok` is
false, `result` holds `code`, `reason` and `hint` instead. The same facts are also in the text,
the id of the call last; it is in `_meta` (`repo-mcp/request_id`), too, beside the index
that was used (`repo-mcp/generation`) and the segments that no worker of a cluster has searched
(`repo-mcp/missing_segments`). [costs.md](costs.md) says what answers cost.
An answer has fewer than 10,000 characters (a bundle 12,000, more for more lines) unless `max_chars`
is given; for the rest, pass the `cursor` of an answer, or its `next_start_line`, to the next call.

If the repository's folder is removed or replaced while the server runs, the next answer is from the
folder that is there then, and its `warnings` say so. While there is none, calls fail with the code
`root_missing`.
""",
    "codeagent": """Served by `--toolsets codeagent`, alone or with others.

An answer is the result itself. A failed call returns `{"error": {"code", "message"}}` instead,
as data and as text, with one of these codes:

| code | when |
|---|---|
| `not_found` | The file or folder does not exist, can't be read, or may hold secrets |
| `invalid_parameter` | An argument is not valid, out of range, or names a folder for a file |
| `path_escape` | The path leads out of the repository, or may: a file with several hard links |
| `binary_file` | The file is not text; the message has its media type |
| `too_large` | More paths than allowed in one call, or a file over `--max-file-bytes` |
| `engine_unavailable` | No repository folder, index locked or not built yet, or call cancelled |
| `index_error` | The index could not be read or written, or a file could not be indexed |

An answer that is limited in some way has `warnings`, as has the first one after the repository's
folder was replaced. Listings leave out files ignored by
`.gitignore` and files that may hold secrets; folders behind symlinks are not listed.
""",
    "retrieval": """Served when `DOCS_ROOT` and `CODE_ROOT` name two folders that can be read, or by
`--toolsets retrieval`; with that, the server does not start without them. They can also be set with
`--docs-root` and `--code-root`, or in your own configuration file, which `--config` names:

```toml
[retrieval]
docs_root = "docs"      # relative to this file
code_root = "/srv/code"
```

Both folders are only read. Their indexes and the audit log are in the user's cache folder
(`~/.cache/repo-mcp`, or the system's equivalent), or below `--data-dir` if that is set.

An answer has `result` and `meta` with `repo`, `duration_ms` and `truncated`; a call that failed has
`error` with `code`, `message` and `details` in place of `result` ([errors.md](errors.md)). Equal
calls on equal files give equal answers, except for `duration_ms`. Unknown argument names are an
error.

How `search` matches:

- A query is words separated by blanks. Everything but blanks is part of a word and literal: there
  are no operators and no wildcards.
- A word matches anywhere in a line, also inside other words, in any letter case unless
  `case_sensitive` is set.
- With several words, a line must contain all, in any order: `scope` is `line`. Only if no line in
  any of the selected repos does, files that contain all words are returned, with the first line of
  each word: `scope` is `file`.
- A quotation mark at the beginning of a word begins a phrase, if another one ends it before a blank
  or the end. It is matched as written, blanks included; in it, `\\"` is a quotation mark
  and `\\\\` a backslash.
- Binary files, files over `--max-file-bytes`, names that begin with a dot, files ignored by
  `.gitignore`, folders of tools and third-party packages, symlinks, and files that may hold secrets
  are skipped.
- Matches are ordered by repo (docs, code), then by path (bytewise), then by line.
""",
}


def page() -> str:
    """The whole page."""
    parts = (line for toolset in TOOLSETS for line in toolset_part(toolset))
    text = "\n".join([HEAD, *parts]).rstrip("\n").replace("*", r"\*") + "\n"
    for (toolset, tool), shown in examples().items():
        text = text.replace(example_mark(toolset, tool), shown)
    return text


def example_mark(toolset: str, tool: str) -> str:
    """Where the example of a tool goes, once the text around it is escaped."""
    return f"<!--example {toolset} {tool}-->\n"


def toolset_part(toolset: Toolset) -> Iterator[str]:
    """The section of a toolset."""
    yield f"## Toolset `{toolset.name}`\n\n{INTRODUCTIONS.get(toolset.name, '')}"
    for tool in toolset.tools:
        yield from tool_part(tool)
        yield example_mark(toolset.name, tool.name)


def tool_part(tool: Tool) -> Iterator[str]:
    """The section of a tool."""
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


def argument_row(argument: ToolArgument, within: str = "") -> str:
    """One argument of a tool, or of an object that is one."""
    default = "required" if argument.required else "none"
    if argument.left_out is not None:
        default = f"`{str(argument.left_out).lower()}`" if argument.left_out != "" else '`""`'
    meaning = argument.description
    if argument.choices:
        meaning += f": {', '.join(f'`{choice}`' for choice in argument.choices)}"
    return f"| `{within}{argument.name}` | {argument.type} | {default} | {meaning} |"


def result_row(name: str, schema: Mapping[str, Any]) -> str:
    """One property of a tool's result."""
    kind = schema["type"]
    if kind == "array":
        kind = f"{schema['items']['type']}s"
    default = f" (default `{str(schema['default']).lower()}`)" if "default" in schema else ""
    return f"| `{name}` | {kind} | {schema.get('description', '')}{default} |"


def inner_rows(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """Rows of the fields inside of an object, or of each object of a list."""
    holder = f"{name}[]" if schema["type"] == "array" else name
    for key, inner in schema.get("items", schema).get("properties", {}).items():
        yield result_row(f"{holder}.{key}", inner)
        yield from inner_rows(f"{holder}.{key}", inner)
