"""Runs one agent on the same tasks with and without the server; the rows are kept as they came.

Both arms have the same client, model, prompt, permissions and tree, each in a copy of its own with
equal files; the server's index lies outside. The list of servers is the one setting that differs.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from index_format.tuples import NamedTuple

Fields = dict[str, Any]
ARMS: Final = ("without", "with")
_TASK: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_TOOLS: Final = "Read,Grep,Glob,Bash,mcp__repo"


class Client(NamedTuple):
    """A client that prints its events as lines of JSON."""

    # the command line of a prompt, a server's command line or none, and a model or the usual one
    line: Callable[[str, Sequence[str], str], list[str]]
    # calls, tokens and answer in its events
    read: Callable[[Sequence[Fields]], Fields]


class Task(NamedTuple):
    """A task: its heading, and all that the agent is told."""

    name: str
    prompt: str


def tasks_in(text: str) -> list[Task]:
    """The tasks under the headings of second level; what stands before them is told with each."""
    before, *parts = _TASK.split(text)
    return [
        Task(name.strip(), f"{before.strip()}\n\n{name.strip()}\n{body.strip()}".strip())
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    ]


def run_arms(
    client: Client,
    program: str,
    server: str,
    tree: Path,
    tasks: Sequence[Task],
    kept: Path,
    model: str = "",
) -> Iterator[Fields]:
    """Do each task in each arm, the arms in turns; rows and events are written below `kept`."""
    copies = {arm: _copy(tree, kept / "trees" / arm / tree.name) for arm in ARMS}
    data = kept / "trees" / "data"
    place = ["--repo-root", str(copies["with"]), "--data-dir", str(data)]
    subprocess.run([server, "index", *place], check=True, capture_output=True)
    servers = {"without": (), "with": (server, "serve", *place)}
    for number, task in enumerate(tasks):
        for arm in ARMS if number % 2 else reversed(ARMS):
            began = time.monotonic()
            line = [program, *client.line(task.prompt, servers[arm], model)]
            events = _events(line, copies[arm])
            seconds = round(time.monotonic() - began, 1)
            row = {"task": task.name, "arm": arm, "seconds": seconds, **client.read(events)}
            _write(kept / f"events-{arm}-{number + 1}.jsonl", events)
            with (kept / f"rows-{arm}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            yield row
    shutil.rmtree(kept / "trees")


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """The sums of each arm."""
    keys = ("calls", "tokens", "seconds")
    return {
        arm: {key: sum(row[key] for row in rows if row["arm"] == arm) for key in keys}
        for arm in ARMS
    }


def _copy(tree: Path, copy: Path) -> Path:
    shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".repo_mcp"))
    return copy


def _events(line: Sequence[str], folder: Path) -> list[Fields]:
    done = subprocess.run(
        line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    found = [_parsed(row) for row in done.stdout.splitlines()]
    return [*found, {"type": "end", "code": done.returncode, "errors": done.stderr[-2000:]}]


def _parsed(line: str) -> Fields:
    try:
        found = json.loads(line)
    except ValueError:
        return {"type": "text", "text": line}
    return found if isinstance(found, dict) else {"type": "text", "text": line}


def _write(file: Path, events: Sequence[Fields]) -> None:
    text = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    file.write_text(text, "utf-8")


def _claude_line(prompt: str, server: Sequence[str], model: str) -> list[str]:
    listed = {"repo": {"command": server[0], "args": server[1:]}} if server else {}
    config = json.dumps({"mcpServers": listed})
    only = ["--mcp-config", config, "--strict-mcp-config", "--allowedTools", _TOOLS]
    chosen = ["--model", model] if model else []
    return ["-p", prompt, "--output-format", "stream-json", "--verbose", *chosen, *only]


def _read_claude(events: Sequence[Fields]) -> Fields:
    said = [row["message"] for row in events if row.get("type") == "assistant"]
    blocks = [block for message in said for block in message.get("content", [])]
    result: Fields = next((row for row in events if row.get("type") == "result"), {})
    used = result.get("usage", {})
    return {
        "calls": sum(block.get("type") == "tool_use" for block in blocks),
        "tokens": sum(
            value
            for key, value in used.items()
            if key.endswith("_tokens") and isinstance(value, int)
        ),
        "usage": used,
        "cost": result.get("total_cost_usd"),
        "answer": result.get("result", ""),
    }


def _codex_line(prompt: str, server: Sequence[str], model: str) -> list[str]:
    command, arguments = json.dumps(server[:1])[1:-1], json.dumps(server[1:])
    listed = f"mcp_servers.repo={{command={command},args={arguments}}}"
    chosen = ["--model", model] if model else []
    only = ["-c", listed] if server else []
    return ["exec", "--json", "--skip-git-repo-check", *chosen, *only, prompt]


def _read_codex(events: Sequence[Fields]) -> Fields:
    done = [row["item"] for row in events if row.get("type") == "item.completed"]
    used = [row.get("usage", {}) for row in events if row.get("type") == "turn.completed"]
    kinds = ("mcp_tool_call", "command_execution")
    answers = [item.get("text", "") for item in done if item.get("type") == "agent_message"]
    return {
        "calls": sum(item.get("type") in kinds for item in done),
        "tokens": sum(row.get("input_tokens", 0) + row.get("output_tokens", 0) for row in used),
        "usage": used,
        "cost": None,
        "answer": answers[-1] if answers else "",
    }


CLIENTS: Final = {
    "claude": Client(_claude_line, _read_claude),
    "codex": Client(_codex_line, _read_codex),
}
