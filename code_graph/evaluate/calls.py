"""Calls: what they give, what their parameters are, and what decorators make of functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import body_key, name_key
from code_graph.evaluate.own_results import OwnResults
from code_graph.evaluate.parameters import SPREAD, parameters_for
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter, substituted
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    RecordValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    is_none,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Clause,
    Op,
    ResultKind,
    Role,
    ScopeKind,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

# call sites that a parameter is followed to
_MOST_SITES: Final = 60
_GIVEN: Final = Strategy.ARGUMENT
_SELF: Final = "typing.Self"
# the place of the result in the arguments of a callable type
_RESULT: Final = 1


class Calls:
    """Evaluates calls of functions and classes."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def call(
        self, file: SourceFile, number: int, functions: Result, items: Sequence[Argument]
    ) -> Result:
        """The values that a call returns, over all possible callees."""
        found: Result = {}
        for value, strategy in functions.items():
            merge(found, self._call_one(file, number, value, items), strategy)
        return found

    def _call_one(
        self, file: SourceFile, number: int, value: Value, items: Sequence[Argument]
    ) -> Result:
        if isinstance(value, FunctionValue):
            return self._specialised(file, value, self.result(value), items)
        if isinstance(value, ClassValue):
            return self.construct(file, value, items)
        if isinstance(value, Instance):
            return self.call_member(value, "__call__")
        if isinstance(value, External):
            return self._evaluation.language.call_external(value.name, file, number, tuple(items))
        if isinstance(value, ExternalInstance) and value.name == "typing.Callable":
            return self._call_callable(file, value, items)
        return {}

    def _call_callable(
        self, file: SourceFile, value: ExternalInstance, items: Sequence[Argument]
    ) -> Result:
        """The values of calling something of which only the type is known."""
        if len(value.arguments) < _RESULT + 1:
            return {}
        found = with_strategy(value.arguments[_RESULT], Strategy.GENERIC)
        if len(value.arguments) > _RESULT + 1:  # `get(key, default)`
            found = dict(found)
            for item in items[1:]:
                merge(found, self._evaluation.evaluate(file, item.value), Strategy.GENERIC)
        return found

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values: functions, classes, `__call__` of objects, externals."""
        for value, strategy in functions.items():
            if isinstance(value, Instance):
                for member, how in self._evaluation.classes.member_of_instance(
                    value, "__call__"
                ).items():
                    if isinstance(member, FunctionValue):
                        yield member, max(strategy, how)
            else:
                yield value, strategy

    def construct(
        self, file: SourceFile, value: ClassValue, items: Sequence[Argument] = ()
    ) -> Result:
        """The object that calling a class gives."""
        arguments = value.arguments
        if not arguments:
            arguments = self._inferred_arguments(file, value, items)
        return {Instance(value.path, value.scope, arguments): Strategy.FLOW}

    def _inferred_arguments(
        self, file: SourceFile, value: ClassValue, items: Sequence[Argument]
    ) -> tuple[Values, ...]:
        """Type arguments of a class by what its constructor is given."""
        owner = self._evaluation.file(value.path)
        if owner is None or not items:
            return ()
        names = self._evaluation.classes.type_parameters(owner, value.scope)
        if not names:
            return ()
        given: dict[str, Values] = {}
        plain_object = Instance(value.path, value.scope)
        for member in self._evaluation.classes.member_of_instance(plain_object, "__init__"):
            if isinstance(member, FunctionValue):
                given = self._unified(file, member, items)
        return tuple(given.get(name, ()) for name in names) if given else ()

    def result(self, value: FunctionValue) -> Result:
        """The values that a function returns."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        receiver = value.receiver
        key = ("result", value.path, value.scope, receiver)
        return self._evaluation.engine.unit(key, lambda: self._result(file, value))

    def _result(self, file: SourceFile, value: FunctionValue) -> Result:
        scope = value.scope
        declaration = file.code.scopes[scope].declaration
        self.depend_on_head(file, scope)
        is_async = declaration != NONE and "async" in file.declarations[declaration].modifiers
        for clause in file.clauses.get(declaration, ()) if declaration != NONE else ():
            if clause.role == Role.RESULT and clause.value != NONE:
                declared = self._evaluation.instances(file, clause.value)
                if declared:
                    found = self._with_receiver(declared, value)
                    found = self._with_functions(file, value, found)
                    return _awaitable(found) if is_async and not _yields(file, scope) else found
        self._evaluation.engine.depend_on(file.path, body_key(file.path, file.qualified(scope)))
        found = self._inferred(file, value)
        return _awaitable(found) if is_async and not _yields(file, scope) else found

    def _with_functions(self, file: SourceFile, value: FunctionValue, declared: Result) -> Result:
        """The functions that are returned, where only their type is declared."""
        if not all(
            isinstance(item, ExternalInstance) and item.name == "typing.Callable"
            for item in declared
        ):
            return declared
        name = file.qualified(value.scope)
        self._evaluation.engine.depend_on(file.path, body_key(file.path, name))
        found = dict(declared)
        for item, strategy in self._inferred(file, value).items():
            if isinstance(item, FunctionValue):
                found[item] = max(strategy, Strategy.RESULT)
        return found

    def _inferred(self, file: SourceFile, value: FunctionValue) -> Result:
        """The result by what the body returns and yields."""
        returned: Result = {}
        yielded: Result = {}
        own = OwnResults(self._evaluation, file, value)
        for item in file.results.get(value.scope, ()):
            if item.value == NONE:
                continue
            values = own.of(item.value)
            values = values or self._evaluation.evaluate(file, item.value)
            if item.kind == ResultKind.RETURN:
                merge(returned, values, Strategy.RESULT)
            elif item.kind == ResultKind.DELEGATE:
                merge(yielded, self._evaluation.element(values), Strategy.RESULT)
            else:
                merge(yielded, values, Strategy.RESULT)
        if _yields(file, value.scope):
            generator = ExternalInstance("typing.Generator", (plain(yielded),))
            return {generator: Strategy.RESULT}
        class_scope = _class_of(file, value.scope)
        return self._evaluation.classes.substituted(
            returned, value.receiver, file.path, class_scope
        )

    def _with_receiver(self, declared: Result, value: FunctionValue) -> Result:
        """A declared result with `Self` and the receiver's type arguments in it."""
        found: Result = {}
        for item, strategy in declared.items():
            if isinstance(item, ExternalInstance) and item.name == _SELF:
                receiver = value.receiver
                if isinstance(receiver, ClassValue):
                    receiver = Instance(receiver.path, receiver.scope, receiver.arguments)
                if receiver is not None:
                    merge(found, {receiver: Strategy.RECEIVER})
            else:
                merge(found, {item: strategy})
        file = self._evaluation.file(value.path)
        class_scope = NONE if file is None else _class_of(file, value.scope)
        return self._evaluation.classes.substituted(found, value.receiver, value.path, class_scope)

    def _specialised(
        self, file: SourceFile, value: FunctionValue, found: Result, items: Sequence[Argument]
    ) -> Result:
        """A result with the type parameters that the arguments determine."""
        if not items or not any(mentions_parameter(item) for item in found):
            return found
        return substituted(found, self._unified(file, value, items))

    def _unified(
        self, file: SourceFile, value: FunctionValue, items: Sequence[Argument]
    ) -> dict[str, Values]:
        """The type parameters of a function by the arguments of a call."""
        owner = self._evaluation.file(value.path)
        given: dict[str, Values] = {}
        if owner is None:
            return given
        for parameter, argument in self.matched(owner, value, items):
            if parameter.annotation == NONE:
                continue
            for declared in self._evaluation.instances(owner, parameter.annotation):
                if mentions_parameter(declared):
                    self._unify(declared, plain(self._evaluation.evaluate(file, argument)), given)
        return given

    def _unify(self, declared: Value, values: Values, given: dict[str, Values]) -> None:
        if isinstance(declared, TypeParameter):
            known = given.get(declared.name, ())
            given[declared.name] = tuple(dict.fromkeys((*known, *values)))
            return
        if isinstance(declared, ExternalInstance) and declared.name == "builtins.type":
            made = [Instance(v.path, v.scope) for v in values if isinstance(v, ClassValue)]
            for inner in declared.arguments[0] if declared.arguments else ():
                self._unify(inner, tuple(made), given)
            return
        if isinstance(declared, ExternalInstance) and declared.name == "typing.Callable":
            results: Result = {}
            for value in values:
                if isinstance(value, FunctionValue):
                    merge(results, self.result(value))
                elif isinstance(value, ClassValue):
                    merge(results, self.construct_plain(value))
            for inner in declared.arguments[_RESULT] if len(declared.arguments) > _RESULT else ():
                self._unify(inner, plain(results), given)
            return
        if isinstance(declared, ExternalInstance | Instance):
            elements = plain(self._evaluation.element(dict.fromkeys(values, Strategy.FLOW)))
            for inner in declared.arguments[0] if declared.arguments else ():
                self._unify(inner, elements, given)

    def construct_plain(self, value: ClassValue) -> Result:
        """An object of a class of which no argument is known."""
        return {Instance(value.path, value.scope, value.arguments): Strategy.FLOW}

    def matched(
        self, owner: SourceFile, value: FunctionValue, items: Sequence[Argument]
    ) -> Iterator[tuple[Binding, int]]:
        """The parameters of a function and the arguments of a call that they get."""
        rows = list(owner.parameters.get(value.scope, ()))
        if value.receiver is not None and rows:
            rows = rows[1:]
        given = [item for item in items if item.value != NONE and item.name not in SPREAD]
        placed = parameters_for(rows, [item.name for item in given])
        for row, item in zip(placed, given, strict=True):
            if row is not None:
                yield row, item.value

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """The possible values of a parameter."""
        rows = file.parameters.get(binding.scope, [])
        if rows and rows[0] is binding:
            receiver = self._evaluation.language.receiver(file, binding.scope)
            typed = self._evaluation.instances(file, binding.annotation) if receiver else {}
            if any(isinstance(value, Instance) for value in typed):
                return typed
            if receiver:
                return receiver
        found = self._evaluation.instances(file, binding.annotation)
        if not found and binding.value != NONE:
            default = self._evaluation.evaluate(file, binding.value)
            merge(found, {v: how for v, how in default.items() if not is_none(v)})
            if any(isinstance(value, FunctionValue | ClassValue) for value in found):
                merge(found, self._followed(file, binding))  # a default that calls replace
        if all(map(_is_callable_type, found)):  # of a function, its type says little
            merge(found, self._evaluation.language.injected(file, binding))
        if not found:
            found = self._of_callback(file, binding)
        if self._evaluation.engine.is_following and all(map(_is_callable_type, found)):
            found = self._followed(file, binding) or found
        return self._gathered(binding, found)

    def _gathered(self, binding: Binding, found: Result) -> Result:
        if binding.kind == BindingKind.VARIADIC:
            return {ExternalInstance("builtins.tuple", (plain(found),)): Strategy.DECLARED}
        if binding.kind == BindingKind.KEYWORDS:
            if any(isinstance(value, RecordValue) for value in found):
                return found
            return {ExternalInstance("builtins.dict", ((), plain(found))): Strategy.DECLARED}
        return found

    def _followed(self, file: SourceFile, binding: Binding) -> Result:
        """A parameter by the arguments at call sites in its file."""
        scope = binding.scope
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE:
            return {}
        name = file.declarations[declaration].name
        if name in {"__init__", "__new__", "__call__"}:
            name = file.qualified(file.class_around(scope)).rpartition(".")[2]
        found = self._decorating(file, binding) or self._replacing(file, binding)
        keyed: dict[str, Result] = {}
        for number in file.calls.get(name, ())[:_MOST_SITES]:
            item = file.expressions[number]
            for value in self._callees(file, item.of):
                if isinstance(value, FunctionValue) and (value.path, value.scope) == (
                    file.path,
                    scope,
                ):
                    self._add_arguments(file, binding, value, item.items, found, keyed)
        if keyed:
            parts = tuple((name, plain(values)) for name, values in keyed.items())
            return {RecordValue(parts, is_mapping=True): Strategy.ARGUMENT}
        return found

    def _add_arguments(
        self,
        file: SourceFile,
        binding: Binding,
        value: FunctionValue,
        items: Sequence[Argument],
        found: Result,
        keyed: dict[str, Result],
    ) -> None:
        """Add what one call gives to a parameter; to `**keywords` by name."""
        names = {item.value: item.name for item in items if item.name}
        for row, argument in self.matched(file, value, items):
            if row is binding:
                given = self._evaluation.evaluate(file, argument)
                if binding.kind == BindingKind.KEYWORDS:
                    merge(keyed.setdefault(names.get(argument, ""), {}), given, Strategy.ARGUMENT)
                else:
                    merge(found, given, Strategy.ARGUMENT)
        rows = file.parameters[binding.scope]
        skipped = value.receiver is not None
        for at, item in enumerate(items):
            if item.name == "*":
                place = rows.index(binding) - at - skipped
                spread = self._evaluation.evaluate(file, item.value)
                merge(found, self._spread(spread, binding, place), Strategy.ARGUMENT)
            elif item.name == "**":
                for inner in self._evaluation.evaluate(file, item.value):
                    for name, values in inner.parts if isinstance(inner, RecordValue) else ():
                        if binding.kind == BindingKind.KEYWORDS:
                            merge(keyed.setdefault(name, {}), dict.fromkeys(values, _GIVEN))
                        elif name == binding.name:
                            merge(found, dict.fromkeys(values, _GIVEN))

    def _spread(self, values: Result, binding: Binding, place: int) -> Result:
        """The values of spread arguments that a parameter gets, by its place after the spread."""
        if place < 0 or binding.kind not in {BindingKind.PARAMETER, BindingKind.VARIADIC}:
            return {}
        found: Result = {}
        for value in values:
            if isinstance(value, TupleValue):
                last = place + 1 if binding.kind == BindingKind.PARAMETER else None
                for part in value.parts[place:last]:
                    merge(found, dict.fromkeys(part, _GIVEN))
            else:
                merge(found, self._evaluation.element({value: _GIVEN}))
        return found

    def _replacing(self, file: SourceFile, binding: Binding) -> Result:
        """The object that a decorator's inner function is called with in place of a method."""
        around = file.function_around(file.parent(binding.scope))
        rows = file.parameters[binding.scope]
        found: Result = {}
        if rows[0] is not binding or binding.kind != BindingKind.PARAMETER:
            return found
        if file.kind(around) != ScopeKind.FUNCTION:
            return found
        for clause in file.decorators[:_MOST_SITES]:
            owner = file.function_around(file.code.scope_of[clause.value])
            if file.kind(owner) != ScopeKind.CLASS:
                continue
            for value in self._evaluation.evaluate(file, clause.value):
                if isinstance(value, FunctionValue) and value[:2] == (file.path, around):
                    merge(found, {Instance(file.path, owner): Strategy.ARGUMENT})
        return found

    def _decorating(self, file: SourceFile, binding: Binding) -> Result:
        """The functions and classes of the file that a function decorates."""
        rows = file.parameters.get(binding.scope, [])
        first = rows[1:2] if file.kind(file.parent(binding.scope)) == ScopeKind.CLASS else rows[:1]
        found: Result = {}
        if not first or first[0] is not binding:
            return found
        for clause in file.decorators[:_MOST_SITES]:
            for value in self._callees(file, clause.value):
                if isinstance(value, FunctionValue) and value[:2] == (file.path, binding.scope):
                    merge(found, self._decorated_below(file, clause), Strategy.ARGUMENT)
        return found

    def _decorated_below(self, file: SourceFile, clause: Clause) -> Result:
        """The argument of a decorator: a function or class as the decorators below it leave it."""
        scope = file.scope_of_declaration.get(clause.declaration)
        if scope is None:
            return {}
        found: Result = {FunctionValue(file.path, scope): Strategy.ARGUMENT}
        if file.kind(scope) == ScopeKind.CLASS:
            found = {ClassValue(file.path, scope): Strategy.ARGUMENT}
        for other in reversed(file.clauses.get(clause.declaration, ())):
            if other == clause:
                break
            if other.role == Role.DECORATOR and other.value != NONE:
                found = self._replaced(file, other) or found
        return found

    def _callees(self, file: SourceFile, number: int) -> Iterator[Value]:
        for value in self._evaluation.evaluate(file, number):
            if isinstance(value, ClassValue):
                made = Instance(value.path, value.scope)
                yield from self._evaluation.classes.member_of_instance(made, "__init__")
            else:
                yield from (target for target, _ in self.targets({value: Strategy.SCOPE}))

    def _of_callback(self, file: SourceFile, binding: Binding) -> Result:
        """A parameter of a function that is passed to a call, by what that gives to it."""
        number = file.function_expressions.get(binding.scope, NONE)
        call = file.argument_of.get(number, NONE)
        rows = [row for row in file.parameters.get(binding.scope, ()) if row is binding]
        if call == NONE or not rows:
            return {}
        at = file.parameters[binding.scope].index(binding)
        item = file.expressions[call]
        found: Result = {}
        for value, strategy in self._evaluation.evaluate(file, item.of).items():
            if isinstance(value, FunctionValue):
                for given in self._callback_types(value, item.items, number):
                    if at < len(given):
                        merge(found, with_strategy(given[at], max(strategy, Strategy.GENERIC)))
            elif isinstance(value, External | ExternalInstance):
                given = self._evaluation.language.callback_arguments(value, file, call)
                if at < len(given):
                    merge(found, with_strategy(given[at], Strategy.GENERIC))
        return found

    def _callback_types(
        self, value: FunctionValue, items: Sequence[Argument], number: int
    ) -> Iterator[tuple[Values, ...]]:
        """The types of a callback's parameters, as the function that takes it declares them."""
        owner = self._evaluation.file(value.path)
        if owner is None:
            return
        for row, argument in self.matched(owner, value, items):
            if argument == number and row.annotation != NONE:
                for declared in self._evaluation.instances(owner, row.annotation):
                    if isinstance(declared, ExternalInstance) and declared.arguments:
                        first = declared.arguments[0]
                        if first and isinstance(first[0], TupleValue):
                            yield first[0].parts

    def decorated(self, file: SourceFile, declaration: int, values: Result) -> Result:
        """A function or class after its decorators: itself, and the values that replace it."""
        found = dict(values)
        replaced: Result = {}
        for clause in reversed(file.clauses.get(declaration, ())):
            if clause.role == Role.DECORATOR and clause.value != NONE:
                replaced = self._replaced(file, clause) or replaced
        merge(found, replaced)
        return found

    def _replaced(self, file: SourceFile, clause: Clause) -> Result:
        """The values that a decorator puts in the place of others; empty if it keeps them."""
        found: Result = {}
        for decorator in self._evaluation.evaluate(file, clause.value):
            merge(found, self._replacement(decorator), Strategy.DECORATOR)
        return found

    def _replacement(self, decorator: Value) -> Result:
        if isinstance(decorator, FunctionValue):
            result = self.result(decorator)
            called = self._called_at_the_end(decorator)
            return {
                value: how
                for value, how in result.items()
                if isinstance(value, FunctionValue | Instance) and value not in called
            }
        if isinstance(decorator, ClassValue):
            return self.construct_plain(decorator)
        if isinstance(decorator, Instance):
            return self.call_member(decorator, "__call__")
        return {}

    def _called_at_the_end(self, decorator: FunctionValue) -> Result:
        """The functions whose calls a decorator returns: `f` of `return f(function)`.

        One that takes arguments returns `f` itself, where it gets them and no function.
        """
        file = self._evaluation.file(decorator.path)
        found: Result = {}
        for item in () if file is None else file.results.get(decorator.scope, ()):
            made = file.expressions[item.value] if file and item.value != NONE else None
            if file is not None and made is not None and made.op == Op.CALL:
                merge(found, self._evaluation.evaluate(file, made.of))
        return found

    def kinds(self, file: SourceFile, scope: int) -> frozenset[str]:
        """The kinds of a function by its decorators: property, static, class, setter."""
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE:
            return frozenset()
        return self._evaluation.language.function_kinds(file, declaration)

    def bind(self, value: FunctionValue, instance: Instance) -> Result:
        """A function of a class taken from an object."""
        file = self._evaluation.file(value.path)
        if file is None or file.kind(file.function_around(file.parent(value.scope))) != (
            ScopeKind.CLASS
        ):
            return {value._replace(receiver=instance): Strategy.SCOPE}
        kinds = self.kinds(file, value.scope)
        if "static" in kinds:
            return {value: Strategy.SCOPE}
        if "class" in kinds:
            owner = ClassValue(instance.path, instance.scope, instance.arguments)
            return {value._replace(receiver=owner): Strategy.SCOPE}
        bound = value._replace(receiver=instance)
        return {bound: Strategy.SCOPE}

    def is_property(self, value: FunctionValue) -> bool:
        """True if reading a function as a member calls it."""
        file = self._evaluation.file(value.path)
        return file is not None and "property" in self.kinds(file, value.scope)

    def bind_to_class(self, value: FunctionValue, owner: ClassValue) -> Result:
        """A function of a class taken from the class itself."""
        file = self._evaluation.file(value.path)
        if file is not None and "class" in self.kinds(file, value.scope):
            return {value._replace(receiver=owner): Strategy.SCOPE}
        return {value: Strategy.SCOPE}

    def call_member(self, value: Instance, name: str, *, direct: bool = False) -> Result:
        """The result of calling a member of an object; `direct`: only if its class has it."""
        if direct:
            order = self._evaluation.classes.ancestors(value.path, value.scope)
            owners = [item for item in order if not item.external]
            if not any(
                self._evaluation.classes.own_member(item.path, item.scope, name) for item in owners
            ):
                return {}
        found: Result = {}
        for member, strategy in self._evaluation.classes.member_of_instance(value, name).items():
            if isinstance(member, FunctionValue):
                merge(found, self.result(member), strategy)
        return found

    def operate(self, value: Instance, name: str) -> Result:
        """The result of an operator of an object."""
        language = self._evaluation.language
        if not name.endswith("="):
            return self.call_member(value, language.operator_method(name))
        found = self.call_member(value, language.operator_method(name))
        found = found or self.call_member(value, language.operator_method(name[:-1]))
        return found or {value: Strategy.FLOW}

    def depend_on_head(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on the head of a function."""
        declaration = file.code.scopes[scope].declaration
        around = file.function_around(file.parent(scope))
        if declaration == NONE or file.kind(around) == ScopeKind.FUNCTION:
            key = body_key(file.path, file.qualified(around))
        else:
            name = file.declarations[declaration].name
            key = name_key(file.path, file.qualified(around), name)
        self._evaluation.engine.depend_on(file.path, key)


def _class_of(file: SourceFile, scope: int) -> int:
    """The class whose method a function is, or NONE."""
    around = file.function_around(file.parent(scope)) if file.parent(scope) != NONE else 0
    return around if file.kind(around) == ScopeKind.CLASS else NONE


def _yields(file: SourceFile, scope: int) -> bool:
    return any(item.kind != ResultKind.RETURN for item in file.results.get(scope, ()))


def _awaitable(found: Result) -> Result:
    return {ExternalInstance("typing.Awaitable", (plain(found),)): Strategy.DECLARED}


def _is_callable_type(value: Value) -> bool:
    return isinstance(value, ExternalInstance) and value.name == "typing.Callable"
