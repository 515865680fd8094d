"""The program around its commands: help, names, completion, `python -m`, folders without git."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp import dispatch
from repo_mcp.cli import arguments, parser
from repo_mcp.cli.command_table import COMMANDS
from repo_mcp.cli.help.completion import SHELLS
from repo_mcp.cli.help.examples import EXAMPLES
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import write
from tests.waiting import HANG

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    def call(*given: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["repo-mcp", *given])
        try:
            code = dispatch.run(lambda: 1.0e9)
        except SystemExit as end:
            code = int(end.code or 0)
        return code, *capfd.readouterr()

    return call


def test_every_command_has_examples_that_can_be_typed() -> None:
    assert {*EXAMPLES} == {*COMMANDS}
    for rows in EXAMPLES.values():
        for line, _ in rows:
            command = re.split(r' [|>]|\)"', line.rpartition("repo-mcp ")[2])[0]
            words = re.findall(r"'[^']*'|\S+", command)
            args = arguments.parse([word.strip("'") for word in words])
            assert args.command == words[0]


def test_help_is_a_word_too(run: Run) -> None:
    assert run("help", "search") == run("search", "--help")
    assert run("help") == run("--help")
    assert "did you mean 'search'" in run("help", "searchh")[2]


def test_the_usage_is_a_line(run: Run) -> None:
    usage = run("search", "--help")[1].splitlines()[0]
    assert usage == "usage: repo-mcp search [OPTIONS] [QUERY [PATH ...]]"
    assert "--data-dir" not in run("search", "--help")[1]
    assert "--data-dir" in run("search", "--help-all")[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers_programs(command: str) -> None:
    """`serve` speaks JSON alone, and the options of `rg` are ripgrep's."""
    known = parser.full_parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    assert isinstance(known, dict)
    has_json = "--json" in known[command]._option_string_actions
    assert has_json is (command not in {"serve", "rg"})


def test_tools_names_are_known_as_commands(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "needle\n", ".git/HEAD": "x"})
    where = ["--repo-root", str(tmp_path), "--data-dir", str(tmp_path / ".repo_mcp")]
    found = run("repo.search", "needle", *where)
    assert found[:2] == (0, "a.txt:1:needle\n")
    assert run("list_files", *where)[1] == "a.txt\n"


@pytest.mark.servers
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_is_told_what_to_complete(run: Run, shell: str) -> None:
    code, out, _ = run("completion", shell)
    assert code == 0
    assert all(name in out for name in COMMANDS)
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=out, text=True, check=True, timeout=HANG)


@pytest.mark.servers
def test_bash_completes_commands(run: Run) -> None:
    program = shutil.which("bash")
    if program is None:
        pytest.skip("bash is not installed")
    script = run("completion", "bash")[1]
    function = re.findall(r"-F (\S+)", script)[-1]
    asked = (
        f"{script}\nCOMP_WORDS=(repo-mcp sea); COMP_CWORD=1; COMP_LINE='repo-mcp sea';"
        f' COMP_POINT=12; {function}; echo "${{COMPREPLY[*]}}"\n'
    )
    done = subprocess.run(
        [program, "--norc"], input=asked, capture_output=True, text=True, check=False, timeout=HANG
    )
    assert done.stdout.split() == ["search"], done


TRAP = "open({where!r}, 'a').write(__name__ + chr(10))\n"


@pytest.mark.servers
@pytest.mark.parametrize("flags", [["-P"], ["-I"]], ids=str)
def test_python_m_imports_nothing_of_the_current_folder(tmp_path: Path, flags: list[str]) -> None:
    done, sprung = start_in_trap(tmp_path, flags, package=True)
    assert done.stdout.startswith("repo-mcp 0"), done.stderr
    assert not sprung.exists()


@pytest.mark.servers
def test_nor_does_it_without_a_flag_where_python_finds_this_program(tmp_path: Path) -> None:
    """Only a folder `repo_mcp` there is Python's own choice, made before this program begins."""
    done, sprung = start_in_trap(tmp_path, [], package=False)
    assert done.stdout.startswith("repo-mcp 0"), done.stderr
    assert not sprung.exists()


def start_in_trap(
    tmp_path: Path, flags: list[str], *, package: bool
) -> tuple[subprocess.CompletedProcess[str], Path]:
    sprung = tmp_path / "sprung"
    trap = TRAP.format(where=str(sprung))
    names = ["json", "argparse", "numpy", "time", "sitecustomize", "typing", "shtab"]
    files: dict[str, str | bytes] = {f"{name}.py": trap for name in names}
    if package:
        files |= {"repo_mcp/__init__.py": trap, "repo_mcp/__main__.py": trap}
    folder = write(tmp_path / "hostile", files)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *flags, "-m", "repo_mcp", "--version"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    return done, sprung


@pytest.mark.parametrize("has_git", [False, True])
def test_an_index_in_a_folder_that_is_no_repository_is_announced(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_git: bool
) -> None:
    folder = write(tmp_path / "plain", {"a.txt": "needle\n"})
    if has_git:
        write(folder, {".git/HEAD": "x"})
    monkeypatch.chdir(folder)
    assert run("status")[2] == ""
    assert not (folder / ".repo_mcp").exists()
    said = run("search", "needle")[2]
    assert (f"note: {folder} is no repository" in said) is not has_git
    assert f"the index goes to {folder / '.repo_mcp'}" in said
    assert "the index goes to" not in run("search", "needle")[2]


def test_the_room_of_superseded_files_is_free_after_a_first_index(run: Run, tmp_path: Path) -> None:
    body = "".join(f"def f{at}(a):\n    return a + word{at}\n" for at in range(40))
    files: dict[str, str | bytes] = {f"d{n % 7}/m{n}.py": f"# {n}\n{body}" for n in range(300)}
    root = write(tmp_path / "root", files)
    where = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data"), "--workers", "2"]
    assert run("index", *where)[0] == 0
    found = json.loads(run("status", "--json", *where)[1])
    assert found["disk"]["superseded"] == 0
    assert found["disk"]["dead"] == 0
    (share,) = found["languages"]
    assert (share["name"], share["files"]) == ("python", 300)
    assert {row["name"] for row in found["folders"]} == {f"d{n}" for n in range(7)}


def test_what_is_left_out_can_be_listed(run: Run, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.txt": "x\n",
        ".env": "x",
        "b.odd": b"\0",
        "c.txt": b"\0\1",
        ".git/HEAD": "x",
    }
    root = write(tmp_path / "root", files)
    where = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]
    run("index", *where)
    rows = dict(
        line.rsplit(": ", 1) for line in run("status", *where, "--left-out")[1].splitlines()
    )
    assert rows["b.odd"] == rows["c.txt"] == "not text"
    assert rows[".env"] == "may contain secrets"
    shares = json.loads(run("status", "--json", *where)[1])["languages"]
    assert [(share["name"], share["files"]) for share in shares] == [("other text", 1)]
    code, out, _ = run("status", *where, "--left-out", "binary")
    assert (code, out) == (0, "b.odd: not text\nc.txt: not text\n")
    assert run("status", *where, "--left-out", "mount")[0] == 1


def test_lines_and_outlines_are_those_of_the_file_as_it_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", {"src/a.py": "def one():\n    pass\n", ".git/HEAD": "x"})
    where = ["--data-dir", str(tmp_path / "data")]
    monkeypatch.chdir(root / "src")
    assert run("outline", "a.py", *where)[1] == "1-2  def one()\n"
    write(root, {"src/a.py": "x = 1\n\n\nclass Two:\n    def three(self):\n        pass\n"})
    assert run("outline", "a.py", *where)[1].splitlines() == [
        "  1  x = 1",
        "4-6  class Two",
        "5-6    def three(self)",
    ]
    assert (
        run("outline", "a.py", "--depth", "1", "--kind", "class", *where)[1] == "4-6  class Two\n"
    )
    assert run("outline", ".", *where)[1] == "a.py (python, 3 declarations): Two\n"
    folder = json.loads(run("outline", "..", "--json", *where)[1])
    assert (folder["folders"], folder["files"]) == ([{"path": ".", "files": 1}], [])
    assert run("open", "a.py:4-5", *where)[1] == "class Two:\n    def three(self):\n"
    assert run("open", "a.py:6", "-n", *where)[1] == "6          pass\n"
    assert run("open", "a.py:5-", *where)[1].count("\n") == 2
    code, out, err = run("open", "a.py:9", *where)
    assert (code, out) == (2, "")
    assert "the file has 6 lines" in err


def test_a_secret_is_not_opened(run: Run, tmp_path: Path) -> None:
    root = write(tmp_path / "root", {".env": "TOKEN=hidden", ".git/HEAD": "x"})
    code, out, err = run("open", str(root / ".env"), "--repo-root", str(root))
    assert (code, out, "hidden" in err) == (2, "", False)
    code, out, err = run("open", str(root / ".env"), "--repo-root", str(root), "--json")
    assert (code, err, "path_denied" in out) == (2, "", True)


@pytest.mark.servers
def test_nothing_that_only_help_needs_is_loaded_by_a_search(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.txt": "needle\n", ".git/HEAD": "x"})
    code = (
        "import sys; from repo_mcp.dispatch import run; run();"
        " print([name for name in sys.modules if name.partition('.')[0] == 'shtab'"
        " or name in ('difflib', 'repo_mcp.repository.survey')])"
    )
    where = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data"), "--stale-ok"]
    subprocess.run([*PROGRAM, "index", *where[:4]], check=True, capture_output=True, timeout=HANG)
    done = subprocess.run(
        [PROGRAM[0], "-P", "-c", code, "search", "needle", *where],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.stdout.splitlines() == ["a.txt:1:needle", "[]"], done.stderr
