"""Calls in Python: decorators, generators, `Self`, type variables, and what calls objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.calls import MOST_SITES, Calls
from code_graph.evaluate.dependencies import body_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter, substituted
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
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
from code_graph.languages.python.rules.own_results import OwnResults
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

_SELF: Final = "typing.Self"
_CALLABLE: Final = "typing.Callable"
# the place of the result in the arguments of a callable type
_RESULT: Final = 1
# methods that calls of their class or of its objects call
_OF_CLASSES: Final = frozenset({"__init__", "__new__", "__call__"})


class PythonCalls(Calls):
    """Calls of functions, classes and objects, with what decorators make of them."""

    _evaluation: PythonEvaluation

    def _call_one(
        self, file: SourceFile, number: int, value: Value, items: Sequence[Argument]
    ) -> Result:
        if isinstance(value, FunctionValue):
            return self._specialised(file, value, self.result(value), items)
        if isinstance(value, ClassValue):
            return self.construct(file, value, items)
        if isinstance(value, Instance):
            return self.call_member(value, "__call__")
        if isinstance(value, ExternalInstance) and value.name == _CALLABLE:
            return self._call_callable(file, value, items)
        return super()._call_one(file, number, value, items)

    def _call_callable(
        self, file: SourceFile, value: ExternalInstance, items: Sequence[Argument]
    ) -> Result:
        """The results of a call when only the type of the callee is known."""
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
        names = self._evaluation.language.type_parameters(owner, value.scope)
        if not names:
            return ()
        given: dict[str, Values] = {}
        plain_object = Instance(value.path, value.scope)
        for member in self._evaluation.classes.member_of_instance(plain_object, "__init__"):
            if isinstance(member, FunctionValue):
                given = self._unified(file, member, items)
        return tuple(given.get(name, ()) for name in names) if given else ()

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
        if not all(map(_is_callable_type, declared)):
            return declared
        name = file.qualified(value.scope)
        self._evaluation.engine.depend_on(file.path, body_key(file.path, name))
        found = dict(declared)
        for item, strategy in self._inferred(file, value).items():
            if isinstance(item, FunctionValue):
                found[item] = max(strategy, Strategy.RESULT)
        return found

    def _inferred(self, file: SourceFile, value: FunctionValue) -> Result:
        """The result, by the values that the body returns and yields."""
        returned, yielded = self._split_results(file, value)
        if _yields(file, value.scope):
            generator = ExternalInstance("typing.Generator", (plain(yielded),))
            return {generator: Strategy.RESULT}
        class_scope = file.class_of(value.scope)
        return self._evaluation.classes.substituted(
            returned, value.receiver, file.path, class_scope
        )

    def _own_result(self, file: SourceFile, value: FunctionValue, number: int) -> Result:
        own = OwnResults(self._evaluation, file, value).of(number)
        return own or super()._own_result(file, value, number)

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
        class_scope = NONE if file is None else file.class_of(value.scope)
        return self._evaluation.classes.substituted(found, value.receiver, value.path, class_scope)

    def _specialised(
        self, file: SourceFile, value: FunctionValue, found: Result, items: Sequence[Argument]
    ) -> Result:
        """A result with the type parameters that the arguments determine."""
        if not items or not any(map(mentions_parameter, found)):
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
        if isinstance(declared, ExternalInstance) and declared.name == _CALLABLE:
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

    def _receiver(self, file: SourceFile, binding: Binding) -> Result:
        found = super()._receiver(file, binding)
        typed = self._evaluation.instances(file, binding.annotation) if found else {}
        return typed if any(isinstance(value, Instance) for value in typed) else found

    def _given(self, file: SourceFile, binding: Binding) -> Result:
        found = self._evaluation.instances(file, binding.annotation)
        found = found or self._default(file, binding)
        if all(map(_is_callable_type, found)):  # of a function, its type says little
            merge(found, self._evaluation.language.injected(file, binding))
        found = found or self._of_callback(file, binding)
        if self._evaluation.engine.is_following and all(map(_is_callable_type, found)):
            found = self._followed(file, binding) or found
        return found

    def _called_name(self, file: SourceFile, scope: int) -> str:
        name = super()._called_name(file, scope)
        if name in _OF_CLASSES:
            return file.qualified(file.class_around(scope)).rpartition(".")[2]
        return name

    def _followed(self, file: SourceFile, binding: Binding) -> Result:
        if file.code.scopes[binding.scope].declaration == NONE:
            return {}
        found = self._decorating(file, binding) or self._replacing(file, binding)
        merge(found, super()._followed(file, binding))
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
        for clause in file.decorators[:MOST_SITES]:
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
        for clause in file.decorators[:MOST_SITES]:
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
        for value, _ in self.targets(self._evaluation.evaluate(file, number)):
            if isinstance(value, ClassValue):
                made = Instance(value.path, value.scope)
                yield from self._evaluation.classes.member_of_instance(made, "__init__")
            else:
                yield value

    def _callback_parameter(
        self, file: SourceFile, number: int, value: FunctionValue, at: int
    ) -> Result:
        """The type of a callback's parameter, as the function that takes it declares it."""
        owner = self._evaluation.file(value.path)
        items = file.expressions[file.argument_of[number]].items
        found: Result = {}
        for row, argument in () if owner is None else self.matched(owner, value, items):
            if owner is not None and argument == number and row.annotation != NONE:
                for declared in self._evaluation.instances(owner, row.annotation):
                    if isinstance(declared, ExternalInstance) and declared.arguments:
                        first = declared.arguments[0]
                        parts = first[0].parts if first and isinstance(first[0], TupleValue) else ()
                        if at < len(parts):
                            merge(found, with_strategy(parts[at], Strategy.GENERIC))
        return found

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

    def bind(self, value: FunctionValue, receiver: Instance | ClassValue) -> FunctionValue:
        """A function of a class taken from an object, or from the class itself."""
        file = self._evaluation.file(value.path)
        kinds = frozenset[str]() if file is None else self.kinds(file, value.scope)
        if isinstance(receiver, ClassValue):
            return value._replace(receiver=receiver) if "class" in kinds else value
        if file is not None and file.class_of(value.scope) != NONE:
            if "static" in kinds:
                return value
            if "class" in kinds:
                return value._replace(
                    receiver=ClassValue(receiver.path, receiver.scope, receiver.arguments)
                )
        return value._replace(receiver=receiver)

    def is_property(self, value: FunctionValue) -> bool:
        """True if reading a function as a member calls it."""
        file = self._evaluation.file(value.path)
        return file is not None and "property" in self.kinds(file, value.scope)

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


def _yields(file: SourceFile, scope: int) -> bool:
    return any(item.kind != ResultKind.RETURN for item in file.results.get(scope, ()))


def _awaitable(found: Result) -> Result:
    return {ExternalInstance("typing.Awaitable", (plain(found),)): Strategy.DECLARED}


def _is_callable_type(value: Value) -> bool:
    return isinstance(value, ExternalInstance) and value.name == _CALLABLE
