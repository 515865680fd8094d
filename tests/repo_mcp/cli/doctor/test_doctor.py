"""`doctor` finds problems and suggests repairs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp.cli.doctor import start
from repo_mcp.cli.doctor.command import client_checks
from repo_mcp.cli.doctor.finding import DoctorFinding
from repo_mcp.cli.program import command
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, served
from tests.repo_mcp.vectors.encoder_files import write_encoder

pytestmark = pytest.mark.servers

# a busy machine starts a server too slowly for some clients, and the finding says so
STARTED = ("ok", "warn")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def root(home: Path) -> Path:
    return write(home / "root", {"a.py": "def needle(): pass\n", ".git/HEAD": "x"})


def run(root: Path, *given: str) -> tuple[int, dict[str, DoctorFinding]]:
    """The exit code, and for each subject the worst finding."""
    done = subprocess.run(
        [*PROGRAM, "doctor", "--json", *given],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    found = [DoctorFinding(**item) for item in json.loads(done.stdout)["findings"]]
    ranked = sorted(found, key=lambda item: ["ok", "warn", "fail"].index(item.level))
    return done.returncode, {item.subject: item for item in ranked}


def test_a_healthy_place_has_nothing_that_fails(root: Path) -> None:
    served(root, root / ".repo_mcp").manager.refresh(FOREVER)
    subprocess.run([*PROGRAM, "install", "codex"], cwd=root, check=True, capture_output=True)
    code, found = run(root)
    assert code == 0
    assert {item.level for item in found.values()} <= {"ok", "warn"}
    assert found["start"].level in STARTED
    for subject in ("python", "packages", "repository", "data folder", "index"):
        assert found[subject].level == "ok", found[subject]
    assert found["Codex (user)"].level == "ok"
    assert "1 files" in found["index"].message
    assert "clients" not in found


def test_every_finding_that_is_not_good_says_what_to_do(root: Path) -> None:
    write(root, {"repo_mcp.toml": "[limits]\nmax_open_lines = 99999\n"})
    code, found = run(root)
    assert code == 0
    assert found["settings"].level == found["index"].level == found["clients"].level == "warn"
    assert "can only be lowered" in found["settings"].message
    assert "repo-mcp index" in found["index"].todo
    assert "repo-mcp install" in found["clients"].todo
    assert all(item.todo for item in found.values() if item.level != "ok")


def test_nothing_is_written(root: Path) -> None:
    before = sorted(root.rglob("*"))
    run(root)
    assert sorted(root.rglob("*")) == before


def test_a_root_that_is_none_fails(root: Path) -> None:
    code, found = run(root, "--repo-root", "nowhere")
    assert code == 1
    assert found["settings"].level == "fail"
    assert "nowhere: not a folder" in found["settings"].message


def test_an_index_with_a_file_that_is_cut_short_fails(root: Path) -> None:
    served(root, root / ".repo_mcp").manager.refresh(FOREVER)
    (segment,) = (root / ".repo_mcp" / "index").glob("seg-*")
    segment.write_bytes(segment.read_bytes()[:-100])
    code, found = run(root)
    assert code == 1
    assert "damaged" in found["index"].message
    assert "check --repair" in found["index"].todo


def test_an_encoder_of_functions_that_can_not_be_used_fails(root: Path, tmp_path: Path) -> None:
    code, found = run(root, "--function-encoder", str(tmp_path / "nowhere"))
    assert code == 1
    assert found["function encoder"].level == "fail"
    assert "no sentence encoder there" in found["function encoder"].message
    assert "--function-encoder" in found["function encoder"].todo
    model = write_encoder(tmp_path / "model", [["remove"]])
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    assert run(root, "--function-encoder", str(model))[1]["function encoder"].level == "ok"


def test_an_index_of_other_settings_is_said_to_be_one(root: Path) -> None:
    served(root, root / ".repo_mcp").manager.refresh(FOREVER)
    _, found = run(root, "--deny-glob", "a.py")
    assert found["index"].level == "warn"
    assert "other settings" in found["index"].message


@pytest.mark.parametrize(
    ("line", "level", "said"),
    [
        ([*command(), "serve"], "ok", "config.toml"),
        (["repo-mcp", "serve"], "warn", "from PATH"),
        (["/nowhere/repo-mcp", "serve"], "fail", "which does not exist"),
        ([sys.executable, "-m", "repo_mcp.server"], "fail", "imports from the repository"),
    ],
)
def test_a_client_s_line_is_judged(home: Path, line: list[str], level: str, said: str) -> None:
    text = f"[mcp_servers.x]\ncommand = {json.dumps(line[0])}\nargs = {json.dumps(line[1:])}\n"
    write(home, {".codex/config.toml": text})
    found = [item for item in client_checks(home) if item.subject == "Codex (user)"]
    assert [(item.level, said in item.message) for item in found] == [(level, True)]


def test_another_installation_is_noticed(home: Path) -> None:
    write(home, {"other/repo-mcp": "#!/bin/sh\n"})
    entry = {"command": str(home / "other" / "repo-mcp"), "args": ["serve"]}
    write(home, {".gemini/settings.json": json.dumps({"mcpServers": {"repo": entry}})})
    (found,) = [item for item in client_checks(home / "x") if item.subject == "Gemini CLI (user)"]
    assert (found.level, "another installation" in found.message) == ("warn", True)


def test_a_client_that_rejects_dots_is_to_be_told_so(home: Path) -> None:
    entry = {"command": command()[0], "args": ["serve", "--repo-root", "/x"]}
    write(home, {".cursor/mcp.json": json.dumps({"mcpServers": {"repo": entry}})})
    (found,) = [item for item in client_checks(home / "x") if item.subject == "Cursor (user)"]
    assert "--tool-names underscore" in found.message


def test_a_file_of_a_client_that_can_not_be_read_is_named(home: Path) -> None:
    write(home, {".codex/config.toml": "[broken"})
    found = {item.subject: item for item in client_checks(home / "x")}
    assert "is not TOML" in found["Codex (user)"].message


@pytest.mark.parametrize(
    ("said", "level"),
    [
        (b"", "fail"),
        (b"junk\n", "fail"),
        (b'{"id":1,"result":{"serverInfo":{"name":"x"}}}\n{"id":2,"result":{"tools":[]}}', "fail"),
        (b'{"id":1,"error":{}}\n{"id":2,"error":{}}\n', "fail"),
    ],
)
def test_a_server_that_does_not_answer_well_fails(
    monkeypatch: pytest.MonkeyPatch, said: bytes, level: str
) -> None:
    answered: Callable[[object], bytes] = lambda _: said  # noqa: E731 a stand-in
    monkeypatch.setattr(start, "_run_server", answered)
    found = start.check([])
    assert (found.level, "repo-mcp serve" in found.todo) == (level, True)


def test_the_server_is_started_with_what_the_flags_say(root: Path) -> None:
    code, found = run(root, "--tool-names", "underscore", "--no-watch")
    assert code == 0
    assert found["start"].level in STARTED
    code, found = run(root, "--toolsets", "nothing")
    assert (code, found["start"].level) == (1, "fail")
    assert "--toolsets=nothing" in found["start"].todo


def test_people_get_a_line_for_each_and_what_to_do_below_it(root: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "doctor"], cwd=root, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok    python: ")
    at = next(at for at, line in enumerate(lines) if line.startswith("warn  index: "))
    assert lines[at + 1] == "      -> run `repo-mcp index`"
    assert lines[-1].endswith(" with warnings")
