"""Nothing that a repository holds reaches the terminal as a command to it, whatever is run there.

The commands and their options come from the parser: a new one is run here without being named.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import pytest

from repo_mcp import dispatch
from repo_mcp.cli import parser
from repo_mcp.cli.command_line import SERVE, WEB
from repo_mcp.cli.command_table import COMMANDS
from repo_mcp.cli.doctor import start
from repo_mcp.cli.known_clients import BY_NAME
from repo_mcp.settings import SETTINGS as TABLE
from tests.repo_mcp.cli.search.search_process import OWN_COLOURS, sent_to_terminal
from tests.repo_mcp.server_process import UNHURRIED, request
from tests.repo_mcp.tree_files import write
from tests.waiting import HANG

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")

# escape sequences of 7 and 8 bits, a bell, a changed title and direction, line ends of all kinds
EVIL = "\x1b[31m\x9b2J\x1b]0;owned\x07\u202egnp\u2066\u061c\u200f\u2028\r\x08\x7f\x0c"
NAME = f"x{EVIL}\ny"
# without control characters of 7 bits, so that it is indexed
INDEXED = "x\x9b2J\u202egnp\u2066\u061c\u200f\u2028y"
BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029"}

FILES: dict[str, str | bytes] = {
    f"{INDEXED}.md": f"# needle {EVIL}\n\nneedle {EVIL} text\n\n## other{EVIL}\n",
    f"{INDEXED}/m.py": f'def needle(a):  # {EVIL}\n    """Says {EVIL}."""\n    return "\\{EVIL}"\n',
    "latin.txt": b"needle \x9b2J \xe9\x85 \x1b[0m\n",
    f"{NAME}.md": "needle",
    f"{NAME}.pem": "key",
    f"{NAME}.odd": "odd",
}
SETTINGS = f"""
{json.dumps(NAME)} = 1
[limits]
{json.dumps(EVIL)} = 1
max_open_lines = {json.dumps(EVIL)}
[security]
deny_globs = [{json.dumps(f"no{EVIL}")}, {json.dumps("*" * 61 + EVIL)}]
[indexing]
exclude_globs = [{json.dumps(NAME)}]
include_extensions = [{json.dumps("." + EVIL)}, {json.dumps(EVIL)}]
[adapters.python]
extensions = [{json.dumps(f".p{EVIL}")}]
{json.dumps(EVIL)} = 1
[adapters.{json.dumps(EVIL)}]
enabled = false
[hybrid]
{json.dumps(NAME)} = {json.dumps(EVIL)}
date = 2020-01-01
"""
CALL = {
    "time": f"2026-01-31{EVIL[0]}09:30:00Z\u2028",
    "request_id": "id",
    "tool": "repo.search",
    "client": EVIL,
    "arguments": {"query": EVIL, NAME: [EVIL]},
    "ok": True,
    "blocked": False,
    "code": "",
    "counts": {NAME: 3},
    "shown": [f"{NAME}:1-2"],
    "shown_in_all": 1,
    "milliseconds": 1.5,
    "generation": 1,
}
LOG = [
    CALL,
    {**CALL, "tool": EVIL},
    {**CALL, "milliseconds": float("nan")},
    {**CALL, "milliseconds": "inf"},
    {**CALL, "arguments": {"a": float("-inf")}},
]
ENTRIES = {
    EVIL: {"command": f"/{EVIL}/repo-mcp", "args": ["serve", EVIL]},
    "repo": {"command": f"{EVIL}/repo-mcp", "args": [EVIL]},
}


class Output(NamedTuple):
    code: int
    out: str
    err: str


def commands_in(text: str) -> set[str]:
    """The characters of a text that control a terminal."""
    return {
        mark
        for mark in set(text) - {"\n", "\t"}
        if unicodedata.category(mark) == "Cc"
        or unicodedata.bidirectional(mark) in BIDIRECTIONAL
        or mark in MARKS
    }


def client_file(table: str, *, toml: bool) -> str:
    if not toml:
        return json.dumps({table: ENTRIES})
    lines = [
        f"[{table}.{json.dumps(name)}]\ncommand = {json.dumps(entry['command'])}\n"
        f"args = {json.dumps(entry['args'])}\n"
        for name, entry in ENTRIES.items()
    ]
    return "".join(lines).replace("\x7f", "\\u007f")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    clients = {
        client.project_file: client_file(client.table, toml=client.toml)
        for client in BY_NAME.values()
        if client.project_file
    }
    root = write(tmp_path / f"r{NAME}", {**FILES, **clients, "repo_mcp.toml": SETTINGS})
    (root / os.fsdecode(b"not\xff\x1btext.py")).write_text("needle", encoding="utf-8")
    data = {
        "audit.jsonl": f"{EVIL}\n" + "".join(f"{json.dumps(entry)}\n" for entry in LOG),
        "refresh.json": json.dumps({"timestamp": f"2026-01-31{EVIL[0]}09:30:00"}),
    }
    write(root / ".repo_mcp", {**data})
    return root


Run = Callable[..., Output]


@pytest.fixture
def run(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Run:
    """The program, in this process: what it does not catch fails the test."""
    monkeypatch.chdir(root)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv(f"REPO_MCP_{EVIL}", "x")
    monkeypatch.setattr(start, "_TIMES", 1)

    def call(*given: str) -> Output:
        monkeypatch.setattr(sys, "argv", ["repo-mcp", *given])
        try:
            code = dispatch.run(lambda: 1.0e9)
        except SystemExit as end:
            code = int(end.code or 0)
        return Output(code, *capfd.readouterr())

    return call


def serve(root: Path, *given: str) -> Output:
    """The server, which takes over the standard streams of its process."""
    calls = [
        ("repo.search", {"query": f"needle {EVIL}"}),
        ("repo.open_file", {"path": NAME}),
        ("repo.list_files", {}),
        ("repo.status", {}),
        (EVIL, {EVIL: EVIL}),
    ]
    frames = [request(0, "initialize", protocolVersion="2025-06-18", capabilities={})]
    frames += [
        request(number, "tools/call", name=name, arguments=arguments)
        for number, (name, arguments) in enumerate(calls, 1)
    ]
    done = subprocess.run(
        [*UNHURRIED, SERVE, *given],
        cwd=root,
        input=b"".join(frame + b"\n" for frame in frames),
        capture_output=True,
        timeout=HANG,
        check=False,
    )
    return Output(done.returncode, done.stdout.decode(), done.stderr.decode())


def serve_pages(root: Path, *given: str) -> Output:
    """The pages, until their link is printed."""
    command = [*UNHURRIED, WEB, *given]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=root, stdout=pipe, stderr=pipe) as process:
        assert process.stdout
        first = process.stdout.readline()
        process.terminate()
        rest, error = process.communicate(timeout=HANG)
    return Output(process.returncode, (first + rest).decode(), error.decode())


def print_as_ripgrep(root: Path, *given: str) -> Output:
    """The command that prints bytes as they are, unless they are for a terminal."""
    with TemporaryFile() as errors:
        env = {"PATH": "", "NO_COLOR": "1"}
        code, shown = sent_to_terminal(["rg", *given], env, cwd=root, errors=errors.fileno())
        errors.seek(0)
        return Output(code, shown, errors.read().decode())


def subparsers() -> dict[str, argparse.ArgumentParser]:
    """The parsers of all commands, with all options."""
    every = [*COMMANDS]
    (action,) = parser.full_parser()._subparsers._group_actions  # type: ignore[union-attr]
    choices = action.choices
    assert isinstance(choices, dict)
    assert sorted(choices) == sorted(every)
    return choices


PARSERS = subparsers()
# commands that end with a signal or with their input, and one that may become another program
SERVERS = {SERVE: serve, WEB: serve_pages, "rg": print_as_ripgrep}


def values(action: argparse._StoreAction | argparse.Action) -> list[list[str]]:
    """Arguments for an action: what it may be, and what it may not."""
    if action.nargs == 0:
        return [[]]
    if action.choices:
        return [[str(choice)] for choice in action.choices]
    return [["needle"], ["3"], [EVIL]]


def invocations(command: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Each value of each positional argument; each option; and arguments that do not exist."""
    flags = {flag for setting in TABLE for flag in (setting.flag, setting.flag_off)}
    actions = [action for action in command._actions if not flags & {*action.option_strings}]
    places = [action for action in actions if not action.option_strings]
    options = [action for action in actions if action.option_strings and action.dest != "help"]
    plain = [values(action)[0] for action in places if action.nargs != "?"]
    first = [word for words in plain for word in words]
    yield first
    for at, action in enumerate(places):
        for given in values(action):
            line = [word for words in [*plain[:at], given, *plain[at + 1 :]] for word in words]
            yield line
            yield [*line, *(["--json"] if "--json" in command._option_string_actions else [])]
    for action in options:
        for given in values(action):
            yield [*first, action.option_strings[0], *given]
    yield [*first, f"--{EVIL}", EVIL]
    yield ["--help"]


def check(done: Output, given: list[str]) -> None:
    # our own colours and links, where they are always wanted; a repository's begin otherwise
    shown = OWN_COLOURS.sub("", done.out)
    assert commands_in(shown + done.err) == set(), (given, done)
    assert "Traceback" not in done.err, (given, done)
    if "--json" in given and done.code < 2:
        assert done.out.isascii(), given
        lines = done.out.splitlines() if given[0] in {"search", "files"} else [done.out]
        for line in lines:
            json.loads(line, parse_constant=pytest.fail)


def called(root: Path, run: Run, command: str, words: list[str]) -> Output:
    return SERVERS[command](root, *words) if command in SERVERS else run(command, *words)


def damage(root: Path) -> None:
    """Index files whose names and content are not ours."""
    index = root / ".repo_mcp" / "index"
    for path in index.iterdir():
        if path.name != "lock":
            path.write_bytes(EVIL.encode() + path.read_bytes()[:50])
    (index / NAME).write_text(EVIL, encoding="utf-8")
    (index / "CURRENT").write_text(NAME, encoding="utf-8")


@pytest.mark.servers
@pytest.mark.parametrize("command", PARSERS)
def test_no_command_sends_text_of_a_repository_to_the_terminal_as_it_is(
    root: Path, run: Run, command: str
) -> None:
    assert run("index").code == 0
    for words in invocations(PARSERS[command]):
        check(called(root, run, command, words), [command, *words])


@pytest.mark.servers
@pytest.mark.parametrize("state", ["none", "damaged"])
@pytest.mark.parametrize("command", PARSERS)
def test_no_command_does_without_a_sound_index(
    root: Path, run: Run, command: str, state: str
) -> None:
    plain = next(invocations(PARSERS[command]))
    for words in (plain, [*plain, "--json"]):
        # a command mends the index, or makes one: each finds it as it was
        shutil.rmtree(root / ".repo_mcp" / "index", ignore_errors=True)
        if state == "damaged":
            assert run("index").code == 0
            damage(root)
        check(called(root, run, command, words), [command, *words])


@pytest.mark.parametrize("flag", [*PARSERS["config"]._option_string_actions])
def test_no_error_of_a_setting_does(run: Run, flag: str) -> None:
    given = ["config", flag]
    if PARSERS["config"]._option_string_actions[flag].nargs != 0:
        given.append(EVIL)
    check(run(*given), given)


def test_what_a_repository_says_is_shown_as_what_it_is(run: Run) -> None:
    given = ["needle", "--mode", "literal"]
    lines = map(json.loads, run("search", *given, "--json").out.splitlines())
    found = [line for line in lines if line["type"] == "match"]
    assert f"{INDEXED}.md" in {match["path"] for match in found}
    assert any(EVIL[:10] in match["text"] for match in found)
    assert "x\\x9b2J\\u202egnp\\u2066" in run("search", *given).out
    assert "no\\x1b[31m" in run("config").out
    assert "\\u001b[31m" in run("audit").out
