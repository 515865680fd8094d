"""Calls in TypeScript and JavaScript: results, overloads, and type arguments by what is passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.calls import Calls
from code_graph.evaluate.dependencies import body_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    CallableValue,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ObjectValue,
    OpenType,
    Result,
    SuperValue,
    TupleValue,
    TypeVariable,
    Value,
    Values,
    is_within,
    merge,
    plain,
    with_parts,
    with_strategy,
)
from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Expression,
    Op,
    ResultKind,
    Role,
    ScopeKind,
)
from code_graph.languages.ecmascript.rules import library
from code_graph.languages.ecmascript.rules.ambient import is_declarations
from code_graph.languages.ecmascript.rules.members import NEW
from code_graph.languages.ecmascript.rules.shapes import MOST_NESTED, is_optional
from code_graph.languages.ecmascript.rules.types import Given, is_open, literal_text, variables_in
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

_MOST_MEMBERS: Final = 40
_DEEPEST: Final = 6
CALL: Final = "()"


class EcmaScriptCalls(Calls):
    """Evaluates calls of functions, classes and values with signatures."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        super().__init__(evaluation)
        self._ecma = evaluation

    def call(
        self, file: SourceFile, number: int, functions: Result, items: Sequence[Argument]
    ) -> Result:
        """The values that a call returns: of overloads, those of the first that fits."""
        return super().call(file, number, self.fitting(file, functions, items), items)

    def fitting(self, file: SourceFile, functions: Result, items: Sequence[Argument]) -> Result:
        """Functions without the overloads that the arguments do not fit."""
        if len(functions) < 2:
            return functions
        groups: dict[tuple[str, str], list[tuple[FunctionValue, Strategy]]] = {}
        found: Result = {}
        for value, strategy in functions.items():
            if isinstance(value, FunctionValue):
                groups.setdefault(self._group(value), []).append((value, strategy))
            else:
                found[value] = strategy
        for rows in groups.values():
            value, strategy = self._best(file, rows, items)
            found[value] = strategy if len(rows) == 1 else max(strategy, Strategy.OVERLOAD)
        return found

    def _group(self, value: FunctionValue) -> tuple[str, str]:
        file = self._ecma.file(value.path)
        if file is None or file.code.scopes[value.scope].declaration == NONE:
            return value.path, str(value.scope)
        return value.path, file.qualified(value.scope)

    def _best(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
    ) -> tuple[FunctionValue, Strategy]:
        if len(rows) == 1:
            return rows[0]
        signatures = [row for row in rows if not self._has_body(row[0])] or rows
        for row in signatures:
            if self._fits(file, row[0], items):
                return row
        return signatures[0]

    def _has_body(self, value: FunctionValue) -> bool:
        file = self._ecma.file(value.path)
        if file is None:
            return False
        declaration = file.code.scopes[value.scope].declaration
        has_results = value.scope in file.results
        inner = any(scope.parent == value.scope for scope in file.code.scopes[value.scope :])
        return has_results or inner or declaration == NONE

    def _fits(self, file: SourceFile, value: FunctionValue, items: Sequence[Argument]) -> bool:
        owner = self._ecma.file(value.path)
        if owner is None:
            return False
        self.depend_on_head(owner, value.scope)
        rows = owner.parameters.get(value.scope, [])
        rest = any(row.kind == BindingKind.VARIADIC for row in rows)
        if len(items) > len(rows) and not rest:
            return False
        missing = rows[len(items) :] if all(not item.name for item in items) else []
        if any(_is_needed(owner, row) for row in missing):
            return False
        for at, item in enumerate(items[: len(rows)]):
            if rows[at].kind == BindingKind.VARIADIC or item.name:
                break
            if not self._takes(owner, rows[at], file, item.value):
                return False
        return True

    def _takes(self, owner: SourceFile, row: Binding, file: SourceFile, number: int) -> bool:
        """False if an argument is surely of another type than a parameter."""
        declared = self._ecma.instances(owner, row.annotation)
        given = self._ecma.evaluate(file, number)
        shapes = self._ecma.shapes
        if self._is_other_text(declared, file.expressions[number]):
            return False
        return not given or any(
            shapes.fits(value, declared) is not False
            and not shapes.lacking(value, owner, row.annotation)
            for value in given
        )

    def _is_other_text(self, declared: Result, given: Expression) -> bool:
        """True for a text that is none of those which a parameter takes, as of `"on" | "off"`."""
        texts: list[str] = []
        for value in declared if given.op == Op.TEXT else ():
            rows = self._ecma.limits(value) if isinstance(value, TypeVariable) else (value,)
            # of a type that is not known, any text may be one
            texts += [literal_text(row) for row in rows] or [""]
        return bool(texts) and "" not in texts and given.name not in texts

    def _call_one(
        self, file: SourceFile, number: int, value: Value, items: Sequence[Argument]
    ) -> Result:
        is_new = number >= 0 and file.expressions[number].op == Op.NEW
        found: Result = {}
        if isinstance(value, FunctionValue):
            if is_new:
                found = {Instance(value.path, value.scope): Strategy.FLOW}
            else:
                found = self._closed(file, number, value, self.result(value), items)
        elif isinstance(value, ClassValue):
            if not self._is_namespace(value):
                found = self.construct(file, value, items)
        elif isinstance(value, CallableValue):
            found = self._closed(file, number, value, self._signature_result(value), items)
        elif isinstance(value, External):
            found = self._external(file, number, value, items)
        elif isinstance(value, TypeVariable | OpenType):
            bounds = dict.fromkeys(self._ecma.limits(value), Strategy.GENERIC)
            found = self.call(file, number, bounds, items)
        elif isinstance(value, Instance | ObjectValue):
            signatures = self._ecma.member(value, NEW if is_new else CALL)
            plain_ones: Result = {
                each: how
                for each, how in signatures.items()
                if isinstance(each, FunctionValue | CallableValue)
            }
            found = self.call(file, -1, plain_ones, items)
        return found

    def _external(
        self, file: SourceFile, number: int, value: External, items: Sequence[Argument]
    ) -> Result:
        if value.name in {"require", "import"} and items and items[0].value != NONE:
            item = file.expressions[items[0].value]
            if item.op != Op.TEXT:
                return {}
            found = self._ecma.names.module(file, item.name)
            return found if value.name == "require" else {library.promise(found): Strategy.IMPORT}
        return self._ecma.language.called(value, file, number)

    def _is_namespace(self, value: ClassValue) -> bool:
        file = self._ecma.file(value.path)
        return file is None or file.kind(value.scope) != ScopeKind.CLASS

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values: functions, classes, externals."""
        for value, strategy in self.with_bases(functions).items():
            if isinstance(value, ClassValue):
                if not self._is_namespace(value):
                    yield value, strategy
            elif isinstance(value, FunctionValue | External):
                yield value, strategy

    def signatures_of_objects(self, values: Result) -> Iterator[tuple[SourceFile, Binding]]:
        """The signatures that files of declarations give objects of an interface."""
        for value in values:
            if isinstance(value, Instance) and is_declarations(value.path):
                for row in self._ecma.classes.rows(value, CALL):
                    yield row.file, row.file.code.bindings[row.number]

    def with_bases(self, functions: Result) -> Result:
        """Functions with the class that `super` calls in its place."""
        found: Result = {}
        for value, strategy in functions.items():
            if isinstance(value, SuperValue):
                merge(found, dict.fromkeys(self._bases(value), Strategy.RECEIVER))
            else:
                merge(found, {value: strategy})
        return found

    def _bases(self, value: SuperValue) -> Iterator[ClassValue]:
        own = {(f.path, s) for f, s in self._ecma.classes.parts(value.path, value.scope)}
        for item in self._ecma.classes.line(value.path, value.scope):
            if isinstance(item, ClassValue) and (item.path, item.scope) not in own:
                yield item
                return

    def construct(
        self, file: SourceFile, value: ClassValue, items: Sequence[Argument] = ()
    ) -> Result:
        """The object that `new` gives."""
        arguments = value.arguments
        owner = self._ecma.file(value.path)
        variables = [] if owner is None else self._ecma.types.variables_of_scope(owner, value.scope)
        if variables and not arguments:
            given: Given = {}
            plain_object = Instance(value.path, value.scope)
            for row in self._ecma.classes.rows(plain_object, "constructor"):
                binding = row.file.code.bindings[row.number]
                scope = row.file.scope_of_declaration.get(binding.declaration)
                if scope is not None:
                    function = FunctionValue(row.file.path, scope)
                    self.infer(file, function, items, given)
            arguments = tuple(given.get(name, ()) for name in variables)
            if not any(arguments):
                arguments = ()
        return {Instance(value.path, value.scope, arguments): Strategy.FLOW}

    # results

    def results(self, values: Sequence[Value]) -> Result:
        """The values that functions return, whatever their arguments."""
        found: Result = {}
        for value in values:
            if isinstance(value, FunctionValue):
                merge(found, self.result(value))
            elif isinstance(value, CallableValue):
                merge(found, self._signature_result(value))
            elif isinstance(value, External) and library.METHOD not in value.name:
                merge(found, {ExternalInstance(f"{value.name}()"): Strategy.FLOW})
            elif isinstance(value, Instance | ObjectValue):
                merge(found, self.results(plain(self._ecma.member(value, CALL))))
        return found

    def _signature_result(self, value: CallableValue) -> Result:
        file = self._ecma.file(value.path)
        if file is None:
            return {}
        found = self._ecma.instances(file, file.expressions[value.number].of)
        return self._ecma.types.replaced(found, dict(value.given))

    def _result(self, file: SourceFile, value: FunctionValue) -> Result:
        scope = value.scope
        declaration = file.code.scopes[scope].declaration
        self.depend_on_head(file, scope)
        for clause in file.clauses.get(declaration, ()) if declaration != NONE else ():
            if clause.role == Role.RESULT and clause.value != NONE:
                if file.expressions[clause.value].op == Op.THIS and value.receiver is not None:
                    return {value.receiver: Strategy.RECEIVER}
                declared = self._ecma.instances(file, clause.value)
                if declared:
                    return self.of_receiver(declared, value)
        self._ecma.engine.depend_on(file.path, body_key(file.path, file.qualified(scope)))
        rows = file.results.get(scope, ())
        if rows and rows[0].value != NONE:
            first = file.expressions[rows[0].value]
            if first.op == Op.CAST and first.of == NONE:
                return self._ecma.evaluate(file, rows[0].value)
        return self.of_receiver(self._given_back(file, value), value)

    def of_receiver(self, found: Result, value: FunctionValue) -> Result:
        """A result with the type arguments of the receiver."""
        receiver, file = value.receiver, self._ecma.file(value.path)
        if isinstance(receiver, Instance) and file is not None:
            around = file.class_around(value.scope)
            given = self._ecma.classes.given_at(receiver, value.path, around)
            return self._ecma.types.replaced(found, given)
        if isinstance(receiver, ObjectValue):
            return self._ecma.types.replaced(found, dict(receiver.given))
        return found

    def _given_back(self, file: SourceFile, value: FunctionValue) -> Result:
        returned, yielded = self._split_results(file, value)
        rows = file.results.get(value.scope, ())
        if any(item.kind != ResultKind.RETURN for item in rows):
            return {ExternalInstance("Generator", (plain(yielded),)): Strategy.RESULT}
        if self._is_async(file, value.scope):
            return {library.promise(returned): Strategy.RESULT}
        return returned

    def _own_result(self, file: SourceFile, value: FunctionValue, number: int) -> Result:
        is_this = number != NONE and file.expressions[number].op == Op.THIS
        if is_this and value.receiver is not None:
            return {value.receiver: Strategy.RECEIVER}
        return super()._own_result(file, value, number)

    def _is_async(self, file: SourceFile, scope: int) -> bool:
        declaration = file.code.scopes[scope].declaration
        return declaration != NONE and "async" in file.declarations[declaration].modifiers

    def _closed(
        self,
        file: SourceFile,
        number: int,
        value: FunctionValue | CallableValue,
        found: Result,
        items: Sequence[Argument],
    ) -> Result:
        """A result with the type arguments of the call: written, inferred, or what limits them."""
        if not any(is_open(item) for item in found):
            return found
        types = self._ecma.types
        variables = types.variables_of_value(value)
        given = self.type_arguments(file, number, value, items)
        for variable in variables:
            if variable not in given:
                limit = types.default(variable) or plain(types.bound(variable))
                values = (part for each in limit for part in types.replace(each, given))
                known = tuple(each for each in values if each != variable)
                if known:
                    given[variable] = known
        return types.replaced(found, given)

    def type_arguments(
        self,
        file: SourceFile,
        number: int,
        value: FunctionValue | CallableValue,
        items: Sequence[Argument],
        without: int = NONE,
    ) -> Given:
        """The type arguments of a call: those that are written, else by what is passed."""
        types = self._ecma.types
        given = types.zipped(types.variables_of_value(value), self._written(file, number))
        if not given:
            self.infer(file, value, items, given, without)
        return given

    def _written(self, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The type arguments that are written at a call."""
        of = file.expressions[number].of if number >= 0 else NONE
        item = file.expressions[of] if of != NONE else None
        if item is None or item.op != Op.APPLY:
            return ()
        return tuple(plain(self._ecma.instances(file, part.value)) for part in item.items)

    # type arguments

    def infer(
        self,
        file: SourceFile,
        value: FunctionValue | CallableValue,
        items: Sequence[Argument],
        given: Given,
        without: int = NONE,
    ) -> None:
        """Find the type variables of a function by the arguments of a call.

        `without` is an argument that waits for the others to say what is expected of it.
        """
        for at, item in enumerate(items):
            if item.value in {NONE, without}:
                continue
            declared = self._ecma.context.parameter_at(value, at)
            if not any(is_open(each) for each in declared):
                continue
            if without != NONE and file.expressions[item.value].op == Op.FUNCTION:
                continue
            values = self._ecma.evaluate(file, item.value)
            if item.name:
                values = self._ecma.element(values)
            self.unify(plain(declared), plain(values), given, 0)

    def unify(self, declared: Values, values: Values, given: Given, depth: int) -> None:
        """Find what type variables stand for, so that values are of the declared types."""
        if depth > _DEEPEST or not values:
            return
        declared = self._possible(declared)
        left = list(values)
        for each in declared:
            if not isinstance(each, TypeVariable) and is_open(each):
                self._unify_one(each, values, given, depth)
                left = [v for v in left if not _is_like(v, each)]
            elif not isinstance(each, TypeVariable):
                left = [v for v in left if not self._ecma.classes.is_subclass(v, each)]
        for each in declared:
            if isinstance(each, TypeVariable) and left:
                known = given.get(each, ())
                more = tuple(v for v in left if v != each)
                if more:
                    given[each] = tuple(dict.fromkeys((*known, *more)))[:8]

    def _possible(self, declared: Values) -> Values:
        """Declared types, with those that a conditional type may be in its place."""
        found: dict[Value, None] = {}
        for each in declared:
            if isinstance(each, OpenType):
                found |= dict.fromkeys(self._ecma.open_types.limited(each))
            else:
                found[each] = None
        return tuple(found)

    def _unify_one(self, declared: Value, values: Values, given: Given, depth: int) -> None:
        if isinstance(declared, CallableValue):
            self._unify_callable(declared, values, given, depth)
        elif isinstance(declared, ExternalInstance):
            self._unify_external(declared, values, given, depth)
        elif isinstance(declared, TupleValue):
            for value in values:
                if isinstance(value, TupleValue):
                    for left, right in zip(declared.parts, value.parts, strict=False):
                        self.unify(left, right, given, depth + 1)
        elif isinstance(declared, Instance | ObjectValue):
            for value in values:
                self._unify_members(declared, value, given, depth)

    def _unify_external(
        self, declared: ExternalInstance, values: Values, given: Given, depth: int
    ) -> None:
        for value in values:
            if isinstance(value, ExternalInstance) and value.name == declared.name:
                for left, right in zip(declared.arguments, value.arguments, strict=False):
                    self.unify(left, right, given, depth + 1)
            elif declared.name in {"Array", "Iterable", "Set", "Iterator"} and declared.arguments:
                inner = plain(self._ecma.element({value: Strategy.GENERIC}))
                self.unify(declared.arguments[0], inner, given, depth + 1)
            elif declared.name == "Record" and isinstance(value, ObjectValue):
                inner = plain(self._ecma.classes.values_of(value))
                self.unify(declared.arguments[-1], inner, given, depth + 1)

    def _unify_callable(
        self, declared: CallableValue, values: Values, given: Given, depth: int
    ) -> None:
        expected = plain(self._signature_result(declared))
        for value in values:
            if any(is_open(item) for item in expected):
                self.unify(expected, _nestable(self.results((value,))), given, depth + 1)
            if isinstance(value, FunctionValue | CallableValue):
                shown = plain(self._ecma.narrowing.predicate(declared))
                if any(is_open(item) for item in shown):
                    self.unify(
                        shown, plain(self._ecma.narrowing.predicate(value)), given, depth + 1
                    )
            theirs = self._ecma.context.parameters(value)
            for left, right in zip(self._ecma.context.parameters(declared), theirs, strict=False):
                if right and any(is_open(item) for item in left):
                    self.unify(left, right, given, depth + 1)
            rest = self._ecma.context.rest_variable(declared)
            if rest is not None and any(theirs[rest[0] :]):
                given.setdefault(rest[1], (TupleValue(tuple(theirs[rest[0] :])),))

    def _unify_members(
        self, declared: Instance | ObjectValue, value: Value, given: Given, depth: int
    ) -> None:
        classes = self._ecma.classes
        if isinstance(value, FunctionValue | CallableValue):
            for signature in self._ecma.member(declared, CALL):
                if isinstance(signature, CallableValue):
                    self._unify_callable(signature, (value,), given, depth)
            return
        if self._unify_arguments(declared, value, given, depth):
            return
        if isinstance(declared, ObjectValue) and isinstance(value, ClassValue):
            made = (Instance(value.path, value.scope, value.arguments),)
            for signature in self._ecma.member(declared, NEW):
                if isinstance(signature, CallableValue):
                    self.unify(plain(self._signature_result(signature)), made, given, depth + 1)
            return
        if not isinstance(value, ObjectValue | Instance):
            return
        names = (
            classes.keys_of(value) if isinstance(value, ObjectValue) else classes.keys_of(declared)
        )
        wanted = frozenset(variables_in(declared))
        for name in list(dict.fromkeys(names))[:_MOST_MEMBERS]:
            if wanted and wanted <= given.keys():
                return
            self._unify_member(declared, value, name, given, depth)

    def _unify_member(
        self, declared: Value, value: Value, name: str, given: Given, depth: int
    ) -> None:
        """Compare a member of a type with an object's own one, of methods what they give."""
        expected = plain(self._ecma.member(declared, name))
        if any(is_open(item) for item in expected):
            self.unify(expected, plain(self._ecma.member(value, name)), given, depth + 1)
        elif any(isinstance(item, FunctionValue) for item in expected):
            results = plain(self.results(expected))
            if any(is_open(item) for item in results):
                theirs = plain(self.results(plain(self._ecma.member(value, name))))
                self.unify(results, theirs, given, depth + 1)

    def _unify_arguments(
        self, declared: Instance | ObjectValue, value: Value, given: Given, depth: int
    ) -> bool:
        """Compare the type arguments of two objects, if one class is a base of the other."""
        classes = self._ecma.classes
        if not isinstance(declared, Instance) or not isinstance(value, Instance):
            return False
        for item in classes.line(value.path, value.scope):
            for inner in self._ecma.types.replace(item, classes.given_of(value)):
                if isinstance(inner, ClassValue) and inner[:2] == declared[:2]:
                    own = value.arguments if inner[:2] == value[:2] else inner.arguments
                    for left, right in zip(declared.arguments, own, strict=False):
                        self.unify(left, right, given, depth + 1)
                    return True
        return False

    # parameters

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a parameter: by declared type, by default, or by calls of its function."""
        found = self._ecma.instances(file, binding.annotation)
        if found:
            return found
        found = dict(self._ecma.context.expected_parameter(file, binding))
        if not found and binding.value != NONE:
            found = dict(self._ecma.evaluate(file, binding.value))
        if not found and self._ecma.engine.is_following:
            found = self._followed(file, binding)
        if binding.kind == BindingKind.VARIADIC and found:
            return {ExternalInstance("Array", (plain(found),)): Strategy.GENERIC}
        return found

    def matched(
        self, owner: SourceFile, value: FunctionValue, items: Sequence[Argument]
    ) -> Iterator[tuple[Binding, int]]:
        """The parameters of a function and the arguments of a call that they get."""
        rows = owner.parameters.get(value.scope, ())
        for row, item in zip(rows, items, strict=False):
            if item.value != NONE and not item.name and row.kind == BindingKind.PARAMETER:
                yield row, item.value


def _is_needed(file: SourceFile, row: Binding) -> bool:
    """True if a parameter has to be given."""
    is_plain = row.kind == BindingKind.PARAMETER and row.value == NONE
    return is_plain and row.annotation != NONE and not is_optional(file, row.annotation)


def _nestable(values: Result) -> Values:
    """Values as a type argument may have them, without parts that are nested too deeply."""

    def kept(part: Value) -> Values:
        return (part,) if is_within(part, MOST_NESTED) else ()

    return tuple(v if is_within(v, MOST_NESTED + 1) else with_parts(v, kept) for v in values)


def _is_like(value: Value, declared: Value) -> bool:
    """True if a value is taken by a declared type with variables in it."""
    if isinstance(declared, CallableValue):
        return isinstance(value, FunctionValue | CallableValue | External)
    if isinstance(declared, ExternalInstance):
        if isinstance(value, TupleValue):
            return declared.name == "Array"
        return isinstance(value, ExternalInstance) and value.name == declared.name
    return value.__class__ is declared.__class__


__all__ = ["EcmaScriptCalls", "with_strategy"]
