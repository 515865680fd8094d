"""The places of a file that mean symbols, and the edges and uses that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from repo_mcp.graph.evaluate.definitions import Definition, Definitions
from repo_mcp.graph.evaluate.engine import Engine
from repo_mcp.graph.evaluate.evaluation import Evaluation
from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    Value,
)
from repo_mcp.graph.identity import file_id
from repo_mcp.graph.model import (
    FILE,
    Edge,
    EdgeType,
    ExternalUse,
    Strategy,
    UnresolvedUse,
)
from repo_mcp.languages.code import NONE, BindingKind, Op, Role, ScopeKind

# a callable of which only the type is known
_CALLABLE: Final = "typing.Callable"


class Context(NamedTuple):
    """What the places of a file are linked with."""

    engine: Engine
    evaluation: Evaluation
    definitions: Definitions
    # the ids of a file's declarations
    ids: Callable[[str], list[int]]


class Places:
    """The places of one file that mean symbols."""

    def __init__(self, linker: Context, file: SourceFile) -> None:
        self._linker = linker
        self._file = file
        self._evaluation = linker.evaluation
        self.edges: set[Edge] = set()
        self.external: set[ExternalUse] = set()
        self.unresolved: set[UnresolvedUse] = set()
        self._called = {
            item.of for item in file.expressions if item.op in {Op.CALL, Op.NEW} and item.of != NONE
        }

    def visit(self) -> None:
        """Visit all places."""
        for number, item in enumerate(self._file.expressions):
            self._linker.engine.begin_place()
            if item.op in {Op.CALL, Op.NEW}:
                self._call(number)
            elif item.op in {Op.NAME, Op.MEMBER} and item.line:
                self._reference(number)
        for number in range(len(self._file.declarations)):
            self._linker.engine.begin_place()
            self._declaration(number)
        self._imports()

    def _add(self, source: int, found: Definition, kind: EdgeType, place: tuple[int, int]) -> None:
        if found.declaration == FILE:
            target = file_id(found.path)
        else:
            target = self._linker.ids(found.path)[found.declaration]
        self.edges.add(Edge(source, target, kind, found.strategy, *place))

    def _call(self, number: int) -> None:
        file = self._file
        item = file.expressions[number]
        if item.of == NONE:
            return
        source = file.owner(file.code.scope_of[number])
        place = file.place(item.of)
        found = self._targets(self._evaluation.evaluate(file, item.of), source, place)
        if found:
            return
        self._linker.engine.is_following = True
        self._linker.engine.begin_place()
        try:
            followed = self._evaluation.evaluate(file, item.of)
        finally:
            self._linker.engine.is_following = False
        if not self._targets(followed, source, place, at_least=Strategy.ARGUMENT):
            name = file.last_name(item.of)
            if name:
                self.unresolved.add(UnresolvedUse(source, name, EdgeType.CALLS, *place))

    def _targets(
        self,
        functions: Result,
        source: int,
        place: tuple[int, int],
        at_least: Strategy = Strategy.SCOPE,
    ) -> bool:
        """Add the edges of a call; whether something is known to be called."""
        known = False
        for value, strategy in self._evaluation.calls.targets(functions):
            how = max(strategy, at_least)
            if isinstance(value, External | ExternalInstance) and value.name != _CALLABLE:
                name = value.name
                self.external.add(ExternalUse(source, name, EdgeType.CALLS, *place))
                known = True
            for found in self._linker.definitions.of_value(value, how):
                self._add(source, found, EdgeType.CALLS, place)
                known = True
            if isinstance(value, ClassValue):
                self._constructor(value, how, source, place)
        return known

    def _constructor(
        self, value: ClassValue, strategy: Strategy, source: int, place: tuple[int, int]
    ) -> None:
        made = Instance(value.path, value.scope)
        for member in self._evaluation.classes.member_of_instance(made, "__init__"):
            if isinstance(member, FunctionValue) and _is_in_class(self._evaluation, member, value):
                for found in self._linker.definitions.of_value(member, strategy):
                    self._add(source, found, EdgeType.CALLS, place)

    def _reference(self, number: int) -> None:
        file = self._file
        item = file.expressions[number]
        source = file.owner(file.code.scope_of[number])
        is_called = number in self._called
        for found in self._linker.definitions.of(file, number):
            is_function = not is_called or not self._is_callable(found)
            if is_function:
                self._add(source, found, EdgeType.REFERENCES, (item.line, item.column))

    def _is_callable(self, found: Definition) -> bool:
        file = self._evaluation.file(found.path)
        if file is None or found.declaration == FILE:
            return False
        return file.scope_of_declaration.get(found.declaration) is not None

    def _declaration(self, number: int) -> None:
        file = self._file
        item = file.declarations[number]
        place = item.name_line, item.name_column
        own = Definition(file.path, number, Strategy.SCOPE)
        self._add(item.parent if item.parent >= 0 else FILE, own, EdgeType.CONTAINS, place)
        self._decorators(number)
        scope = file.scope_of_declaration.get(number)
        if scope is None:
            return
        if file.kind(scope) == ScopeKind.CLASS:
            self._bases(number, scope)
        else:
            self._overridden(number, scope)
            self._accepted(number, scope)

    def _bases(self, number: int, scope: int) -> None:
        file = self._file
        for clause in file.clauses.get(number, ()):
            if clause.role not in {Role.BASE, Role.IMPLEMENTS} or clause.value == NONE:
                continue
            place = file.place(clause.value)
            for value, strategy in self._evaluation.evaluate(file, clause.value).items():
                if isinstance(value, ClassValue) and (value.path, value.scope) == (
                    file.path,
                    scope,
                ):
                    continue
                for found in self._linker.definitions.of_value(value, strategy):
                    self._add(number, found, EdgeType.INHERITS, place)
                self._external(value, number, EdgeType.INHERITS, place)

    def _external(self, value: Value, source: int, kind: EdgeType, place: tuple[int, int]) -> None:
        if isinstance(value, External):
            self.external.add(ExternalUse(source, value.name, kind, *place))

    def _overridden(self, number: int, scope: int) -> None:
        """The member that a method replaces in the nearest base that has it."""
        file = self._file
        around = file.function_around(file.parent(scope))
        if file.kind(around) != ScopeKind.CLASS:
            return
        item = file.declarations[number]
        place = item.name_line, item.name_column
        for ancestor in self._evaluation.classes.ancestors(file.path, around)[1:]:
            if ancestor.external:
                continue
            owner = Instance(ancestor.path, ancestor.scope)
            rows = [
                found
                for found in self._linker.definitions.of_member(owner, item.name)
                if self._is_in(found, ancestor.path, ancestor.scope)
            ]
            for found in rows:
                self._add(
                    number, found._replace(strategy=Strategy.RECEIVER), EdgeType.OVERRIDES, place
                )
            if rows:
                return

    def _is_in(self, found: Definition, path: str, scope: int) -> bool:
        file = self._evaluation.file(path)
        if file is None or found.path != path or found.declaration == FILE:
            return False
        return file.declarations[found.declaration].parent == file.code.scopes[scope].declaration

    def _accepted(self, number: int, scope: int) -> None:
        """The types of a function's parameters."""
        file = self._file
        for row in file.parameters.get(scope, ()):
            for part in names_in(file, row.annotation):
                for value, strategy in self._evaluation.evaluate(file, part).items():
                    if isinstance(value, ClassValue):
                        for found in self._linker.definitions.of_value(value, strategy):
                            self._add(number, found, EdgeType.ACCEPTS, file.place(part))

    def _decorators(self, number: int) -> None:
        """A decorator is called where it stands."""
        file = self._file
        for clause in file.clauses.get(number, ()):
            if clause.role == Role.DECORATOR and clause.value != NONE:
                source = file.owner(file.code.scope_of[clause.value])
                line, column = file.place(clause.value)
                if file.expressions[clause.value].op == Op.CALL:
                    column = max(column - 1, 0)  # the name is what is called with arguments
                functions = self._evaluation.evaluate(file, clause.value)
                self._targets(functions, source, (line, column))

    def _imports(self) -> None:
        file = self._file
        for binding in file.code.bindings:
            if binding.kind != BindingKind.IMPORTED or binding.value == NONE:
                continue
            self._linker.engine.begin_place()
            source = file.owner(binding.scope)
            place = binding.line, binding.column
            for found in self._linker.definitions.of_import(file, binding):
                self._add(source, found, EdgeType.IMPORTS, place)
            for value in self._evaluation.language.imported(file, binding.value):
                self._external(value, source, EdgeType.IMPORTS, place)


def names_in(file: SourceFile, number: int) -> Iterator[int]:
    """The names and members in a type."""
    left = [number]
    while left:
        number = left.pop()
        if number == NONE:
            continue
        item = file.expressions[number]
        if item.op in {Op.NAME, Op.MEMBER}:
            yield number
        elif item.op != Op.FUNCTION:
            left += [item.of, *(part.value for part in item.items)]


def _is_in_class(evaluation: Evaluation, member: FunctionValue, owner: ClassValue) -> bool:
    """Whether a method is declared in a class itself."""
    file = evaluation.file(member.path)
    return (
        file is not None
        and member.path == owner.path
        and file.function_around(file.parent(member.scope)) == owner.scope
    )
