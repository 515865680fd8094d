"""Declarations of a Python file, and the places in it where names are used, by the `ast` module."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.graph.edges import Where

CALL: Final = "call"
BASE: Final = "base"
USE: Final = "use"
_PROPERTIES: Final = ("property", "setter", "getter", "deleter", "cached_property")
_SCOPE_KINDS: Final = {"module": "variable", "class": "attribute", "function": "local"}


class Position(NamedTuple):
    """Line from 1 and column from 0, in characters."""

    line: int
    column: int


class Place(NamedTuple):
    """A name in the text that something is asked about; `owner` is the declaration around it."""

    role: str
    owner: Where
    position: Position
    name: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """Anything that binds a name."""

    where: Where
    kind: str  # class function method property variable attribute local parameter import
    group: tuple[str, str]  # the scope that the name belongs to, and the name
    position: Position
    # where the name is that this one is an alias of, in `a = b.c`
    alias: Position | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The names bound at this point of the walk."""

    kind: str
    name: str
    owner: Where
    outside: dict[str, str] = field(default_factory=dict)
    # the name of the instance in a method, and the class it belongs to
    receiver: str = ""
    holder: str = ""


@dataclass(slots=True)
class PythonFile:
    """One parsed file."""

    path: str
    lines: list[str]
    places: list[Place] = field(default_factory=list)
    at: dict[Position, Declaration] = field(default_factory=dict)
    groups: dict[tuple[str, str], list[Declaration]] = field(
        default_factory=lambda: defaultdict(list)
    )
    # class → its scope's name and the names of its bases (None where there is no name)
    classes: dict[Where, tuple[str, list[Position | None]]] = field(default_factory=dict)

    def canonical(self, declaration: Declaration) -> Where:
        """The first declaration of the same name in the same scope."""
        return self.groups[declaration.group][0].where


def parse(root: Path, path: str) -> PythonFile | None:
    """The file at a path, or None if it has a syntax error."""
    text = (root / path).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    file = PythonFile(path, text.split("\n"))
    _Walk(file).body(module.body, Scope("module", "", Where(path, 0, "")))
    for group in file.groups.values():
        group.sort(key=lambda declaration: declaration.position)
    return file


class _Walk:
    """Goes through a module once; expressions belong to the scope that evaluates them."""

    def __init__(self, file: PythonFile) -> None:
        self.file = file
        # calls whose result is called at once: two calls that begin with one name
        self.called_again: set[ast.AST] = set()

    def body(self, nodes: list[ast.stmt], scope: Scope) -> None:
        for node in nodes:
            self.visit(node, scope)

    def visit(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node, scope)
            case ast.ClassDef():
                self.klass(node, scope)
            case ast.Global(names=names):
                scope.outside.update(dict.fromkeys(names, ""))
            case ast.Nonlocal(names=names):
                scope.outside.update(dict.fromkeys(names, "?"))
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    self.imported(alias, scope)
            case _:
                self.expression(node, scope)

    def expression(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=value):
                self.bind(target.id, self.start(target), scope, self.name_position(value))
                self.visit(value, scope)
                return
            case ast.comprehension(target=target):
                self.targets(target, scope)
                for part in (node.iter, *node.ifs):
                    self.visit(part, scope)
                return
        self.binding(node, scope)
        self.use(node, scope)
        for child in ast.iter_child_nodes(node):
            self.visit(child, scope)

    def binding(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                self.bind(name, self.start(node), scope)
            case ast.Attribute(value=ast.Name(id=of), attr=name, ctx=ast.Store()) if (
                of == scope.receiver
            ):
                self.add("attribute", self.end(node, name), (scope.holder, name))
            case ast.ExceptHandler(name=str(name)):
                self.bind(name, None, scope)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                self.bind(name, None, scope)
            case ast.Lambda(args=arguments):
                self.parameters(arguments, scope, f"{scope.name}.<lambda:{node.lineno}>")

    def use(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                self.place(USE, self.start(node), name, scope)
            case ast.Attribute(attr=name, ctx=ast.Load()):
                self.place(USE, self.end(node, name), name, scope)
            case ast.Call(func=ast.Name() | ast.Attribute() as function) if (
                node not in self.called_again
            ):
                position = self.name_position(function)
                assert position is not None
                name = function.id if isinstance(function, ast.Name) else function.attr
                self.place(CALL, position, name, scope)
            case ast.Call(func=ast.Call() as function):
                self.called_again.add(function)

    def targets(self, target: ast.expr, scope: Scope) -> None:
        """The names that a comprehension binds, which are its own."""
        for child in ast.walk(target):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                self.add("local", self.start(child), (f"{scope.name}.<in>", child.id))

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        self.called_again.update(node.decorator_list)
        outer: list[ast.AST] = [*node.decorator_list, node.args]
        for child in [*outer, node.returns]:
            if child is not None:
                self.visit(child, scope)
        kind = "function"
        if scope.kind == "class":
            words = {_last_word(each) for each in node.decorator_list}
            kind = "method" if words.isdisjoint(_PROPERTIES) else "property"
        where = self.bind(node.name, self.named(node), scope, kind=kind)
        arguments = [*node.args.posonlyargs, *node.args.args]
        is_method = scope.kind == "class" and bool(arguments)
        inner = Scope(
            "function",
            f"{scope.name}.{node.name}()",
            where,
            {},
            arguments[0].arg if is_method else scope.receiver,
            scope.name if is_method else scope.holder,
        )
        self.parameters(node.args, inner, inner.name)
        self.body(node.body, inner)

    def klass(self, node: ast.ClassDef, scope: Scope) -> None:
        self.called_again.update(node.decorator_list)
        for child in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(child, scope)
        where = self.bind(node.name, self.named(node), scope, kind="class")
        inner = Scope("class", f"{scope.name}.{node.name}", where)
        bases = [self.name_position(each) for each in node.bases]
        self.file.classes[where] = (inner.name, bases)
        for base, position in zip(node.bases, bases, strict=True):
            if position is not None:
                self.file.places.append(Place(BASE, where, position, _last_word(base)))
        self.body(node.body, inner)

    def parameters(self, arguments: ast.arguments, scope: Scope, name: str) -> None:
        optional = (arguments.vararg, arguments.kwarg)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for each in [*every, *filter(None, optional)]:
            self.add("parameter", self.start(each), (name or scope.name, each.arg))

    def imported(self, alias: ast.alias, scope: Scope) -> None:
        name = alias.asname or alias.name.partition(".")[0]
        line, column = self.start(alias)
        if alias.asname:
            column = self.characters(alias.end_lineno or line, alias.end_col_offset or 0)
            line, column = alias.end_lineno or line, column - len(alias.asname)
        self.add("import", Position(line, column), (scope.name, name))

    def bind(
        self,
        name: str,
        position: Position | None,
        scope: Scope,
        alias: Position | None = None,
        kind: str = "",
    ) -> Where:
        """Declare a name in a scope, or in the one that `global` says."""
        outside = scope.outside.get(name)
        group = (scope.name if outside is None else outside, name)
        if position is None:
            position = Position(0, len(self.file.at))
        plain = "variable" if outside == "" else _SCOPE_KINDS[scope.kind]
        return self.add(kind or plain, position, group, alias)

    def add(
        self,
        kind: str,
        position: Position,
        group: tuple[str, str],
        alias: Position | None = None,
    ) -> Where:
        where = Where(self.file.path, position.line, group[1])
        made = Declaration(where, kind, group, position, alias)
        self.file.at[position] = made
        self.file.groups[group].append(made)
        return where

    def place(self, role: str, position: Position, name: str, scope: Scope) -> None:
        """Note a place, unless the parser's position is not that of the name."""
        line = self.file.lines[position.line - 1]
        if line.startswith(name, position.column):
            self.file.places.append(Place(role, scope.owner, position, name))

    def name_position(self, node: ast.expr) -> Position | None:
        """The last name of `a`, `a.b`, `a.b[c]`."""
        if isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name):
            return self.start(node)
        if isinstance(node, ast.Attribute):
            return self.end(node, node.attr)
        return None

    def named(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Position:
        """The position of a name behind its keyword."""
        line, column = self.start(node)
        found = re.compile(r"(?:async\s+)?(?:def|class)\s+").match(
            self.file.lines[line - 1], column
        )
        return Position(line, found.end() if found else column)

    def start(self, node: ast.AST) -> Position:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Position(line, self.characters(line, column))

    def end(self, node: ast.expr, name: str) -> Position:
        """The position of the name that a node ends with."""
        line = node.end_lineno or node.lineno
        return Position(line, self.characters(line, node.end_col_offset or 0) - len(name))

    def characters(self, line: int, column: int) -> int:
        """A column in bytes as one in characters."""
        text = self.file.lines[line - 1]
        if text.isascii():
            return column
        return len(text.encode()[:column].decode("utf-8", "replace"))


def _last_word(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
