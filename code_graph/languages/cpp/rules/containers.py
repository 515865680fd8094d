"""Results of pointers, containers and casts of C++: declared ones, and those of its library."""

from __future__ import annotations

from typing import Final

from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Instance,
    Result,
    Value,
    Values,
    merge,
    with_strategy,
)
from code_graph.languages.c.numbers import NUMBERS
from code_graph.model import Strategy

# types that stand for what they point to or hold
_POINTERS: Final = frozenset(
    {"unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper", "atomic"}
)
_MADE: Final = {"make_unique": "unique_ptr", "make_shared": "shared_ptr"}
_HELD: Final = frozenset(
    {"get", "lock", "value", "front", "back", "at", "top", "load", "release", "value_or", "data"}
)
# the type of a text in the code, which points to characters
TEXT: Final = "literal text"
TEXTS: Final = frozenset(
    {"string", "string_view", "wstring", "wstring_view", "basic_string", "basic_string_view"}
)
_OF_FLOATS: Final = (
    "acosf asinf atan2f atanf ceilf cosf expf fabsf floorf fmaxf fminf fmodf log2f logf powf roundf"
    " sinf sqrtf tanf truncf"
)
# results of functions whose names mean one thing
_RESULTS: Final = {
    "c_str": TEXT, "str": "std.string", "substr": "std.string", "to_string": "std.string",
    "size": "size_t", "length": "size_t", "strlen": "size_t", "stod": "double", "stoi": "int",
    **dict.fromkeys(_OF_FLOATS.split(), "float"),
}  # fmt: skip
# what gives an iterator, which stands for the element it points to
_ITERATORS: Final = frozenset(
    {"begin", "end", "cbegin", "cend", "rbegin", "rend", "find", "lower_bound", "upper_bound"}
)
HOLDING: Final = frozenset(
    {"iterator", "const_iterator", "reverse_iterator", "value_type", "reference", "const_reference"}
)
_MAPS: Final = frozenset({"map", "unordered_map", "multimap", "unordered_multimap"})
_PAIR: Final = "std.pair"
_PARTS: Final = {"first": 0, "second": 1}
_SAME: Final = frozenset({"move", "forward", "ref", "cref", "as_const"}) | _ITERATORS
# values of a type that `std::numeric_limits` has
_LIMITS: Final = frozenset({"min", "max", "lowest", "epsilon", "infinity", "quiet_NaN"})
_LIMITED: Final = "numeric_limits"
_CASTS: Final = frozenset(
    {"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "static_pointer_cast"}
    | {"dynamic_pointer_cast"}
)


class CppContainers(DeclaredRules):
    """Pointers and containers."""

    # declared types

    def indexed(self, value: Instance) -> Result:
        """The element at an index; without an operator, the element of an array or a pointer."""
        found = self.method_results(value, "operator[]")
        return found or {value: Strategy.DECLARED}

    def iterated(self, value: Instance) -> Result:
        """The element of a type's iterators; without them, the element of an array."""
        if not self._evaluation.classes.members(value, "begin"):
            return {value: Strategy.GENERIC}
        found: Result = {}
        for made in self.method_results(value, "begin"):
            if isinstance(made, Instance):
                # a pointer is its own iterator
                merge(found, self.method_results(made, "operator*") or {made: Strategy.GENERIC})
        return found

    def pointed(self, value: Instance) -> Result:
        """The results of a type's `operator->`."""
        found = self.method_results(value, "operator->")
        return {item: how for item, how in found.items() if item != value}

    # external types

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of what a pointer leads to, or of a type of another library."""
        if isinstance(value, ExternalInstance) and value.arguments:
            short = value.name.rpartition(".")[2]
            if short in _POINTERS and name not in _HELD:
                found: Result = {}
                for inner in value.arguments[0]:
                    merge(found, self._evaluation.names.member_of(file, number, inner, name))
                if any(not isinstance(item, External) for item in found):
                    return found
            if short == "pair" and name in _PARTS and len(value.arguments) > _PARTS[name]:
                return with_strategy(value.arguments[_PARTS[name]], Strategy.GENERIC)
        if isinstance(value, External) and name in _LIMITS and value.name.endswith(_LIMITED):
            return {External(f"{value.name}.{name}", value.arguments): Strategy.IMPORT}
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a function of the standard library returns, as far as it is known."""
        name = value.name.rpartition(".")[2]
        item = file.expressions[number]
        found = _made(value, name) or _given(value, name)
        if found:
            return found
        if name in _SAME and item.items:
            found = self._evaluation.evaluate(file, item.items[0].value)
            return {one: max(how, Strategy.GENERIC) for one, how in found.items()}
        return super().call_external(value, file, number)

    def element(self, value: Value) -> Values:
        """The element of a container in a loop."""
        return _held(value) if isinstance(value, ExternalInstance) else ()

    def item(self, value: Value) -> Values:
        """The element of a container at an index or key."""
        return _held(value, is_value=True) if isinstance(value, ExternalInstance) else ()

    def held_types(self, value: External, name: str) -> Values:
        """The meaning of a type that a container declares: `value_type`, an iterator."""
        if name in HOLDING:
            return _held(value)
        return _held(value, is_value=True) if name == "mapped_type" else ()

    def is_interface(self, name: str) -> bool:
        """Types of other libraries are classes."""
        del name
        return False


def _made(value: External, name: str) -> Result:
    """The object that a function makes whose name tells its type."""
    if value.arguments and name in _MADE:
        return {ExternalInstance(_MADE[name], value.arguments): Strategy.GENERIC}
    if name in NUMBERS or name in TEXTS:
        return {ExternalInstance(value.name): Strategy.DECLARED}
    return {ExternalInstance(_RESULTS[name]): Strategy.DECLARED} if name in _RESULTS else {}


def _given(value: External, name: str) -> Result:
    """The values of type arguments that a function returns."""
    if not value.arguments:
        return {}
    if name in _CASTS:
        return with_strategy(value.arguments[0], Strategy.DECLARED)
    if name in _LIMITS:
        return with_strategy(value.arguments[0], Strategy.GENERIC)
    if name in _HELD or name in _ITERATORS:
        return with_strategy(_held(value, is_value=name in _HELD), Strategy.GENERIC)
    return {}


def _held(value: External | ExternalInstance, *, is_value: bool = False) -> Values:
    """The elements of a container: of a map pairs, or the values of its keys."""
    arguments = value.arguments
    is_map = not _MAPS.isdisjoint(value.name.split(".")[-2:])
    if is_map and len(arguments) > 1:
        return arguments[1] if is_value else (ExternalInstance(_PAIR, arguments[:2]),)
    return arguments[0] if arguments else ()
