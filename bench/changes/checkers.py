"""Compilers and type checkers: the lines of a tree that they report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

Line = tuple[str, int]
# reports all errors of a tree: its root, and a folder with the checkers of npm
Checker = Callable[[Path, Path], frozenset[Line]]
_TSC: Final = re.compile(r"^(\S[^(\n]*)\((\d+),\d+\): error", re.MULTILINE)
_GO: Final = re.compile(r"^(?:vet: )?(?:\./)?([^:\s]+\.go):(\d+):\d+:", re.MULTILINE)
_GCC: Final = re.compile(r"^([^:\s]+\.[ch]):(\d+):\d+: (?:fatal )?error:", re.MULTILINE)
_JAVAC: Final = re.compile(r"^(\S+\.java):(\d+): error:", re.MULTILINE)
# calls of what no parameter list is known for, and pointers of another type
_STRICT: Final = ("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types")


def by_pyright(root: Path, tools: Path) -> frozenset[Line]:
    """The lines with errors of pyright; they may be in untyped code, too."""
    script = tools / "node_modules" / "pyright" / "index.js"
    done = _run(root, "node", str(script), "--outputjson")
    found = json.loads(done)["generalDiagnostics"]
    return frozenset(
        (str(Path(item["file"]).relative_to(root)), item["range"]["start"]["line"] + 1)
        for item in found
        if item["severity"] == "error"
    )


def by_tsc(root: Path, tools: Path) -> frozenset[Line]:
    """The lines with errors of the TypeScript compiler."""
    script = tools / "node_modules" / "typescript" / "lib" / "tsc.js"
    done = _run(root, "node", str(script), "--noEmit", "-p", ".", "--pretty", "false")
    return frozenset(_lines(_TSC, done))


def by_go(root: Path, _: Path) -> frozenset[Line]:
    """The lines with errors of the Go compiler."""
    return frozenset(_lines(_GO, _run(root, "go", "test", "-run", "^$", "-gcflags=-e", "./...")))


def by_gcc(root: Path, _: Path) -> frozenset[Line]:
    """The lines with errors of gcc in the C files at the root of a tree."""
    sources = sorted(path.name for path in root.glob("*.c") if path.name != "onelua.c")
    options = ("-fsyntax-only", "-fmax-errors=0", "-std=c99", *_STRICT)
    return frozenset(_lines(_GCC, _run(root, "gcc", *options, *sources)))


def by_javac(root: Path, tools: Path) -> frozenset[Line]:
    """The lines with errors of the Java compiler, with the archives in `tools`/jars."""
    sources = sorted(str(path.relative_to(root)) for path in root.glob("src/**/*.java"))
    jars = os.pathsep.join(map(str, sorted((tools / "jars").glob("*.jar"))))
    options = ("-proc:none", "-nowarn", "-Xmaxerrs", "10000", "-XDshould-stop.ifError=FLOW")
    with tempfile.TemporaryDirectory() as made:
        said = _run(root, "javac", *options, "-d", made, "-cp", jars, *sources)
    return frozenset(_lines(_JAVAC, said))


CHECKERS: Final[dict[str, Checker]] = {
    "python": by_pyright,
    "typescript": by_tsc,
    "go": by_go,
    "c": by_gcc,
    "java": by_javac,
}


def _lines(form: re.Pattern[str], text: str) -> Iterator[Line]:
    for found in form.finditer(text):
        yield found[1].removeprefix("./"), int(found[2])


def _run(root: Path, *line: str) -> str:
    done = subprocess.run(line, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if line[0] != "node" else done.stdout
