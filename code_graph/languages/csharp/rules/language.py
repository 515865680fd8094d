"""The rules of C# for the linker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Final, cast

from code_graph.declared.rules import GIVEN, Parts
from code_graph.declared.tables import NAMESPACES
from code_graph.evaluate.dependencies import name_key
from code_graph.evaluate.engine import first
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
from code_graph.expressions import NONE, BindingKind, Clause, Expression, Op, Role, ScopeKind
from code_graph.facts import Declaration
from code_graph.languages.csharp.rules import library as known
from code_graph.languages.csharp.rules.containers import (
    CSharpCalls,
    CSharpContainers,
    CSharpEvaluation,
)
from code_graph.languages.csharp.rules.conversions import CSharpConversions
from code_graph.languages.csharp.rules.definitions import CSharpDefinitions
from code_graph.languages.csharp.rules.overloads import CSharpOverloads
from code_graph.languages.csharp.rules.usings import LANGUAGE, Usings
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_PAIR: Final = 2
_MOST_PARTS: Final = 40
# operations that give an object
_RESULTS: Final = frozenset({Op.CALL, Op.NEW, Op.INDEX, Op.AWAIT})


class CSharpRules(CSharpContainers):
    """Namespaces, usings, extension methods, delegates and queries of C#."""

    parts = Parts(
        evaluation=CSharpEvaluation,
        calls=CSharpCalls,
        conversions=CSharpConversions,
        overloads=CSharpOverloads,
        definitions=CSharpDefinitions,
    )
    has_extensions: ClassVar[bool] = True
    exact_arity: ClassVar[bool] = True
    invoking: ClassVar[frozenset[str]] = frozenset({"Invoke", "DynamicInvoke", "BeginInvoke"})
    decorator_suffix: ClassVar[str] = "Attribute"
    library = known.LIBRARY
    plain_types = known.PLAIN
    top_types = known.TYPES["tops"]
    keywords = known.TYPES["keywords"]
    synonyms = known.LIBRARY.synonyms
    literals = known.LIBRARY.literals
    conversions = known.CONVERSIONS
    nullable: ClassVar[frozenset[str]] = frozenset({"string"})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self._usings = Usings(evaluation)

    # names

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type of the namespace, of those around it, or of a using."""
        declaration = file.code.scopes[scope].declaration
        here = self._usings.namespace(file, scope)
        outer = "" if declaration == NONE else self._usings.namespace(file, file.parent(scope))
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

    def _by_using(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        self._evaluation.types.depend_on(file, scope, name)
        for binding in file.bindings.get((scope, name), ()):
            if binding.kind in {BindingKind.IMPORTED, BindingKind.DECLARED}:
                number = self._evaluation.types.table(file).clause(binding.declaration, Role.ALIAS)
                if number != NONE:
                    found = self._evaluation.types.of(file, number)
                    return {value: max(how, Strategy.IMPORT) for value, how in found.items()}
        found = {}
        if not self._evaluation.types.rows(LANGUAGE, name):
            modules: tuple[str, ...] = ()
        else:
            modules = self._usings.namespaces(file, scope)
        for module in modules:
            merge(found, self._in(file, module, name, arity), Strategy.IMPORT)
        if not found:
            whole = "" if scope else self._usings.aliases(file).get(name, "")
            merge(found, self.absolute(file, whole, 0) if whole else {}, Strategy.IMPORT)
        if not found:
            for owner in self._static(file, scope):
                if isinstance(owner, ClassValue):
                    merge(found, self._evaluation.types.nested(owner, name, arity), Strategy.IMPORT)
        return found

    def _static(self, file: SourceFile, scope: int) -> Result:
        """The types whose members are imported with `using static`."""
        key = ("static usings", file.path, scope)
        return self._evaluation.engine.unit(key, lambda: self._find_static(file, scope))

    def _find_static(self, file: SourceFile, scope: int) -> Result:
        found: Result = {}
        for names in self._usings.static(file, scope):
            merge(found, first(self.absolute(file, name, -1) for name in names))
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
        first_name, _, rest = whole.partition(".")
        for number in file.around(scope):
            names = self._by_alias(file, number, first_name, rest)
            if names is not None:
                return first(self.absolute(file, name, arity) for name in names)
        alias = self._usings.aliases(file).get(first_name)
        if alias is not None:
            return self.absolute(file, f"{alias}.{rest}", arity)
        for number in file.around(scope):
            if file.kind(number) == ScopeKind.MODULE:
                wholes = self._usings.candidates(file, number, whole)
                return first(self.absolute(file, one, arity) for one in wholes)
        return {}

    def _by_alias(self, file: SourceFile, scope: int, name: str, rest: str) -> list[str] | None:
        """The full names that a name after an alias of a scope may be; None if there is none."""
        for binding in file.bindings.get((scope, name), ()):
            clause = self._evaluation.types.table(file).clause(binding.declaration, Role.ALIAS)
            if clause != NONE:
                target = self._evaluation.types.dotted(file, file.expressions[clause])
                wholes = self._usings.candidates(file, scope, target) if target else ()
                return [f"{one}.{rest}" for one in wholes]
            if binding.kind == BindingKind.IMPORTED:  # of an assembly
                return [rest]
        return None

    def imported(self, file: SourceFile, number: int) -> Result:
        """The namespace or type that a using names, as far as it is in the tree."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        name = file.facts.imports[number].module
        scope = self._usings.scope_of_import(file, number)
        names = self._usings.candidates(file, scope, name)
        found = first(self._namespace(one) or self.absolute(file, one, -1) for one in names)
        return {v: max(how, Strategy.IMPORT) for v, how in found.items()} or {
            External(name): Strategy.IMPORT
        }

    def _namespace(self, whole: str) -> Result:
        """A declaration of a namespace by its full name."""
        for other in self._evaluation.types.declaring(LANGUAGE, whole):
            table = self._evaluation.types.table(other)
            for declaration, row in enumerate(other.declarations):
                if row.kind in NAMESPACES:
                    around = table.namespace_of(row.parent) if row.parent >= 0 else ""
                    if (f"{around}.{row.name}" if around else row.name) == whole:
                        return {MemberValue(other.path, declaration): Strategy.IMPORT}
        return {}

    # extension methods

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """The extension methods of a name that fit a receiver and the arguments."""
        of = self._extended(file, number)
        if of is None or self._is_type_name(file, of.of):
            return {}
        items = file.expressions[number].items
        levels: dict[int, dict[FunctionValue, Strategy]] = {}
        for receiver, strategy in self._receivers(file, of.of):
            for level, value in self._extending(file, number, of.name, receiver):
                rows = levels.setdefault(level, {})
                if len(rows) < MOST_MEMBERS:
                    rows.setdefault(value, max(strategy, Strategy.DECLARED))
        extensions = cast("CSharpOverloads", self._evaluation.calls.overloads).extensions
        nearest = (tuple(levels[level].items()) for level in sorted(levels))
        return first(extensions(file, rows, items, number) for rows in nearest)

    def may_extend(self, file: SourceFile, number: int) -> bool:
        """True if an extension fits a call on a member of what something outside has returned.

        The type of that may have a method of the name, which is then meant.
        """
        of = self._extended(file, number)
        values = self._evaluation.evaluate(file, of.of) if of is not None else {}
        if of is None or not any(isinstance(value, External) for value in values):
            return False
        if not self._is_of_object(file, of.of, in_calls=True):
            return False
        found = self._extending(file, number, of.name, ExternalInstance(GIVEN))
        rows = tuple((value, Strategy.OVERLOAD) for _, value in islice(found, MOST_MEMBERS))
        items = file.expressions[number].items
        overloads = cast("CSharpOverloads", self._evaluation.calls.overloads)
        return overloads.may_extend(file, rows, items, number)

    @staticmethod
    def _extended(file: SourceFile, number: int) -> Expression | None:
        """The member that a call calls, without type arguments."""
        called = file.expressions[number].of
        item = file.expressions[called] if called != NONE else None
        if item is not None and item.op == Op.APPLY and item.of != NONE:
            item = file.expressions[item.of]
        is_member = item is not None and item.op == Op.MEMBER and item.of != NONE
        return item if is_member else None

    def _receivers(self, file: SourceFile, number: int) -> Iterator[tuple[Value, Strategy]]:
        """The objects among the values of an expression, with the strategies that found them."""
        for value, strategy in self._evaluation.evaluate(file, number).items():
            if not isinstance(value, External | ClassValue):
                yield value, strategy
            elif isinstance(value, External) and self._is_of_object(file, number):
                yield ExternalInstance(value.name), max(strategy, Strategy.OVERLOAD)

    def _is_of_object(self, file: SourceFile, number: int, *, in_calls: bool = False) -> bool:
        """True for a member of an object from outside, which is an object and no type.

        Those of results count if asked for.
        """
        item = file.expressions[number]
        if item.op != Op.MEMBER or item.of == NONE:
            return in_calls and item.op in _RESULTS
        values = self._evaluation.evaluate(file, item.of)
        return any(isinstance(value, ExternalInstance) for value in values) or (
            any(isinstance(value, External) for value in values)
            and self._is_of_object(file, item.of, in_calls=in_calls)
        )

    def _is_type_name(self, file: SourceFile, number: int) -> bool:
        values = self._evaluation.evaluate(file, number)
        return bool(values) and all(isinstance(value, ClassValue) for value in values)

    def _extending(
        self, file: SourceFile, number: int, name: str, receiver: Value
    ) -> Iterator[tuple[int, FunctionValue]]:
        """The extension methods of a name that are seen at a call, and how far they are."""
        scope = next(
            at
            for at in file.around(file.code.scope_of[number])
            if file.kind(at) == ScopeKind.MODULE
        )
        levels: Mapping[str, int] | None = None
        for other in self._evaluation.types.declaring(LANGUAGE, name):
            table = self._evaluation.types.table(other)
            for clause in other.cached("extension methods", _extension_methods).get(name, ()):
                declaration = clause.declaration
                levels = self._usings.levels(file, scope) if levels is None else levels
                level = levels.get(table.namespace_of(declaration))
                if level is not None:
                    self._evaluation.classes.depend_on_declaration(other, declaration)
                    inner = other.scope_of_declaration[declaration]
                    yield level, FunctionValue(other.path, inner, receiver)

    # declared members with a meaning of their own

    def replaces(self, item: Declaration) -> bool:
        """A member overrides a member of a base class if it says so."""
        return "override" in item.modifiers

    def iterated(self, value: Instance) -> Result:
        """The element of a class's enumerator."""
        found: Result = {}
        for made in self.method_results(value, "GetEnumerator"):
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
                rows = self._evaluation.parameters_of(function)
                if isinstance(function, FunctionValue) and position < len(rows):
                    return self._evaluation.calls.parameter_type(function, rows[position])
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
