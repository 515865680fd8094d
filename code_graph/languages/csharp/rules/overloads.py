"""Overload resolution of C#: applicable functions, then the one that converts arguments better.

Functions that take so many arguments are compared by their types only if there are several, and
what is not known of a type neither rules a function out nor makes it better.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.conversions import CONVERTED, MAYBE, NO, SAME
from code_graph.declared.overloads import (
    FunctionRows,
    MatchedArgument,
    MatchedFunction,
    OverloadArgument,
    OverloadedCall,
    Overloads,
    best_by,
    undominated,
)
from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter, substitute_all
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Result,
    TypeParameter,
    Value,
    Values,
    parts_of,
    plain,
)
from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.languages.csharp.rules import library as known
from code_graph.languages.csharp.rules.containers import awaited
from code_graph.languages.csharp.rules.conversions import CSharpConversions
from code_graph.languages.csharp.rules.lambdas import Lambdas
from code_graph.languages.csharp.rules.written import ArgumentForm, WrittenTypes, may_be_null
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_RECEIVER: Final = -2
# functions among which no choice could be made that are still shown as inferred
_MOST_OPEN: Final = 2


class _Compared:
    """A function whose parameters are compared with arguments."""

    def __init__(self, candidate: MatchedFunction, arguments: Sequence[OverloadArgument]) -> None:
        self.candidate = candidate
        self.value = candidate.value
        self.matches = candidate.matches
        self.arguments = arguments
        # the types of the parameters, by the positions of their arguments
        self.types: dict[int, Values] = {}
        self.levels: dict[int, int] = {}
        self.is_generic = False
        self.is_expanded = candidate.is_variadic
        # how many parameters have no argument
        self.left_out = 0


class CSharpOverloads(Overloads):
    """Chooses among functions as the specification says, as far as types are known."""

    conversions: CSharpConversions

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        super().__init__(evaluation, rules)
        self.lambdas = Lambdas(evaluation, self.conversions)
        self.written = WrittenTypes(evaluation, self.lambdas)

    def _best(self, rows: FunctionRows, call: OverloadedCall, *, is_sole: bool) -> Result:
        return _with_open(super()._best(rows, call, is_sole=is_sole))

    def extensions(
        self, file: SourceFile, rows: FunctionRows, items: Sequence[Argument], number: int
    ) -> Result:
        """The extension methods that a call may mean, of several that are equally near."""
        call = self.call(file, number, items)
        candidates = super()._chosen(self._extending(rows, call), call)
        return _with_open(self._found(rows, candidates))

    def may_extend(
        self, file: SourceFile, rows: FunctionRows, items: Sequence[Argument], number: int
    ) -> bool:
        """True if one of some extension methods takes the arguments of a call as it is written."""
        return bool(self._extending(rows, self.call(file, number, items)))

    def _extending(self, rows: FunctionRows, call: OverloadedCall) -> Sequence[MatchedFunction]:
        """The extension methods that may take an object and the arguments as they are written."""
        key = ("extending", rows, self._form(call))
        return self._evaluation.engine.shared(key, lambda: self._as_written(rows, call, 0), ())

    def _form(self, call: OverloadedCall) -> tuple[int, tuple[ArgumentForm, ...]]:
        """The number of its type arguments, and the forms of its arguments."""
        return self._written_count(call), tuple(map(self.written.form, call.arguments))

    def _candidates(self, rows: FunctionRows, call: OverloadedCall) -> Sequence[MatchedFunction]:
        return self._as_written(rows, call, 1)

    def _as_written(
        self, rows: FunctionRows, call: OverloadedCall, least: int
    ) -> Sequence[MatchedFunction]:
        """The functions that take this number of arguments, these names and type arguments.

        Of more than `least` those that may take the arguments as they are written.
        """
        given, forms = self._form(call)
        names = self._evaluation.calls.type_parameters
        fitting = tuple(row for row in rows if not given or len(names(row[0])) == given)
        candidates = super()._candidates(fitting, call)
        if len(candidates) <= least:
            return candidates
        may_fit = self.written.may_fit
        return [one for one in candidates if may_fit(one.value, one.matches, forms)]

    def _chosen(
        self, candidates: Sequence[MatchedFunction], call: OverloadedCall
    ) -> Sequence[MatchedFunction]:
        if len(candidates) > 1:
            seen = [one for one in candidates if not self._is_hidden(one.value, call)]
            candidates = seen or candidates
        return super()._chosen(candidates, call) if len(candidates) > 1 else candidates

    def _key(self, call: OverloadedCall) -> Hashable:
        return super()._key(call), self._written_types(call)

    def _fitting(
        self, candidates: Sequence[MatchedFunction], call: OverloadedCall
    ) -> Sequence[MatchedFunction]:
        """The applicable functions that no other one beats."""
        given = self._written_types(call)
        compared = [_Compared(one, call.arguments) for one in candidates]
        applicable: Sequence[_Compared] = [
            one for one in compared if self._is_applicable(one, given)
        ]
        if len(applicable) > 1:
            applicable = self._without_overrides(applicable)
        if len(applicable) > 1:
            applicable = self._better(applicable)
        return [one.candidate for one in applicable]

    def _written_count(self, call: OverloadedCall) -> int:
        expressions = call.file.expressions
        item = expressions[call.number] if call.number != NONE else None
        if item is None or item.op != Op.CALL or item.of == NONE:
            return 0
        return len(expressions[item.of].items) if expressions[item.of].op == Op.APPLY else 0

    def _written_types(self, call: OverloadedCall) -> tuple[Values, ...]:
        if not self._written_count(call):
            return ()
        of = call.file.expressions[call.number].of
        return self._evaluation.calls.written_types(call.file, of)

    def _is_hidden(self, value: FunctionValue, call: OverloadedCall) -> bool:
        """True for a function that is private to a class which the call is not in."""
        file, number = call.file, call.number
        other = self._evaluation.file(value.path)
        declaration = NONE if other is None else other.code.scopes[value.scope].declaration
        if other is None or NONE in {declaration, number}:
            return False
        item = other.declarations[declaration]
        if item.parent < 0 or item.access not in {"", "private"} or "." in item.name:
            return False
        owner = self._evaluation.classes.owner_of(other, declaration)
        if owner is None or item.scope_kind != "class":
            return False
        if self._evaluation.classes.kind_of(owner.path, owner.scope) == "interface":
            return False
        return not any(
            self._evaluation.classes.canonical(ClassValue(file.path, scope))[:2] == owner[:2]
            for scope in file.around(file.code.scope_of[number])
            if file.kind(scope) == ScopeKind.CLASS
        )

    # applicable functions

    def _is_applicable(self, one: _Compared, given: tuple[Values, ...]) -> bool:
        """Note the types of a function's parameters; false if an argument does not fit one."""
        calls = self._evaluation.calls
        names = calls.type_parameters(one.value)
        one.is_generic = bool(names)
        rows = one.candidate.parameters
        is_extension = calls.is_called_as_extension(one.value)
        one.left_out = len(rows) - is_extension - len({item.parameter.name for item in one.matches})
        owner = self._evaluation.file(one.value.path)
        if is_extension and rows and owner is not None:
            one.types[_RECEIVER] = plain(
                self._evaluation.types.instances(owner, rows[0].annotation)
            )
        own = set(names)
        for match in one.matches:
            types = plain(calls.parameter_type(one.value, match.parameter))
            one.types[match.position] = types
            is_final = match.parameter.kind != BindingKind.VARIADIC
            is_final = is_final and not _parameters_in(types) & own
            if is_final and not self._level(one, match):
                return False
        self._expand(one)
        if names:
            inferred = (
                dict(zip(names, given, strict=False)) if given else self._inferred(one, names)
            )
            if inferred is None:
                return False
            one.types = {at: substitute_all(types, inferred) for at, types in one.types.items()}
        left = [match for match in one.matches if match.position not in one.levels]
        return self._takes(one) and all(self._level(one, match) for match in left)

    def _takes(self, one: _Compared) -> bool:
        """True if an extension method takes the object that it is called on."""
        if _RECEIVER in one.types and one.value.receiver is not None:
            level = self.conversions.best((one.value.receiver,), one.types[_RECEIVER])
            one.levels[_RECEIVER] = level
            return level != NO
        return True

    def _expand(self, one: _Compared) -> None:
        """Take the elements of a `params` array as parameters, unless an array is given for it."""
        variadic = [m for m in one.matches if m.parameter.kind == BindingKind.VARIADIC]
        if not variadic:
            return
        types = one.types[variadic[0].position]
        if len(variadic) == 1:
            is_open = any(map(mentions_parameter, types))
            argument = one.arguments[variadic[0].position]
            level = self.fit(argument, types)
            if level >= CONVERTED or (is_open and _is_array(argument)):
                one.is_expanded = False
                return
        element = plain(self._evaluation.element(dict.fromkeys(types, Strategy.DECLARED)))
        for match in variadic:
            one.types[match.position] = element

    def _level(self, one: _Compared, match: MatchedArgument) -> int:
        level = self.fit(one.arguments[match.position], one.types[match.position])
        one.levels[match.position] = level
        return level

    def fit(self, argument: OverloadArgument, declared: Collection[Value]) -> int:
        """The conversion from an argument to one of the types of a parameter."""
        groups = [v for v in argument.values if self._is_group(v)] if declared else []
        if groups and not argument.is_function:
            return max(self._of_group(groups, one) for one in declared)
        level = super().fit(argument, declared)
        if level == NO and argument.literal == "int":
            names = {getattr(one, "name", "") for one in declared}
            return CONVERTED if names & known.OF_CONSTANTS else NO
        return level

    def _fit_function(self, argument: OverloadArgument, declared: Value) -> int:
        return self.lambdas.converts(argument.file, argument.number, declared)

    def _is_group(self, value: Value) -> bool:
        return isinstance(value, FunctionValue) and not self._evaluation.calls.is_delegate(value)

    def _of_group(self, functions: list[Value], declared: Value) -> int:
        """The conversion from the methods of a name to the type of a function."""
        typed = self._evaluation.calls.function_type(declared)
        if typed is None:
            return NO if self.conversions.is_known((declared,)) else MAYBE
        found = NO
        for value in functions:
            mine = self._evaluation.calls.function_type(value)
            if mine is None or not isinstance(value, FunctionValue):
                return MAYBE
            if len(mine[0]) != len(typed[0]):
                continue
            fits = [self.conversions.best(a, b) for a, b in zip(typed[0], mine[0], strict=True)]
            if self._evaluation.calls.is_void(value) != (not typed[1]):
                continue
            fits.append(self.conversions.best(mine[1], typed[1]) if typed[1] else CONVERTED)
            found = max(found, min([*fits, CONVERTED]))
        return found

    # type arguments

    def _inferred(self, one: _Compared, names: list[str]) -> dict[str, Values] | None:
        """The types of a function's own type parameters; None if arguments say nothing of one."""
        own = set(names)
        found: dict[str, Values] = {}
        open_: set[str] = set()
        unify = self._evaluation.calls.inference.unify
        late: list[MatchedArgument] = []
        if _RECEIVER in one.types and one.value.receiver is not None:
            for declared in one.types[_RECEIVER]:
                unify(declared, (one.value.receiver,), found)
        for match in one.matches:
            mentioned = _parameters_in(one.types[match.position]) & own
            if not mentioned:
                continue
            argument = one.arguments[match.position]
            if argument.number == NONE:
                open_ |= mentioned
            elif argument.is_function:
                late.append(match)
            else:
                values = plain(argument.values)
                if not self.conversions.is_known(values) or any(map(self._is_group, values)):
                    open_ |= mentioned
                for declared in one.types[match.position]:
                    unify(declared, values, found)
        for match in late:
            self._infer_late(one.arguments[match.position], one.types[match.position], found, open_)
        return found if own <= found.keys() | open_ else None

    def _infer_late(
        self,
        argument: OverloadArgument,
        types: Values,
        found: dict[str, Values],
        open_: set[str],
    ) -> None:
        """Infer type parameters from the parameters and the result of an anonymous function."""
        unify = self._evaluation.calls.inference.unify
        file = argument.file
        body = self.lambdas.body(file, argument.number)
        for declared in types:
            typed = self._evaluation.calls.function_type(declared)
            if typed is None:
                continue
            rows = file.parameters.get(file.expressions[argument.number].of, ())
            for row, inner in zip(rows, typed[0], strict=False):
                if row.annotation != NONE:
                    values = plain(self._evaluation.types.instances(file, row.annotation))
                    for one in inner:
                        unify(one, values, found)
            result = _parameters_in(typed[1])
            if not result or body.gives in {"never", "nothing"}:
                continue
            given = tuple(substitute_all(inner, found) for inner in typed[0])
            results = self.lambdas.result(file, argument.number, given)
            if results is None:
                open_ |= result
                continue
            for one in typed[1] if results else ():
                for each in awaited(one) if body.is_async else (one,):
                    unify(each, results, found)

    # the better function

    def _without_overrides(self, candidates: Sequence[_Compared]) -> Sequence[_Compared]:
        """Overrides count as members of the base class, which come after the class itself."""
        kept = [one for one in candidates if "override" not in self._modifiers(one)]
        return kept or candidates

    def _modifiers(self, one: _Compared) -> frozenset[str]:
        declaration = one.candidate.declaration
        return frozenset() if declaration is None else declaration.modifiers

    def _better(self, candidates: Sequence[_Compared]) -> Sequence[_Compared]:
        """The surely applicable functions that no other one beats."""
        return best_by(undominated(candidates, self._is_better), _weight)

    def _is_better(self, one: _Compared, other: _Compared) -> bool:
        """True if a function is surely better than another."""
        is_better = False
        for at, types in one.types.items():
            if at not in other.types:
                continue
            compared = self._compare(one, other, at)
            if compared < 0:
                return False
            is_better = is_better or compared > 0
            if not compared and types != other.types[at] and not self._may_tie(one, other, at):
                return False
        return is_better or self._wins_tie(one, other)

    def _may_tie(self, one: _Compared, other: _Compared, at: int) -> bool:
        """True if two types of a parameter may be equal, as far as is known."""
        mine, theirs = one.types[at], other.types[at]
        return not mine or not theirs or self.conversions.best(mine, theirs) >= SAME

    def _wins_tie(self, one: _Compared, other: _Compared) -> bool:
        """True if a function with equal types of parameters is the more special one."""
        if one.is_generic != other.is_generic:
            return other.is_generic
        if one.is_expanded != other.is_expanded:
            return other.is_expanded
        return one.left_out < other.left_out

    def _compare(self, one: _Compared, other: _Compared, at: int) -> int:
        """1 if the conversion of an argument to one function's parameter is better, or -1, or 0."""
        mine, theirs = one.types[at], other.types[at]
        if mine == theirs:
            return self._compare_null(one, other, at)
        if not mine or not theirs:
            return 0
        argument = one.arguments[at] if at != _RECEIVER else None
        if argument is not None and argument.is_function:
            return self._compare_results(argument, mine, theirs)
        first, second = one.levels.get(at, MAYBE), other.levels.get(at, MAYBE)
        if SAME in {first, second} and first != second:
            return 1 if first == SAME else -1
        return self._compare_types(mine, theirs)

    def _compare_null(self, one: _Compared, other: _Compared, at: int) -> int:
        """1 if a parameter is of a value type and the other's may be null; `null` needs that."""
        is_null, is_other = (self._takes_null(each, at) for each in (one, other))
        if is_null == is_other or not self.conversions.is_value(one.types[at]):
            return 0
        is_wanted = at != _RECEIVER and one.arguments[at].literal == "none"
        return 1 if is_null == is_wanted else -1

    def _takes_null(self, one: _Compared, at: int) -> bool:
        owner = self._evaluation.file(one.value.path)
        if owner is None:
            return False
        names = may_be_null(owner, owner.code.scopes[one.value.scope].declaration)
        return any(m.parameter.name in names for m in one.matches if m.position == at)

    def _compare_types(self, mine: Values, theirs: Values) -> int:
        """1 if one type converts to the other, -1 if the other does, or 0."""
        there = self.conversions.best(mine, theirs)
        back = self.conversions.best(theirs, mine)
        if CONVERTED in {there, back} and there != back:
            return 1 if there == CONVERTED and back < CONVERTED else -1 if there < CONVERTED else 0
        return 0

    def _compare_results(self, argument: OverloadArgument, mine: Values, theirs: Values) -> int:
        """The better of two delegate types for an anonymous function, by their results."""
        first, second = (self._function_type(types) for types in (mine, theirs))
        if first is None or second is None:
            return 0 if first is second else 1 if second is None else -1
        if first[0] != second[0] and self._differ(first[0], second[0]):
            return 0
        one, other = first[1], second[1]
        if bool(one) != bool(other):
            return 1 if one else -1
        if not one or one == other:
            return 0
        body = self.lambdas.body(argument.file, argument.number)
        if body.is_async:
            one, other = (
                tuple(v for item in values for v in awaited(item)) for values in (one, other)
            )
        given = self.lambdas.result(argument.file, argument.number, first[0])
        if given:
            levels = self.conversions.best(given, one), self.conversions.best(given, other)
            if SAME in levels and levels[0] != levels[1]:
                return 1 if levels[0] == SAME else -1
        return self._compare_types(one, other) if one and other else 0

    def _differ(self, one: tuple[Values, ...], other: tuple[Values, ...]) -> bool:
        return len(one) != len(other) or any(
            a and b and self.conversions.best(a, b) < SAME for a, b in zip(one, other, strict=True)
        )

    def _function_type(self, types: Values) -> tuple[tuple[Values, ...], Values] | None:
        rows = (self._evaluation.calls.function_type(one) for one in types)
        return next((row for row in rows if row is not None), None)


def _with_open(found: Result) -> Result:
    """The functions, as an open choice if there are more than a few."""
    if len(found) <= _MOST_OPEN:
        return found
    return {value: max(how, Strategy.OVERRIDE) for value, how in found.items()}


def _is_array(argument: OverloadArgument) -> bool:
    return any(isinstance(v, ExternalInstance) and v.name == "[]" for v in argument.values)


def _weight(one: _Compared) -> tuple[int, int, int, int]:
    """The rank of a function among equally good ones."""
    unsure = sum(level == MAYBE for level in one.levels.values())
    same = sum(level == SAME for level in one.levels.values())
    return -unsure, same, -one.is_generic, -one.is_expanded * 100 - one.left_out


def _parameters_in(values: Values) -> set[str]:
    """The names of the type parameters in values."""
    found = {value.name for value in values if isinstance(value, TypeParameter)}
    for value in values:
        for inner in parts_of(value):
            found |= _parameters_in(inner)
    return found
