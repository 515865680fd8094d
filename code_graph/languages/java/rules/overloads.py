"""Overload resolution of Java: applicable methods in three phases, then the most specific one.

First arguments must be of the types of the parameters, then boxing is allowed, then a variable
number of arguments. All methods of a name that a class has, also by inheritance, take part, those
of the library, too; a method that another one overrides does not. Types count with their arguments
erased. A choice is sure if no type that it depends on is unknown.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cache, cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Final, cast

from code_graph.declared.conversions import CONVERTED, MAYBE, NO
from code_graph.declared.overloads import (
    FunctionRows,
    OverloadArgument,
    OverloadedCall,
    Overloads,
    undominated,
)
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    TypeParameter,
    Value,
)
from code_graph.expressions import NONE, Argument, Binding, BindingKind, Op
from code_graph.languages.java.rules.conversions import (
    NOTHING,
    FunctionShape,
    JavaConversions,
    array_of,
    element_of,
    is_primitive,
    is_unlisted,
    written_type,
)
from code_graph.languages.java.rules.jdk import library_type, lines_of, simple_name
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

STRICT: Final = 1
LOOSE: Final = 2
VARIABLE: Final = 3
_PHASES: Final = (STRICT, LOOSE, VARIABLE)
_ABSTRACT_IN: Final = frozenset({"interface", "annotation"})


class JavaMethod(NamedTuple):
    """A method that may be called, of the repository or of the library."""

    value: FunctionValue | External
    strategy: Strategy
    types: Sequence[Value] = ()
    is_variadic: bool = False
    is_abstract: bool = False
    is_of_class: bool = False
    # the names of its own type parameters, and the type that declares it
    own: frozenset[str] = frozenset()
    holder: ClassValue | None = None

    def takes(self, count: int) -> bool:
        """True if it takes this number of arguments."""
        return _takes(len(self.types), count, is_variadic=self.is_variadic)

    def types_of(self, phase: int, count: int) -> Sequence[Value] | None:
        """The types for a number of arguments in a phase; None if it does not take part."""
        if phase != VARIABLE:
            return self.types if count == len(self.types) else None
        if not self.is_variadic or count < len(self.types) - 1:
            return None
        *fixed, rest = self.types
        return [*fixed, *([element_of(rest)] * (count - len(fixed)))]


class JavaArgument(OverloadArgument):
    """An argument, whose types are found once, or known without its expression."""

    def __init__(
        self,
        evaluation: DeclaredEvaluation,
        file: SourceFile,
        written: Argument,
        types: list[Value] | None = None,
    ) -> None:
        super().__init__(evaluation, file, written)
        self._conversions = cast("JavaConversions", evaluation.calls.overloads.conversions)
        self._types = types

    @cached_property
    def types(self) -> list[Value]:
        """The possible types of its values; none if it stands for a function."""
        if self._types is not None:
            return self._types
        if self.item is None or self.is_functional:
            return []
        return self._conversions.of_expression(self.file, self.number)

    @cached_property
    def functions(self) -> list[FunctionValue]:
        """The methods that it refers to."""
        if self.is_function:
            return []
        return [value for value in self.values if isinstance(value, FunctionValue)]

    @cached_property
    def is_functional(self) -> bool:
        """True for a lambda, and a reference to methods."""
        return self.is_function or bool(self.functions) or self._is_outside_group()

    def _is_outside_group(self) -> bool:
        """True for a reference to a method of the library, or to a constructor."""
        if self.item is None or self.item.op != Op.MEMBER:
            return False
        if self.item.name == "new":
            return True
        for value in self.values:
            if isinstance(value, External):
                owner, _, own = value.name.rpartition(".")
                declared = library_type(simple_name(owner))
                return declared is not None and own in declared.methods
        return False

    @property
    def key(self) -> Hashable:
        """Whatever decides which methods take the argument: of a lambda, its place."""
        if self.is_function:
            return super().key
        return tuple(self.functions), tuple(self.types), self.is_functional, self._is_either()

    def _is_either(self) -> bool:
        return self.item is not None and self.item.op == Op.EITHER

    def fits(self, declared: Value, phase: int) -> int:
        """The answer whether the argument suits a parameter in a phase."""
        if self.is_functional:
            return self._fits_function(declared)
        convert = self._conversions.fits if phase == STRICT else self._conversions.boxed
        fits = [convert(one, declared) for one in self.types] or [MAYBE]
        is_sure = self._is_either() or min(fits) >= CONVERTED or min(fits) == max(fits)
        return min(fits) if is_sure else MAYBE

    def _fits_function(self, declared: Value) -> int:
        if isinstance(declared, TypeParameter):
            return MAYBE
        wanted = self._conversions.function_of(declared)
        if wanted is not None:
            return self._fits_lambda(wanted) if self.is_function else self._fits_group(wanted)
        return MAYBE if is_unlisted(declared) else NO

    def _fits_group(self, wanted: FunctionShape) -> int:
        """The answer for a reference to methods."""
        if not self.functions:
            return MAYBE
        shapes = [self._conversions.shape_of(value) for value in self.functions]
        if not any(
            shape is None
            or shape.takes == wanted.takes
            # the first argument is the object of a method that its class names
            or (isinstance(value.receiver, ClassValue) and shape.takes + 1 == wanted.takes)
            for value, shape in zip(self.functions, shapes, strict=True)
        ):
            return NO
        gives_nothing = len(shapes) == 1 and shapes[0] is not None and not shapes[0].gives
        return NO if gives_nothing and wanted.gives else CONVERTED

    def _fits_lambda(self, wanted: FunctionShape) -> int:
        if len(self.parameters) != wanted.takes:
            return NO
        body = self.body
        if not body:
            return MAYBE
        if wanted.gives:
            is_empty = "void" in body and not wanted.takes and self._gives_nothing()
            return CONVERTED if "value" in body and not is_empty else NO
        return CONVERTED if "void" in body else NO

    def _gives_nothing(self) -> bool:
        """True if the body is a call of methods without a result."""
        calls = self.results
        if len(calls) != 1 or self.file.expressions[calls[0]].op != Op.CALL:
            return False
        is_void = self._evaluation.calls.is_void
        functions = self._evaluation.callees(self.file, calls[0])
        gives = [not is_void(v) for v in functions if isinstance(v, FunctionValue)]
        return bool(gives) and not any(gives)

    @property
    def results(self) -> list[int]:
        """The expressions that a lambda gives."""
        item = self.item if self.is_function else None
        return [] if item is None else [row.value for row in self.file.results.get(item.of, ())]

    def types_of_results(self) -> list[Value]:
        """The types of the results of a lambda."""
        of_expression = self._conversions.of_expression
        return [one for number in self.results for one in of_expression(self.file, number)]


class JavaOverloads(Overloads):
    """Chooses among methods and constructors."""

    argument_type = JavaArgument
    conversions: JavaConversions

    def choose(
        self, file: SourceFile, functions: Result, items: Sequence[Argument], call: int = NONE
    ) -> Result:
        """The methods that a call may mean: one, as far as the types of arguments are known."""
        seen = {value: how for value, how in functions.items() if self._is_seen(file, value)}
        return super().choose(file, seen, items, call)

    def _owner(self, value: FunctionValue) -> object:
        """One owner for all: methods of bases take part."""
        del value
        return None

    def _best(self, rows: FunctionRows, call: OverloadedCall, *, is_sole: bool) -> Result:
        del is_sole  # the library may have others
        count, shared = len(call.arguments), self._evaluation.engine.shared
        methods = shared(("matching", rows, count), lambda: self._methods(rows, count), [])
        if len(methods) <= 1:
            return {one.value: one.strategy for one in methods}
        arguments = cast("list[JavaArgument]", call.arguments)
        chosen, is_sure = shared(
            ("chosen", rows, self._key(call)),
            lambda: self._applicable(methods, arguments),
            (methods, False),
        )
        least = Strategy.SCOPE if is_sure and len(chosen) == 1 else Strategy.OVERLOAD
        return {one.value: max(one.strategy, least) for one in chosen}

    def _methods(self, rows: FunctionRows, count: int) -> list[JavaMethod]:
        """The methods that take this number of arguments, also of the library."""
        own = [row for row in rows if self._takes(row[0], count)]
        bases, name = self._bases(rows[0][0]), self._evaluation.name_of(rows[0][0])
        library = [
            (at, one)
            for at, base in enumerate(bases)
            if base.external
            for one in self._of_library(simple_name(base.external), name)
            if one.takes(count)
        ]
        if len(own) + len(library) <= 1:
            return [JavaMethod(value, how) for value, how in own] + [one for _, one in library]
        methods = [self._method(value, how) for value, how in own]
        if library:
            places = {base[:2]: at for at, base in enumerate(bases)}
            ranked = [
                (places.get(one.holder[:2], 0) if one.holder is not None else 0, one)
                for one in methods
            ]
            ranked = [*library, *ranked]
            methods = [one for _, one in sorted(ranked, key=itemgetter(0))]
        return self._without_overridden(methods)

    def referred(self, file: SourceFile, number: int, functions: Result) -> Result:
        """The methods that a reference such as `A::f` means, by the function that is expected."""
        methods = [
            self._method(value, strategy)
            for value, strategy in functions.items()
            if isinstance(value, FunctionValue) and self._is_seen(file, value)
        ]
        candidates = self._without_overridden(methods)
        given = self._expected(file, number) if len(candidates) > 1 else None
        chosen = candidates if given is None else self._suiting(candidates, given) or candidates
        return {one.value: max(one.strategy, Strategy.OVERLOAD) for one in chosen}

    def _suiting(self, candidates: list[JavaMethod], given: list[JavaArgument]) -> list[JavaMethod]:
        """The methods that take these arguments, or the first one as their object."""
        found: list[JavaMethod] = []
        for is_unbound in (False, True) if given else (False,):
            arguments = given[1:] if is_unbound else given
            rows = [
                one
                for one in candidates
                if self._is_unbound(one.value) == is_unbound and one.takes(len(arguments))
            ]
            found += self._applicable(rows, arguments)[0] if len(rows) > 1 else rows
        return found

    def _is_unbound(self, value: FunctionValue | External) -> bool:
        """True for a method of objects that is named by its class: the first argument is one."""
        if not isinstance(value, FunctionValue) or not isinstance(value.receiver, ClassValue):
            return False
        item = self._evaluation.declaration_of(value)
        return item is not None and "static" not in item.modifiers

    def _expected(self, file: SourceFile, number: int) -> list[JavaArgument] | None:
        """The arguments that the function has which a place expects; None if it is not known."""
        calls = self._evaluation.calls
        expected = [
            (value, shape)
            for value in calls.expected_types(file, number)
            if (shape := self.conversions.function_of(self.conversions.erased(value)))
        ]
        if len({shape.takes for _, shape in expected}) > 1:
            return None
        for value, shape in expected:
            typed = calls.function_type(value)
            rows = typed[0] if typed is not None and len(typed[0]) == shape.takes else ()
            types = [[self.conversions.erased(one) for one in row] for row in rows]
            types = types or [[] for _ in range(shape.takes)]
            return [self._typed(file, each) for each in types]
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
                    if len(one.types) == count
                    if (shape := self.conversions.function_of(one.types[context.position]))
                }
                if len(takes) == 1:
                    return [self._typed(file, []) for _ in range(takes.pop())]
        return None

    def _typed(self, file: SourceFile, types: list[Value]) -> JavaArgument:
        """An argument whose types alone are known."""
        return JavaArgument(self._evaluation, file, Argument(NONE), types)

    # candidates

    def _is_seen(self, file: SourceFile, value: Value) -> bool:
        """False for a private method of another file, or one private to another package."""
        if not isinstance(value, FunctionValue) or value.path == file.path:
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

    def _takes(self, value: FunctionValue, count: int) -> bool:
        rows = self._evaluation.parameters_of(value)
        return _takes(len(rows), count, is_variadic=_is_variadic(rows))

    def _method(self, value: FunctionValue, strategy: Strategy) -> JavaMethod:
        """A method of the repository, and what it is compared by."""
        rows = self._evaluation.parameters_of(value)
        owner = self._evaluation.file(value.path)
        if owner is None:
            return JavaMethod(value, strategy)
        types = self._evaluation.engine.shared(
            ("types of parameters", value),
            lambda: [self._type_of(value, row) for row in rows],
            [NOTHING] * len(rows),
        )
        declaration = owner.code.scopes[value.scope].declaration
        if declaration == NONE:
            return JavaMethod(value, strategy, types, _is_variadic(rows))
        item = owner.declarations[declaration]
        is_of_class = item.parent < 0 or owner.declarations[item.parent].kind not in _ABSTRACT_IN
        is_default = is_of_class or bool({"default", "static"} & item.modifiers)
        return JavaMethod(
            value,
            strategy,
            types,
            is_variadic=_is_variadic(rows),
            is_abstract="abstract" in item.modifiers or not is_default,
            is_of_class=is_of_class,
            own=frozenset(self._evaluation.calls.type_parameters(value)),
            holder=self._evaluation.classes.owner_of(owner, declaration),
        )

    def _type_of(self, value: FunctionValue, row: Binding) -> Value:
        """The type of a parameter, for the receiver of its method."""
        declared = self._evaluation.calls.parameter_type(value, row)
        return next(map(self.conversions.erased, declared), NOTHING)

    def _bases(self, value: FunctionValue) -> Sequence[Ancestor]:
        """The types of a method's object, the nearest first; none for a constructor."""
        receiver, item = value.receiver, self._evaluation.declaration_of(value)
        is_method = item is not None and item.kind == "method"
        if not is_method or not isinstance(receiver, Instance | ClassValue):
            return ()
        return self._evaluation.classes.ancestors(receiver.path, receiver.scope)

    def _of_library(self, owner: str, name: str) -> Iterable[JavaMethod]:
        for declared, _ in lines_of(owner):
            for method in declared.methods.get(name, ()):
                yield JavaMethod(
                    External(f"{declared.name}.{name}"),
                    Strategy.RECEIVER,
                    [written_type(each) for each in method.parameters],
                    is_variadic=method.is_variadic,
                    is_abstract=not declared.is_class,
                )

    def _without_overridden(self, candidates: list[JavaMethod]) -> list[JavaMethod]:
        """The candidates without overridden ones of farther types."""
        kept: list[JavaMethod] = []
        places: dict[tuple[Value, ...], int] = {}
        for one in candidates:
            types = tuple(map(self._limit, one.types))
            if NOTHING in types:
                kept.append(one)
            elif types not in places:
                places[types] = len(kept)
                kept.append(one)
            elif self._precedes(one, kept[places[types]]):
                kept[places[types]] = one
        return kept

    def _precedes(self, one: JavaMethod, other: JavaMethod) -> bool:
        """True if a method is meant where another of its parameters comes from a nearer type."""
        is_outside = isinstance(other.value, External) and isinstance(one.value, FunctionValue)
        if one.is_abstract != other.is_abstract:
            if one.is_abstract:
                return self._is_made_abstract(one, other)
            return not self._is_made_abstract(other, one)
        return (one.is_abstract and is_outside) or self._is_below(one, other)

    def _is_made_abstract(self, one: JavaMethod, other: JavaMethod) -> bool:
        """True if a class has made a method abstract again that one above it has a body of."""
        if not one.is_of_class or not isinstance(one.value, FunctionValue):
            return False
        return isinstance(other.value, External) or self._is_below(one, other)

    def _is_below(self, one: JavaMethod, other: JavaMethod) -> bool:
        """True if the type of a method is derived from that of another."""
        mine, theirs = one.holder, other.holder
        if mine is None or theirs is None or mine == theirs:
            return False
        return self._evaluation.classes.is_subclass(mine, theirs)

    def _limit(self, one: Value) -> Value:
        """A type parameter as the first type that it is limited to; so in an array."""
        element = element_of(one)
        if element != NOTHING:
            limit = self._limit(element)
            return limit if limit == NOTHING else array_of(limit)
        for _ in range(3):
            if isinstance(one, TypeParameter):
                one = self.conversions.bounds(one)[0]
        return one

    # applicable methods

    def _applicable(
        self, candidates: list[JavaMethod], arguments: Sequence[JavaArgument]
    ) -> tuple[list[JavaMethod], bool]:
        """The candidates that are left, and whether nothing that is unknown had a part in it."""
        is_sure = True
        unsure: tuple[list[tuple[JavaMethod, int]], int] | None = None
        for phase in _PHASES:
            fits: list[tuple[JavaMethod, int]] = []
            for one in candidates:
                types = one.types_of(phase, len(arguments))
                if types is None:
                    continue
                fit = min(
                    (
                        argument.fits(declared, phase)
                        for argument, declared in zip(arguments, types, strict=True)
                    ),
                    default=CONVERTED,
                )
                is_sure = is_sure and fit != MAYBE
                if fit != NO:
                    fits.append((one, fit))
            if any(fit >= CONVERTED for _, fit in fits):
                return self._most_specific(fits, arguments, phase), is_sure
            unsure = unsure or ((fits, phase) if fits else None)
        return (
            self._most_specific(unsure[0], arguments, unsure[1]) if unsure else candidates
        ), False

    def _most_specific(
        self, fits: list[tuple[JavaMethod, int]], arguments: Sequence[JavaArgument], phase: int
    ) -> list[JavaMethod]:
        rows = [one for one, _ in fits]

        @cache
        def is_as_specific(one: int, other: int) -> bool:
            return self._is_as_specific(rows[one], rows[other], arguments, phase)

        places = range(len(rows))
        best = [
            rows[at] for at in places if all(at == one or is_as_specific(at, one) for one in places)
        ]
        if best:
            return ([one for one in best if not one.is_abstract] or best)[:1]
        sure = [one for one, fit in fits if fit >= CONVERTED]
        if len(sure) == 1:
            return sure
        left = undominated(
            places,
            lambda one, other: is_as_specific(one, other) and not is_as_specific(other, one),
        )
        return [rows[at] for at in left]

    def _is_as_specific(
        self, one: JavaMethod, other: JavaMethod, arguments: Sequence[JavaArgument], phase: int
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
        self, one: Value, other: Value, own: frozenset[str], argument: JavaArgument | None
    ) -> bool:
        if one == other:
            return True
        if isinstance(other, TypeParameter) and other.name in own:
            other = self._limit(other)
        if self.conversions.fits(one, other) >= CONVERTED:
            return True
        if argument is None or not argument.is_functional:
            return False
        mine, theirs = self.conversions.function_of(one), self.conversions.function_of(other)
        if mine is None or theirs is None or mine.takes != theirs.takes:
            return False
        if not theirs.gives:
            return mine.gives
        return mine.gives and self._gives_better(one, other, argument)

    def _gives_better(self, one: Value, other: Value, argument: JavaArgument) -> bool:
        """True if the result of one interface suits a function at least as well."""
        mine, theirs = self._result(one), self._result(other)
        if mine is None or theirs is None:
            return False
        if is_primitive(mine) != is_primitive(theirs):
            given = argument.types_of_results()
            return is_primitive(mine) == (bool(given) and all(map(is_primitive, given)))
        return self.conversions.fits(mine, theirs) >= CONVERTED

    def _result(self, one: Value) -> Value | None:
        """The type of the result of a functional interface of the library."""
        declared = library_type(one.name) if isinstance(one, ExternalInstance) else None
        function = None if declared is None else declared.function
        return None if function is None else written_type(function.result)


def _takes(parameters: int, count: int, *, is_variadic: bool) -> bool:
    return count == parameters or (is_variadic and count >= parameters - 1)


def _is_variadic(parameters: Sequence[Binding]) -> bool:
    return bool(parameters) and parameters[-1].kind == BindingKind.VARIADIC
