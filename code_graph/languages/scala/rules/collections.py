"""Containers of Scala's library: what they pass on and give."""

from __future__ import annotations

from typing import ClassVar, Final

from code_graph.declared.effects import LibraryRules, LibraryTable
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Instance,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Expression, Op
from code_graph.model import Strategy

_PAIR: Final = 2
_YIELD: Final = "yield"
# what a pattern of a library's class takes apart: the position of the argument that it shows
_TAKEN: Final = {"Some": -1, "Right": -1, "Success": -1, "Left": 0}
FOLDING: Final = frozenset({"foldLeft", "fold", "/:", "foldRight", ":\\"})
ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"})
LIBRARY: Final = LibraryTable.of("scala")
CONTAINERS: Final = LIBRARY.types["containers"]


def short_name(name: str) -> str:
    """The last name of a type; the whole of one of Java's, which is another."""
    return name if name.startswith("java") else name.rpartition(".")[2]


class ScalaCollections(LibraryRules):
    """External types and functions."""

    library = LIBRARY
    literals = LIBRARY.literals
    plain_types = LIBRARY.types["plain"]
    conversions = LIBRARY.conversions
    nullable: ClassVar[frozenset[str]] = frozenset({"String"})
    top_types: ClassVar[frozenset[str]] = frozenset({"Any", "AnyRef", "Object", "AnyVal"})
    has_properties: ClassVar[bool] = False
    invoking: ClassVar[frozenset[str]] = frozenset({"apply"})

    def short_name(self, name: str) -> str:
        """The name by which rows know an external type."""
        return short_name(name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The result of a function of a container, or of what makes one."""
        owner, _, name = value.name.rpartition(".")
        short = short_name(owner)
        if name in CONTAINERS or (name in {"apply", "empty"} and short in CONTAINERS):
            kind = name if name in CONTAINERS else short
            return {ExternalInstance(kind, self._arguments(file, number, kind)): Strategy.GENERIC}
        if name in ARITHMETIC and short in self.plain_types:
            return {ExternalInstance(short): Strategy.FLOW}
        return super().call_external(value, file, number)

    def _arguments(self, file: SourceFile, number: int, kind: str) -> tuple[Values, ...]:
        """The type arguments of a container that is made."""
        item = file.expressions[number]
        written = self._evaluation.calls.written_types(file, item.of)
        if written:
            return written
        values: Result = {}
        for part in item.items:
            merge(values, self._evaluation.evaluate(file, part.value))
        pairs = [value for value in values if isinstance(value, TupleValue)]
        if kind in LIBRARY.types["maps"]:
            return tuple(
                tuple(dict.fromkeys(one for pair in pairs for one in pair.parts[at : at + 1][0]))
                for at in range(_PAIR)
                if all(len(pair.parts) == _PAIR for pair in pairs)
            )
        return (plain(values),) if values else ()

    def item(self, value: Value) -> Values:
        """The value of a container at a key."""
        is_container = isinstance(value, ExternalInstance) and short_name(value.name) in CONTAINERS
        return super().item(value) if is_container else ()

    def carried(self, file: SourceFile, item: Expression) -> Result:
        """The values of `yield`, or a part of a container's pattern: `Some(x)`, `List(a, b)`."""
        of = file.expressions[item.of] if item.of != NONE else None
        if of is None:
            return {}
        if item.name == _YIELD:
            return self._yielded(file, of)
        found: Result = {}
        if of.op == Op.CAST and of.of != NONE:
            for shown in self._evaluation.types.of(file, of.items[0].value):
                if isinstance(shown, External):
                    whole = self._evaluation.evaluate(file, of.of)
                    merge(found, self._taken(short_name(shown.name), whole), Strategy.GENERIC)
        return found

    def _yielded(self, file: SourceFile, of: Expression) -> Result:
        """A container as the first generator goes through, of what is yielded."""
        found: Result = {}
        given = plain(self._evaluation.evaluate(file, of.items[1].value))
        for value in self._evaluation.evaluate(file, of.items[0].value):
            if isinstance(value, Instance):
                merge(found, self.method_results(value, "map"), Strategy.GENERIC)
            elif isinstance(value, ExternalInstance) and short_name(value.name) in CONTAINERS:
                found[ExternalInstance(value.name, (given,))] = Strategy.GENERIC
        return found

    def _taken(self, name: str, whole: Result) -> Result:
        """A part of values that a pattern of a library's class takes apart."""
        found: Result = {}
        for value in whole:
            if isinstance(value, ExternalInstance) and value.arguments:
                one: Values = ()
                if name in _TAKEN:
                    one = value.arguments[_TAKEN[name]]
                elif name in CONTAINERS:
                    one = self.element(value)
                merge(found, with_strategy(one, Strategy.GENERIC))
        return found
