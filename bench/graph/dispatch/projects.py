"""The projects whose tests are recorded: their trees, what they need, and how they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.answers.history import extract

_HERE: Final = Path(__file__).parent
_HOURS: Final = 3600
PYTHON: Final = "python"
LUA: Final = "lua"


@dataclass(frozen=True, slots=True)
class Project:
    """A project with tests."""

    name: str
    language: str
    split: str
    source: str
    run: str
    packages: str = ""

    def tree(self, keep: Path, git: Path) -> Path:
        """Its files alone, which are linked; made unless they are there."""
        name, _, commit = self.source.rpartition("@")
        root = keep / "trees" / self.name
        if not root.exists():
            root.mkdir(parents=True)
            extract(git / name.replace("/", "+") / "repo", commit, root)
        return root


def projects(names: list[str], split: str = "") -> list[Project]:
    """The projects of the list that are asked for."""
    listed = tomllib.loads((_HERE / "projects.toml").read_text("utf-8"))["project"]
    every = [Project(**row) for row in listed]
    return [
        each
        for each in every
        if (not names or each.name in names) and (not split or each.split == split)
    ]


def record(project: Project, keep: Path, git: Path) -> Path:
    """Run a project's tests under the recorder, in a copy beside what is linked."""
    run = keep / "runs" / project.name
    if not run.exists():
        shutil.copytree(project.tree(keep, git), run)
    out = keep / "records" / f"{project.name}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    if project.language == PYTHON:
        _record_python(project, run, out)
    elif project.language == LUA:
        _record_lua(project, run, out)
    else:
        _record_node(project, run, keep / "node", out)
    return out


def _record_python(project: Project, run: Path, out: Path) -> None:
    folder = run.parent / f"{project.name}.venv"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *project.packages.split(), "-e", "."], cwd=run, check=True)
    command = [str(python), str(_HERE / "record_python.py"), ".", str(out.resolve())]
    _run([*command, *project.run.split()], run, {})


def _record_node(project: Project, run: Path, tools: Path, out: Path) -> None:
    npm = [
        "npm",
        "install",
        "--ignore-scripts",
        "--legacy-peer-deps",
        "--no-audit",
        "--no-fund",
        "--silent",
    ]
    tools.mkdir(parents=True, exist_ok=True)
    if not (tools / "node_modules").exists():
        subprocess.run([*npm, "acorn@8"], cwd=tools, check=True)
    if not (run / "node_modules").exists():
        subprocess.run(npm, cwd=run, check=True)
    variables = {
        "GRAPH_RECORD_ACORN": str(tools.resolve()),
        "NODE_OPTIONS": f"--require {_HERE / 'record_node.cjs'}",
    }
    _run_parts(project, run, out, variables)


def _record_lua(project: Project, run: Path, out: Path) -> None:
    """Interpreter and modules are packages of the system."""
    _run_parts(project, run, out, {"LUA_INIT": f"@{_HERE / 'record_lua.lua'}"})


def _run_parts(project: Project, run: Path, out: Path, variables: dict[str, str]) -> None:
    """Run tests of which each process writes a file of its own."""
    parts = out.with_suffix(".parts")
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir()
    folders = {"GRAPH_RECORD_ROOT": str(run.resolve()), "GRAPH_RECORD_OUT": str(parts.resolve())}
    _run(project.run.split(), run, {**folders, **variables})
    rows = sorted(line for part in parts.iterdir() for line in part.read_text("utf-8").splitlines())
    out.write_text("".join(f"{row}\n" for row in rows), "utf-8")


def _run(command: list[str], folder: Path, variables: dict[str, str]) -> None:
    """Run tests; some may fail, as what they need is not all here."""
    own = {"PWD": str(folder.resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **variables, **own}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        timeout=_HOURS,
        check=False,
        capture_output=True,
        text=True,
    )
    sys.stderr.write("\n".join(done.stdout.splitlines()[-3:]) + "\n")
