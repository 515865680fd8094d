"""Compilers and type checkers: the lines of a tree that they report, and the files that they read.

Those that take long to start stay up, and are asked again after each change; they say what a
compiler that starts anew says (`--fresh` compares them).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.changes.python_imports import ignored_lines, uses_of_broken_imports
from bench.graph.pyright import Pyright

Line = tuple[str, int]
_HERE: Final = Path(__file__).parent
_TSC: Final = re.compile(r"^(\S[^(\n]*)\((\d+),\d+\): error", re.MULTILINE)
_GO: Final = re.compile(r"^(?:vet: )?(?:\./)?([^:\s]+\.go):(\d+):\d+:", re.MULTILINE)
_GCC: Final = re.compile(
    r"^(?:([^:\s]+\.[ch]):(\d+):\d+|<command-line>): "
    r"(?:((?:fatal )?error:)|note: in (?:expansion of macro|definition of macro))",
    re.MULTILINE,
)
_IMPLICIT: Final = re.compile(r"error: implicit declaration of function .(\w+).")
_JAVAC: Final = re.compile(r"^(\S+\.java):(\d+): error:", re.MULTILINE)
_MARKER: Final = re.compile(r'# (\d+) "([^"]*)"')
# calls of what no parameter list is known for, and pointers of another type
_STRICT: Final = ("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types")
# each line names another function, so that gcc reports all of them and not the first alone
_BY_LINE: Final = ("-Dplanted_join(a,b)=a##b", "-Dplanted_name(a,b)=planted_join(a,b)")
_IN_ONE: Final = "onelua.c"


class Checked(NamedTuple):
    """The errors of a tree, the files that were read, and lines of these that were not."""

    errors: frozenset[Line]
    files: frozenset[str]
    hidden: frozenset[Line] = frozenset()
    # lines that errors elsewhere come from, as those that use a macro
    causes: frozenset[Line] = frozenset()
    # what breaks and is not reported, since an error elsewhere hides it
    behind: frozenset[Line] = frozenset()
    # names that nothing uses, where that is an error
    unused: frozenset[Line] = frozenset()


# reports all errors of a tree
Checker = Callable[[], Checked]


class StayingProgram:
    """A program that stays up: a line on its input asks it for the errors of a tree."""

    def __init__(self, root: Path, *line: str) -> None:
        """Start it in the tree."""
        self._process = subprocess.Popen(
            line, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self) -> Checked:
        """All errors now."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        errors, behind, hidden, unused = (
            frozenset((path, line) for path, line in found.get(name, ()))
            for name in ("errors", "behind", "hidden", "unused")
        )
        return Checked(errors, frozenset(found["files"]), hidden, behind=behind, unused=unused)

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


class _PyrightChecker:
    """A language server of pyright that has all files open, and is told of those that change."""

    def __init__(self, root: Path, tools: Path) -> None:
        script = tools / "node_modules" / "pyright" / "langserver.index.js"
        self._root = root
        self._server = Pyright(script.resolve(), root)
        self._texts: dict[str, str] = {}
        self._version = 1
        self._server.__enter__()

    def __call__(self) -> Checked:
        """All errors now."""
        files = _python_files(self._root)
        for path in files:
            text = (self._root / path).read_text("utf-8")
            if path not in self._texts:
                self._server.open(path, text)
            elif self._texts[path] != text:
                self._version += 1
                self._server.change(path, text, self._version)
            self._texts[path] = text
        messages = {path: self._server.messages(path) for path in files}
        errors = frozenset((path, line) for path in files for line, _ in messages[path])
        texts = {path: self._texts[path] for path in files}
        hidden = frozenset((path, line) for path in files for line in ignored_lines(texts[path]))
        behind = frozenset(uses_of_broken_imports(texts, messages)) - hidden
        return Checked(errors, frozenset(files), hidden, behind=behind)

    def close(self) -> None:
        """End it."""
        self._server.__exit__(None, None, None)


def by_pyright(root: Path, tools: Path, _: Sequence[str]) -> Checker:
    """The lines with errors of pyright in all files; they may be in untyped code, too."""
    return _PyrightChecker(root, tools)


def _python_files(root: Path) -> list[str]:
    found = (path.relative_to(root) for path in root.rglob("*.py"))
    return sorted(str(path) for path in found if ".git" not in path.parts)


def by_tsc(root: Path, tools: Path, _: Sequence[str]) -> Checker:
    """The lines with errors of the TypeScript compiler, which goes on with its program."""
    module = tools / "node_modules" / "typescript" / "lib" / "typescript.js"
    script = _HERE / "typescript_errors.mjs"
    return StayingProgram(root, "node", str(script), str(module.resolve()))


def by_go(root: Path, tools: Path, _: Sequence[str]) -> Checker:
    """The lines with errors of go/types, which are in tests of what has errors, too."""
    program = tools.resolve() / "go_errors"
    command = ["go", "build", "-o", str(program), str(_HERE / "go_errors.go")]
    subprocess.run(command, check=True)
    module = _run(root, "go", "list", "-m").split()[0]
    return StayingProgram(root, str(program), module)


def by_javac(root: Path, tools: Path, _: Sequence[str]) -> Checker:
    """The lines with errors of the Java compiler, with the archives in `tools`/jars."""
    script = _HERE / "JavaErrors.java"
    return StayingProgram(root, "java", str(script), _jars(tools))


def by_gcc(root: Path, _: Path, builds: Sequence[str]) -> Checker:
    """The lines with errors of gcc in the C files of a tree, in any of these builds."""
    sources = sorted(
        str(path.relative_to(root)) for path in root.rglob("*.c") if path.name != _IN_ONE
    )
    given = [build.split() for build in builds] or [[]]
    files = frozenset(str(path.relative_to(root)) for path in root.rglob("*.[ch]"))
    hidden = _hidden(root, sources, files, given)
    needs = {source: _included(root, source, given) for source in sources}
    known: dict[str, tuple[list[bytes], set[Line], set[Line]]] = {}

    def check() -> Checked:
        for source in sources:
            texts = [(root / path).read_bytes() for path in needs[source]]
            if source not in known or known[source][0] != texts:
                errors: set[Line] = set()
                causes: set[Line] = set()
                for build in given:
                    one, other = _errors_of(root, source, build)
                    errors |= one
                    causes |= other
                known[source] = texts, errors, causes
        every = frozenset(line for _, errors, _ in known.values() for line in errors)
        causes_of_all = frozenset(line for _, _, causes in known.values() for line in causes)
        return Checked(every, files, hidden, causes_of_all)

    return check


def _included(root: Path, source: str, builds: Iterable[Sequence[str]]) -> list[str]:
    """The files of a tree that a C file reads, with itself."""
    found = {source}
    for build in builds:
        said = _run(root, "gcc", "-MM", *build, source)
        found |= {os.path.normpath(path) for path in said.split() if path[-2:] in {".h", ".c"}}
    return sorted(path for path in found if (root / path).exists())


def _errors_of(root: Path, source: str, build: Sequence[str]) -> tuple[set[Line], set[Line]]:
    """The errors of a C file; functions that are not declared are errors wherever they are called.

    gcc declares them by their first call.
    """
    names: set[str] = set()
    while True:
        defined = [f"-D{name}=planted_name({name}_,__LINE__)" for name in sorted(names)]
        options = ("-fsyntax-only", "-fmax-errors=0", "-std=c99", *_STRICT, *build)
        said = _run(root, "gcc", *options, *(_BY_LINE if names else ()), *defined, source)
        more = {name for name in _IMPLICIT.findall(said) if not _is_joined(name, names)}
        if not more:
            return errors_of_gcc(said)
        names |= more


def errors_of_gcc(said: str) -> tuple[set[Line], set[Line]]:
    """The first line of the tree that each error is at, and the others that use its macros."""
    errors: set[Line] = set()
    causes: set[Line] = set()
    is_open = False
    for found in _GCC.finditer(said):
        is_open = is_open or bool(found[3])
        if found[1]:
            line = os.path.normpath(found[1]), int(found[2])
            (errors if is_open else causes).add(line)
            is_open = False
    return errors, causes


def _is_joined(name: str, names: Iterable[str]) -> bool:
    before, _, line = name.rpartition("_")
    return before in names and line.isdigit()


def _hidden(
    root: Path, sources: Iterable[str], files: Iterable[str], builds: Iterable[Sequence[str]]
) -> frozenset[Line]:
    """The lines that the preprocessor takes away in all builds."""
    seen: set[Line] = set()
    for source in sources:
        for build in builds:
            path, line = "", 0
            said = _run(root, "gcc", "-E", "-std=c99", *build, source)
            for row in said.split("\n"):
                marker = _MARKER.match(row)
                if marker is not None:
                    path, line = marker[2].removeprefix("./"), int(marker[1])
                    continue
                if row.strip():
                    seen.add((os.path.normpath(path), line))
                line += 1
    hidden: set[Line] = set()
    for path in files:
        rows = (root / path).read_text("utf-8", "replace").split("\n")
        hidden |= {(path, line) for line in range(1, len(rows) + 1)} - seen
        hidden -= {(path, line) for line in _lines_of_macros(rows)}
    return frozenset(hidden)


def _lines_of_macros(rows: Sequence[str]) -> Iterator[int]:
    """The lines of definitions, which are read where they are used."""
    is_inside = False
    for number, row in enumerate(rows, 1):
        is_inside = is_inside or re.match(r"\s*#\s*define\b", row) is not None
        if is_inside:
            yield number
        is_inside = is_inside and row.endswith("\\")


CHECKERS: Final[dict[str, Callable[[Path, Path, Sequence[str]], Checker]]] = {
    "python": by_pyright,
    "typescript": by_tsc,
    "go": by_go,
    "c": by_gcc,
    "java": by_javac,
}


def fresh_pyright(root: Path, tools: Path) -> frozenset[Line]:
    """The errors of a pyright that starts anew."""
    script = tools / "node_modules" / "pyright" / "index.js"
    done = _run(root, "node", str(script.resolve()), "--outputjson", *_python_files(root))
    return frozenset(
        (str(Path(item["file"]).relative_to(root)), item["range"]["start"]["line"] + 1)
        for item in json.loads(done)["generalDiagnostics"]
        if item["severity"] == "error"
    )


def fresh_tsc(root: Path, tools: Path) -> frozenset[Line]:
    """The errors of a TypeScript compiler that starts anew."""
    script = tools / "node_modules" / "typescript" / "lib" / "tsc.js"
    for made in root.glob("*.tsbuildinfo"):
        made.unlink()
    done = _run(root, "node", str(script), "--noEmit", "-p", ".", "--pretty", "false")
    return frozenset(_lines(_TSC, done))


def fresh_go(root: Path, _: Path) -> frozenset[Line]:
    """The errors of a build, which leaves out what needs a package with errors."""
    return frozenset(_lines(_GO, _run(root, "go", "test", "-run", "^$", "-gcflags=-e", "./...")))


def fresh_javac(root: Path, tools: Path) -> frozenset[Line]:
    """The errors of a Java compiler that starts anew."""
    sources = sorted(str(path.relative_to(root)) for path in root.glob("src/**/*.java"))
    options = ("-proc:none", "-nowarn", "-Xmaxerrs", "100000", "-XDshould-stop.ifError=FLOW")
    with tempfile.TemporaryDirectory() as made:
        said = _run(root, "javac", *options, "-d", made, "-cp", _jars(tools), *sources)
    return frozenset(_lines(_JAVAC, said))


# checkers that start anew, for those that stay up; that of Go may leave something out
FRESH: Final[dict[str, Callable[[Path, Path], frozenset[Line]]]] = {
    "python": fresh_pyright,
    "typescript": fresh_tsc,
    "go": fresh_go,
    "java": fresh_javac,
}


def _jars(tools: Path) -> str:
    return os.pathsep.join(str(path.resolve()) for path in sorted((tools / "jars").glob("*.jar")))


def _lines(form: re.Pattern[str], text: str) -> Iterator[Line]:
    for found in form.finditer(text):
        yield found[1].removeprefix("./"), int(found[2])


def _run(root: Path, *line: str) -> str:
    done: Any = subprocess.run(line, cwd=root, capture_output=True, text=True, check=False)
    output: str = done.stdout + done.stderr if line[0] != "node" else done.stdout
    return output
