"""Types of TypeScript: what type expressions mean, and types in place of type variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    CallableValue,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ModuleValue,
    ObjectValue,
    OpenType,
    Result,
    TupleValue,
    TypeVariable,
    Value,
    Values,
    merge,
    parts_of,
    plain,
    with_parts,
    with_strategy,
)
from code_graph.expressions import NONE, Binding, BindingKind, Expression, Op, Role, ScopeKind
from code_graph.languages.ecmascript.rules import library
from code_graph.languages.ecmascript.rules.names import Space
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

Given = dict[TypeVariable, Values]
_STRING: Final = "builtins.str"
_BOOL: Final = "builtins.bool"
_LITERALS: Final = frozenset({_STRING, _BOOL})
_TRUTHS: Final = frozenset({"true", "false"})


class EcmaScriptTypes:
    """Evaluates types as the objects that are of them."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        self._evaluation = evaluation
        self._handlers: dict[int, Callable[[SourceFile, int, Expression], Result]] = {
            Op.NAME: self._name,
            Op.MEMBER: self._member,
            Op.APPLY: self._apply,
            Op.LITERAL: self._literal,
            Op.TEXT: self._text,
            Op.LIST: self._list,
            Op.TUPLE: self._tuple,
            Op.EITHER: self._either,
            Op.CALLABLE: self._callable,
            Op.OBJECT: self._object,
            Op.OPERATOR: self._operator,
            Op.INDEX: self._open,
            Op.TYPE_OF: self._type_of,
            Op.THIS: self._this,
            Op.CALL: self._called,
            Op.FUNCTION: self._called,
        }

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a type."""
        if number == NONE:
            return {}
        item = file.expressions[number]
        handle = self._handlers.get(item.op)
        if handle is None:
            return {}
        key = ("type", file.path, number)
        return self._evaluation.engine.unit(key, lambda: handle(file, number, item))

    # names

    def _name(self, file: SourceFile, number: int, item: Expression) -> Result:
        return self._named(file, number, item, ())

    def _named(
        self, file: SourceFile, number: int, item: Expression, given: tuple[Values, ...]
    ) -> Result:
        scope = file.code.scope_of[number]
        rows = self._evaluation.names.binding_of(file, scope, item.name, number, Space.TYPE)
        if rows is None:
            return self._global(file, item.name, given)
        found: Result = {}
        for row in rows:
            merge(found, self.of_binding(file, row, given), Strategy.DECLARED)
        return found

    def _global(self, file: SourceFile, name: str, given: tuple[Values, ...]) -> Result:
        found: Result = {}
        for other, row in self._evaluation.names.in_globals(file, name, Space.TYPE):
            merge(found, self.of_binding(other, row, given), Strategy.DECLARED)
        made = () if found else self._evaluation.language.typed(name, given)
        return found or with_strategy(made, Strategy.DECLARED)

    def of_binding(self, file: SourceFile, number: int, given: tuple[Values, ...]) -> Result:
        """The objects of what a binding names, with type arguments."""
        binding = file.code.bindings[number]
        if binding.kind == BindingKind.IMPORTED:
            targets = self._evaluation.names.followed(file, binding.value)
            return self.of_targets(targets, given)
        if binding.declaration != NONE:
            return self.of_declaration(file, binding.declaration, given)
        if binding.kind == BindingKind.DECLARED:
            if binding.value != NONE and file.expressions[binding.value].op == Op.FUNCTION:
                inner = file.expressions[binding.value].of
                return {Instance(file.path, inner, given): Strategy.DECLARED}
            return {TypeVariable(file.path, binding.scope, binding.name): Strategy.DECLARED}
        if binding.kind == BindingKind.ASSIGNED and binding.value != NONE:
            return self.instances(file, binding.value)
        return {}

    def of_targets(self, targets: Result, given: tuple[Values, ...]) -> Result:
        """The objects of what an import or export leads to."""
        found: Result = {}
        for file, number in self._evaluation.names.types_of_targets(targets):
            merge(found, self.of_binding(file, number, given), Strategy.DECLARED)
        for value in targets:
            if isinstance(value, ClassValue):
                merge(found, {Instance(value.path, value.scope, given): Strategy.DECLARED})
            elif isinstance(value, External):
                made = self._evaluation.language.typed(value.name, given)
                merge(found, with_strategy(made, Strategy.DECLARED))
        return found

    def of_declaration(
        self, file: SourceFile, declaration: int, given: tuple[Values, ...]
    ) -> Result:
        """The objects of a class, interface, enum or alias."""
        scope = file.scope_of_declaration.get(declaration, NONE)
        if scope != NONE:
            if file.kind(scope) != ScopeKind.CLASS:
                return {}
            return {Instance(file.path, scope, given): Strategy.DECLARED}
        found: Result = {}
        for clause in file.clauses.get(declaration, ()):
            if clause.role == Role.ALIAS and clause.value != NONE:
                values = self.instances(file, clause.value)
                names = self.variables(file, declaration)
                merge(found, self.replaced(values, self.zipped(names, given)))
        return found

    # type variables

    def variables(self, file: SourceFile, declaration: int) -> list[TypeVariable]:
        """The type parameters of a declaration, in order."""
        clauses = file.clauses.get(declaration, ())
        names = [item.name for item in clauses if item.role == Role.TYPE_PARAMETER]
        if not names:
            return []
        scope = file.scope_of_declaration.get(declaration, NONE)
        if scope == NONE:
            values = (item.value for item in clauses if item.role == Role.ALIAS)
            value = next((item for item in values if item != NONE), NONE)
            scope = file.code.scope_of[value] if value != NONE else 0
        found: list[TypeVariable] = []
        for name in names:
            rows = (each for each in file.around(scope) if (each, name) in file.bindings)
            found.append(TypeVariable(file.path, next(rows, scope), name))
        return found

    def variables_of_scope(self, file: SourceFile, scope: int) -> list[TypeVariable]:
        """The type parameters of a class or function."""
        declaration = file.code.scopes[scope].declaration
        if declaration != NONE:
            return self.variables(file, declaration)
        if file.kind(scope) != ScopeKind.FUNCTION:
            return []
        return [
            TypeVariable(file.path, scope, name)
            for name in file.names_in.get(scope, ())
            if any(_is_variable(file, row) for row in file.bindings[scope, name])
        ]

    def variables_of_value(self, value: FunctionValue | CallableValue) -> list[TypeVariable]:
        """The type parameters of a function or signature itself."""
        file = self._evaluation.file(value.path)
        if file is None:
            return []
        if isinstance(value, FunctionValue):
            return self.variables_of_scope(file, value.scope)
        outer = file.code.scope_of[value.number]
        return [
            TypeVariable(file.path, scope, name)
            for scope in self._inner_scopes(file, value)
            if scope != outer and file.kind(scope) == ScopeKind.BLOCK
            for name in file.names_in.get(scope, ())
            if any(_is_variable(file, row) for row in file.bindings[scope, name])
        ]

    def zipped(
        self, variables: Sequence[TypeVariable], given: Sequence[Values]
    ) -> dict[TypeVariable, Values]:
        """Type variables with their arguments, or with their defaults if any are given."""
        found = {name: values for name, values in zip(variables, given, strict=False) if values}
        for name in variables[len(given) :]:
            values = self.default(name)
            if values:
                found[name] = tuple(part for item in values for part in self.replace(item, found))
        return found

    def default(self, variable: TypeVariable) -> Values:
        """The default of a type parameter."""
        for file, binding in self._bindings(variable):
            return plain(self.instances(file, binding.value))
        return ()

    def bound(self, variable: TypeVariable) -> Result:
        """The constraint of a type parameter."""
        for file, binding in self._bindings(variable):
            return self.instances(file, binding.annotation)
        return {}

    def _bindings(self, variable: TypeVariable) -> list[tuple[SourceFile, Binding]]:
        file = self._evaluation.file(variable.path)
        if file is None:
            return []
        self._evaluation.names.depend_on(file, variable.scope, variable.name)
        rows = file.bindings.get((variable.scope, variable.name), ())
        return [(file, row) for row in rows if row.kind == BindingKind.DECLARED]

    def replaced(self, values: Result, given: Given) -> Result:
        """Values with type variables replaced."""
        if not given or not values:
            return values
        found: Result = {}
        for value, strategy in values.items():
            inner = self.replace(value, given)
            if inner == (value,):
                merge(found, {value: strategy})
            else:
                merge(found, with_strategy(inner, max(strategy, Strategy.GENERIC)))
        return found

    def replace(self, value: Value, given: Given) -> Values:
        """A value with type variables replaced, as far as they are given."""
        found: Values = (value,)
        if not given:
            return found
        if isinstance(value, TypeVariable):
            found = given.get(value) or found
        elif isinstance(value, Instance | ExternalInstance | ClassValue | External | TupleValue):
            found = (with_parts(value, lambda part: self.replace(part, given)),)
        elif isinstance(value, ObjectValue | CallableValue):
            found = (value._replace(given=self._closed(value, given)),)
        elif isinstance(value, OpenType):
            closed = value._replace(given=self._closed(value, given))
            if closed != value:
                found = plain(self._evaluation.open_types.computed(closed))
        elif isinstance(value, FunctionValue) and isinstance(value.receiver, Instance):
            receivers = self.replace(value.receiver, given)
            found = (value._replace(receiver=receivers[0]),) if receivers else found
        return found

    def _closed(
        self, value: ObjectValue | CallableValue | OpenType, given: Given
    ) -> tuple[tuple[TypeVariable, Values], ...]:
        """The bindings of a literal: of all type arguments, those bound around it."""
        before = {
            name: tuple(part for item in values for part in self.replace(item, given))
            for name, values in value.given
        }
        file = self._evaluation.file(value.path)
        if file is None:
            return tuple(before.items())
        around = set(file.around(file.code.scope_of[value.number]))
        scopes = around | self._inner_scopes(file, value)
        for name, values in given.items():
            if name.path == value.path and name.scope in scopes:
                before.setdefault(name, values)
        return tuple(sorted(before.items(), key=lambda row: row[0]))

    def _inner_scopes(
        self, file: SourceFile, value: ObjectValue | CallableValue | OpenType
    ) -> set[int]:
        """The block that binds the type parameters of a signature itself."""
        item = file.expressions[value.number]
        parts = [item.of, *(part.value for part in item.items)]
        return {file.code.scope_of[part] for part in parts if part != NONE}

    # other types

    def _member(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self._of_namespace(file, item, ())

    def _of_namespace(
        self, file: SourceFile, item: Expression, given: tuple[Values, ...]
    ) -> Result:
        found: Result = {}
        for value in library.awaited(self._evaluation.evaluate(file, item.of)):
            merge(found, self.named_in(value, item.name, given))
        return found

    def named_in(self, value: Value, name: str, given: tuple[Values, ...]) -> Result:
        """The objects of a type that a module, namespace or enum has."""
        if isinstance(value, ModuleValue):
            targets = self._evaluation.names.exported_targets(value.path, name)
            return self.of_targets(targets, given)
        if isinstance(value, External):
            made = self._evaluation.language.typed(f"{value.name}.{name}", given)
            return with_strategy(made, Strategy.DECLARED)
        found: Result = {}
        if isinstance(value, ClassValue):
            for file, scope in self._evaluation.classes.parts(value.path, value.scope):
                if file.kind(scope) == ScopeKind.CLASS:
                    self._evaluation.names.depend_on(file, scope, name)
                    rows = file.bindings.get((scope, name))
                    if rows and _is_enum(file, scope):
                        member = enumerator(value.path, value.scope, file, rows[0])
                        return {member: Strategy.DECLARED}
                    continue
                self._evaluation.names.depend_on(file, scope, name)
                for number in self._evaluation.names.rows(file, scope, name, Space.TYPE):
                    merge(found, self.of_binding(file, number, given))
        return found

    def _apply(self, file: SourceFile, number: int, item: Expression) -> Result:
        given = tuple(plain(self.instances(file, part.value)) for part in item.items)
        if item.of == NONE:
            return {}
        inner = file.expressions[item.of]
        if inner.op == Op.NAME:
            is_known = not any(is_unknown(each) for row in given for each in row)
            if not is_known and library.is_computed(inner.name):
                return {OpenType(file.path, number): Strategy.DECLARED}
            return self._named(file, item.of, inner, given)
        if inner.op == Op.MEMBER:
            return self._of_namespace(file, inner, given)
        return self.instances(file, item.of)

    def _literal(self, _file: SourceFile, _number: int, item: Expression) -> Result:
        if item.name in _TRUTHS:
            return {ExternalInstance(_BOOL, ((External(item.name),),)): Strategy.DECLARED}
        return {ExternalInstance(self._evaluation.language.literal(item.name)): Strategy.DECLARED}

    def _text(self, _file: SourceFile, _number: int, item: Expression) -> Result:
        return {literal(item.name): Strategy.DECLARED}

    def _list(self, file: SourceFile, _: int, item: Expression) -> Result:
        values = self.union(file, [part.value for part in item.items])
        return {ExternalInstance("Array", (plain(values),)): Strategy.DECLARED}

    def _tuple(self, file: SourceFile, _: int, item: Expression) -> Result:
        if any(part.name for part in item.items):
            values: Result = {}
            for part in item.items:
                typed = self.instances(file, part.value)
                merge(values, self._evaluation.element(typed) if part.name else typed)
            return {ExternalInstance("Array", (plain(values),)): Strategy.DECLARED}
        parts = tuple(plain(self.instances(file, part.value)) for part in item.items)
        return {TupleValue(parts): Strategy.DECLARED}

    def union(self, file: SourceFile, numbers: Sequence[int]) -> Result:
        """The objects of one of several types."""
        found: Result = {}
        for number in numbers:
            merge(found, self.instances(file, number))
        return found

    def _either(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self.union(file, [part.value for part in item.items])

    def _callable(self, file: SourceFile, number: int, _: Expression) -> Result:
        return {CallableValue(file.path, number): Strategy.DECLARED}

    def _object(self, file: SourceFile, number: int, _: Expression) -> Result:
        return {ObjectValue(file.path, number, (), "type"): Strategy.DECLARED}

    def _operator(self, file: SourceFile, number: int, item: Expression) -> Result:
        numbers = [part.value for part in item.items]
        if item.name in {"&", "?"}:
            return self.union(file, numbers)
        if item.name in {"keyof", "extends"}:
            return self._open(file, number, item)
        if item.name == "mapped":
            return self._evaluation.open_types.mapped(file, number, item)
        if item.name in {"is", "asserts"}:
            return {ExternalInstance("builtins.bool"): Strategy.DECLARED}
        return {}

    def _open(self, file: SourceFile, number: int, _: Expression) -> Result:
        """The values that depend on type parameters without an argument yet."""
        return self._evaluation.open_types.computed(OpenType(file.path, number))

    def _type_of(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self._evaluation.evaluate(file, item.of)

    def _this(self, file: SourceFile, number: int, _: Expression) -> Result:
        scope = file.class_around(file.code.scope_of[number])
        return {} if scope == NONE else {Instance(file.path, scope): Strategy.RECEIVER}

    def _called(self, file: SourceFile, number: int, _: Expression) -> Result:
        """A class that an expression gives, as the base of another."""
        return self._evaluation.names.as_instance(self._evaluation.evaluate(file, number))


def literal(text: str) -> ExternalInstance:
    """The type of one string."""
    return ExternalInstance(_STRING, ((External(text),),))


def enumerator(path: str, scope: int, file: SourceFile, row: Binding) -> Instance:
    """The type of one member of an enum: by its text, else by its name."""
    item = file.expressions[row.value] if row.value != NONE else None
    text = item.name if item is not None and item.op == Op.TEXT else f".{row.name}"
    return Instance(path, scope, ((External(text),),))


def literal_text(value: Value) -> str:
    """The string of a literal type, or `true` or `false`."""
    if isinstance(value, ExternalInstance) and value.name not in _LITERALS:
        return ""
    if isinstance(value, ExternalInstance | Instance) and value.arguments:
        first = value.arguments[0]
        if first and isinstance(first[0], External):
            return first[0].name
    return ""


def _is_enum(file: SourceFile, scope: int) -> bool:
    declaration = file.code.scopes[scope].declaration
    return declaration != NONE and file.declarations[declaration].kind == "enum"


def _is_variable(file: SourceFile, row: Binding) -> bool:
    if row.kind != BindingKind.DECLARED or row.declaration != NONE:
        return False
    return row.value == NONE or file.expressions[row.value].op != Op.FUNCTION


def is_unknown(value: Value) -> bool:
    """True if a value is a type that is not given yet."""
    if isinstance(value, TupleValue):
        return any(is_unknown(each) for part in value.parts for each in part)
    return isinstance(value, TypeVariable | OpenType)


def variables_in(value: Value) -> Iterator[TypeVariable]:
    """The type variables in a value."""
    if isinstance(value, TypeVariable):
        yield value
    for values in parts_of(value):
        for each in values:
            yield from variables_in(each)


def is_open(value: Value) -> bool:
    """True if there may be type variables in a value."""
    if isinstance(value, TypeVariable | CallableValue | ObjectValue | OpenType):
        return True
    return any(is_open(item) for values in parts_of(value) for item in values)
