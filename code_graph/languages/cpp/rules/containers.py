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
from code_graph.model import Strategy

# types that stand for what they point to or hold
_POINTERS: Final = frozenset(
    {"unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper", "atomic"}
)
_MADE: Final = {"make_unique": "unique_ptr", "make_shared": "shared_ptr"}
_HELD: Final = frozenset(
    {"get", "lock", "value", "front", "back", "at", "top", "load", "release", "value_or"}
)
_SAME: Final = frozenset({"move", "forward", "ref", "cref", "as_const", "begin", "end", "find"})
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
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a function of the standard library returns, as far as it is known."""
        name = value.name.rpartition(".")[2]
        item = file.expressions[number]
        if value.arguments and name in _MADE:
            return {ExternalInstance(_MADE[name], value.arguments): Strategy.GENERIC}
        if value.arguments and name in _CASTS:
            return with_strategy(value.arguments[0], Strategy.DECLARED)
        if value.arguments and name in _HELD:
            return with_strategy(value.arguments[-1], Strategy.GENERIC)
        if name in _SAME and item.items:
            found = self._evaluation.evaluate(file, item.items[0].value)
            return {one: max(how, Strategy.GENERIC) for one, how in found.items()}
        return super().call_external(value, file, number)

    def element(self, value: Value) -> Values:
        """The element of a container in a loop."""
        if isinstance(value, ExternalInstance) and value.arguments:
            return value.arguments[-1] if "map" not in value.name else ()
        return ()

    def is_interface(self, name: str) -> bool:
        """Types of other libraries are classes."""
        del name
        return False
