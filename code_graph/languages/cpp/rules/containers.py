"""Results of pointers, containers and casts of C++: declared, and of its library."""

from __future__ import annotations

from typing import Final

from code_graph.declared.effects import LibraryRules, LibraryTable
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Instance,
    Result,
    Value,
    Values,
    merge,
)
from code_graph.languages.c.numbers import NUMBERS
from code_graph.model import Strategy

# the type of a text in the code, which points to characters
TEXT: Final = "literal text"
LIBRARY: Final = LibraryTable.of("cpp")
TEXTS: Final = LIBRARY.types["texts"]
# the types that a container declares
HOLDING: Final = frozenset(
    {"iterator", "const_iterator", "reverse_iterator", "value_type", "reference", "const_reference"}
)
# values of a type that `std::numeric_limits` has
_LIMITS: Final = frozenset({"min", "max", "lowest", "epsilon", "infinity", "quiet_NaN"})
_LIMITED: Final = "numeric_limits"


class CppContainers(LibraryRules):
    """Pointers and containers."""

    library = LIBRARY

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

    def short_name(self, name: str) -> str:
        """The name of a type; of one that a container declares, the container's."""
        before, _, own = name.rpartition(".")
        return super().short_name(before if own in HOLDING else name)

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of a type of another library; a limit of numbers is of their type."""
        if isinstance(value, External) and name in _LIMITS and value.name.endswith(_LIMITED):
            return {External(f"{value.name}.{name}", value.arguments): Strategy.IMPORT}
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a function of the standard library returns, as far as it is known."""
        name = value.name.rpartition(".")[2]
        if name in NUMBERS or name in TEXTS:
            return {ExternalInstance(value.name): Strategy.DECLARED}
        return super().call_external(value, file, number)

    def item(self, value: Value) -> Values:
        """The element of a container at an index or key."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        is_map = self.short_name(value.name) in LIBRARY.types["maps"]
        return value.arguments[is_map and len(value.arguments) > 1]

    def held_types(self, value: External, name: str) -> Values:
        """The meaning of a type that a container declares: `value_type`, an iterator."""
        container = ExternalInstance(value.name, value.arguments)
        if name in HOLDING:
            return self.element(container)
        return self.item(container) if name == "mapped_type" else ()

    def is_interface(self, name: str) -> bool:
        """Types of other libraries are classes."""
        del name
        return False
