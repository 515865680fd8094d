"""The rules of Swift for the linker: modules, names and aliases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.definitions import bare
from code_graph.declared.rules import Parts
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    Instance,
    MemberValue,
    Result,
    TypeParameter,
    Value,
    Values,
    merge,
)
from code_graph.expressions import NONE, Expression, Op, Role, ScopeKind
from code_graph.facts import MODULE
from code_graph.facts.model import Declaration
from code_graph.languages.swift.imports import SwiftModules
from code_graph.languages.swift.rules.associated import AssociatedTypes
from code_graph.languages.swift.rules.constraints import STATIC, Constraints
from code_graph.languages.swift.rules.labels import (
    SwiftConversions,
    SwiftOverloads,
    labels_of,
    says_async,
)
from code_graph.languages.swift.rules.making import SwiftMaking
from code_graph.languages.swift.rules.parts import (
    SwiftCalls,
    SwiftClasses,
    SwiftEvaluation,
    SwiftInference,
    SwiftNames,
    SwiftTypes,
)
from code_graph.languages.swift.rules.replacing import SwiftDefinitions
from code_graph.model import Strategy
from code_graph.projects.tree import Probe

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "swift"
_SELF: Final = "Self"
_OWN: Final = frozenset({"private", "fileprivate"})
_MOST_FILES: Final = 100
# parameters of the library's types, as their extensions name them
_GENERIC: Final = frozenset({"Element", "Key", "Value", "Wrapped", "Index", "Iterator", "Bound"})

_THROWS: Final = re.compile(r"\)\s*(?:async\s+)?throws\b")


class SwiftRules(SwiftMaking):
    """Modules, extensions, protocols, initialisers and labels of Swift."""

    parts = Parts(
        evaluation=SwiftEvaluation,
        types=SwiftTypes,
        classes=SwiftClasses,
        names=SwiftNames,
        calls=SwiftCalls,
        conversions=SwiftConversions,
        overloads=SwiftOverloads,
        inference=SwiftInference,
        definitions=SwiftDefinitions,
    )
    language: ClassVar[str] = _LANGUAGE
    literals: ClassVar[dict[str, str]] = {
        "str": "String",
        "int": "Int",
        "float": "Double",
        "bool": "Bool",
    }
    plain_types: ClassVar[frozenset[str]] = frozenset({"String", "Int", "Double", "Bool"})
    top_types: ClassVar[frozenset[str]] = frozenset({"Any", "AnyObject"})
    joins_overloads: ClassVar[bool] = True
    replaces_static: ClassVar[bool] = True
    replacing: ClassVar[frozenset[str]] = frozenset({"constructor", "subscript", "enumerator"})
    refers_to_alias: ClassVar[bool] = True
    binds_in_order: ClassVar[bool] = True
    conversions: ClassVar[frozenset[tuple[str, str]]] = frozenset({("Int", "Double")})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self.associated = AssociatedTypes(evaluation)
        self.constraints = Constraints(evaluation)
        finders = evaluation.engine.files.finders
        self._modules = finders.of(SwiftModules)
        self._probe = Probe(finders.projects.tree, evaluation.engine.depend_on_note)

    # modules

    def _module_of(self, path: str) -> str:
        return self._modules.module_of(path, self._probe)

    def _visible(self, file: SourceFile, name: str) -> Iterator[tuple[SourceFile, int, Strategy]]:
        """Names that a file sees unqualified: its own, its module's, those of its imports."""
        own = self._module_of(file.path)
        self._evaluation.types.depend_on(file, 0, "*")
        imported = {item.module.partition(".")[0] for item in file.facts.imports}
        for count, other in enumerate(self._evaluation.types.declaring(_LANGUAGE, name)):
            if count >= _MOST_FILES:
                return
            module = own if other.path == file.path else self._module_of(other.path)
            for number in self._evaluation.types.table(other).members.get((MODULE, name), ()):
                item = other.declarations[number]
                if other.path == file.path:
                    yield other, number, Strategy.SCOPE
                elif module in {own, *imported} and item.access not in _OWN:
                    yield other, number, Strategy.IMPORT

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or variable of the module or of an imported one."""
        del scope
        found: Result = {}
        for other, number, how in self._visible(file, name):
            if not self._is_type(other, number):
                found[MemberValue(other.path, number)] = how
        return found

    def _is_type(self, file: SourceFile, number: int) -> bool:
        scope = file.scope_of_declaration.get(number, NONE)
        is_class = scope != NONE and file.kind(scope) == ScopeKind.CLASS
        return is_class or file.declarations[number].kind in {"type", "typealias", "extension"}

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type of the module or of an imported one."""
        del arity, scope
        return self._evaluation.engine.unit(
            ("module type", file.path, name), lambda: self._type_of(file, name)
        )

    def _type_of(self, file: SourceFile, name: str) -> Result:
        rows = [row for row in self._visible(file, name) if self._is_type(*row[:2])]
        rows.sort(key=lambda row: row[2])  # the file's own come first
        for other, number, how in rows:
            found: Result = {}
            merge(found, self._meaning(other, number), how)
            if found:
                return found
        return {}

    def _meaning(self, file: SourceFile, number: int) -> Result:
        if file.declarations[number].kind == "extension":
            return {}
        scope = file.scope_of_declaration.get(number, NONE)
        if scope != NONE and file.kind(scope) == ScopeKind.CLASS:
            return {ClassValue(file.path, scope): Strategy.SCOPE}
        self._evaluation.classes.depend_on_declaration(file, number)
        return self._evaluation.types.alias(file, number)

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type or function by a name with its module."""
        del scope, arity
        module, _, name = whole.partition(".")
        if module != self._module_of(file.path):
            found = self._modules.find(module, file.path, self._probe)
            if not found.path or not any(item.module == module for item in file.facts.imports):
                return {}
        return self._type_of(file, name) or self.names_in_module(file, 0, name)

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """The type around, by the name of its own, or a type parameter that it declares."""
        around = file.class_around(scope) if name == _SELF else scope
        if name != _SELF and file.kind(scope) == ScopeKind.BLOCK:
            return self._asked_type(file, scope, name)
        if around == NONE or file.kind(around) != ScopeKind.CLASS:
            return {}
        if name in _GENERIC and self._extends_external(file, around):
            number = file.code.scopes[around].declaration
            return {TypeParameter(f"{file.path}\0{number}\0{name}", ()): Strategy.SCOPE}
        return self._type_around(file, around, name)

    def _type_around(self, file: SourceFile, around: int, name: str) -> Result:
        owner = self._evaluation.classes.canonical(ClassValue(file.path, around))
        other = self._evaluation.file(owner.path)
        if other is None:
            return {}
        number = other.code.scopes[owner.scope].declaration
        own = other.declarations[number]
        if name not in {_SELF, own.name}:
            ending = f"\0{name}"
            parameters = self._evaluation.types.parameters_of(owner)
            return {v: Strategy.SCOPE for v in parameters if v.name.endswith(ending)}
        if own.kind == "protocol" and name == _SELF:
            return {TypeParameter(f"{owner.path}\0{number}\0{_SELF}", ()): Strategy.SCOPE}
        arguments = self.own_arguments(file, around, owner)
        return {ClassValue(owner.path, owner.scope, arguments): Strategy.SCOPE}

    def _asked_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """A type that a protocol asks for, in the conditions behind its head."""
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE or file.declarations[declaration].kind != "protocol":
            return {}
        inner = file.scope_of_declaration.get(declaration, NONE)
        if inner == NONE or file.kind(inner) != ScopeKind.CLASS:
            return {}
        found = self._evaluation.types.nested(ClassValue(file.path, inner), name, -1)
        return {value: how for value, how in found.items() if isinstance(value, TypeParameter)}

    def _extends_external(self, file: SourceFile, scope: int) -> bool:
        """True for an extension of a type from outside, which has parameters of its own."""
        declaration = file.code.scopes[scope].declaration
        number = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
        found = self._evaluation.types.of(file, number) if number != NONE else {}
        return any(isinstance(value, External) for value in found)

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """The type around, by the name of its own."""
        return self.own_type(file, scope, name) if name == _SELF else {}

    def alias_target(self, file: SourceFile, declaration: int) -> Result:
        """The type that an alias in a type stands for; a type that is asked for is a parameter."""
        if file.declarations[declaration].kind != "type":
            return {}
        self._evaluation.classes.depend_on_declaration(file, declaration)
        table = self._evaluation.types.table(file)
        if table.clause(declaration, Role.ALIAS) != NONE:
            return self._evaluation.types.alias(file, declaration)
        name = file.declarations[declaration].name
        return {TypeParameter(f"{file.path}\0{declaration}\0{name}", ()): Strategy.DECLARED}

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """The alias that a name is, which stands for another type."""
        if any(isinstance(value, MemberValue) for value in found):
            return {}
        asked: Result = {}
        for value in found:
            if isinstance(value, TypeParameter):
                path, _, rest = value.name.partition("\0")
                member = MemberValue(path, int(rest.partition("\0")[0]))
                name = file.expressions[number].name
                is_asked = rest.endswith(f"\0{name}") and self._is_alias(member, name)
                merge(asked, {member: Strategy.DECLARED} if is_asked else {})
        if asked or any(isinstance(value, TypeParameter) for value in found):
            return asked
        item = file.expressions[number]
        return self._alias_at(file, number, item) if self._names_alias(item.name) else {}

    def _alias_at(self, file: SourceFile, number: int, item: Expression) -> Result:
        if item.op == Op.MEMBER:
            made: Result = {}
            for value in self._evaluation.evaluate(file, item.of) if item.of != NONE else ():
                if isinstance(value, ClassValue):
                    merge(made, self._alias_in(value, item.name))
            return made
        for scope in file.around(file.code.scope_of[number]):
            kind = file.kind(scope)
            if kind == ScopeKind.CLASS:
                own = self._evaluation.classes.canonical(ClassValue(file.path, scope))
                made = self._alias_in(own, item.name)
            elif kind == ScopeKind.MODULE:
                made = self._alias_of(file, item.name)
            else:
                rows = file.bindings.get((scope, item.name), ())
                made = {
                    MemberValue(file.path, row.declaration): Strategy.SCOPE
                    for row in rows
                    if row.declaration != NONE
                }
            if made:
                kept = {v: how for v, how in made.items() if self._is_alias(v)}
                return kept if len(kept) == len(made) else {}
        return {}

    def _names_alias(self, name: str) -> bool:
        """True if any file gives a type this name."""

        def compute() -> bool:
            return any(
                item.kind == "type" and item.name == name
                for file in self._evaluation.types.declaring(self.language, name)
                for item in file.declarations
            )

        return self._evaluation.engine.shared(("alias name", name), compute, nothing=False)

    def _alias_in(self, owner: ClassValue, name: str) -> Result:
        """The types of a name in a type."""
        for item in self._evaluation.classes.ancestors(owner.path, owner.scope):
            rows = (
                []
                if item.external
                else self._evaluation.classes.own_members(item.path, item.scope, name)
            )
            found: Result = {MemberValue(*row): Strategy.DECLARED for row in rows}
            if found:
                return found
        return {}

    def _alias_of(self, file: SourceFile, name: str) -> Result:
        """The types of a name that a file sees; those of other files of its module first."""
        rows = list(self._visible(file, name))
        return {MemberValue(rows[0][0].path, rows[0][1]): rows[0][2]} if rows else {}

    def _is_alias(self, value: Value, name: str = "") -> bool:
        item = self._evaluation.declaration_of(value) if isinstance(value, MemberValue) else None
        return item is not None and item.kind == "type" and name in {"", item.name}

    def imported(self, file: SourceFile, number: int) -> Result:
        """A module of other repositories; one of this one has no declaration of its own."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        module = file.facts.imports[number].module
        found = self._modules.find(module, file.path, self._probe)
        return {} if found.path else {External(module): Strategy.IMPORT}

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """An extension in the module of its type."""
        del number
        return self._module_of(file.path) == self._module_of(owner.path)

    def own_arguments(self, file: SourceFile, scope: int, owner: ClassValue) -> tuple[Values, ...]:
        """The type arguments of the type around: what an extension says they are, if it does."""
        return self.constraints.own_arguments(file, scope, owner)

    # members

    def fitting_use(self, file: SourceFile, number: int, found: Result) -> Result:
        """The members that a place means, of those that have conditions."""
        return self.constraints.fitting_use(file, number, found)

    def replaces(self, item: Declaration) -> bool:
        """A method of a class replaces one of its base only if it says so."""
        return "override" in item.modifiers

    def may_replace(self, own: SourceFile, number: int, file: SourceFile, declaration: int) -> bool:
        """True for members of one kind and labels: of a class, or that a protocol asks for."""
        item, other = own.declarations[number], file.declarations[declaration]
        holder = file.declarations[other.parent].kind if other.parent >= 0 else ""
        if holder != "protocol" and "override" not in item.modifiers:
            return False
        if says_async(item) and not says_async(other):
            return False
        is_static = [not STATIC.isdisjoint(one.modifiers) for one in (item, other)]
        if is_static[0] != is_static[1]:
            # a case of an enum may be what is asked for
            return False
        if _THROWS.search(item.signature) and not _THROWS.search(other.signature):
            return False
        is_alike = labels_of(own, number) == labels_of(file, declaration)
        return is_alike and self._gives_the_same(own, number, file, declaration)

    def _gives_the_same(
        self, own: SourceFile, number: int, file: SourceFile, declaration: int
    ) -> bool:
        """False for results that are known to be of different types."""
        ones = self.associated.declared_types(own, number)[0]
        others = self.associated.declared_types(file, declaration)[0]
        if not ones or not others:
            return True
        return any(
            isinstance(one, TypeParameter)
            or isinstance(other, TypeParameter)
            or bare(one) == bare(other)
            or self.stands_for(other, one)
            or (
                isinstance(one, Instance)
                and isinstance(other, Instance)
                and self._evaluation.classes.is_subclass(one, other)
            )
            for one in ones
            for other in others
        )

    def stands_for(self, value: Value, other: Value) -> bool:
        """True for `Self` in a protocol, which is each type that conforms to it."""
        if not isinstance(value, Instance) or not isinstance(other, Instance):
            return False
        is_protocol = self._evaluation.classes.kind_of(value.path, value.scope) == "protocol"
        return is_protocol and self._evaluation.classes.is_subclass(other, value)
