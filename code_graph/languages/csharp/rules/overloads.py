"""Overload resolution of C#: applicable functions, then the one that converts arguments better.

Functions that take so many arguments are compared by their types only if there are several, and
what is not known of a type neither rules a function out nor makes it better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.overloads import MatchedArgument, Overloads
from code_graph.declared.rules import DeclaredRules
from code_graph.declared.substitution import mentions_parameter, substitute
from code_graph.evaluate.source_file import SourceFile
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
    plain,
)
from code_graph.expressions import NONE, Argument, BindingKind, Op, ScopeKind
from code_graph.languages.csharp.rules import library as known
from code_graph.languages.csharp.rules.containers import awaited
from code_graph.languages.csharp.rules.conversions import NO, SAME, UNSURE, YES, CSharpConversions
from code_graph.languages.csharp.rules.lambdas import Lambdas
from code_graph.languages.csharp.rules.written import WrittenTypes, may_be_null
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_RECEIVER: Final = -2
# functions among which no choice could be made that are still shown as inferred
_MOST_OPEN: Final = 2


class _Candidate:
    """A function that takes so many arguments."""

    __slots__ = (
        "is_expanded",
        "is_generic",
        "left_out",
        "levels",
        "matches",
        "owner",
        "strategy",
        "types",
        "value",
    )

    def __init__(
        self,
        value: FunctionValue,
        strategy: Strategy,
        owner: SourceFile,
        matches: list[MatchedArgument],
    ) -> None:
        self.value = value
        self.strategy = strategy
        self.owner = owner
        self.matches = matches
        # the types of the parameters, by the positions of their arguments
        self.types: dict[int, Values] = {}
        self.levels: dict[int, int] = {}
        self.is_generic = False
        self.is_expanded = False
        # how many parameters have no argument
        self.left_out = 0


class CSharpOverloads(Overloads):
    """Chooses among functions as the specification says, as far as types are known."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        super().__init__(evaluation, rules)
        self.conversions = CSharpConversions(evaluation)
        self.lambdas = Lambdas(evaluation, self.conversions)
        self.written = WrittenTypes(evaluation, self.lambdas)

    def _best(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int = NONE,
    ) -> Result:
        if len(rows) == 1:
            ((value, strategy),) = rows
            return {value: strategy} if self.matched(value, items) is not None else {}
        found = self._candidates(file, rows, items, call)
        if len(found) > 1:
            may_fit = self.written.may_fit
            found = [one for one in found if may_fit(file, one.owner, one.value, one.matches)]
        if len(found) > 1:
            found = self._accessible(file, found, call)
        if len(found) > 1:
            found = self._applicable(file, found, self._written_types(file, call))
        return self._chosen(file, found, is_one_of_many=True)

    def extensions(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int,
    ) -> Result:
        """The extension methods that a call may mean, of several that are equally near."""
        found = self._as_written(file, rows, items, call)
        found = self._applicable(file, found, self._written_types(file, call))
        return self._chosen(file, found, is_one_of_many=len(rows) > 1)

    def may_extend(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int,
    ) -> bool:
        """True if one of some extension methods takes the arguments of a call as it is written."""
        return bool(self._as_written(file, rows, items, call))

    def _as_written(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int,
    ) -> list[_Candidate]:
        return [
            one
            for one in self._candidates(file, rows, items, call)
            if self.written.may_fit(file, one.owner, one.value, one.matches)
        ]

    def _chosen(self, file: SourceFile, found: list[_Candidate], *, is_one_of_many: bool) -> Result:
        if len(found) > 1:
            found = self._without_overrides(found)
        if len(found) > 1:
            found = self._better(file, found)
        least = Strategy.OVERLOAD if is_one_of_many else Strategy.SCOPE
        if len(found) > _MOST_OPEN:
            least = Strategy.OVERRIDE  # the one that is called stays open
        return {one.value: max(one.strategy, least) for one in found}

    def _candidates(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int,
    ) -> list[_Candidate]:
        """The functions that take so many arguments, of these names, and type arguments."""
        given = self._written_count(file, call)
        names = self._evaluation.calls.type_parameters
        found = []
        for value, strategy in rows:
            if not given or len(names(value)) == given:
                one = self._candidate(value, strategy, items)
                found += [] if one is None else [one]
        return found

    def _written_count(self, file: SourceFile, call: int) -> int:
        of = file.expressions[call].of if call != NONE else NONE
        item = file.expressions[of] if of != NONE else None
        is_written = (
            item is not None and item.op == Op.APPLY and file.expressions[call].op == Op.CALL
        )
        return len(item.items) if item is not None and is_written else 0

    def _written_types(self, file: SourceFile, call: int) -> tuple[Values, ...]:
        if not self._written_count(file, call):
            return ()
        return self._evaluation.calls.written_types(file, file.expressions[call].of)

    def _accessible(
        self, file: SourceFile, candidates: list[_Candidate], call: int
    ) -> list[_Candidate]:
        """The functions that are not private to a class which the call is not in."""
        kept = [one for one in candidates if not self._is_hidden(file, one, call)]
        return kept or candidates

    def _is_hidden(self, file: SourceFile, one: _Candidate, call: int) -> bool:
        declaration = one.owner.code.scopes[one.value.scope].declaration
        if NONE in {declaration, call}:
            return False
        item = one.owner.declarations[declaration]
        if item.parent < 0 or item.access not in {"", "private"} or "." in item.name:
            return False
        owner = self._evaluation.classes.owner_of(one.owner, declaration)
        if owner is None or item.scope_kind != "class":
            return False
        if self._evaluation.classes.kind_of(owner.path, owner.scope) == "interface":
            return False
        return not any(
            self._evaluation.classes.canonical(ClassValue(file.path, scope))[:2] == owner[:2]
            for scope in file.around(file.code.scope_of[call])
            if file.kind(scope) == ScopeKind.CLASS
        )

    def _candidate(
        self, value: FunctionValue, strategy: Strategy, items: Sequence[Argument]
    ) -> _Candidate | None:
        matches = self.matched(value, items)
        owner = self._evaluation.file(value.path)
        if matches is None or owner is None:
            return None
        return _Candidate(value, strategy, owner, matches)

    # applicable functions

    def _applicable(
        self, file: SourceFile, candidates: list[_Candidate], given: tuple[Values, ...]
    ) -> list[_Candidate]:
        return [one for one in candidates if self._is_applicable(file, one, given)]

    def _is_applicable(self, file: SourceFile, one: _Candidate, given: tuple[Values, ...]) -> bool:
        """Note the types of a function's parameters; false if an argument does not fit one."""
        calls = self._evaluation.calls
        names = calls.type_parameters(one.value)
        one.is_generic = bool(names)
        rows = one.owner.parameters.get(one.value.scope, [])
        is_extension = calls.is_called_as_extension(one.owner, one.value)
        one.left_out = len(rows) - is_extension - len({item.parameter.name for item in one.matches})
        if is_extension and rows:
            one.types[_RECEIVER] = plain(
                self._evaluation.types.instances(one.owner, rows[0].annotation)
            )
        own = set(names)
        for match in one.matches:
            types = plain(calls.parameter_type(one.owner, one.value, match.parameter))
            one.types[match.position] = types
            is_final = match.parameter.kind != BindingKind.VARIADIC
            is_final = is_final and not _parameters_in(types) & own
            if is_final and not self._level(file, one, match):
                return False
        self._expand(file, one)
        if names:
            inferred = (
                dict(zip(names, given, strict=False)) if given else self._inferred(file, one, names)
            )
            if inferred is None:
                return False
            one.types = {
                at: tuple(dict.fromkeys(v for item in types for v in substitute(item, inferred)))
                for at, types in one.types.items()
            }
        left = [match for match in one.matches if match.position not in one.levels]
        return self._takes(one) and all(self._level(file, one, match) for match in left)

    def _takes(self, one: _Candidate) -> bool:
        """True if an extension method takes the object that it is called on."""
        if _RECEIVER in one.types and one.value.receiver is not None:
            level = self._converts((one.value.receiver,), one.types[_RECEIVER])
            one.levels[_RECEIVER] = level
            return level != NO
        return True

    def _expand(self, file: SourceFile, one: _Candidate) -> None:
        """Take the elements of a `params` array as parameters, unless an array is given for it."""
        variadic = [m for m in one.matches if m.parameter.kind == BindingKind.VARIADIC]
        rows = one.owner.parameters.get(one.value.scope, [])
        one.is_expanded = bool(rows) and rows[-1].kind == BindingKind.VARIADIC
        if not variadic:
            return
        types = one.types[variadic[0].position]
        if len(variadic) == 1:
            is_open = any(map(mentions_parameter, types))
            level = self._of_argument(file, variadic[0].argument, types)
            if level >= YES or (is_open and self._is_array(file, variadic[0].argument)):
                one.is_expanded = False
                return
        element = plain(self._evaluation.element(dict.fromkeys(types, Strategy.DECLARED)))
        for match in variadic:
            one.types[match.position] = element

    def _is_array(self, file: SourceFile, argument: int) -> bool:
        values = self._evaluation.evaluate(file, argument) if argument != NONE else {}
        return any(isinstance(v, ExternalInstance) and v.name == "[]" for v in values)

    def _level(self, file: SourceFile, one: _Candidate, match: MatchedArgument) -> int:
        types = one.types[match.position]
        level = self._of_argument(file, match.argument, types) if types else UNSURE
        one.levels[match.position] = level
        return level

    def _of_argument(self, file: SourceFile, argument: int, types: Values) -> int:
        """The conversion from an argument to one of the types of a parameter."""
        if argument == NONE or not types:
            return UNSURE
        if self._is_lambda(file, argument):
            return max(self.lambdas.converts(file, argument, one) for one in types)
        values = self._evaluation.evaluate(file, argument)
        if not values:
            return UNSURE
        level = self._converts(values, types)
        if level == NO and file.expressions[argument].op == Op.LITERAL:
            names = {getattr(one, "name", "") for one in types}
            is_constant = file.expressions[argument].name == "int"
            return YES if is_constant and names & known.OF_CONSTANTS else NO
        return level

    def _converts(self, values: Sequence[Value] | Result, types: Values) -> int:
        functions = [v for v in values if self._is_group(v)]
        if functions:
            return max(self._of_group(functions, one) for one in types)
        return self.conversions.best(values, types)

    def _is_group(self, value: Value) -> bool:
        return isinstance(value, FunctionValue) and not self._evaluation.calls.is_delegate(value)

    def _of_group(self, functions: list[Value], declared: Value) -> int:
        """The conversion from the methods of a name to the type of a function."""
        typed = self._evaluation.calls.function_type(declared)
        if typed is None:
            return NO if self.conversions.is_known((declared,)) else UNSURE
        found = NO
        for value in functions:
            mine = self._evaluation.calls.function_type(value)
            if mine is None or not isinstance(value, FunctionValue):
                return UNSURE
            if len(mine[0]) != len(typed[0]):
                continue
            fits = [self.conversions.best(a, b) for a, b in zip(typed[0], mine[0], strict=True)]
            if self.conversions.is_void(value) != (not typed[1]):
                continue
            fits.append(self.conversions.best(mine[1], typed[1]) if typed[1] else YES)
            found = max(found, min([*fits, YES]))
        return found

    def _is_lambda(self, file: SourceFile, argument: int) -> bool:
        item = file.expressions[argument]
        return item.op == Op.FUNCTION and file.kind(item.of) == ScopeKind.FUNCTION

    # type arguments

    def _inferred(
        self, file: SourceFile, one: _Candidate, names: list[str]
    ) -> dict[str, Values] | None:
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
            if match.argument == NONE:
                open_ |= mentioned
            elif self._is_lambda(file, match.argument):
                late.append(match)
            else:
                values = plain(self._evaluation.evaluate(file, match.argument))
                if not self.conversions.is_known(values) or any(map(self._is_group, values)):
                    open_ |= mentioned
                for declared in one.types[match.position]:
                    unify(declared, values, found)
        for match in late:
            self._infer_late(file, match.argument, one.types[match.position], found, open_)
        return found if own <= found.keys() | open_ else None

    def _infer_late(
        self,
        file: SourceFile,
        argument: int,
        types: Values,
        found: dict[str, Values],
        open_: set[str],
    ) -> None:
        """Infer type parameters from what an anonymous function takes and gives."""
        unify = self._evaluation.calls.inference.unify
        body = self.lambdas.body(file, argument)
        for declared in types:
            typed = self._evaluation.calls.function_type(declared)
            if typed is None:
                continue
            rows = file.parameters.get(file.expressions[argument].of, ())
            for row, inner in zip(rows, typed[0], strict=False):
                if row.annotation != NONE:
                    values = plain(self._evaluation.types.instances(file, row.annotation))
                    for one in inner:
                        unify(one, values, found)
            result = _parameters_in(typed[1])
            if not result or body.gives in {"never", "nothing"}:
                continue
            given = tuple(
                tuple(v for one in inner for v in substitute(one, found)) for inner in typed[0]
            )
            results = self.lambdas.result(file, argument, given)
            if results is None:
                open_ |= result
                continue
            for one in typed[1] if results else ():
                for each in awaited(one) if body.is_async else (one,):
                    unify(each, results, found)

    # the better function

    def _without_overrides(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """Overrides count as members of the base class, which come after those of the class."""
        kept = [one for one in candidates if "override" not in self._modifiers(one)]
        return kept or candidates

    def _modifiers(self, one: _Candidate) -> frozenset[str]:
        declaration = one.owner.code.scopes[one.value.scope].declaration
        if declaration == NONE:
            return frozenset()
        return one.owner.declarations[declaration].modifiers

    def _better(self, file: SourceFile, candidates: list[_Candidate]) -> list[_Candidate]:
        """The functions that no other is better than, among those that are surely applicable."""
        kept = [
            one
            for one in candidates
            if not any(
                self._is_better(file, other, one) for other in candidates if other is not one
            )
        ]
        kept = kept or candidates
        best = max(map(_weight, kept))
        return [one for one in kept if _weight(one) == best]

    def _is_better(self, file: SourceFile, one: _Candidate, other: _Candidate) -> bool:
        """True if a function is surely better than another."""
        is_better = False
        arguments = {match.position: match.argument for match in one.matches}
        for at, types in one.types.items():
            if at not in other.types:
                continue
            compared = self._compare(file, arguments.get(at, NONE), one, other, at)
            if compared < 0:
                return False
            is_better = is_better or compared > 0
            if not compared and types != other.types[at] and not self._may_tie(one, other, at):
                return False
        return is_better or self._wins_tie(one, other)

    def _may_tie(self, one: _Candidate, other: _Candidate, at: int) -> bool:
        """True if two types of a parameter may be equal, as far as is known."""
        mine, theirs = one.types[at], other.types[at]
        return not mine or not theirs or self.conversions.best(mine, theirs) >= SAME

    def _wins_tie(self, one: _Candidate, other: _Candidate) -> bool:
        """True if a function with equal types of parameters is the more special one."""
        if one.is_generic != other.is_generic:
            return other.is_generic
        if one.is_expanded != other.is_expanded:
            return other.is_expanded
        return one.left_out < other.left_out

    def _compare(
        self, file: SourceFile, argument: int, one: _Candidate, other: _Candidate, at: int
    ) -> int:
        """1 if the conversion of an argument to one function's parameter is better, or -1, or 0."""
        mine, theirs = one.types[at], other.types[at]
        if mine == theirs:
            return self._compare_null(file, argument, one, other, at)
        if not mine or not theirs:
            return 0
        if argument != NONE and self._is_lambda(file, argument):
            return self._compare_results(file, argument, mine, theirs)
        first, second = one.levels.get(at, UNSURE), other.levels.get(at, UNSURE)
        if SAME in {first, second} and first != second:
            return 1 if first == SAME else -1
        return self._compare_types(mine, theirs)

    def _compare_null(
        self, file: SourceFile, argument: int, one: _Candidate, other: _Candidate, at: int
    ) -> int:
        """1 if a parameter is of a value type and the other's may be null; `null` needs that."""
        is_null, is_other = (self._takes_null(each, at) for each in (one, other))
        if is_null == is_other or not self.conversions.is_value(one.types[at]):
            return 0
        item = file.expressions[argument] if argument != NONE else None
        is_wanted = item is not None and item.op == Op.LITERAL and item.name == "none"
        return 1 if is_null == is_wanted else -1

    def _takes_null(self, one: _Candidate, at: int) -> bool:
        declaration = one.owner.code.scopes[one.value.scope].declaration
        names = may_be_null(one.owner, declaration)
        return any(m.parameter.name in names for m in one.matches if m.position == at)

    def _compare_types(self, mine: Values, theirs: Values) -> int:
        """1 if one type converts to the other, -1 if the other does, or 0."""
        there = self.conversions.best(mine, theirs)
        back = self.conversions.best(theirs, mine)
        if YES in {there, back} and there != back:
            return 1 if there == YES and back < YES else -1 if there < YES else 0
        return 0

    def _compare_results(
        self, file: SourceFile, argument: int, mine: Values, theirs: Values
    ) -> int:
        """The better of two types of functions for an anonymous one, by what they give."""
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
        body = self.lambdas.body(file, argument)
        if body.is_async:
            one, other = (
                tuple(v for item in values for v in awaited(item)) for values in (one, other)
            )
        given = self.lambdas.result(file, argument, first[0])
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


def _weight(one: _Candidate) -> tuple[int, int, int, int]:
    """The rank of a function among those of which none is surely better."""
    unsure = sum(level == UNSURE for level in one.levels.values())
    same = sum(level == SAME for level in one.levels.values())
    return -unsure, same, -one.is_generic, -one.is_expanded * 100 - one.left_out


def _parameters_in(values: Values) -> set[str]:
    """The names of the type parameters in values."""
    found: set[str] = set()
    left: list[Value] = list(values)
    while left:
        value = left.pop()
        if isinstance(value, TypeParameter):
            found.add(value.name)
        elif isinstance(value, Instance | ExternalInstance | ClassValue | External):
            left += [item for inner in value.arguments for item in inner]
        elif isinstance(value, TupleValue):
            left += [item for inner in value.parts for item in inner]
        elif isinstance(value, RecordValue):
            left += [item for _, inner in value.parts for item in inner]
    return found
