"""Finds types by their names: in scopes, classes, namespaces and imports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname
from typing import TYPE_CHECKING, Final

from code_graph.declared.part import EvaluationPart
from code_graph.declared.tables import DeclarationTable, TypeRow, table_of
from code_graph.evaluate.dependencies import body_key, language_key, name_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import substituted
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    ModuleValue,
    RecordValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
)
from code_graph.expressions import NONE, Argument, BindingKind, Expression, Op, Role, ScopeKind
from code_graph.facts import MODULE
from code_graph.language_table import shared_as
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.declared.rules import DeclaredRules

CALLABLE: Final = "func"
ARRAY: Final = "[]"
_MOST_STEPS: Final = 60


class Types(EvaluationPart):
    """Types by names, and what expressions mean where a type stands."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        super().__init__(evaluation, rules)
        self._rows: dict[tuple[str, str], dict[str, list[tuple[str, TypeRow]]]] = {}

    def table(self, file: SourceFile) -> DeclarationTable:
        """The declarations of a file by name."""
        return table_of(file)

    def arity(self, file: SourceFile, number: int) -> int:
        """The number of type arguments of a name; -1 if it does not distinguish types."""
        return self.table(file).arities.get(number, 0) if self._rules.exact_arity else -1

    # types by name

    def depend_on(self, file: SourceFile, scope: int, name: str) -> None:
        """Record a dependency on a name of a scope."""
        made = file.cached("dependencies", _no_dependencies)
        key = made.get(scope)
        if key is None:  # a function is asked about as a whole
            function = file.function_around(file.holder(scope))
            is_function = file.kind(function) == ScopeKind.FUNCTION
            key = made[scope] = body_key(file.path, file.qualified(function)) if is_function else 0
        if not key:
            key = name_key(file.path, file.qualified(file.holder(scope)), name)
        self._evaluation.engine.depend_on(file.path, key)

    def declaring(self, language: str, name: str) -> Iterator[SourceFile]:
        """The files of a language, or of its platform, that declare a name for all others."""
        kin = shared_as(language)
        for path in self._evaluation.engine.declaring(kin, name):
            file = self._evaluation.file(path)
            if file is not None and shared_as(file.language) == kin:
                yield file

    def rows(self, language: str, name: str) -> dict[str, list[tuple[str, TypeRow]]]:
        """The top-level types of a name, by their namespaces."""
        kin = shared_as(language)
        self._evaluation.engine.depend_on("", language_key(kin, name))
        key = kin, name
        found = self._rows.get(key)
        if found is None:
            found = {}
            files = self._evaluation.engine.files
            for file in map(files.get, files.declaring(kin, name)):
                if file is None or shared_as(file.language) != kin:
                    continue
                for row in self.table(file).types.get(name, ()):
                    if row.holder == MODULE:
                        found.setdefault(row.namespace, []).append((file.path, row))
            self._rows[key] = found
        return found

    def in_namespace(self, file: SourceFile, namespace: str, name: str, arity: int) -> Result:
        """The type of a name in a namespace, as a file sees it; a negative arity fits any."""
        rows = self.rows(file.language, name).get(namespace)
        if not rows:
            return {}
        fitting = [item for item in rows if arity in {-1, item[1].arity}]
        if len(fitting) > 1:
            folder = dirname(file.path)
            best = max(_shared(folder, path) for path, _ in fitting)
            fitting = [item for item in fitting if _shared(folder, item[0]) == best]
        for path, row in fitting:
            other = self._evaluation.file(path)
            if other is not None:
                return self.value_of(other, row.declaration)
        return {}

    def value_of(self, file: SourceFile, declaration: int) -> Result:
        """A declared type as a value: the first part of a class, or a delegate."""
        scope = file.scope_of_declaration.get(declaration)
        if scope is None:
            return {}
        if file.kind(scope) == ScopeKind.FUNCTION:
            return {FunctionValue(file.path, scope): Strategy.SCOPE}
        return {self._evaluation.classes.canonical(ClassValue(file.path, scope)): Strategy.SCOPE}

    def named(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """Types that a name means at a place."""
        for number in file.around(scope):
            kind = file.kind(number)
            if kind in {ScopeKind.CLASS, ScopeKind.MODULE}:
                key = ("type name", file.path, number, name, arity)
                start = number

                def compute(start: int = start) -> Result:
                    return self._named(file, start, name, arity)

                return self._evaluation.engine.unit(key, compute)
            if kind in {ScopeKind.FUNCTION, ScopeKind.BLOCK}:
                self.depend_on(file, number, name)
                found: Result = {}
                if (number, name) in file.bindings:
                    found = self._bound(file, number, name, arity)
                found = found or self._rules.own_type(file, number, name)
                if found:
                    return found
        return {}

    def _named(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """Types of a name in a class or namespace, and in those around it."""
        found = self._rules.own_type(file, scope, name)
        if found:
            return found
        if file.kind(scope) == ScopeKind.CLASS:
            if not self._rules.sees_members:
                return self.named(file, file.parent(scope), name, arity)
            owner = self._evaluation.classes.canonical(ClassValue(file.path, scope))
            found = self.nested(owner, name, arity)
        else:
            found = self._rules.types_in_module(file, scope, name, arity)
        if found:
            return found
        around = file.parent(scope)
        if around != NONE:
            return self.named(file, around, name, arity)
        return {External(self._rules.plain_name(name)): Strategy.SCOPE}

    def _bound(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        for binding in file.bindings.get((scope, name), ()):
            if binding.kind == BindingKind.IMPORTED:
                found = self._rules.imported(file, binding.value)
                return {v: how for v, how in found.items() if not isinstance(v, MemberValue)}
            if binding.kind != BindingKind.DECLARED:
                continue
            if binding.declaration == NONE:
                return self.parameter(file, scope, name)
            table = self.table(file)
            for row in table.types.get(name, ()):
                if row.declaration == binding.declaration and arity in {-1, row.arity}:
                    return self.value_of(file, binding.declaration)
        return {}

    def parameter(self, file: SourceFile, scope: int, name: str) -> Result:
        """A type parameter of the declaration that a scope belongs to."""
        declaration = file.owner(scope)
        if declaration < 0:
            return {}
        path = file.path
        if self._rules.renames_parameters:
            renamed = self._parameter_of_type(file, declaration, name)
            if renamed is not None:
                return {renamed: Strategy.SCOPE}
        own = file.scope_of_declaration.get(declaration, NONE)
        if own != NONE and file.kind(own) == ScopeKind.CLASS:
            whole = self._evaluation.classes.canonical(ClassValue(path, own))
            other = self._evaluation.file(whole.path)
            if other is not None:
                path, declaration = whole.path, other.code.scopes[whole.scope].declaration
        return {TypeParameter(f"{path}\0{declaration}\0{name}", ()): Strategy.SCOPE}

    def _parameter_of_type(
        self, file: SourceFile, declaration: int, name: str
    ) -> TypeParameter | None:
        """The parameter that a block or method calls by a name: `V` of `impl<V> One<V>`."""
        head, arguments = self.receiver_of(file, declaration)
        if name not in arguments:
            return None
        for owner in self.of(file, head):
            other = self._evaluation.file(owner.path) if isinstance(owner, ClassValue) else None
            if other is None or not isinstance(owner, ClassValue):
                continue
            whole = other.code.scopes[owner.scope].declaration
            self._evaluation.calls.depend_on_head(other, owner.scope)
            names = self.table(other).type_parameter_names(whole)
            at = arguments.index(name)
            if at < len(names):
                return TypeParameter(f"{owner.path}\0{whole}\0{names[at]}", ())
        return None

    def receiver_of(self, file: SourceFile, declaration: int) -> tuple[int, list[str]]:
        """The type that a declaration belongs to, without arguments, and the names of these."""
        number = self.table(file).clause(declaration, Role.RECEIVER)
        if number == NONE or file.expressions[number].op != Op.APPLY:
            return number, []
        item = file.expressions[number]
        rows = [file.expressions[part.value] for part in item.items if part.value != NONE]
        return item.of, [row.name if row.op == Op.NAME else "" for row in rows]

    def bound_of(self, value: TypeParameter) -> Result:
        """The bounds of a type parameter; bounds that are parameters are followed."""
        return self._evaluation.engine.unit(("bound", value.name), lambda: self._bound_of(value))

    def _bound_of(self, value: TypeParameter) -> Result:
        path, _, rest = value.name.partition("\0")
        number, _, name = rest.partition("\0")
        file = self._evaluation.file(path)
        if file is None:
            return {}
        found: Result = {}
        for other, bound in self._bounds(file, int(number), name):
            for item, how in self.instances(other, bound).items():
                if isinstance(item, TypeParameter):
                    merge(found, self.bound_of(item) if item != value else {})
                else:
                    merge(found, {item: how})
        return found

    def _bounds(
        self, file: SourceFile, declaration: int, name: str
    ) -> list[tuple[SourceFile, int]]:
        """The bounds of a type parameter as they are written."""
        scope = file.scope_of_declaration.get(declaration, NONE)
        if scope != NONE:
            self._evaluation.calls.depend_on_head(file, scope)
        return [(file, bound) for bound in self.table(file).bounds(declaration).get(name, ())]

    def parameters_of(self, value: ClassValue) -> tuple[TypeParameter, ...]:
        """The type parameters of a class, as values."""
        file = self._evaluation.file(value.path)
        if file is None:
            return ()
        declaration = file.code.scopes[value.scope].declaration
        names = self.table(file).type_parameter_names(declaration)
        return tuple(TypeParameter(f"{value.path}\0{declaration}\0{name}", ()) for name in names)

    def parameters_of_instance(self, value: Instance) -> tuple[TypeParameter, ...]:
        """The type parameters of an object's class."""
        return self.parameters_of(ClassValue(value.path, value.scope))

    def nested(self, owner: ClassValue, name: str, arity: int) -> Result:
        """A type nested in a class or its bases, or the value of a type parameter."""
        key = ("nested", owner.path, owner.scope, name, arity)
        return self._evaluation.engine.unit(key, lambda: self._nested(owner, name, arity))

    def _nested(self, owner: ClassValue, name: str, arity: int) -> Result:
        for item in self._evaluation.classes.ancestors(owner.path, owner.scope):
            if item.external:
                continue
            found: Result = {}
            for path, declaration in self._evaluation.classes.own_members(
                item.path, item.scope, name
            ):
                file = self._evaluation.file(path)
                if file is None:
                    continue
                for row in self.table(file).types.get(name, ()):
                    if row.declaration == declaration and arity in {-1, row.arity}:
                        aliased = self._rules.alias_target(file, declaration)
                        merge(found, aliased or self.value_of(file, declaration))
            if found:
                return found
        return self._rules.nested_elsewhere(owner, name)

    # expressions as types

    def of(self, file: SourceFile, number: int) -> Result:
        """Types that an expression means: classes, not their objects."""
        if number == NONE:
            return {}
        other = self._evaluation.beside(file)
        if other is not None:
            return self._evaluation.taken(other, other.types.of(file, number))
        key = ("type", file.path, number)
        return self._evaluation.engine.unit(key, lambda: self._of(file, number))

    def _of(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        found: Result = {}
        if item.op == Op.NAME:
            arity = self.arity(file, number)
            found = self._name(file, number, item.name, arity)
        elif item.op == Op.MEMBER:
            found = self._member(file, number, item)
        elif item.op == Op.APPLY:
            found = self._apply(file, item)
        elif item.op == Op.LIST:
            inner = self._all_instances(file, [part.value for part in item.items])
            found = {External(ARRAY, (inner,)): Strategy.DECLARED}
        elif item.op == Op.TUPLE:
            found = self._tuple(file, item)
        elif item.op == Op.EITHER:
            for part in item.items:
                merge(found, self.of(file, part.value))
        elif item.op == Op.CALLABLE:
            found = {self._callable(file, item): Strategy.DECLARED}
        elif item.op == Op.FUNCTION and file.kind(item.of) == ScopeKind.CLASS:
            found = {ClassValue(file.path, item.of): Strategy.DECLARED}  # without a name
        elif item.op == Op.INDEX:  # an array of what is indexed
            found = self.of(file, item.of)
        return found

    def _name(self, file: SourceFile, number: int, name: str, arity: int) -> Result:
        if name in self._rules.keywords:
            return {External(self._rules.plain_name(name)): Strategy.SCOPE}
        scope = file.code.scope_of[number]
        suffix = self._suffix(file, number)
        if suffix:
            found = self.named(file, scope, f"{name}{suffix}", arity)
            if not all(isinstance(value, External) for value in found):
                return found
        return self.named(file, scope, name, arity)

    def _suffix(self, file: SourceFile, number: int) -> str:
        """The end that the name of an attribute may leave out; a type that has it is meant."""
        suffix = self._rules.decorator_suffix
        return suffix if suffix and number in self.table(file).decorators else ""

    def _member(self, file: SourceFile, number: int, item: Expression) -> Result:
        suffix = self._suffix(file, number)
        if suffix:
            longer = item._replace(name=f"{item.name}{suffix}")
            found = self._member_of(file, number, longer)
            if not all(isinstance(value, External) for value in found):
                return found
        return self._member_of(file, number, item)

    def _member_of(self, file: SourceFile, number: int, item: Expression) -> Result:
        """Types that a member of something means where a type stands."""
        arity = self.arity(file, number)
        found: Result = {}
        whole = self.dotted(file, item)
        for value, strategy in self.of(file, item.of).items():
            merge(found, self._in_type(file, value, item.name, arity), strategy)
            whole = "" if isinstance(value, ModuleValue) else whole
        if not found and whole:
            found = self.qualified(file, file.code.scope_of[number], whole, arity)
        return found or {External(whole or item.name): Strategy.SCOPE}

    def _in_type(self, file: SourceFile, value: Value, name: str, arity: int) -> Result:
        """The types of a name in another one, or in a package."""
        if isinstance(value, ClassValue):
            return self.nested(value, name, arity)
        if isinstance(value, ModuleValue):
            return self._rules.type_of_package(file, value, name)
        if isinstance(value, External) and value.arguments:
            return self._rules.type_of_external(value, name)
        return {}

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by a name with a namespace, which may be one inside of those around."""
        return self._rules.qualified(file, scope, whole, arity)

    def dotted(self, file: SourceFile, item: Expression) -> str:
        """The names of a chain of members of a name, joined by dots; empty for others."""
        names: list[str] = []
        for _ in range(_MOST_STEPS):
            names.append(item.name)
            if item.op == Op.NAME:
                return ".".join(reversed(names))
            if item.op != Op.MEMBER or item.of == NONE:
                return ""
            item = file.expressions[item.of]
        return ""

    def _apply(self, file: SourceFile, item: Expression) -> Result:
        given = tuple(plain(self.instances(file, part.value)) for part in item.items)
        found: Result = {}
        for value, strategy in self.of(file, item.of).items():
            merge(found, self.applied(value, given), strategy)
        return found

    def applied(self, value: Value, given: tuple[Values, ...]) -> Result:
        """A generic type with its type arguments."""
        if isinstance(value, ClassValue):
            return {ClassValue(value.path, value.scope, given): Strategy.SCOPE}
        if isinstance(value, External):
            return {External(value.name, given): Strategy.SCOPE}
        if isinstance(value, FunctionValue):
            return self._delegate(value, given)
        return {value: Strategy.SCOPE}

    def _delegate(self, value: FunctionValue, given: tuple[Values, ...]) -> Result:
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        declaration = file.code.scopes[value.scope].declaration
        names = self.table(file).type_parameter_names(declaration)
        keys = [f"{value.path}\0{declaration}\0{name}" for name in names]
        function_type = self._evaluation.calls.function_type(value)
        if function_type is None:
            return {value: Strategy.SCOPE}
        made = External(CALLABLE, ((TupleValue(function_type[0]),), function_type[1]))
        return substituted({made: Strategy.DECLARED}, dict(zip(keys, given, strict=False)))

    def _tuple(self, file: SourceFile, item: Expression) -> Result:
        parts = tuple(plain(self.instances(file, part.value)) for part in item.items)
        return tuple_of(item.items, parts, Strategy.DECLARED)

    def _callable(self, file: SourceFile, item: Expression) -> Value:
        given = tuple(plain(self.instances(file, part.value)) for part in item.items)
        return External(CALLABLE, ((TupleValue(given),), plain(self.instances(file, item.of))))

    def _all_instances(self, file: SourceFile, numbers: list[int]) -> Values:
        found: Result = {}
        for number in numbers:
            merge(found, self.instances(file, number))
        return plain(found)

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a declared type."""
        other = self._evaluation.beside(file) if number != NONE else None
        if other is not None:
            return self._evaluation.taken(other, other.types.instances(file, number))
        found: Result = {}
        for value in self.of(file, number):
            for made in self.objects(value):
                merge(found, {made: Strategy.DECLARED})
        return found

    def objects(self, value: Value) -> Values:
        """The objects of a type."""
        if isinstance(value, ClassValue):
            return (Instance(value.path, value.scope, value.arguments),)
        if isinstance(value, External):
            if value.name in {CALLABLE, ARRAY}:
                return (ExternalInstance(value.name, value.arguments),)
            return self._rules.external_type(value.name, value.arguments)
        if isinstance(value, FunctionValue | TypeParameter | TupleValue | RecordValue):
            return (value,)
        return ()

    def alias(self, file: SourceFile, declaration: int) -> Result:
        """The target of an alias."""
        number = self.table(file).clause(declaration, Role.ALIAS)
        if number == NONE:
            return self._rules.written_type(file, declaration)
        return self.of(file, number)


def _no_dependencies(_: SourceFile) -> dict[int, int]:
    return {}


def _shared(folder: str, path: str) -> int:
    """The number of leading folders that two paths share."""
    count = 0
    for one, other in zip(folder.split("/"), dirname(path).split("/"), strict=False):
        if one != other:
            break
        count += 1
    return count


def tuple_of(items: Sequence[Argument], parts: tuple[Values, ...], how: Strategy) -> Result:
    """A tuple of parts, and a record of them if they have names."""
    found: Result = {TupleValue(parts): how}
    if any(part.name for part in items):
        named = zip(items, parts, strict=True)
        found[RecordValue(tuple((part.name, values) for part, values in named))] = how
    return found
