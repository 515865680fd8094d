"""Overload resolution of C#: applicable functions, then the one that converts arguments better.

Functions that take so many arguments are compared by their types only if there are several, and
what is not known of a type neither rules a function out nor makes it better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.overloads import MatchedArgument, OverloadArgument, Overloads
from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter, substitute
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
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_RECEIVER: Final = -2
# functions among which no choice could be made that are still shown as inferred
_MOST_OPEN: Final = 2


class _Matched(NamedTuple):
    """A function that takes so many arguments, and its parameters for them."""

    value: FunctionValue
    strategy: Strategy
    matches: tuple[MatchedArgument, ...]


class _Candidate:
    """A function whose parameters are compared with arguments."""

    __slots__ = (
        "arguments",
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
        self, matching: _Matched, owner: SourceFile, arguments: Sequence[OverloadArgument]
    ) -> None:
        self.value, self.strategy, self.matches = matching
        self.owner = owner
        self.arguments = arguments
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
        found = self._matching(file, rows, items, call)
        if len(found) > 1:
            found = [one for one in found if not self._is_hidden(file, one.value, call)] or found
        if len(found) > 1:
            return self._chosen(file, found, items, call, Strategy.OVERLOAD)
        return {one.value: max(one.strategy, Strategy.OVERLOAD) for one in found}

    def extensions(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int,
    ) -> Result:
        """The extension methods that a call may mean, of several that are equally near."""
        found = self._matching(file, rows, items, call, is_extension=True)
        least = Strategy.OVERLOAD if len(rows) > 1 else Strategy.SCOPE
        return self._chosen(file, found, items, call, least)

    def may_extend(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int,
    ) -> bool:
        """True if one of some extension methods takes the arguments of a call as it is written."""
        return bool(self._matching(file, rows, items, call, is_extension=True))

    def _matching(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int,
        *,
        is_extension: bool = False,
    ) -> list[_Matched]:
        """The functions that take so many arguments, of these names, and type arguments.

        Of several those that may take the arguments as they are written.
        """
        given = self._written_count(file, call)
        forms = tuple(self.written.form(file, item) for item in items)

        def compute() -> list[_Matched]:
            names = self._evaluation.calls.type_parameters
            found = [
                _Matched(value, strategy, tuple(matches))
                for value, strategy in rows
                if not given or len(names(value)) == given
                if (matches := self.matched(value, items)) is not None
            ]
            if not is_extension and len(found) <= 1:
                return found
            may_fit = self.written.may_fit
            return [one for one in found if may_fit(one.value, one.matches, forms)]

        key = ("matching", tuple(rows), forms, given, is_extension)
        return self._evaluation.engine.shared(key, compute, [])

    def _chosen(
        self,
        file: SourceFile,
        found: Sequence[_Matched],
        items: Sequence[Argument],
        call: int,
        least: Strategy,
    ) -> Result:
        """The functions that no other is better than, of those that are applicable."""
        if not found:
            return {}
        arguments = [OverloadArgument(self._evaluation, file, item.value) for item in items]
        given = self._written_types(file, call)

        def compute() -> Result:
            rows = [
                _Candidate(one, owner, arguments)
                for one in found
                if (owner := self._evaluation.file(one.value.path)) is not None
            ]
            candidates = [one for one in rows if self._is_applicable(one, given)]
            if len(candidates) > 1:
                candidates = self._without_overrides(candidates)
            if len(candidates) > 1:
                candidates = self._better(candidates)
            # the one that is called stays open
            weakest = Strategy.OVERRIDE if len(candidates) > _MOST_OPEN else least
            return {one.value: max(one.strategy, weakest) for one in candidates}

        key = ("chosen", tuple(found), tuple(one.key for one in arguments), given, least)
        return self._evaluation.engine.shared(key, compute, {})

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

    def _is_hidden(self, file: SourceFile, value: FunctionValue, call: int) -> bool:
        """True for a function that is private to a class which the call is not in."""
        other = self._evaluation.file(value.path)
        declaration = NONE if other is None else other.code.scopes[value.scope].declaration
        if other is None or NONE in {declaration, call}:
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
            for scope in file.around(file.code.scope_of[call])
            if file.kind(scope) == ScopeKind.CLASS
        )

    # applicable functions

    def _is_applicable(self, one: _Candidate, given: tuple[Values, ...]) -> bool:
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
            if is_final and not self._level(one, match):
                return False
        self._expand(one)
        if names:
            inferred = (
                dict(zip(names, given, strict=False)) if given else self._inferred(one, names)
            )
            if inferred is None:
                return False
            one.types = {
                at: tuple(dict.fromkeys(v for item in types for v in substitute(item, inferred)))
                for at, types in one.types.items()
            }
        left = [match for match in one.matches if match.position not in one.levels]
        return self._takes(one) and all(self._level(one, match) for match in left)

    def _takes(self, one: _Candidate) -> bool:
        """True if an extension method takes the object that it is called on."""
        if _RECEIVER in one.types and one.value.receiver is not None:
            level = self._converts((one.value.receiver,), one.types[_RECEIVER])
            one.levels[_RECEIVER] = level
            return level != NO
        return True

    def _expand(self, one: _Candidate) -> None:
        """Take the elements of a `params` array as parameters, unless an array is given for it."""
        variadic = [m for m in one.matches if m.parameter.kind == BindingKind.VARIADIC]
        rows = one.owner.parameters.get(one.value.scope, [])
        one.is_expanded = bool(rows) and rows[-1].kind == BindingKind.VARIADIC
        if not variadic:
            return
        types = one.types[variadic[0].position]
        if len(variadic) == 1:
            is_open = any(map(mentions_parameter, types))
            argument = one.arguments[variadic[0].position]
            level = self._of_argument(argument, types)
            if level >= YES or (is_open and _is_array(argument)):
                one.is_expanded = False
                return
        element = plain(self._evaluation.element(dict.fromkeys(types, Strategy.DECLARED)))
        for match in variadic:
            one.types[match.position] = element

    def _level(self, one: _Candidate, match: MatchedArgument) -> int:
        types = one.types[match.position]
        level = self._of_argument(one.arguments[match.position], types) if types else UNSURE
        one.levels[match.position] = level
        return level

    def _of_argument(self, argument: OverloadArgument, types: Values) -> int:
        """The conversion from an argument to one of the types of a parameter."""
        if not types:
            return UNSURE
        if argument.is_function:
            converts = self.lambdas.converts
            return max(converts(argument.file, argument.number, one) for one in types)
        if not argument.values:
            return UNSURE
        level = self._converts(argument.values, types)
        if level == NO and argument.literal == "int":
            names = {getattr(one, "name", "") for one in types}
            return YES if names & known.OF_CONSTANTS else NO
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

    # type arguments

    def _inferred(self, one: _Candidate, names: list[str]) -> dict[str, Values] | None:
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
        """Infer type parameters from what an anonymous function takes and gives."""
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
            given = tuple(
                tuple(v for one in inner for v in substitute(one, found)) for inner in typed[0]
            )
            results = self.lambdas.result(file, argument.number, given)
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

    def _better(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """The functions that no other is better than, among those that are surely applicable."""
        kept = [
            one
            for one in candidates
            if not any(self._is_better(other, one) for other in candidates if other is not one)
        ]
        kept = kept or candidates
        best = max(map(_weight, kept))
        return [one for one in kept if _weight(one) == best]

    def _is_better(self, one: _Candidate, other: _Candidate) -> bool:
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

    def _compare(self, one: _Candidate, other: _Candidate, at: int) -> int:
        """1 if the conversion of an argument to one function's parameter is better, or -1, or 0."""
        mine, theirs = one.types[at], other.types[at]
        if mine == theirs:
            return self._compare_null(one, other, at)
        if not mine or not theirs:
            return 0
        argument = one.arguments[at] if at != _RECEIVER else None
        if argument is not None and argument.is_function:
            return self._compare_results(argument, mine, theirs)
        first, second = one.levels.get(at, UNSURE), other.levels.get(at, UNSURE)
        if SAME in {first, second} and first != second:
            return 1 if first == SAME else -1
        return self._compare_types(mine, theirs)

    def _compare_null(self, one: _Candidate, other: _Candidate, at: int) -> int:
        """1 if a parameter is of a value type and the other's may be null; `null` needs that."""
        is_null, is_other = (self._takes_null(each, at) for each in (one, other))
        if is_null == is_other or not self.conversions.is_value(one.types[at]):
            return 0
        is_wanted = at != _RECEIVER and one.arguments[at].literal == "none"
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

    def _compare_results(self, argument: OverloadArgument, mine: Values, theirs: Values) -> int:
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


def _is_array(argument: OverloadArgument) -> bool:
    return any(isinstance(v, ExternalInstance) and v.name == "[]" for v in argument.values)


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
