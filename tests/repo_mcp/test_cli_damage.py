"""The commands on an index that is not as it was left: an answer each, and a way out."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import FOREVER, indexed, served, write

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


HEALED = [garbled, without_current, without_manifests, without_segments, cut_off]
NOT_HEALED = [a_file, a_folder_in_the_way]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "root", {"a.py": "x = 1\n", "b.md": "# b\n"})
    served(root, tmp_path / "data").manager.refresh(FOREVER)
    return root


def run(root: Path, command: str) -> subprocess.CompletedProcess[str]:
    where = ["--repo-root", str(root), "--data-dir", str(root.parent / "data")]
    done = subprocess.run(
        [*PROGRAM, *command.split(), *where],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "defect" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("damage", [*HEALED, *NOT_HEALED])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers(root: Path, damage: Callable[[Path], None], command: str) -> None:
    damage(root.parent / "data" / "index")
    done = run(root, command)
    if done.returncode == 2:
        assert done.stderr.splitlines()[-1].startswith("repo-mcp: ")
        assert done.stderr.rstrip().endswith((".", "`"))
    else:
        assert done.stdout


@pytest.mark.parametrize("damage", HEALED)
@pytest.mark.parametrize("command", ["index", "check --repair"])
def test_what_can_be_healed_is(root: Path, damage: Callable[[Path], None], command: str) -> None:
    damage(root.parent / "data" / "index")
    assert run(root, "check").returncode == 1
    assert run(root, command).returncode == 0
    assert run(root, "check").stdout == "sound\n"
    manager = served(root, root.parent / "data").manager
    assert indexed(manager) == ["a.py", "b.md"]


@pytest.mark.parametrize("damage", NOT_HEALED)
@pytest.mark.parametrize("command", ["index", "check --repair"])
def test_what_can_not_be_healed_is_said(
    root: Path, damage: Callable[[Path], None], command: str
) -> None:
    damage(root.parent / "data" / "index")
    done = run(root, command)
    assert done.returncode == 2
    assert "the index can't be read or written" in done.stderr
    assert "Check that the data folder (--data-dir) can be written to" in done.stderr
