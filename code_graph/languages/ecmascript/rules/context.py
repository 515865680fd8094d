"""The type that is expected of a function, object or list by what is around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

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
    TupleValue,
    TypeVariable,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Binding, BindingKind, Op, Role
from code_graph.languages.ecmascript.rules import library
from code_graph.languages.ecmascript.rules.types import Given, is_open
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

_COMPONENTS: Final = library.TABLE.types["component_types"]
_OPEN: Final = frozenset({Op.FUNCTION, Op.OBJECT, Op.LIST, Op.EITHER, Op.TUPLE, Op.AWAIT})
_CALLS: Final = frozenset({Op.CALL, Op.NEW})
_PLACED: Final = _OPEN | _CALLS
_GROUPS: Final = frozenset({Op.EITHER, Op.LIST, Op.TUPLE})


# parameters of a signature: one that takes all that follow, and the type of `this`
_REST: Final = "*"
_THIS: Final = "this"


class ExpressionPlace(NamedTuple):
    """The parent of an expression, and its position or name there."""

    kind: str  # argument, property, element, either, cast, bound, result, stored
    number: int
    at: int = 0
    name: str = ""


class ContextualTypes:
    """Finds expected types."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        self._evaluation = evaluation
        self._places: dict[str, tuple[SourceFile, dict[int, ExpressionPlace]]] = {}

    def expected_parameter(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a parameter, by the type that is expected of its function."""
        number = file.function_expressions.get(binding.scope, NONE)
        if number == NONE:
            return {}
        rows = file.parameters.get(binding.scope, ())
        at = next((at for at, row in enumerate(rows) if row is binding or row == binding), NONE)
        found: Result = {}
        for value, strategy in self.expected_types(file, number).items():
            for each in self._signatures(value):
                given = self.parameters(each)
                if binding.kind == BindingKind.VARIADIC:
                    values = tuple(v for part in given[at:] for v in part)
                else:
                    values = given[at] if 0 <= at < len(given) else ()
                merge(found, with_strategy(values, max(strategy, Strategy.GENERIC)))
        return found

    def _signatures(self, value: Value) -> Iterator[Value]:
        """The functions that a value can be called as."""
        if isinstance(value, Instance | ObjectValue):
            yield from self._evaluation.member(value, "()")
        elif isinstance(value, TypeVariable | OpenType):
            for bound in self._evaluation.limits(value):
                yield from self._signatures(bound)
        else:
            yield value

    def parameters(self, value: Value) -> list[Values]:
        """The types of a function's parameters."""
        if isinstance(value, External):
            return list(self._evaluation.language.passed_by(value) or ())
        if isinstance(value, ExternalInstance):
            return self._of_external(value)
        if not isinstance(value, FunctionValue | CallableValue):
            return []
        file = self._evaluation.file(value.path)
        if file is None:
            return []
        if isinstance(value, CallableValue):
            count = len(_positional(file, value))
        else:
            self._evaluation.calls.depend_on_head(file, value.scope)
            count = len(file.parameters.get(value.scope, ()))
        return [plain(self.parameter_at(value, at)) for at in range(count)]

    def _of_external(self, value: ExternalInstance) -> list[Values]:
        if value.name == "typing.Callable" and value.arguments:
            first = value.arguments[0]
            return list(first[0].parts) if first and isinstance(first[0], TupleValue) else []
        if value.name in _COMPONENTS and value.arguments:
            return [value.arguments[-1]]
        return []

    def _rows(
        self, file: SourceFile, value: FunctionValue | CallableValue
    ) -> list[tuple[int, bool]]:
        """The annotations of parameters, each with whether it takes all that follow."""
        if isinstance(value, CallableValue):
            return [(part.value, part.name == _REST) for part in _positional(file, value)]
        self._evaluation.calls.depend_on_head(file, value.scope)
        return [
            (row.annotation, row.kind == BindingKind.VARIADIC)
            for row in file.parameters.get(value.scope, ())
        ]

    def parameter_at(self, value: FunctionValue | CallableValue, at: int) -> Result:
        """The declared type of the argument at a position."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        rows = self._rows(file, value)
        if not rows or (at >= len(rows) and not rows[-1][1]):
            return {}
        annotation, is_rest = rows[min(at, len(rows) - 1)]
        found = self._evaluation.instances(file, annotation)
        if isinstance(value, CallableValue):
            found = self._evaluation.types.replaced(found, dict(value.given))
        else:
            found = self._evaluation.calls.of_receiver(found, value)
        return self._rest(found, at - len(rows) + 1) if is_rest else found

    def rest_variable(
        self, value: FunctionValue | CallableValue
    ) -> tuple[int, TypeVariable] | None:
        """The type variable that stands for all parameters from a position on."""
        file = self._evaluation.file(value.path)
        if file is None:
            return None
        rows = self._rows(file, value)
        if not rows or not rows[-1][1]:
            return None
        found = self._evaluation.instances(file, rows[-1][0])
        if isinstance(value, CallableValue):
            found = self._evaluation.types.replaced(found, dict(value.given))
        variables = (each for each in found if isinstance(each, TypeVariable))
        return next(((len(rows) - 1, each) for each in variables), None)

    def expected_this(self, file: SourceFile, number: int) -> Result:
        """The values of `this` in a function, by the type that is expected of it."""
        found: Result = {}
        for value in self.expected_types(file, number):
            for each in self._signatures(value):
                owner = (
                    self._evaluation.file(each.path) if isinstance(each, CallableValue) else None
                )
                if owner is None or not isinstance(each, CallableValue):
                    continue
                for part in owner.expressions[each.number].items:
                    if part.name == _THIS:
                        given = self._evaluation.instances(owner, part.value)
                        given = self._evaluation.types.replaced(given, dict(each.given))
                        merge(found, given, Strategy.GENERIC)
        return found

    def declared_type(self, file: SourceFile, number: int) -> Result:
        """The declared type that a literal is of, which is that of `this` in its methods."""
        found = self.expected_types(file, number)
        is_known = all(
            isinstance(value, Instance) or (isinstance(value, ObjectValue) and value.kind == "type")
            for value in found
        )
        return with_strategy(plain(found), Strategy.DECLARED) if is_known else {}

    def _rest(self, values: Result, at: int) -> Result:
        found: Result = {}
        for value, strategy in values.items():
            if isinstance(value, TupleValue):
                inner = value.parts[at] if 0 <= at < len(value.parts) else ()
                merge(found, with_strategy(inner, strategy))
            else:
                merge(found, self._evaluation.element({value: strategy}))
        return found

    def expected_types(self, file: SourceFile, number: int) -> Result:
        """The types that are expected of an expression."""
        key = ("expected", file.path, number)
        return self._evaluation.engine.unit(key, lambda: self._expected(file, number))

    def _expected(self, file: SourceFile, number: int) -> Result:
        found: Result = {}
        for place in self._places_of(file).get(number, ()):
            merge(found, self._at(file, number, place))
        return found

    def _at(self, file: SourceFile, number: int, place: ExpressionPlace) -> Result:
        all_, kind = self._evaluation, place.kind
        found: Result = {}
        if kind == "argument":
            found = self._of_argument(file, number, place)
        elif kind == "property":
            found = self._of_property(self.expected_types(file, place.number), place.name)
        elif kind == "element":
            found = all_.element(self.expected_types(file, place.number))
        elif kind == "either":
            found = self.expected_types(file, place.number)
        elif kind == "cast":
            found = all_.instances(file, file.expressions[place.number].items[0].value)
        elif kind == "bound":
            found = all_.instances(file, place.number)
        elif kind == "stored":
            found = all_.evaluate(file, place.number)
        elif kind == "result":
            found = self._of_result(file, place.number)
        return found

    def _of_property(self, values: Result, name: str) -> Result:
        found: Result = {}
        for value, strategy in values.items():
            if isinstance(value, TypeVariable | OpenType):
                for bound in self._evaluation.limits(value):
                    merge(found, self._evaluation.member(bound, name), strategy)
            else:
                merge(found, self._evaluation.member(value, name), strategy)
        return found

    def _of_argument(self, file: SourceFile, number: int, place: ExpressionPlace) -> Result:
        item = file.expressions[place.number]
        if item.of == NONE:
            return {}
        functions = self._evaluation.evaluate(file, item.of)
        found: Result = {}
        for value, strategy in self._candidates(file, functions, item.op == Op.NEW).items():
            if isinstance(value, External):
                passed = self._evaluation.language.passed_by(value, file, place.number)
                given = TupleValue(passed or ())
                made = ExternalInstance("typing.Callable", ((given,), ()))
                merge(found, {made: Strategy.GENERIC})
            elif isinstance(value, ExternalInstance) and value.name in _COMPONENTS:
                merge(
                    found, with_strategy(value.arguments[-1] if value.arguments else (), strategy)
                )
            elif isinstance(value, FunctionValue | CallableValue):
                declared = self.parameter_at(value, place.at)
                given_types = self._evaluation.calls.type_arguments(
                    file, place.number, value, item.items, without=number
                )
                if any(is_open(each) for each in declared):
                    self._by_result(file, place.number, value, given_types)
                merge(found, self._evaluation.types.replaced(declared, given_types), strategy)
        return found

    def _candidates(self, file: SourceFile, functions: Result, is_new: bool) -> Result:  # noqa: FBT001
        del file
        found: Result = {}
        for value, strategy in self._evaluation.calls.with_bases(functions).items():
            if isinstance(value, ClassValue):
                receiver = Instance(value.path, value.scope, value.arguments)
                for row in self._evaluation.classes.rows(receiver, "constructor"):
                    binding = row.file.code.bindings[row.number]
                    scope = row.file.scope_of_declaration.get(binding.declaration)
                    if scope is not None:
                        merge(found, {FunctionValue(row.file.path, scope, receiver): strategy})
            elif isinstance(value, Instance | ObjectValue):
                name = "new" if is_new else "()"
                merge(found, self._evaluation.member(value, name), strategy)
            else:
                merge(found, {value: strategy})
        return found

    def _of_result(self, file: SourceFile, scope: int) -> Result:
        """The expected result of the enclosing function."""
        declaration = file.code.scopes[scope].declaration
        found: Result = {}
        for clause in file.clauses.get(declaration, ()) if declaration != NONE else ():
            if clause.role == Role.RESULT:
                merge(found, self._evaluation.instances(file, clause.value))
        rows = file.results.get(scope, ())
        if not found and rows and rows[0].value != NONE:
            first = file.expressions[rows[0].value]
            if first.op == Op.CAST and first.of == NONE:
                merge(found, self._evaluation.evaluate(file, rows[0].value))
        if not found:
            number = file.function_expressions.get(scope, NONE)
            if number != NONE:
                functions: Result = {}
                for value in self.expected_types(file, number):
                    merge(functions, dict.fromkeys(self._signatures(value), Strategy.GENERIC))
                found = self._evaluation.calls.results(plain(functions))
        return library.awaited(found)

    def _by_result(
        self, file: SourceFile, number: int, value: FunctionValue | CallableValue, given: Given
    ) -> None:
        """Find type variables that arguments don't show by what is expected of the result."""
        wanted = plain(self.expected_types(file, number))
        if wanted:
            more: Given = {}
            self._evaluation.calls.unify(
                plain(self._evaluation.calls.results((value,))), wanted, more, 0
            )
            for name, values in more.items():
                given.setdefault(name, values)

    def _places_of(self, file: SourceFile) -> dict[int, list[ExpressionPlace]]:
        return file.cached("places", _list_places)


def _positional(file: SourceFile, value: CallableValue) -> list[Argument]:
    """The parameters of a signature without that of `this`."""
    return [part for part in file.expressions[value.number].items if part.name != _THIS]


def _list_places(file: SourceFile) -> dict[int, list[ExpressionPlace]]:
    """The places of a file's functions, objects and lists."""
    found: dict[int, list[ExpressionPlace]] = {}
    for number, place in (*_inner_places(file), *_outer_places(file)):
        if number != NONE and file.expressions[number].op in _PLACED:
            found.setdefault(number, []).append(place)
    return found


def _inner_places(file: SourceFile) -> Iterator[tuple[int, ExpressionPlace]]:
    """The operands of expressions."""
    for number, item in enumerate(file.expressions):
        op = item.op
        if op in _CALLS:
            yield from (
                (part.value, ExpressionPlace("argument", number, at))
                for at, part in enumerate(item.items)
            )
        elif op == Op.OBJECT:
            yield from (
                (part.value, ExpressionPlace("property", number, 0, part.name))
                for part in item.items
            )
        elif op in _GROUPS:
            kind = "either" if op == Op.EITHER else "element"
            yield from ((part.value, ExpressionPlace(kind, number)) for part in item.items)
        elif op == Op.AWAIT:
            yield item.of, ExpressionPlace("either", number)
        elif op == Op.CAST and item.items:
            yield item.of, ExpressionPlace("cast", number)


def _outer_places(file: SourceFile) -> Iterator[tuple[int, ExpressionPlace]]:
    """Places of bindings, of stores and of results."""
    for binding in file.code.bindings:
        if binding.annotation != NONE and binding.kind != BindingKind.IMPORTED:
            yield binding.value, ExpressionPlace("bound", binding.annotation)
    for store in file.code.stores:
        yield store.value, ExpressionPlace("stored", store.target)
    for scope, rows in file.results.items():
        yield from ((row.value, ExpressionPlace("result", scope)) for row in rows)
