"""Generates the page on errors of the toolset `retrieval` from its table."""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.settings.retrieval_roots import CODE, DOCS, REASONS, RootFault, Roots
from repo_mcp.toolsets.retrieval.declarations import TOOLS
from repo_mcp.toolsets.retrieval.errors import TABLE, ErrorCase

HEAD = """# Errors of the toolset `retrieval`

Written by `make docs` from [errors.py](../repo_mcp/toolsets/retrieval/errors.py). A failed
call returns `error` with `code`, `message` and `details` in place of `result`, in addition to
`meta`, and the same as text. Codes and messages are fixed; what differs from call to call is in
`details`. [acceptance.md](acceptance.md) lists the tests of each tool.

## At the start

If the toolset is selected by name (`--toolsets retrieval`, or one of its tools by `--tools`), or
by `all` while a root is set, the server refuses to start unless both roots can be served. The exit
code is 2, and standard error has two lines: one for people, and the error as JSON:

"""
AFTER = """
Otherwise the server starts without it, and reports a root that is set and can't be served on
standard error.

| reason | message |
|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = [f"| `{reason}` | {_root_message(reason)} |" for reason in REASONS]
    start = HEAD + f"```\nrepo-mcp: {_example()}\n```\n" + AFTER + "\n".join(rows)
    return "\n".join([start, *(line for tool in TOOLS for line in part(tool.name))]) + "\n"


def part(tool: str) -> Iterator[str]:
    """The errors of one tool."""
    yield f"\n## {tool}\n\n| code | message | when | details |\n|---|---|---|---|"
    for code, case in TABLE.items():
        if tool in case.tools:
            yield row(code, case)


def row(code: str, case: ErrorCase) -> str:
    """One row of the table."""
    details = ", ".join(f"`{name}`" for name in case.details) or "none"
    return f"| `{code}` | {case.message} | {case.when} | {details} |"


def _example() -> str:
    fault = RootFault(CODE, "CODE_ROOT", "", "missing")
    return str(Roots({DOCS: "/the/folder", CODE: ""}, "", (fault,)).refusal)


def _root_message(reason: str) -> str:
    path = "" if reason == "missing" else "/the/folder"
    return RootFault(DOCS, "DOCS_ROOT", path, reason).text
