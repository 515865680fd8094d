"""The rules of Kotlin for the linker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from code_graph.declared.conversions import NO
from code_graph.declared.effects import LibraryRules, LibraryTable
from code_graph.declared.primary import PrimaryCalls, PrimaryClasses, PrimaryRules
from code_graph.declared.rules import Parts
from code_graph.declared.tables import DeclarationTable, shared_names
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
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Op, Role, ScopeKind
from code_graph.facts import MODULE, Declaration
from code_graph.jvm.accessors import ACCESSOR, methods_of
from code_graph.jvm.facades import facade_of
from code_graph.languages.kotlin.rules.parts import KotlinNames, KotlinOverloads
from code_graph.model import Strategy

_LANGUAGE: Final = "kotlin"
_COMPANION: Final = "companion"
_THIS: Final = "this"
# functions on any object: those whose function literal has it as `this`, or as `it`
_WITH_THIS: Final = frozenset({"apply", "run"})
_ON_ANY: Final = _WITH_THIS | {"also", "let", "takeIf", "takeUnless"}


class KotlinRules(LibraryRules, PrimaryRules):
    """Packages, imports, extensions, companions and receivers of Kotlin."""

    library = LibraryTable.of(_LANGUAGE)
    literals = library.literals
    plain_types = library.types["plain"]
    nullable = plain_types
    top_types: ClassVar[frozenset[str]] = frozenset({"Any"})
    conversions = library.conversions
    invoking: ClassVar[frozenset[str]] = frozenset({"invoke"})
    parts = Parts(
        classes=PrimaryClasses, names=KotlinNames, calls=PrimaryCalls, overloads=KotlinOverloads
    )
    has_extensions: ClassVar[bool] = True

    # names

    def _places(self, file: SourceFile, name: str) -> Iterator[list[tuple[str, str]]]:
        """Packages or types, with the name in them, that a name may be of; the first ones win."""
        self._evaluation.types.depend_on(file, 0, name)
        yield [(item.module, item.name) for item in self.imports_of(file, name)]
        yield [(self._evaluation.types.table(file).package, name)]
        types = self._evaluation.types
        is_declared = next(types.declaring(_LANGUAGE, name), None) is not None
        self._evaluation.types.depend_on(file, 0, "*")
        yield [
            (item.module, name)
            for item in file.facts.imports
            if item.name == "*" and (is_declared or self._is_type_name(item.module))
        ]

    def _is_type_name(self, module: str) -> bool:
        """True if the source of an import may be a type, whose members no other file asks for."""
        return bool(self._evaluation.types.rows(_LANGUAGE, module.rpartition(".")[2]))

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type that is imported by its name, of the package, or imported with all others."""
        del arity, scope
        for places in self._places(file, name):
            found: Result = {}
            for module, inner in places:
                whole = f"{module}.{inner}" if module else inner
                merge(found, self.absolute(file, whole), Strategy.IMPORT)
            if found:
                return found
            if self.imports_of(file, name):
                return {External(f"{module}.{inner}"): Strategy.IMPORT for module, inner in places}
        return {}

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or property of the package, or an imported one."""
        del scope
        for places in self._places(file, name):
            found: Result = {}
            for module, inner in places:
                merge(found, self._declared(file, module, inner))
                if not found:
                    merge(found, self.imported_members(self.absolute(file, module), inner))
            if found:
                return found
        return {}

    def _top_level(
        self, file: SourceFile, package: str, name: str
    ) -> Iterator[tuple[SourceFile, int]]:
        """The functions and properties of a name in a package that a file sees."""
        for other in self._evaluation.types.declaring(_LANGUAGE, name):
            table = self._evaluation.types.table(other)
            if table.package != package:
                continue
            for number in table.members.get((MODULE, name), ()):
                item = other.declarations[number]
                is_seen = item.access != "private" or other.path == file.path
                if is_seen and item.kind in {"function", "variable", "constant"}:
                    yield other, number

    def _declared(self, file: SourceFile, package: str, name: str) -> Result:
        found: Result = {}
        for other, number in self._top_level(file, package, name):
            if self._evaluation.types.table(other).clause(number, Role.RECEIVER) == NONE:
                how = Strategy.SCOPE if other.path == file.path else Strategy.IMPORT
                found[MemberValue(other.path, number)] = how
        return found

    def _in_package(self, file: SourceFile, package: str, name: str) -> Result:
        found: Result = {}
        for value, how in super()._in_package(file, package, name).items():
            merge(found, self._meaning(value, how))
        return found

    def _meaning(self, value: Value, how: Strategy) -> Result:
        """A type itself, or the one that an alias stands for."""
        file = self._evaluation.file(value.path) if isinstance(value, ClassValue) else None
        if file is None or not isinstance(value, ClassValue):
            return {value: how}
        if file.kind(value.scope) == ScopeKind.CLASS:
            return {value: how}
        declaration = file.code.scopes[value.scope].declaration
        self._evaluation.classes.depend_on_declaration(file, declaration)
        return self._evaluation.types.alias(file, declaration)

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type or function by a name with its package."""
        del scope, arity
        module, _, name = whole.rpartition(".")
        return self.absolute(file, whole) or self._declared(file, module, name)

    def imported(self, file: SourceFile, number: int) -> Result:
        """The declarations that an import names, or something external."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        if item.name == "*":
            return self.absolute(file, item.module) or self.imported_package(_LANGUAGE, item.module)
        found = self.absolute(file, f"{item.module}.{item.name}")
        for other, declaration in self._top_level(file, item.module, item.name):
            merge(found, {MemberValue(other.path, declaration): Strategy.IMPORT})
        found = found or self.imported_members(self.absolute(file, item.module), item.name)
        return found or {External(f"{item.module}.{item.name}"): Strategy.IMPORT}

    # receivers

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """`this`, and members of the receivers of a scope."""
        key = ("receiver's", file.path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._own_name(file, scope, name))

    def _own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        receivers = self._receivers(file, scope)
        if name == _THIS:
            return receivers
        found: Result = {}
        for value, how in receivers.items():
            if isinstance(value, Instance) and file.kind(scope) != ScopeKind.CLASS:
                for member, strategy in self._evaluation.classes.members(value, name).items():
                    if isinstance(member, MemberValue):
                        merge(found, {member: max(how, strategy)}, Strategy.SCOPE, MOST_MEMBERS)
        return found or self.extending(file, receivers, name)

    def innermost(self, file: SourceFile, number: int) -> Result:
        """The object that a place has without naming it."""
        for scope in file.around(file.code.scope_of[number]):
            found = self.own_name(file, scope, _THIS)
            if found:
                return found
        return {}

    def _receivers(self, file: SourceFile, scope: int) -> Result:
        """The objects whose members are named without them in a class or function."""
        declaration = file.code.scopes[scope].declaration
        if file.kind(scope) == ScopeKind.CLASS:
            if declaration == NONE:
                return self._evaluation.anonymous(file, scope)
            owner = self._evaluation.classes.canonical(ClassValue(file.path, scope))
            arguments = tuple((item,) for item in self._evaluation.types.parameters_of(owner))
            return {Instance(owner.path, owner.scope, arguments): Strategy.RECEIVER}
        if file.kind(scope) != ScopeKind.FUNCTION:
            return {}
        if declaration == NONE:
            return self._of_literal(file, scope)
        clause = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
        found = self._evaluation.types.instances(file, clause) if clause != NONE else {}
        return dict.fromkeys(found, Strategy.RECEIVER)

    def _of_literal(self, file: SourceFile, scope: int) -> Result:
        """The receiver of a function literal, by what takes it."""
        number = file.function_expressions.get(scope, NONE)
        context = self._evaluation.types.table(file).expected.get(number)
        if context is None or context.kind != "call":
            return {}
        found: Result = {}
        items = file.expressions[context.number].items
        for value in self._evaluation.calls.callees(file, context.number):
            if isinstance(value, External):
                name = value.name.rpartition(".")[2]
                if name in _WITH_THIS and value.arguments:
                    merge(found, with_strategy(value.arguments[0], Strategy.GENERIC))
                elif name == "with" and len(items) > 1:
                    given = plain(self._evaluation.evaluate(file, items[0].value))
                    merge(found, with_strategy(given, Strategy.GENERIC))
            elif isinstance(value, FunctionValue) and self._takes_receiver(
                value, file, context.number, context.position
            ):
                merge(found, self._evaluation.calls.given_to(file, number, 0), Strategy.GENERIC)
        return found

    def _takes_receiver(
        self, value: FunctionValue, file: SourceFile, call: int, position: int
    ) -> bool:
        """True if the type of a parameter is a function type with a receiver."""
        owner = self._evaluation.file(value.path)
        matches = self._evaluation.calls.overloads.matched(value, file.expressions[call].items)
        for match in matches or () if owner is not None else ():
            annotation = match.parameter.annotation
            if owner is not None and match.position == position and annotation != NONE:
                declared = owner.expressions[annotation]
                is_function = declared.op == Op.CALLABLE and bool(declared.items)
                return is_function and declared.items[0].name == _THIS
        return False

    def on_any(self, receivers: Result, name: str) -> Result:
        """A function that any object has, with the object as its argument."""
        if name not in _ON_ANY or not receivers:
            return {}
        return {External(name, (plain(receivers),)): Strategy.FLOW}

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an external object, which may be a function of any."""
        if isinstance(value, ExternalInstance) and name in _ON_ANY:
            return self.on_any({value: Strategy.FLOW}, name)
        return super().member_of_external(file, number, value, name)

    def is_in_unknown_literal(self, file: SourceFile, scope: int) -> bool:
        """True if a function literal around may have a receiver that is not known."""
        for number in file.around(scope):
            if file.code.scopes[number].declaration != NONE:
                return False
            if file.kind(number) == ScopeKind.FUNCTION and self._may_have_receiver(file, number):
                return True
        return False

    def _may_have_receiver(self, file: SourceFile, scope: int) -> bool:
        number = file.function_expressions.get(scope, NONE)
        context = self._evaluation.types.table(file).expected.get(number)
        if context is None or context.kind != "call":
            return False
        callees = self._evaluation.calls.callees(file, context.number)
        names = [v.name.rpartition(".")[2] for v in callees if isinstance(v, External)]
        unknown = not callees or not all(map(self.library.passes, names))
        return unknown and not self._of_literal(file, scope)

    # members

    def members_elsewhere(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """A member of the companion of a class."""
        file = self._evaluation.file(path)
        declaration = NONE if file is None else file.code.scopes[scope].declaration
        if file is None or declaration == NONE:
            return []
        table = self._evaluation.types.table(file)
        self._evaluation.types.depend_on(file, scope, _COMPANION)
        for number in table.of_kind.get((declaration, "class"), ()):
            if _COMPANION in file.declarations[number].modifiers:
                if name == "Companion":
                    return [(path, number)]
                inner = file.scope_of_declaration.get(number, scope)
                self._evaluation.types.depend_on(file, inner, name)
                return [(path, one) for one in table.members.get((number, name), ())]
        return []

    def extending(self, file: SourceFile, receivers: Result, name: str) -> Result:
        """The extensions of a name that a file sees and that fit one of the receivers."""
        rows = [
            row
            for places in self._places(file, name)
            for one in places
            for row in self._of(file, *one)
        ]
        found: Result = {}
        for receiver, how in receivers.items() if rows else ():
            for other, number, clause in rows:
                if len(found) < MOST_MEMBERS and self._fits(other, clause, receiver):
                    value = MemberValue(other.path, number, receiver)
                    merge(found, {value: max(how, Strategy.DECLARED)})
        return found

    def _of(
        self, file: SourceFile, package: str, name: str
    ) -> Iterator[tuple[SourceFile, int, int]]:
        """The extensions of a name in a package."""
        for other, number in self._top_level(file, package, name):
            clause = self._evaluation.types.table(other).clause(number, Role.RECEIVER)
            if clause != NONE:
                self._evaluation.classes.depend_on_declaration(other, number)
                yield other, number, clause

    def _fits(self, file: SourceFile, declared: int, receiver: Value) -> bool:
        if isinstance(receiver, External | ClassValue):
            return False
        return any(
            self._may_extend(receiver, value)
            and self._evaluation.calls.overloads.conversions.fits(receiver, value) > NO
            for value in self._evaluation.types.instances(file, declared)
        )

    def _may_extend(self, receiver: Value, declared: Value) -> bool:
        """True if a receiver surely has an external type."""
        if isinstance(receiver, ExternalInstance):
            if isinstance(declared, TypeParameter):
                return not self.is_unknown(receiver.name)
            one = receiver.name.rpartition(".")[2]
            other = getattr(declared, "name", "").rpartition(".")[2]
            is_base = one == other or (one, other) in self.conversions or self.is_top(other)
            return is_base and not self.is_unknown(receiver.name)
        if isinstance(receiver, Instance) and isinstance(declared, ExternalInstance):
            if self.is_top(declared.name):
                return True
            names = self._evaluation.classes.external_bases(receiver)
            return declared.name.rpartition(".")[2] in names
        return True

    # declared members with a meaning of their own

    def inherited(self, receiver: Instance | ClassValue, name: str, external: str) -> Result:
        """A property that a class of Java has by a method, or a member from outside."""
        found = self._accessors(receiver, "get", name)
        return found or super().inherited(receiver, name, external)

    def members_meant(
        self, file: SourceFile, number: int, value: Instance | ClassValue, found: Result
    ) -> Result:
        """The accessors of Java for its private fields; that which sets where a value is stored."""
        if not any(self._is_of_java(member) for member in found):
            return found
        if number in file.cached("where members are stored", _stored):
            found = self._accessors(value, "set", file.expressions[number].name) or found
        hidden = {member for member in found if self._is_hidden(member)}
        if not hidden:
            return found
        name = file.expressions[number].name
        return self._accessors(value, "get", name) or found

    def _accessors(self, receiver: Instance | ClassValue, verb: str, name: str) -> Result:
        found: Result = {}
        for method in () if ACCESSOR.fullmatch(name) else methods_of(name):
            if method.startswith(verb):
                found |= self._evaluation.classes.members(receiver, method)
        return {value: how for value, how in found.items() if self._is_of_java(value)}

    def _is_of_java(self, value: Value) -> bool:
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        return file is not None and file.language != _LANGUAGE

    def _is_hidden(self, value: Value) -> bool:
        item = self._evaluation.declaration_of(value) if isinstance(value, MemberValue) else None
        return item is not None and item.kind == "field" and item.access == "private"

    def is_called_by_name(self, file: SourceFile, declaration: int) -> bool:
        """True for a method of Java that is a property here."""
        item = file.declarations[declaration]
        is_method = file.language != _LANGUAGE and item.kind == "method"
        return is_method and ACCESSOR.fullmatch(item.name) is not None

    def replaces(self, item: Declaration) -> bool:
        """A member of a class overrides a member of its base only if it says so."""
        return "override" in item.modifiers


def _stored(file: SourceFile) -> frozenset[int]:
    """The members in which values are stored."""
    return frozenset(item.target for item in file.code.stores)


def shared_in_package(file: SourceFile) -> dict[str, object]:
    """The package and head of each declaration outside of types, and their class."""
    found: dict[str, list[object]] = {name: [rows] for name, rows in shared_names(file).items()}
    package = DeclarationTable(file).package
    for item in file.declarations:
        if item.parent == MODULE:
            row = package, item.kind, item.access, sorted(item.modifiers), item.parameters
            found.setdefault(item.name, []).append(row)
    facade = facade_of(file)
    if facade:
        found.setdefault(facade, []).append((package, "facade"))
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}
