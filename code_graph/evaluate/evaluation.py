"""Evaluates expressions: follows names, members, calls and containers to declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, ClassVar

from code_graph.evaluate.alike import AlikeReceivers
from code_graph.evaluate.calls import Calls
from code_graph.evaluate.classes import Classes
from code_graph.evaluate.containers import Containers
from code_graph.evaluate.definitions import Definitions
from code_graph.evaluate.dependencies import body_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluators import Resolver
from code_graph.evaluate.names import NameLookup
from code_graph.evaluate.rules import LanguageRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ModuleValue,
    RecordValue,
    Result,
    SuperValue,
    TupleValue,
    Value,
    Values,
    is_none,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Expression, Op
from code_graph.model import Strategy
from index_format.tuples import NamedTuple


class LanguageParts(NamedTuple):
    """The classes of the parts of an evaluation; a language replaces those that it changes."""

    language: Callable[[Any], LanguageRules]
    names: Callable[[Any], NameLookup] = NameLookup
    classes: Callable[[Any], Classes] = Classes
    calls: Callable[[Any], Calls] = Calls
    definitions: Callable[[Any], Definitions] = Definitions


class Evaluation(Resolver):
    """Evaluates the expressions of any file of a tree."""

    follows = True
    calls_decorators = True
    without_unit = frozenset({Op.NAME, Op.LITERAL, Op.TEXT, Op.FUNCTION})

    parts: ClassVar[LanguageParts]

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.names = self.parts.names(self)
        self.classes = self.parts.classes(self)
        self.calls = self.parts.calls(self)
        self.containers = Containers(self)
        self._alike = AlikeReceivers(self)
        self.language = self.parts.language(self)
        self.implied = self.language.implied
        # what stands before the dot of the member that was asked for last
        self._holders: tuple[SourceFile | None, int, int, Result] = (None, NONE, 0, {})
        self._members: dict[type, Callable[[Any, str], Result]] = {
            ModuleValue: self.module_member,
            ClassValue: self.classes.member_of_class,
            Instance: self.classes.member_of_instance,
            SuperValue: self.classes.member_of_super,
            RecordValue: self._member_of_record,
            External: self._member_of_external,
            ExternalInstance: self.language.member_of_external,
            TupleValue: self.language.member_of_external,
            FunctionValue: self._function_member,
        }
        self._handlers = {
            Op.NAME: self._name,
            Op.MEMBER: self._member,
            Op.CALL: self._call,
            Op.NEW: self._call,
            Op.INDEX: self._index,
            Op.APPLY: self._apply,
            Op.LITERAL: self._literal,
            Op.TEXT: self._text,
            Op.TUPLE: self._tuple,
            Op.LIST: self._collection,
            Op.SET: self._collection,
            Op.DICT: self._mapping,
            Op.OBJECT: self._mapping,
            Op.FUNCTION: self._function,
            Op.EITHER: self._either,
            Op.ELEMENT: self._element,
            Op.PART: self._part,
            Op.SUPER: self._super,
        }

    def holders(self, file: SourceFile, number: int) -> Result:
        """The values of a receiver, which a place asks for several times."""
        known = self._holders
        if known[0] is file and known[1:3] == (number, self.engine.begun):
            return known[3]
        found = self.evaluate(file, number)
        self._holders = file, number, self.engine.begun, found
        return found

    def callees(self, file: SourceFile, number: int) -> Result:
        """The functions or classes that a CALL or NEW calls."""
        return self.evaluate(file, file.expressions[number].of)

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values: functions, classes, methods of objects, externals."""
        return self.calls.targets(functions)

    def guessed(self, file: SourceFile, number: int) -> Result:
        """The likely functions of a call with an unknown target."""
        return self._alike.callees(file, number)

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The functions of the repository that a call of something outside runs in turn."""
        return self.language.called_inside(file, number)

    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import binds its name to."""
        return self.language.imported(file, number)

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a declared type, in languages that have such."""
        del file, number
        return {}

    def member(self, value: Value, name: str) -> Result:
        """A member of a value."""
        handle = self._members.get(value.__class__)
        return {} if handle is None or is_none(value) else handle(value, name)

    def _member_of_record(self, value: RecordValue, name: str) -> Result:
        if value.is_mapping:
            values = tuple(dict.fromkeys(item for _, part in value.parts for item in part))
            mapping = ExternalInstance(self.language.literal("dict"), ((), values))
            return self.language.member_of_external(mapping, name)
        found: Result = {}
        for key, values in value.parts:
            if key == name:
                merge(found, with_strategy(values, Strategy.FLOW))
        return found

    def _member_of_external(self, value: External, name: str) -> Result:
        return {External(f"{value.name}.{name}"): Strategy.IMPORT}

    def module_member(self, module: ModuleValue, name: str) -> Result:
        """A name of a module."""
        file = None if module.is_folder else self.file(module.path)
        return {} if file is None else self.names.exported(file, name)

    def element(self, values: Result) -> Result:
        """The values that iteration gives."""
        found: Result = {}
        for value, strategy in values.items():
            merge(found, self._elements(value), max(strategy, Strategy.FLOW))
        return found

    def _name(self, file: SourceFile, number: int, item: Expression) -> Result:
        return self.names.look_up(file, file.code.scope_of[number], item.name, number)

    def _member(self, file: SourceFile, _: int, item: Expression) -> Result:
        found: Result = {}
        for value, strategy in self.evaluate(file, item.of).items():
            merge(found, self.member(value, item.name), strategy)
        return found

    def _function_member(self, value: FunctionValue, name: str) -> Result:
        """A member of a function: stored in it, or of all functions."""
        file = self.file(value.path)
        if file is None:
            return {}
        found: Result = {}
        self.engine.depend_on(file.path, body_key(file.path, ""))
        for store in file.stores.get(name, ()):
            target = self.evaluate(file, file.expressions[store.target].of)
            if any(isinstance(item, FunctionValue) and item[:2] == value[:2] for item in target):
                merge(found, self.evaluate(file, store.value), Strategy.FLOW)
        return found or self.language.member_of_external(value, name)

    def _call(self, file: SourceFile, number: int, item: Expression) -> Result:
        return self.calls.call(file, number, self.evaluate(file, item.of), item.items)

    def _index(self, file: SourceFile, number: int, item: Expression) -> Result:
        listed = self._listed(file, number)
        if listed != NONE:
            found = self.evaluate(file, listed)
            return {value: max(how, Strategy.FLOW) for value, how in found.items()}
        found = {}
        for value, strategy in self.evaluate(file, item.of).items():
            merge(found, self.item_of(value, item), max(strategy, Strategy.FLOW))
        return found

    def _listed(self, file: SourceFile, number: int) -> int:
        """The item of a literal list at a literal place, if nothing is added to it; or NONE."""
        item = file.expressions[number]
        if item.op == Op.NAME:
            return self._only_value(file, number)
        if item.op == Op.LIST:
            return number
        if item.op != Op.INDEX or item.of == NONE or not item.name.lstrip("-").isdigit():
            return NONE
        holder = self._listed(file, item.of)
        made = file.expressions[holder] if holder != NONE else item
        at = int(item.name)
        if made.op != Op.LIST or any(part.name for part in made.items):
            return NONE
        return made.items[at].value if -len(made.items) <= at < len(made.items) else NONE

    def _only_value(self, file: SourceFile, number: int) -> int:
        """The list that a name is bound to, if it has no other binding and nothing is added."""
        value = self.names.sole_value(file, number)
        if value == NONE or file.expressions[value].op != Op.LIST:
            return NONE
        return value if self.evaluate(file, number) == self.evaluate(file, value) else NONE

    def item_of(self, value: Value, item: Expression) -> Result:
        """The values that indexing a value gives."""
        if isinstance(value, TupleValue):
            if item.name.lstrip("-").isdigit():
                return self._part_of(value, item.name)
            return with_strategy(tuple(chain.from_iterable(value.parts)), Strategy.FLOW)
        if isinstance(value, RecordValue):
            keyed = [values for key, values in value.parts if key == item.name]
            some = keyed if keyed and item.name else [values for _, values in value.parts]
            return with_strategy(tuple(chain.from_iterable(some)), Strategy.FLOW)
        return with_strategy(self.language.item(value), Strategy.GENERIC)

    def _apply(self, file: SourceFile, _: int, item: Expression) -> Result:
        given = tuple(plain(self.instances(file, part.value)) for part in item.items)
        found: Result = {}
        for value, strategy in self.evaluate(file, item.of).items():
            merge(found, {self._applied(value, given): strategy})
        return found

    def _applied(self, value: Value, given: tuple[Values, ...]) -> Value:
        """A class with type arguments."""
        return (
            value._replace(arguments=given) if isinstance(value, ClassValue | External) else value
        )

    def _literal(self, _file: SourceFile, _number: int, item: Expression) -> Result:
        return {ExternalInstance(self.language.literal(item.name)): Strategy.SCOPE}

    def _text(self, _file: SourceFile, _number: int, _item: Expression) -> Result:
        return {ExternalInstance(self.language.literal("str")): Strategy.SCOPE}

    def _values(self, file: SourceFile, items: Iterable[Argument]) -> Values:
        """The values of list elements; a spread list adds its elements."""
        found: Result = {}
        for part in items:
            if part.name == "=key":
                continue
            value = self.evaluate(file, part.value)
            merge(found, self.element(value) if part.name == "*" else value)
        return plain(found)

    def _tuple(self, file: SourceFile, _: int, item: Expression) -> Result:
        if any(part.name for part in item.items):
            values = self._values(file, item.items)
            return {ExternalInstance(self.language.literal("tuple"), (values,)): Strategy.SCOPE}
        parts = tuple(plain(self.evaluate(file, part.value)) for part in item.items)
        return {TupleValue(parts): Strategy.SCOPE}

    def _collection(self, file: SourceFile, _: int, item: Expression) -> Result:
        kind = self.language.literal("list" if item.op == Op.LIST else "set")
        values = self._values(file, item.items)
        return {ExternalInstance(kind, (values,)): Strategy.SCOPE}

    def _mapping(self, file: SourceFile, _: int, item: Expression) -> Result:
        keys = [part for part in item.items if part.name == "=key"]
        spread = [part for part in item.items if part.name == "**"]
        rows = [part for part in item.items if part.name not in {"=key", "**"}]
        if not keys and not spread:
            parts = tuple((part.name, plain(self.evaluate(file, part.value))) for part in rows)
            return {RecordValue(parts, item.op == Op.DICT): Strategy.SCOPE}
        values: Result = {}
        for part in rows:
            merge(values, self.evaluate(file, part.value))
        for part in spread:
            for value in self.evaluate(file, part.value):
                merge(values, with_strategy(self.containers.mapped(value), Strategy.FLOW))
        of_keys = plain(self.evaluate_all(file, [part.value for part in keys]))
        kind = self.language.literal("dict")
        return {ExternalInstance(kind, (of_keys, plain(values))): Strategy.SCOPE}

    def _element(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self.element(self.evaluate(file, item.of))

    def _elements(self, value: Value) -> Result:
        if isinstance(value, TupleValue):
            return with_strategy(tuple(chain.from_iterable(value.parts)), Strategy.FLOW)
        if isinstance(value, RecordValue):
            return {ExternalInstance(self.language.literal("str")): Strategy.FLOW}
        return with_strategy(self.language.element(value), Strategy.GENERIC)

    def _super(self, file: SourceFile, number: int, _: Expression) -> Result:
        values = self.super_in(file, file.method_around(file.code.scope_of[number]))
        return dict.fromkeys(values, Strategy.RECEIVER)

    def super_in(self, file: SourceFile, method: int) -> list[SuperValue]:
        """The values of `super` in a method: its receivers, whose own members are passed over."""
        receivers = {} if method == NONE else self.language.receiver(file, method)
        return [
            SuperValue(value.path, value.scope, value)
            for value in receivers
            if isinstance(value, Instance | ClassValue)
        ]

    def _part(self, file: SourceFile, _: int, item: Expression) -> Result:
        found: Result = {}
        for value, strategy in self.evaluate(file, item.of).items():
            parts = self._parts(value)
            if parts is not None and item.name != "…":
                merge(found, self._part_of(parts, item.name), strategy)
                continue
            elements = self._elements(value)
            if item.name == "…":
                listed = ExternalInstance(self.language.literal("list"), (plain(elements),))
                merge(found, {listed: strategy})
            else:
                merge(found, elements, max(strategy, Strategy.FLOW))
        return found

    def _parts(self, value: Value) -> TupleValue | None:
        """A value as a tuple, if it is one."""
        return value if isinstance(value, TupleValue) else None

    def _part_of(self, value: TupleValue, name: str) -> Result:
        at = int(name)
        if -len(value.parts) <= at < len(value.parts):
            return with_strategy(value.parts[at], Strategy.FLOW)
        return {}
