"""Conversions between types of Java, with their type arguments erased.

Types are values without type arguments. A conversion is there or not, or depends on a type that is
not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.declared.conversions import (
    CONVERTED,
    DERIVED,
    MAYBE,
    NO,
    NUMBERS,
    SAME,
    Conversions,
    is_wider,
)
from code_graph.declared.evaluation import COMPARISONS
from code_graph.declared.types import ARRAY, CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    TupleValue,
    TypeParameter,
    Value,
    is_none,
)
from code_graph.expressions import NONE, Op
from code_graph.languages.java.rules.jdk import TOP, library_type, simple_name, supertypes
from index_format.tuples import NamedTuple

BOXES: Final = {
    "int": "Integer",
    "long": "Long",
    "short": "Short",
    "byte": "Byte",
    "char": "Character",
    "boolean": "Boolean",
    "double": "Double",
    "float": "Float",
}
_UNBOXED: Final = {box: name for name, box in BOXES.items()}
_OF_ARRAYS: Final = frozenset({TOP, "Cloneable", "Serializable"})
_SHIFTS: Final = frozenset({"<<", ">>", ">>>"})
_STRING: Final = "String"
# types of the library that no other type derives from, and bases of all that is thrown
_FINAL: Final = frozenset({_STRING, "Class", *BOXES.values()})
_THROWN: Final = frozenset({"Throwable", "Serializable"})
_MOST_NESTED: Final = 6
_PAIR: Final = 2


NOTHING: Final = ExternalInstance("")  # a type that is not known
OBJECT: Final = ExternalInstance(TOP)


class FunctionShape(NamedTuple):
    """The number of parameters of a function, and whether it gives a value."""

    takes: int
    gives: bool


class JavaConversions(Conversions):
    """Asks whether one type is another, or becomes one by boxing."""

    # types

    def erased(self, value: Value) -> Value:
        """The type of an object, or the one that a class is, without its type arguments."""
        if isinstance(value, Instance | ClassValue):
            return Instance(value.path, value.scope)
        if isinstance(value, TypeParameter) or is_none(value):
            return value
        if not isinstance(value, External | ExternalInstance):
            return NOTHING
        if value.name == ARRAY:
            elements = value.arguments[0] if value.arguments else ()
            return array_of(self.erased(elements[0]) if elements else NOTHING)
        if value.name == CALLABLE:  # some interface of one function, if it is not known which one
            own = value.arguments[2] if len(value.arguments) > _PAIR else ()
            return self.erased(own[0]) if own else ExternalInstance(CALLABLE, value.arguments)
        is_unknown = self._rules.is_unknown(value.name)
        return NOTHING if is_unknown else ExternalInstance(simple_name(value.name))

    def of_expression(self, file: SourceFile, number: int, depth: int = 0) -> list[Value]:
        """The possible types of an expression; none if nothing is known."""
        item = file.expressions[number]
        if item.op == Op.OPERATOR and len(item.items) > 1 and depth < _MOST_NESTED:
            sides = [
                self.of_expression(file, part.value, depth + 1) if part.value != NONE else []
                for part in item.items
            ]
            return [self._operation(item.name, sides[0], sides[1])]
        return [
            self._constant(value.name) if isinstance(value, External) else self.erased(value)
            for value in self._evaluation.evaluate(file, number)
        ]

    def _constant(self, name: str) -> Value:
        """The type of a static field of the library."""
        owner, _, own = name.rpartition(".")
        declared = library_type(simple_name(owner))
        if declared is None:  # most are those of an enum
            return ExternalInstance(simple_name(owner)) if own.isupper() and owner else NOTHING
        return written_type(declared.constants.get(own, ""))

    def _operation(self, operator: str, one: list[Value], other: list[Value]) -> Value:
        if operator in COMPARISONS:
            return ExternalInstance("boolean")
        text = ExternalInstance(_STRING)
        if operator == "+" and text in (*one, *other):
            return text
        if len(one) != 1 or len(other) != 1:
            return NOTHING
        left, right = _unboxed(one[0]), _unboxed(other[0])
        if left == right == "boolean":
            return ExternalInstance("boolean")
        if operator in _SHIFTS:
            right = left
        if not left or not right:
            return NOTHING
        names = ("int", *(name for name in (left, right) if name in NUMBERS))
        return ExternalInstance(max(names, key=NUMBERS.index))

    # conversions

    def fits(self, value: Value, declared: Value, depth: int = 0) -> int:
        """The fit of a type with another one, or with a wider primitive one."""
        if NOTHING in {value, declared} or depth > _MOST_NESTED:
            return MAYBE
        if is_primitive(value) or is_primitive(declared):
            return DERIVED if _is_wider(value, declared) else NO
        if is_none(value) or declared == OBJECT:
            return DERIVED
        if isinstance(value, TypeParameter) and not isinstance(declared, TypeParameter):
            return max(self.fits(bound, declared, depth + 1) for bound in self.bounds(value))
        return super().fits(value, declared, depth)

    def boxed(self, value: Value, declared: Value) -> int:
        """The fit of a type with another one, or with one that it becomes by boxing."""
        fit = self.fits(value, declared)
        if fit != NO:
            return fit
        if isinstance(value, ExternalInstance) and value.name in BOXES:
            return min(self.fits(ExternalInstance(BOXES[value.name]), declared), CONVERTED)
        if is_primitive(declared):
            if isinstance(value, TypeParameter):
                return MAYBE
            return CONVERTED if _is_wider(ExternalInstance(_unboxed(value)), declared) else NO
        return NO

    def bounds(self, parameter: TypeParameter) -> Sequence[Value]:
        """The types that a type parameter is limited to."""
        return [*map(self.erased, self._evaluation.types.bound_of(parameter))] or [OBJECT]

    def _fits_parameter(self, value: Value, declared: TypeParameter, depth: int) -> int:
        """The fit with a type parameter, which stands for its bound."""
        if value == declared:
            return SAME
        return min(self.fits(value, bound, depth + 1) for bound in self.bounds(declared))

    def _fits_outside(self, value: Instance, declared: ExternalInstance, depth: int) -> int:
        del depth
        if declared.name == CALLABLE:
            return self._fits_callable(value, declared)
        if declared.name == ARRAY:
            return NO
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        names = {simple_name(base.external) for base in order if base.external}
        fits = (_fits_base(name, declared.name) for name in names)
        return max(fits, default=NO)

    def _fits_inside(self, value: ExternalInstance, declared: Instance) -> int:
        return self._fits_callable(value, declared) if value.name == CALLABLE else NO

    def fits_external(
        self, value: ExternalInstance, declared: ExternalInstance, depth: int = 0
    ) -> int:
        """The fit of external types."""
        if ARRAY in {value.name, declared.name}:
            return self._fits_array(value, declared, depth)
        if CALLABLE in {value.name, declared.name}:
            return self._fits_callable(value, declared)
        return _fits_base(value.name, declared.name)

    def _fits_array(self, value: ExternalInstance, declared: ExternalInstance, depth: int) -> int:
        if value.name != ARRAY:
            return NO
        if declared.name != ARRAY:
            return DERIVED if declared.name in _OF_ARRAYS else NO
        one, other = element_of(value), element_of(declared)
        if NOTHING not in {one, other} and (is_primitive(one) or is_primitive(other)):
            return SAME if one == other else NO
        return self.fits(one, other, depth + 1)

    def _fits_callable(self, value: Value, declared: Value) -> int:
        """The fit of a functional interface whose parameters alone are known."""
        one, other = self.function_of(value), self.function_of(declared)
        if other is None and isinstance(value, ExternalInstance) and value.name == CALLABLE:
            return MAYBE if is_unlisted(declared) else NO
        if one is None or other is None:
            return NO if isinstance(value, Instance) else MAYBE
        return MAYBE if one.takes == other.takes else NO

    # functions

    def function_of(self, value: Value) -> FunctionShape | None:
        """The function that a type stands for; None if it stands for none."""
        if isinstance(value, Instance):
            method = self._rules.function_in(value)
            return self.shape_of(method) if isinstance(method, FunctionValue) else None
        if not isinstance(value, ExternalInstance):
            return None
        if value.name == CALLABLE:
            given = value.arguments[0] if value.arguments else ()
            parts = given[0].parts if given and isinstance(given[0], TupleValue) else ()
            return FunctionShape(len(parts), gives=True)
        declared = library_type(value.name)
        function = None if declared is None else declared.function
        if function is None:
            return None
        return FunctionShape(len(function.parameters), function.result != "void")

    def shape_of(self, value: FunctionValue) -> FunctionShape | None:
        """The shape of a declared function."""
        if self._evaluation.declaration_of(value) is None:
            return None
        calls = self._evaluation.calls
        return FunctionShape(len(calls.parameters(value)), not calls.is_void(value))


def written_type(text: str) -> Value:
    """A type of the library as it is written, without its type arguments."""
    if text.endswith("[]"):
        return array_of(written_type(text[:-2]))
    name = text.partition("<")[0]
    return ExternalInstance(name) if name in BOXES or library_type(name) else NOTHING


def array_of(element: Value) -> ExternalInstance:
    """The type of an array."""
    return ExternalInstance(ARRAY, ((element,),))


def element_of(value: Value) -> Value:
    """The element type of an array; unknown for other types."""
    if isinstance(value, ExternalInstance) and value.name == ARRAY:
        return value.arguments[0][0]
    return NOTHING


def is_primitive(value: Value) -> bool:
    """True for a type without objects."""
    return isinstance(value, ExternalInstance) and value.name in BOXES


def is_unlisted(value: Value) -> bool:
    """True for a class from outside that no table has."""
    if not isinstance(value, ExternalInstance) or value.name in {*BOXES, ARRAY, CALLABLE}:
        return False
    return library_type(value.name) is None


def _fits_base(one: str, other: str) -> int:
    """The fit of an external class with another."""
    if one == other:
        return SAME
    known = supertypes(one)
    if known:
        return DERIVED if other in known else NO
    if other in _FINAL:
        return NO
    is_thrown = other in _THROWN and one.endswith(("Exception", "Error"))
    return DERIVED if is_thrown else MAYBE


def _is_wider(one: Value, other: Value) -> bool:
    """True if the second primitive type takes all values of the first."""
    if not isinstance(one, ExternalInstance) or not isinstance(other, ExternalInstance):
        return False
    if one == other:
        return True
    name = "short" if one.name == "char" and other.name not in {"byte", "short"} else one.name
    return is_wider(name, other.name)


def _unboxed(value: Value) -> str:
    """The name of a primitive type or of the one in a box; empty for others."""
    name = value.name if isinstance(value, ExternalInstance) else ""
    return name if name in BOXES else _UNBOXED.get(name, "")
