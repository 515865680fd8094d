"""The command that installs an extra works in the environment that runs the program."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from index_format.late_import import how_to_install

ROOT = Path(__file__).parents[2]


def test_the_programs_own_environment_is_installed_into(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/home/a user/bin/python")
    here, *_, extra = shlex.split(how_to_install("web"))
    assert (here, extra) == ("/home/a user/bin/python", "repo-mcp[web]")


def test_an_environment_without_pip_is_one_of_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    words = shlex.split(how_to_install("web"))
    assert words == ["uv", "pip", "install", "--python", sys.executable, "repo-mcp[web]"]


def test_each_extra_that_is_named_is_one_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("repo_mcp/**/*.py"))
    named = set(re.findall(r"how_to_install\(['\"](\w+)", sources))
    assert named
    assert named <= set(project["optional-dependencies"])
