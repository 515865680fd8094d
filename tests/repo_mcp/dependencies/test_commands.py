"""Commands and programs ask installed packages as the server does."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import repo_mcp
from docs.sample_shop import Output, run_command
from tests.repo_mcp.dependencies.installed import SITE, distribution
from tests.repo_mcp.dependencies.test_answers import make_project, written
from tests.repo_mcp.tree_files import write

COMMANDS = [
    ("search 'wrap in:deps'", "deps:retries/retries.py"),
    ("search -F 'def send' deps:wire", "deps:wire/wire/session.py:7"),
    ("search -F 'def send' -g 'deps:wire/**'", "deps:wire/wire/session.py:7"),
    ("files deps:wire", "deps:wire/wire/session.py"),
    ("open deps:wire/wire/session.py:7", "def send(self, data):"),
    ("outline deps:wire/wire/session.py", "class Session"),
    ("outline deps:wire/wire", "deps:wire/wire/session.py"),
    ("symbol wire.Session.send", "7 in Client.fetch"),
    ("symbol Client.fetch", "Session.send (deps:wire/wire/session.py:7)"),
    ("symbols 'Session in:deps'", "deps:wire/wire/session.py:4"),
    ("callers wire.Session.send", "client.py:7"),
    ("callees Client.fetch --external", "deps:retries/retries.py:1"),
    ("callees wire.Session.send --external", "deps:retries/retries.py:1"),
    ("refs retries.wrap", "client.py:7"),
    ("research 'who keeps a connection repo:wire'", "deps:wire/wire/session.py"),
    ("bundle 'keep a connection to a machine repo:wire'", "deps:wire/wire/session.py"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an environment, whose packages are indexed by the first command."""
    return make_project(tmp_path_factory.mktemp("commands") / "project")


@pytest.fixture(autouse=True)
def variables(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "cache"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


def command(root: Path, line: str, *more: str) -> Output:
    return run_command(root, [*shlex.split(line), "--dependencies", *more], piped=True)


@pytest.mark.servers
@pytest.mark.parametrize(("line", "shown"), COMMANDS, ids=lambda item: item)
def test_a_command_is_about_the_packages_that_it_names(root: Path, line: str, shown: str) -> None:
    found = command(root, line)
    assert shown in found.out
    assert found.code == 0


@pytest.mark.parametrize("line", [line for line, _ in COMMANDS if "deps" in line])
def test_without_the_setting_a_command_knows_no_package(root: Path, line: str) -> None:
    found = run_command(root, shlex.split(line), piped=True)
    assert "deps:" not in found.out


def test_the_variable_turns_it_on_and_the_repository_can_not(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"repo_mcp.toml": "[server]\ndependencies = true\n"})
    line = ["open", "deps:wire/wire/session.py:4"]
    assert run_command(root, line, piped=True).code == 2
    monkeypatch.setenv("REPO_MCP_DEPENDENCIES", "on")
    assert "class Session" in run_command(root, line, piped=True).out
    (root / "repo_mcp.toml").unlink()


def test_a_search_without_hits_says_that_packages_have_some(root: Path) -> None:
    command(root, "search 'wrap in:deps'")
    found = command(root, "search distant")
    assert "deps:wire/wire/session.py" in found.out
    assert "the repository has nothing" in found.err
    *hits, summary = command(root, "search distant --json").out.splitlines()
    assert {json.loads(line)["path"] for line in hits} == {"deps:wire/wire/session.py"}
    assert "the repository has nothing" in str(json.loads(summary)["warnings"])
    (root / "inner").mkdir(exist_ok=True)
    assert command(root, "search distant inner/").code == 1


def test_a_symbol_that_no_package_has_is_missing(root: Path) -> None:
    found = command(root, "symbol wire.Session.nothing")
    assert found.code == 1
    assert "no symbol is called 'wire.Session.nothing'" in found.err


def test_a_pattern_is_no_path(root: Path) -> None:
    write(root, {"notes.txt": "deps:wire is a name\n"})
    assert "notes.txt:1" in command(root, "search -F deps:wire").out
    (root / "notes.txt").unlink()


def test_no_command_leads_out_of_a_package(root: Path) -> None:
    write(root / SITE, {"wire/.env": "SECRET=1\n"})
    for line in (
        "open deps:wire/../../../../../client.py",
        "open deps:wire/wire/.env",
        "outline deps:wire/retries.py",
        "open deps:nothing/a.py",
    ):
        found = command(root, line)
        assert found.code != 0, line
        assert "def " not in found.out
    assert "SECRET" not in command(root, "search -F SECRET deps:wire").out


def test_a_command_writes_no_index_that_is_there_anew(tmp_path: Path, root: Path) -> None:
    command(root, "search 'wrap in:deps'")
    packages = root.parent / "cache/repo-mcp/packages/python"
    before = written(packages)
    assert before
    second = make_project(tmp_path / "second")
    assert "deps:wire" in command(second, "search 'distant in:deps'").out
    assert written(packages) == before


def test_a_program_asks_packages(root: Path, tmp_path: Path) -> None:
    with repo_mcp.open(root, data_dir=tmp_path / "data", dependencies=True) as repository:
        assert repository.packages() == ["deps:wire", "deps:retries"]
        hits = repository.search("distant machine repo:wire").hits
        assert [hit.path for hit in hits] == ["deps:wire/wire/session.py"]
        assert {hit.path for hit in repository.search("Session").hits} == {"client.py"}
        assert repository.read("deps:retries/retries.py", 1, 1) == ["def wrap(call):"]
        lines = repository.find_lines("wrap", glob="deps:wire/**").matches
        assert [(match.path, match.line) for match in lines] == [
            ("deps:wire/wire/session.py", 1),
            ("deps:wire/wire/session.py", 8),
        ]
        found = repository.find_structure("wrap($A)", language="python", glob="deps:wire/**")
        assert [match.line for match in found.matches] == [8]
        assert [item.path for item in repository.find_lines("wrap", glob="*.py").matches] == [
            "client.py"
        ]
    with repo_mcp.open(root, data_dir=tmp_path / "data") as repository:
        assert repository.packages() == []
        with pytest.raises(repo_mcp.Problem):
            repository.read("deps:retries/retries.py")


def test_packages_of_several_roots(root: Path, tmp_path: Path) -> None:
    second = make_project(tmp_path / "second")
    distribution(second / SITE, "only", "1.0", {"only.py": "def only_here():\n    pass\n"})
    flags = ["--root", f"one={root}", "--root", f"two={second}", "--data-dir", str(tmp_path / "d")]
    assert "deps:only/only.py" in command(root, "search 'only_here in:deps'", *flags).out
    found = command(root, "symbol wire.Session.send", *flags).out
    assert "one/client.py" in found
    assert "two/client.py" in found
    assert "one/client.py" in command(root, "search 'fetch repo:one'", *flags).out
