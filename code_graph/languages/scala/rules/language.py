"""The rules of Scala for the linker."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import ClassVar, Final, cast

from code_graph.declared.local_types import local_scopes
from code_graph.declared.primary import PrimaryRules
from code_graph.declared.rules import Parts
from code_graph.declared.tables import shared_names
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    Value,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, Role, ScopeKind
from code_graph.facts import MODULE, Import
from code_graph.language_table import shared_as
from code_graph.languages.scala.rules.conversions import ScalaConversions, shared_conversions
from code_graph.languages.scala.rules.parts import (
    ScalaCalls,
    ScalaClasses,
    ScalaNames,
    ScalaTypes,
    companion,
    is_object,
    is_type_name,
)
from code_graph.model import Strategy

_LANGUAGE: Final = "scala"
_ROOT: Final = "_root_."
_MOST_PARTS: Final = 40
# what the names of packages of the libraries begin with
_LIBRARY: Final = frozenset({"java", "javax", "scala"})
_SELF_TYPE: Final = "self =>"
# the name of the value of a parameter whose argument need not be written
OPTIONAL: Final = "implicit"
_GENERATORS: Final = ("map", "flatMap", "foreach")


class ScalaRules(ScalaConversions, PrimaryRules):
    """Packages in parts, imports of what is static, and members that values get by conversions."""

    parts = Parts(
        types=ScalaTypes,
        classes=ScalaClasses,
        names=ScalaNames,
        calls=ScalaCalls,
    )
    refers_to_alias: ClassVar[bool] = True
    joins_inherited: ClassVar[bool] = True

    # what files see of others

    def _packages(self, file: SourceFile) -> list[str]:
        """The packages whose members a file names without them, the innermost first."""
        table = self._evaluation.types.table(file)
        objects = [
            file.declarations[number].name
            for number in table.of_kind.get((MODULE, "class"), ())
            if "package" in file.declarations[number].modifiers
        ]
        parts = list(accumulate([*table.packages, *objects[:1]], "{}.{}".format))
        return [*reversed(parts), ""]

    def path(self, file: SourceFile, whole: str, depth: int = 0) -> Result:
        """The types and objects at the end of names with dots, as a file means them."""
        if whole.startswith(_ROOT):
            return self.absolute(file, whole.removeprefix(_ROOT))
        key = ("path of Scala", file.path, whole)
        return self._evaluation.engine.unit(key, lambda: self._path(file, whole, depth))

    def _path(self, file: SourceFile, whole: str, depth: int) -> Result:
        for package in self._packages(file):
            found = self.absolute(file, f"{package}.{whole}" if package else whole)
            if found:
                return found
        first, _, rest = whole.partition(".")
        for item in file.cached("imports by name", _imports).get(first, ()):
            target = f"{item.module}.{item.name}"
            other = f"{target}.{rest}" if rest else target
            if target.partition(".")[0] != first and depth < _MOST_PARTS:
                found = self.path(file, other, depth + 1)
                if found:
                    return found
        if self._is_of_package(file, whole):
            return {}
        for item in file.facts.imports:
            if item.name == "*" and item.module.partition(".")[0] != first:
                found = self.absolute(file, f"{item.module}.{whole}")
                if found:
                    return found
        return {}

    def _is_of_package(self, file: SourceFile, whole: str) -> bool:
        """True for the name of a member of a package that is there, or may be in the library.

        It begins with no name that is imported with all others of an object: those would be looked
        for in all bases of the object, whose names are looked for in turn.
        """
        package, _, _ = whole.rpartition(".")
        first = whole.partition(".")[0]
        if first in _LIBRARY or any(first == one.partition(".")[0] for one in self._packages(file)):
            return True
        return bool(self._evaluation.engine.declaring(shared_as(_LANGUAGE), package))

    def _in_package(self, file: SourceFile, package: str, name: str) -> Result:
        """A class and an object of one name: those of the files that are nearest."""
        nearest = super()._in_package(file, package, name)
        found: Result = {}
        for value, how in nearest.items():
            found[value] = how
            both = companion(self._evaluation, value)
            if both is not None:
                merge(found, {both: how})
        return found

    def _places(self, file: SourceFile, name: str) -> Iterator[list[str]]:
        """Full names of what a name may mean in a file; the first that are declared are meant."""
        self._evaluation.types.depend_on(file, 0, name)
        yield [f"{item.module}.{item.name}" for item in self.imports_of(file, name)]
        yield [f"{one}.{name}" if one else name for one in self._packages(file)]
        self._evaluation.types.depend_on(file, 0, "*")
        modules = [item.module for item in file.facts.imports if item.name == "*"]
        yield [f"{module}.{name}" for module in reversed(modules)]

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type or object that is imported, of the package, or imported with all others."""
        del arity, scope
        for number, places in enumerate(self._places(file, name)):
            for whole in places:
                found = self._types_at(file, whole, is_own=number == 1)
                if found:
                    return found
            if number == 0 and places:
                return {External(whole): Strategy.IMPORT for whole in places}
        return {}

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function, value or object, of the package or its object, or an imported one."""
        del scope
        for number, places in enumerate(self._places(file, name)):
            for whole in places:
                found = self._names_at(file, whole, is_own=number == 1)
                found = found or self._types_at(file, whole, is_own=number == 1)
                if found:
                    return found
        return {}

    def _types_at(self, file: SourceFile, whole: str, *, is_own: bool) -> Result:
        """Types and objects of a full name; those of an own package may be in its object."""
        module, _, name = whole.rpartition(".")
        found: Result = {}
        if is_own:
            merge(found, self.absolute(file, whole), Strategy.IMPORT)
            for owner in self.absolute(file, module) if not found and module else ():
                if isinstance(owner, ClassValue):
                    merge(found, self._evaluation.types.nested(owner, name, -1))
        elif module and module != name:
            merge(found, self.path(file, whole), Strategy.IMPORT)
        return found

    def _names_at(self, file: SourceFile, whole: str, *, is_own: bool) -> Result:
        """Functions and values of a full name."""
        module, _, name = whole.rpartition(".")
        found = self._declared(file, module, name) if is_own else {}
        if module and module != name and not found:
            owners = self.absolute(file, module) if is_own else self.path(file, module)
            found = self._imported(file, owners, module, name)
        return found

    def _imported(self, file: SourceFile, owners: Result, module: str, name: str) -> Result:
        """Members of objects; of a package, what is outside of types."""
        objects = {one: how for one, how in owners.items() if self._has_static(one)}
        found = {
            value: how
            for value, how in self.imported_members(objects, name).items()
            if not is_type_name(self._evaluation, value)
        }
        for package in ("", *self._packages(file)) if not found else ():
            whole = f"{package}.{module}" if package else module
            merge(found, self._declared(file, whole, name))
        return found

    def _has_static(self, value: Value) -> bool:
        """True for an object, and for a class of another language."""
        if is_object(self._evaluation, value):
            return True
        file = self._evaluation.file(value.path) if isinstance(value, ClassValue) else None
        return file is not None and file.language != _LANGUAGE

    def _declared(self, file: SourceFile, package: str, name: str) -> Result:
        """The functions and values of a name in a package, outside of types."""
        found: Result = {}
        for other in self._evaluation.types.declaring(_LANGUAGE, name):
            table = self._evaluation.types.table(other)
            if table.package != package:
                continue
            for number in table.members.get((MODULE, name), ()):
                if other.declarations[number].kind in {"function", "variable", "constant"}:
                    how = Strategy.SCOPE if other.path == file.path else Strategy.IMPORT
                    found[MemberValue(other.path, number)] = how
        return found

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type, object or function by a name with its package."""
        del scope, arity
        module, _, name = whole.rpartition(".")
        return self.path(file, whole) or self._imported(file, self.path(file, module), module, name)

    def imported(self, file: SourceFile, number: int) -> Result:
        """The declarations that an import names, or something external."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        if item.name == "*":
            return self.path(file, item.module) or self.imported_package(_LANGUAGE, item.module)
        found = self.path(file, f"{item.module}.{item.name}")
        owners = self.path(file, item.module)
        merge(found, self._imported(file, owners, item.module, item.name), Strategy.IMPORT)
        return found or {External(f"{item.module}.{item.name}"): Strategy.IMPORT}

    # names in types

    def whole_of(self, path: str, scope: int) -> tuple[str, int] | None:
        """A type itself: none has parts, and an object of its name is another one."""
        return path, scope

    def parts_of(self, path: str, scope: int) -> list[tuple[str, int]]:
        """The type alone."""
        return [(path, scope)]

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """A member of the companion of an object, or of the type around."""
        if file.kind(scope) != ScopeKind.CLASS:
            return {}
        key = ("self type", file.path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._of_self_type(file, scope, name))

    def _of_self_type(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        for binding in file.bindings.get((scope, _SELF_TYPE), ()):
            for value in self._evaluation.types.instances(file, binding.annotation):
                if isinstance(value, Instance) and not found:
                    found = {
                        member: how
                        for member, how in self._evaluation.classes.members(value, name).items()
                        if isinstance(member, MemberValue)
                    }
        return found

    def nested_elsewhere(self, owner: ClassValue, name: str) -> Result:
        """A type in the object of a class's name."""
        other = companion(self._evaluation, owner)
        if other is None or is_object(self._evaluation, owner):
            return {}
        return self._evaluation.types.nested(other, name, -1)

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """The name for a type that stands in a place."""
        del found
        is_type = number in self._evaluation.types.table(file).type_places
        result: Result = {}
        types = cast("ScalaTypes", self._evaluation.types)
        for value, how in types.written(file, number).items() if is_type else ():
            other = self._evaluation.file(value.path) if isinstance(value, ClassValue) else None
            if not isinstance(value, ClassValue) or other is None:
                continue
            declaration = other.code.scopes[value.scope].declaration
            if other.kind(value.scope) != ScopeKind.CLASS:
                result[MemberValue(other.path, declaration)] = how
        return result

    def nearest(self, file: SourceFile, number: int, found: Result) -> Result:
        """The declared members of the type that comes first, unless they are called."""
        members = [value for value in found if isinstance(value, MemberValue)]
        if len(members) < len("ab") or number in self._evaluation.types.table(file).called:
            return found
        first = self._owner(members[0])
        return {
            value: how
            for value, how in found.items()
            if not isinstance(value, MemberValue) or self._owner(value) == first
        }

    def _owner(self, value: MemberValue) -> object:
        file = self._evaluation.file(value.path)
        return None if file is None else (value.path, file.declarations[value.declaration].parent)

    # calls without brackets

    def is_called_by_name(self, file: SourceFile, declaration: int) -> bool:
        """True if no argument of a function must be written."""
        scope = file.scope_of_declaration.get(declaration, NONE)
        if scope == NONE or file.kind(scope) != ScopeKind.FUNCTION:
            return False
        table = self._evaluation.types.table(file)
        rows = file.parameters.get(scope, ())
        if table.clause(declaration, Role.RECEIVER) != NONE:
            rows = rows[1:]
        marks = [file.expressions[row.value].name if row.value != NONE else "" for row in rows]
        return all(mark == OPTIONAL for mark in marks)

    def read(self, file: SourceFile, number: int, found: Result) -> Result:
        """The values of a name: a function without arguments is called by it."""
        result = super().read(file, number, found)
        if number in self._evaluation.types.table(file).called:
            return result
        called: Result = {}
        for value, how in result.items():
            is_call = isinstance(value, External) and bool(value.arguments)
            if isinstance(value, External) and is_call:
                merge(called, self.call_external(value, file, number), how)
            else:
                merge(called, {value: how})
        return called

    # declared members with a meaning of their own

    def iterated(self, value: Instance) -> Result:
        """The elements of an object: what its `map` passes to a function."""
        for name in _GENERATORS:
            members = self._evaluation.classes.members(value, name)
            for function in self._evaluation.names.values(members):
                if not isinstance(function, FunctionValue):
                    continue
                for row in self._evaluation.parameters_of(function)[:1]:
                    for typed in self._evaluation.calls.parameter_type(function, row):
                        parts = self._evaluation.calls.function_type(typed)
                        if parts is not None and parts[0]:
                            return with_strategy(parts[0][0], Strategy.GENERIC)
        return {}

    def may_replace(self, own: SourceFile, number: int, file: SourceFile, declaration: int) -> bool:
        """True unless one of both is seen by its own type alone."""
        mine, other = own.declarations[number], file.declarations[declaration]
        return "private" not in {mine.access, other.access}


def shared_in_scala(file: SourceFile) -> dict[str, object]:
    """The names that a file declares for others, and those of what it converts."""
    found: dict[str, list[object]] = {name: [rows] for name, rows in shared_names(file).items()}
    for item in file.declarations:
        if item.parent == MODULE:
            row = item.kind, item.access, sorted(item.modifiers), item.parameters
            found.setdefault(item.name, []).append(row)
    for name, heads in shared_conversions(file).items():
        found.setdefault(name, []).append(heads)
    return {name: sorted(map(repr, each)) for name, each in found.items()}


def scopes_in_scala(file: SourceFile) -> list[int]:
    """For each declaration a number that tells it from others: an object from its class."""
    found = local_scopes(file)
    for number, item in enumerate(file.declarations):
        if "object" in item.modifiers and not found[number]:
            found[number] = -1
    return found


def _imports(file: SourceFile) -> dict[str, list[Import]]:
    """The imports of a file by the names that they bind, wherever they stand."""
    found: dict[str, list[Import]] = {}
    for item in file.facts.imports:
        found.setdefault(item.alias or item.name, []).append(item)
    return found
