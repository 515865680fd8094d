"""Truth about Swift projects: the compiler's index, which says of every name what it means.

The modules of a project are compiled one after another in a root with the compiler, and the index
that it writes is printed by a small program. A call of `T(…)` is one of the `init` that the
compiler chooses, and of the type where that is not written. What is called on a value of a protocol
is the requirement. Operators, subscripts, what the compiler adds by itself, branches of `#if` that
are not compiled and what macros expand to are not judged.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, REFERENCES, At, Edge, Truth, Where
from bench.graph.projects import Project

VERSION: Final = 3
# the environment's name for the folder with the compiler
ROOT: Final = "SWIFT_ROOT"
_MISSING: Final = (
    f"Swift needs {ROOT}, a folder with a Debian that has its compiler; as root: debootstrap"
    " --variant=minbase --include=swiftlang,swiftlang-dev,gcc,libc6-dev,libstdc++-14-dev trixie"
    " FOLDER"
)
_PRINTER: Final = Path(__file__).with_name("swift_index.c")
_TOOLS: Final = "/usr/libexec/swift"
_WORK: Final = "tmp/graph-oracle"
_NAME: Final = re.compile(r"`?([^\W\d]\w*)`?")
_FLAGS: Final = (
    "-suppress-warnings",
    "-index-ignore-system-modules",
    "-enable-testing",
    "-Xfrontend",
    "-index-include-locals",
)
# bits and kinds of indexstore.h
_DEFINITION: Final = 1 << 1
_REFERENCE: Final = 1 << 2
_READ_OR_WRITE: Final = 1 << 3 | 1 << 4
_CALL: Final = 1 << 5
_IMPLICIT: Final = 1 << 8
_CHILD: Final = 1 << 9
_BASE: Final = 1 << 10
_OVERRIDE: Final = 1 << 11
_CALLED_BY: Final = 1 << 13
_EXTENDED_BY: Final = 1 << 14
_ACCESSOR: Final = 1 << 15
_CONTAINED_BY: Final = 1 << 16
_LOCAL: Final = 1 << 7
_MODULE: Final = 1
_EXTENSION: Final = 9
_CONSTRUCTOR: Final = 22
_PROPERTIES: Final = frozenset({13, 19, 20, 21})
_KINDS: Final = {
    5: "class",
    6: "class",
    7: "class",
    8: "interface",
    11: "type",
    12: "function",
    13: "variable",
    15: "enumerator",
    16: "method",
    17: "method",
    18: "method",
    19: "property",
    20: "property",
    21: "property",
    _CONSTRUCTOR: "constructor",
}
_SUBSCRIPT: Final = 1011
_TYPE_PARAMETER: Final = 1013
_TYPES: Final = frozenset({"class", "interface", "type"})


def stored_truth(name: str, keep: Path) -> Path:
    """The file of what the compiler says of a project."""
    return keep / "truth" / f"swift-{name}-{VERSION}.jsonl"


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The compiler's edges of a project, from the file of an earlier run if there is one."""
    stored = stored_truth(project.name, keep)
    if not stored.exists():
        compiler = Compiler()
        rows = list(compiler.index(project, root, keep))
        _Reader(root, rows).truth().write(stored)
    return Truth.read(stored)


class Relation(NamedTuple):
    """A symbol to which an occurrence is related, and the roles of that."""

    roles: int
    usr: str


@dataclass(slots=True)
class Occurrence:
    """A symbol at a place of a file."""

    path: str
    line: int
    column: int
    roles: int
    kind: int
    subkind: int
    properties: int
    usr: str
    name: str
    relations: list[Relation] = field(default_factory=list)


def has_compiler() -> bool:
    """True if the environment names a root with the compiler, and this process may use it."""
    folder = os.environ.get(ROOT, "")
    return bool(folder) and Path(f"{folder}{_TOOLS}").is_dir() and os.geteuid() == 0


class Compiler:
    """The compiler in its root."""

    def __init__(self) -> None:
        if not has_compiler():
            raise SystemExit(_MISSING)
        self._root = Path(os.environ[ROOT])
        self._work = self._root / _WORK

    def check(self, files: Iterable[Path], name: str) -> str:
        """The errors of files that are a module together."""
        folder = self._work / f"check-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in files:
            shutil.copy(file, folder)
        names = sorted(file.name for file in folder.iterdir())
        command = ["swiftc", "-typecheck", "-suppress-warnings", "-module-name", name]
        if names != ["main.swift"] and len(names) == 1:
            command.append("-parse-as-library")
        done = self._run([*command, *names], folder, check=False)
        return done.stderr or ("" if done.returncode == 0 else f"exit code {done.returncode}")

    def index(self, project: Project, root: Path, keep: Path) -> Iterator[Occurrence]:
        """The occurrences in the modules of a project."""
        self._build_printer()
        folder = self._work / project.name
        shutil.rmtree(folder, ignore_errors=True)
        for name in project.needs:
            other = keep / "trees" / name
            shutil.copytree(other, self._work / name, dirs_exist_ok=True)
        shutil.copytree(root, folder)
        (folder / ".modules").mkdir()
        for row in project.roots:
            self._compile(folder, row, project.symbols)
        shown = self._run([f"/{_WORK}/printer", ".index"], folder).stdout
        prefix = f"/{_WORK}/{project.name}/"
        yield from _occurrences(shown, prefix)

    def _compile(self, folder: Path, row: str, options: Iterable[str]) -> None:
        """Compile `Module=folder`, whose files are all that are below it."""
        name, _, where = row.partition("=")
        base = folder / where
        found = [base] if base.is_file() else sorted(base.rglob("*.swift"))
        names = [os.path.relpath(file, folder) for file in found]
        command = ["swiftc", "-emit-module", "-module-name", name, *_FLAGS, "-I.modules"]
        command += ["-o", f".modules/{name}.swiftmodule", *options]
        if not where.startswith(".."):
            command += ["-index-store-path", ".index"]
        if len(names) == 1 and not names[0].endswith("main.swift"):
            command.append("-parse-as-library")
        done = self._run([*command, *names], folder, check=False)
        if done.returncode:
            raise SystemExit(f"{row} does not compile:\n{done.stderr[-4000:]}")

    def _build_printer(self) -> None:
        self._work.mkdir(parents=True, exist_ok=True)
        shutil.copy(_PRINTER, self._work)
        options = [f"-I{_TOOLS}/local/include", f"-L{_TOOLS}/lib", f"-Wl,-rpath,{_TOOLS}/lib"]
        command = ["gcc", "-O1", "-o", "printer", _PRINTER.name, "-lIndexStore", *options]
        self._run(command, self._work)

    def _run(
        self, command: list[str], folder: Path, *, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        inner = f"/{folder.relative_to(self._root)}"
        start = ["chroot", str(self._root), "env", "--chdir", inner, *command]
        # folders of this system are none of the root's
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/"}
        return subprocess.run(start, check=check, text=True, capture_output=True, env=environment)


def _occurrences(text: str, prefix: str) -> Iterator[Occurrence]:
    """The occurrences in files of the project; a file of several units comes once."""
    seen: set[str] = set()
    path, is_new = "", False
    last: Occurrence | None = None
    for line in text.splitlines():
        mark, *rest = line.split("\t")
        if mark == "F":
            if last is not None:
                yield last
            last = None
            path = rest[0].removeprefix(prefix)
            is_new = path != rest[0] and path not in seen and path.endswith(".swift")
            seen.add(path)
        elif is_new and mark == "O":
            if last is not None:
                yield last
            row, column, roles, kind, subkind, properties = map(int, rest[:6])
            last = Occurrence(path, row, column, roles, kind, subkind, properties, rest[6], rest[7])
        elif is_new and mark == "R" and last is not None:
            last.relations.append(Relation(int(rest[0]), rest[2]))
    if last is not None:
        yield last


class _Reader:
    """Makes edges of what the index says."""

    def __init__(self, root: Path, rows: list[Occurrence]) -> None:
        self._rows = rows
        self._root = root
        self._truth = Truth()
        self._lines: dict[str, list[bytes]] = {}
        self._wheres: dict[str, Where] = {}
        self._places: dict[str, At] = {}
        self._kinds: dict[str, str] = {}
        # what a symbol is in, and the type that an extension extends
        self._around: dict[str, str] = {}
        self._extended: dict[str, str] = {}

    def truth(self) -> Truth:
        """The edges of all occurrences."""
        for row in self._rows:
            self._declare(row)
        self._hold()
        types = {
            (row.path, row.line, row.column): row.usr
            for row in self._rows
            if row.roles & _REFERENCE and _KINDS.get(row.kind) in _TYPES
        }
        for row in self._rows:
            if row.roles & _REFERENCE and not row.roles & _IMPLICIT:
                self._refer(row, types.get((row.path, row.line, row.column), ""))
            self._override(row)
        return self._truth

    def _declare(self, row: Occurrence) -> None:
        for related in row.relations:
            if related.roles & _EXTENDED_BY:
                self._extended[related.usr] = row.usr
            elif row.roles & _DEFINITION and related.roles & (_CHILD | _ACCESSOR):
                self._around[row.usr] = related.usr
        kind = _kind(row)
        if not row.roles & _DEFINITION or not kind:
            return
        self._kinds[row.usr] = kind
        place = self._place(row)
        if row.roles & _IMPLICIT or place is None:
            return
        at, name = place
        where = Where(row.path, row.line, name)
        self._wheres[row.usr] = where
        self._places[row.usr] = at
        self._truth.kinds[where] = kind

    def _hold(self) -> None:
        for usr, kind in self._kinds.items():
            owner = self._wheres.get(self._owner(usr))
            where = self._wheres.get(usr)
            if kind == "constructor" and owner is not None and where is not None:
                self._truth.holders[where] = owner

    def _owner(self, usr: str) -> str:
        """The type that a member is of."""
        around = self._around.get(usr, "")
        return self._extended.get(around, around)

    def _refer(self, row: Occurrence, type_: str) -> None:
        place = self._place(row)
        kind = _kind(row)
        is_operator = place is None and not kind
        if place is None or is_operator or row.kind == _MODULE:
            return
        if row.kind in _PROPERTIES and not row.roles & _READ_OR_WRITE:
            return  # the label of an initialiser that nobody wrote
        at, name = place
        target = self._wheres.get(row.usr)
        source = self._source(row)
        is_named = row.name.partition("(")[0] == name or row.kind == _CONSTRUCTOR
        if not is_named:
            return
        if row.kind != _CONSTRUCTOR or name == "init":
            self._add(REFERENCES, source, target, at)
        if row.roles & _CALL:
            self._add(CALLS, source, target or self._constructed(row, type_), at)
        if any(related.roles & _BASE for related in row.relations):
            self._add(IMPLEMENTS, source, target, at)

    def _constructed(self, row: Occurrence, type_: str) -> Where | None:
        """The type whose `init` is called that nobody wrote, or that it has from outside."""
        if row.kind != _CONSTRUCTOR:
            return None
        owner = self._wheres.get(self._owner(row.usr))
        if owner is not None:
            return owner
        return self._wheres.get(type_) if self._kinds.get(type_) == "class" else None

    def _add(self, type_: str, source: Where, target: Where | None, at: At) -> None:
        self._truth.judged.add((type_, at))
        if target is not None:
            self._truth.add(Edge(type_, source, target, at))

    def _override(self, row: Occurrence) -> None:
        """Add the members that one replaces, told where it stands or where its type conforms."""
        where, at = self._wheres.get(row.usr), self._places.get(row.usr)
        if where is None or at is None or self._kinds[row.usr] in _TYPES:
            return
        if row.roles & _DEFINITION:
            self._truth.judged.add((OVERRIDES, at))
        for related in row.relations:
            target = self._wheres.get(related.usr)
            if related.roles & _OVERRIDE and target is not None:
                self._truth.add(Edge(OVERRIDES, where, target, at))

    def _source(self, row: Occurrence) -> Where:
        """The declaration around a place that is none of a local variable."""
        for roles in (_CALLED_BY, _BASE, _CONTAINED_BY):
            for related in row.relations:
                if related.roles & roles:
                    return self._named(related.usr, row.path)
        return Where(row.path, 0, "")

    def _named(self, usr: str, path: str) -> Where:
        for _ in range(50):
            where = self._wheres.get(usr)
            if where is not None and self._kinds[usr] != "local":
                return where
            usr = self._owner(usr)
        return Where(path, 0, "")

    def _place(self, row: Occurrence) -> tuple[At, str] | None:
        """The place of a name in characters, and the name that stands there."""
        if row.path not in self._lines:
            file = self._root / row.path
            self._lines[row.path] = file.read_bytes().split(b"\n") if file.exists() else []
        lines = self._lines[row.path]
        if not 0 < row.line <= len(lines):
            return None
        before = lines[row.line - 1][: row.column - 1].decode("utf-8", "replace")
        text = lines[row.line - 1][row.column - 1 :].decode("utf-8", "replace")
        match = _NAME.match(text)
        if match is None:
            return None
        return At(row.path, row.line, len(before) + match.start(1)), match[1]


def _kind(row: Occurrence) -> str:
    """The kind of a symbol; empty for operators, accessors and the rest that is not judged."""
    if row.subkind == _TYPE_PARAMETER:
        return "parameter"
    if row.subkind == _SUBSCRIPT:
        return "subscript"
    if row.subkind in {3, 4} or row.kind == 25:
        return ""
    if row.properties & _LOCAL and row.kind in _PROPERTIES:
        return "local"
    return _KINDS.get(row.kind, "")
