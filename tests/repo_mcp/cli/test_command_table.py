"""The table of commands: each row leads to what it names, and says what its command takes."""

from __future__ import annotations

import re
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

(SUBPARSERS,) = full_parser()._subparsers._group_actions  # type: ignore[union-attr]
assert isinstance(SUBPARSERS.choices, dict)
PARSERS = SUBPARSERS.choices


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_row_says_what_runs_its_command_and_what_that_takes(command: Command) -> None:
    assert (not command.target) is (command.name in {SERVE, WEB, HOOK})
    assert not command.target or callable(import_object(f"repo_mcp.cli.{command.target}"))
    options = PARSERS[command.name]._option_string_actions
    assert "--rev" in options or not command.at_revisions
    assert ("--data-dir" in options) is command.has_settings
    assert ("--http" in options) is command.has_server_settings
    of_index = (command.takes_call, command.of_one_root, command.at_revisions)
    assert command.needs_index or not any((*of_index, command.knows_packages))
    assert command.of_one_root or not command.to_one_place


def test_no_name_means_two_commands() -> None:
    names = [name for command in COMMANDS.values() for name in (command.name, *command.tools)]
    assert len(names) == len({*names})


def test_commands_of_the_graph_are_those_that_it_answers() -> None:
    of_graph = [command.name for command in COMMANDS.values() if command.asks_graph]
    assert of_graph == [*GraphCommand] == [*_HANDLERS]


def test_every_option_that_commands_read_is_one_of_a_command() -> None:
    """Type checkers know the options of no command."""
    known = {"command", "setting_flags"}
    for parser in PARSERS.values():
        known |= {*parser._defaults} | {action.dest for action in parser._actions}
    files = Path(cli.__file__).parent.rglob("*.py")
    texts = "".join(file.read_text("utf-8") for file in files)
    read = {*re.findall(r"\b_?args\.(?!replaced\()(\w+)", texts)}
    assert len(read) > 100
    assert read <= known


@pytest.mark.parametrize("command", ["files", "search", "symbols"])
def test_a_new_folder_is_noted_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
) -> None:
    root = write(tmp_path / "root", {"a.py": "needle = 1\n", ".git/HEAD": "x"})
    monkeypatch.setattr("sys.argv", ["repo-mcp", command, "a.py", "--repo-root", str(root)])
    monkeypatch.chdir(root)
    dispatch.run(lambda: 1.0e9)
    assert capfd.readouterr().err.count("a new folder that git ignores") == 1
