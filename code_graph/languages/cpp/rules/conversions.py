"""Conversions of C++: which of several functions of a name fits the arguments of a call best."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
)
from code_graph.declared.overloads import (
    MatchedFunction,
    OverloadArgument,
    OverloadedCall,
    Overloads,
)
from code_graph.declared.types import ARRAY, CALLABLE
from code_graph.evaluate.values import (
    ExternalInstance,
    Instance,
    Result,
    TypeParameter,
    Value,
    Values,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, Binding, Op
from code_graph.languages.c.numbers import CHARACTERS, FLOATS, INTEGERS, NUMBERS
from code_graph.languages.cpp.rules.containers import TEXT, TEXTS
from code_graph.languages.cpp.rules.pointers import parameter_text, points

if TYPE_CHECKING:
    from code_graph.languages.cpp.rules.language import CppRules

_INT: Final = INTEGERS["int"]
# bases of streams
_BASES: Final = {
    "istream": frozenset({"ifstream", "istringstream", "stringstream", "fstream", "iostream"}),
    "ostream": frozenset({"ofstream", "ostringstream", "stringstream", "fstream", "iostream"}),
    "iostream": frozenset({"stringstream", "fstream"}),
    "exception": frozenset({"runtime_error", "logic_error", "invalid_argument", "out_of_range"}),
}
# types of whole numbers that have no other name, and those without a sign
_APART: Final = CHARACTERS | {"bool"}
_UNSIGNED: Final = frozenset({"size_t"})
# fits of numbers that are not of one type
_UNEQUAL: Final = frozenset({CONVERTED, DERIVED})
# operations whose value no variable holds
_TEMPORARY: Final = frozenset({Op.CALL, Op.NEW, Op.LITERAL, Op.TEXT, Op.FUNCTION, Op.OPERATOR})


class CppArgument(OverloadArgument):
    """An argument, whose array is what points to its elements."""

    @cached_property
    def given(self) -> Result:
        """Its values as parameters get them."""
        values = self.values
        if self.is_list or not any(map(_is_array, values)):
            return values
        found: Result = {}
        for value, how in values.items():
            if isinstance(value, ExternalInstance) and _is_array(value) and value.arguments:
                merge(found, with_strategy(value.arguments[0], how))
            else:
                merge(found, {value: how})
        return found

    @property
    def is_temporary(self) -> bool:
        """True for a value that no variable holds."""
        item = self.item
        if item is None:
            return False
        is_pointed = item.op == Op.OPERATOR and len(item.items) == 1
        return item.op in _TEMPORARY and not is_pointed

    @property
    def key(self) -> Hashable:
        """Whatever decides which parameters take it: references, by where its value is."""
        return super().key, self.is_temporary


class CppConversions(Conversions):
    """Fits of types, with conversions by constructors."""

    _rules: CppRules

    def fits_external(  # noqa: PLR0911 one for each kind of type
        self, value: ExternalInstance, declared: ExternalInstance, depth: int = 0
    ) -> int:
        """A score for the match of a value of the library, or a number, with such a type."""
        one, other = value.name.rpartition(".")[2], declared.name.rpartition(".")[2]
        if one == TEXT:
            return _text_fits(other)
        if one == other or one not in NUMBERS:
            if one in _BASES.get(other, ()):
                return DERIVED
            if one in TEXTS and other in NUMBERS:
                return NO
            return super().fits_external(value, declared, depth)
        if one in CHARACTERS and other in TEXTS:  # a pointer to them
            return CONVERTED
        if other not in NUMBERS:
            return NO if other in TEXTS or other in _BASES else UNLIKELY
        return _number_fit(one, other)

    def _fits_parameter(self, value: Value, declared: TypeParameter, depth: int) -> int:
        """A parameter of the type of a type parameter without bounds fits all as it is."""
        is_free = value != declared and not depth and not self._evaluation.types.bound_of(declared)
        return SAME if is_free else super()._fits_parameter(value, declared, depth)

    def _fits_inside(self, value: ExternalInstance, declared: Instance) -> int:
        return super()._fits_inside(value, declared) or self._converted(declared)

    def _fits_class(self, value: Instance, declared: Instance, depth: int) -> int:
        fit = super()._fits_class(value, declared, depth)
        is_other = (value.path, value.scope) != (declared.path, declared.scope)
        return self._converted(declared) if fit == NO and is_other else fit

    def _converted(self, declared: Instance) -> int:
        """A score for a value of another type, which a constructor of the type may convert."""
        is_enum = self._evaluation.classes.kind_of(declared.path, declared.scope) == "enum"
        return NO if is_enum else UNLIKELY

    def _fits_outside(self, value: Instance, declared: ExternalInstance, depth: int) -> int:
        """A score for a class of the tree with a type that is not found.

        A name that a macro's namespace hides may be that of the class, which may be converted.
        """
        other = declared.name.rpartition(".")[2]
        is_of_library = other in TEXTS or other in _BASES
        if not is_of_library and self._evaluation.name_of(value) == other:
            return SAME
        is_known = self._rules.is_plain(declared.name) or declared.name in {CALLABLE, ARRAY}
        fit = super()._fits_outside(value, declared, depth)
        return fit if fit != NO or is_known else UNLIKELY

    def fits_arguments(self, value: Instance, declared: Instance) -> int:
        """A score for two objects of a template, whose types may be known to differ."""
        pairs = zip(value.arguments, declared.arguments, strict=False)
        return NO if any(_are_apart(one, other) for one, other in pairs) else SAME


class CppOverloads(Overloads):
    """Fits of arguments, and the order of functions that fit equally well."""

    _rules: CppRules
    argument_type = CppArgument

    def preferred(
        self, call: OverloadedCall, candidates: Sequence[MatchedFunction]
    ) -> Sequence[MatchedFunction]:
        """The functions that a call means among equally good ones."""
        return self._rules.bodies.preferred(call.file, call.number, candidates)

    def _fit_match(
        self,
        candidate: MatchedFunction,
        parameter: Binding,
        argument: OverloadArgument,
        declared: Result,
    ) -> int:
        """A text is no character, and no number a pointer, though types do not tell these apart."""
        fit = super()._fit_match(candidate, parameter, argument, declared)
        if fit == NO or argument.number == NONE:
            return fit
        text = parameter_text(self._evaluation.file(candidate.value.path), parameter)
        if argument.literal:
            return _literal_fit(argument.literal, text, declared, fit)
        if fit == SAME:
            return _fit_of_same(argument.values, text, declared)
        is_pointer = fit in _UNEQUAL and points(text)
        return NO if is_pointer and _are_other_numbers(argument.given, declared) else fit

    def argument_rank(
        self, candidate: MatchedFunction, arguments: Sequence[OverloadArgument]
    ) -> int:
        """An order of functions: by references, then plain functions before templates.

        `T&&` takes what no variable holds, `T&` the rest; negative where it can not be bound.
        """
        declaration = candidate.declaration
        if declaration is None:
            return 0
        rank = 0
        owner = self._evaluation.file(candidate.value.path)
        for match in candidate.matches if "&" in declaration.parameters else ():
            text = parameter_text(owner, match.parameter)
            argument = arguments[match.position]
            if "&" in text and isinstance(argument, CppArgument) and argument.number != NONE:
                rank += _reference_rank(text, argument.is_temporary)
        return 2 * rank + (not declaration.signature.startswith("template"))


def _is_array(value: Value) -> bool:
    return isinstance(value, ExternalInstance) and value.name == ARRAY


def _fit_of_same(given: Result, parameter: str, declared: Result) -> int:
    """The fit of an alias that conditions give several types, and of an array.

    The first is best with all of them, the other no single number.
    """
    if any(map(_is_array, given)):
        return NO if None not in _sizes(declared) and not points(parameter) else SAME
    return SAME if len(given) <= 1 or given.keys() == declared.keys() else SAME - 1


def _literal_fit(name: str, parameter: str, declared: Result, fit: int) -> int:
    """The fit of a literal with a parameter, by the text of the parameter, too."""
    is_number = name in NUMBERS
    if not parameter:
        return fit
    if any(isinstance(one, TypeParameter) for one in declared):
        # nothing says what a pointer to nothing points to
        return UNLIKELY if points(parameter) and (is_number or name == "none") else fit
    if name == "str":
        # a text is neither one character nor the address of an object
        return NO if (fit == SAME) != points(parameter) and fit in {SAME, CONVERTED} else fit
    # a number that is zero may be a pointer to nothing
    return min(fit, UNLIKELY) if is_number and points(parameter) else fit


def _reference_rank(parameter: str, is_temporary: bool) -> int:  # noqa: FBT001 of one caller
    before = parameter.partition("=")[0]
    if "&&" in before:
        return 1 if is_temporary else -1
    if "const" in before.partition("&")[0].split():
        return 0
    return -1 if is_temporary else 1


def _are_apart(one: Values, other: Values) -> bool:
    """True if both are one type each, and not the same."""
    if len(one) != 1 or len(other) != 1:
        return False
    first, second = one[0], other[0]
    if isinstance(first, Instance) and isinstance(second, Instance):
        return (first.path, first.scope) != (second.path, second.scope)
    if isinstance(first, ExternalInstance) and isinstance(second, ExternalInstance):
        names = first.name.rpartition(".")[2], second.name.rpartition(".")[2]
        is_number = names[0] in NUMBERS and names[1] in NUMBERS
        return names[0] != names[1] and not (is_number and _is_alias(*names))
    # a number is no class
    number, whole = (first, second) if isinstance(first, ExternalInstance) else (second, first)
    is_class = isinstance(whole, Instance) and isinstance(number, ExternalInstance)
    return is_class and isinstance(number, ExternalInstance) and number.name in NUMBERS | TEXTS


def _are_other_numbers(given: Result, declared: Result) -> bool:
    """True if both are numbers of known types, of which none is of one size: no pointers to one."""
    one, other = _sizes(given), _sizes(declared)
    return bool(one and other) and None not in one | other and not one & other


def _sizes(values: Result) -> set[int | str | None]:
    """The sizes of whole numbers, or names of others; None for other types."""
    found: set[int | str | None] = set()
    for value in values:
        name = value.name.rpartition(".")[2] if isinstance(value, ExternalInstance) else ""
        found.add(INTEGERS.get(name, name if name in FLOATS else None))
    return found


def _number_fit(one: str, other: str) -> int:
    if _is_alias(one, other):
        return SAME
    return DERIVED if _is_promoted(one, other) else CONVERTED


def _is_promoted(one: str, other: str) -> bool:
    """True if a number becomes another without a conversion."""
    if one in FLOATS or other in FLOATS:
        return (one, other) == ("float", "double")
    return INTEGERS[one] < _INT and other == "int"


def _is_alias(one: str, other: str) -> bool:
    """True if names of two types of whole numbers are names of one, on most machines."""
    if one in _APART or other in _APART or one in FLOATS or other in FLOATS:
        return False
    is_unsigned = one.startswith("u") or one in _UNSIGNED
    is_other = other.startswith("u") or other in _UNSIGNED
    return INTEGERS[one] == INTEGERS[other] and is_unsigned == is_other


def _text_fits(other: str) -> int:
    if other in CHARACTERS:
        return SAME
    if other in TEXTS:
        return CONVERTED
    if other == "bool":
        return UNLIKELY
    return NO if other in NUMBERS or other in _BASES else MAYBE
