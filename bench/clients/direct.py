"""Clients without a model: the SDKs of two languages in two versions each, and the Inspector."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.clients.agents import Place, common_environment, run_program
from bench.clients.models import ScriptedCall
from index_format.tuples import NamedTuple

_HERE: Final = Path(__file__).parent
_NODE: Final = "node/node_modules/node/bin/node"
_NEW: Final = "node/node_modules/.bin"
_OLD: Final = "inspector0/node_modules/.bin"


class Direct(NamedTuple):
    """A client without a model; `program` is below the kept folder, `script` is our part of it."""

    name: str
    package: str
    program: str
    script: str = ""


DIRECT: Final = (
    Direct("python-1", "mcp", "mcp1/bin/python", "ask.py"),
    Direct("python-2", "mcp", "mcp2/bin/python", "ask.py"),
    Direct("typescript-1", "@modelcontextprotocol/sdk", _NODE, "ask.mjs"),
    Direct("typescript-2", "@modelcontextprotocol/client", _NODE, "ask.mjs"),
    Direct("typescript-2-modern", "@modelcontextprotocol/client", _NODE, "ask.mjs"),
    Direct("inspector-0", "@modelcontextprotocol/inspector", f"{_OLD}/mcp-inspector"),
    Direct("inspector-2", "@modelcontextprotocol/inspector", f"{_NEW}/inspector"),
)


def run_direct(
    client: Direct, keep: Path, place: Place, server: Sequence[str], calls: Sequence[ScriptedCall]
) -> str:
    """Make all calls, and return what the client printed."""
    environment = common_environment(keep / "node" / "node_modules", place.home)
    program = str(keep / client.program)
    if client.script:
        given = {
            "client": client.name,
            "calls": [[call.tool, call.arguments] for call in calls],
            "roots": [folder.as_uri() for folder in place.others],
            "modules": str(keep / "node" / "node_modules"),
            "command": list(server),
        }
        line = [program, str(_HERE / client.script), json.dumps(given)]
        return run_program(line, place.project, environment)
    printed = []
    settings = place.home / "mcp.json"
    entry = {"command": server[0], "args": list(server[1:])}
    settings.write_text(json.dumps({"mcpServers": {"repo": entry}}), "utf-8")
    for call in calls:  # the Inspector makes one call a process
        line = [program, "--cli", *_inspector_line(client, settings, server, call)]
        printed.append(run_program(line, place.project, environment))
    return "\n".join(printed)


def _inspector_line(
    client: Direct, settings: Path, server: Sequence[str], call: ScriptedCall
) -> Sequence[str]:
    method = ["--method", "tools/call", "--tool-name", call.tool]
    if client.name == "inspector-2":
        arguments = ["--tool-args-json", json.dumps(call.arguments)]
        return ["--config", str(settings), "--server", "repo", *method, *arguments]
    line = [*server, *method]
    for name, value in call.arguments.items():
        line += ["--tool-arg", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return line
