"""The rules of C++ for the linker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from repo_mcp.graph.evaluate.definitions import Definition
from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    Values,
    merge,
    with_strategy,
)
from repo_mcp.graph.model import Strategy
from repo_mcp.graph.rules.declared.rules import DeclaredRules
from repo_mcp.graph.rules.native.includes import HEADERS, Includes, Row, as_members, of_file
from repo_mcp.graph.rules.native.linkage import TYPES, VALUES
from repo_mcp.languages.code import NONE, BindingKind, Op, Role, ScopeKind
from repo_mcp.languages.facts import Declaration

if TYPE_CHECKING:
    from repo_mcp.graph.rules.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "cpp"
_TYPES: Final = frozenset({"class", "struct", "union", "enum", "type", "typedef"})
_FUNCTIONS: Final = frozenset({"function", "prototype", "method"})
_MOST_ROWS: Final = 60
_MOST_PARTS: Final = 30
# types that stand for what they point to or hold
_POINTERS: Final = frozenset(
    {"unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper", "atomic"}
)
_MADE: Final = {"make_unique": "unique_ptr", "make_shared": "shared_ptr"}
_HELD: Final = frozenset(
    {"get", "lock", "value", "front", "back", "at", "top", "load", "release", "value_or"}
)
_SAME: Final = frozenset({"move", "forward", "ref", "cref", "as_const", "begin", "end", "find"})
_BUILT_IN: Final = frozenset(
    {"bool", "char", "int", "short", "long", "float", "double", "unsigned", "signed", "auto"}
    | {"size_t", "ssize_t", "wchar_t", "ptrdiff_t", "intptr_t", "uintptr_t", "char16_t", "char32_t"}
    | {f"{sign}int{size}_t" for sign in ("", "u") for size in (8, 16, 32, 64)}
)
_CASTS: Final = frozenset(
    {"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "static_pointer_cast"}
    | {"dynamic_pointer_cast"}
)


class CppRules(DeclaredRules):
    """Namespaces, classes over files, usings and pointers of C++."""

    checks_arguments: ClassVar[bool] = True
    literals: ClassVar[dict[str, str]] = {"str": "string", "number": "double"}
    top_types: ClassVar[frozenset[str]] = frozenset({"void"})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self._includes = Includes(evaluation)

    # namespaces

    def _namespace(self, file: SourceFile, scope: int) -> str:
        """The namespace that a scope is in, with dots."""
        names: list[str] = []
        for number in file.around(scope):
            declaration = file.code.scopes[number].declaration
            if declaration != NONE and file.declarations[declaration].kind == "namespace":
                names.append(file.declarations[declaration].name)
        found = ".".join(reversed(names)).replace("::", ".")
        owner = self._receiver_path(file, scope)
        return ".".join(filter(None, (found, owner)))

    def _receiver_path(self, file: SourceFile, scope: int) -> str:
        """The namespace before the name of a function that is defined outside of it."""
        for number in file.around(scope):
            declaration = file.code.scopes[number].declaration
            if declaration != NONE and file.kind(number) == ScopeKind.FUNCTION:
                whole = file.declarations[declaration].name
                return whole.rpartition("::")[0].replace("::", ".")
        return ""

    def _found(self, file: SourceFile, namespace: str, name: str, *, types: bool) -> Result:
        """What a name means in a namespace: of the file before what others declare."""
        kind = "type" if types else "name"
        key = (f"{kind} in namespace", file.path, namespace, name)
        return self._all.engine.unit(key, lambda: self._find(file, namespace, name, types=types))

    def _find(self, file: SourceFile, namespace: str, name: str, *, types: bool) -> Result:
        whole = f"{namespace}.{name}" if namespace else name
        rows: list[Row] = []
        if not namespace and not types:
            rows += self._includes.macros(file, name)
        for other in self._includes.declaring(name, TYPES if types else VALUES):
            table = self._all.types.table(other)
            for number in self._named(other, name):
                item = other.declarations[number]
                if item.kind == "macro" or (item.kind in _TYPES) != types:
                    continue
                if not self._is_seen(file, other, item):
                    continue
                around = table.namespace_of(item.parent) if item.parent >= 0 else ""
                if self._whole(other, number) == whole and (
                    self._is_free(other, item.parent) or around == whole
                ):
                    rows.append((other.path, number))
        own = [row for row in rows if row[0] == file.path]
        best = self._joined(own or rows[:_MOST_ROWS])
        found = (
            self._includes.nearest(file, best) if not own else [(r, Strategy.SCOPE) for r in best]
        )
        if not types:
            return as_members(found)
        result: Result = {}
        for (path, number), how in found:
            merge(result, self._meaning(path, number), how)
        return result

    def _named(self, file: SourceFile, name: str) -> list[int]:
        """The declarations of a name, which may be written with what they are in."""
        made = file.cached("last names", _by_last_name)
        return made.get(name, [])

    def _whole(self, file: SourceFile, number: int) -> str:
        names: list[str] = []
        rows = file.declarations
        while number >= 0 and len(names) < _MOST_PARTS:
            names.append(rows[number].name)
            number = rows[number].parent
        return ".".join(reversed(names)).replace("::", ".")

    def _is_free(self, file: SourceFile, holder: int) -> bool:
        """Whether a declaration is in namespaces only; enumerators are seen around theirs."""
        rows = file.declarations
        return holder < 0 or rows[holder].kind in {"namespace", "enum"}

    def _is_seen(self, file: SourceFile, other: SourceFile, item: Declaration) -> bool:
        """Whether another file may use a declaration: by linkage, or in a header."""
        if other.path == file.path or other.path.endswith(HEADERS):
            return True
        return item.kind in _FUNCTIONS and "static" not in item.modifiers

    def _joined(self, rows: list[Row]) -> list[Row]:
        """A function that is declared and defined is one: in a header if it is in one.

        Headers that are read as C do not have parameters.
        """
        known = [row for row in rows if self._is_own(row[0])]
        headers = [row for row in known if row[0].endswith(HEADERS)]
        return headers or known or rows

    def _is_own(self, path: str) -> bool:
        file = self._all.file(path)
        return file is not None and file.language == _LANGUAGE

    def _meaning(self, path: str, number: int) -> Result:
        file = self._all.file(path)
        if file is None:
            return {}
        self._all.classes.ask_declaration(file, number)
        scope = file.scope_of_declaration.get(number, NONE)
        if scope != NONE and file.kind(scope) == ScopeKind.CLASS:
            return {ClassValue(path, scope): Strategy.SCOPE}
        return self._all.types.alias(file, number)

    def _in_namespaces(self, file: SourceFile, scope: int, name: str, *, types: bool) -> Result:
        """What a name means in the namespaces around a scope, and those that are used."""
        namespace = self._namespace(file, scope)
        while True:
            found = self._found(file, namespace, name, types=types)
            if found or not namespace:
                break
            namespace = namespace.rpartition(".")[0]
        return found or self._used(file, scope, name, types=types)

    def _used(self, file: SourceFile, scope: int, name: str, *, types: bool) -> Result:
        """What a name means by `using`."""
        found: Result = {}
        for number in file.around(scope):
            for key in (name, "*"):
                for binding in file.bindings.get((number, key), ()):
                    if binding.kind == BindingKind.IMPORTED and 0 <= binding.value < len(
                        file.facts.imports
                    ):
                        found = self._by_using(file, scope, binding.value, name, types=types)
                        if found:
                            return found
        return found

    def _by_using(
        self, file: SourceFile, scope: int, number: int, name: str, *, types: bool
    ) -> Result:
        item = file.facts.imports[number]
        if "." in item.module and "::" not in item.module:  # an include
            return {}
        module = item.module.replace("::", ".").strip(".")
        whole = ".".join(filter(None, (module, name)))
        namespace = self._namespace(file, scope)
        while True:
            inner = f"{namespace}.{whole}" if namespace else whole
            outer, _, last = inner.rpartition(".")
            found = self._found(file, outer, last, types=types)
            if found or not namespace:
                return found
            namespace = namespace.rpartition(".")[0]

    # names

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """A member of the class that a method outside of it belongs to."""
        if not self._is_outside(file, scope):
            return {}
        owner = self.owner_elsewhere(file, file.code.scopes[scope].declaration)
        found: Result = {}
        if owner is not None:
            found = self._all.classes.members(Instance(owner.path, owner.scope), name)
            found = {v: how for v, how in found.items() if isinstance(v, MemberValue)}
        return found or self._in_namespaces(file, scope, name, types=False)

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """A type in the class or namespace that a function outside of it belongs to."""
        if not self._is_outside(file, scope):
            return {}
        owner = self.owner_elsewhere(file, file.code.scopes[scope].declaration)
        found = {} if owner is None else self._all.types.nested(owner, name, -1)
        return found or self._in_namespaces(file, scope, name, types=True)

    def _is_outside(self, file: SourceFile, scope: int) -> bool:
        """Whether a scope is that of a function that is defined outside of what it belongs to."""
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE or file.kind(scope) != ScopeKind.FUNCTION:
            return False
        return self._all.types.table(file).clause(declaration, Role.RECEIVER) != NONE

    def receiver(self, file: SourceFile, number: int) -> Result:
        """The object of a method that is defined outside of its class."""
        for scope in file.around(file.code.scope_of[number]):
            declaration = file.code.scopes[scope].declaration
            if declaration != NONE and file.kind(scope) == ScopeKind.FUNCTION:
                owner = self.owner_elsewhere(file, declaration)
                if owner is not None:
                    return {Instance(owner.path, owner.scope): Strategy.RECEIVER}
        return {}

    def owner_elsewhere(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The class of a method that is defined outside of it."""
        number = self._all.types.table(file).clause(declaration, Role.RECEIVER)
        for value in self._all.types.of(file, number) if number != NONE else ():
            if isinstance(value, ClassValue):
                return ClassValue(value.path, value.scope)
        return None

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or variable of the namespaces around, or that is used."""
        self._all.types.ask(file, scope, name)
        return self._in_namespaces(file, scope, name, types=False)

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type of the namespaces around, or that is used."""
        del arity
        self._all.types.ask(file, scope, name)
        found = self._in_namespaces(file, scope, name, types=True)
        return found or self._aliased(file, scope, name)

    def _aliased(self, file: SourceFile, scope: int, name: str) -> Result:
        """What another name for a namespace stands for."""
        for number in file.around(scope):
            for binding in file.bindings.get((number, name), ()):
                if binding.kind == BindingKind.DECLARED and binding.value != NONE:
                    value = file.expressions[binding.value]
                    whole = self._all.types.dotted(file, value)
                    return {External(whole): Strategy.SCOPE} if whole else {}
        return {}

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type or function by a name with its namespace, maybe inside of those around."""
        del arity
        first, _, rest = whole.partition(".")
        for alias in self._aliased(file, scope, first):
            if isinstance(alias, External):
                whole = f"{alias.name}.{rest}"
        outer, _, name = whole.rpartition(".")
        namespace = self._namespace(file, scope)
        while True:
            inner = f"{namespace}.{outer}" if namespace else outer
            found = self._found(file, inner, name, types=True)
            found = found or self._found(file, inner, name, types=False)
            if found or not namespace:
                return found
            namespace = namespace.rpartition(".")[0]

    # calls

    def extensions(self, file: SourceFile, number: int) -> Result:
        """A macro that is called."""
        return self._includes.called_macros(file, file.expressions[number].of)

    def created(self, file: SourceFile, number: int, found: Result) -> Result:
        """What an initialiser makes: a base, or a field of its type."""
        made = found if any(isinstance(v, ClassValue) for v in found) else {}
        if not made and file.expressions[number].op == Op.NAME:
            for value in self._all.names.resolve(file, number):
                if isinstance(value, MemberValue):
                    merge(made, self._field(value))
        return {
            External("") if isinstance(v, External) and v.name in _BUILT_IN else v: how
            for v, how in (made or found).items()
        }

    def _field(self, value: MemberValue) -> Result:
        """The type whose constructor makes a field; nothing is called for a pointer."""
        file = self._all.file(value.path)
        item = None if file is None else file.declarations[value.declaration]
        if item is None or item.kind != "field":
            return {}
        found: Result = {}
        for type_, how in self._all.classes.value_of(value).items():
            if isinstance(type_, Instance):
                merge(found, {ClassValue(type_.path, type_.scope, type_.arguments): how})
            elif isinstance(type_, ExternalInstance):
                merge(found, {External(type_.name, type_.arguments): how})
        is_plain = not found or item.returns.endswith(("*", "&"))
        return {External(""): Strategy.SCOPE} if is_plain else found

    # external types

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of what a pointer leads to, or of a type of another library."""
        if isinstance(value, ExternalInstance) and value.arguments:
            short = value.name.rpartition(".")[2]
            if short in _POINTERS and name not in _HELD:
                found: Result = {}
                for inner in value.arguments[0]:
                    merge(found, self._all.names.member_of(file, number, inner, name))
                if any(not isinstance(item, External) for item in found):
                    return found
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """What a function of the standard library gives, as far as it is known."""
        name = value.name.rpartition(".")[2]
        item = file.expressions[number]
        if value.arguments and name in _MADE:
            return {ExternalInstance(_MADE[name], value.arguments): Strategy.GENERIC}
        if value.arguments and name in _CASTS:
            return with_strategy(value.arguments[0], Strategy.DECLARED)
        if value.arguments and name in _HELD:
            return with_strategy(value.arguments[-1], Strategy.GENERIC)
        if name in _SAME and item.items:
            found = self._all.evaluate(file, item.items[0].value)
            return {one: max(how, Strategy.GENERIC) for one, how in found.items()}
        return super().call_external(value, file, number)

    def element(self, value: Value) -> Values:
        """What a loop over a container gives."""
        if isinstance(value, ExternalInstance) and value.arguments:
            return value.arguments[-1] if "map" not in value.name else ()
        return ()

    def is_interface(self, name: str) -> bool:
        """Types of other libraries are classes."""
        del name
        return False

    # members

    def members_elsewhere(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """All members of a class are declared in it."""
        del path, scope, name
        return []

    def constructed_by(self, value: Value, name: str) -> Result:
        """`Base::Base` names the constructors of a class."""
        if isinstance(value, ClassValue):
            file = self._all.file(value.path)
            declaration = NONE if file is None else file.code.scopes[value.scope].declaration
            if file is not None and declaration != NONE:
                own = file.declarations[declaration].name
                return self._all.classes.constructors(value) if own == name else {}
        return {}

    def replaces(self, item: Declaration) -> bool:
        """A method replaces a virtual one of a base."""
        return item.kind in {"method", "destructor"}

    # includes

    def imported(self, file: SourceFile, number: int) -> Result:
        """The file that an include means; a `using` only refers to what it names."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        is_include = not item.name and "::" not in item.module
        return self._includes.find(file, number) if is_include else {}

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """An included file."""
        yield from of_file(value, strategy)


def _by_last_name(file: SourceFile) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, item in enumerate(file.declarations):
        found.setdefault(item.name.rpartition("::")[2], []).append(number)
    return found
