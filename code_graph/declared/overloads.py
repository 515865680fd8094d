"""Chooses among the functions of one name by the arguments of a call.

The candidates are the functions of the nearest type that has some which take the arguments as they
are written. Those whose parameters fit the types of the arguments best are chosen; several that fit
equally well stay open. Both steps follow from functions and arguments, and are done once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from code_graph.declared.conversions import DERIVED, MAYBE, NO
from code_graph.declared.part import EvaluationPart
from code_graph.evaluate.parameters import SPREAD, parameters_for
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    TypeParameter,
    Value,
)
from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Expression,
    Op,
    Role,
    ScopeKind,
)
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.declared.rules import DeclaredRules
    from code_graph.facts import Declaration

# functions of one type, and the strategies that found them
FunctionRows = tuple[tuple[FunctionValue, Strategy], ...]
C = TypeVar("C")


class MatchedArgument(NamedTuple):
    """A parameter of a function, and the place of the argument for it."""

    parameter: Binding
    position: int


class OverloadArgument:
    """An argument of a call, for comparing functions; its values are found once."""

    def __init__(self, evaluation: DeclaredEvaluation, file: SourceFile, written: Argument) -> None:
        self.file = file
        self.name = written.name
        self.number = written.value
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
    def is_list(self) -> bool:
        """True for a list that is written out."""
        return self.item is not None and self.item.op == Op.LIST

    @property
    def literal(self) -> str:
        """The kind of a literal; empty for all else."""
        return self.item.name if self.item is not None and self.item.op == Op.LITERAL else ""

    @property
    def parameters(self) -> Sequence[Binding]:
        """The parameters of a function literal."""
        item = self.item if self.is_function else None
        return self.file.parameters.get(item.of, ()) if item is not None else ()

    @property
    def body(self) -> frozenset[str]:
        """The words for possible results of the body of a function literal."""
        return self.file.cached("bodies of functions", bodies).get(self.number, frozenset())

    @cached_property
    def values(self) -> Result:
        """The values of its expression."""
        return self._evaluation.evaluate(self.file, self.number) if self.number != NONE else {}

    @property
    def given(self) -> Result:
        """Its values as parameters get them."""
        return self.values

    @property
    def key(self) -> Hashable:
        """Whatever decides which parameters take it: of a function literal, its place."""
        if self.is_function:
            return self.name, self.file.path, self.number
        return self.name, self.literal, self.is_list, tuple(self.values)


class OverloadedCall(NamedTuple):
    """A call that means one of several functions; no number has one that nothing writes."""

    file: SourceFile
    number: int
    arguments: Sequence[OverloadArgument]


class MatchedFunction(NamedTuple):
    """A function that takes the arguments of a call as they are written."""

    value: FunctionValue
    strategy: Strategy
    declaration: Declaration | None
    parameters: Sequence[Binding]
    matches: Sequence[MatchedArgument]

    @property
    def is_variadic(self) -> bool:
        """True if the last parameter takes any number of arguments."""
        return bool(self.parameters) and self.parameters[-1].kind == BindingKind.VARIADIC


class Overloads(EvaluationPart):
    """Matches arguments with parameters."""

    argument_type: ClassVar[type[OverloadArgument]] = OverloadArgument

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        super().__init__(evaluation, rules)
        self.conversions = rules.parts.conversions(evaluation, rules)

    def choose(
        self,
        file: SourceFile,
        functions: Result,
        items: Sequence[Argument],
        call: int = NONE,
    ) -> Result:
        """The functions that a call may mean: the best fitting ones of the nearest class."""
        if not self._rules.checks_arguments:
            return self._nearest(functions)
        groups: dict[object, list[tuple[FunctionValue, Strategy]]] = {}
        others: Result = {}
        for value, strategy in functions.items():
            if isinstance(value, FunctionValue):
                groups.setdefault(self._owner(value), []).append((value, strategy))
            else:
                others[value] = strategy
        if not groups:
            return others
        rows = [tuple(group) for group in groups.values()]
        called = self.call(file, call, items)
        # the only function of a type must fit, too, where one of a base may be meant
        checks_all = self._rules.joins_inherited and len(rows) > 1
        chosen = checks_all and self._of_groups(rows, called, checks_all=True)
        return (chosen or self._of_groups(rows, called, checks_all=False)) | others

    def call(self, file: SourceFile, number: int, items: Iterable[Argument]) -> OverloadedCall:
        """A call, as functions are compared by it."""
        return OverloadedCall(file, number, self.arguments(file, items))

    def arguments(self, file: SourceFile, items: Iterable[Argument]) -> list[OverloadArgument]:
        """The arguments of a call as functions are compared by them."""
        return [self.argument_type(self._evaluation, file, item) for item in items]

    def _of_groups(
        self, groups: Iterable[FunctionRows], call: OverloadedCall, *, checks_all: bool
    ) -> Result:
        """The fitting functions of the nearest type that has some."""
        chosen: Result = {}
        for rows in groups:
            found = self._best(rows, call, is_sole=len(rows) == 1 and not checks_all)
            chosen.update(found)
            # of several versions of a package none is nearer
            if found and any(how != Strategy.VERSION for how in found.values()):
                break
        return chosen

    def _nearest(self, functions: Result) -> Result:
        """The overloads of the nearest type."""
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
        if file.kind(value.scope) == ScopeKind.BLOCK:  # the constructor that is a type's head
            scope = file.scope_of_declaration.get(declaration, NONE)
            return self._evaluation.classes.canonical(ClassValue(value.path, scope))
        holder = file.declarations[declaration].parent
        if file.declarations[declaration].scope_kind == "function":
            return value.path, holder
        if holder < 0:
            return None if self._rules.joins_overloads else (value.path, holder)
        return self._evaluation.classes.owner_of(file, declaration)

    # as written

    def _best(self, rows: FunctionRows, call: OverloadedCall, *, is_sole: bool) -> Result:
        """The functions of one type that fit best; the only one if it may take the arguments."""
        if is_sole:
            return dict(rows) if self._may_take(rows[0][0], call) else {}
        candidates = self._chosen(self._matching(rows, call), call)
        if len(candidates) > 1 and call.number != NONE:
            candidates = self.preferred(call, candidates)
        return self._found(rows, candidates)

    def _found(self, rows: FunctionRows, candidates: Sequence[MatchedFunction]) -> Result:
        """The functions chosen among all of a name."""
        least = Strategy.OVERLOAD if len(rows) > 1 else Strategy.SCOPE
        return {one.value: max(one.strategy, least) for one in candidates}

    def _may_take(self, value: FunctionValue, call: OverloadedCall) -> bool:
        """True if the only function of a name may take the arguments."""
        return self.matched(value, call.arguments) is not None

    def _matching(self, rows: FunctionRows, call: OverloadedCall) -> Sequence[MatchedFunction]:
        """The functions that take the arguments as they are written."""
        key = ("matching", rows, self._form(call))
        matching = self._evaluation.engine.shared(key, lambda: self._candidates(rows, call), None)
        # text can be compared where a budget has ended, too
        return self._candidates(rows, call) if matching is None else matching

    def _form(self, call: OverloadedCall) -> Hashable:
        """Whatever decides which functions take the arguments as they are written."""
        return tuple(argument.name for argument in call.arguments)

    def _candidates(self, rows: FunctionRows, call: OverloadedCall) -> Sequence[MatchedFunction]:
        declaration_of = self._evaluation.declaration_of
        parameters_of = self._evaluation.parameters_of
        return [
            MatchedFunction(value, strategy, declaration_of(value), parameters_of(value), matches)
            for value, strategy in rows
            if (matches := self.matched(value, call.arguments)) is not None
        ]

    def matched(
        self, value: FunctionValue, items: Sequence[Argument | OverloadArgument]
    ) -> list[MatchedArgument] | None:
        """Parameters with their arguments; None if the number or the names don't fit."""
        if self._evaluation.file(value.path) is None:
            return None
        rows = self._evaluation.calls.parameters(value)
        if len(items) > len(rows) and all(row.kind == BindingKind.PARAMETER for row in rows):
            return None
        names = [item.name for item in items]
        placed = parameters_for(rows, names)
        if None in placed:
            return None
        # those behind the last argument, of which several may have no name
        count = sum(not name or name in SPREAD for name in names)
        left = [row for row in rows if row.kind == BindingKind.PARAMETER][count:]
        if "*" not in names and any(row.value == NONE and row.name not in names for row in left):
            return None
        return [MatchedArgument(row, at) for at, row in enumerate(placed) if row is not None]

    # by types

    def _chosen(
        self, candidates: Sequence[MatchedFunction], call: OverloadedCall
    ) -> Sequence[MatchedFunction]:
        """The candidates whose parameters fit the types of the arguments best."""
        if not candidates:
            return candidates
        functions = tuple((one.value, one.strategy) for one in candidates)
        key = ("chosen", functions, self._key(call))
        return self._evaluation.engine.shared(
            key, lambda: self._fitting(candidates, call), candidates
        )

    def _key(self, call: OverloadedCall) -> Hashable:
        """Whatever decides which functions take the arguments by their types."""
        return tuple(argument.key for argument in call.arguments)

    def _fitting(
        self, candidates: Sequence[MatchedFunction], call: OverloadedCall
    ) -> Sequence[MatchedFunction]:
        """The candidates of the best score."""
        scored = [
            (one, score)
            for one in candidates
            if (score := self.score(one, call.arguments)) is not None
        ]
        return [one for one, _ in best_by(scored, itemgetter(1))]

    def preferred(
        self, call: OverloadedCall, candidates: Sequence[MatchedFunction]
    ) -> Sequence[MatchedFunction]:
        """The functions that a call means among equally good ones."""
        del call
        return candidates

    def score(
        self, candidate: MatchedFunction, arguments: Sequence[OverloadArgument]
    ) -> tuple[int, ...] | None:
        """A score for the match of arguments with a function's parameters; None for a mismatch."""
        total, generic = 0, 0
        is_expanded = False
        matches, rows = candidate.matches, candidate.parameters
        for match in matches:
            declared = self._evaluation.calls.parameter_type(candidate.value, match.parameter)
            argument = arguments[match.position]
            if match.parameter.kind == BindingKind.VARIADIC:
                fit, is_spread = self._fit_rest(argument, declared, is_last=len(matches) == 1)
                is_expanded = is_expanded or is_spread
            else:
                fit = self._fit_match(candidate, match.parameter, argument, declared)
            if fit == NO:
                return None
            total += fit
            generic += any(isinstance(item, TypeParameter) for item in declared)
        is_expanded = is_expanded or (
            any(row.kind == BindingKind.VARIADIC for row in rows) and len(matches) < len(rows)
        )
        skipped = len(rows) - len({match.parameter.name for match in matches})
        rank = self.argument_rank(candidate, arguments)
        return total * 8 - generic, 0 if is_expanded else 1, -skipped, rank

    def argument_rank(
        self, candidate: MatchedFunction, arguments: Sequence[OverloadArgument]
    ) -> int:
        """An order of functions whose parameters fit the types of arguments equally well."""
        del candidate, arguments
        return 0

    def _fit_match(
        self,
        candidate: MatchedFunction,
        parameter: Binding,
        argument: OverloadArgument,
        declared: Result,
    ) -> int:
        """A score for an argument of a function with its parameter."""
        del candidate, parameter
        return self.fit(argument, declared)

    def _fit_rest(
        self, argument: OverloadArgument, declared: Result, *, is_last: bool
    ) -> tuple[int, bool]:
        """A score for a variadic argument, and whether it is one of several.

        A list of them may be given as well.
        """
        fit = self.fit(argument, declared)
        if fit != NO and is_last:
            return fit, False
        return self.fit(argument, self._evaluation.element(declared)) or fit, True

    def fit(self, argument: OverloadArgument, declared: Collection[Value]) -> int:
        """A score for the match of an argument with a parameter."""
        if argument.number == NONE or not declared:
            return MAYBE
        if argument.is_function:
            return max(self._fit_function(argument, value) for value in declared)
        return self.conversions.best(argument.given, declared)

    def _fit_function(self, argument: OverloadArgument, declared: Value) -> int:
        function_type = self._evaluation.calls.function_type(declared)
        if function_type is not None:
            return DERIVED if len(function_type[0]) == len(argument.parameters) else NO
        if isinstance(declared, Instance | TypeParameter):
            return MAYBE if isinstance(declared, TypeParameter) else NO
        known = isinstance(declared, ExternalInstance) and self._rules.is_plain(declared.name)
        return NO if known else MAYBE


def bodies(file: SourceFile) -> dict[int, frozenset[str]]:
    """The words for what bodies of function literals may give, by these."""
    return {
        clause.value: frozenset(clause.name.split())
        for clause in file.clauses.get(NONE, ())
        if clause.role == Role.BODY
    }


def undominated(candidates: Sequence[C], is_better: Callable[[C, C], bool]) -> Sequence[C]:
    """The candidates than which no other is better; all if there are none."""
    kept = [
        one
        for one in candidates
        if not any(other is not one and is_better(other, one) for other in candidates)
    ]
    return kept or candidates


def best_by(candidates: Sequence[C], rank: Callable[[C], Any]) -> Sequence[C]:
    """The candidates of the highest rank."""
    ranks = [rank(one) for one in candidates]
    best = max(ranks, default=None)
    return [one for one, each in zip(candidates, ranks, strict=True) if each == best]
