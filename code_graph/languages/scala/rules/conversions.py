"""Members that values of Scala get by implicit classes and functions, and by extensions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from code_graph.declared.conversions import CONVERTED, NO
from code_graph.declared.declared_names import last_of
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    MOST_MEMBERS,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    TypeParameter,
    Value,
    Values,
    merge,
)
from code_graph.expressions import NONE, Role
from code_graph.languages.scala.rules.collections import (
    ARITHMETIC,
    CONTAINERS,
    LIBRARY,
    ScalaCollections,
    short_name,
)
from code_graph.model import Strategy

_LANGUAGE: Final = "scala"
# the end of the name by which the implicit classes with a member are found
IMPLICIT: Final = "\0implicit"
# … and the implicit functions for a type
CONVERSION: Final = "\0conversion"
_FUNCTIONS: Final = frozenset({"method", "function"})


class ScalaConversions(ScalaCollections):
    """Conversions, where there is one alone: what is in scope of several is not known."""

    has_extensions: ClassVar[bool] = True

    def extending(self, file: SourceFile, receivers: Result, name: str) -> Result:
        """The members that values get by implicit classes and functions, and by extensions."""
        found: Result = {}
        for receiver in receivers:
            if isinstance(receiver, External | ClassValue) or _has(receiver, name):
                continue
            made = self._extended(receiver, name) or self._by_class(file, receiver, name)
            made = made or self._converted(receiver, name)
            merge(found, made, Strategy.DECLARED, MOST_MEMBERS)
        return found

    def _declaring(self, name: str) -> Iterator[SourceFile]:
        found = self._evaluation.types.declaring(_LANGUAGE, name)
        return (file for file in found if file.language == _LANGUAGE)

    def _extended(self, receiver: Value, name: str) -> Result:
        found: Result = {}
        for other in self._declaring(name):
            for number, clause in other.cached("extensions", _extensions).get(name, ()):
                if self._fits(other, clause, receiver):
                    found[MemberValue(other.path, number, receiver)] = Strategy.DECLARED
        return found

    def _implicit(self, name: str) -> Iterator[tuple[SourceFile, int, int]]:
        """Implicit classes or functions: file, scope, and the type of what they convert."""
        for other in self._declaring(name):
            for scope, declared in other.cached("conversions", _conversions).get(name, ()):
                yield other, scope, declared

    def _by_class(self, file: SourceFile, receiver: Value, name: str) -> Result:
        """The members of the only implicit class for a value; of several, of this file."""
        rows: list[tuple[str, Result]] = []
        for other, scope, converted in self._implicit(f"{name}{IMPLICIT}"):
            if not self._fits(other, converted, receiver):
                continue
            given: dict[str, Values] = {}
            for declared in self._evaluation.types.instances(other, converted):
                self._evaluation.calls.inference.unify(declared, (receiver,), given)
            names = self._evaluation.types.parameters_of(ClassValue(other.path, scope))
            arguments = tuple(given.get(one.name, ()) for one in names)
            kept = self._members(Instance(other.path, scope, arguments), name)
            if kept:
                rows.append((other.path, kept))
        own = [found for path, found in rows if path == file.path]
        chosen = own if len(rows) > 1 else [found for _, found in rows]
        return chosen[0] if len(chosen) == 1 else {}

    def _converted(self, receiver: Value, name: str) -> Result:
        """The members of what the only implicit function makes of a value."""
        rows: list[Result] = []
        for own in self._names_of(receiver):
            for other, scope, converted in self._implicit(f"{own}{CONVERSION}"):
                if len(rows) > 1 or not self._fits(other, converted, receiver):
                    continue
                found: Result = {}
                for made in self._evaluation.calls.result(FunctionValue(other.path, scope), other):
                    if isinstance(made, Instance):
                        merge(found, self._members(made, name))
                if found and found not in rows:
                    rows.append(found)
        return rows[0] if len(rows) == 1 else {}

    def _names_of(self, value: Value) -> list[str]:
        """The names of the types that a value has, as far as all of its members are known."""
        if isinstance(value, ExternalInstance):
            name = short_name(value.name)
            return [name] if name in self.plain_types | CONTAINERS else []
        if not isinstance(value, Instance):
            return []
        names: list[str] = []
        for item in self._evaluation.classes.ancestors(value.path, value.scope):
            file = None if item.external else self._evaluation.file(item.path)
            if file is not None and file.code.scopes[item.scope].declaration != NONE:
                names.append(file.declarations[file.code.scopes[item.scope].declaration].name)
        return names

    def _members(self, value: Instance, name: str) -> Result:
        found = self._evaluation.classes.members(value, name)
        return {v: how for v, how in found.items() if isinstance(v, MemberValue)}

    def _fits(self, file: SourceFile, declared: int, receiver: Value) -> bool:
        """True if a value is of a declared type, and not only of one that may be any."""
        fits = self._evaluation.calls.overloads.conversions.fits
        for value in self._evaluation.types.instances(file, declared):
            if isinstance(value, TypeParameter):
                bounds = self._evaluation.types.bound_of(value)
                if all(
                    fits(receiver, bound) >= CONVERTED or self._may_be(receiver, bound)
                    for bound in bounds
                ):
                    return True
            elif isinstance(value, ExternalInstance) and self.is_top(value.name):
                continue
            elif fits(receiver, value) >= CONVERTED or self._may_be(receiver, value):
                return True
        return False

    def _may_be(self, value: Value, other: Value) -> bool:
        """True for two types of libraries, one of which may derive from the other."""
        if not isinstance(value, ExternalInstance) or not isinstance(other, ExternalInstance):
            return False
        names = (short_name(value.name), short_name(other.name))
        if names[0] == names[1]:
            return self._evaluation.calls.overloads.conversions.fits(value, other) > NO
        return not any(self.is_plain(name) or name in CONTAINERS for name in names)


def _has(value: Value, name: str) -> bool:
    """True if a value of a library has a member itself."""
    if not isinstance(value, ExternalInstance):
        return False
    is_number = short_name(value.name) in LIBRARY.types["numbers"] | {"Boolean"}
    return name in LIBRARY.names or name == "+" or (is_number and name in ARITHMETIC)


def _extensions(file: SourceFile) -> dict[str, list[tuple[int, int]]]:
    """The functions of a file that types have from outside, with these types, by name."""
    found: dict[str, list[tuple[int, int]]] = {}
    for clause in file.code.clauses:
        if clause.role == Role.RECEIVER and NONE not in {clause.declaration, clause.value}:
            name = file.declarations[clause.declaration].name
            found.setdefault(name, []).append((clause.declaration, clause.value))
    return found


def _conversions(file: SourceFile) -> dict[str, list[tuple[int, int]]]:
    """Scopes of implicit classes by their members, of implicit functions by what they convert."""
    found: dict[str, list[tuple[int, int]]] = {}
    heads: dict[int, tuple[int, int]] = {}
    for number, item in enumerate(file.declarations):
        if item.parent in heads:
            found.setdefault(f"{item.name}{IMPLICIT}", []).append(heads[item.parent])
        scope = file.scope_of_declaration.get(number, NONE)
        if "implicit" not in item.modifiers or scope == NONE:
            continue
        rows = file.parameters.get(file.parent(scope) if item.kind == "class" else scope, ())
        if not rows or rows[0].value != NONE or rows[0].annotation == NONE:
            continue
        if item.kind == "class":
            heads[number] = scope, rows[0].annotation
        elif item.kind in _FUNCTIONS:
            name = last_of(file, rows[0].annotation)
            found.setdefault(f"{name}{CONVERSION}", []).append((scope, rows[0].annotation))
    return found


def shared_conversions(file: SourceFile) -> dict[str, object]:
    """The names by which other files find what a file converts, with the heads that say it."""
    found: dict[str, object] = {}
    for name, rows in _conversions(file).items():
        heads = []
        for scope, _ in rows:
            item = file.declarations[file.code.scopes[scope].declaration]
            heads.append((item.name, item.parameters, item.returns))
        found[name] = sorted(set(heads))
    return found
