"""`install --allow` lets clients call the tools without asking; `uninstall` takes it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.cli.clients.test_install import PLAIN, Place

pytestmark = pytest.mark.servers


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def rules(place: Place, file: str = ".claude/settings.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place.home / file).read_text("utf-8"))
    return found


def test_claude_gets_a_rule_beside_those_it_has(place: Place) -> None:
    file = place.home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{\n  "model": "x",\n  "permissions": {"allow": ["Bash(ls)"]}\n}\n', "utf-8")
    assert place.run("install", "claude", "--allow").returncode == 0
    assert rules(place) == {
        "model": "x",
        "permissions": {"allow": ["Bash(ls)", "mcp__repo"]},
    }
    assert place.run("install", "claude", "--allow").returncode == 0
    assert rules(place)["permissions"]["allow"] == ["Bash(ls)", "mcp__repo"]
    assert place.run("uninstall", "claude").returncode == 0
    assert rules(place)["permissions"] == {"allow": ["Bash(ls)"]}


def test_without_the_flag_no_rule_is_written(place: Place) -> None:
    place.run("install", "claude")
    assert not (place.home / ".claude" / "settings.json").exists()


def test_the_rule_of_a_project_is_in_the_file_of_one_person(place: Place) -> None:
    place.run("install", "claude", "--allow", "--scope", "project", "--name", "code")
    found = rules(place, "work/project/.claude/settings.local.json")
    assert found == {"permissions": {"allow": ["mcp__code"]}}


def test_rules_of_another_form_are_left_alone(place: Place) -> None:
    file = place.home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"permissions": {"allow": "all"}}', "utf-8")
    done = place.run("install", "claude", "--allow")
    assert (done.returncode, "another form" in done.stderr) == (2, True)
    assert file.read_text("utf-8") == '{"permissions": {"allow": "all"}}'


def test_gemini_trusts_the_entry(place: Place) -> None:
    place.run("install", "gemini", "--allow")
    entry = json.loads(place.file("gemini").read_text("utf-8"))["mcpServers"]["repo"]
    assert entry["trust"] is True
    place.run("install", "gemini", "--name", "other")
    other = json.loads(place.file("gemini").read_text("utf-8"))["mcpServers"]["other"]
    assert "trust" not in other


@pytest.mark.parametrize("client", sorted({*PLAIN} - {"claude", "gemini", "qwen"}))
def test_of_other_clients_it_is_said_how(place: Place, client: str) -> None:
    done = place.run("install", client, "--allow")
    assert done.returncode == 0
    assert len(done.stdout.strip().split("\n")) == 2


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{}",
        '{"permissions": {\n  "allow": [\n    "Bash(ls)",\n    "Bash(cat)"\n  ]}\n}',
        '{"permissions": {"allow": []}}\n',
        '{"permissions": {"deny": ["Bash(rm)"]} \n }\n',
    ],
)
def test_every_byte_of_the_rules_comes_back(place: Place, text: str | None) -> None:
    file = place.home / ".claude" / "settings.json"
    if text is not None:
        file.parent.mkdir()
        file.write_text(text, "utf-8")
    before = place.files()
    assert place.run("install", "claude", "--allow").returncode == 0
    assert rules(place)["permissions"]["allow"][-1] == "mcp__repo"
    assert place.run("uninstall", "claude").returncode == 0
    left = {name: held for name, held in place.files().items() if not name.endswith(".bak")}
    assert left == before
