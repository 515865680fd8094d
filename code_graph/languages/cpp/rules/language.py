"""The rules of C++ for the linker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.rules import Parts
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    merge,
)
from code_graph.expressions import NONE, Op, Role, ScopeKind
from code_graph.facts import Declaration
from code_graph.languages.c.numbers import NUMBERS
from code_graph.languages.c.rules.includes import Includes, of_file
from code_graph.languages.c.rules.linkage import STRUCT, word_of, written_number
from code_graph.languages.cpp.rules.aliases import ALIASES, Aliases
from code_graph.languages.cpp.rules.bodies import Bodies
from code_graph.languages.cpp.rules.containers import TEXT, TEXTS, CppContainers
from code_graph.languages.cpp.rules.conversions import CppConversions, CppOverloads
from code_graph.languages.cpp.rules.namespaces import Namespaces
from code_graph.languages.cpp.rules.operators import Operators
from code_graph.languages.cpp.rules.parts import (
    CppCalls,
    CppClasses,
    CppDefinitions,
    CppEvaluation,
)
from code_graph.languages.cpp.rules.shared import (
    TYPE,
    VALUE,
    classes_outside,
    outside,
    plain_enumerators,
    specializations,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_WHOLE: Final = frozenset({ScopeKind.MODULE, ScopeKind.CLASS})


class CppRules(CppContainers):
    """Namespaces, classes over files, usings and pointers of C++."""

    parts = Parts(
        evaluation=CppEvaluation,
        classes=CppClasses,
        calls=CppCalls,
        conversions=CppConversions,
        overloads=CppOverloads,
        definitions=CppDefinitions,
    )
    literals: ClassVar[dict[str, str]] = {"str": TEXT}
    checks_arguments: ClassVar[bool] = True
    refers_to_alias: ClassVar[bool] = True
    binds_in_order: ClassVar[bool] = True
    joins_overloads: ClassVar[bool] = True
    top_types: ClassVar[frozenset[str]] = frozenset({"void"})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self.includes = Includes(evaluation)
        self.namespaces = Namespaces(evaluation, self.includes)
        self.bodies = Bodies(evaluation, self.includes)
        self.operators = Operators(evaluation, self.namespaces, self.includes)
        evaluation.implied = self.operators
        self._aliases = Aliases(evaluation, self.namespaces, self.owner_elsewhere)

    # names

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """A member of the class that a method outside of it belongs to, or what a block uses."""
        used = {} if file.kind(scope) in _WHOLE else self._used(file, scope, name, VALUE)
        if used or not self._is_outside(file, scope):
            return self._nameable(used)
        key = ("own name", file.path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._own_name(file, scope, name))

    def _own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        owner = self.owner_elsewhere(file, file.code.scopes[scope].declaration)
        found: Result = {}
        if owner is not None:
            found = self._evaluation.classes.members(Instance(owner.path, owner.scope), name)
            found = {v: how for v, how in found.items() if isinstance(v, MemberValue)}
        return self._nameable(found or self.namespaces.meaning(file, scope, name, VALUE))

    def _nameable(self, found: Result) -> Result:
        """All but constructors: in a class, its name means the class."""
        return {value: how for value, how in found.items() if not self._is_constructor(value)}

    def _is_constructor(self, value: Value) -> bool:
        item = self._evaluation.declaration_of(value) if isinstance(value, MemberValue) else None
        return item is not None and item.kind == "constructor"

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """A type in the class that a function outside of it belongs to, or that a block uses."""
        used = {} if file.kind(scope) in _WHOLE else self._used(file, scope, name, TYPE)
        if used or not self._is_outside(file, scope):
            return used
        owner = self.owner_elsewhere(file, file.code.scopes[scope].declaration)
        found = {} if owner is None else self._evaluation.types.nested(owner, name, -1)
        return found or self.namespaces.meaning(file, scope, name, TYPE)

    def _used(self, file: SourceFile, scope: int, name: str, kind: str) -> Result:
        return self.namespaces.used_in(file, scope, name, kind)

    def _is_outside(self, file: SourceFile, scope: int) -> bool:
        """True if a scope belongs to a function defined outside of its class or namespace."""
        return scope in file.cached("functions outside", _outside)

    def owner_elsewhere(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The class of a method that is defined outside of it."""
        number = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
        scope = file.scope_of_declaration.get(declaration, NONE)
        fixture = _fixture(file, declaration) if number == NONE else ""
        if scope == NONE or (number == NONE and not fixture):
            return None
        around = file.parent(scope)
        if fixture:
            found = self._evaluation.types.named(file, around, fixture, -1)
        else:
            key = ("receiver", file.path, declaration)
            found = self._evaluation.engine.unit(key, lambda: self._type_in(file, around, number))
        rows = (value for value in found if isinstance(value, ClassValue))
        return next((ClassValue(value.path, value.scope) for value in rows), None)

    def _type_in(self, file: SourceFile, scope: int, number: int) -> Result:
        """Types that an expression means in a scope around it.

        What stands before the name of a method is not looked up in the class that it names.
        """
        item = file.expressions[number]
        if item.op == Op.NAME:
            return self._evaluation.types.named(file, scope, item.name, -1)
        if item.of == NONE or item.op not in {Op.MEMBER, Op.APPLY}:
            return {}
        found: Result = {}
        inner = self._type_in(file, scope, item.of)
        if item.op == Op.APPLY:
            return inner
        for value, how in inner.items():
            if isinstance(value, ClassValue):
                merge(found, self._evaluation.types.nested(value, item.name, -1), how)
        whole = self._evaluation.types.dotted(file, item)
        return found or (self.namespaces.qualified(file, scope, whole) if whole else {})

    def is_plain(self, name: str) -> bool:
        """True of numbers and truth values."""
        return name in NUMBERS

    def joined(self, sides: Sequence[Result]) -> Result:
        """A string of the library plus characters is a string of the library."""
        return {
            value: how
            for side in sides
            for value, how in side.items()
            if isinstance(value, ExternalInstance) and value.name.rpartition(".")[2] in TEXTS
        }

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or variable of the namespaces around, or that is used."""
        self._evaluation.types.depend_on(file, scope, name)
        found = self.namespaces.meaning(file, scope, name, VALUE)
        return self._nameable(found or self._near(file, scope, name, VALUE))

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type of the namespaces around, or that is used."""
        del arity
        self._evaluation.types.depend_on(file, scope, name)
        found = self.namespaces.meaning(file, scope, name, TYPE)
        found = found or self.namespaces.alias(file, scope, name)
        found = found or self._near(file, scope, name, TYPE)
        return found or (self._by_macro(file, scope, name) if name.isupper() else {})

    def _by_macro(self, file: SourceFile, scope: int, name: str) -> Result:
        """The type of a word that a macro stands for."""
        if file.parent(scope) != NONE:
            return {}
        for value in self.namespaces.meaning(file, scope, name, VALUE):
            if isinstance(value, MemberValue) and self.includes.is_macro(value):
                other = self._evaluation.file(value.path)
                item = None if other is None else other.declarations[value.declaration]
                text = "" if item is None else word_of(item)
                if text in NUMBERS:
                    return {External(text): Strategy.SCOPE}
        return {}

    def _near(self, file: SourceFile, scope: int, name: str, kind: str) -> Result:
        """A declaration in what the file includes, where no scope around has one."""
        return self.namespaces.near(file, name, kind) if file.parent(scope) == NONE else {}

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type or function by a name with its namespace, maybe inside of those around."""
        first, _, tag = whole.partition(".")
        if first == STRUCT:  # in a header of C
            return self._evaluation.types.named(file, scope, tag, arity)
        return self.namespaces.qualified(file, scope, whole)

    def nested_elsewhere(self, owner: ClassValue, name: str) -> Result:
        """A class that its class only names: `struct Box::Part { … }` stands in another file."""
        whole = outside(self._evaluation.name_of(owner), name)
        found: Result = {}
        for path in self.includes.holding("cpp", whole):
            file = self._evaluation.file(path)
            if file is None or owner.path not in self.includes.included(file):
                continue
            for number in classes_outside(file).get(whole, ()):
                scope = file.scope_of_declaration.get(number, NONE)
                if scope != NONE:
                    how = Strategy.OVERLOAD if found else Strategy.IMPORT
                    merge(found, {ClassValue(path, scope): how})
        return found

    def type_of_external(self, value: External, name: str) -> Result:
        """A member type of a container of the library: its element type."""
        found: Result = {}
        for held in self.held_types(value, name):
            if isinstance(held, Instance):
                merge(found, {ClassValue(held.path, held.scope, held.arguments): Strategy.GENERIC})
            elif isinstance(held, ExternalInstance):
                merge(found, {External(held.name, held.arguments): Strategy.GENERIC})
        return found

    def parts_of(self, path: str, scope: int) -> list[tuple[str, int]]:
        """A specialisation and its template are classes of their own."""
        file = self._evaluation.file(path)
        special = frozenset() if file is None else specializations(file)
        if file is None or not special:
            return []
        number = file.code.scopes[scope].declaration
        if number == NONE:
            return []
        self._evaluation.classes.depend_on_declaration(file, number)
        name = file.declarations[number].name
        is_apart = number in special or any(file.declarations[n].name == name for n in special)
        return [(path, scope)] if is_apart else []

    def written_type(self, file: SourceFile, declaration: int) -> Result:
        """The number that a declaration of C is of, which expressions of C leave out."""
        return written_number(file.declarations[declaration])

    # calls

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """A macro that is called."""
        return self.includes.called_macros(file, file.expressions[number].of)

    # members

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """Members that are defined outside of their class are declared inside of it."""
        del file, number, owner
        return True

    def members_elsewhere(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """The constants of an enum in a class are named as its members."""
        file = self._evaluation.file(path)
        if file is None:
            return []
        holder = file.code.scopes[scope].declaration
        return [(path, number) for number in plain_enumerators(file).get((holder, name), ())]

    def constructed_by(self, value: Value, name: str) -> Result:
        """`Base::Base` names the constructors of a class."""
        if isinstance(value, ClassValue) and self._evaluation.name_of(value) == name:
            return self._evaluation.classes.constructors(value)
        return {}

    def alias_target(self, file: SourceFile, declaration: int) -> Result:
        """The target of an alias in a class."""
        is_alias = file.declarations[declaration].kind in ALIASES
        return self._evaluation.types.alias(file, declaration) if is_alias else {}

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """The alias that a name is, or the field that an initialiser makes."""
        name = file.expressions[number].name
        if file.expressions[number].op not in {Op.NAME, Op.MEMBER}:
            return {}
        made = self._aliases.of(file, number)
        if any(isinstance(v, ClassValue) and self._evaluation.name_of(v) == name for v in found):
            return made
        if made or file.expressions[number].op != Op.NAME:
            return made
        if any(not isinstance(v, External) or v.name != name for v in found):
            return {}
        resolved = self._evaluation.names.resolve(file, number)
        return {v: how for v, how in resolved.items() if isinstance(v, MemberValue)}

    def replaces(self, item: Declaration) -> bool:
        """A method overrides a virtual method of a base."""
        return item.kind in {"method", "destructor"}

    # includes

    def imported(self, file: SourceFile, number: int) -> Result:
        """The file that an include means; a `using` only refers to its name."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        is_include = not item.name and "::" not in item.module
        return self.includes.find(file, number) if is_include else {}

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """An included file."""
        yield from of_file(value, strategy)


def _fixture(file: SourceFile, declaration: int) -> str:
    """The name of the class whose method a macro defines: `TEST_F(Suite, Case) { … }`."""
    item = file.declarations[declaration]
    first, dot, _ = item.name.partition(".")
    return first if dot and item.kind == "function" else ""


def _outside(file: SourceFile) -> frozenset[int]:
    """The scopes of functions defined outside of their class or namespace."""
    received = {
        row.declaration
        for row in file.code.clauses
        if row.role == Role.RECEIVER and row.value != NONE
    }
    return frozenset(
        scope
        for declaration, scope in file.scope_of_declaration.items()
        if file.kind(scope) == ScopeKind.FUNCTION
        and (declaration in received or _fixture(file, declaration))
    )
