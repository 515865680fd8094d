"""Shells complete what somebody types at them: commands, options, values and paths."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from repo_mcp.cli.help import completion
from repo_mcp.cli.help.examples import EXAMPLES
from tests.repo_mcp.cli.typed import typing_at
from tests.repo_mcp.tree_files import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

SCRIPTS = Path(completion.__file__).parent / "scripts"
START = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
}
SETUP = {
    "bash": "source '{script}'",
    "zsh": "autoload -Uz compinit; compinit -u -D; eval \"$(cat '{script}')\"",
}
# what is typed, and how it ends after the tab key
TYPED = [
    ("repo-mcp sear", "repo-mcp search "),
    ("repo-mcp dependents --edge-type inherit", "--edge-type inherits "),
    ("repo-mcp search --max-col", "search --max-columns"),
    ("repo-mcp open src/on", "open src/only_file.py"),
    ("repo-mcp search word src/on", "word src/only_file.py"),
    ("repo-mcp research --path sr", "--path src"),
    ("repo-mcp completion fi", "completion fish"),
]


def program_of(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"src/only_file.py": "x = 1\n", "README.md": "x\n"})


@pytest.mark.parametrize("shell", sorted(START))
def test_the_tab_key_completes(shell: str, folder: Path) -> None:
    command = [program_of(shell), *START[shell]]
    home = {"HOME": str(folder.parent), "PATH": os.environ["PATH"], "PS1": "> "}
    setup = SETUP[shell].format(script=SCRIPTS / f"repo-mcp.{shell}")
    with typing_at(command, folder, home) as typist:
        # the word is only whole in what the shell prints
        typist.type(f"{setup}; PS1='> '; echo rea''dy\n", r"ready\r?\n[^\n]*> $")
        for begun, whole in TYPED:
            typist.type(f"{begun}\t", whole.rstrip())
            typist.type("\x15echo do''ne\n", r"done\r?\n[^\n]*> $")  # Ctrl-U clears the line


@pytest.mark.parametrize(("begun", "whole"), TYPED)
def test_fish_completes(begun: str, whole: str, folder: Path) -> None:
    fish = program_of("fish")
    script = SCRIPTS / "repo-mcp.fish"
    asked = f"source '{script}'; complete -C '{begun}'"
    done = subprocess.run(
        [fish, "--no-config", "-c", asked],
        cwd=folder,
        env={"HOME": str(folder.parent), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.stderr == ""
    found = [line.partition("\t")[0].rstrip("/") for line in done.stdout.splitlines()]
    assert any(whole.rstrip().endswith(item) for item in found if item), found


def test_no_example_of_the_help_writes_over_a_file_that_people_have() -> None:
    lines = [line for rows in EXAMPLES.values() for line, _ in rows]
    assert [line for line in lines if re.search(r">\s*[~/]", line)] == []
    assert 'eval "$(repo-mcp completion bash)"' in lines
