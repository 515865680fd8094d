"""`doctor` reports all that is of another version, and `doctor --mend` mends that alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repo_mcp import guidance
from repo_mcp.cli.clients import drift
from repo_mcp.cli.clients.drift import Drift
from tests.repo_mcp.cli.clients.test_install import COMMAND, Place
from tests.repo_mcp.cli.clients.test_instructions import bytes_below
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers
PARTS = ["claude", "codex", "gemini", "copilot", "opencode"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("HOME", str(place.home))
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


def drifts(place: Place) -> list[Drift]:
    return list(drift.drifts(place.project))


@pytest.mark.parametrize("scope", ["user", "project"])
def test_what_was_just_installed_has_not_drifted(place: Place, scope: str) -> None:
    assert place.run("install", *PARTS, "--all", "--scope", scope).returncode == 0
    assert drifts(place) == []
    before = bytes_below(place.home)
    place.run("doctor", "--mend")
    assert bytes_below(place.home) == before


def test_texts_of_another_version_are_mended(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.run("install", *PARTS, "--all")
    before = bytes_below(place.home)
    newer = guidance.instructions() + "- More of it.\n"
    monkeypatch.setattr(guidance, "instructions", lambda _="": newer)
    found = drifts(place)
    assert [item.part for item in found] == ["text"] * 10
    files = {item.change.file.path.name for item in found}
    assert files == {"CLAUDE.md", "AGENTS.md", "GEMINI.md", "copilot-instructions.md", "SKILL.md"}
    for item in found:
        assert item.change.text is not None
        item.change.file.path.write_text(item.change.text, "utf-8")
    assert drifts(place) == []
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(place.home))
    place.run("doctor", "--mend")
    assert bytes_below(place.home) == before


def test_a_program_that_moved_is_mended_in_entry_and_hooks(place: Place) -> None:
    place.run("install", "gemini", "claude", "--all", "--command", "/gone/repo-mcp")
    found = drifts(place)
    assert {(item.part, item.level) for item in found} == {("entry", "fail"), ("hooks", "warn")}
    assert "run `repo-mcp doctor --mend`" in place.run("doctor").stdout
    assert all("/gone/repo-mcp, which does not exist" in item.message for item in found)
    place.run("doctor", "--mend")
    assert drifts(place) == []
    settings = (place.home / ".gemini" / "settings.json").read_text("utf-8")
    assert "/gone" not in settings
    assert place.line("gemini") == [*COMMAND, "serve", "--content", "text"]


def test_an_entry_keeps_its_own_flags_and_gets_what_its_client_needs(place: Place) -> None:
    entry = {"command": COMMAND[0], "args": ["serve", "--no-watch"], "env": {"A": "b"}}
    write(place.home, {".claude.json": json.dumps({"mcpServers": {"mine": entry}, "x": 1})})
    (found,) = drifts(place)
    assert "'mine'" in found.message
    assert "lacks --content text alwaysLoad" in found.message
    place.run("doctor", "--mend")
    value = json.loads((place.home / ".claude.json").read_text("utf-8"))
    args = ["serve", "--no-watch", "--content", "text"]
    assert value["mcpServers"]["mine"] == {
        "command": COMMAND[0],
        "args": args,
        "env": {"A": "b"},
        "type": "stdio",
        "alwaysLoad": True,
    }


def test_an_edited_text_that_names_a_tool_that_is_gone_is_left_to_its_author(
    place: Place,
) -> None:
    place.run("install", "codex", "--all")
    file = place.home / ".codex" / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("repo.outline", "repo.old_tool"), "utf-8")
    edited = file.read_text("utf-8")
    (found,) = drifts(place)
    assert found.message.endswith("names tools that are gone: old_tool")
    done = place.run("doctor", "--mend")
    assert "edit it by hand" in done.stdout
    assert file.read_text("utf-8") == edited


def test_hooks_of_another_version_are_mended_with_the_program_that_they_have(
    place: Place,
) -> None:
    place.run("install", "claude", "--all", "--command", "repo-mcp")
    file = place.home / ".claude" / "settings.json"
    right = file.read_text("utf-8")
    file.write_text(right.replace("Bash|Grep", "Grep"), "utf-8")
    (found,) = drifts(place)
    assert (found.part, "are of another version" in found.message) == ("hooks", True)
    place.run("doctor", "--mend")
    assert json.loads(file.read_text("utf-8")) == json.loads(right)
    assert drifts(place) == []


def test_a_shared_entry_from_path_and_files_without_a_server_are_left(place: Place) -> None:
    place.run("install", "codex", "--scope", "project", "--command", "repo-mcp")
    write(place.home, {".gemini/GEMINI.md": "<!-- repo-mcp:begin - 000000000000 -->\nx\n"})
    assert drifts(place) == []
