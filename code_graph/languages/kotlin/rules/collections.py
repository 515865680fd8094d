"""Collections of Kotlin, and functions that any object has: what they pass on and give."""

from __future__ import annotations

from typing import ClassVar, Final

from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Result,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import Op
from code_graph.languages.kotlin.rules import library as known
from code_graph.model import Strategy

_PAIR: Final = 2


class KotlinCollections(DeclaredRules):
    """External types and functions."""

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
        """A member of an external object; properties of maps and entries are known."""
        if isinstance(value, ExternalInstance) and name in known.ON_ANY:
            return self.on_any({value: Strategy.FLOW}, name)
        if isinstance(value, ExternalInstance) and len(value.arguments) == _PAIR:
            short = value.name.rpartition(".")[2]
            if short in known.MAPS and name in {"keys", "values"}:
                made = ExternalInstance("Collection", (value.arguments[name == "values"],))
                return {made: Strategy.GENERIC}
            if short in known.MAPS and name == "entries":
                entry = ExternalInstance(known.ENTRY, value.arguments)
                return {ExternalInstance("Collection", ((entry,),)): Strategy.GENERIC}
            if short == known.ENTRY and name in {"key", "value"}:
                return with_strategy(value.arguments[name == "value"], Strategy.GENERIC)
            if short == "Pair" and name in {"first", "second"}:
                return with_strategy(value.arguments[name == "second"], Strategy.GENERIC)
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The result of a function of a collection or any object."""
        owner, _, name = value.name.rpartition(".")
        item = file.expressions[number]
        found: Result = {}
        if name in known.GIVING_OBJECT and value.arguments:
            found = with_strategy(value.arguments[0], Strategy.GENERIC)
        elif name in known.GIVING_RESULT and item.items:
            found = with_strategy(self.result_of(file, item.items[-1].value), Strategy.GENERIC)
        elif name in known.MAKING and not owner:
            found = self._made_of(name, file, number)
        elif value.arguments:
            made = self._of_container(owner.rpartition(".")[2], name, value, file, number)
            found = with_strategy(made, Strategy.GENERIC)
        return found or super().call_external(value, file, number)

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

    def _of_container(
        self, owner: str, name: str, value: External, file: SourceFile, number: int
    ) -> Values:
        functions = [part.value for part in file.expressions[number].items]
        made: Values = ()
        if name in known.MAPPED | known.FLATTENED and functions:
            results = self.result_of(file, functions[-1])
            if name in known.FLATTENED:
                results = plain(self._evaluation.element(dict.fromkeys(results, Strategy.GENERIC)))
            made = (ExternalInstance("List", (results,)),)
        elif name in known.SAME:
            made = (ExternalInstance(owner, value.arguments),)
        elif name in known.ELEMENT:
            made = value.arguments[-1]
        return made

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a function of a collection passes to a function literal."""
        del file, number, position
        owner, _, name = value.name.rpartition(".")
        if not value.arguments:
            return ()
        if name in known.WITH_IT:
            return (value.arguments[0],)
        one = value.arguments[-1]
        if owner.rpartition(".")[2] in known.MAPS:
            one = (ExternalInstance(known.ENTRY, value.arguments),)
        if name in known.INDEXED:
            return (ExternalInstance("Int"),), one
        return (one,) if name in known.PASSING else ()

    def element(self, value: Value) -> Values:
        """The value of a loop over a collection."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        if value.name.rpartition(".")[2] in known.MAPS:
            return (ExternalInstance(known.ENTRY, value.arguments),)
        return value.arguments[-1]
