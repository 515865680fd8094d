"""Conversions between types of Java, with their type arguments erased.

A conversion is sure to be there or not, or depends on a type that is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.declared.conversions import CONVERTED, MAYBE, NO, Conversions
from code_graph.declared.types import ARRAY, CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
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

# kinds of types
PRIMITIVE: Final = "primitive"
CLASS: Final = "class"  # of the repository
OUTSIDE: Final = "outside"
ARRAY_OF: Final = "array"
PARAMETER: Final = "parameter"
FUNCTION: Final = "function"  # some interface of one function
NULL: Final = "null"
UNKNOWN: Final = "unknown"

_WIDER: Final = ("byte", "short", "int", "long", "float", "double")
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
_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_SHIFTS: Final = frozenset({"<<", ">>", ">>>"})
_STRING: Final = "String"
# types of the library that no other type derives from, and bases of all that is thrown
_FINAL: Final = frozenset({_STRING, "Class", *BOXES.values()})
_THROWN: Final = frozenset({"Throwable", "Serializable"})
_MOST_NESTED: Final = 6
_PAIR: Final = 2


class JavaType(NamedTuple):
    """A type by its kind and name; of an array `value` is the element, else what it is made of."""

    kind: str
    name: str = ""
    value: Value | JavaType | None = None


NOTHING: Final = JavaType(UNKNOWN)
OBJECT: Final = JavaType(OUTSIDE, TOP)


class FunctionShape(NamedTuple):
    """The number of parameters of a function, and whether it gives a value."""

    takes: int
    gives: bool


class JavaConversions(Conversions):
    """Asks whether one type is another, or becomes one by boxing."""

    # types

    def typed(self, value: Value) -> JavaType:
        """The type of an object, or the one that a class is."""
        if isinstance(value, Instance | ClassValue):
            return JavaType(CLASS, "", Instance(value.path, value.scope))
        if isinstance(value, TypeParameter):
            return JavaType(PARAMETER, value.name, value)
        if is_none(value):
            return JavaType(NULL)
        if isinstance(value, External | ExternalInstance):
            return self._outside(value)
        return NOTHING

    def _outside(self, value: External | ExternalInstance) -> JavaType:
        name = value.name
        if name == ARRAY:
            inner = [self.typed(one) for one in (value.arguments[0] if value.arguments else ())]
            return JavaType(ARRAY_OF, "", inner[0] if inner else NOTHING)
        if name == CALLABLE:
            own = value.arguments[2] if len(value.arguments) > _PAIR else ()
            first = own[0] if own else None
            return self.typed(first) if first is not None else JavaType(FUNCTION, "", value)
        if self._evaluation.rules.is_unknown(name):
            return NOTHING
        short = simple_name(name)
        return JavaType(PRIMITIVE if short in BOXES else OUTSIDE, short)

    def of_expression(self, file: SourceFile, number: int, depth: int = 0) -> list[JavaType]:
        """The possible types of an expression; none if nothing is known."""
        item = file.expressions[number]
        if item.op == Op.OPERATOR and len(item.items) > 1 and depth < _MOST_NESTED:
            sides = [
                self.of_expression(file, part.value, depth + 1) if part.value != NONE else []
                for part in item.items
            ]
            return [self._operation(item.name, sides[0], sides[1])]
        return [
            self._constant(value.name) if isinstance(value, External) else self.typed(value)
            for value in self._evaluation.evaluate(file, number)
        ]

    def _constant(self, name: str) -> JavaType:
        """The type of a static field of the library."""
        owner, _, own = name.rpartition(".")
        declared = library_type(simple_name(owner))
        if declared is None:  # most are those of an enum
            return JavaType(OUTSIDE, simple_name(owner)) if own.isupper() and owner else NOTHING
        return written_type(declared.constants.get(own, ""))

    def _operation(self, operator: str, one: list[JavaType], other: list[JavaType]) -> JavaType:
        if operator in _COMPARISONS:
            return JavaType(PRIMITIVE, "boolean")
        text = JavaType(OUTSIDE, _STRING)
        if operator == "+" and text in (*one, *other):
            return text
        if len(one) != 1 or len(other) != 1:
            return NOTHING
        left, right = _unboxed(one[0]), _unboxed(other[0])
        if left == right == "boolean":
            return JavaType(PRIMITIVE, "boolean")
        if operator in _SHIFTS:
            right = left
        ranks = [_WIDER.index(name) if name in _WIDER else 2 for name in (left, right) if name]
        return JavaType(PRIMITIVE, _WIDER[max(2, *ranks)]) if len(ranks) == 2 else NOTHING

    # conversions

    def is_sub(self, one: JavaType, other: JavaType, depth: int = 0) -> int:
        """The answer whether a type is another one, or a wider primitive one."""
        kinds = {one.kind, other.kind}
        if UNKNOWN in kinds or depth > _MOST_NESTED:
            found = MAYBE
        elif PRIMITIVE in kinds:
            found = CONVERTED if one.kind == other.kind and _is_wider(one.name, other.name) else NO
        elif one.kind == NULL or other == OBJECT:
            found = CONVERTED
        elif PARAMETER in kinds:
            found = self._is_parameter(one, other, depth)
        elif ARRAY_OF in kinds:
            found = self._is_array(one, other, depth)
        elif FUNCTION in kinds:
            found = self._is_function(one, other)
        else:
            found = self._is_base(one, other)
        return found

    def converts(self, one: JavaType, other: JavaType) -> int:
        """The answer whether a type is another one, or becomes it by boxing."""
        found = self.is_sub(one, other)
        if found != NO:
            return found
        if one.kind == PRIMITIVE and one.name in BOXES:
            return self.is_sub(JavaType(OUTSIDE, BOXES[one.name]), other)
        if other.kind == PRIMITIVE:
            name = _unboxed(one)
            if one.kind == PARAMETER:
                return MAYBE
            return CONVERTED if name and _is_wider(name, other.name) else NO
        return NO

    def bounds(self, parameter: JavaType) -> list[JavaType]:
        """The types that a type parameter is limited to."""
        value = parameter.value
        found = self._evaluation.types.bound_of(value) if isinstance(value, TypeParameter) else ()
        return [self.typed(bound) for bound in found] or [OBJECT]

    def _is_parameter(self, one: JavaType, other: JavaType, depth: int) -> int:
        """The answer for a type parameter, which stands for what it is limited to."""
        if one == other:
            return CONVERTED
        if other.kind == PARAMETER:
            return min(self.is_sub(one, bound, depth + 1) for bound in self.bounds(other))
        return max(self.is_sub(bound, other, depth + 1) for bound in self.bounds(one))

    def _is_array(self, one: JavaType, other: JavaType, depth: int) -> int:
        if one.kind != ARRAY_OF:
            return NO
        if other.kind != ARRAY_OF:
            return CONVERTED if other.name in _OF_ARRAYS else NO
        left, right = one.value, other.value
        if not isinstance(left, JavaType) or not isinstance(right, JavaType):
            return MAYBE
        if PRIMITIVE in {left.kind, right.kind}:
            return MAYBE if UNKNOWN in {left.kind, right.kind} else (NO, CONVERTED)[left == right]
        return self.is_sub(left, right, depth + 1)

    def _is_function(self, one: JavaType, other: JavaType) -> int:
        """The answer for an interface of one function of which only its parameters are known."""
        left, right = self.function_of(one), self.function_of(other)
        if one.kind == FUNCTION and right is None:
            return MAYBE if other.kind == OUTSIDE and library_type(other.name) is None else NO
        if left is None or right is None:
            return NO if one.kind == CLASS else MAYBE
        return MAYBE if left.takes == right.takes else NO

    def _is_base(self, one: JavaType, other: JavaType) -> int:
        if one == other:
            return CONVERTED
        if one.kind == CLASS:
            names: set[str] = set()
            for base in self._ancestors(one):
                if base.external:
                    names.add(simple_name(base.external))
                elif other == JavaType(CLASS, "", Instance(base.path, base.scope)):
                    return CONVERTED
            if other.kind == CLASS:
                return NO
            fits = [_is_outside_base(name, other.name) for name in names]
            return max(fits, default=NO)
        return NO if other.kind == CLASS else _is_outside_base(one.name, other.name)

    def _ancestors(self, one: JavaType) -> Sequence[Ancestor]:
        value = one.value
        if not isinstance(value, Instance):
            return ()
        return self._evaluation.classes.ancestors(value.path, value.scope)

    # functions

    def function_of(self, one: JavaType) -> FunctionShape | None:
        """The function that a type stands for; None if it stands for none."""
        if one.kind == OUTSIDE:
            declared = library_type(one.name)
            function = None if declared is None else declared.function
            if function is None:
                return None
            return FunctionShape(len(function.parameters), function.result != "void")
        if one.kind == FUNCTION and isinstance(one.value, External | ExternalInstance):
            given = one.value.arguments[0] if one.value.arguments else ()
            parts = given[0].parts if given and isinstance(given[0], TupleValue) else ()
            return FunctionShape(len(parts), gives=True)
        if one.kind == CLASS and isinstance(one.value, Instance):
            method = self._evaluation.rules.function_in(one.value)
            return self.shape_of(method) if isinstance(method, FunctionValue) else None
        return None

    def shape_of(self, value: FunctionValue) -> FunctionShape | None:
        """The shape of a declared function."""
        if self._evaluation.declaration_of(value) is None:
            return None
        calls = self._evaluation.calls
        return FunctionShape(len(calls.parameters(value)), not calls.is_void(value))


def written_type(text: str) -> JavaType:
    """A type of the library as it is written, without its type arguments."""
    if text.endswith("[]"):
        return JavaType(ARRAY_OF, "", written_type(text[:-2]))
    name = text.partition("<")[0]
    if name in BOXES:
        return JavaType(PRIMITIVE, name)
    return JavaType(OUTSIDE, name) if library_type(name) else NOTHING


def _is_outside_base(one: str, other: str) -> int:
    """The answer whether a type is another one that are both declared elsewhere."""
    if one == other:
        return CONVERTED
    known = supertypes(one)
    if known:
        return CONVERTED if other in known else NO
    if other in _FINAL:
        return NO
    is_thrown = other in _THROWN and one.endswith(("Exception", "Error"))
    return CONVERTED if is_thrown else MAYBE


def _is_wider(one: str, other: str) -> bool:
    if one == other:
        return True
    if one == "char":
        one = "short" if other in {"int", "long", "float", "double"} else ""
    if one not in _WIDER or other not in _WIDER:
        return False
    return _WIDER.index(one) < _WIDER.index(other)


def _unboxed(one: JavaType) -> str:
    """The name of a primitive type or of the one in a box; empty for others."""
    return one.name if one.kind == PRIMITIVE else _UNBOXED.get(one.name, "")
