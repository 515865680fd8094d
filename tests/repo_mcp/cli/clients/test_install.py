"""`install` and `uninstall` add and remove the server, and keep the rest of the file."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.cli.clients.entries import table_of
from repo_mcp.cli.known_clients import BY_NAME, CLIENTS, is_ours, line_of
from repo_mcp.cli.program import BY_PYTHON, command
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

USER_FILES = {
    "codex": ".codex/config.toml",
    "claude": ".claude.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".copilot/mcp-config.json",
    "cursor": ".cursor/mcp.json",
    "opencode": ".config/opencode/opencode.json",
    "qwen": ".qwen/settings.json",
    "kimi": ".kimi-code/mcp.json",
    "cline": ".cline/data/settings/cline_mcp_settings.json",
    "amp": ".config/amp/settings.json",
    "zed": ".config/zed/settings.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "kiro": ".kiro/settings/mcp.json",
    "junie": ".junie/mcp/mcp.json",
}
COMMAND = command()
# the others are told the repository
PLAIN = [name for name in CLIENTS if name != "windsurf"]


class Place:
    """A home folder and a project, and the program run in it."""

    def __init__(self, top: Path) -> None:
        self.home = top / "home"
        self.project = self.home / "work" / "project"
        self.project.mkdir(parents=True)
        (self.project / ".git").mkdir()

    def run(self, *given: str, **around: str) -> subprocess.CompletedProcess[str]:
        home = str(self.home)
        env = {"HOME": home, "USERPROFILE": home, "PATH": "/usr/bin:/bin", **around}
        done = subprocess.run(
            [*PROGRAM, *given],
            cwd=self.project,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def file(self, client: str, scope: str = "") -> Path:
        known = BY_NAME[client]
        if (scope or known.scope) == "project":
            return self.project / known.project_file
        return self.home / USER_FILES[client]

    def line(self, client: str, scope: str = "", name: str = "repo") -> list[str]:
        text = self.file(client, scope).read_text(encoding="utf-8")
        return line_of(table_of(BY_NAME[client], text)[name])

    def files(self) -> dict[str, str]:
        found = (path for path in self.home.rglob("*") if path.is_file())
        return {str(path.relative_to(self.home)): path.read_text("utf-8") for path in found}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("client", PLAIN)
def test_a_client_is_told_the_full_path_of_the_command(place: Place, client: str) -> None:
    done = place.run("install", client)
    assert (done.returncode, done.stderr) == (0, "")
    line = place.line(client)
    assert line[: len(COMMAND)] == COMMAND
    assert line[len(COMMAND)] == "serve"
    assert Path(line[0]).is_absolute()
    assert list(place.files()) == [str(place.file(client).relative_to(place.home))]


@pytest.mark.parametrize("client", PLAIN)
def test_doing_it_again_changes_nothing(place: Place, client: str) -> None:
    place.run("install", client)
    before = place.files()
    done = place.run("install", client)
    assert done.stdout.endswith("has it already\n")
    assert place.files() == before


@pytest.mark.parametrize("client", PLAIN)
def test_showing_it_writes_nothing(place: Place, client: str) -> None:
    shown = place.run("install", client, "--print")
    assert (shown.returncode, place.files()) == (0, {})
    assert str(place.file(client)) in shown.stderr
    place.run("install", client)
    assert place.file(client).read_text("utf-8") == shown.stdout


@pytest.mark.parametrize("client", PLAIN)
def test_nothing_is_left_of_what_was_made(place: Place, client: str) -> None:
    before = sorted(place.home.rglob("*"))
    place.run("install", client)
    done = place.run("uninstall", client)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("removed, as nothing else was in it\n")
    left = {path for path in place.home.rglob("*") if path not in before}
    assert {path for path in left if path.is_file()} == set()
    assert len(left) <= 1, "but a folder for the settings of all programs"


def test_a_file_that_was_there_stays_and_its_backup_goes_on_request(place: Place) -> None:
    path = place.file("cursor")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n", encoding="utf-8")
    place.run("install", "cursor")
    assert place.run("uninstall", "cursor", "--backups").returncode == 0
    assert sorted(place.files()) == [str(path.relative_to(place.home))]


@pytest.mark.parametrize("client", PLAIN)
def test_what_is_there_stays_and_comes_back(place: Place, client: str) -> None:
    path, table = place.file(client), BY_NAME[client].table
    path.parent.mkdir(parents=True, exist_ok=True)
    servers = '{\n    "x": {"command": "x"} // y\n  }'
    text = f'{{\n  // mine\n  "{table}": {servers},\n  "z": 1\n}}\n'
    if BY_NAME[client].toml:
        text = f'# mine\nz = 1\n\n[{table}.x]\ncommand = "x" # y\n'
    path.write_text(text, encoding="utf-8")
    done = place.run("install", client)
    assert done.returncode == 0
    kept = path.with_name(path.name + ".repo-mcp.bak")
    assert kept.read_text("utf-8") == text
    held = path.read_text("utf-8")
    assert all(part in held for part in ("mine", '"x"', "y", "z", "serve"))
    assert place.run("uninstall", client).returncode == 0
    assert path.read_text("utf-8") == text
    assert "does not have it" in place.run("uninstall", client).stdout


@pytest.mark.parametrize("client", PLAIN)
def test_what_the_user_added_to_the_entry_stays(place: Place, client: str) -> None:
    place.run("install", client, "--command", "/old/bin/repo-mcp")
    path = place.file(client)
    text = path.read_text("utf-8")
    if BY_NAME[client].toml:
        text += "tool_timeout_sec = 77\n"
    else:
        text = text.replace('"repo": {', '"repo": {\n      "mine": 77, // why')
    path.write_text(text, encoding="utf-8")
    place.run("install", client)
    held = path.read_text("utf-8")
    assert "77" in held
    assert "/old/bin" not in held
    assert ("// why" in held) is not BY_NAME[client].toml
    assert place.line(client)[0] == COMMAND[0]


def test_flags_that_the_user_added_stay_unless_another_root_is_said(place: Place) -> None:
    write(place.home, {".codex/config.toml": ""})
    place.run("install", "codex", "--command", "/old/repo-mcp")
    path = place.file("codex")
    text = path.read_text("utf-8").replace('["serve"]', '["serve", "--max-search-hits", "9"]')
    path.write_text(text, encoding="utf-8")
    place.run("install", "codex")
    assert place.line("codex") == [*COMMAND, "serve", "--max-search-hits", "9"]
    place.run("install", "codex", "--repo-root", str(place.project))
    assert place.line("codex") == [*COMMAND, "serve", "--repo-root", str(place.project)]


@pytest.mark.parametrize("client", PLAIN)
def test_another_server_of_that_name_is_left_alone(place: Place, client: str) -> None:
    path, known = place.file(client), BY_NAME[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({known.table: {"repo": {"command": "/bin/other", "args": ["repo_mcp"]}}})
    if known.toml:
        text = '[mcp_servers.repo]\ncommand = "/bin/other"\n'
    path.write_text(text, encoding="utf-8")
    for verb in ("install", "uninstall"):
        done = place.run(verb, client)
        assert (done.returncode, path.read_text("utf-8")) == (2, text)
        assert "is another server in it" in done.stderr
    assert place.run("install", client, "--name", "mine").returncode == 0
    assert place.line(client, name="mine")[: len(COMMAND)] == COMMAND


@pytest.mark.parametrize("client", PLAIN)
def test_a_file_that_is_not_understood_is_left_alone_and_what_to_add_is_shown(
    place: Place, client: str
) -> None:
    path = place.file(client)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{[broken", encoding="utf-8")
    done = place.run("install", client)
    assert (done.returncode, path.read_text("utf-8")) == (2, "{[broken")
    assert "is unchanged: it is not" in done.stderr
    assert "serve" in done.stdout
    assert list(place.files()) == [str(path.relative_to(place.home))]


@pytest.mark.parametrize("client", [name for name in PLAIN if BY_NAME[name].project_file])
def test_a_project_s_own_file(place: Place, client: str) -> None:
    done = place.run("install", client, "--scope", "project")
    assert done.returncode == 0
    assert list(place.files()) == [
        str(place.file(client, "project").relative_to(place.home)),
    ]
    is_named = str(place.project) in place.line(client, "project")
    assert is_named is ("project" in BY_NAME[client].untold)


def test_a_client_that_tells_no_folder_is_told_the_repository(place: Place) -> None:
    refused = place.run("install", "windsurf")
    assert refused.returncode == 2
    assert "name the repository with --repo-root" in refused.stderr
    assert "no file of a project" in place.run("install", "windsurf", "--scope", "project").stderr
    assert place.run("install", "windsurf", "--repo-root", str(place.project)).returncode == 0
    assert place.line("windsurf")[1:4] == ["serve", "--repo-root", str(place.project)]


def test_the_project_is_the_one_around_the_folder_or_the_one_that_is_named(place: Place) -> None:
    other = place.home / "other"
    other.mkdir()
    place.run("install", "vscode", "--repo-root", str(other))
    assert (other / ".vscode" / "mcp.json").exists()
    assert (
        "nothing/here: not a folder"
        in place.run("install", "vscode", "--repo-root", "nothing/here").stderr
    )


def test_a_user_s_file_may_name_one_repository(place: Place) -> None:
    place.run("install", "claude", "--repo-root", ".", "--name", "one")
    line = place.line("claude", name="one")
    assert line[len(COMMAND) :] == [
        *("serve", "--repo-root", str(place.project)),
        *("--content", "text"),
    ]


@pytest.mark.parametrize("client", ["claude", "vscode"])
def test_a_workspace_and_dependencies_are_served_by_the_entry(place: Place, client: str) -> None:
    write(place.project, {"all.toml": '[roots]\na = "."\n'})
    place.run("install", client)
    place.run("install", client, "--workspace", "all.toml", "--dependencies")
    line = place.line(client)
    assert line[len(COMMAND) : len(COMMAND) + 4] == [
        *("serve", "--workspace", str(place.project / "all.toml"), "--dependencies")
    ]
    assert "--repo-root" not in line
    again = place.run("install", client)
    assert again.returncode == 0
    assert place.line(client) == line


@pytest.mark.parametrize("client", ["claude", "vscode"])
def test_the_folders_of_the_client_are_served_by_the_entry(place: Place, client: str) -> None:
    place.run("install", client, "--client-roots")
    line = place.line(client)
    assert line[len(COMMAND)] == "serve"
    assert "--client-roots" in line
    # until the client has told them, or if it tells none
    assert ("--repo-root" in line) == (client == "vscode")


@pytest.mark.parametrize("more", [["--workspace", "all.toml"], ["--repo-root", "."]])
def test_nothing_but_the_client_names_its_folders(place: Place, more: list[str]) -> None:
    write(place.project, {"all.toml": '[roots]\na = "."\n'})
    done = place.run("install", "claude", "--client-roots", *more)
    assert done.returncode == 2
    assert "--client-roots" in done.stderr


@pytest.mark.parametrize("given", [["none.toml"], ["empty.toml"], ["all.toml", "--repo-root", "."]])
def test_a_workspace_that_can_not_be_served_is_not_installed(
    place: Place, given: list[str]
) -> None:
    write(place.project, {"all.toml": '[roots]\na = "."\n', "empty.toml": ""})
    done = place.run("install", "claude", "--workspace", *given)
    assert done.returncode == 2
    assert not [name for name in place.files() if "claude" in name]
    assert "repo-mcp:" in done.stderr


def test_a_home_folder_is_not_pinned_by_chance(place: Place) -> None:
    done = place.run("install", "codex", "--repo-root", "../..")
    assert (done.returncode, place.files()) == (2, {})
    assert "too broad to be served by default" in done.stderr


def test_cursor_has_to_be_told_the_repository_in_the_user_s_file(place: Place) -> None:
    done = place.run("install", "cursor", "--scope", "user")
    assert (done.returncode, place.files()) == (2, {})
    assert "--repo-root" in done.stderr
    place.run("install", "cursor", "--scope", "user", "--repo-root", ".")
    assert place.line("cursor", "user")[-4:] == [
        *("--repo-root", str(place.project)),
        *("--tool-names", "underscore"),
    ]


@pytest.mark.parametrize(
    ("client", "variable", "file"),
    [
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("copilot", "COPILOT_HOME", "mcp-config.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ],
)
def test_a_client_s_own_variable_says_where_its_file_lies(
    place: Place, client: str, variable: str, file: str
) -> None:
    place.run("install", client, **{variable: str(place.home / "elsewhere")})
    assert list(place.files()) == [f"elsewhere/{file}"]


def test_opencode_s_file_with_comments_is_the_one_that_is_there(place: Place) -> None:
    write(place.home, {".config/opencode/opencode.jsonc": "{ /* mine */ }\n"})
    place.run("install", "opencode")
    (path,) = [path for path in place.files() if not path.endswith(".bak")]
    assert path.endswith("opencode.jsonc")


def test_several_clients_at_once_and_one_that_fails(place: Place) -> None:
    write(place.home, {".gemini/settings.json": "["})
    done = place.run("install", "codex", "gemini", "claude")
    assert done.returncode == 2
    assert place.file("codex").exists()
    assert place.file("claude").exists()


def test_this_very_command_starts_without_looking_into_the_current_folder(
    tmp_path: Path,
) -> None:
    """By the command, and by Python where the command is missing; never by a plain -m."""
    assert "-m" not in command()
    trap = "open('sprung', 'w')\n"
    for name in ("json", "repo_mcp/__init__", "sitecustomize", "argparse", "msgpack"):
        write(tmp_path, {f"{name}.py": trap})
    for line in (command(), [sys.executable, *BY_PYTHON]):
        done = subprocess.run(
            [*line, "config", "--repo-root", str(tmp_path), "--json"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        found: dict[str, Any] = json.loads(done.stdout)
        assert found["settings"]["repo_root"]["value"] == str(tmp_path)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        (["/usr/bin/repo-mcp", "serve"], True),
        (["C:\\Scripts\\repo-mcp.exe"], True),
        (["repo-mcp"], True),
        (["/usr/bin/python3", "-P", "-m", "repo_mcp.server"], True),
        (["python", *BY_PYTHON], True),
        (["/usr/bin/other", "/home/me/repo_mcp"], False),
        (["/home/repo-mcp/other"], False),
        ([], False),
    ],
)
def test_whose_command_it_is(line: list[str], ours: bool) -> None:  # noqa: FBT001 what is expected
    assert is_ours(line) is ours


def test_what_codex_reads_is_toml(place: Place) -> None:
    place.run("install", "codex", "--command", 'C:\\a "b"\\repo-mcp.exe')
    found = tomllib.loads(place.file("codex").read_text("utf-8"))
    assert found["mcp_servers"]["repo"]["command"] == 'C:\\a "b"\\repo-mcp.exe'


JSON_BEFORE: tuple[bytes, ...] = (
    b"",
    b"{}",
    b'{"a": 1}',
    b'{"a": [1,\r\n 2], "b": {}}\r\n',
    b'\xef\xbb\xbf{\n\t"a": 1,\n\t// mine\n}\n\n',
    b'{"TABLE": {}}\n',
    b'{\n    "TABLE": {\n    },\n    "a": "\xc3\xa9"\n}',
    b'{"TABLE":{"x":{"command":"x"}}}',
    b'{ "a": 1, /* no servers */ }',
)
TOML_BEFORE: tuple[bytes, ...] = (
    b"",
    b"a = 1",
    b"a = 1\r\n\r\n\r\n",
    b"# mine\n\n[TABLE]\n\n[b]\nc = 2 # two\n\n\n",
    b'[TABLE.x]\ncommand = "x"',
    b"[TABLE]\r\n",
)


@pytest.mark.parametrize("number", range(len(JSON_BEFORE)))
@pytest.mark.parametrize("updates", [0, 1])
def test_every_byte_comes_back(place: Place, number: int, updates: int) -> None:
    before: dict[Path, bytes] = {}
    for client in PLAIN:
        table, several = BY_NAME[client].table, JSON_BEFORE
        if BY_NAME[client].toml:
            several = TOML_BEFORE
        path = place.file(client)
        path.parent.mkdir(parents=True, exist_ok=True)
        before[path] = several[number % len(several)].replace(b"TABLE", table.encode())
        path.write_bytes(before[path])
    for count in range(1 + updates):
        done = place.run("install", *PLAIN, "--command", f"/opt/{count}/repo-mcp")
        assert (done.returncode, done.stderr) == (0, "")
    assert all(b"serve" in path.read_bytes() for path in before)
    assert place.run("uninstall", *PLAIN, "--backups").returncode == 0
    assert {path: path.read_bytes() for path in before} == before
    assert len(place.files()) == len(PLAIN)


def test_a_file_that_was_made_and_updated_is_removed(place: Place) -> None:
    for program in ("/old/repo-mcp", "/new/repo-mcp"):
        assert place.run("install", *PLAIN, "--command", program).returncode == 0
    assert place.run("uninstall", *PLAIN).returncode == 0
    assert place.files() == {}


@pytest.mark.parametrize("client", [name for name in PLAIN if not BY_NAME[name].toml])
def test_a_table_that_was_made_goes_also_from_a_file_that_was_changed_since(
    place: Place, client: str
) -> None:
    path, table = place.file(client), BY_NAME[client].table
    path.parent.mkdir(parents=True, exist_ok=True)
    own: dict[str, object] = {table: {}}
    with_table = f'{{\n  "a": 1,\n  "{table}": {{}}\n}}\n'
    for text, left in (('{\n  "a": 1\n}\n', {}), (with_table, own)):
        path.write_text(text, "utf-8")
        assert place.run("install", client).returncode == 0
        path.write_text(path.read_text("utf-8").replace('"a": 1', '"a": 2'), "utf-8")
        assert place.run("uninstall", client).returncode == 0
        assert json.loads(path.read_text("utf-8")) == {"a": 2, **left}


def test_runs_at_once_lose_nothing(place: Place) -> None:
    path = place.file("cursor")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"mcpServers": {"mine": {"command": "x"}}}\n', "utf-8")
    names = [f"repo{number}" for number in range(8)]
    with ThreadPoolExecutor(len(names)) as pool:
        done = list(pool.map(lambda name: place.run("install", "cursor", "--name", name), names))
    assert [(item.returncode, item.stderr) for item in done] == [(0, "")] * len(names)
    assert set(json.loads(path.read_text("utf-8"))["mcpServers"]) == {"mine", *names}
    with ThreadPoolExecutor(len(names)) as pool:
        ran = pool.map(lambda name: place.run("uninstall", "cursor", "--name", name), names)
        assert [item.returncode for item in ran] == [0] * len(names)
    assert set(json.loads(path.read_text("utf-8"))["mcpServers"]) == {"mine"}


DAMAGED = (
    b'{"TABLE": {"repo": {"command"',
    b'{"TABLE": {"repo": 3}, }}',
    b'{"TABLE": [{"repo": {}}]}',
    b'{"TABLE": null}',
    b'{"TABLE": {"repo": {"command": ["repo-mcp", 3]}}}',
    b'{"TABLE": {"repo": {"command": "repo-mcp", "args": {"a": 1}}}}',
    b'{"TABLE": {"repo": []}}',
    b'{"TABLE": {"repo": {}, "repo": {}}}',
    b'{"TABLE": {}, "TABLE": {"repo": {"command": "repo-mcp"}}}',
    b'{"TABLE": ' * 2000,
    b'{"a": "\xff\xfe"}',
    b"\x00" * 100,
    '{"TABLE": {"repo": {"command": "repo-mcp"}}}'.encode("utf-16"),
    b'"TABLE"',
    b"// only this",
    b'{"a": 1} {"TABLE": {}}',
    b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> main\n",
    b'{"a": "' + b"x" * 70_000,
)
PROJECTS = ("cursor", "opencode", "vscode")


@pytest.mark.parametrize("number", range(len(DAMAGED)))
def test_a_damaged_file_of_a_project_is_left_as_it_is(place: Place, number: int) -> None:
    before: dict[Path, bytes] = {}
    for client in PROJECTS:
        path = place.file(client, "project")
        path.parent.mkdir(parents=True, exist_ok=True)
        before[path] = DAMAGED[number].replace(b"TABLE", BY_NAME[client].table.encode())
        path.write_bytes(before[path])
    for command_ in ("install", "uninstall"):
        done = place.run(command_, *PROJECTS, "--scope", "project")
        assert done.returncode == 2 or command_ == "uninstall"
        assert {path: path.read_bytes() for path in before} == before, command_
    assert place.run("doctor", "--json").returncode in {0, 1, 2}
    assert {path: path.read_bytes() for path in before} == before
