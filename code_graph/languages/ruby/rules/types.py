"""Classes and modules of Ruby by their qualified names, over all files that open them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.classes import Classes
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Result,
    SuperValue,
    merge,
)
from code_graph.expressions import NONE, Binding, Role, ScopeKind
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ruby.rules.evaluation import RubyEvaluation

LANGUAGE: Final = "ruby"
NEW: Final = "new"


class TypeTable:
    """The classes and constants of one file, by their qualified names."""

    def __init__(self, file: SourceFile) -> None:
        self.types: dict[str, list[int]] = {}
        self.names: dict[int, str] = {}
        for number, scope in enumerate(file.code.scopes):
            if scope.kind == ScopeKind.CLASS:
                around = next((a for a in file.around(scope.parent) if a in self.names), NONE)
                name = (
                    file.declarations[scope.declaration].name if scope.declaration != NONE else ""
                )
                outer = self.names.get(around, "")
                self.names[number] = f"{outer}::{name}" if outer else name
                self.types.setdefault(self.names[number], []).append(number)
        self.constants: dict[str, list[Binding]] = {}
        for row in file.code.bindings:
            if row.name[:1].isupper():
                outer = self.names.get(row.scope, "")
                name = f"{outer}::{row.name}" if outer else row.name
                self.constants.setdefault(name, []).append(row)

        # the bodies of classes by the members that they declare for their objects
        self.members: dict[str, list[int]] = {}
        for row in file.code.bindings:
            if row.scope not in self.names or row.declaration == NONE or row.name[0].isupper():
                continue
            if "static" not in file.declarations[row.declaration].modifiers:
                self.members.setdefault(row.name, []).append(row.scope)


def table_of(file: SourceFile) -> TypeTable:
    """The table of a file, made once."""
    return file.cached("types", TypeTable)


def shared_in_ruby(file: SourceFile) -> dict[str, object]:
    """The classes, constants and functions of a file, which every other file sees."""
    table = table_of(file)
    found: dict[str, object] = {name: len(scopes) for name, scopes in table.types.items()}
    found.update((name, "constant") for name in table.constants if name not in found)
    for item in file.declarations:
        if item.kind == "function":
            found[f"#{item.name}"] = item.parameters
    for name, scopes in table.members.items():
        found[f".{name}"] = sorted({table.names[scope] for scope in scopes})
    return found


class RubyClasses(Classes):
    """Members of classes that several files may open."""

    _evaluation: RubyEvaluation

    def bodies(self, path: str, scope: int) -> Iterator[tuple[SourceFile, int]]:
        """All bodies of a class."""
        file = self._evaluation.file(path)
        if file is None:
            return
        name = table_of(file).names.get(scope, "")
        for other in self._evaluation.declaring(name) if name else ():
            for body in table_of(other).types.get(name, ()):
                yield other, body

    def bases(self, path: str, scope: int) -> Result:
        """The modules that a class includes, the last first, and those that it extends."""
        included: list[tuple[SourceFile, int]] = []
        extended: list[tuple[SourceFile, int]] = []
        for file, body in self.bodies(path, scope):
            self._evaluation.depend_on_class(file, body)
            for clause in file.clauses.get(file.code.scopes[body].declaration, ()):
                if clause.value != NONE and clause.role in {Role.BASE, Role.IMPLEMENTS}:
                    rows = extended if clause.role == Role.BASE else included
                    rows.append((file, clause.value))
        found: Result = {}
        for file, number in [*reversed(included), *extended]:
            merge(found, self._evaluation.evaluate(file, number))
        return found

    def own_member(self, path: str, scope: int, name: str) -> Result:
        """A method of the objects of a class that the class itself declares."""
        return self.own(path, scope, name, is_static=False)

    def own(self, path: str, scope: int, name: str, *, is_static: bool) -> Result:
        """A method that a class itself declares, of its objects or of the class."""
        found: Result = {}
        for file, row in self.rows(path, scope, name, is_static=is_static):
            if file.declarations[row.declaration].kind != "property":
                found = self._evaluation.names.value_of(file, row)  # the last one replaces others
        return dict(found)

    def rows(
        self, path: str, scope: int, name: str, *, is_static: bool
    ) -> Iterator[tuple[SourceFile, Binding]]:
        """The declarations of a member of a class in all of its bodies."""
        for file, body in self.bodies(path, scope):
            self._evaluation.names.depend_on(file, body, name)
            for row in file.bindings.get((body, name), ()):
                if row.declaration == NONE:
                    continue
                modifiers = file.declarations[row.declaration].modifiers
                if ("static" in modifiers) == is_static:
                    yield file, row

    def stored_member(self, path: str, scope: int, name: str) -> Result:
        """The values that methods of a class store in a variable of the object."""
        return super().stored_member(path, scope, name if name.startswith("@") else f"@{name}")

    def _stored(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        self._evaluation.names.depend_on(file, scope, name)
        for store in file.stores.get(name, ()):
            if file.class_around(file.code.scope_of[store.target]) == scope:
                merge(found, self._evaluation.evaluate(file, store.value), Strategy.FLOW)
        return found

    def _of_class(self, owner: ClassValue, name: str) -> Result:
        """A constant of a class, or a method of the class itself."""
        if name[:1].isupper():
            return self._evaluation.constant_in(owner, name)
        found = self._first_static(self.ancestors(owner.path, owner.scope), owner, name)
        found = found or super()._of_class(owner, name)
        if not found and name == NEW:
            return {owner: Strategy.SCOPE}
        return found or self._evaluation.top_level(name)

    def _first_static(self, order: Sequence[Ancestor], owner: ClassValue, name: str) -> Result:
        """The method that the first class of an order itself has, bound to a class."""
        for item in order:
            own = {} if item.external else self.own(item.path, item.scope, name, is_static=True)
            functions: Result = {v: how for v, how in own.items() if isinstance(v, FunctionValue)}
            if functions:
                return self._bound(functions, owner, item)
        return {}

    def member_of_super(self, value: SuperValue, name: str) -> Result:
        """A method of the bases."""
        receiver = value.receiver
        if not isinstance(receiver, ClassValue):
            return super().member_of_super(value, name)
        return self._first_static(self.ancestors(value.path, value.scope)[1:], receiver, name)

    def _missing(self, instance: Instance, name: str) -> Result:
        return self._evaluation.top_level(name) or super()._missing(instance, name)


def external(name: str) -> Result:
    """Something that no file declares."""
    return {External(name): Strategy.SCOPE}
