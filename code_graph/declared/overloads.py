"""Chooses among functions of one name by the arguments of a call."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from code_graph.declared.part import EvaluationPart
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    TypeParameter,
    Value,
    is_none,
)
from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Expression,
    Op,
    ScopeKind,
)
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.declared.rules import DeclaredRules

# match of a value with a declared type: none, maybe, by conversion, by a base, exact
NO: Final = 0
MAYBE: Final = 2
CONVERTED: Final = 3
DERIVED: Final = 4
SAME: Final = 6
_MOST_NESTED: Final = 6
_NUMBERS: Final = ("byte", "short", "int", "long", "float", "double", "decimal")


class MatchedArgument(NamedTuple):
    """A parameter of a function, and the place of the argument for it."""

    parameter: Binding
    position: int


class OverloadArgument:
    """An argument of a call, by which functions are compared; its values are found once."""

    def __init__(self, evaluation: DeclaredEvaluation, file: SourceFile, number: int) -> None:
        self.file = file
        self.number = number
        self._evaluation = evaluation

    @cached_property
    def item(self) -> Expression | None:
        """Its expression, if there is one."""
        return self.file.expressions[self.number] if self.number != NONE else None

    @cached_property
    def is_function(self) -> bool:
        """True for a function literal."""
        item = self.item
        if item is None or item.op != Op.FUNCTION:
            return False
        return self.file.kind(item.of) == ScopeKind.FUNCTION

    @property
    def literal(self) -> str:
        """The kind of a literal; empty for all else."""
        return self.item.name if self.item is not None and self.item.op == Op.LITERAL else ""

    @cached_property
    def values(self) -> Result:
        """The values of its expression."""
        return self._evaluation.evaluate(self.file, self.number) if self.number != NONE else {}

    @property
    def key(self) -> Hashable:
        """Whatever decides which types it converts to: of a function literal, its place."""
        if self.is_function:
            return self.file.path, self.number
        return self.literal, tuple(self.values)


class Overloads(EvaluationPart):
    """Matches arguments with parameters."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        super().__init__(evaluation, rules)
        # true while the only function of a type must fit, since one of a base may be meant
        self._checks_all = False

    def choose(
        self,
        file: SourceFile,
        functions: Result,
        items: Sequence[Argument],
        call: int = NONE,
    ) -> Result:
        """The functions that a call may mean: those that fit best, of the nearest class."""
        if not self._rules.checks_arguments:
            return self._nearest(functions)
        groups: dict[object, list[tuple[FunctionValue, Strategy]]] = {}
        others: Result = {}
        for value, strategy in functions.items():
            if isinstance(value, FunctionValue):
                groups.setdefault(self._owner(value), []).append((value, strategy))
            else:
                others[value] = strategy
        before = self._checks_all
        try:
            self._checks_all = self._rules.joins_inherited and len(groups) > 1
            chosen = self._of_groups(file, groups.values(), items, call)
            if not chosen and self._checks_all:
                self._checks_all = False
                chosen = self._of_groups(file, groups.values(), items, call)
        finally:
            self._checks_all = before
        return {**chosen, **others}

    def _of_groups(
        self,
        file: SourceFile,
        groups: Iterable[list[tuple[FunctionValue, Strategy]]],
        items: Sequence[Argument],
        call: int,
    ) -> Result:
        """The functions of the nearest type that has one that fits."""
        chosen: Result = {}
        for rows in groups:
            found = self._best(file, rows, items, call)
            chosen.update(found)
            # of several versions of a package none is nearer
            if found and any(how != Strategy.VERSION for how in found.values()):
                break
        return chosen

    def _nearest(self, functions: Result) -> Result:
        """The overloads without those that a farther base type declares."""
        owners = {
            value: self._owner(value)
            for value in functions
            if isinstance(value, FunctionValue) and value.receiver is not None
        }
        first = next(iter(owners.values()), None)
        found = {
            value: how
            for value, how in functions.items()
            if value not in owners or owners[value] == first
        }
        if sum(isinstance(value, FunctionValue) for value in found) > 1:  # under conditions
            return {value: max(how, Strategy.OVERLOAD) for value, how in found.items()}
        return found

    def _owner(self, value: FunctionValue) -> object:
        file = self._evaluation.file(value.path)
        if file is None:
            return value
        declaration = file.code.scopes[value.scope].declaration
        if declaration == NONE:
            return value
        holder = file.declarations[declaration].parent
        if file.declarations[declaration].scope_kind == "function":
            return value.path, holder
        if holder < 0:
            return None if self._rules.joins_overloads else (value.path, holder)
        return self._evaluation.classes.owner_of(file, declaration)

    def _best(
        self,
        file: SourceFile,
        rows: list[tuple[FunctionValue, Strategy]],
        items: Sequence[Argument],
        call: int = NONE,
    ) -> Result:
        scored: list[tuple[tuple[int, ...], FunctionValue, Strategy]] = []
        for value, strategy in rows:
            is_sole = len(rows) == 1 and not self._checks_all
            score = self.score(file, value, items, is_sole=is_sole)
            if score is not None:
                scored.append((score, value, strategy))
        if not scored:
            return {}
        best = max(score for score, _, _ in scored)
        least = Strategy.OVERLOAD if len(rows) > 1 else Strategy.SCOPE
        found: Result = {
            value: max(strategy, least) for score, value, strategy in scored if score == best
        }
        is_one = len(found) == 1 or call == NONE
        return found if is_one else self.preferred(file, call, found)

    def preferred(self, file: SourceFile, call: int, found: Result) -> Result:
        """The functions that a call means of those that fit it equally well."""
        del file, call
        return found

    def score(
        self, file: SourceFile, value: FunctionValue, items: Sequence[Argument], *, is_sole: bool
    ) -> tuple[int, ...] | None:
        """A score for the match of arguments with a function's parameters; None for a mismatch."""
        matches = self.matched(value, items)
        if matches is None:
            return None
        owner = self._evaluation.file(value.path)
        if owner is None:
            return None
        if is_sole:
            return (0,)
        total, generic = 0, 0
        is_expanded = False
        for match in matches:
            declared = self._evaluation.calls.parameter_type(owner, value, match.parameter)
            argument = items[match.position].value
            if match.parameter.kind == BindingKind.VARIADIC:
                is_last = len(matches) == 1
                fit, is_spread = self._fit_rest(file, argument, declared, is_last=is_last)
                is_expanded = is_expanded or is_spread
            else:
                fit = self._fit_match(file, value, match.parameter, argument, declared)
            if fit == NO:
                return None
            total += fit
            generic += any(isinstance(item, TypeParameter) for item in declared)
        rows = owner.parameters.get(value.scope, ())
        is_expanded = is_expanded or (
            any(row.kind == BindingKind.VARIADIC for row in rows) and len(matches) < len(rows)
        )
        skipped = len(rows) - len({match.parameter.name for match in matches})
        rank = self.argument_rank(file, value, matches, items)
        return total * 8 - generic, 0 if is_expanded else 1, -skipped, rank

    def _fit_match(
        self,
        file: SourceFile,
        value: FunctionValue,
        parameter: Binding,
        argument: int,
        declared: Result,
    ) -> int:
        """A score for an argument of a function with its parameter."""
        del value, parameter
        return self.fit(file, argument, declared)

    def _fit_rest(
        self, file: SourceFile, argument: int, declared: Result, *, is_last: bool
    ) -> tuple[int, bool]:
        """A score for one of any number of arguments, and whether it is one of several.

        A list of them may be given as well.
        """
        fit = self.fit(file, argument, declared)
        if fit != NO and is_last:
            return fit, False
        return self.fit(file, argument, self._evaluation.element(declared)) or fit, True

    def matched(
        self, value: FunctionValue, items: Sequence[Argument]
    ) -> list[MatchedArgument] | None:
        """Parameters with their arguments; None if the number or the names don't fit."""
        file = self._evaluation.file(value.path)
        if file is None:
            return None
        rows = self._evaluation.calls.parameters(file, value)
        if len(items) > len(rows) and all(row.kind == BindingKind.PARAMETER for row in rows):
            return None
        by_name = {row.name: row for row in rows}
        rest = next((row for row in rows if row.kind == BindingKind.VARIADIC), None)
        places = [row for row in rows if row.kind == BindingKind.PARAMETER]
        found: list[MatchedArgument] = []
        given: set[str] = set()
        at = 0
        for position, item in enumerate(items):
            if item.name and item.name not in {"*", "**"}:
                row = by_name.get(item.name)
            else:
                row = places[at] if at < len(places) else rest
                at += 1
            if row is None:
                return None
            if item.name and item.name not in {"*", "**"}:
                given.add(row.name)
            found.append(MatchedArgument(row, position))
        spread = any(item.name == "*" for item in items)
        # those behind the last argument, of which several may have no name
        missing = [row for row in places[at:] if row.name not in given and row.value == NONE]
        return None if missing and not spread else found

    def fit(self, file: SourceFile, argument: int, declared: Result) -> int:
        """A score for the match of an argument with a parameter."""
        if argument == NONE or not declared:
            return MAYBE
        item = file.expressions[argument]
        if item.op == Op.FUNCTION and file.kind(item.of) == ScopeKind.FUNCTION:
            return max(self._fit_function(file, item.of, value) for value in declared)
        values = self._evaluation.evaluate(file, argument)
        if item.op != Op.LIST:
            values = self.as_arguments(values)
        if not values:
            return MAYBE
        return max(self.fits(value, other) for value in values for other in declared)

    def _fit_function(self, file: SourceFile, scope: int, declared: Value) -> int:
        function_type = self._evaluation.calls.function_type(declared)
        if function_type is not None:
            same = len(function_type[0]) == len(file.parameters.get(scope, ()))
            return DERIVED if same else NO
        if isinstance(declared, Instance | TypeParameter):
            return MAYBE if isinstance(declared, TypeParameter) else NO
        known = isinstance(declared, ExternalInstance) and self._rules.is_plain(declared.name)
        return NO if known else MAYBE

    def fits(  # noqa: PLR0911 one for each pair
        self, value: Value, declared: Value, depth: int = 0
    ) -> int:
        """A score for the match of a value with a declared type; `depth` counts types in types."""
        if depth > _MOST_NESTED:
            return MAYBE
        if isinstance(declared, TypeParameter):
            return self._fits_parameter(value, declared, depth)
        if isinstance(value, TypeParameter):
            if isinstance(declared, ExternalInstance) and self._rules.is_top(declared.name):
                return CONVERTED
            bounds = self._evaluation.types.bound_of(value)
            fits = (self.fits(bound, declared, depth + 1) for bound in bounds)
            return max(fits, default=MAYBE - 1)
        if isinstance(value, Instance) and isinstance(declared, Instance):
            return self._fits_class(value, declared)
        if isinstance(value, ExternalInstance) and isinstance(declared, ExternalInstance):
            return self.fits_external(value, declared, depth)
        if isinstance(value, FunctionValue):
            return self._fits_group(value, declared)
        if isinstance(value, Instance) and isinstance(declared, ExternalInstance):
            return self._fits_outside(value, declared)
        if is_none(value):
            return CONVERTED
        if isinstance(value, ExternalInstance) and isinstance(declared, Instance):
            return self._fits_inside(value, declared)
        return MAYBE

    def _fits_inside(self, value: ExternalInstance, declared: Instance) -> int:
        del declared
        return MAYBE - 1 if self._rules.is_unknown(value.name) else NO

    def _fits_parameter(self, value: Value, declared: TypeParameter, depth: int) -> int:
        if value == declared:
            return SAME
        bounds = self._evaluation.types.bound_of(declared)
        if not bounds:
            return MAYBE
        fits = [self.fits(value, bound, depth + 1) for bound in bounds]
        return NO if NO in fits else MAYBE

    def _fits_class(self, value: Instance, declared: Instance) -> int:
        if (value.path, value.scope) == (declared.path, declared.scope):
            return self.fits_arguments(value, declared)
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        for at, item in enumerate(order):
            if (item.path, item.scope) == (declared.path, declared.scope):
                return DERIVED if at <= 1 else CONVERTED
        return NO

    def _fits_outside(self, value: Instance, declared: ExternalInstance) -> int:
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        names = {item.external.rpartition(".")[2] for item in order if item.external}
        if declared.name.rpartition(".")[2] in names:
            return DERIVED
        if self._rules.is_top(declared.name):
            return MAYBE
        if self._rules.is_plain(declared.name) or declared.name in {CALLABLE, "[]"}:
            return NO
        return MAYBE - 1 if names else NO

    def fits_external(
        self, value: ExternalInstance, declared: ExternalInstance, depth: int = 0
    ) -> int:
        """A score for the match of an external value with an external type."""
        one, other = value.name.rpartition(".")[2], declared.name.rpartition(".")[2]
        if one == other:
            return self._fits_given(value, declared, depth)
        if self._rules.is_unknown(value.name) or self._rules.is_top(other):
            return MAYBE
        if one == "none":
            return (
                NO
                if other in self._rules.plain_types and other not in self._rules.nullable
                else CONVERTED
            )
        if (one, other) in self._rules.conversions:
            return CONVERTED
        if self._rules.is_plain(one) or self._rules.is_plain(other):
            return self._fits_plain(one, other)
        return MAYBE

    def argument_rank(
        self,
        file: SourceFile,
        value: FunctionValue,
        matches: Sequence[MatchedArgument],
        items: Sequence[Argument],
    ) -> int:
        """An order of functions whose parameters fit the types of arguments equally well."""
        del file, value, matches, items
        return 0

    def _fits_plain(self, one: str, other: str) -> int:
        """A score for two types of which one is a number, or another that matches only itself."""
        if one in _NUMBERS and other in _NUMBERS:
            return CONVERTED if _NUMBERS.index(one) < _NUMBERS.index(other) else NO
        return NO if self._rules.is_plain(one) and self._rules.is_plain(other) else MAYBE - 1

    def _fits_given(self, value: ExternalInstance, declared: ExternalInstance, depth: int) -> int:
        least = SAME
        for one, other in zip(value.arguments, declared.arguments, strict=False):
            if one and other:
                least = min(least, max(self.fits(a, b, depth + 1) for a in one for b in other))
        return least

    def as_arguments(self, values: Result) -> Result:
        """The values of an argument as parameters get them."""
        return values

    def fits_arguments(self, value: Instance, declared: Instance) -> int:
        """A score for two objects of one type, whose type arguments may differ."""
        del value, declared
        return SAME

    def _fits_group(self, value: FunctionValue, declared: Value) -> int:
        function_type = self._evaluation.calls.function_type(declared)
        if function_type is None:
            known = isinstance(declared, ExternalInstance) and not self._rules.is_plain(
                declared.name
            )
            return MAYBE if known else NO
        file = self._evaluation.file(value.path)
        if file is None:
            return MAYBE
        rows = self._evaluation.calls.parameters(file, value)
        return DERIVED if len(rows) == len(function_type[0]) else NO
