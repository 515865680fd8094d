"""Containers of Scala's library: what they pass on and give."""

from __future__ import annotations

from typing import ClassVar, Final

from code_graph.declared.effects import LibraryRules
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
from code_graph.languages.scala.rules import library as known
from code_graph.model import Strategy

_PAIR: Final = 2
_YIELD: Final = "yield"


def short_name(name: str) -> str:
    """The last name of a type; the whole of one of Java's, which is another."""
    return name if name.startswith("java") else name.rpartition(".")[2]


class ScalaCollections(LibraryRules):
    """External types and functions."""

    library = known.LIBRARY

    literals: ClassVar[dict[str, str]] = known.LITERALS
    plain_types: ClassVar[frozenset[str]] = known.PLAIN
    nullable: ClassVar[frozenset[str]] = frozenset({"String"})
    top_types: ClassVar[frozenset[str]] = frozenset({"Any", "AnyRef", "Object", "AnyVal"})
    conversions: ClassVar[frozenset[tuple[str, str]]] = known.CONVERSIONS
    invoking: ClassVar[frozenset[str]] = frozenset({"apply"})

    def short_name(self, name: str) -> str:
        """The name by which rows know an external type."""
        return short_name(name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The result of a function of a container, or of what makes one."""
        owner, _, name = value.name.rpartition(".")
        short = short_name(owner)
        items = [part.value for part in file.expressions[number].items]
        if name in known.CONTAINERS or (name in {"apply", "empty"} and short in known.CONTAINERS):
            kind = name if name in known.CONTAINERS else short
            return {ExternalInstance(kind, self._arguments(file, number, kind)): Strategy.GENERIC}
        made = self.given_by(value, file, number)
        is_open = not value.arguments and short in known.CONTAINERS
        if name in known.JOINING and is_open and items:
            element = plain(self._evaluation.element(self._evaluation.evaluate(file, items[0])))
            made = (ExternalInstance(short, (element,)),)
        elif name in known.WRITTEN and not made:
            written = self._evaluation.calls.written_types(file, file.expressions[number].of)
            made = written[0] if written else ()
        if made:
            return with_strategy(made, Strategy.GENERIC)
        typed = self._plain_result(short, name)
        return {typed: Strategy.FLOW} if typed else super().call_external(value, file, number)

    @staticmethod
    def _plain_result(owner: str, name: str) -> ExternalInstance | None:
        """The result of a function that has one whatever it is called on."""
        found = ""
        if name in known.TRUTHS:
            found = "Boolean"
        elif name in known.LENGTHS:
            found = "Int"
        elif name in known.TEXTS:
            found = "String"
        elif name in known.ARITHMETIC and owner in known.PLAIN:
            found = owner
        return ExternalInstance(found) if found else None

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
        if kind in known.MAPS:
            return tuple(
                tuple(dict.fromkeys(one for pair in pairs for one in pair.parts[at : at + 1][0]))
                for at in range(_PAIR)
                if all(len(pair.parts) == _PAIR for pair in pairs)
            )
        return (plain(values),) if values else ()

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a function of a container passes to a function literal."""
        owner, _, name = value.name.rpartition(".")
        short = short_name(owner)
        if not value.arguments or short not in known.CONTAINERS:
            return ()
        if name in known.FOLDING and not position:
            is_handled = name == "fold" and short in {"Option", "Some"}
            return (value.arguments[-1],) if is_handled else ()
        return super().callback_parameters(value, file, number, position)

    def item(self, value: Value) -> Values:
        """The value of a container at a key."""
        is_container = (
            isinstance(value, ExternalInstance) and short_name(value.name) in known.CONTAINERS
        )
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
            elif isinstance(value, ExternalInstance) and short_name(value.name) in known.CONTAINERS:
                found[ExternalInstance(value.name, (given,))] = Strategy.GENERIC
        return found

    def _taken(self, name: str, whole: Result) -> Result:
        """A part of values that a pattern of a library's class takes apart."""
        found: Result = {}
        for value in whole:
            if isinstance(value, ExternalInstance) and value.arguments:
                one: Values = ()
                if name in known.TAKEN:
                    one = value.arguments[known.TAKEN[name]]
                elif name in known.CONTAINERS:
                    one = self.element(value)
                merge(found, with_strategy(one, Strategy.GENERIC))
        return found
