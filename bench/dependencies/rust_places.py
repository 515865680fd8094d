"""Where rustc finds the declarations of names, with the crates that Cargo compiles for a project.

Cargo runs once and every command of the compiler is written down. The crates of the registry are
asked what they declare, those of the project what their names mean, without their tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.dependencies.places import Answers, Target, Use
from bench.graph.edges import At, Truth
from bench.graph.rust_oracle import VERSION, Crate, CrateReader, Items, drop_ambiguous

_REGISTRY: Final = "/cargo/registry/"
_DROPPED: Final = ("--error-format", "--json", "--emit", "--diagnostic-width")
# writes down the command that it is called with, and runs it
_WRAPPER: Final = """#!{python}
import json, os, sys
row = {{"command": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
with open({out!r}, "a") as file:
    file.write(json.dumps(row) + "\\n")
os.execvp(sys.argv[1], sys.argv[1:])
"""


def ask_rust(root: Path, uses: Sequence[Use], keep: Path) -> Answers:
    """The declarations of the names at uses."""
    stored = keep / f"rust-{root.name}-{VERSION}.jsonl"
    if not stored.exists():
        _judge(root, keep / "target" / root.name).write(stored)
    found: defaultdict[At, set[Target]] = defaultdict(set)
    for edge in Truth.read(stored).edges:
        if edge.target.path.startswith("/"):
            place = Target(str(Path(edge.target.path).resolve()), edge.target.line)
            found[edge.at].add(place)
    return [sorted(found[At(use.path, use.line, use.column)]) for use in uses]


class _Command(NamedTuple):
    """One run of the compiler."""

    arguments: Sequence[str]
    folder: Path
    environment: Mapping[str, str]

    def value(self, option: str) -> str:
        """The word behind an option."""
        at = self.arguments.index(option) if option in self.arguments else -1
        return self.arguments[at + 1] if at >= 0 else ""


class _Recorded:
    """Runs a command once more, for a tree in the place of what it has made."""

    def __init__(self, command: _Command) -> None:
        self.root = command.folder
        self._command = command

    def is_library(self, path: str) -> bool:
        """True for files of the registry."""
        return _REGISTRY in path

    def lines(self, crate: Crate, form: str, *, with_tests: bool) -> Iterator[str]:
        """The lines of the tree."""
        del crate, with_tests
        kept = [one for one in self._command.arguments if not one.startswith(_DROPPED)]
        command = [*kept, f"-Zunpretty={form}", "-Awarnings"]
        environment = {**self._command.environment, "RUSTC_BOOTSTRAP": "1"}
        with subprocess.Popen(
            command, cwd=self.root, env=environment, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            yield from process.stdout


def _judge(root: Path, target: Path) -> Truth:
    truth, known = Truth(), Items()
    for command in _commands(root, target):
        name, main = command.value("--crate-name"), _main(command)
        if not main or command.value("--crate-type") == "proc-macro" or name.startswith("build_"):
            continue
        print(name, file=sys.stderr)
        reader = CrateReader(_Recorded(command), Crate(name, main, ""), known, truth)
        if _REGISTRY in main:
            reader.read_declarations()
        else:
            reader.read_plain()
    drop_ambiguous(truth)
    return truth


def _main(command: _Command) -> str:
    return next((one for one in command.arguments[1:] if one.endswith(".rs")), "")


def _commands(root: Path, target: Path) -> list[_Command]:
    """The commands of the compiler, each after those of what it needs."""
    target.mkdir(parents=True)
    record, wrapper = target / "commands.jsonl", target / "wrapper"
    wrapper.write_text(_WRAPPER.format(python=sys.executable, out=str(record)), "utf-8")
    wrapper.chmod(0o755)
    given = {"RUSTC_WRAPPER": str(wrapper), "CARGO_TARGET_DIR": str(target / "built")}
    command = ["cargo", "check", "--offline", "--quiet"]
    subprocess.run(command, cwd=root, env={**os.environ, **given}, check=True)
    rows = map(json.loads, record.read_text("utf-8").splitlines())
    return [_Command(row["command"], Path(row["folder"]), row["environment"]) for row in rows]
