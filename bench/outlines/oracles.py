"""Other parsers: programs that read paths from standard input and write declarations."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.outlines.clang import read_clang
from bench.outlines.swift import read_swift

_PARSERS: Final = Path(__file__).with_name("parsers")
# where Debian keeps the sources of Rust's libraries
_CRATES: Final = Path("/usr/share/cargo/registry")


class Declared(NamedTuple):
    """A declaration that an oracle sees."""

    path: Path
    kind: str
    name: str
    line: int


class Oracle(NamedTuple):
    """A parser: the endings of files that it reads, and what runs it."""

    endings: frozenset[str]
    run: Callable[[Sequence[Path]], str]

    def read(self, paths: Sequence[Path]) -> tuple[list[Declared], set[Path]]:
        """The declarations in files, and the files that the parser does not read."""
        found: list[Declared] = []
        failed: set[Path] = set()
        for line in self.run(paths).splitlines():
            row = json.loads(line)
            if "failed" in row:
                failed.add(Path(row["failed"]))
            else:
                found.append(Declared(Path(row["path"]), row["kind"], row["name"], row["line"]))
        return list(dict.fromkeys(found)), failed


def _run(command: list[str], paths: Sequence[Path]) -> str:
    text = "".join(f"{path}\n" for path in paths)
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def _go(paths: Sequence[Path]) -> str:
    return _run(["go", "run", str(_PARSERS / "go.go")], paths)


def _java(paths: Sequence[Path]) -> str:
    return _run(["java", str(_PARSERS / "Java.java")], paths)


def _rust(paths: Sequence[Path]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        shutil.copytree(_PARSERS / "rust", made / "rust")
        (made / "rust" / ".cargo").mkdir()
        (made / "rust" / ".cargo" / "config.toml").write_text(
            '[source.crates-io]\nreplace-with = "debian"\n'
            f'[source.debian]\ndirectory = "{_CRATES}"\n'
        )
        manifest = str(made / "rust" / "Cargo.toml")
        command = ["cargo", "run", "--quiet", "--release", "--offline", "--manifest-path", manifest]
        text = "".join(f"{path.resolve()}\n" for path in paths)
        done = subprocess.run(
            command, input=text, check=True, capture_output=True, text=True, cwd=made / "rust"
        )
        return done.stdout


ORACLES: Final = {
    "go": Oracle(frozenset({".go"}), _go),
    "swift": Oracle(frozenset({".swift"}), read_swift),
    "java": Oracle(frozenset({".java"}), _java),
    "rust": Oracle(frozenset({".rs"}), _rust),
    "c": Oracle(frozenset({".c", ".h"}), lambda paths: read_clang(paths, "c")),
    "cpp": Oracle(
        frozenset({".cc", ".cpp", ".cxx", ".h", ".hpp"}), lambda paths: read_clang(paths, "c++")
    ),
}
