"""The rules of PHP for the linker."""

from __future__ import annotations

from collections import defaultdict
from typing import ClassVar, Final

from code_graph.declared.members import DeclaredClasses
from code_graph.declared.rules import DeclaredRules, Parts
from code_graph.declared.tables import NAMESPACES, DeclarationTable
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    Result,
    SuperValue,
    Value,
    merge,
)
from code_graph.expressions import NONE, BindingKind, ScopeKind
from code_graph.facts import MODULE, Declaration, Import
from code_graph.model import Strategy

_LANGUAGE: Final = "php"
_CONSTRUCTOR: Final = "__construct"
_INVOKED: Final = "__invoke"
_BETWEEN: Final = "\\"
_SELF: Final = frozenset({"self", "static"})
_BASE: Final = "parent"
_RELATIVE: Final = "namespace\\"
# members of a namespace beside types
_PLAIN: Final = frozenset({"function", "constant"})
# of a constant that is in no namespace, though its file says one
_GLOBAL: Final = "global"


class PhpClasses(DeclaredClasses):
    """Members, and constructors that types inherit."""

    def constructors(self, value: ClassValue) -> Result:
        """The constructor of a type, or of the nearest base that has one."""
        found = super().constructors(value)
        for item in self.ancestors(value.path, value.scope)[1:] if not found else ():
            if not item.external:
                found = self.own_constructors(ClassValue(item.path, item.scope, item.arguments))
            if found:
                break
        return found


class PhpRules(DeclaredRules):
    """Namespaces, `use`, traits and inherited constructors of PHP."""

    separates_methods: ClassVar[bool] = True
    checks_arguments: ClassVar[bool] = False
    sees_members: ClassVar[bool] = False
    parts = Parts(classes=PhpClasses)
    replaces_by_name: ClassVar[bool] = True
    mixins: ClassVar[frozenset[str]] = frozenset({"trait"})
    invoking: ClassVar[frozenset[str]] = frozenset({_INVOKED, "call"})
    plain_types: ClassVar[frozenset[str]] = frozenset({"int", "float", "string", "bool"})
    top_types: ClassVar[frozenset[str]] = frozenset({"object", "mixed"})
    literals: ClassVar[dict[str, str]] = {"str": "string"}

    # names

    def plain_name(self, name: str) -> str:
        """A name without the mark of a full one."""
        return name.lstrip(_BETWEEN)

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type that is imported, or of the namespace."""
        del arity
        if name.startswith("$") or name.endswith(_BETWEEN):
            return {}
        return self._type(file, scope, name)

    def _type(self, file: SourceFile, scope: int, name: str) -> Result:
        alias, _, rest = name.partition(_BETWEEN)
        for item in self._imports_of(file, scope, alias):
            whole = _joined(_name_of(item), rest)
            found = self.absolute(file, whole) or {External(whole): Strategy.SCOPE}
            return {value: max(how, Strategy.IMPORT) for value, how in found.items()}
        return self.absolute(file, self._in_namespace(file, scope, name))

    def _in_namespace(self, file: SourceFile, scope: int, name: str) -> str:
        """A name in full, if no import says another."""
        if name.startswith(_BETWEEN):
            return name[1:]
        if name.lower().startswith(_RELATIVE):
            name = name[len(_RELATIVE) :]
        return _joined(self._namespace(file, scope), name)

    def _namespace(self, file: SourceFile, scope: int) -> str:
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE:
            return self._evaluation.types.table(file).package
        return file.declarations[declaration].name

    def _imports_of(self, file: SourceFile, scope: int, alias: str) -> list[Import]:
        if not alias:
            return []
        self._evaluation.types.depend_on(file, scope, alias)
        rows = file.bindings.get((scope, alias), ())
        numbers = [item.value for item in rows if item.kind == BindingKind.IMPORTED]
        imports = file.facts.imports
        return [imports[number] for number in numbers if 0 <= number < len(imports)]

    def absolute(self, file: SourceFile, whole: str) -> Result:
        """A type by its full name."""
        namespace, _, name = whole.rpartition(_BETWEEN)
        return self._evaluation.types.in_namespace(file, namespace, name, -1)

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or constant that is imported, of the namespace, or of none."""
        if name.startswith("$") or name.endswith(_BETWEEN):
            return {}
        return self._plain_name(file, scope, name)

    def _plain_name(self, file: SourceFile, scope: int, name: str) -> Result:
        alias, _, rest = name.partition(_BETWEEN)
        for item in self._imports_of(file, scope, alias):
            found = self._plain(_joined(_name_of(item), rest))
            return dict.fromkeys(found, Strategy.IMPORT)
        found = self._plain(self._in_namespace(file, scope, name))
        return found or (self._plain(name) if _BETWEEN not in name else {})

    def _plain(self, whole: str) -> Result:
        """The function or constant of a full name; the same one may be declared on conditions."""
        namespace, _, name = whole.rpartition(_BETWEEN)
        found: Result = {}
        for other in self._evaluation.types.declaring(_LANGUAGE, name):
            for number in other.cached("names of namespaces", _plain_by_name).get(name, ()):
                if self._evaluation.types.table(other).namespace_of(number) == namespace or (
                    not namespace and _GLOBAL in other.declarations[number].modifiers
                ):
                    self._evaluation.classes.depend_on_declaration(other, number)
                    merge(found, {MemberValue(other.path, number): Strategy.SCOPE})
        return found

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """The class around, by `self` and `static`, or its base by `parent`."""
        if name not in _SELF and name != _BASE:
            return {}
        around = file.class_around(scope)
        if around == NONE:
            return {}
        owner = self._evaluation.classes.canonical(ClassValue(file.path, around))
        if name in _SELF:
            return {owner: Strategy.SCOPE}
        bases = self._evaluation.classes.bases(owner.path, owner.scope)
        return {
            value: how
            for value, how in bases.items()
            if not isinstance(value, ClassValue)
            or self._evaluation.classes.kind_of(value.path, value.scope) == "class"
        }

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type, function or constant by a name with its namespace."""
        del arity
        before, is_qualified, last = whole.partition(f"{_BETWEEN}.")
        if not is_qualified or "." in last:
            return {}  # a member of a class
        name = f"{before}{_BETWEEN}{last}"
        around = (number for number in file.around(scope) if file.kind(number) == ScopeKind.MODULE)
        module = next(around, 0)
        found = self._type(file, module, name)
        if not any(isinstance(value, ClassValue) for value in found):
            found = self._plain_name(file, module, name) or found
        return found or {External(self._in_namespace(file, module, name)): Strategy.SCOPE}

    def imported(self, file: SourceFile, number: int) -> Result:
        """The type, function, constant or namespace that a `use` names."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        whole = _name_of(file.facts.imports[number])
        found = self.absolute(file, whole) or self._plain(whole)
        if found:
            return {value: max(how, Strategy.IMPORT) for value, how in found.items()}
        for other in self._evaluation.types.declaring(_LANGUAGE, whole):
            for declaration, row in enumerate(other.declarations):
                if row.kind in NAMESPACES and row.name == whole:
                    return {MemberValue(other.path, declaration): Strategy.IMPORT}
        return {External(whole): Strategy.IMPORT}

    # members

    def constructed_by(self, value: Value, name: str) -> Result:
        """The constructor that a derived class calls by its name."""
        if name.lower() != _CONSTRUCTOR:
            return {}
        if isinstance(value, ClassValue):
            return self._evaluation.classes.constructors(value)
        if isinstance(value, Instance):
            return self._evaluation.classes.constructors(ClassValue(value.path, value.scope))
        if isinstance(value, SuperValue):
            for base in self._evaluation.classes.bases(value.path, value.scope):
                if isinstance(base, ClassValue):
                    found = self._evaluation.classes.constructors(base)
                    if found:
                        return found
        return {}

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """The method that calls an object as a function."""
        found: Result = {}
        for value, how in self._evaluation.evaluate(file, file.expressions[number].of).items():
            if isinstance(value, Instance):
                members = self._evaluation.classes.members(value, _INVOKED)
                merge(found, self._evaluation.names.values(members), max(how, Strategy.DECLARED))
        return found

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an external object; none of an unknown value."""
        if isinstance(value, ExternalInstance) and not value.name:
            return {}
        return super().member_of_external(file, number, value, name)

    def replaces(self, item: Declaration) -> bool:
        """A method overrides a method of a base class unless it is private."""
        return item.access != "private"


def _name_of(item: Import) -> str:
    return _joined(item.module, item.name)


def _joined(namespace: str, name: str) -> str:
    return _BETWEEN.join(part for part in (namespace, name) if part)


def _plain_by_name(file: SourceFile) -> dict[str, list[int]]:
    """The functions and constants of namespaces."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(file.declarations):
        if item.kind in _PLAIN and _is_in_namespace(file, item):
            found[item.name].append(number)
    return dict(found)


def _is_in_namespace(file: SourceFile, item: Declaration) -> bool:
    return item.parent == MODULE or file.declarations[item.parent].kind in NAMESPACES


def shared_in_namespaces(file: SourceFile) -> dict[str, object]:
    """The names by which other files find the declarations of a file, with their namespaces."""
    table = DeclarationTable(file)
    found: dict[str, list[object]] = defaultdict(list)
    for number, item in enumerate(file.declarations):
        if item.kind in NAMESPACES:
            found[item.name].append("namespace")
        elif _is_in_namespace(file, item):
            found[item.name].append((table.namespace_of(number), item.kind))
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}
