"""The command line: the fast parser and argparse give the same result."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from repo_mcp.cli import arguments, parser
from repo_mcp.cli.command_table import COMMANDS
from repo_mcp.settings import SETTINGS
from tests.repo_mcp.server_process import PROGRAM

pytestmark = pytest.mark.servers

FLAGS = [setting.flag for setting in SETTINGS if setting.kind != "switch"]
SWITCHES = [
    flag
    for setting in SETTINGS
    if setting.kind == "switch"
    for flag in (setting.flag, setting.flag_off)
]
WORDS = st.sampled_from(["a", "7", "", "a b", "x=y", "--", "-1", "-x", "--help", "serve", "ä"])
LINES = st.lists(
    st.tuples(st.sampled_from(FLAGS), WORDS).map(list)
    | st.tuples(st.sampled_from(FLAGS), WORDS).map(lambda pair: [f"{pair[0]}={pair[1]}"])
    | st.sampled_from(SWITCHES).map(lambda flag: [flag])
    | st.tuples(WORDS).map(list)
).map(lambda parts: [word for part in parts for word in part])


@given(LINES)
def test_the_quick_reader_says_what_argparse_says_or_nothing(line: list[str]) -> None:
    said = arguments.plain_flags(line)
    if said is not None:
        found = parser.parse(["serve", *line])
        assert (found.command, found.setting_flags) == ("serve", said)


@pytest.mark.parametrize(
    "line",
    [["serve"], [], ["--repo-root", "."], ["serve", "--repo-root=.", "--no-watch", "--http"]],
)
def test_a_plain_line_needs_no_argparse(line: list[str]) -> None:
    code = f"""
import sys
from repo_mcp.cli import arguments
print(arguments.parse({line!r}).command, "argparse" in sys.modules)
"""
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "serve False\n"


def run(*given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *given], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["serve", "--repo-rot", "x"], "unrecognized arguments: --repo-rot x"),
        (["search"], "what to search for is missing"),
        (["nothing"], "invalid choice: 'nothing'"),
        (["install", "emacs"], "invalid choice: 'emacs'"),
        (["serve", "--repo-root"], "expected one argument"),
        (["--tools"], "expected one argument"),
        (["status", "--toolsets", "all"], "unrecognized arguments: --toolsets all"),
        (["config", "--http-port", "many"], "--http-port many: must be a whole number from 0 to"),
        (["audit", "--limit", "0"], "a whole number above 0"),
        (["install", "codex", "--name", "a b"], "--name: letters, digits"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(line: list[str], said: str) -> None:
    done = run(*line)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.startswith("repo-mcp: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_of_its_own(command: str) -> None:
    done = run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: repo-mcp {command}")
    about = COMMANDS[command].meaning
    assert " ".join(about.split())[1:40] in " ".join(done.stdout.split())


def test_the_help_names_every_command() -> None:
    shown = run("--help").stdout
    named = re.findall(r"^    ([\w-]+)", shown, re.MULTILINE)
    assert named == [*COMMANDS]
    assert run("--version").stdout.startswith("repo-mcp 0")
