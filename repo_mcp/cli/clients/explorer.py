"""The explorer as each client reads a subagent: its tools by the client's names, and the prompt."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.guidance import EXPLORER, Explorer

# a client that counts turns ends the explorer where its prompt has not
_MOST_TURNS: Final = 12


class AgentFile(NamedTuple):
    """The text of a subagent's file: fields for the client, then what the model reads."""

    head: str
    body: str


def agent_file(client: str, server: str) -> AgentFile:
    """The explorer for a client that has the server under this name."""
    if client == "codex":
        return AgentFile("", _toml(EXPLORER))
    fields = {
        "name": EXPLORER.name,
        "description": EXPLORER.description,
        **_FIELDS[client](server, EXPLORER),
    }
    # of JSON, which YAML contains, so that no text needs another form of quotes
    lines = [f"{key}: {_yaml(value)}" for key, value in fields.items()]
    return AgentFile("\n".join(["---", *lines, "---", "", ""]), EXPLORER.prompt)


def _yaml(value: object) -> str:
    return value if isinstance(value, str) and value.isidentifier() else json.dumps(value)


def _toml(explorer: Explorer) -> str:
    """Codex gives a subagent every server; it can't write, as nothing there may."""
    return (
        f"name = {json.dumps(explorer.name)}\n"
        f"description = {json.dumps(explorer.description)}\n"
        'sandbox_mode = "read-only"\n'
        f'developer_instructions = """\n{explorer.prompt}"""\n'
    )


def _names(prefix: str, explorer: Explorer) -> list[str]:
    return [prefix + tool.replace(".", "_") for tool in explorer.tools]


def _qwen_fields(server: str, explorer: Explorer) -> Mapping[str, object]:
    return {"tools": _names(f"mcp__{server}__", explorer)}


def _claude_fields(server: str, explorer: Explorer) -> Mapping[str, object]:
    return {"tools": ", ".join(_names(f"mcp__{server}__", explorer))}


def _gemini_fields(server: str, _: Explorer) -> Mapping[str, object]:
    return {"kind": "local", "tools": [f"mcp_{server}_*"], "max_turns": _MOST_TURNS}


def _copilot_fields(server: str, _: Explorer) -> Mapping[str, object]:
    return {"tools": [f"{server}/*"]}


def _cursor_fields(_: str, __: Explorer) -> Mapping[str, object]:
    return {"model": "inherit", "readonly": True}


def _opencode_fields(server: str, _: Explorer) -> Mapping[str, object]:
    return {"mode": "subagent", "permission": {"*": "deny", f"{server}_*": "allow"}}


_FIELDS: Final[Mapping[str, Callable[[str, Explorer], Mapping[str, object]]]] = {
    "claude": _claude_fields,
    "qwen": _qwen_fields,
    "gemini": _gemini_fields,
    "copilot": _copilot_fields,
    "vscode": _copilot_fields,
    "cursor": _cursor_fields,
    "opencode": _opencode_fields,
}
