"""With --json standard output is JSON alone, whatever a command has to say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docs.sample_shop import commit_files
from repo_mcp import dispatch
from repo_mcp.cli import parser
from repo_mcp.cli.command_table import COMMANDS
from repo_mcp.cli.help.completion import SHELLS
from tests.repo_mcp.cli.graph.graph_process import PYTHON
from tests.repo_mcp.tree_files import write

# the commands that print a JSON object a line, the last of which sums up
LINES = {"search", "files"}
SERVE = "serve"
# stands for the address of a folder to publish in
URL = "URL"
# it serves until a signal: tests/repo_mcp/web has its test
WEB = "web"
# lines of each command that find something, or do what they are for
GIVEN: dict[str, list[tuple[str, ...]]] = {
    "install": [("claude",), ("codex", "gemini", "--allow"), ("cursor", "--print")],
    "uninstall": [("claude",)],
    "doctor": [()],
    "config": [()],
    "index": [(), ("--force",)],
    "search": [("tax",), ("-F", "add_tax"), ("-l", "tax"), ("-c", "tax"), ("--type-list",)],
    "files": [(), ("-t", "py")],
    "outline": [("shop/prices.py",)],
    "ask": [("where is the tax added",), ("--name", "add_tax", "--more", "tests: add_tax")],
    "tour": [()],
    "diff": [("HEAD",)],
    "changes": [("HEAD",), ("--context",)],
    "history": [("--text", "tax"), ("shop/prices.py", "--lines", "all"), ("--people",)],
    "open": [("shop/prices.py:1-3",)],
    "bundle": [("where is the tax added",)],
    "symbol": [("add_tax",)],
    "symbols": [("price",)],
    "callers": [("add_tax",)],
    "callees": [("add_tax",)],
    "implementations": [("Price",)],
    "refs": [("Price",)],
    "dependencies": [("shop/prices.py",)],
    "dependents": [("Price",)],
    "similar": [("Price",)],
    "impact": [("add_tax",)],
    "path": [("_forgotten", "add_tax")],
    "cycles": [()],
    "unused": [()],
    "graph": [("Price",), ("--packages",)],
    "research": [("what calls add_tax",)],
    "hook": [("prompt", "what is add_tax"), ("search", "add_tax")],
    "audit": [()],
    "status": [(), ("--left-out",)],
    "check": [()],
    "compact": [()],
    "dump": [(), ("CURRENT",)],
    "publish": [(URL,)],
    "pull": [(URL,)],
    "keygen": [("signing.key",)],
    "audit-index": [("--sample", "2", "--seed", "7")],
    "completion": [(shell,) for shell in SHELLS],
    "proof": [("callers", "add_tax"), ("impact", "add_tax"), ("callers", "nowhere")],
    "scip": [("status",), ("export", "--output", "out.scip")],
}
WITHOUT_SETTINGS = {"install", "uninstall", "completion", "keygen"}


class Program:
    """The program in a repository with an index, and a home folder of its own."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        self.root = write(folder / "root", PYTHON)
        commit_files(self.root)
        self._url = (folder / "published").as_uri()
        home = folder / "home"
        home.mkdir()
        for name in ("HOME", "USERPROFILE"):
            monkeypatch.setenv(name, str(home))
        monkeypatch.chdir(self.root)
        self._monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *line: str) -> tuple[int, list[Any]]:
        """The exit code, and the JSON values of standard output."""
        words = [self._url if word == URL else word for word in line]
        self._monkeypatch.setattr("sys.argv", ["repo-mcp", *words, "--json"])
        try:
            code = dispatch.run(lambda: 1.0e9)
        except SystemExit as end:
            code = int(end.code or 0)
        out = self._capfd.readouterr().out
        assert out.isascii(), out
        assert out.endswith("\n"), out
        if line[0] in LINES and code < 2:
            return code, [json.loads(row) for row in out.splitlines()]
        return code, [json.loads(out)]


@pytest.fixture
def program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Program:
    return Program(tmp_path, monkeypatch, capfd)


def test_every_command_is_tried() -> None:
    # of `rg`, ripgrep itself prints it
    assert {*GIVEN} == {*COMMANDS} - {SERVE, WEB, "rg"}


@pytest.mark.parametrize("command", GIVEN)
def test_an_answer_is_json_alone(program: Program, command: str) -> None:
    if command in {"check", "compact", "dump", "audit-index"}:
        assert program("index")[0] == 0
    if command == "pull":
        assert program("publish", URL)[0] == 0
    for given in GIVEN[command]:
        code, values = program(command, *given)
        assert code in {0, 1}, values
        assert all(isinstance(value, dict) and "error" not in value for value in values)
        if command in LINES and "--type-list" not in given:
            assert values[-1]["type"] == "summary"
        elif command not in LINES:
            assert len(values) == 1


@pytest.mark.parametrize("command", GIVEN)
@pytest.mark.parametrize("wrong", [["--no-such-option"], ["--repo-root", "/nowhere/at/all"]])
def test_an_error_is_a_json_object(program: Program, command: str, wrong: list[str]) -> None:
    if command == "completion":
        wrong = ["--no-such-option"]
    code, (value,) = program(command, *GIVEN[command][0], *wrong)
    assert code in {1, 2}
    if command == "doctor" and "error" not in value:  # it reports what is wrong
        assert code == 1
        return
    assert code == 2
    assert value["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        ("search",),
        ("search", "-t", "klingon", "x"),
        ("search", "--mode", "regex", "("),
        ("outline", "nowhere.py"),
        ("open", "shop/prices.py:x-y"),
        ("open", "../outside"),
        ("callers", "add_tax", "--lang", "klingon"),
        ("research", "--depth", "9", "what calls x"),
        ("scip", "export", "--output", "nowhere/out.scip"),
        ("install", "claude", "--name", "not a name"),
        ("install", "cursor", "--scope", "user"),
        ("dump", "no-such-file"),
        ("bundle", " "),
    ],
    ids=" ".join,
)
def test_what_is_wrong_only_when_it_runs_is_json_too(
    program: Program, line: tuple[str, ...]
) -> None:
    assert program("index")[0] == 0
    code, (value,) = program(*line)
    assert code == 2
    assert set(value["error"]) >= {"code", "message"}


def test_a_step_of_install_tells_what_was_done(program: Program) -> None:
    code, (value,) = program("install", "codex", "claude", "--allow")
    assert code == 0
    assert value["command"] == "install"
    steps = [(step["client"], step["status"]) for step in value["steps"]]
    assert steps == [
        ("codex", "written"),
        ("codex", "note"),
        ("claude", "written"),
        ("claude", "written"),
    ]
    assert all(step["file"] for step in value["steps"])
    again = program("install", "codex")[1][0]["steps"]
    assert [step["status"] for step in again] == ["unchanged"]
    (shown,) = program("install", "gemini", "--print")[1][0]["steps"]
    assert shown["status"] == "shown"
    assert "mcpServers" in shown["text"]
    gone = program("uninstall", "codex", "gemini")[1][0]["steps"]
    assert [step["status"] for step in gone] == ["removed", "absent"]


def test_a_file_that_cannot_be_edited_is_told_with_what_to_paste(program: Program) -> None:
    home = program.root.parent / "home"
    write(home, {".codex/config.toml": b"\xff\xfe"})
    code, (value,) = program("install", "codex", "gemini")
    assert code == 2
    failed, written = value["steps"]
    assert (failed["status"], written["status"]) == ("failed", "written")
    assert failed["error"]
    assert "mcp_servers" in failed["text"]


def test_what_a_bug_says_is_json_too(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("repo_mcp.indexing.keep.manager.IndexManager.refresh", fail)
    code, (value,) = program("index")
    assert (code, value["error"]["code"]) == (2, "internal")


def test_the_server_has_no_such_option() -> None:
    with pytest.raises(SystemExit):
        parser.parse([SERVE, "--json"])
