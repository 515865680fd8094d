"""The table of commands: each row leads to what it names, and says what its command takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from index_format.late_import import import_object
from repo_mcp import cli, dispatch
from repo_mcp.cli.command_line import HOOK, SERVE, WEB
from repo_mcp.cli.command_table import COMMANDS, Command
from repo_mcp.cli.graph.command import _HANDLERS
from repo_mcp.cli.graph_arguments import GraphCommand
from repo_mcp.cli.parser import full_parser
from tests.repo_mcp.trees import write
from tests.waiting import HANG

# the program runs them itself
OF_THE_PROGRAM = {SERVE, WEB, HOOK}
ROWS = [pytest.param(command, id=name) for name, command in COMMANDS.items()]
(SUBPARSERS,) = full_parser()._subparsers._group_actions  # type: ignore[union-attr]


def options_of(name: str) -> set[str]:
    assert isinstance(SUBPARSERS.choices, dict)
    return {*SUBPARSERS.choices[name]._option_string_actions}


@pytest.mark.parametrize("command", ROWS)
def test_a_row_has_a_target_unless_the_program_runs_its_command(command: Command) -> None:
    assert (not command.target) is (command.name in OF_THE_PROGRAM)
    if command.target:
        assert callable(import_object(f"repo_mcp.cli.{command.target}"))


@pytest.mark.parametrize("command", ROWS)
def test_a_command_takes_what_its_row_says(command: Command) -> None:
    options = options_of(command.name)
    assert "--rev" in options or not command.at_revisions
    assert ("--repo-root" in options) is (command.has_settings or "install" in command.name)
    assert ("--http" in options) is command.has_server_settings
    if command.asks_graph:
        assert "--refresh" in options


@pytest.mark.parametrize("command", ROWS)
def test_no_trait_of_a_row_needs_an_index_that_its_command_does_not_open(command: Command) -> None:
    of_index = (command.takes_call, command.of_one_root, command.at_revisions)
    assert command.needs_index or not any((*of_index, command.knows_packages))
    assert command.has_settings or not command.has_server_settings
    assert command.of_one_root or not command.to_one_place


def test_every_option_that_a_command_reads_is_one_of_a_command() -> None:
    """Type checkers know the options of no command."""
    assert isinstance(SUBPARSERS.choices, dict)
    known = {"command", "setting_flags"}
    for parser in SUBPARSERS.choices.values():
        known |= {*parser._defaults} | {action.dest for action in parser._actions}
    of_line = re.compile(r"\b_?args\.(?!replaced\()(\w+)")
    read = {
        name
        for file in Path(cli.__file__).parent.rglob("*.py")
        for name in of_line.findall(file.read_text("utf-8"))
    }
    assert len(read) > 100
    assert read <= known


def test_no_name_means_two_commands() -> None:
    names = [name for command in COMMANDS.values() for name in (command.name, *command.tools)]
    assert len(names) == len({*names})


def test_commands_of_the_graph_are_those_that_it_answers() -> None:
    of_graph = [command.name for command in COMMANDS.values() if command.asks_graph]
    assert of_graph == [*GraphCommand] == [*_HANDLERS]


def test_the_table_loads_nothing_of_what_a_command_does() -> None:
    code = "import sys, repo_mcp.cli.command_table; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=HANG
    )
    rooms = [name for name in done.stdout.split() if name.startswith("repo_mcp.cli.")]
    assert rooms == ["repo_mcp.cli.command_line", "repo_mcp.cli.command_table"]
    assert "argparse" not in done.stdout.split()


@pytest.mark.parametrize("command", ["files", "search", "symbols"])
def test_a_new_folder_is_noted_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
) -> None:
    root = write(tmp_path / "root", {"needle.py": "needle = 1\n", ".git/HEAD": "x"})
    monkeypatch.setattr("sys.argv", ["repo-mcp", command, "needle.py", "--repo-root", str(root)])
    monkeypatch.chdir(root)
    dispatch.run(lambda: 1.0e9)
    assert capfd.readouterr().err.count("a new folder that git ignores") == 1
