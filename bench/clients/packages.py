"""Packages in front of real agents: which of their parts reach the model, and what starts.

    python -m bench.clients.packages --keep FOLDER --server PROGRAM [CLIENT…]

Each agent gets a new home twice: with what `repo-mcp install --all` writes, and with the package of
`plugins/`, installed by the agent's own command, where it has one. Of each it prints whether the
first request to the model has the tools, the skill, the instructions and the explorer, which hooks
were started and whether what they said was shown, and in which folder the server was started.
Validators of clients check the packages before that. Nothing needs a network.
"""

from __future__ import annotations

import argparse
import html
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.clients.agents import AGENTS, Agent, Place, agent_environment, run_program
from bench.clients.models import Model, ScriptedCall
from bench.clients.seen import text_before_results, tools_shown
from index_format.tuples import NamedTuple
from repo_mcp import guidance
from repo_mcp.cli.clients.places import PLACES, ClientPlaces

_ROOT: Final = Path(__file__).parents[2]
_NAME: Final = f"{guidance.PACKAGE_NAME}@{guidance.PACKAGE_NAME}"
_PROMPT: Final = "Who calls add_tax?"
_CODE: Final = {
    "tax.py": "def add_tax(price):\n    return price * 1.2\n",
    "till.py": "from tax import add_tax\n\n\ndef total(prices):\n    return add_tax(sum(prices))\n",
}


class Package(NamedTuple):
    """An agent's commands: to install its package, and to run where nobody can be asked."""

    # command lines of the agent that install the package
    install: tuple[tuple[str, ...], ...]
    line: tuple[str, ...]
    # a search by a tool of its own
    search: ScriptedCall
    # a call of its tool that starts the explorer; None if it has no subagents
    explore: ScriptedCall | None = None
    # what stands before the name of a package's subagent
    agents: str = ""
    # command lines that check the package, below the folder of all programs
    checks: tuple[tuple[str, ...], ...] = ()


_TASK: Final = {"prompt": "find add_tax", "description": "find"}
_BY_TYPE: Final = {**_TASK, "subagent_type": guidance.EXPLORER.name}
_SHELL: Final = {"command": "grep -n add_tax till.py", "description": "search"}
_MARKETPLACE: Final = ("plugin", "marketplace", "add", str(_ROOT))
_ALLOWED: Final = "Bash,mcp__repo,mcp__plugin_repo-mcp_repo"
PACKAGES: Final[Mapping[str, Package]] = {
    "claude": Package(
        (_MARKETPLACE, ("plugin", "install", _NAME)),
        ("-p", _PROMPT, "--model", "claude-sonnet-4-5", "--allowedTools", _ALLOWED),
        ScriptedCall("Bash", _SHELL),
        ScriptedCall("Agent", _BY_TYPE),
        f"{guidance.PACKAGE_NAME}:",
        (
            (".bin/claude", "plugin", "validate", "--strict", str(_ROOT)),
            (".bin/claude", "plugin", "validate", "--strict", str(_ROOT / "plugins/claude")),
        ),
    ),
    "codex": Package(
        (_MARKETPLACE, ("plugin", "add", _NAME)),
        ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", _PROMPT),
        ScriptedCall("exec_command", {"cmd": _SHELL["command"]}),
        ScriptedCall("spawn_agent", {"agent_type": guidance.EXPLORER.name, "message": "find"}),
    ),
    "gemini": Package(
        (("extensions", "install", str(_ROOT / "plugins/gemini"), "--consent"),),
        ("-p", _PROMPT, "--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"),
        ScriptedCall("grep_search", {"pattern": "add_tax"}),
        ScriptedCall("invoke_agent", {"agent_name": guidance.EXPLORER.name, "prompt": "find"}),
        checks=((".bin/gemini", "extensions", "validate", str(_ROOT / "plugins/gemini")),),
    ),
    "copilot": Package(
        (_MARKETPLACE, ("plugin", "install", _NAME)),
        ("-p", _PROMPT, "--allow-all-tools", "--no-auto-update"),
        ScriptedCall("bash", _SHELL),
        ScriptedCall("task", {**_TASK, "agent_type": guidance.EXPLORER.name, "name": "find"}),
        f"{guidance.PACKAGE_NAME}:",
    ),
    "qwen": Package(
        (),
        ("-p", _PROMPT, "--approval-mode", "yolo"),
        ScriptedCall("grep_search", {"pattern": "add_tax"}),
        ScriptedCall("agent", _BY_TYPE),
    ),
    "kimi": Package((), ("-p", _PROMPT), ScriptedCall("Bash", {"command": _SHELL["command"]})),
    "cline": Package(
        (),
        ("--json", _PROMPT),
        ScriptedCall("run_commands", {"commands": [_SHELL["command"]]}),
    ),
    "opencode": Package(
        (),
        ("run", _PROMPT),
        ScriptedCall("bash", _SHELL),
        ScriptedCall("task", _BY_TYPE),
    ),
}
# checks of packages that are of no agent
_BUNDLE: Final = (".bin/mcpb", "validate", str(_ROOT / "plugins/mcpb/manifest.json"))


def main() -> None:
    """Install each package, and fail if a check of it does, or a part does not reach its model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("clients", nargs="*")
    given = parser.parse_args()
    keep, server = given.keep.absolute(), given.server.absolute()
    modules, faults = keep / "node" / "node_modules", list[str]()
    if (modules / _BUNDLE[0]).exists():
        faults += _refused(modules, _BUNDLE)
    for agent in AGENTS:
        package = PACKAGES[agent.name]
        if given.clients and agent.name not in given.clients:
            continue
        if not (modules / agent.program).exists():
            print(f"{agent.name}: missing; npm install --prefix {keep / 'node'} {agent.package}")
            continue
        for check in package.checks:
            faults += _refused(modules, check)
        for way in ("install", "package") if package.install else ("install",):
            seen = _drive(agent, way, modules, keep / "runs" / f"{agent.name}-{way}", server)
            print(json.dumps(seen, indent=1, ensure_ascii=False), flush=True)
            faults += [f"{agent.name} by {way}: {fault}" for fault in seen["faults"]]
    print("\n".join(faults))
    sys.exit(bool(faults))


def _refused(modules: Path, check: Sequence[str]) -> Iterator[str]:
    """The objections of a validator to a package."""
    line = [str(modules / check[0]), *check[1:]]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"{' '.join(check)}: {done.stdout}{done.stderr}"


def _drive(agent: Agent, way: str, modules: Path, run: Path, server: Path) -> dict[str, Any]:
    """Run an agent in a new home with one kind of installation; what its model was shown."""
    shutil.rmtree(run, ignore_errors=True)
    place = Place(run / "home", run / "project")
    for folder in (place.home, place.project / ".git", run / "bin"):
        folder.mkdir(parents=True)
    for name, text in _CODE.items():
        (place.project / name).write_text(text, "utf-8")
    program = _shim(run, server)
    package = PACKAGES[agent.name]
    model = Model(list(_calls(package, way)))
    try:
        around = agent_environment(agent, modules, place, model.address)
        around["PATH"] = f"{run / 'bin'}:{around['PATH']}"
        agent.prepare(place, model.address)
        whole = ["install", agent.name, "--all", "--allow", "--command", str(program)]
        lines = [[str(modules / agent.program), *line] for line in package.install]
        if way == "install":
            lines = [[str(server), *whole]]
        for line in [[str(server), "index", "--graph"], *lines]:
            subprocess.run(
                line,
                cwd=place.project,
                env=around,
                check=True,
                capture_output=True,
                # one asks whether the folder that it stands in is trusted
                input=b"y\n",
            )
        (run / "starts.txt").write_text("", "utf-8")
        printed = run_program([str(modules / agent.program), *package.line], place.project, around)
    finally:
        model.close()
    (run / "requests.json").write_text(json.dumps(model.requests, indent=1), "utf-8")
    (run / "printed.txt").write_text(printed, "utf-8")
    places = PLACES[agent.name]
    if way == "package":
        places = places._replace(text=("", ""))
    return {"client": agent.name, "way": way, **_shown(run, model.requests, places)}


def _calls(package: Package, way: str) -> Iterator[ScriptedCall]:
    """The calls of the model; the explorer comes first, as it may work beside the others."""
    if package.explore is not None:
        named = package.agents + guidance.EXPLORER.name if way == "package" else ""
        known = {guidance.EXPLORER.name: named} if named else {}
        given = {key: known.get(value, value) for key, value in package.explore.arguments.items()}
        yield ScriptedCall(package.explore.tool, given)
    yield package.search
    yield ScriptedCall("repo.search", {"query": "add_tax"})


def _shim(run: Path, server: Path) -> Path:
    """A program of our name on PATH that writes down each start, and what a hook is given."""
    shim = run / "bin" / "repo-mcp"
    shim.write_text(
        "#!/bin/sh\n"
        f'printf "%s\\t%s\\n" "$PWD" "$*" >> "{run}/starts.txt"\n'
        'if [ "$1" = hook ]; then\n'
        f'  cat > "{run}/$2.json"\n'
        f'  "{server}" "$@" < "{run}/$2.json" > "{run}/$2.said"\n'
        f'  code=$?; cat "{run}/$2.said"; exit $code\n'
        "fi\n"
        f'exec "{server}" "$@"\n',
        "utf-8",
    )
    shim.chmod(0o755)
    return shim


def _shown(
    run: Path, requests: Sequence[Mapping[str, Any]], places: ClientPlaces
) -> dict[str, Any]:
    """The parts that reached the model, and what was started."""
    starts = (run / "starts.txt").read_text("utf-8").splitlines()
    folders = {line.split("\t")[0] for line in starts if "\tserve" in line}
    first = [body for body in requests if body.get("tools")][:1]
    tools = [name for name in tools_shown(first) if "repo" in name.lower()]
    before, whole = text_before_results(requests), json.dumps(requests, ensure_ascii=False)
    skill, explorer = guidance.skill(), guidance.EXPLORER
    parts = {
        "tools in the first request": len(tools),
        "skill": skill.description[:60] in before,
        "instructions": "## Finding code" in before,
        "explorer": explorer.name in before,
        "tools of the explorer": _tools_of_explorer(requests),
        "hooks": {kind: _hook(run, kind, whole) for kind in ("prompt", "search")},
        "characters of the first request": len(json.dumps(first)),
        "server in": sorted(folder.removeprefix(str(run)) for folder in folders),
    }
    return {**parts, "faults": list(_faults(parts, run, places))}


def _tools_of_explorer(requests: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The names of its tools in its own first request: those of the server, and others."""
    said = json.dumps(guidance.EXPLORER.prompt.split("\n", 1)[0])[1:-1]
    for body in requests:
        tools = tools_shown([body])
        if tools and said in json.dumps({key: body[key] for key in body if key != "tools"}):
            ours = [name for name in tools if "repo" in name.lower()]
            return {"server": ours, "others": sorted({*tools} - {*ours})}
    return {}


def _hook(run: Path, kind: str, whole: str) -> str:
    """The state of a hook: not started, silent, or shown to the model."""
    if not (run / f"{kind}.json").exists():
        return "not started"
    try:
        said = json.loads((run / f"{kind}.said").read_text("utf-8"))
    except ValueError:
        return "silent"
    text = said.get("hookSpecificOutput", said).get("additionalContext", "")
    lines = [json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n") if line]
    # one client writes angle brackets as entities
    shown = (whole, html.unescape(whole))
    is_shown = all(any(line in text for text in shown) for line in lines)
    return "shown" if is_shown else "not shown"


def _faults(parts: Mapping[str, Any], run: Path, places: ClientPlaces) -> Iterator[str]:
    if not parts["tools in the first request"]:
        yield "the tools are not shown"
    for name, pair in (("skill", places.skills), ("instructions", places.text)):
        if pair[1] and not parts[name]:
            yield f"{name}: not shown"
    if parts["server in"] != ["/project"]:
        yield f"the server is started in {parts['server in']}"
    explorer = parts["tools of the explorer"]
    if parts["explorer"] and not explorer.get("server"):
        yield f"the explorer has none of the tools: {explorer}"
    for kind, state in parts["hooks"].items():
        if places.hooks and state in {"not started", "not shown"}:
            yield f"the hook {kind}: {state}"
    for kind, key in (("prompt", "prompt"), ("search", "tool_input")):
        if (run / f"{kind}.json").exists():
            given = json.loads((run / f"{kind}.json").read_text("utf-8"))
            if key not in given or Path(given["cwd"]) != run / "project":
                yield f"the hook {kind} is given {sorted(given)}"


if __name__ == "__main__":
    main()
