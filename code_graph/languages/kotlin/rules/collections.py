"""Collections of Kotlin, and functions that any object has."""

from __future__ import annotations

from typing import ClassVar

from code_graph.declared.effects import Library, LibraryRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Result,
    Value,
    merge,
    plain,
)
from code_graph.expressions import Op
from code_graph.languages.kotlin.rules import library as known
from code_graph.model import Strategy


class KotlinCollections(LibraryRules):
    """External types and functions."""

    library = Library.of("kotlin")
    literals: ClassVar[dict[str, str]] = known.LITERALS
    plain_types: ClassVar[frozenset[str]] = known.PLAIN
    nullable: ClassVar[frozenset[str]] = known.PLAIN
    top_types: ClassVar[frozenset[str]] = frozenset({"Any"})
    conversions: ClassVar[frozenset[tuple[str, str]]] = known.CONVERSIONS
    invoking: ClassVar[frozenset[str]] = frozenset({"invoke"})

    def on_any(self, receivers: Result, name: str) -> Result:
        """A function that any object has, with the object as its argument."""
        if name not in known.ON_ANY or not receivers:
            return {}
        return {External(name, (plain(receivers),)): Strategy.FLOW}

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an external object, which may be a function of any."""
        if isinstance(value, ExternalInstance) and name in known.ON_ANY:
            return self.on_any({value: Strategy.FLOW}, name)
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The result of a function that makes a collection, or of another one."""
        if value.name in known.MAKING:
            return self._made_of(value.name, file, number)
        return super().call_external(value, file, number)

    def _made_of(self, name: str, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        of = file.expressions[item.of]
        if of.op == Op.APPLY:
            given = tuple(
                plain(self._evaluation.types.instances(file, part.value)) for part in of.items
            )
            return {ExternalInstance(known.MAKING[name], given): Strategy.DECLARED}
        if known.MAKING[name] in known.MAPS:
            return {ExternalInstance(known.MAKING[name]): Strategy.GENERIC}
        values: Result = {}
        for part in item.items:
            merge(values, self._evaluation.evaluate(file, part.value))
        return {ExternalInstance(known.MAKING[name], (plain(values),)): Strategy.GENERIC}
