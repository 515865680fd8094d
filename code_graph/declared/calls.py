"""Calls: the callees, their results, and the arguments of functions without declared types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.part import EvaluationPart
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.dependencies import body_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    SuperValue,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Binding, BindingKind, Expression, Op, Role
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.declared.rules import DeclaredRules

_PAIR: Final = 2
# kinds of functions that give nothing if no type of their result is written
_GIVING: Final = frozenset({"method", "function", "delegate"})
# the types of the parameters of a function, and of its result
FunctionType = tuple[tuple[Values, ...], Values]


class DeclaredCalls(EvaluationPart):
    """Calls of functions, classes and delegates."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        super().__init__(evaluation, rules)
        self.overloads = rules.parts.overloads(evaluation, rules)
        self.inference = rules.parts.inference(evaluation, rules)

    # callees

    def callees(self, file: SourceFile, number: int) -> Result:
        """Functions or classes that a CALL or NEW calls: of several overloads, those that fit."""
        key = ("callees", file.path, number)
        return self._evaluation.engine.unit(key, lambda: self._callees(file, number))

    def _callees(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        if item.op == Op.NEW:
            return self._made(file, number)
        if item.of == NONE:
            return {}
        of = file.expressions[item.of]
        if of.op in {Op.THIS, Op.SUPER}:
            return self._delegated(file, number, item.items)
        return self._chosen(file, number, item)

    def _chosen(self, file: SourceFile, number: int, item: Expression) -> Result:
        """The functions of a name that fit a call; by its arguments if `checks_arguments`."""
        functions = self._evaluation.evaluate(file, item.of)
        found = self.overloads.choose(file, functions, item.items, number)
        is_known = any(isinstance(value, FunctionValue | ClassValue) for value in found)
        if is_known or not found.keys() <= functions.keys():
            return found
        extended = self._rules.other_callees(file, number)
        if extended:
            return extended
        if len(functions) == 1:
            return self._sole(functions, item)
        return found or {v: how for v, how in functions.items() if isinstance(v, External)}

    def _sole(self, functions: Result, item: Expression) -> Result:
        """The only value of a name, which is called though its parameters seem not to fit."""
        del item
        is_read = self._is_read
        return {
            value: max(how, Strategy.OVERLOAD)
            for value, how in functions.items()
            if is_read(value) or self._may_be_called(value)
        }

    def _made(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        if item.of != NONE:
            return dict(self._evaluation.types.of(file, item.of))
        found: Result = {}
        for value, strategy in self.expected_types(file, number).items():
            if isinstance(value, Instance):
                made = ClassValue(value.path, value.scope, value.arguments)
                merge(found, {made: strategy})
            elif isinstance(value, ExternalInstance):
                merge(found, {External(value.name, value.arguments): strategy})
        return found

    def _delegated(self, file: SourceFile, number: int, items: Sequence[Argument]) -> Result:
        """The constructor that another one calls first."""
        found: Result = {}
        for value in self._evaluation.evaluate(file, file.expressions[number].of):
            if isinstance(value, Instance):
                functions = self._evaluation.classes.constructors(
                    ClassValue(value.path, value.scope)
                )
                chosen = self.overloads.choose(file, functions, items, number)
                own = ClassValue(value.path, value.scope)
                is_record = self._evaluation.classes.kind_of(value.path, value.scope) == "record"
                if not chosen and is_record:  # the constructor of all components is not written
                    chosen = {own: Strategy.RECEIVER}
                merge(found, chosen, Strategy.RECEIVER)
            elif isinstance(value, SuperValue):
                merge(found, self._of_base(file, number, value, items))
        return found

    def _of_base(
        self, file: SourceFile, number: int, value: SuperValue, items: Sequence[Argument]
    ) -> Result:
        for item in self._evaluation.classes.ancestors(value.path, value.scope)[1:]:
            if item.external:
                continue
            owner = ClassValue(item.path, item.scope, item.arguments)
            if self._evaluation.classes.kind_of(item.path, item.scope) == "interface":
                continue
            chosen = self.overloads.choose(
                file, self._evaluation.classes.constructors(owner), items, number
            )
            return chosen or {owner: Strategy.RECEIVER}
        return {}

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The constructor that making an object calls, if it is declared."""
        key = ("constructors", file.path, number, value)

        def compute() -> Result:
            items = file.expressions[number].items
            made = self._evaluation.classes.constructors(value)
            return self.overloads.choose(file, made, items, number)

        return self._evaluation.engine.unit(key, compute)

    # results of calls

    def call(self, file: SourceFile, number: int) -> Result:
        """The values that a CALL or NEW returns."""
        return self.returned(file, number, self.callees(file, number))

    def returned(self, file: SourceFile, number: int, callees: Result) -> Result:
        """The values that functions and types give for the arguments of a CALL or NEW."""
        found: Result = {}
        item = file.expressions[number]
        for value, strategy in callees.items():
            if isinstance(value, FunctionValue) and item.op == Op.NEW and self.is_delegate(value):
                merge(found, {value: strategy})
            elif isinstance(value, FunctionValue):
                merge(found, self.result(value, file, number), strategy)
            elif isinstance(value, ClassValue):
                made = self._object(file, number, value)
                merge(found, made, max(strategy, Strategy.DECLARED))
            elif isinstance(value, ExternalInstance) and value.name == CALLABLE:
                results = value.arguments[1] if len(value.arguments) >= _PAIR else ()
                merge(found, with_strategy(results, max(strategy, Strategy.GENERIC)))
            elif isinstance(value, Instance) and self._functional(value) is not None:
                typed = self._functional(value)
                merge(found, with_strategy(typed[1] if typed else (), Strategy.GENERIC))
            elif isinstance(value, MemberValue):  # a case of an enum
                merge(found, self._evaluation.classes.value_of(value), strategy)
            elif isinstance(value, TypeParameter) or self._is_read(value):
                merge(found, {value: strategy})
            elif isinstance(value, External) and item.op == Op.NEW:
                made_of = with_strategy(self._evaluation.types.objects(value), strategy)
                merge(found, made_of)
            elif isinstance(value, External):
                merge(found, self._rules.call_external(value, file, number), strategy)
        return found

    def is_void(self, value: FunctionValue) -> bool:
        """True if a function gives nothing."""
        file = self._evaluation.file(value.path)
        declaration = NONE if file is None else file.code.scopes[value.scope].declaration
        if file is None or declaration == NONE:
            return False
        self._evaluation.classes.depend_on_declaration(file, declaration)
        has_result = self._evaluation.types.table(file).clause(declaration, Role.RESULT) != NONE
        return not has_result and file.declarations[declaration].kind in _GIVING

    def is_delegate(self, value: FunctionValue) -> bool:
        """True if a function stands for a declared type of functions."""
        item = self._evaluation.declaration_of(value)
        return item is not None and item.kind == "delegate"

    def _may_be_called(self, value: Value) -> bool:
        """True if a value is a function, or an object of a type that is one."""
        if isinstance(value, Instance):
            return self._functional(value) is not None
        return not isinstance(value, TypeParameter)

    def _is_read(self, value: Value) -> bool:
        """True if a call of a value reads it: a component of a record."""
        return self._rules.reads_by_call and isinstance(value, Instance | ExternalInstance)

    def _object(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        arguments = value.arguments
        names = self._evaluation.types.parameters_of(value)
        if names and not any(arguments):
            given = self._given_to(file, number, value)
            arguments = tuple(given.get(item.name, ()) for item in names) if given else ()
            arguments = arguments or self._by_target(file, number, value)
        return {Instance(value.path, value.scope, arguments): Strategy.SCOPE}

    def _given_to(self, file: SourceFile, number: int, value: ClassValue) -> dict[str, Values]:
        """The type arguments of a new object by what its constructor is given."""
        given: dict[str, Values] = {}
        for made in self.constructors(file, number, value):
            if isinstance(made, FunctionValue):
                given = self.inference.unified(file, made, file.expressions[number].items)
        return given

    def _by_target(self, file: SourceFile, number: int, value: ClassValue) -> tuple[Values, ...]:
        """Type arguments of a new object by the type of its target."""
        for expected in self.expected_types(file, number):
            if isinstance(expected, Instance) and expected[:2] == value[:2]:
                return expected.arguments
        return ()

    def result(self, value: FunctionValue, file: SourceFile, number: int = NONE) -> Result:
        """The values that a function returns, for the arguments of a call if there is one."""
        key = ("result", value)
        declared = self._evaluation.engine.unit(key, lambda: self._result(value))
        names = self.type_parameters(value)
        if not names or number == NONE:
            return declared
        item = file.expressions[number]
        given = self._explicit(file, item.of, names)
        if not given:
            given = self.inference.unified(file, value, item.items)
        return self._evaluation.substituted(declared, given)

    def _explicit(self, file: SourceFile, number: int, names: list[str]) -> dict[str, Values]:
        """The type arguments that a call writes, as in `f<int>()`, by the names of parameters."""
        given = self.written_types(file, number)
        return {name: values for name, values in zip(names, given, strict=False) if values}

    def written_types(self, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The type arguments in the callee, as in `f<int>()`."""
        item = file.expressions[number] if number != NONE else None
        if item is None or item.op != Op.APPLY:
            return ()
        return tuple(
            plain(self._evaluation.types.instances(file, part.value)) for part in item.items
        )

    def type_parameters(self, value: FunctionValue) -> list[str]:
        """The type parameters that a function itself has, by their unique names."""
        file = self._evaluation.file(value.path)
        declaration = NONE if file is None else file.code.scopes[value.scope].declaration
        if file is None or declaration == NONE:
            return []
        names = self._evaluation.types.table(file).type_parameter_names(declaration)
        return [f"{value.path}\0{declaration}\0{name}" for name in names]

    def _result(self, value: FunctionValue) -> Result:
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        declaration = file.code.scopes[value.scope].declaration
        if declaration == NONE:
            return self._inferred(file, value)
        self._evaluation.classes.depend_on_declaration(file, declaration)
        number = self._evaluation.types.table(file).clause(declaration, Role.RESULT)
        if number == NONE:
            other = self._evaluation.beside(file)
            if other is not None:
                return self._evaluation.taken(other, other.calls.result(value, file))
            return self._accessed(file, declaration)
        found = self._evaluation.types.instances(file, number)
        return self._evaluation.classes.at_receiver(value.receiver, file, declaration, found)

    def _accessed(self, file: SourceFile, declaration: int) -> Result:
        """Values of the type that the declaration of a property or accessor gives."""
        number = self._evaluation.types.table(file).clause(declaration, Role.TYPE)
        return self._evaluation.types.instances(file, number) if number != NONE else {}

    def _inferred(self, file: SourceFile, value: FunctionValue) -> Result:
        """The result of an anonymous function."""
        found: Result = {}
        self._evaluation.engine.depend_on(
            file.path, body_key(file.path, file.qualified(value.scope))
        )
        for item in file.results.get(value.scope, ()):
            merge(found, self._evaluation.evaluate(file, item.value), Strategy.RESULT)
        return found

    # parameters

    def parameters(self, value: FunctionValue) -> Sequence[Binding]:
        """The parameters that a call gives arguments for."""
        rows = self._evaluation.parameters_of(value)
        return rows[1:] if self.is_called_as_extension(value) else rows

    def is_called_as_extension(self, value: FunctionValue) -> bool:
        """True for an extension function that is called on its first parameter: `x.f()`."""
        receiver = value.receiver
        if receiver is None or not self._rules.has_extensions:
            return False
        file = self._evaluation.file(value.path)
        declaration = NONE if file is None else file.code.scopes[value.scope].declaration
        if file is None or declaration == NONE:
            return False
        if self._evaluation.types.table(file).clause(declaration, Role.RECEIVER) == NONE:
            return False
        owner = self._evaluation.classes.owner_of(file, declaration)
        if owner is None or not isinstance(receiver, Instance | ClassValue):
            return True
        return (receiver.path, receiver.scope) != (owner.path, owner.scope)

    def parameter_type(self, value: FunctionValue, row: Binding) -> Result:
        """The declared type of a parameter, for the receiver of a function."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        found = self._evaluation.types.instances(file, row.annotation)
        declaration = file.code.scopes[value.scope].declaration
        if declaration == NONE or value.receiver is None:
            return found
        self._evaluation.classes.depend_on_declaration(file, declaration)
        return self._evaluation.classes.at_receiver(value.receiver, file, declaration, found)

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a parameter in its function."""
        if binding.annotation != NONE:
            found = self._evaluation.types.instances(file, binding.annotation)
            if found:
                return found
        number = file.function_expressions.get(binding.scope, NONE)
        rows = file.parameters.get(binding.scope, [])
        if number == NONE or binding not in rows:
            return {}
        return self.given_to(file, number, rows.index(binding))

    def given_to(self, file: SourceFile, number: int, position: int) -> Result:
        """The arguments that callers pass to an anonymous function, by its expected type."""
        found: Result = {}
        for expected in self._bounded(self.expected_types(file, number, without_functions=True)):
            function_type = self.function_type(expected)
            if function_type is not None and position < len(function_type[0]):
                merge(found, with_strategy(function_type[0][position], Strategy.GENERIC))
        if found:
            return found
        context = self._evaluation.types.table(file).expected.get(number)
        if context is not None and context.kind == "call":
            for value in self.callees(file, context.number):
                if isinstance(value, External):
                    given = self._rules.callback_parameters(
                        value, file, context.number, context.position
                    )
                    if position < len(given):
                        merge(found, with_strategy(given[position], Strategy.GENERIC))
        return found

    def _bounded(self, values: Result) -> Result:
        """The expected types; of a type parameter, its bounds."""
        found: Result = {}
        for value, how in values.items():
            if isinstance(value, TypeParameter):
                merge(found, self._evaluation.types.bound_of(value))
            else:
                merge(found, {value: how})
        return found

    # contexts that expect a type

    def expected_types(
        self, file: SourceFile, number: int, *, without_functions: bool = False
    ) -> Result:
        """The types that an expression's place expects: of an annotation, parameter or result."""
        context = self._evaluation.types.table(file).expected.get(number)
        if context is None:
            return {}
        if context.kind == "annotation":
            return self._evaluation.types.instances(file, context.number)
        if context.kind == "store":
            return self._evaluation.evaluate(file, context.number)
        if context.kind == "result":
            return self._expected_result(file, context.number)
        if context.kind == "part":
            return self._expected_part(file, context.number, context.position)
        return self._expected_argument(
            file, context.number, context.position, without_functions=without_functions
        )

    def _expected_part(self, file: SourceFile, number: int, position: int) -> Result:
        """The types that an element of a list or a part of a tuple may have."""
        whole = self.expected_types(file, number)
        if position < 0:
            return self._evaluation.element(whole)
        found: Result = {}
        for value in whole:
            if isinstance(value, TupleValue) and position < len(value.parts):
                merge(found, with_strategy(value.parts[position], Strategy.GENERIC))
        return found

    def _expected_result(self, file: SourceFile, scope: int) -> Result:
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE:
            number = file.function_expressions.get(scope, NONE)
            found: Result = {}
            for value in self.expected_types(file, number) if number != NONE else ():
                function_type = self.function_type(value)
                if function_type is not None:
                    merge(found, with_strategy(function_type[1], Strategy.GENERIC))
            return found
        table = self._evaluation.types.table(file)
        result = table.clause(declaration, Role.RESULT)
        return self._evaluation.types.instances(
            file, result if result != NONE else table.clause(declaration, Role.TYPE)
        )

    def _expected_argument(
        self, file: SourceFile, call: int, position: int, *, without_functions: bool
    ) -> Result:
        found: Result = {}
        item = file.expressions[call]
        self.callees(file, call)  # the steps that a place may take count this, too
        for value in self._functions_called(file, call):
            for match in self.overloads.matched(value, item.items) or ():
                if match.position == position:
                    declared = self.parameter_type(value, match.parameter)
                    given = self._explicit(file, item.of, self.type_parameters(value))
                    if not given and self.type_parameters(value):
                        given = self.inference.unified(
                            file, value, item.items, without_functions=without_functions
                        )
                    declared = self._evaluation.substituted(declared, given)
                    merge(found, declared)
                    if match.parameter.kind == BindingKind.VARIADIC:
                        merge(found, self._evaluation.element(declared))
        return found

    def _functions_called(self, file: SourceFile, call: int) -> Iterator[FunctionValue]:
        for value in self.callees(file, call):
            if isinstance(value, FunctionValue):
                yield value
            elif isinstance(value, ClassValue):
                for made in self.constructors(file, call, value):
                    if isinstance(made, FunctionValue):
                        yield made

    def output(self, file: SourceFile, call: int, position: int) -> Result:
        """The values that a call stores in the variable passed as one of its arguments."""
        return self._expected_argument(file, call, position, without_functions=False)

    def function_type(self, value: Value) -> FunctionType | None:
        """Parameter and result types of a function or delegate."""
        if isinstance(value, FunctionValue):
            file = self._evaluation.file(value.path)
            if file is None:
                return None
            given = tuple(plain(self.parameter_type(value, row)) for row in self.parameters(value))
            return given, plain(self.result(value, file))
        if isinstance(value, External | ExternalInstance) and value.name == CALLABLE:
            if len(value.arguments) < _PAIR:
                return (), ()
            first = value.arguments[0]
            parts = first[0].parts if first and isinstance(first[0], TupleValue) else ()
            return parts, value.arguments[1]
        if isinstance(value, Instance):
            return self._functional(value)
        return None

    def _functional(self, value: Instance) -> FunctionType | None:
        """The functions of an object that is called as a function."""
        function = self._evaluation.rules_at(value.path).function_in(value)
        return None if function is None else self.function_type(function)

    def depend_on_head(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on a declaration's kind, modifiers, bases and parameters."""
        declaration = file.code.scopes[scope].declaration
        if declaration != NONE:
            self._evaluation.classes.depend_on_declaration(file, declaration)
