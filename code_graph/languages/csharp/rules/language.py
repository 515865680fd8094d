"""The rules of C# for the linker."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.overloads import NO
from code_graph.declared.tables import GLOBAL_USING, NAMESPACES
from code_graph.evaluate.dependencies import language_key, name_key
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
    Value,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, BindingKind, Clause, Op, Role, ScopeKind
from code_graph.facts import Declaration
from code_graph.languages.csharp.imports import ProjectUsings
from code_graph.languages.csharp.rules import library as known
from code_graph.languages.csharp.rules.containers import CSharpContainers
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "csharp"
_PAIR: Final = 2
_MOST_PARTS: Final = 40
_GLOBAL_KEY: Final = language_key(_LANGUAGE, GLOBAL_USING)


class CSharpRules(CSharpContainers):
    """Namespaces, usings, extension methods, delegates and queries of C#."""

    has_extensions: ClassVar[bool] = True
    exact_arity: ClassVar[bool] = True
    invoking: ClassVar[frozenset[str]] = frozenset({"Invoke", "DynamicInvoke", "BeginInvoke"})
    decorator_suffix: ClassVar[str] = "Attribute"
    plain_types: ClassVar[frozenset[str]] = known.PLAIN
    top_types: ClassVar[frozenset[str]] = frozenset({"object", "dynamic"})
    synonyms: ClassVar[dict[str, str]] = known.SYNONYMS
    literals: ClassVar[dict[str, str]] = known.LITERALS
    conversions: ClassVar[frozenset[tuple[str, str]]] = known.CONVERSIONS
    nullable: ClassVar[frozenset[str]] = frozenset({"string"})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        # the files with usings that reach a file
        self._reaching: dict[str, list[str]] = {}
        self._projects = ProjectUsings(evaluation.engine)

    # names

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type of the namespace, of those around it, or of a using."""
        declaration = file.code.scopes[scope].declaration
        here = self._namespace(file, scope)
        outer = "" if declaration == NONE else self._namespace(file, file.parent(scope))
        namespace = here
        while True:
            found = self._in(file, namespace, name, arity)
            if not found and namespace == here:
                found = self._by_using(file, scope, name, arity)
            if found or namespace == outer:
                return found
            namespace = namespace.rpartition(".")[0]
            if len(namespace) <= len(outer) and scope:
                return {}

    def _in(self, file: SourceFile, namespace: str, name: str, arity: int) -> Result:
        return self._evaluation.types.in_namespace(file, namespace, name, arity)

    def _namespace(self, file: SourceFile, scope: int) -> str:
        """The namespace that a module scope stands for."""
        for number in file.around(scope):
            if file.kind(number) == ScopeKind.MODULE:
                return file.qualified(number) if number else ""
        return ""

    def _by_using(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        self._evaluation.types.depend_on(file, scope, name)
        for binding in file.bindings.get((scope, name), ()):
            if binding.kind in {BindingKind.IMPORTED, BindingKind.DECLARED}:
                number = self._evaluation.types.table(file).clause(binding.declaration, Role.ALIAS)
                if number != NONE:
                    found = self._evaluation.types.of(file, number)
                    return {value: max(how, Strategy.IMPORT) for value, how in found.items()}
        found = {}
        if not self._evaluation.types.rows(_LANGUAGE, name):
            modules: tuple[str, ...] = ()
        else:
            modules = self._usings(file, scope)
        for module in modules:
            merge(found, self._in(file, module, name, arity), Strategy.IMPORT)
        if not found:
            whole = self._aliases(file, scope).get(name, "")
            merge(found, self.absolute(file, whole, 0) if whole else {}, Strategy.IMPORT)
        if not found:
            for owner in self._static(file, scope):
                if isinstance(owner, ClassValue):
                    merge(found, self._evaluation.types.nested(owner, name, arity), Strategy.IMPORT)
        return found

    def _usings(self, file: SourceFile, scope: int) -> tuple[str, ...]:
        """The namespaces that the usings of a scope name; global usings come last."""
        self._evaluation.types.depend_on(file, scope, "*")
        imports = file.facts.imports
        rows = (item.value for item in file.bindings.get((scope, "*"), ()))
        found = [imports[number].module for number in rows if 0 <= number < len(imports)]
        if not scope:
            for other in self._with_global_usings(file):
                found += [item.module for item in other.code.exports if item.name == "*"]
            found += [name for name, alias in self._projects.of(file.path) if not alias]
        return tuple(dict.fromkeys(found))

    def _aliases(self, file: SourceFile, scope: int) -> dict[str, str]:
        """The aliases that other files declare for all files."""
        found: dict[str, str] = {}
        for other in self._with_global_usings(file) if not scope else ():
            names = {item.name for item in other.code.exports}
            for item in other.facts.imports:
                if item.alias in names:
                    found.setdefault(item.alias, item.module)
        for name, alias in self._projects.of(file.path) if not scope else ():
            if alias:
                found.setdefault(alias, name)
        return found

    def _with_global_usings(self, file: SourceFile) -> list[SourceFile]:
        """The other files with usings that reach a file."""
        self._evaluation.engine.depend_on("", _GLOBAL_KEY)
        paths = self._reaching.get(file.path)
        if paths is None:
            every = self._evaluation.engine.files.declaring(_LANGUAGE, GLOBAL_USING)
            paths = [path for path in every if path != file.path and _reaches(path, file.path)]
            self._reaching[file.path] = paths
        rows = (self._evaluation.file(path) for path in paths)
        return [other for other in rows if other is not None]

    def _static(self, file: SourceFile, scope: int) -> Result:
        """The types of which members are imported with `using static`."""
        key = ("static usings", file.path, scope)
        return self._evaluation.engine.unit(key, lambda: self._find_static(file, scope))

    def _find_static(self, file: SourceFile, scope: int) -> Result:
        found: Result = {}
        for module in self._usings(file, scope):
            merge(found, self.absolute(file, module, -1))
        return found

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A static member of a type that is imported with `using static`."""
        found: Result = {}
        for owner in self._static(file, scope):
            if isinstance(owner, ClassValue):
                for member, how in self._evaluation.classes.members(owner, name).items():
                    if isinstance(member, MemberValue) and not self._is_type(member):
                        found[member] = max(how, Strategy.IMPORT)
        return found

    def _is_type(self, value: Value) -> bool:
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if file is None or not isinstance(value, MemberValue):
            return True
        inner = file.scope_of_declaration.get(value.declaration, NONE)
        return inner != NONE and file.kind(inner) == ScopeKind.CLASS

    def absolute(self, file: SourceFile, whole: str, arity: int) -> Result:
        """A type by its full name; types may be in types."""
        whole = whole.removeprefix("global::").partition("<")[0]
        if whole.count(".") > _MOST_PARTS:
            return {}
        namespace, _, name = whole.rpartition(".")
        found = self._in(file, namespace, name, arity)
        if not found and namespace:
            for owner in self.absolute(file, namespace, 0):
                if isinstance(owner, ClassValue):
                    merge(found, self._evaluation.types.nested(owner, name, arity))
        return found

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by a name with a namespace, which may be inside of those around."""
        first, _, rest = whole.partition(".")
        for number in file.around(scope):
            for binding in file.bindings.get((number, first), ()):
                clause = self._evaluation.types.table(file).clause(binding.declaration, Role.ALIAS)
                if clause != NONE:
                    item = file.expressions[clause]
                    target = self._evaluation.types.dotted(file, item)
                    return self.absolute(file, f"{target}.{rest}", arity) if target else {}
        for number in file.around(scope):
            if file.kind(number) != ScopeKind.MODULE:
                continue
            namespace = self._namespace(file, number)
            while namespace:
                found = self.absolute(file, f"{namespace}.{whole}", arity)
                if found:
                    return found
                namespace = namespace.rpartition(".")[0]
        return self.absolute(file, whole, arity)

    def imported(self, file: SourceFile, number: int) -> Result:
        """The namespace or type that a using names, as far as it is in the tree."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        found: Result = {}
        for other in self._evaluation.types.declaring(_LANGUAGE, item.module):
            table = self._evaluation.types.table(other)
            for declaration, row in enumerate(other.declarations):
                if row.kind in NAMESPACES:
                    around = table.namespace_of(row.parent) if row.parent >= 0 else ""
                    if (f"{around}.{row.name}" if around else row.name) == item.module:
                        merge(found, {MemberValue(other.path, declaration): Strategy.IMPORT})
                        return found
        merge(found, self.absolute(file, item.module, -1), Strategy.IMPORT)
        return found or {External(item.module): Strategy.IMPORT}

    # extension methods

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """The extension methods of a name that fit a receiver and the arguments."""
        item = file.expressions[number]
        of = file.expressions[item.of]
        of = file.expressions[of.of] if of.op == Op.APPLY and of.of != NONE else of
        if of.op != Op.MEMBER or of.of == NONE or self._is_type_name(file, of.of):
            return {}
        found: Result = {}
        for receiver, strategy in self._evaluation.evaluate(file, of.of).items():
            if isinstance(receiver, External | ClassValue):
                continue
            for value in self._extending(file, number, of.name, receiver):
                if value in found or len(found) < MOST_MEMBERS:
                    found[value] = max(strategy, Strategy.DECLARED)
        return self._evaluation.calls.overloads.choose(file, found, item.items) if found else {}

    def _is_type_name(self, file: SourceFile, number: int) -> bool:
        values = self._evaluation.evaluate(file, number)
        return bool(values) and all(isinstance(value, ClassValue) for value in values)

    def _extending(
        self, file: SourceFile, number: int, name: str, receiver: Value
    ) -> Iterator[FunctionValue]:
        scope = file.code.scope_of[number]
        for other in self._evaluation.types.declaring(_LANGUAGE, name):
            table = self._evaluation.types.table(other)
            for clause in other.cached("extension methods", _extension_methods).get(name, ()):
                declaration = clause.declaration
                if not self._is_visible(file, scope, table.namespace_of(declaration)):
                    continue
                self._evaluation.classes.depend_on_declaration(other, declaration)
                if self._fits(other, clause.value, receiver):
                    inner = other.scope_of_declaration[declaration]
                    yield FunctionValue(other.path, inner, receiver)

    def _fits(self, file: SourceFile, declared: int, receiver: Value) -> bool:
        return any(
            self._may_extend(receiver, value)
            and self._evaluation.calls.overloads.fits(receiver, value) > NO
            for value in self._evaluation.types.instances(file, declared)
        )

    def _may_extend(self, receiver: Value, declared: Value) -> bool:
        """True if what is known of a receiver says that it is of an external type."""
        if isinstance(receiver, ExternalInstance):
            if isinstance(declared, ExternalInstance):
                return self._is_known_base(receiver, declared)
            return not self.is_unknown(receiver.name)
        if isinstance(receiver, Instance) and isinstance(declared, ExternalInstance):
            return self._has_base(receiver, declared)
        return True

    def _is_known_base(self, value: ExternalInstance, declared: ExternalInstance) -> bool:
        one, other = value.name.rpartition(".")[2], declared.name.rpartition(".")[2]
        if self.is_unknown(value.name):
            return False
        return one == other or (one, other) in known.CONVERSIONS or self.is_top(other)

    def _has_base(self, value: Instance, declared: ExternalInstance) -> bool:
        if self.is_top(declared.name):
            return True
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        names = {item.external.rpartition(".")[2] for item in order if item.external}
        other = declared.name.rpartition(".")[2]
        return other in names or any((name, other) in known.CONVERSIONS for name in names)

    def _is_visible(self, file: SourceFile, scope: int, namespace: str) -> bool:
        """True if the extension methods of a namespace are seen at a place."""
        for number in file.around(scope):
            if file.kind(number) == ScopeKind.MODULE:
                here = self._namespace(file, number)
                if not namespace or here == namespace or here.startswith(f"{namespace}."):
                    return True
                if any(
                    module == namespace or module.startswith(f"{namespace}.")
                    for module in self._usings(file, number)
                ):
                    return True
        return False

    # declared members with a meaning of their own

    def replaces(self, item: Declaration) -> bool:
        """A member replaces one of a base class if it says so."""
        return "override" in item.modifiers

    def iterated(self, value: Instance) -> Result:
        """The element of a class's enumerator."""
        found: Result = {}
        for member in self._evaluation.classes.members(value, "GetEnumerator"):
            for function in self._evaluation.names.values({member: Strategy.SCOPE}):
                if isinstance(function, FunctionValue):
                    for made in self._evaluation.calls.result(
                        function, function_file(self, function)
                    ):
                        merge(found, self._current(made))
        return found

    def _current(self, value: Value) -> Result:
        if isinstance(value, Instance):
            return self._evaluation.names.values(self._evaluation.classes.members(value, "Current"))
        return with_strategy(self.element(value), Strategy.GENERIC)

    def indexed(self, value: Instance) -> Result:
        """The element of a class's indexers."""
        found: Result = {}
        for member in self._evaluation.classes.members(value, "this"):
            merge(found, self._evaluation.names.values({member: Strategy.DECLARED}))
        return found

    def deconstructed(self, value: Instance, position: int) -> Result:
        """A property of a record by its place, or what `Deconstruct` gives."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        for member in self._evaluation.classes.members(value, "Deconstruct"):
            for function in self._evaluation.names.values({member: Strategy.SCOPE}):
                if isinstance(function, FunctionValue):
                    owner = self._evaluation.file(function.path)
                    rows = () if owner is None else owner.parameters.get(function.scope, ())
                    if owner is not None and position < len(rows):
                        return self._evaluation.calls.parameter_type(
                            owner, function, rows[position]
                        )
        head = file.parent(value.scope)
        around = file.qualified(file.function_around(file.parent(head)))
        declaration = file.code.scopes[value.scope].declaration
        if declaration != NONE:
            name = file.declarations[declaration].name
            self._evaluation.engine.depend_on(file.path, name_key(file.path, around, name))
        rows = file.parameters.get(head, ())
        if position < len(rows):
            found = self._evaluation.types.instances(file, rows[position].annotation)
            return self._evaluation.substituted(found, self._evaluation.classes.given(value))
        return {}


def function_file(rules: CSharpRules, value: FunctionValue) -> SourceFile:
    """The file of a function."""
    file = rules._evaluation.file(value.path)  # noqa: SLF001 its own rules
    if file is None:
        raise KeyError(value.path)
    return file


def _reaches(path: str, other: str) -> bool:
    """True if usings for all files of a project reach another file: one beside or below it."""
    folder = dirname(path)
    if folder.rpartition("/")[2] in {"Properties", "obj"}:
        folder = dirname(folder)
    return not folder or dirname(other) == folder or other.startswith(f"{folder}/")


def _extension_methods(file: SourceFile) -> dict[str, list[Clause]]:
    """The receivers of the methods of a file that extend types, by the methods' names."""
    found: dict[str, list[Clause]] = {}
    for clause in file.code.clauses:
        declaration = clause.declaration
        if clause.role != Role.RECEIVER or declaration not in file.scope_of_declaration:
            continue
        row = file.declarations[declaration]
        if row.parent >= 0:
            found.setdefault(row.name, []).append(clause)
    return found
