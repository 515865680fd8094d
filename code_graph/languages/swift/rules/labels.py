"""Chooses among functions of Swift by the labels of their arguments."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from code_graph.declared.conversions import (
    CONVERTED,
    DERIVED,
    MAYBE,
    NO,
    SAME,
    UNLIKELY,
    Conversions,
    weakest,
)
from code_graph.declared.extended import blocks_of
from code_graph.declared.members import FUNCTIONS
from code_graph.declared.overloads import (
    MatchedArgument,
    MatchedFunction,
    OverloadArgument,
    OverloadedCall,
    Overloads,
    best_by,
)
from code_graph.declared.types import ARRAY, CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    RecordValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Op, Role
from code_graph.facts import Declaration
from code_graph.identity import split_parameters
from code_graph.languages.swift.rules.library import protocols_of
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.languages.swift.rules.language import SwiftRules

_MOST_PARAMETERS: Final = 100
_MOST_MARKS: Final = 8
# the name of an argument that has surely no label
_UNLABELLED: Final = "_"
_OPTIONAL: Final = "Optional"
_COLLECTIONS: Final = frozenset({ARRAY, "Set", "Dictionary"})
# the parameter of a wrapper's initialiser that is given the value of its property
_WRAPPED: Final = "wrappedValue"
_ASYNC: Final = re.compile(r"\)\s*async\b")
# the protocols of types that are written as literals of another
_LITERALS: Final = {
    "String": "ExpressibleByString",
    "Int": "ExpressibleByInteger",
    "Double": "ExpressibleByFloat",
    "Bool": "ExpressibleByBoolean",
    ARRAY: "ExpressibleByArray",
    "Dictionary": "ExpressibleByDictionary",
}


class Labelled(NamedTuple):
    """A parameter as a call names it."""

    label: str
    name: str
    may_be_left_out: bool
    is_variadic: bool


class SwiftArgument(OverloadArgument):
    """An argument, of which only a closure may leave out the label."""

    def __init__(self, evaluation: DeclaredEvaluation, file: SourceFile, written: Argument) -> None:
        super().__init__(evaluation, file, written)
        if not self.name and self.item is not None and self.item.op != Op.FUNCTION:
            self.name = _UNLABELLED

    @cached_property
    def given(self) -> Result:
        """Its values; the objects of types, as parameters of `T.Type` get them."""
        if self.is_list:
            return self.values
        found: Result = {}
        for value, how in self.values.items():
            is_type = isinstance(value, ClassValue | External)
            objects = self._evaluation.types.objects(value) if is_type else (value,)
            merge(found, with_strategy(objects, how))
        return found

    @property
    def key(self) -> Hashable:
        """Whatever decides which parameters take it: of `.name` its place."""
        if self.number != NONE and is_contextual(self.file, self.number):
            return self.name, self.file.path, self.number
        return super().key


class SwiftConversions(Conversions):
    """Fits of types, which may conform to protocols, or be written as literals of another."""

    _rules: SwiftRules

    def fits(self, value: Value, declared: Value, depth: int = 0) -> int:
        """A score for a value with a declared type; tuples and functions are nothing else."""
        found: int | None = None
        if isinstance(declared, TupleValue):
            found = self._fit_of_tuple(value, declared)
        elif isinstance(value, TupleValue | RecordValue):
            found = MAYBE if isinstance(declared, TypeParameter) or _is_top(declared) else NO
        elif isinstance(declared, ExternalInstance):
            if declared.name == CALLABLE and self._is_known(value) and not _is_function(value):
                found = NO
            elif isinstance(value, ExternalInstance):
                found = self._fit_of_collections(value.name, declared.name)
        return super().fits(value, declared, depth) if found is None else found

    def _fit_of_tuple(self, value: Value, declared: TupleValue) -> int:
        if isinstance(value, TupleValue):
            return SAME if len(value.parts) == len(declared.parts) else NO
        return NO if self._is_known(value) else MAYBE

    def _fit_of_collections(self, one: str, other: str) -> int | None:
        """A score for collections with other types and with each other; None for the rest."""
        is_plain = self._rules.is_plain
        if (is_plain(one) and other in _COLLECTIONS) or (one in _COLLECTIONS and is_plain(other)):
            return NO
        if one != other and one in _COLLECTIONS and other in _COLLECTIONS:
            return UNLIKELY if one == ARRAY else NO
        return None

    def _is_known(self, value: Value) -> bool:
        if isinstance(value, ExternalInstance):
            return not self._rules.is_unknown(value.name) and value.name != "none"
        return isinstance(value, Instance)

    def _fits_inside(self, value: ExternalInstance, declared: Instance) -> int:
        """A score for a value from outside with a type of the tree: what it is made to conform to.

        A literal may be one of a type that says so.
        """
        if self._rules.is_unknown(value.name):
            return UNLIKELY
        kind = self._evaluation.classes.kind_of(declared.path, declared.scope)
        if kind == "protocol":
            return DERIVED if self._conforms(value.name, declared) else NO
        ending = _LITERALS.get(value.name, "\0")
        bases = self._evaluation.classes.external_bases(declared)
        is_literal = any(base.startswith(ending) for base in bases)
        return CONVERTED if is_literal else NO

    def _conforms(self, name: str, declared: Instance) -> bool:
        own = "Array" if name == ARRAY else name.rpartition(".")[2]
        for short in (own, *protocols_of(own)):
            for file in self._evaluation.types.declaring(self._rules.language, short):
                for scope, _ in blocks_of(file).get(short, ()):
                    if self._evaluation.classes.is_subclass(ClassValue(file.path, scope), declared):
                        return True
        return False

    def fits_arguments(self, value: Instance, declared: Instance) -> int:
        """A score for two objects of one type: none for type arguments that are known to differ.

        What fits a type parameter of the function fits better than what would have to be the
        type parameter of a type.
        """
        return weakest(value.arguments, declared.arguments, self._fits_argument)

    def _fits_argument(self, one: Value, other: Value) -> int:
        if one == other:
            return SAME
        if isinstance(other, TypeParameter):
            return CONVERTED if self._is_of_type(other) else DERIVED
        if isinstance(one, TypeParameter):
            return MAYBE
        return SAME if self._rules.constraints.is_same(one, other) else NO

    def _is_of_type(self, value: TypeParameter) -> bool:
        path, _, rest = value.name.partition("\0")
        file = self._evaluation.file(path)
        number = int(rest.partition("\0")[0])
        return file is not None and file.declarations[number].kind not in FUNCTIONS


class SwiftOverloads(Overloads):
    """Matches arguments with parameters by labels, in order; closures may stand behind a call."""

    _rules: SwiftRules
    argument_type = SwiftArgument

    def _may_take(self, value: FunctionValue, call: OverloadedCall) -> bool:
        """False, too, if a closure is given for a parameter that is known to be no function."""
        matches = self.matched(value, call.arguments)
        for match in matches or ():
            argument = call.arguments[match.position]
            if argument.item is not None and argument.item.op == Op.FUNCTION:
                declared = self._evaluation.calls.parameter_type(value, match.parameter)
                if declared and self.fit(argument, declared) == NO:
                    return False
        return matches is not None

    def choose(
        self, file: SourceFile, functions: Result, items: Sequence[Argument], call: int = NONE
    ) -> Result:
        """The functions that a call may mean; an initialiser of a wrapper by its property."""
        if call != NONE and len(functions) > 1:
            functions = self._current(functions, items)
            number = file.cached("wrapped", _wrapped).get(call, NONE)
            if number != NONE:
                items = _with_value(file, number, items)
                kind = self._kind_of(
                    file, self._evaluation.types.table(file).clause(number, Role.TYPE)
                )
                kept = {v: how for v, how in functions.items() if self._takes(v) == kind}
                chosen = super().choose(file, kept, items, call)
                if chosen:
                    return chosen
            elif call not in file.cached("awaited", awaited):
                kept = {v: how for v, how in functions.items() if not self.is_async(v)}
                functions = kept or functions
        return super().choose(file, functions, items, call)

    def _current(self, functions: Result, items: Sequence[Argument]) -> Result:
        """The functions without those that are deprecated or unavailable, if another one fits."""
        kept = {v: how for v, how in functions.items() if not self._is_deprecated(v)}
        if len(kept) == len(functions) or not kept:
            return functions
        fits = any(
            isinstance(v, FunctionValue) and self.matched(v, items) is not None for v in kept
        )
        return kept if fits else functions

    def _is_deprecated(self, value: Value) -> bool:
        item = self._evaluation.declaration_of(value) if isinstance(value, FunctionValue) else None
        return item is not None and "deprecated" in item.modifiers

    def is_async(self, value: Value) -> bool:
        """True for a function that a call has to wait for."""
        item = self._evaluation.declaration_of(value) if isinstance(value, FunctionValue) else None
        return item is not None and says_async(item)

    def _kind_of(self, file: SourceFile, number: int) -> str:
        """A list, a type that may have no value, or any other."""
        if number == NONE:
            return ""
        item = file.expressions[number]
        is_optional = item.op == Op.APPLY and file.expressions[item.of].name == _OPTIONAL
        return _OPTIONAL if is_optional else "list" if item.op == Op.LIST else ""

    def _takes(self, value: Value) -> str:
        """The kind of the properties that an initialiser of a wrapper is for."""
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return ""
        declaration = file.code.scopes[value.scope].declaration
        for clause in file.clauses.get(declaration, ()):
            if clause.role == Role.TYPE_PARAMETER and clause.name.endswith(" =="):
                return self._kind_of(file, clause.value)
        return ""

    def _fit_rest(
        self, argument: OverloadArgument, declared: Result, *, is_last: bool
    ) -> tuple[int, bool]:
        """A score for one of any number of arguments, which no list is given for."""
        del is_last
        return self.fit(argument, self._evaluation.element(declared)), True

    def argument_rank(
        self, candidate: MatchedFunction, arguments: Sequence[OverloadArgument]
    ) -> int:
        """An order of functions whose parameters fit equally well.

        Those that are not generic come first, and those of extensions with more conditions.
        """
        del arguments
        is_generic = bool(self._evaluation.calls.type_parameters(candidate.value))
        return 2 * self._rules.constraints.strictness(candidate.value) - is_generic

    def _fit_function(self, argument: OverloadArgument, declared: Value) -> int:
        """A score for a closure; one with a result fits better where a result is expected."""
        fit = super()._fit_function(argument, declared)
        function_type = self._evaluation.calls.function_type(declared) if fit != NO else None
        item = argument.item if function_type is not None else None
        if function_type is None or item is None or not argument.file.results.get(item.of):
            return fit
        return min(fit, MAYBE) if any(map(_is_void, function_type[1])) else fit

    def fit(self, argument: OverloadArgument, declared: Collection[Value]) -> int:
        """A score for an argument; `.name` fits types that have a member of that name."""
        file, item = argument.file, argument.item
        if item is None or not declared or not is_contextual(file, argument.number):
            return super().fit(argument, declared)
        if item.op in {Op.LIST, Op.EITHER}:
            inner = declared
            if item.op == Op.LIST:
                inner = self._evaluation.element(dict.fromkeys(declared, self._evaluation.weakest))
            if not inner:
                return MAYBE
            return min(self.fit(part, inner) for part in self.arguments(file, item.items))
        while item.of != NONE:
            item = file.expressions[item.of]
        return max(self._fit_implied(value, item.name) for value in declared)

    def _fit_implied(self, value: Value, name: str) -> int:
        bounds = self._evaluation.types.bound_of(value) if isinstance(value, TypeParameter) else ()
        if isinstance(value, TypeParameter) and not bounds:
            return MAYBE
        if isinstance(value, ExternalInstance) and value.name in {ARRAY, CALLABLE}:
            return NO
        if any(self._rules.member_of_type(one, name) for one in (value, *bounds)):
            return DERIVED
        return NO if isinstance(value, Instance) else UNLIKELY

    def matched(
        self, value: FunctionValue, items: Sequence[Argument | OverloadArgument]
    ) -> list[MatchedArgument] | None:
        """Parameters with their arguments; None if a label has none or a parameter is missing."""
        file = self._evaluation.file(value.path)
        declaration = NONE if file is None else file.code.scopes[value.scope].declaration
        if file is None or declaration == NONE:
            return super().matched(value, items)
        labelled = file.cached("labels", _labels)[declaration]
        rows = {row.name: row for row in self._evaluation.calls.parameters(value)}
        found: list[MatchedArgument] = []
        at = 0
        for position, item in enumerate(items):
            at = self._next(labelled, at, item.name, is_last=position == len(items) - 1)
            if at == NONE:
                return None
            row = rows.get(labelled[at].name)
            if row is not None:
                found.append(MatchedArgument(row, position))
            if not labelled[at].is_variadic:
                at += 1
        left = labelled[at:]
        is_whole = all(
            one.may_be_left_out or one.is_variadic or one.label == _WRAPPED for one in left
        )
        return found if is_whole else None

    def _next(self, labelled: Sequence[Labelled], at: int, label: str, *, is_last: bool) -> int:
        """The parameter that an argument is for; an unlabelled one may be a closure behind."""
        name = "" if label == _UNLABELLED else label
        for number in range(at, len(labelled)):
            one = labelled[number]
            if name == one.label or (one.is_variadic and not name):
                return number
            if not one.may_be_left_out and not one.is_variadic and one.label != _WRAPPED:
                break
        if label or at >= len(labelled):
            return NONE
        if not is_last:  # the first of several closures behind a call
            left = range(at, len(labelled))
            return next((n for n in left if not labelled[n].may_be_left_out), at)
        return len(labelled) - 1 if labelled[-1].label else NONE

    def preferred(
        self, call: OverloadedCall, candidates: Sequence[MatchedFunction]
    ) -> Sequence[MatchedFunction]:
        """The functions that give what is expected, of those that fit equally well.

        What is awaited is asynchronous, if it can be.
        """
        file, number = call.file, call.number
        if number in file.cached("awaited", awaited):
            candidates = [one for one in candidates if self.is_async(one.value)] or candidates
        shape = self._expected_shape(file, number) if len(candidates) > 1 else None
        if shape is not None:
            alike = [one for one in candidates if self._shape_of_result(one.value) == shape]
            candidates = alike or candidates
        candidates = best_by(candidates, lambda one: -self._optionals(one))
        expected = (
            self._evaluation.calls.expected_types(file, number) if len(candidates) > 1 else {}
        )
        if not expected:
            return candidates
        return best_by(candidates, lambda one: self._fit_of_result(one.value, expected))

    def _optionals(self, candidate: MatchedFunction) -> int:
        """The number of a function's parameters that may have no value."""
        file = self._evaluation.file(candidate.value.path)
        if file is None:
            return 0
        return sum(self._kind_of(file, row.annotation) == _OPTIONAL for row in candidate.parameters)

    def _expected_shape(self, file: SourceFile, call: int) -> str | None:
        """The lists and optional values that a declared type is made of, where one is expected."""
        context = self._evaluation.types.table(file).expected.get(call)
        if context is None:
            return None
        if context.kind == "annotation":
            return _shape(file, context.number)
        if context.kind == "result":
            declaration = file.code.scopes[context.number].declaration
            return self._shape_of(file, declaration, Role.RESULT, Role.TYPE)
        if context.kind == "store" and file.expressions[context.number].op in {Op.NAME, Op.MEMBER}:
            return self._shape_of_target(file, context.number)
        return None

    def _shape_of_target(self, file: SourceFile, number: int) -> str | None:
        """That of the property that a value is stored in."""
        for value in self._evaluation.names.resolve(file, number):
            other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if other is not None and isinstance(value, MemberValue):
                self._evaluation.classes.depend_on_declaration(other, value.declaration)
                return self._shape_of(other, value.declaration, Role.TYPE)
        return None

    def _shape_of_result(self, value: FunctionValue) -> str | None:
        file = self._evaluation.file(value.path)
        if file is None:
            return None
        self._evaluation.calls.depend_on_head(file, value.scope)
        return self._shape_of(file, file.code.scopes[value.scope].declaration, Role.RESULT)

    def _shape_of(self, file: SourceFile, declaration: int, *roles: Role) -> str | None:
        """That of the type which is written for a declaration."""
        table = self._evaluation.types.table(file)
        number = table.clause(declaration, *roles) if declaration != NONE else NONE
        return _shape(file, number) if number != NONE else None

    def _fit_of_result(self, value: FunctionValue, expected: Result) -> int:
        file = self._evaluation.file(value.path)
        if file is None:
            return MAYBE
        results = self._evaluation.calls.result(value, file)
        return max(
            (self._fit_back(one, other) for one in results for other in expected), default=MAYBE
        )

    def _fit_back(self, value: Value, expected: Value) -> int:
        """A score for a result where a type is expected; one with parameters may become it."""
        fits = self.conversions.fits
        found = fits(expected, value)
        return found if mentions_parameter(value) else max(found, fits(value, expected))


def says_async(item: Declaration) -> bool:
    """True for the head of a function that a call has to wait for."""
    return bool(_ASYNC.search(item.signature))


def _is_function(value: Value) -> bool:
    return isinstance(value, ExternalInstance) and value.name == CALLABLE


def _is_void(value: Value) -> bool:
    return isinstance(value, ExternalInstance) and value.name == "Void"


def _is_top(value: Value) -> bool:
    return isinstance(value, ExternalInstance) and value.name in {"Any", "Sendable", ""}


def _shape(file: SourceFile, number: int) -> str:
    """The lists and optional values that a type is made of, from the outside in."""
    marks = ""
    while len(marks) <= _MOST_MARKS:
        item = file.expressions[number]
        if item.op == Op.LIST and item.items:
            marks += "["
        elif item.op == Op.APPLY and file.expressions[item.of].name == "Optional":
            marks += "?"
        else:
            break
        number = item.items[0].value
    return marks


def _wrapped(file: SourceFile) -> dict[int, int]:
    """The properties whose attributes are calls, by these."""
    named = {clause.value: clause.declaration for clause in file.decorators}
    return {
        number: named[item.of]
        for number, item in enumerate(file.expressions)
        if item.op == Op.CALL and item.of in named
    }


def _with_value(
    file: SourceFile, declaration: int, items: Sequence[Argument]
) -> Sequence[Argument]:
    """The arguments of a wrapper's initialiser, with the value of its property before them."""
    for binding in file.code.bindings:
        if binding.declaration == declaration and binding.value != NONE:
            return [Argument(binding.value, _WRAPPED), *items]
    return items


def awaited(file: SourceFile) -> frozenset[int]:
    """The expressions behind `await`."""
    found: set[int] = set()
    left = [item.of for item in file.expressions if item.op == Op.AWAIT]
    while left:
        number = left.pop()
        if number == NONE or number in found:
            continue
        found.add(number)
        item = file.expressions[number]
        if item.op != Op.FUNCTION:
            left += [item.of, *(part.value for part in item.items)]
    return frozenset(found)


def labels_of(file: SourceFile, declaration: int) -> tuple[str, ...]:
    """The labels of a function's parameters."""
    return tuple(one.label for one in file.cached("labels", _labels)[declaration])


def _labels(file: SourceFile) -> list[list[Labelled]]:
    found: list[list[Labelled]] = []
    for number, item in enumerate(file.declarations):
        rows = file.clauses.get(number, ())
        texts = [clause.name for clause in rows if clause.role == Role.PARAMETER]
        texts = texts or split_parameters(item.parameters)[:_MOST_PARAMETERS]
        found.append([_labelled(text) for text in texts])
    return found


def _labelled(text: str) -> Labelled:
    head, _, rest = text.partition(":")
    words = [word for word in head.split() if not word.startswith("@")] or [""]
    label = "" if words[0] == "_" else words[0].strip("`")
    return Labelled(label, words[-1].strip("`"), "=" in rest, rest.rstrip().endswith("..."))


def is_contextual(file: SourceFile, number: int) -> bool:
    """True for `.name`, what is called on it, and lists with such a value."""
    return number in file.cached("contextual", _contextual)


def _contextual(file: SourceFile) -> frozenset[int]:
    """The expressions that begin with `.name`, and those with one of them."""
    found: set[int] = set()
    for number, item in enumerate(file.expressions):
        is_first = item.op == Op.MEMBER and item.of == NONE
        is_behind = item.op in {Op.CALL, Op.MEMBER} and item.of in found
        is_list = item.op in {Op.LIST, Op.EITHER}
        if is_first or is_behind or (is_list and any(part.value in found for part in item.items)):
            found.add(number)
    return frozenset(found)
