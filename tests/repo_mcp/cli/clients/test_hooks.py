"""`install --all` writes hooks of the user that stop nothing; `uninstall` gives all bytes back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.cli.clients import hooks
from repo_mcp.cli.clients.hooks import FORMS, hook_entries
from repo_mcp.cli.clients.places import explorer_path
from repo_mcp.cli.known_clients import BY_NAME, CLIENTS
from tests.repo_mcp.cli.clients.test_install import COMMAND, Place
from tests.repo_mcp.cli.clients.test_instructions import bytes_below
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

HOOK_FILES = {
    "codex": ".codex/hooks.json",
    "claude": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".copilot/hooks/repo-mcp.json",
    "vscode": ".copilot/hooks/repo-mcp.json",
    "cursor": ".cursor/hooks.json",
    "qwen": ".qwen/settings.json",
}


OF_PROJECTS = [name for name in CLIENTS if BY_NAME[name].project_file]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def hooks_of(place: Place, client: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place.home / HOOK_FILES[client]).read_text("utf-8"))
    return found


def commands(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), str) else []
        return own + [line for inner in value.values() for line in commands(inner)]
    return [line for inner in value for line in commands(inner)] if isinstance(value, list) else []


@pytest.mark.parametrize("client", HOOK_FILES)
def test_hooks_start_the_program_and_go_again(place: Place, client: str) -> None:
    before = bytes_below(place.home)
    assert place.run("install", client, "--all").returncode == 0
    lines = commands(hooks_of(place, client)["hooks"])
    kinds = ["search"] if client == "cursor" else ["prompt", "search"]
    assert lines == [f"{COMMAND[0]} hook {kind} 2>/dev/null || :" for kind in kinds]
    once = bytes_below(place.home)
    assert place.run("install", client, "--all").returncode == 0
    assert bytes_below(place.home) == once
    assert place.run("uninstall", client).returncode == 0
    assert bytes_below(place.home) == before


OTHERS = {
    "none": "{}\n",
    "empty": '{"hooks": {}}',
    "lists": """\
{
    "model": "x",
    "hooks": {"BeforeAgent": [], "PostToolUse": [{"hooks": []}]}
}
""",
    "comments": """\
{
  // mine
  "hooks": {
    "UserPromptSubmit": [
      {"hooks": [{"command": "a"}]},
    ],
  },
}
""",
}


@pytest.mark.parametrize("client", ["claude", "gemini", "codex", "cursor"])
@pytest.mark.parametrize("before", OTHERS.values(), ids=OTHERS)
def test_a_file_with_hooks_of_its_own_is_as_before(place: Place, client: str, before: str) -> None:
    write(place.home, {HOOK_FILES[client]: before})
    assert place.run("install", client, "--all", "--allow").returncode == 0
    during = (place.home / HOOK_FILES[client]).read_text("utf-8")
    assert "hook search" in during
    assert ("{\n  // mine" in during) is ("// mine" in before)
    assert place.run("uninstall", client).returncode == 0
    assert (place.home / HOOK_FILES[client]).read_text("utf-8") == before


def test_hooks_that_were_added_meanwhile_stay(place: Place) -> None:
    place.run("install", "claude", "--all")
    file = place.home / HOOK_FILES["claude"]
    other = {"hooks": [{"type": "command", "command": "mine"}]}
    value = hooks_of(place, "claude")
    value["hooks"]["UserPromptSubmit"].append(other)
    file.write_text(json.dumps(value), "utf-8")
    place.run("uninstall", "claude")
    assert hooks_of(place, "claude") == {"hooks": {"UserPromptSubmit": [other]}}


@pytest.mark.parametrize("client", OF_PROJECTS)
def test_a_project_gets_no_hooks_and_that_is_said(place: Place, client: str) -> None:
    done = place.run("install", client, "--all", "--scope", "project")
    assert done.returncode == 0
    assert ("no hooks for a project" in done.stdout) is (client in hooks.CLIENTS)
    assert not [name for name in bytes_below(place.home) if "hooks" in name]
    assert "hook prompt" not in "".join(map(str, bytes_below(place.home).values()))


def test_a_file_that_two_clients_read_keeps_hooks_for_the_other(place: Place) -> None:
    place.run("install", "copilot", "vscode", "--all")
    done = place.run("uninstall", "copilot")
    assert "the hooks stay for VS Code" in done.stdout
    assert commands(hooks_of(place, "copilot"))
    place.run("uninstall", "vscode")
    assert not (place.home / HOOK_FILES["copilot"]).exists()


@pytest.mark.parametrize("program", ["/no/such/repo-mcp", "false", "sh -c 'exit 2' repo-mcp"])
def test_a_program_that_is_gone_or_fails_is_silent(program: str) -> None:
    entries = hook_entries(FORMS["gemini"], ["PROGRAM"])
    for line in commands(entries):
        done = subprocess.run(
            ["/bin/sh", "-c", line.replace("PROGRAM", program)],
            input=b"{}",
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_program_with_a_space_in_its_path_is_found_again() -> None:
    entries = hook_entries(FORMS["claude"], ["/my programs/repo-mcp"])
    text = json.dumps({"hooks": {event: [entry] for event, entry in entries.items()}})
    found = list(hooks.our_lines(text))
    assert [line[0] for line in found] == ["/my programs/repo-mcp"] * 2


@pytest.mark.parametrize("client", OF_PROJECTS)
def test_the_explorer_is_written_and_an_edited_one_stays(
    place: Place, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place.home))
    path = explorer_path(BY_NAME[client], "project", place.project, {})
    given = (client, "--scope", "project")
    place.run("install", *given, "--all")
    if path is None:
        return
    text = path.read_text("utf-8")
    assert "repo-explorer" in text
    assert "Stop when the verdict is `answered`" in text
    path.write_text(text.replace("six calls", "two calls"), "utf-8")
    assert "edited by hand" in place.run("uninstall", *given).stdout
    assert "two calls" in path.read_text("utf-8")


def test_hooks_that_are_code_start_the_program_and_go_again(place: Place) -> None:
    assert place.run("install", "opencode", "--all").returncode == 0
    file = place.home / ".config" / "opencode" / "plugins" / "repo-mcp.js"
    assert f"const PROGRAM = {json.dumps(COMMAND)}\n" in file.read_text("utf-8")
    assert place.run("install", "opencode", "--all").stdout.count("written") == 0
    assert place.run("uninstall", "opencode").returncode == 0
    assert [name for name, data in bytes_below(place.home).items() if data] == []
