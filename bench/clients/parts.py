"""Parts of ours in the first request of a client to its model, each whole or left out, in bytes.

Parts are the server's instructions, the declarations of its tools, and what `repo-mcp install` has
written: the block of instructions, the skill, and the text of a hook where one is configured. What
the files and the server say is looked for in the first request with tools, byte by byte; brackets
in it may be entities.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.clients.agents import Agent, Place, Session, common_environment, run_agent, run_program
from bench.clients.models import Fields, ScriptedCall, plain_name
from bench.clients.seen import text_before_results, tools_shown
from bench.clients.wire import Wire
from index_format.tuples import NamedTuple

# names a function of the project, so that a hook that knows the index has something to say
PROMPT: Final = "Who calls parse_header in this project, and what does it return for an empty line?"
_FILES: Final = {
    "headers.py": "def parse_header(line):\n    name, _, value = line.partition(':')\n"
    "    return name.strip(), value.strip()\n",
    "mail.py": "from headers import parse_header\n\n\ndef read_mail(lines):\n"
    "    return dict(parse_header(line) for line in lines)\n",
}
_BLOCK: Final = re.compile(r"repo-mcp:begin[^\n]*\n(.*?)(?:<!--|#|//) repo-mcp:end", re.DOTALL)
_DESCRIPTION: Final = re.compile(r"^description(?:: | = )([^\n]*)$", re.MULTILINE)
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")
_BLOCK_TEXT: Final = "block of instructions"
_SKILL_TEXT: Final = "text of the skill"
# a text of a hook is longer than the words of its form
_SHORTEST: Final = 40


class Part(NamedTuple):
    """A text of ours, and its name in the table."""

    name: str
    text: str


def first_request(agent: Agent, modules: Path, run: Path, server: Path) -> dict[str, Any]:
    """Install everything into a new home, ask, and compare what the model gets first."""
    shutil.rmtree(run, ignore_errors=True)
    place = Place(run / "home", run / "project", prompt=PROMPT)
    for folder in (place.home, place.project / ".git"):
        folder.mkdir(parents=True)
    for name, text in _FILES.items():
        (place.project / name).write_text(text, "utf-8")
    subprocess.run(
        [str(server), "index", "--repo-root", str(place.project)], check=True, capture_output=True
    )
    install = [str(server), "install", *_everything(server), "--command", str(_shim(run, server))]
    session = run_agent(agent, modules, place, install, [ScriptedCall("repo.status", {})])
    (run / "requests.json").write_text(json.dumps(session.requests, indent=1), "utf-8")
    (run / "printed.txt").write_text(session.printed, "utf-8")
    parts = distinct([*written_parts(place.home), *said_parts(run)])
    declared = _listed(Wire(run / "wire.jsonl"))
    version = _version(agent, modules, place.home)
    return {"client": agent.name, "version": version, **compared(session, parts, declared)}


def compared(session: Session, parts: Iterable[Part], declared: Sequence[Fields]) -> dict[str, Any]:
    """The bytes of the first request with tools, and those of each part that is in it."""
    body = first_with_tools(session.requests)
    texts = list(_texts(body))
    shown = {plain_name(name): tool for name, tool in tools_shown([body]).items()}
    ours = {
        tool["name"]: found
        for tool in declared
        for name, found in shown.items()
        if name.endswith(plain_name(tool["name"]))
    }
    whole = [tool for tool in declared if _is_whole(tool, ours.get(tool["name"], {}))]
    return {
        "bytes of the request": _bytes(body),
        "tools": {
            "declared": len(declared),
            "in the request": len(ours),
            "whole": len(whole),
            "bytes": sum(_bytes(tool) for tool in ours.values()),
        },
        "parts": [
            {
                "part": part.name,
                "bytes": len(part.text.encode()),
                "whole": any(part.text in text for text in (*texts, *map(html.unescape, texts))),
            }
            for part in parts
        ],
    }


def distinct(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts without a skill's text that is that of the block, and could not be told from it."""
    blocks = [part.text for part in parts if part.name == _BLOCK_TEXT]
    return (part for part in parts if part.name != _SKILL_TEXT or part.text not in blocks)


def first_with_tools(requests: Iterable[Fields]) -> Fields:
    """The first request that offers tools and has no result of a call."""
    return next((body for body in requests if text_before_results([body])), {})


def written_parts(home: Path) -> Iterator[Part]:
    """Texts that `install` has written for the model into files below this home."""
    for file in sorted(path for path in home.rglob("*") if path.suffix in {".md", ".toml"}):
        text = file.read_text("utf-8", "replace")
        block = _BLOCK.search(text)
        if block is None:
            continue
        described = _DESCRIPTION.search(text)
        if described is None:
            yield Part(_BLOCK_TEXT, block[1].strip())
            continue
        quoted = described[1].strip()
        shown = json.loads(quoted) if quoted.startswith('"') else quoted
        if file.name == "SKILL.md":
            yield Part("description of the skill", shown)
            yield Part(_SKILL_TEXT, block[1].strip())
        else:
            yield Part("description of the explorer", shown)


def said_parts(run: Path) -> Iterator[Part]:
    """Texts that the server and the hooks have given to the client in this run."""
    for row in Wire(run / "wire.jsonl").of("server"):
        text = row.get("result", {}).get("instructions") if isinstance(row, dict) else None
        if text:
            yield Part("instructions of the server", text)
            break
    for row in Wire(run / "hooks.jsonl").of("server"):
        for text in _texts(row):
            if len(text) > _SHORTEST:
                yield Part("text of a hook", text.strip())


def _version(agent: Agent, modules: Path, home: Path) -> str:
    line = [str(modules / agent.program), "--version"]
    printed = run_program(line, home, common_environment(modules, home))
    found = _VERSION.search(printed)
    return found[0] if found else ""


def _everything(server: Path) -> list[str]:
    """The flags by which `install` writes all that it can."""
    shown = subprocess.run(
        [str(server), "install", "--help"], check=True, capture_output=True, text=True
    ).stdout
    return [flag for flag in ("--all", "--instructions") if re.search(rf"{flag}\b", shown)][:1]


def _shim(run: Path, server: Path) -> Path:
    """A program that is ours to the client, and records the server and the hooks apart."""
    recorder = Path(__file__).with_name("recorder.py")
    shim = run / "repo-mcp"
    shim.write_text(
        f"#!/bin/sh\ncase $1 in hook) record=hooks ;; *) record=wire ;; esac\n"
        f'exec "{sys.executable}" "{recorder}" "{run}/$record.jsonl" "{server}" "$@"\n',
        "utf-8",
    )
    shim.chmod(0o755)
    return shim


def _listed(wire: Wire) -> list[Fields]:
    """The declarations that the server has listed."""
    for row in wire.of("server"):
        tools = row.get("result", {}).get("tools") if isinstance(row, dict) else None
        if tools:
            return list(tools)
    return []


def _is_whole(declared: Fields, shown: Fields) -> bool:
    """True if a declaration has the description and all arguments as the server has said them."""
    given = list(_texts(shown))
    said = [declared["description"], *_descriptions(declared["inputSchema"])]
    return all(any(text in found for found in given) for text in said)


def _descriptions(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, value in schema.get("properties", {}).items():
        yield name
        if "description" in value:
            yield value["description"]


def _bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _texts(value: object) -> Iterator[str]:
    """All texts in a value, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
