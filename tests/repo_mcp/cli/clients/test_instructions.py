"""`install --instructions` tells agents when to use the tools; `uninstall` gives all bytes back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from repo_mcp.cli.clients import install
from repo_mcp.cli.clients.places import skill_path, text_path
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.known_clients import BY_NAME, CLIENTS, Scope
from tests.repo_mcp.cli.clients.test_install import Place
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers


class Terminal(io.StringIO):
    """A stream at which somebody sits."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def bytes_below(folder: Path) -> dict[str, bytes]:
    """All files, and the folders that hold none."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*")}
    return {name: path.read_bytes() if path.is_file() else b"" for name, path in found.items()}


def text_of(
    place: Place, client: str, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> Path | None:
    monkeypatch.setenv("HOME", str(place.home))
    return text_path(BY_NAME[client], scope, place.project, {})


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", CLIENTS)
def test_agents_are_told_and_uninstall_gives_every_byte_back(
    place: Place, client: str, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    if scope == "project" and not BY_NAME[client].project_file:
        pytest.skip("it has no file of a project")
    pinned = ["--repo-root", str(place.project)] if scope in BY_NAME[client].untold else []
    arguments = [client, "--scope", scope, *pinned]
    monkeypatch.setenv("HOME", str(place.home))
    text = text_path(BY_NAME[client], scope, place.project, {})
    skill = skill_path(BY_NAME[client], scope, place.project, {})
    before = bytes_below(place.home)
    done = place.run("install", *arguments, "--instructions")
    assert (done.returncode, done.stderr) == (0, "")
    if skill is not None:
        assert skill.read_text("utf-8").startswith("---\nname: repo-mcp\ndescription: ")
    for file in (path for path in (text, skill) if path is not None):
        assert "MCP server `repo`" in file.read_text("utf-8")
        assert "`repo.symbol`" in file.read_text("utf-8")
    once = bytes_below(place.home)
    assert place.run("install", *arguments, "--instructions").returncode == 0
    assert bytes_below(place.home) == once
    assert place.run("uninstall", *arguments).returncode == 0
    assert bytes_below(place.home) == before


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"my rules",
        b"my rules\n",
        b"my rules\n\n\n",
        b"\xef\xbb\xbfmine\r\nrules\r\n",
        b"a\r\nb\n",
    ],
)
def test_a_file_with_rules_of_its_own_is_as_before_after_uninstall(
    place: Place, before: bytes
) -> None:
    write(place.project, {"CLAUDE.md": before})
    assert place.run("install", "claude", "--instructions", "--scope", "project").returncode == 0
    during = (place.project / "CLAUDE.md").read_bytes()
    assert during.startswith(before)
    assert len(during) > len(before)
    assert place.run("uninstall", "claude", "--scope", "project").returncode == 0
    assert bytes_below(place.project).keys() == {".git", "CLAUDE.md"}
    assert (place.project / "CLAUDE.md").read_bytes() == before


def test_text_around_the_block_stays_whatever_is_written_there(place: Place) -> None:
    file = place.project / "AGENTS.md"
    file.write_text("first\n", "utf-8")
    place.run("install", "codex", "--instructions", "--scope", "project")
    file.write_text("zeroth\n" + file.read_text("utf-8") + "last\n", "utf-8")
    place.run("uninstall", "codex", "--scope", "project")
    assert file.read_text("utf-8") == "zeroth\nfirst\nlast\n"


def test_a_block_that_was_edited_is_kept_and_that_is_said(place: Place) -> None:
    file = place.project / "AGENTS.md"
    place.run("install", "codex", "--instructions", "--scope", "project")
    edited = file.read_text("utf-8").replace("before grep", "after grep")
    file.write_text(edited, "utf-8")
    for command in (("install", "codex", "--instructions"), ("uninstall", "codex")):
        done = place.run(*command, "--scope", "project")
        assert done.returncode == 0
        assert "AGENTS.md: the text was edited by hand: it stays" in done.stdout
        assert file.read_text("utf-8") == edited


def test_an_older_block_becomes_the_current_one(place: Place) -> None:
    file = place.project / "AGENTS.md"
    file.write_text("mine\n", "utf-8")
    place.run("install", "codex", "--instructions", "--scope", "project", "--name", "other")
    assert "MCP server `other`" in file.read_text("utf-8")
    place.run("install", "codex", "--instructions", "--scope", "project")
    assert file.read_text("utf-8").count("repo-mcp:begin") == 1
    assert "MCP server `repo`" in file.read_text("utf-8")


def test_a_file_that_several_clients_read_keeps_the_block_for_the_others(place: Place) -> None:
    file = place.project / "AGENTS.md"
    place.run("install", "codex", "copilot", "--instructions", "--scope", "project")
    done = place.run("uninstall", "codex", "--scope", "project")
    assert "the text stays for Copilot CLI" in done.stdout
    assert file.exists()
    place.run("uninstall", "copilot", "--scope", "project")
    assert not file.exists()


def test_a_skill_of_somebody_else_stays(place: Place) -> None:
    path = ".claude/skills/repo-mcp/SKILL.md"
    write(place.project, {path: "---\nname: mine\n---\n"})
    done = place.run("install", "claude", "--instructions", "--scope", "project")
    assert "not of repo-mcp: it stays" in done.stdout
    assert (place.project / path).read_text("utf-8") == "---\nname: mine\n---\n"


def test_a_link_out_of_the_project_is_not_followed(place: Place) -> None:
    outside = place.home / "outside.md"
    outside.write_text("private\n", "utf-8")
    (place.project / "CLAUDE.md").symlink_to(outside)
    done = place.run("install", "claude", "--instructions", "--scope", "project")
    assert done.returncode != 0
    assert "a symlink leads out of the project" in done.stderr
    assert outside.read_text("utf-8") == "private\n"


def test_without_the_option_and_a_terminal_nothing_is_written(place: Place) -> None:
    place.run("install", "claude", "--scope", "project")
    assert set(bytes_below(place.project)) == {".git", ".mcp.json"}


def test_a_dry_run_shows_the_files_and_writes_none(place: Place) -> None:
    before = bytes_below(place.home)
    done = place.run("install", "claude", "--instructions", "--scope", "project", "--dry-run")
    assert done.returncode == 0
    assert "CLAUDE.md would be" in done.stderr
    assert "SKILL.md would be" in done.stderr
    assert "## Finding code" in done.stdout
    assert bytes_below(place.home) == before


def test_subagents_that_lack_the_tools_are_named(place: Place) -> None:
    head = "---\nname: x\ntools: Read"
    write(
        place.project,
        {
            ".claude/agents/lacks.md": f"{head}\n---\n",
            ".claude/agents/has.md": f"{head}, mcp__repo__repo_search\n---\n",
            ".claude/agents/all.md": "---\nname: x\n---\ntools: Read\n",
        },
    )
    done = place.run("install", "claude", "--instructions", "--scope", "project", "--json")
    notes = [step["note"] for step in json.loads(done.stdout)["steps"] if step["status"] == "note"]
    assert [note.split(": ")[1].split(";")[0] for note in notes] == ["lacks"]


@pytest.mark.parametrize(
    ("answer", "wanted"), [("y\n", True), ("\n", True), ("n\n", False), ("", False)]
)
def test_at_a_terminal_the_user_is_asked_once_for_everything(
    answer: str, monkeypatch: pytest.MonkeyPatch, *, wanted: bool
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr", Terminal(""))
    assert install._wants_all(CommandLine(json=False, print=False)) is wanted
