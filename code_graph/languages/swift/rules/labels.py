"""Chooses among functions of Swift by the labels of their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.extended import blocks_of
from code_graph.declared.members import FUNCTIONS
from code_graph.declared.overloads import (
    CONVERTED,
    DERIVED,
    MAYBE,
    NO,
    SAME,
    MatchedArgument,
    Overloads,
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


class SwiftOverloads(Overloads):
    """Matches arguments with parameters by labels, in order; closures may stand behind a call."""

    _rules: SwiftRules

    def score(
        self, file: SourceFile, value: FunctionValue, items: Sequence[Argument], *, is_sole: bool
    ) -> tuple[int, ...] | None:
        """A score for arguments and parameters; only closures may leave out a label."""
        strict = [
            item
            if item.name or item.value == NONE or self._is_closure(file, item)
            else Argument(item.value, _UNLABELLED)
            for item in items
        ]
        if is_sole and any(self._is_closure(file, item) for item in items if item.value != NONE):
            matches = self.matched(value, strict)
            if matches is not None and not self._takes_closures(file, value, matches, items):
                return None
        return super().score(file, value, strict, is_sole=is_sole)

    def _takes_closures(
        self,
        file: SourceFile,
        value: FunctionValue,
        matches: Sequence[MatchedArgument],
        items: Sequence[Argument],
    ) -> bool:
        """False if a closure is given for a parameter that is known to be no function."""
        owner = self._evaluation.file(value.path)
        for match in matches:
            item = items[match.position]
            if owner is None or item.value == NONE:
                continue
            if self._is_closure(file, item):
                declared = self._evaluation.calls.parameter_type(owner, value, match.parameter)
                if declared and self.fit(file, item.value, declared) == NO:
                    return False
        return True

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
                found = super().choose(file, kept, items, call)
                if found:
                    return found
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

    def _optionals(self, value: Value) -> int:
        """The number of a function's parameters that may have no value."""
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return 0
        rows = file.parameters.get(value.scope, ())
        return sum(self._kind_of(file, row.annotation) == _OPTIONAL for row in rows)

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

    def as_arguments(self, values: Result) -> Result:
        """The objects of types, as parameters of `T.Type` get them."""
        found: Result = {}
        for value, how in values.items():
            is_type = isinstance(value, ClassValue | External)
            objects = self._evaluation.types.objects(value) if is_type else (value,)
            merge(found, with_strategy(objects, how))
        return found

    def _fit_rest(
        self, file: SourceFile, argument: int, declared: Result, *, is_last: bool
    ) -> tuple[int, bool]:
        """A score for one of any number of arguments, which no list is given for."""
        del is_last
        return self.fit(file, argument, self._evaluation.element(declared)), True

    def _fits_inside(self, value: ExternalInstance, declared: Instance) -> int:
        """A score for a value from outside with a type of the tree: what it is made to conform to.

        A literal may be one of a type that says so.
        """
        if self._rules.is_unknown(value.name):
            return MAYBE - 1
        kind = self._evaluation.classes.kind_of(declared.path, declared.scope)
        if kind == "protocol":
            return DERIVED if self._conforms(value.name, declared) else NO
        ending = _LITERALS.get(value.name, "\0")
        order = self._evaluation.classes.ancestors(declared.path, declared.scope)
        is_literal = any(item.external.rpartition(".")[2].startswith(ending) for item in order)
        return CONVERTED if is_literal else NO

    def _conforms(self, name: str, declared: Instance) -> bool:
        own = "Array" if name == ARRAY else name.rpartition(".")[2]
        for short in (own, *protocols_of(own)):
            for file in self._evaluation.types.declaring(self._rules.language, short):
                for scope, _ in blocks_of(file).get(short, ()):
                    for item in self._evaluation.classes.ancestors(file.path, scope)[1:]:
                        if (item.path, item.scope) == (declared.path, declared.scope):
                            return True
        return False

    def fits_arguments(self, value: Instance, declared: Instance) -> int:
        """A score for two objects of one type: none for type arguments that are known to differ.

        What fits a type parameter of the function fits better than what would have to be the
        type parameter of a type.
        """
        least = SAME
        for ones, others in zip(value.arguments, declared.arguments, strict=False):
            if ones and others:
                least = min(least, max(self._fits_argument(a, b) for a in ones for b in others))
        return least

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

    def argument_rank(
        self,
        file: SourceFile,
        value: FunctionValue,
        matches: Sequence[MatchedArgument],
        items: Sequence[Argument],
    ) -> int:
        """An order of functions whose parameters fit equally well.

        Those that are not generic come first, and those of extensions with more conditions.
        """
        del file, matches, items
        is_generic = bool(self._evaluation.calls.type_parameters(value))
        return 2 * self._rules.constraints.strictness(value) - is_generic

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
            return MAYBE - 1 if one == ARRAY else NO
        return None

    def _fit_function(self, file: SourceFile, scope: int, declared: Value) -> int:
        """A score for a closure; one with a result is rather for what takes one."""
        found = super()._fit_function(file, scope, declared)
        function_type = self._evaluation.calls.function_type(declared) if found != NO else None
        if function_type is None or not file.results.get(scope):
            return found
        is_void = any(_is_void(one) for one in function_type[1])
        return min(found, MAYBE) if is_void else found

    def _is_known(self, value: Value) -> bool:
        if isinstance(value, ExternalInstance):
            return not self._rules.is_unknown(value.name) and value.name != "none"
        return isinstance(value, Instance)

    def fit(self, file: SourceFile, argument: int, declared: Result) -> int:
        """A score for an argument; `.name` fits types that have a member of that name."""
        if argument == NONE or not declared or not is_contextual(file, argument):
            return super().fit(file, argument, declared)
        item = file.expressions[argument]
        if item.op in {Op.LIST, Op.EITHER}:
            inner = self._evaluation.element(declared) if item.op == Op.LIST else declared
            if not inner:
                return MAYBE
            return min(self.fit(file, part.value, inner) for part in item.items)
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
        return NO if isinstance(value, Instance) else MAYBE - 1

    def _is_closure(self, file: SourceFile, item: Argument) -> bool:
        return file.expressions[item.value].op == Op.FUNCTION

    def matched(
        self, value: FunctionValue, items: Sequence[Argument]
    ) -> list[MatchedArgument] | None:
        """Parameters with their arguments; None if a label has none or a parameter is missing."""
        file = self._evaluation.file(value.path)
        declaration = NONE if file is None else file.code.scopes[value.scope].declaration
        if file is None or declaration == NONE:
            return super().matched(value, items)
        labelled = file.cached("labels", _labels)[declaration]
        rows = {row.name: row for row in self._evaluation.calls.parameters(file, value)}
        found: list[MatchedArgument] = []
        at = 0
        for position, item in enumerate(items):
            at = self._next(labelled, at, item, is_last=position == len(items) - 1)
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

    def _next(self, labelled: Sequence[Labelled], at: int, item: Argument, *, is_last: bool) -> int:
        """The parameter that an argument is for; an unlabelled one may be a closure behind."""
        name = "" if item.name == _UNLABELLED else item.name
        for number in range(at, len(labelled)):
            one = labelled[number]
            if name == one.label or (one.is_variadic and not name):
                return number
            if not one.may_be_left_out and not one.is_variadic and one.label != _WRAPPED:
                break
        if item.name or at >= len(labelled):
            return NONE
        if not is_last:  # the first of several closures behind a call
            left = range(at, len(labelled))
            return next((n for n in left if not labelled[n].may_be_left_out), at)
        return len(labelled) - 1 if self._may_be_behind(labelled[-1]) else NONE

    def _may_be_behind(self, last: Labelled) -> bool:
        return bool(last.label)

    def preferred(self, file: SourceFile, call: int, found: Result) -> Result:
        """The functions that give what is expected, of those that fit equally well.

        What is awaited is asynchronous, if it can be.
        """
        if call in file.cached("awaited", awaited):
            waiting = {v: how for v, how in found.items() if self.is_async(v)}
            found = waiting or found
        shape = self._expected_shape(file, call) if len(found) > 1 else None
        if shape is not None:
            alike = {v: how for v, how in found.items() if self._shape_of_result(v) == shape}
            found = alike or found
        if len(found) > 1:
            least = min(map(self._optionals, found))
            found = {v: how for v, how in found.items() if self._optionals(v) == least}
        expected = self._evaluation.calls.expected_types(file, call) if len(found) > 1 else {}
        if not expected:
            return found
        fits = {value: self._fit_of_result(value, expected) for value in found}
        best = max(fits.values())
        return {value: how for value, how in found.items() if fits[value] == best}

    def _expected_shape(self, file: SourceFile, call: int) -> str | None:
        """The lists and optional values that a declared type is made of, where one is expected."""
        table = self._evaluation.types.table(file)
        context = table.expected.get(call)
        if context is None:
            return None
        if context.kind == "annotation":
            return _shape(file, context.number)
        if context.kind == "result":
            declaration = file.code.scopes[context.number].declaration
            number = table.clause(declaration, Role.RESULT, Role.TYPE) if declaration >= 0 else NONE
            return _shape(file, number) if number != NONE else None
        if context.kind == "store" and file.expressions[context.number].op in {Op.NAME, Op.MEMBER}:
            return self._shape_of_target(file, context.number)
        return None

    def _shape_of_target(self, file: SourceFile, number: int) -> str | None:
        """That of the property that a value is stored in."""
        for value in self._evaluation.names.resolve(file, number):
            other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if other is not None and isinstance(value, MemberValue):
                self._evaluation.classes.depend_on_declaration(other, value.declaration)
                table = self._evaluation.types.table(other)
                clause = table.clause(value.declaration, Role.TYPE)
                return _shape(other, clause) if clause != NONE else None
        return None

    def _shape_of_result(self, value: Value) -> str | None:
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return None
        declaration = file.code.scopes[value.scope].declaration
        self._evaluation.calls.depend_on_head(file, value.scope)
        number = self._evaluation.types.table(file).clause(declaration, Role.RESULT)
        return _shape(file, number) if number != NONE else None

    def _fit_of_result(self, value: Value, expected: Result) -> int:
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return MAYBE
        results = self._evaluation.calls.result(value, file)
        return max(
            (self._fit_back(one, other) for one in results for other in expected), default=MAYBE
        )

    def _fit_back(self, value: Value, expected: Value) -> int:
        """A score for a result where a type is expected; one with parameters may become it."""
        fits = self.fits
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
