"""Containers of Scala's library: what they pass on and give."""

from __future__ import annotations

from typing import ClassVar, Final

from code_graph.declared.rules import DeclaredRules
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


class ScalaCollections(DeclaredRules):
    """External types and functions."""

    literals: ClassVar[dict[str, str]] = known.LITERALS
    plain_types: ClassVar[frozenset[str]] = known.PLAIN
    nullable: ClassVar[frozenset[str]] = frozenset({"String"})
    top_types: ClassVar[frozenset[str]] = frozenset({"Any", "AnyRef", "Object", "AnyVal"})
    conversions: ClassVar[frozenset[tuple[str, str]]] = known.CONVERSIONS
    invoking: ClassVar[frozenset[str]] = frozenset({"apply"})

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The result of a function of a container, or of what makes one."""
        owner, _, name = value.name.rpartition(".")
        short = short_name(owner)
        items = [part.value for part in file.expressions[number].items]
        made: Values = ()
        if name in known.CONTAINERS or (name in {"apply", "empty"} and short in known.CONTAINERS):
            kind = name if name in known.CONTAINERS else short
            return {ExternalInstance(kind, self._arguments(file, number, kind)): Strategy.GENERIC}
        if name in known.FOLDING and items:
            made = plain(self._evaluation.evaluate(file, items[0]))
        elif name in known.JOINING and short in known.CONTAINERS and not value.arguments and items:
            element = plain(self._evaluation.element(self._evaluation.evaluate(file, items[0])))
            made = (ExternalInstance(short, (element,)),)
        elif value.arguments and short in known.CONTAINERS:
            made = self._of_container(short, name, value, file, items)
        elif name in known.WRITTEN:
            written = self._evaluation.calls.written_types(file, file.expressions[number].of)
            made = written[0] if written else ()
        elif name == "copy" and value.arguments:
            made = value.arguments[0]
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

    def _of_container(
        self, owner: str, name: str, value: External, file: SourceFile, items: list[int]
    ) -> Values:
        """The values that a method of a container gives."""
        one = self._passed(owner, value.arguments)
        if name in known.MAPPED | known.FLATTENED and items:
            return self._mapped(owner, name, value, self.result_of(file, items[-1]))
        if owner in known.MAPS:
            made = self._of_map(name, value)
            if made:
                return made
        if name in known.OPTIONAL:
            return (ExternalInstance("Option", (one,)),)
        if name in known.SAME:
            return (ExternalInstance(owner, value.arguments),)
        if name in known.PAIRING:
            return self._paired(owner, name, value, file, items)
        return one if name in known.ELEMENT else ()

    def _mapped(self, owner: str, name: str, value: External, results: Values) -> Values:
        if name == "mapValues":
            return (ExternalInstance(owner, (value.arguments[0], results)),)
        if name in known.FLATTENED:
            results = plain(self._evaluation.element(dict.fromkeys(results, Strategy.GENERIC)))
        return (ExternalInstance("Iterable" if owner in known.MAPS else owner, (results,)),)

    @staticmethod
    def _of_map(name: str, value: External) -> Values:
        keys, values = value.arguments[0], value.arguments[-1]
        if name == "get":
            return (ExternalInstance("Option", (values,)),)
        if name in known.KEYS:
            return (ExternalInstance("Set", (keys,)),)
        if name in known.VALUES:
            return (ExternalInstance("Iterable", (values,)),)
        return values if name in known.ELEMENT and name != "head" else ()

    def _paired(
        self, owner: str, name: str, value: External, file: SourceFile, items: list[int]
    ) -> Values:
        """Containers of pairs, and pairs of containers."""
        one, same = self._passed(owner, value.arguments), ExternalInstance(owner, value.arguments)
        other: Values = (ExternalInstance("Int"),)
        if name in {"partition", "span", "splitAt"}:
            return (TupleValue(((same,),) * _PAIR),)
        if name == "groupBy":
            keys = self.result_of(file, items[-1]) if items else ()
            return (ExternalInstance("Map", (keys, (same,))),)
        if name == "zip" and items:
            other = plain(self._evaluation.element(self._evaluation.evaluate(file, items[-1])))
        return (ExternalInstance(owner, ((TupleValue((one, other)),),)),)

    @staticmethod
    def _passed(owner: str, arguments: tuple[Values, ...]) -> Values:
        """An element as functions get it: of a map, a pair."""
        if owner in known.MAPS and len(arguments) == _PAIR:
            return (TupleValue(arguments),)
        return arguments[-1] if arguments else ()

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a function of a container passes to a function literal."""
        owner, _, name = value.name.rpartition(".")
        if not value.arguments or short_name(owner) not in known.CONTAINERS:
            return ()
        one = self._passed(short_name(owner), value.arguments)
        if name in known.FOLDING and position:
            given = plain(self._evaluation.evaluate(file, file.expressions[number].items[0].value))
            return (one, given) if name in {"foldRight", ":\\"} else (given, one)
        if name in {"reduce", "reduceLeft", "sortWith"}:
            return one, one
        if name == "fold" and short_name(owner) in {"Option", "Some"}:
            return (one,)
        return (one,) if name in known.PASSING else ()

    def element(self, value: Value) -> Values:
        """The value of a loop over a container."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        return self._passed(short_name(value.name), value.arguments)

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
