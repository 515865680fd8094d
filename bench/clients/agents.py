"""The agents: how each is installed, pointed at the mock model, given our server, and started.

The entry of the server is the one that `repo-mcp install` writes into the client's own file.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.clients.models import Fields, Model, ScriptedCall
from index_format.tuples import NamedTuple

_SECONDS: Final = 240.0
_KEY: Final = "none"
# a person is asked once whether hooks may run; here nobody is
_TRUST: Final = "--dangerously-bypass-hook-trust"


class Place(NamedTuple):
    """The folders of one run: the home of the client, its project, and others that it has open."""

    home: Path
    project: Path
    others: tuple[Path, ...] = ()
    prompt: str = "call the tools"


class Agent(NamedTuple):
    """A client with a model; `program` is below `node_modules`."""

    name: str
    package: str
    program: str
    # writes settings before the server is installed
    prepare: Callable[[Place, str], None]
    # the command line after the program
    line: Callable[[Place], Sequence[str]]
    # the environment beside the common one
    environment: Callable[[Place, str], Mapping[str, str]]


class Session(NamedTuple):
    """A run of an agent: what the model was sent, and what the client printed."""

    requests: Sequence[Fields]
    printed: str


def run_agent(
    agent: Agent, modules: Path, place: Place, install: Sequence[str], calls: Sequence[ScriptedCall]
) -> Session:
    """Install the server into a new home, and let the client work until its model is done."""
    model = Model(calls)
    try:
        line, environment = prepare_agent(agent, modules, place, install, model.address)
        printed = run_program(line, place.project, environment)
    finally:
        model.close()
    return Session(model.requests, printed)


def prepare_agent(
    agent: Agent, modules: Path, place: Place, install: Sequence[str], address: str
) -> tuple[Sequence[str], Mapping[str, str]]:
    """Install the server into a new home; the client's command line and environment."""
    environment = agent_environment(agent, modules, place, address)
    agent.prepare(place, address)
    subprocess.run(
        [*install, agent.name, *_install_flags(agent)],
        cwd=place.project,
        env=environment,
        check=True,
        capture_output=True,
    )
    return [str(modules / agent.program), *agent.line(place)], environment


def run_program(line: Sequence[str], folder: Path, environment: Mapping[str, str]) -> str:
    """Everything that a program prints; it is ended after some minutes."""
    with subprocess.Popen(
        line,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as running:
        try:
            printed = running.communicate(timeout=_SECONDS)[0]
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            printed = running.communicate()[0] + b"\n(ended after too long)"
    return printed.decode("utf-8", "replace")


def common_environment(modules: Path, home: Path) -> dict[str, str]:
    """The environment of any client: a home of its own, and Node of the same folder."""
    path = f"{modules / 'node' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    quiet = {"LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "CI": "1"}
    return {"PATH": path, "HOME": str(home), "NO_PROXY": "127.0.0.1,localhost", **quiet}


def agent_environment(agent: Agent, modules: Path, place: Place, address: str) -> dict[str, str]:
    """The environment of an agent that asks the model at this address."""
    return {**common_environment(modules, place.home), **agent.environment(place, address)}


def _install_flags(agent: Agent) -> Sequence[str]:
    return ["--allow"] if agent.name in {"claude", "gemini"} else []


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _prepare_codex(place: Place, address: str) -> None:
    text = (
        'model = "mock-model"\nmodel_provider = "mock"\napproval_policy = "never"\n\n'
        f'[model_providers.mock]\nname = "mock"\nbase_url = "{address}/v1"\n'
        'wire_api = "responses"\nenv_key = "MOCK_KEY"\n'
    )
    _write(place.home / ".codex" / "config.toml", text)


def _prepare_gemini(place: Place, _: str) -> None:
    settings: dict[str, Any] = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    _write(place.home / ".gemini" / "settings.json", json.dumps(settings, indent=2))


def _prepare_opencode(place: Place, address: str) -> None:
    model = {"name": "mock", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "mock",
        "options": {"baseURL": f"{address}/v1", "apiKey": _KEY},
        "models": {"mock-model": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "mock/mock-model",
        "small_model": "mock/mock-model",
        "provider": {"mock": provider},
    }
    _write(place.home / ".config" / "opencode" / "opencode.json", json.dumps(settings, indent=2))


def _prepare_qwen(place: Place, _: str) -> None:
    settings = {"security": {"auth": {"selectedType": "openai"}}}
    _write(place.home / ".qwen" / "settings.json", json.dumps(settings, indent=2))


def _prepare_kimi(place: Place, address: str) -> None:
    text = (
        'default_model = "mock"\n\n[models.mock]\nprovider = "mock"\nmodel = "mock-model"\n'
        'max_context_size = 200000\n\n[providers.mock]\ntype = "openai"\n'
        f'base_url = "{address}/v1"\napi_key = "{_KEY}"\n'
    )
    _write(place.home / ".kimi-code" / "config.toml", text)


def _prepare_cline(place: Place, address: str) -> None:
    chosen = {"provider": "openai-compatible", "model": "mock-model", "apiKey": _KEY}
    settings = {
        "version": 1,
        "lastUsedProvider": "openai-compatible",
        "modes": {},
        "providers": {
            "openai-compatible": {
                "settings": {**chosen, "baseUrl": f"{address}/v1"},
                "updatedAt": "2026-01-01T00:00:00.000Z",
                "tokenSource": "manual",
            }
        },
    }
    _write(place.home / ".cline/data/settings/providers.json", json.dumps(settings, indent=2))


def _prepare_nothing(_: Place, __: str) -> None:
    """Settings are in the environment."""


def _claude_line(place: Place) -> Sequence[str]:
    others = [part for folder in place.others for part in ("--add-dir", str(folder))]
    return ["-p", place.prompt, "--model", "claude-sonnet-4-5", *others]


def _gemini_line(place: Place) -> Sequence[str]:
    others = [part for folder in place.others for part in ("--include-directories", str(folder))]
    return ["-p", place.prompt, "--skip-trust", "-m", "gemini-2.5-flash", *others]


def _copilot_line(place: Place) -> Sequence[str]:
    others = [part for folder in place.others for part in ("--add-dir", str(folder))]
    return ["-p", place.prompt, "--allow-tool", "repo", "--no-auto-update", *others]


def _claude_environment(_: Place, address: str) -> Mapping[str, str]:
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    return {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": _KEY, **quiet}


def _copilot_environment(_: Place, address: str) -> Mapping[str, str]:
    provider = {"BASE_URL": f"{address}/v1", "TYPE": "openai", "API_KEY": _KEY}
    named = {f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()}
    return {**named, "COPILOT_OFFLINE": "true", "COPILOT_MODEL": "mock-model"}


AGENTS: Final = (
    Agent(
        "codex",
        "@openai/codex",
        ".bin/codex",
        _prepare_codex,
        lambda place: ["exec", "--json", "--skip-git-repo-check", _TRUST, place.prompt],
        lambda _, __: {"MOCK_KEY": _KEY},
    ),
    Agent(
        "claude",
        "@anthropic-ai/claude-code",
        ".bin/claude",
        _prepare_nothing,
        _claude_line,
        _claude_environment,
    ),
    Agent(
        "gemini",
        "@google/gemini-cli",
        ".bin/gemini",
        _prepare_gemini,
        _gemini_line,
        lambda _, address: {"GEMINI_API_KEY": _KEY, "GOOGLE_GEMINI_BASE_URL": address},
    ),
    Agent(
        "copilot",
        "@github/copilot",
        ".bin/copilot",
        _prepare_nothing,
        _copilot_line,
        _copilot_environment,
    ),
    Agent(
        "opencode",
        "opencode-ai",
        ".bin/opencode",
        _prepare_opencode,
        lambda place: ["run", place.prompt],
        lambda _, __: {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
    ),
    Agent(
        "qwen",
        "@qwen-code/qwen-code",
        ".bin/qwen",
        _prepare_qwen,
        lambda place: ["-p", place.prompt, "--approval-mode", "yolo"],
        lambda _, address: {
            "OPENAI_API_KEY": _KEY,
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_MODEL": "mock-model",
        },
    ),
    Agent(
        "kimi",
        "@moonshot-ai/kimi-code",
        ".bin/kimi",
        _prepare_kimi,
        lambda place: ["-p", place.prompt],
        lambda _, __: {},
    ),
    Agent(
        "cline",
        "cline",
        ".bin/cline",
        _prepare_cline,
        lambda place: ["--json", place.prompt],
        lambda _, __: {},
    ),
)
