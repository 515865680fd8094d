"""Clients of others over several roots: what each sends, and what its model gets.

    python -m bench.clients --keep FOLDER --trees FOLDER --server PROGRAM [CLIENT…]
    python -m bench.clients --keep FOLDER --killed --server PROGRAM [CLIENT…]
    python -m bench.clients --keep FOLDER --parts --server PROGRAM [--record] [CLIENT…]

`--trees` has checkouts of celery, kombu and vine, with their history. Of each client everything
that the server sent is checked with the types of the SDK, and each answer has to say what
`calls.toml` asks for, on the wire and to the model. `--roots` lets the clients tell kombu and vine
as the folders that they have open. Clients that are missing below `--keep` are named with the
command that brings them. With `--killed`, agents are killed in the middle of a session instead, by
default Claude Code and Codex: see `killed.py`. With `--parts`, the first request to the model is
compared with all that we have written for it: see `parts.py`. Nothing but `npm` and `pip` needs a
network.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.clients.agents import AGENTS, Agent, Place, Session, run_agent
from bench.clients.direct import DIRECT, Direct, run_direct
from bench.clients.killed import kill_agents
from bench.clients.models import DONE, ScriptedCall, offered_name
from bench.clients.parts import PROMPT, first_request
from bench.clients.seen import results_shown, text_before_results, tools_shown
from bench.clients.wire import Answered, Wire
from index_format.tuples import NamedTuple

_HERE: Final = Path(__file__).parent
_KILLED: Final = ("claude", "codex")
_COMPARED: Final = ("codex", "claude", "gemini", "copilot")
_PARTS: Final = Path(__file__).parents[1] / "results" / "first-request.json"
_NAMES: Final = ("celery", "kombu", "vine")
_TELL: Final = (
    ScriptedCall("repo.search", {"query": "ensure_promise"}),
    ScriptedCall("repo.status", {}),
)


class Expected(NamedTuple):
    """A call, and what its answer has to be."""

    call: ScriptedCall
    says: Sequence[str]
    lacks: Sequence[str]
    refused: bool


def main() -> None:
    """Drive the clients, and fail if any of them got what it should not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, required=True)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--trees", type=Path)
    what.add_argument("--killed", action="store_true")
    what.add_argument("--parts", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--roots", action="store_true")
    parser.add_argument("clients", nargs="*")
    given = parser.parse_args()
    keep, server = given.keep.absolute(), given.server.absolute()
    if given.killed:
        sys.exit(_kill(keep, server, given.clients or _KILLED))
    if given.parts:
        _compare(keep, server, given.clients or _COMPARED, record=given.record)
        return
    trees = given.trees.absolute()
    clients: list[Agent | Direct] = [*AGENTS, *DIRECT]
    faults = 0
    for client in clients:
        if given.clients and client.name not in given.clients:
            continue
        program = _program(client, keep)
        if not program.exists():
            print(f"{client.name}: missing; {_how_to_get(client, keep)}")
            continue
        found = _drive(client, keep, trees, server, tells=given.roots)
        print(json.dumps(found, indent=1, ensure_ascii=False), flush=True)
        faults += len(found["faults"])
    sys.exit(faults > 0)


def _kill(keep: Path, server: Path, names: Sequence[str]) -> bool:
    """Kill clients of these names; True if anything was left of the server."""
    agents = [agent for agent in AGENTS if agent.name in names]
    failed = False
    for row in kill_agents(agents, keep / "node" / "node_modules", keep / "runs", server):
        print(json.dumps(row, ensure_ascii=False), flush=True)
        failed |= bool(row["faults"])
    return failed


def _compare(keep: Path, server: Path, names: Sequence[str], *, record: bool) -> None:
    """Print what the models of these clients get first, and keep it if that is wanted."""
    modules, rows = keep / "node" / "node_modules", []
    for agent in AGENTS:
        if agent.name in names:
            run = keep / "runs" / f"{agent.name}-parts"
            rows.append(first_request(agent, modules, run, server))
            print(json.dumps(rows[-1], indent=1), flush=True)
    if record:
        _PARTS.write_text(json.dumps({"prompt": PROMPT, "clients": rows}, indent=1) + "\n", "utf-8")


def _program(client: Agent | Direct, keep: Path) -> Path:
    below = keep / "node" / "node_modules" if isinstance(client, Agent) else keep
    return below / client.program


def _how_to_get(client: Agent | Direct, keep: Path) -> str:
    folder = keep / client.program.split("/")[0]
    if isinstance(client, Agent) or folder.name == "node":
        return f"npm install --prefix {keep / 'node'} node@24 {client.package}"
    if client.name.startswith("inspector"):
        return f"npm install --prefix {folder} {client.package}"
    return f"python3 -m venv {folder} && {folder}/bin/pip install '{client.package}'"


def _drive(
    client: Agent | Direct, keep: Path, trees: Path, server: Path, *, tells: bool
) -> dict[str, Any]:
    """Run one client in new folders; what was observed."""
    run = keep / "runs" / (f"{client.name}-roots" if tells else client.name)
    shutil.rmtree(run, ignore_errors=True)
    place = Place(run / "home", run / "project")
    for folder in (place.home, place.project / ".git"):
        folder.mkdir(parents=True)
    if tells:
        place = Place(place.home, trees / "kombu", (trees / "vine",))
    expected = [Expected(call, (), (), refused=False) for call in _TELL] if tells else _expected()
    calls = [row.call for row in expected]
    shim = _shim(run, server)
    flags = ["--client-roots"] if tells else ["--workspace", str(_workspace(run, trees))]
    if isinstance(client, Agent):
        install = [str(server), "install", *flags, "--command", str(shim)]
        modules = keep / "node" / "node_modules"
        session = run_agent(client, modules, place, install, calls)
        found = _of_model(session, expected)
        (run / "requests.json").write_text(json.dumps(session.requests, indent=1), "utf-8")
    else:
        place = Place(place.home, place.project, (trees / "kombu", *place.others) if tells else ())
        printed = run_direct(client, keep, place, [str(shim), "serve", *flags], calls)
        session, found = Session([], printed), {"faults": []}
    (run / "printed.txt").write_text(session.printed, "utf-8")
    return _of_wire(client, Wire(run / "wire.jsonl"), expected, found)


def _shim(run: Path, server: Path) -> Path:
    """A program that is our server to the client, and records what passes."""
    shim = run / "repo-mcp"
    recorder = f'"{sys.executable}" "{_HERE / "recorder.py"}" "{run / "wire.jsonl"}"'
    shim.write_text(f'#!/bin/sh\nexec {recorder} "{server}" "$@"\n', "utf-8")
    shim.chmod(0o755)
    return shim


def _workspace(run: Path, trees: Path) -> Path:
    """A workspace file of the trees and of a folder that is missing."""
    file = run / "repo_mcp_workspace.toml"
    lines = [f'{name} = "{trees / name}"\n' for name in (*_NAMES, "gone")]
    file.write_text("".join(["[roots]\n", *lines]), "utf-8")
    secret = trees / "kombu" / ".env"
    secret.write_text("TOKEN=not shown\n", "utf-8")
    return file


def _expected() -> list[Expected]:
    rows = tomllib.loads((_HERE / "calls.toml").read_text("utf-8"))["call"]
    return [
        Expected(
            ScriptedCall(row["tool"], row["arguments"]),
            row["says"],
            row.get("lacks", []),
            row.get("refused", False),
        )
        for row in rows
    ]


def _of_wire(
    client: Agent | Direct, wire: Wire, expected: Iterable[Expected], found: dict[str, Any]
) -> dict[str, Any]:
    """The observations of what the client sent, with the faults of answers."""
    answered = list(wire.answered())
    faults, unsent = [*wire.faults(), *found["faults"], *_not_served(wire, answered)], []
    for row in expected:
        answers = [answer for answer in answered if _is_answer(answer, row.call)]
        if not answers:
            unsent.append(_shown(row.call))
        for answer in answers:
            faults += _faults_of(row, answer)
    method, version, capabilities = wire.opening
    return {
        "client": client.name,
        "opens": f"{method} {version}",
        "capabilities": capabilities,
        "methods": list(dict.fromkeys(wire.methods)),
        "ends": list(dict.fromkeys(wire.endings)),
        "calls": len(answered),
        "not sent": unsent,
        "largest answer": max((len(answer.text) for answer in answered), default=0),
        "roots told": wire.told_roots(),
        **found,
        "faults": faults,
    }


def _not_served(wire: Wire, answered: Iterable[Answered]) -> Iterator[str]:
    """A fault for each of several folders that the client told and that no status lists."""
    states = "\n".join(answer.text for answer in answered if answer.name.endswith("status"))
    for told in wire.told_roots():
        names = [root["uri"].rpartition("/")[2] for root in told.get("roots", [])]
        if len(names) > 1:
            yield from (
                f"{name} was told and not served" for name in names if f"{name}:" not in states
            )


def _is_answer(answer: Answered, call: ScriptedCall) -> bool:
    same = answer.name.replace(".", "_") == call.tool.replace(".", "_")
    return same and dict(call.arguments).items() <= answer.arguments.items()


def _shown(call: ScriptedCall) -> str:
    return f"{call.tool} {json.dumps(call.arguments)}"


def _faults_of(row: Expected, answer: Answered) -> Iterator[str]:
    failed = bool(answer.result.get("isError", "code" in answer.result))
    if failed is not row.refused:
        yield f"{_shown(row.call)}: {'refused' if failed else 'answered'}: {answer.text[:200]}"
    yield from _lacks(row, answer.text, "the answer")


def _lacks(row: Expected, text: str, where: str) -> Iterator[str]:
    for said in row.says:
        if not any(way in text for way in said.split("|")):
            yield f"{_shown(row.call)}: {where} lacks {said!r}: {text[:200]}"
    for said in row.lacks:
        if said in text:
            yield f"{_shown(row.call)}: {where} has {said!r}"


def _of_model(session: Session, expected: Sequence[Expected]) -> dict[str, Any]:
    """The observations of what the model got: tools, instructions and results."""
    shown = tools_shown(session.requests)
    tools = {row.call.tool for row in expected}
    names = {tool: offered_name(shown, tool) for tool in sorted(tools)}
    results = results_shown(session.requests)
    before = text_before_results(session.requests)
    faults = [] if DONE in session.printed else [f"not done: {session.printed[-500:]}"]
    for row, result in zip(expected, results, strict=False):
        faults += _lacks(row, result, "what the model got")
    declared: Mapping[str, Any] = shown.get(names["repo.search"] or "", {})
    return {
        "names": sorted(name for name in names.values() if name),
        "tools not shown": sorted(tool for tool, name in names.items() if name is None),
        "characters of a declaration": len(json.dumps(declared)),
        "names of the roots shown": [name for name in _NAMES if f"{name}," in before],
        "results": [len(result) for result in results],
        "faults": faults,
    }


if __name__ == "__main__":
    main()
