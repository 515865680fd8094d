"""The commands on a damaged index: an error message and a repair for each."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from repo_mcp import dispatch
from tests.repo_mcp.trees import FOREVER, indexed, served, write

pytestmark = pytest.mark.differential

COMMANDS = ["status", "check", "compact", "dump", "dump CURRENT", "index", "check --repair"]


def garbled(index: Path) -> None:
    (index / "CURRENT").write_bytes(b"xx")


def without_current(index: Path) -> None:
    (index / "CURRENT").unlink()


def without_manifests(index: Path) -> None:
    for path in index.glob("manifest*"):
        path.unlink()


def without_segments(index: Path) -> None:
    for path in index.glob("seg*"):
        path.unlink()


def cut_off(index: Path) -> None:
    for path in index.glob("seg*"):
        path.write_bytes(path.read_bytes()[:100])


def a_file(index: Path) -> None:
    shutil.rmtree(index)
    index.write_bytes(b"")


def a_folder_in_the_way(index: Path) -> None:
    (index / "CURRENT").unlink()
    (index / "CURRENT").mkdir()


HEALED = [
    garbled,
    without_current,
    without_manifests,
    without_segments,
    cut_off,
    a_folder_in_the_way,
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose index is in its second generation."""
    root = write(tmp_path / "root", {"a.txt": "one\n"})
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    write(root, {"b.txt": "two\n"})
    manager.refresh(FOREVER)
    return root


class CommandOutput(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[[str], CommandOutput]


@pytest.fixture
def run(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command in this process: what it does not catch fails the test."""

    def call(command: str) -> CommandOutput:
        where = ["--repo-root", str(root), "--data-dir", str(root.parent / "data")]
        monkeypatch.setattr(sys, "argv", ["repo-mcp", *command.split(), *where])
        code = dispatch.run()
        said = CommandOutput(code, *capsys.readouterr())
        assert "defect" not in said.err, said.err
        return said

    return call


@pytest.mark.parametrize("damage", [*HEALED, a_file])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers(
    root: Path, run: Run, damage: Callable[[Path], None], command: str
) -> None:
    damage(root.parent / "data" / "index")
    done = run(command)
    if done.code == 2:
        assert done.err.splitlines()[-1].startswith("repo-mcp: ")
        assert done.err.rstrip().endswith((".", "`"))
    else:
        assert done.out


@pytest.mark.parametrize("damage", HEALED)
@pytest.mark.parametrize("command", ["index", "check --repair"])
def test_what_can_be_healed_is(
    root: Path, run: Run, damage: Callable[[Path], None], command: str
) -> None:
    damage(root.parent / "data" / "index")
    assert run("check").code == 1
    assert run(command).code == 0
    after = run("check")
    assert (after.code, after.out.splitlines()[-1]) == (0, "sound")
    manager = served(root, root.parent / "data").manager
    assert indexed(manager) == ["a.txt", "b.txt"]


@pytest.mark.parametrize("command", ["index", "check --repair"])
def test_a_file_in_the_place_of_the_index_is_moved_aside(
    root: Path, run: Run, command: str
) -> None:
    a_file(root.parent / "data" / "index")
    assert run(command).code == 0
    assert run("check").out.splitlines()[-1] == "sound"
    assert list((root.parent / "data" / "quarantine").iterdir())


@pytest.mark.parametrize("command", ["index", "check --repair"])
def test_a_file_in_the_place_of_the_data_folder_is_said(root: Path, run: Run, command: str) -> None:
    data = root.parent / "data"
    shutil.rmtree(data)
    data.write_bytes(b"")
    done = run(command)
    assert (done.code, "not a folder" in done.err) == (2, True)


def test_what_was_left_before_the_first_generation_is_no_index(root: Path, run: Run) -> None:
    index = root.parent / "data" / "index"
    without_current(index)
    without_manifests(index)
    done = run("check")
    assert done.code == 0
    assert done.out.splitlines()[-2] == "sound"
    assert "build it with `repo-mcp index`" in done.out
