"""Truth about Python projects: pyright is asked about each name that our own walk finds.

A place is judged when the server knows every declaration that its name can mean. A call of a class
counts as a call of the class, a call of an alias (`a = b`) as one of what it stands for. What has a
type that is not known, and a call of a value without a declaration of its own, is not judged.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, REFERENCES, At, Edge, Truth, Where
from bench.graph.hierarchy import linearized
from bench.graph.projects import Project
from bench.graph.pyright import PACKAGE, Pyright
from bench.graph.python_files import BASE, CALL, Declaration, Place, Position, PythonFile, parse

VERSION: Final = 2
_CALLED: Final = frozenset({"class", "function", "method"})
# they have no symbol: a use of one is judged, and is no edge
_INNER: Final = frozenset({"local", "parameter"})
_MEMBERS: Final = frozenset({"method", "property"})
_LONGEST_ALIAS: Final = 6
_CONSTRUCTORS: Final = frozenset({"__init__", "__new__"})
# bases that declare nothing which a class of the project overrides by its own name
_EMPTY_BASES: Final = frozenset({"object", "ABC", "Generic", "Protocol"})
Targets = frozenset[Where]


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The edges that pyright finds, from the file of an earlier run if there is one."""
    stored = keep / "truth" / f"python-{project.name}-{VERSION}.jsonl"
    if not stored.exists():
        script = install(keep)
        seen = configured(project, root, keep)
        with Pyright(script, seen) as server:
            _Oracle(seen, server).judge().write(stored)
    return Truth.read(stored)


def install(keep: Path) -> Path:
    """The script of the language server, which is installed unless it is there."""
    folder = keep / "node"
    script = folder / "node_modules" / "pyright" / "langserver.index.js"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return script


def configured(project: Project, root: Path, keep: Path) -> Path:
    """A copy of the tree with the oracle's own settings; the measured tree stays as it is."""
    seen, needs = keep / "seen" / project.name, keep / "needs" / project.name
    shutil.rmtree(seen, ignore_errors=True)
    shutil.copytree(root, seen)
    if project.needs and not needs.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(needs)]
        subprocess.run([*pip, *project.needs], check=True, stderr=subprocess.DEVNULL)
    settings = {
        "include": ["."],
        "extraPaths": [*project.roots, str(needs.resolve())],
        "pythonVersion": "3.11",
        "pythonPlatform": "Linux",
        "typeCheckingMode": "off",
        "useLibraryCodeForTypes": True,
    }
    (seen / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    return seen


class _Oracle:
    """One run over a project."""

    def __init__(self, root: Path, server: Pyright) -> None:
        self.root, self.server, self.truth = root, server, Truth()
        paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
        parsed = (parse(root, path) for path in paths)
        self.files = {file.path: file for file in parsed if file is not None}
        # what every asked position means; a path outside stands for its own
        self.known: dict[tuple[str, Position], list[tuple[str, Position]]] = {}

    def judge(self) -> Truth:
        """Ask about every place of every file."""
        for file in self.files.values():
            self._ask(file, {place.position for place in file.places})
        self._follow_aliases()
        for file in self.files.values():
            self._declare(file)
            for place in file.places:
                self._judge(file, place)
            self._inherit(file)
        return self.truth

    def _ask(self, file: PythonFile, wanted: set[Position]) -> None:
        positions = sorted(at for at in wanted if (file.path, at) not in self.known)
        if not positions:
            return
        self.server.open(file.path, "\n".join(file.lines))
        asked = [Position(at.line, _utf16(file, at)) for at in positions]
        answers = self.server.definitions(file.path, asked)
        self.server.close(file.path)
        for at, answer in zip(positions, answers, strict=True):
            self.known[file.path, at] = answer

    def _follow_aliases(self) -> None:
        """Ask about what aliases stand for, which is a name in a file again."""
        for _ in range(_LONGEST_ALIAS):
            wanted: dict[str, set[Position]] = {}
            for answer in list(self.known.values()):
                for found in map(self._declaration, answer):
                    if found is not None and found.alias is not None:
                        wanted.setdefault(found.where.path, set()).add(found.alias)
            for path, positions in wanted.items():
                self._ask(self.files[path], positions)

    def _declaration(self, location: tuple[str, Position]) -> Declaration | None:
        path, position = location
        file = self.files.get(path)
        if file is None or position.line > len(file.lines):
            return None
        return file.at.get(Position(position.line, _characters(file, position)))

    def _declare(self, file: PythonFile) -> None:
        self.truth.kinds[Where(file.path, 0, "")] = "module"
        holders = {scope: where for where, (scope, _) in file.classes.items()}
        for group in file.groups.values():
            first = group[0]
            if first.kind in _INNER:
                continue
            self.truth.kinds[first.where] = first.kind
            if first.where.name in _CONSTRUCTORS and first.kind == "method":
                self.truth.holders[first.where] = holders[first.group[0]]
            for other in group[1:]:
                if other.where != first.where:
                    self.truth.same[other.where] = first.where

    def _judge(self, file: PythonFile, place: Place) -> None:
        at = At(file.path, *place.position)
        locations = self.known[file.path, place.position]
        if place.role != BASE:  # a base is a use as well, and stands among the uses
            self._add(REFERENCES, place, at, self._meant(locations))
        if place.role == CALL:
            self._add(CALLS, place, at, self._called(locations, _LONGEST_ALIAS))
        elif place.role == BASE:
            self._add(IMPLEMENTS, place, at, self._called(locations, _LONGEST_ALIAS))

    def _add(self, type_: str, place: Place, at: At, targets: Targets | None) -> None:
        if targets is None:
            return
        self.truth.judged.add((type_, at))
        for target in targets:
            self.truth.add(Edge(type_, place.owner, target, at))

    def _meant(self, locations: list[tuple[str, Position]]) -> Targets | None:
        """Declarations in the project that a name means; None if the oracle can't tell."""
        found = set()
        for location in locations:
            if Path(location[0]).is_absolute():
                continue
            declaration = self._declaration(location)
            if declaration is not None and declaration.kind != "import":
                if declaration.kind not in _INNER:
                    found.add(self.files[location[0]].canonical(declaration))
            elif location[1] == (1, 0) and location[0] in self.files:
                found.add(Where(location[0], 0, ""))
            else:
                return None
        return frozenset(found) if locations else None

    def _called(self, locations: list[tuple[str, Position]], hops: int) -> Targets | None:
        """Functions and classes that a called name means; None if the oracle can't tell."""
        found: set[Where] = set()
        for location in locations:
            if Path(location[0]).is_absolute():
                continue
            declaration = self._declaration(location)
            if declaration is None:
                return None
            file = self.files[location[0]]
            if declaration.kind in _CALLED:
                found.add(file.canonical(declaration))
                continue
            bound_once = len(file.groups[declaration.group]) == 1
            if declaration.alias is None or not bound_once or not hops:
                return None
            further = self.known.get((location[0], declaration.alias), [])
            targets = self._called(further, hops - 1)
            if targets is None:
                return None
            found |= targets
        return frozenset(found) if locations else None

    def _inherit(self, file: PythonFile) -> None:
        """Add the pairs of members that override each other, by the order of classes."""
        for where, (scope, _) in file.classes.items():
            order = linearized(where, self._bases)
            if order is None:
                continue
            members = [
                group[0]
                for (around, _), group in file.groups.items()
                if around == scope and group[0].kind in _MEMBERS
            ]
            for member in members:
                self._override(member, order[1:])

    def _override(self, member: Declaration, order: list[Where]) -> None:
        at = At(member.where.path, *member.position)
        for base in order:
            if not base.path:
                if base.name in _EMPTY_BASES:
                    continue
                return
            file = self.files[base.path]
            group = file.groups.get((file.classes[base][0], member.where.name), ())
            for found in group:
                if found.kind in _MEMBERS:
                    target = file.canonical(found)
                    self.truth.add(Edge(OVERRIDES, member.where, target, at))
                return
        self.truth.judged.add((OVERRIDES, at))

    def _bases(self, where: Where) -> Iterator[Where]:
        """The bases of a class; one outside or unknown is a place without a path."""
        if not where.path:
            return
        file = self.files[where.path]
        for position in file.classes[where][1]:
            unknown = Where("", 0, self._name_at(file, position))
            if position is None:
                yield unknown
                continue
            targets = self._called(self.known[file.path, position], _LONGEST_ALIAS) or frozenset()
            inside = sorted(
                target for target in targets if target in self.files[target.path].classes
            )
            yield inside[0] if len(inside) == 1 else unknown

    @staticmethod
    def _name_at(file: PythonFile, position: Position | None) -> str:
        names = (place.name for place in file.places if place.position == position)
        return next(names, "")


def _utf16(file: PythonFile, at: Position) -> int:
    text = file.lines[at.line - 1]
    return at.column if text.isascii() else len(text[: at.column].encode("utf-16-le")) // 2


def _characters(file: PythonFile, at: Position) -> int:
    text = file.lines[at.line - 1]
    if text.isascii():
        return at.column
    return len(text.encode("utf-16-le")[: at.column * 2].decode("utf-16-le", "replace"))
