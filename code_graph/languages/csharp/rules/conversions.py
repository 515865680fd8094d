"""Implicit conversions of C#: from the type of an argument to the type of a parameter."""

from __future__ import annotations

from typing import Final

from code_graph.declared.conversions import CONVERTED, MAYBE, NO, SAME, Conversions
from code_graph.declared.types import ARRAY, CALLABLE
from code_graph.evaluate.substitution import substitute
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    RecordValue,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    is_none,
)
from code_graph.languages.csharp.rules import library as known

_MOST_NESTED: Final = 5
_TUPLES: Final = (TupleValue, RecordValue)


class CSharpConversions(Conversions):
    """Compares types as values: objects of them.

    A conversion is known not to be there, not known, there, or that of equal types.
    """

    def fits(  # noqa: PLR0911 one for each pair
        self, value: Value, declared: Value, depth: int = 0
    ) -> int:
        """The conversion from a value to a type; `depth` counts types in types."""
        if value == declared:
            return SAME
        if depth > _MOST_NESTED or self._is_unknown(value) or self._is_unknown(declared):
            return MAYBE
        if is_none(value):
            return self._of_null(declared)
        if isinstance(declared, ExternalInstance) and declared.name in known.TYPES["tops"]:
            return CONVERTED
        if isinstance(declared, TypeParameter):
            return NO
        if isinstance(value, TypeParameter):
            return self._of_parameter(value, declared, depth)
        if isinstance(value, _TUPLES) or isinstance(declared, _TUPLES):
            return self._of_tuple(value, declared, depth)
        if isinstance(value, FunctionValue) or isinstance(declared, FunctionValue):
            return self._of_delegate(value, declared)
        fits = super().fits
        if isinstance(value, Instance) or isinstance(declared, Instance):
            key = ("conversion", value, declared)
            return self._evaluation.engine.unit(key, lambda: fits(value, declared, depth), MAYBE)
        return fits(value, declared, depth)

    def _fits_inside(self, value: ExternalInstance, declared: Instance) -> int:
        del value
        return self._by_operator(declared, declared)

    def _is_unknown(self, value: Value) -> bool:
        if isinstance(value, External):
            return True
        return isinstance(value, ExternalInstance) and self._evaluation.rules.is_unknown(value.name)

    def is_known(self, values: Values) -> bool:
        """True if something is known about all values."""
        return bool(values) and not any(map(self._is_unknown, values))

    # one kind of type each

    def _of_null(self, declared: Value) -> int:
        """A type that may be null takes it; of a value type it is not known if it may be."""
        if isinstance(declared, TypeParameter | TupleValue) or self.is_value((declared,)):
            return MAYBE
        return CONVERTED

    def is_value(self, values: Values) -> bool:
        """True if values are of types that are no references: numbers, structures, enums."""
        kind = self._evaluation.classes.kind_of
        return any(
            (one.name in known.PLAIN and one.name != "string")
            if isinstance(one, ExternalInstance)
            else isinstance(one, Instance) and kind(one.path, one.scope) in {"struct", "enum"}
            for one in values
        )

    def _of_parameter(self, value: TypeParameter, declared: Value, depth: int) -> int:
        bounds = self._evaluation.types.bound_of(value)
        found = max((self.fits(one, declared, depth + 1) for one in bounds), default=NO)
        return min(found, CONVERTED)

    def _of_tuple(self, value: Value, declared: Value, depth: int) -> int:
        if not isinstance(value, TupleValue) or not isinstance(declared, TupleValue):
            return NO
        if len(value.parts) != len(declared.parts):
            return NO
        return self._of_each(value.parts, declared.parts, depth, is_variant=True)

    def _of_delegate(self, value: Value, declared: Value) -> int:
        """Delegates that are declared convert to no others; functions are of no one type."""
        if isinstance(value, FunctionValue) and not self._evaluation.calls.is_delegate(value):
            return MAYBE
        if isinstance(value, FunctionValue) and isinstance(declared, FunctionValue):
            return SAME if value[:2] == declared[:2] else NO
        is_base = isinstance(declared, ExternalInstance) and declared.name in known.DELEGATES
        return CONVERTED if is_base else NO

    def _fits_class(self, value: Instance, declared: Instance, depth: int) -> int:
        if value[:2] == declared[:2]:
            is_interface = self._is_interface(declared)
            found = self._of_each(
                value.arguments, declared.arguments, depth, is_variant=is_interface
            )
            return found if is_interface or found != CONVERTED else NO
        for item in self._evaluation.classes.ancestors(value.path, value.scope):
            if (item.path, item.scope) == declared[:2]:
                return min(self._of_base(value, declared, depth), CONVERTED)
        return self._by_operator(value, declared)

    def _of_base(self, value: Instance, declared: Instance, depth: int) -> int:
        """The conversion to a base by the type arguments that the class gives it."""
        if not declared.arguments:
            return CONVERTED
        given = self._evaluation.classes.given_at(value, *declared[:2])
        names = self._evaluation.types.parameters_of_instance(declared)
        mine = tuple(given.get(name.name, ()) for name in names)
        return self._of_each(mine, declared.arguments, depth, is_variant=True)

    def _is_interface(self, value: Instance) -> bool:
        kind = self._evaluation.classes.kind_of(value.path, value.scope)
        return kind == "interface"

    def _by_operator(self, value: Instance, declared: Instance) -> int:
        """A conversion that a class declares, of whatever other type."""
        name = self._evaluation.name_of(declared)
        for owner in dict.fromkeys((value, declared)):
            if name and self._evaluation.classes.own_members(
                owner.path, owner.scope, f"operator {name}"
            ):
                return MAYBE
        return NO

    def _fits_outside(self, value: Instance, declared: ExternalInstance, depth: int) -> int:
        name = short(declared.name)
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        bases = [item for item in order if item.external]
        for item in bases:
            if short(item.external) == name or (short(item.external), name) in known.CONVERSIONS:
                if not item.arguments or not declared.arguments:
                    return CONVERTED
                given = self._evaluation.classes.given(value)
                base = ExternalInstance(short(item.external), item.arguments)
                rows = substitute(base, given)
                found = max(self.fits(one, declared, depth + 1) for one in rows)
                return min(found, CONVERTED)
        if self._evaluation.classes.own_members(value.path, value.scope, f"operator {name}"):
            return MAYBE
        kind = self._evaluation.classes.kind_of(value.path, value.scope)
        if name in known.OF_KINDS:
            return CONVERTED if kind in known.OF_KINDS[name] else NO
        if name in known.PLAIN or name in {CALLABLE, ARRAY} or not bases:
            return NO
        is_interface = self._evaluation.rules.is_interface(name)
        return MAYBE if any(self._may_have(item.external, is_interface) for item in bases) else NO

    def _may_have(self, base: str, is_interface: bool) -> bool:  # noqa: FBT001 of the declared type
        """True if an external base may have another external type as one of its own bases."""
        if short(base) in known.ALONE:
            return False
        return is_interface or not self._evaluation.rules.is_interface(base)

    def fits_external(  # noqa: PLR0911 one for each kind of type
        self, value: ExternalInstance, declared: ExternalInstance, depth: int = 0
    ) -> int:
        """The conversion from an external type to another."""
        one, other = short(value.name), short(declared.name)
        if one == other:
            return self._of_arguments(value, declared, depth)
        if one in known.NUMBERS and other in known.NUMBERS:
            return CONVERTED if other in known.NUMBERS[one] else NO
        if (one, other) in known.CONVERSIONS:
            return self._of_elements(value, declared, depth)
        if one in known.COLLECTIONS and other in known.COLLECTIONS:
            return NO
        if one == CALLABLE:
            return CONVERTED if other in known.DELEGATES else NO
        if other in known.PLAIN or other in {CALLABLE, ARRAY}:
            return NO
        if one in known.PLAIN or one == ARRAY:
            is_comparable = one in known.PLAIN and other in known.TYPES["comparable"]
            return CONVERTED if is_comparable or other in known.OF_KINDS else NO
        return known.derives(one, other)

    def _of_arguments(self, value: ExternalInstance, declared: ExternalInstance, depth: int) -> int:
        mine, theirs = value.arguments, declared.arguments
        if len(mine) != len(theirs):
            return CONVERTED if not theirs else NO if not mine else MAYBE
        if short(value.name) == CALLABLE:
            return self._of_functions(mine, theirs, depth)
        is_variant = short(declared.name) in known.TYPES["variant"]
        found = self._of_each(mine, theirs, depth, is_variant=is_variant)
        return found if is_variant or found != CONVERTED else NO

    def _of_functions(
        self, mine: tuple[Values, ...], theirs: tuple[Values, ...], depth: int
    ) -> int:
        """The conversion of one type of functions to another: `Func` to `Func`, `Action`."""
        first, second = (rows[0] if rows else () for rows in (mine, theirs))
        one, other = (rows[0] if rows else None for rows in (first, second))
        if not isinstance(one, TupleValue) or not isinstance(other, TupleValue):
            return MAYBE
        if len(one.parts) != len(other.parts) or bool(mine[-1]) != bool(theirs[-1]):
            return NO
        given = self._of_each(other.parts, one.parts, depth, is_variant=True)
        result = self._of_each(mine[-1:], theirs[-1:], depth, is_variant=True)
        return min(given, result) if theirs[-1] else given

    def _of_elements(self, value: ExternalInstance, declared: ExternalInstance, depth: int) -> int:
        """The conversion of a container to another by what both contain."""
        if len(value.arguments) != 1 or len(declared.arguments) != 1:
            return CONVERTED
        found = self._of_each(value.arguments, declared.arguments, depth, is_variant=True)
        return min(found, CONVERTED)

    def _of_each(
        self,
        mine: tuple[Values, ...],
        theirs: tuple[Values, ...],
        depth: int,
        *,
        is_variant: bool,
    ) -> int:
        """The weakest conversion of type arguments; those that vary take references alone."""
        if len(mine) != len(theirs):
            return MAYBE
        found = SAME
        for one, other in zip(mine, theirs, strict=True):
            if not one or not other:
                found = min(found, MAYBE)
                continue
            inner = max(self.fits(a, b, depth + 1) for a in one for b in other)
            if inner == CONVERTED and not is_variant:
                inner = NO
            found = min(found, inner)
        return found


def short(name: str) -> str:
    """The last part of an external name."""
    return name.rpartition(".")[2]
