"""Overload resolution of Java: applicable methods in three phases, then the most specific one.

First arguments must be of the types of the parameters, then boxing is allowed, then a variable
number of arguments. All methods of a name that a class has, also by inheritance, take part, those
of the library, too; a method that another one overrides does not. Types count with their arguments
erased. A choice is sure if no type that it depends on is unknown.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.overloads import OverloadArgument, Overloads
from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import substituted
from code_graph.evaluate.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Result,
    Value,
)
from code_graph.expressions import NONE, Argument, Binding, BindingKind, Op, Role
from code_graph.languages.java.rules.conversions import (
    ARRAY_OF,
    NO,
    NOTHING,
    OUTSIDE,
    PARAMETER,
    UNKNOWN,
    UNSURE,
    YES,
    FunctionShape,
    JavaConversions,
    JavaType,
    written_type,
)
from code_graph.languages.java.rules.jdk import library_type, lines_of, simple_name
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

STRICT: Final = 1
LOOSE: Final = 2
VARIABLE: Final = 3
_PHASES: Final = (STRICT, LOOSE, VARIABLE)
_ABSTRACT_IN: Final = frozenset({"interface", "annotation"})


class _Candidate:
    """A method that may be called: one of the repository, or one of the library."""

    __slots__ = (
        "count", "is_abstract", "is_of_class", "is_variadic", "own", "strategy", "types", "value",
    )  # fmt: skip

    def __init__(
        self,
        value: FunctionValue | External,
        strategy: Strategy,
        count: int,
        *,
        is_variadic: bool,
    ) -> None:
        self.value = value
        self.strategy = strategy
        # of its parameters
        self.count = count
        self.is_variadic = is_variadic
        # what follows is found once it is compared with others
        self.types: list[JavaType] = []
        self.is_abstract = False
        self.is_of_class = False
        # the names of its own type parameters
        self.own: frozenset[str] = frozenset()

    def takes(self, count: int) -> bool:
        """True if it may have so many arguments."""
        return count == self.count or (self.is_variadic and count >= self.count - 1)

    def types_of(self, phase: int, count: int) -> list[JavaType] | None:
        """The types for so many arguments in a phase; None if it does not take part."""
        if phase != VARIABLE:
            return self.types if count == self.count else None
        if not self.is_variadic or count < self.count - 1:
            return None
        rest = self.types[-1].value
        element = rest if isinstance(rest, JavaType) else NOTHING
        fixed = self.types[:-1]
        return [*fixed, *([element] * (count - len(fixed)))]


class JavaOverloads(Overloads):
    """Chooses among methods and constructors."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        super().__init__(evaluation, rules)
        self.conversions = JavaConversions(evaluation)

    def choose(
        self,
        file: SourceFile,
        functions: Result,
        items: Sequence[Argument],
        call: int = NONE,
    ) -> Result:
        """The methods that a call may mean: one, as far as the types of arguments are known."""
        del call
        others: Result = {}
        seen: list[tuple[FunctionValue, Strategy]] = []
        for value, strategy in functions.items():
            if not isinstance(value, FunctionValue):
                others[value] = strategy
            elif self._is_seen(file, value):
                seen.append((value, strategy))
        functions_seen, count = tuple(seen), len(items)
        candidates = self._taking(functions_seen, count)
        if len(candidates) <= 1:
            return {one.value: one.strategy for one in candidates} | others
        arguments = [
            _CallArgument(self._evaluation, self.conversions, file, item.value) for item in items
        ]
        if any(argument.is_lambda for argument in arguments):
            chosen, is_sure = self._chosen(candidates, arguments)
        else:
            chosen, is_sure = self._evaluation.engine.shared(
                ("chosen", functions_seen, count, tuple(argument.key for argument in arguments)),
                lambda: self._chosen(candidates, arguments),
                (candidates, False),
            )
        least = Strategy.SCOPE if is_sure and len(chosen) == 1 else Strategy.OVERLOAD
        return {one.value: max(one.strategy, least) for one in chosen} | others

    def _taking(
        self, functions: tuple[tuple[FunctionValue, Strategy], ...], count: int
    ) -> list[_Candidate]:
        """The methods that take so many arguments, those of the library, too."""

        def compute() -> list[_Candidate]:
            rows = self._with_library([self._candidate(value, how) for value, how in functions])
            candidates = [one for one in rows if one.takes(count)]
            if len(candidates) > 1:
                for one in candidates:
                    self._compare(one)
                candidates = self._without_overridden(candidates)
            return candidates

        return self._evaluation.engine.shared(("overloads", functions, count), compute, [])

    def referred(self, file: SourceFile, number: int, functions: Result) -> Result:
        """The methods that a reference such as `A::f` means, by the function that is expected."""
        candidates = [
            self._candidate(value, strategy)
            for value, strategy in functions.items()
            if isinstance(value, FunctionValue) and self._is_seen(file, value)
        ]
        for one in candidates:
            self._compare(one)
        candidates = self._without_overridden(candidates)
        given = self._expected(file, number) if len(candidates) > 1 else None
        chosen = candidates if given is None else self._suiting(candidates, given) or candidates
        return {one.value: max(one.strategy, Strategy.OVERLOAD) for one in chosen}

    def _suiting(
        self, candidates: list[_Candidate], given: list[_TypedArgument]
    ) -> list[_Candidate]:
        """The methods that take these arguments, or the first one as their object."""
        found: list[_Candidate] = []
        for is_unbound in (False, True) if given else (False,):
            arguments = given[1:] if is_unbound else given
            rows = [
                one
                for one in candidates
                if self._is_unbound(one.value) == is_unbound and one.takes(len(arguments))
            ]
            found += self._chosen(rows, arguments)[0] if len(rows) > 1 else rows
        return found

    def _is_unbound(self, value: FunctionValue | External) -> bool:
        """True for a method of objects that is named by its class: the first argument is one."""
        if not isinstance(value, FunctionValue) or not isinstance(value.receiver, ClassValue):
            return False
        item = self._evaluation.declaration_of(value)
        return item is not None and "static" not in item.modifiers

    def _expected(self, file: SourceFile, number: int) -> list[_TypedArgument] | None:
        """The arguments that the function has which a place expects; None if it is not known."""
        calls = self._evaluation.calls
        expected = [
            (value, shape)
            for value in calls.expected_types(file, number)
            if (shape := self.conversions.function_of(self.conversions.typed(value)))
        ]
        if len({shape.takes for _, shape in expected}) > 1:
            return None
        for value, shape in expected:
            typed = calls.function_type(value)
            rows = typed[0] if typed is not None and len(typed[0]) == shape.takes else ()
            types = [[self.conversions.typed(one) for one in row] for row in rows]
            types = types or [[] for _ in range(shape.takes)]
            return [_TypedArgument(self.conversions, each) for each in types]
        context = self._evaluation.types.table(file).expected.get(number)
        if context is None or context.kind != "call":
            return None
        count = len(file.expressions[context.number].items)
        for value in self._evaluation.callees(file, context.number):
            if isinstance(value, External):
                owner, _, name = value.name.rpartition(".")
                takes = {
                    shape.takes
                    for one in self._of_library(simple_name(owner), name)
                    if one.count == count
                    if (shape := self.conversions.function_of(one.types[context.position]))
                }
                if len(takes) == 1:
                    return [_TypedArgument(self.conversions, []) for _ in range(takes.pop())]
        return None

    # candidates

    def _is_seen(self, file: SourceFile, value: FunctionValue) -> bool:
        """False for a private method of another file, and one of another package's own."""
        if value.path == file.path:
            return True
        other = self._evaluation.file(value.path)
        if other is None:
            return False
        declaration = other.code.scopes[value.scope].declaration
        access = other.declarations[declaration].access if declaration != NONE else ""
        if access == "package":
            package = self._evaluation.types.table(file).package
            return self._evaluation.types.table(other).package == package
        return access != "private"

    def _candidate(self, value: FunctionValue, strategy: Strategy) -> _Candidate:
        owner = self._evaluation.file(value.path)
        rows = [] if owner is None else owner.parameters.get(value.scope, [])
        is_variadic = bool(rows) and rows[-1].kind == BindingKind.VARIADIC
        return _Candidate(value, strategy, len(rows), is_variadic=is_variadic)

    def _compare(self, one: _Candidate) -> None:
        """Find what a method of the repository is compared by."""
        value = one.value
        owner = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if owner is None or not isinstance(value, FunctionValue):
            return
        rows = owner.parameters.get(value.scope, [])
        one.types = self._evaluation.engine.shared(
            ("types of parameters", value),
            lambda: [self._declared(owner, value, row) for row in rows],
            [NOTHING] * len(rows),
        )
        declaration = owner.code.scopes[value.scope].declaration
        if declaration != NONE:
            item = owner.declarations[declaration]
            holder = owner.declarations[item.parent].kind if item.parent >= 0 else ""
            is_default = bool({"default", "static"} & item.modifiers)
            one.is_abstract = "abstract" in item.modifiers or (
                holder in _ABSTRACT_IN and not is_default
            )
            one.is_of_class = holder not in _ABSTRACT_IN
            one.own = frozenset(self._evaluation.calls.type_parameters(value))

    def _declared(self, owner: SourceFile, value: FunctionValue, row: Binding) -> JavaType:
        """The type of a parameter, for the receiver of its method."""
        found = self._evaluation.types.of(owner, row.annotation)
        declaration = owner.code.scopes[value.scope].declaration
        if declaration != NONE and value.receiver is not None:
            self._evaluation.classes.depend_on_declaration(owner, declaration)
            holder = self._evaluation.classes.owner_of(owner, declaration)
            if holder is not None:
                given = self._evaluation.classes.given_at(value.receiver, holder.path, holder.scope)
                found = substituted(found, given)
        return next(map(self.conversions.typed, found), NOTHING)

    def _with_library(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """The candidates with the library's methods that the same object has."""
        first = candidates[0].value if candidates else None
        receiver = first.receiver if isinstance(first, FunctionValue) else None
        if not isinstance(receiver, Instance | ClassValue) or not isinstance(first, FunctionValue):
            return candidates
        order = self._evaluation.classes.ancestors(receiver.path, receiver.scope)
        name = self._name(first) if any(item.external for item in order) else ""
        found = [
            (at, one)
            for at, item in enumerate(order)
            if item.external and name
            for one in self._of_library(simple_name(item.external), name)
        ]
        if not found:
            return candidates
        places = {(item.path, item.scope): at for at, item in enumerate(order)}
        found += [(self._rank(one, places), one) for one in candidates]
        found.sort(key=lambda pair: pair[0])
        return [one for _, one in found]

    def _name(self, value: FunctionValue) -> str:
        """The name of a method; empty for a constructor."""
        item = self._evaluation.declaration_of(value)
        return "" if item is None or item.kind != "method" else item.name

    def _holder(self, value: FunctionValue | External) -> ClassValue | None:
        """The class that declares a method of the repository."""
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return None
        declaration = file.code.scopes[value.scope].declaration
        return self._evaluation.classes.owner_of(file, declaration) if declaration >= 0 else None

    def _rank(self, one: _Candidate, places: dict[tuple[str, int], int]) -> int:
        """The place of a method's class among the bases of its object."""
        holder = self._holder(one.value)
        return 0 if holder is None else places.get((holder.path, holder.scope), 0)

    def _of_library(self, owner: str, name: str) -> Iterable[_Candidate]:
        for declared, _ in lines_of(owner):
            for method in declared.methods.get(name, ()):
                one = _Candidate(
                    External(f"{declared.name}.{name}"),
                    Strategy.RECEIVER,
                    len(method.parameters),
                    is_variadic=method.is_variadic,
                )
                one.types = [written_type(each) for each in method.parameters]
                one.is_abstract = not declared.is_class
                yield one

    def _without_overridden(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """The candidates without those that one of a nearer type has the parameters of."""
        kept: list[_Candidate] = []
        places: dict[tuple[JavaType, ...], int] = {}
        for one in candidates:
            types = tuple(map(self._erased, one.types))
            if any(each.kind == UNKNOWN for each in types):
                kept.append(one)
            elif types not in places:
                places[types] = len(kept)
                kept.append(one)
            elif self._precedes(one, kept[places[types]]):
                kept[places[types]] = one
        return kept

    def _precedes(self, one: _Candidate, other: _Candidate) -> bool:
        """True if a method is meant where another of its parameters comes from a nearer type."""
        is_outside = isinstance(other.value, External) and isinstance(one.value, FunctionValue)
        if one.is_abstract != other.is_abstract:
            if one.is_abstract:
                return self._is_made_abstract(one, other)
            return not self._is_made_abstract(other, one)
        return (one.is_abstract and is_outside) or self._is_below(one, other)

    def _is_made_abstract(self, one: _Candidate, other: _Candidate) -> bool:
        """True if a class has made a method abstract again that one above it has a body of."""
        if not one.is_of_class or not isinstance(one.value, FunctionValue):
            return False
        return isinstance(other.value, External) or self._is_below(one, other)

    def _is_below(self, one: _Candidate, other: _Candidate) -> bool:
        """True if the type of a method is derived from that of another."""
        mine, theirs = self._holder(one.value), self._holder(other.value)
        if mine is None or theirs is None:
            return False
        order = self._evaluation.classes.ancestors(mine.path, mine.scope)[1:]
        return any((item.path, item.scope) == (theirs.path, theirs.scope) for item in order)

    def _erased(self, one: JavaType) -> JavaType:
        """A type parameter as the first type that it is limited to; so in an array."""
        if one.kind == ARRAY_OF and isinstance(one.value, JavaType):
            element = self._erased(one.value)
            return element if element.kind == UNKNOWN else one._replace(value=element)
        return self._limit(one)

    def _limit(self, one: JavaType) -> JavaType:
        for _ in range(3):
            if one.kind != PARAMETER:
                break
            one = self.conversions.bounds(one)[0]
        return one

    # applicable methods

    def _chosen(
        self, candidates: list[_Candidate], arguments: Sequence[_TypedArgument]
    ) -> tuple[list[_Candidate], bool]:
        """The candidates that are left, and whether nothing that is unknown had a part in it."""
        is_sure = True
        unsure: tuple[list[tuple[_Candidate, int]], int] | None = None
        for phase in _PHASES:
            fits: list[tuple[_Candidate, int]] = []
            for one in candidates:
                types = one.types_of(phase, len(arguments))
                if types is None:
                    continue
                fit = min(
                    (
                        argument.fits(declared, phase)
                        for argument, declared in zip(arguments, types, strict=True)
                    ),
                    default=YES,
                )
                is_sure = is_sure and fit != UNSURE
                if fit != NO:
                    fits.append((one, fit))
            if any(fit == YES for _, fit in fits):
                return self._most_specific(fits, arguments, phase), is_sure
            unsure = unsure or ((fits, phase) if fits else None)
        return (
            self._most_specific(unsure[0], arguments, unsure[1]) if unsure else candidates
        ), False

    def _most_specific(
        self, fits: list[tuple[_Candidate, int]], arguments: Sequence[_TypedArgument], phase: int
    ) -> list[_Candidate]:
        rows = [one for one, _ in fits]
        best = [
            one
            for one in rows
            if all(
                one is other or self._is_as_specific(one, other, arguments, phase) for other in rows
            )
        ]
        if not best:
            sure = [one for one, fit in fits if fit == YES]
            if len(sure) == 1:
                return sure
            return self._maximal(rows, arguments, phase)
        concrete = [one for one in best if not one.is_abstract]
        return (concrete or best)[:1]

    def _maximal(
        self, rows: list[_Candidate], arguments: Sequence[_TypedArgument], phase: int
    ) -> list[_Candidate]:
        """The candidates than which no other is more specific."""
        found = [
            one
            for one in rows
            if not any(
                other is not one
                and self._is_as_specific(other, one, arguments, phase)
                and not self._is_as_specific(one, other, arguments, phase)
                for other in rows
            )
        ]
        return found or rows

    def _is_as_specific(
        self, one: _Candidate, other: _Candidate, arguments: Sequence[_TypedArgument], phase: int
    ) -> bool:
        count = len(arguments)
        if phase == VARIABLE:
            count = max(count, len(one.types), len(other.types))
        mine, theirs = one.types_of(phase, count), other.types_of(phase, count)
        if mine is None or theirs is None:
            return False
        return all(
            self._is_as_specific_type(
                a, b, other.own, arguments[at] if at < len(arguments) else None
            )
            for at, (a, b) in enumerate(zip(mine, theirs, strict=True))
        )

    def _is_as_specific_type(
        self, one: JavaType, other: JavaType, own: frozenset[str], argument: _TypedArgument | None
    ) -> bool:
        if one == other:
            return True
        if other.kind == PARAMETER and other.name in own:
            other = self._limit(other)
        if self.conversions.is_sub(one, other) == YES:
            return True
        if argument is None or not argument.is_function:
            return False
        mine, theirs = self.conversions.function_of(one), self.conversions.function_of(other)
        if mine is None or theirs is None or mine.takes != theirs.takes:
            return False
        if not theirs.gives:
            return mine.gives
        return mine.gives and self._gives_better(one, other, argument)

    def _gives_better(self, one: JavaType, other: JavaType, argument: _TypedArgument) -> bool:
        """True if the result of one interface suits a function at least as well."""
        mine, theirs = self._result(one), self._result(other)
        if mine is None or theirs is None:
            return False
        if "primitive" in {mine.kind, theirs.kind} and mine.kind != theirs.kind:
            given = argument.results()
            is_plain = bool(given) and all(each.kind == "primitive" for each in given)
            return (mine.kind == "primitive") == is_plain
        return self.conversions.is_sub(mine, theirs) == YES

    def _result(self, one: JavaType) -> JavaType | None:
        """The type of what an interface of the library gives."""
        declared = library_type(one.name) if one.kind == OUTSIDE else None
        function = None if declared is None else declared.function
        return None if function is None else written_type(function.result)


class _TypedArgument:
    """An argument of which the types are known, or nothing is."""

    is_function = False

    def __init__(self, conversions: JavaConversions, types: list[JavaType]) -> None:
        self._conversions = conversions
        self.types = types

    def fits(self, declared: JavaType, phase: int) -> int:
        """The answer whether the argument suits a parameter in a phase."""
        convert = self._conversions.is_sub if phase == STRICT else self._conversions.converts
        found = {convert(one, declared) for one in self.types}
        return found.pop() if len(found) == 1 else UNSURE

    def results(self) -> list[JavaType]:
        """The types of what a lambda gives; this is none."""
        return []


class _CallArgument(_TypedArgument):
    """An argument of a call, whose types are found once."""

    def __init__(
        self,
        evaluation: DeclaredEvaluation,
        conversions: JavaConversions,
        file: SourceFile,
        number: int,
    ) -> None:
        super().__init__(conversions, [])
        argument = OverloadArgument(evaluation, file, number)
        self._evaluation = evaluation
        self._file = file
        self._number = number
        self.functions: list[Value] = []
        self.is_lambda = argument.is_function
        self.is_group = False
        item = argument.item
        if item is not None and not self.is_lambda:
            values = argument.values
            self.functions = [value for value in values if isinstance(value, FunctionValue)]
            self.is_group = bool(self.functions) or self._is_outside_group(
                item.op, item.name, values
            )
            if not self.is_group:
                self.types = self._conversions.of_expression(file, number)
        self.is_function = self.is_lambda or self.is_group

    def _is_outside_group(self, op: int, name: str, values: Result) -> bool:
        """True for a reference to a method of the library, or to a constructor."""
        if op != Op.MEMBER:
            return False
        if name == "new":
            return True
        for value in values:
            if isinstance(value, External):
                owner, _, own = value.name.rpartition(".")
                declared = library_type(simple_name(owner))
                return declared is not None and own in declared.methods
        return False

    @property
    def key(self) -> Hashable:
        """Whatever decides which methods take the argument, if that is no lambda."""
        return tuple(self.functions), tuple(self.types), self.is_group, self._is_either()

    def fits(self, declared: JavaType, phase: int) -> int:
        """The answer whether the argument suits a parameter in a phase."""
        if self.is_function:
            return self._fits_function(declared)
        is_either = len(self.types) > 1 and self._is_either()
        if not is_either:
            return super().fits(declared, phase)
        convert = self._conversions.is_sub if phase == STRICT else self._conversions.converts
        return min(convert(one, declared) for one in self.types)

    def _is_either(self) -> bool:
        number = self._number
        return number != NONE and self._file.expressions[number].op == Op.EITHER

    def _fits_function(self, declared: JavaType) -> int:
        if declared.kind == PARAMETER:
            return UNSURE
        wanted = self._conversions.function_of(declared)
        if wanted is not None:
            return self._fits_lambda(wanted) if self.is_lambda else self._fits_group(wanted)
        is_outside = declared.kind == OUTSIDE and library_type(declared.name) is None
        return UNSURE if is_outside or declared.kind == UNKNOWN else NO

    def _fits_group(self, wanted: FunctionShape) -> int:
        """The answer for a reference to methods."""
        if not self.functions:
            return UNSURE
        shapes = [self._shape(value) for value in self.functions]
        if not any(shape is None or wanted.takes in shape[0] for shape in shapes):
            return NO
        first = shapes[0]
        gives_nothing = len(shapes) == 1 and first is not None and not first[1]
        return NO if gives_nothing and wanted.gives else YES

    def _shape(self, value: Value) -> tuple[set[int], bool] | None:
        """The numbers of arguments that a method may take, and whether it gives a value."""
        if not isinstance(value, FunctionValue):
            return None
        shape: FunctionShape | None = self._conversions.shape_of(value)
        if shape is None:
            return None
        counts = {shape.takes}
        if isinstance(value.receiver, ClassValue):
            counts.add(shape.takes + 1)
        return counts, shape.gives

    def _fits_lambda(self, wanted: FunctionShape) -> int:
        scope = self._file.expressions[self._number].of
        rows = self._file.parameters.get(scope, ())
        if len(rows) != wanted.takes:
            return NO
        marks = self._marks()
        if not marks:
            return UNSURE
        if wanted.gives:
            if "value" not in marks:
                return NO
            if "void" in marks and not rows and self._gives_nothing():
                return NO
            return YES
        return YES if "void" in marks else NO

    def _marks(self) -> frozenset[str]:
        """The words for what the body of the lambda may give: a value, nothing, or either."""
        for item in self._file.clauses.get(NONE, ()):
            if item.role == Role.BODY and item.value == self._number:
                return frozenset(item.name.split())
        return frozenset()

    def _gives_nothing(self) -> bool:
        """True if the body is a call of methods without a result."""
        scope = self._file.expressions[self._number].of
        calls = [item.value for item in self._file.results.get(scope, ())]
        if len(calls) != 1 or self._file.expressions[calls[0]].op != Op.CALL:
            return False
        found = self._evaluation.callees(self._file, calls[0])
        shapes = [self._conversions.shape_of(v) for v in found if isinstance(v, FunctionValue)]
        return bool(shapes) and all(shape is not None and not shape.gives for shape in shapes)

    def results(self) -> list[JavaType]:
        """The types of what the lambda gives."""
        scope = self._file.expressions[self._number].of if self.is_lambda else NONE
        found: list[JavaType] = []
        for item in self._file.results.get(scope, ()) if scope != NONE else ():
            found += self._conversions.of_expression(self._file, item.value)
        return found
