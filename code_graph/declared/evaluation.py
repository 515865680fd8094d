"""Evaluates expressions of languages in which names have declared types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from code_graph.declared.platform import Platform, named_by
from code_graph.declared.types import ARRAY, tuple_of
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluators import Resolver
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import Given, substituted
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
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Binding, Expression, Op
from code_graph.facts import INTERFACES
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.rules import DeclaredRules

COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "===", "!==", "&&", "||"})
_OUT: Final = "out "


class DeclaredEvaluation(Resolver):
    """Evaluates the expressions of any file of a language."""

    weakest: Strategy = Strategy.GENERIC
    # names have units for their meanings, and chains of calls are deep
    without_unit = frozenset({Op.LITERAL, Op.TEXT, Op.FUNCTION, Op.NAME, Op.MEMBER})

    def __init__(
        self,
        engine: Engine,
        rules: type[DeclaredRules],
        language: str = "",
        platform: Platform | None = None,
    ) -> None:
        super().__init__(engine)
        self.language = language
        self._platform = platform
        self.rules = rules(self)
        self.types = rules.parts.types(self, self.rules)
        self.classes = rules.parts.classes(self, self.rules)
        self.names = rules.parts.names(self, self.rules)
        self.calls = rules.parts.calls(self, self.rules)
        self.constructs = self.rules.constructs
        self.new_calls = self.rules.new_calls
        self.reads_by_call = self.rules.reads_by_call
        self._handlers = {
            Op.NAME: self._named,
            Op.MEMBER: self._named,
            Op.CALL: self._call,
            Op.NEW: self._call,
            Op.INDEX: self._index,
            Op.APPLY: self._of,
            Op.LITERAL: self._literal,
            Op.TEXT: self._literal,
            Op.TUPLE: self._tuple,
            Op.LIST: self._list,
            Op.OBJECT: self._object,
            Op.FUNCTION: self._function,
            Op.EITHER: self._either,
            Op.AWAIT: self._await,
            Op.ELEMENT: self._element,
            Op.ENTER: self._of,
            Op.PART: self._part,
            Op.CAST: self._cast,
            Op.OPERATOR: self._operator,
            Op.THIS: self._this,
            Op.SUPER: self._super,
        }

    def parameters_of(self, value: Value) -> Sequence[Binding]:
        """The parameters of a function as it declares them; none for other values."""
        if not isinstance(value, FunctionValue):
            return ()
        file = self.file(value.path)
        return () if file is None else file.parameters.get(value.scope, ())

    def beside(self, file: SourceFile) -> DeclaredEvaluation | None:
        """The evaluation of a file in another language of the platform; None for its own."""
        if self._platform is None or file.language == self.language:
            return None
        return self._platform.evaluation(file.language)

    def rules_at(self, path: str) -> DeclaredRules:
        """The rules of a file's language."""
        file = self.file(path)
        other = None if file is None else self.beside(file)
        return self.rules if other is None else other.rules

    def taken(self, other: DeclaredEvaluation, found: Result) -> Result:
        """Values that another evaluation gives, by the names that types have here."""
        return named_by(found, other.rules.platform_names, self.rules.platform_names)

    def evaluate(self, file: SourceFile, number: int) -> Result:
        """The possible values of an expression."""
        if number == NONE:
            return {}
        other = self.beside(file)
        if other is not None:
            return self.taken(other, other.evaluate(file, number))
        if number in self.types.table(file).type_places:
            return self.types.of(file, number)
        return super().evaluate(file, number)

    def callees(self, file: SourceFile, number: int) -> Result:
        """The functions or classes that a CALL or NEW calls."""
        return self.calls.callees(file, number)

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values that have a declaration or are external."""
        for value, strategy in functions.items():
            if isinstance(value, ExternalInstance | ModuleValue):
                continue
            if not isinstance(value, ClassValue) or self._is_constructed(value):
                yield value, strategy

    def _is_constructed(self, value: ClassValue) -> bool:
        """True if making an object counts as a call of its class: not for interfaces."""
        kind = self.classes.kind_of(value.path, value.scope)
        return self.constructs and kind not in INTERFACES

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The declared constructor that making an object calls."""
        return self.calls.constructors(file, number, value)

    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import names."""
        return self.rules.imported(file, number)

    def substituted(self, values: Result, given: Given) -> Result:
        """Values with type parameters replaced."""
        return substituted(values, given)

    def _named(self, file: SourceFile, number: int, item: Expression) -> Result:
        del item
        found = self.names.values(self.names.resolve(file, number))
        return self.rules.read(file, number, found)

    def _call(self, file: SourceFile, number: int, item: Expression) -> Result:
        del item
        return self.calls.call(file, number)

    def _of(self, file: SourceFile, _: int, item: Expression) -> Result:
        found: Result = {}
        given: tuple[Values, ...] = ()
        if item.op == Op.APPLY:
            given = tuple(plain(self.types.instances(file, part.value)) for part in item.items)
        for value, strategy in self.evaluate(file, item.of).items():
            if given and isinstance(value, ClassValue):
                merge(found, self.types.applied(value, given), strategy)
            else:
                merge(found, {value: strategy})
        return found

    def _literal(self, _file: SourceFile, _number: int, item: Expression) -> Result:
        name = "str" if item.op == Op.TEXT else item.name
        return {ExternalInstance(self.rules.literal(name)): Strategy.SCOPE}

    def _tuple(self, file: SourceFile, _: int, item: Expression) -> Result:
        parts = tuple(plain(self.evaluate(file, part.value)) for part in item.items)
        return tuple_of(item.items, parts, Strategy.SCOPE)

    def _list(self, file: SourceFile, _: int, item: Expression) -> Result:
        elements = plain(self.evaluate_all(file, [part.value for part in item.items]))
        return {ExternalInstance(ARRAY, (elements,)): Strategy.SCOPE}

    def _object(self, file: SourceFile, _: int, item: Expression) -> Result:
        rows = ((part.name, plain(self.evaluate(file, part.value))) for part in item.items)
        return {RecordValue(tuple(rows)): Strategy.SCOPE}

    def _await(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self.evaluate(file, item.of)

    def _element(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self.element(self.evaluate(file, item.of))

    def element(self, values: Result) -> Result:
        """The values that iteration gives."""
        found: Result = {}
        for value, strategy in values.items():
            how = max(strategy, Strategy.GENERIC)
            if isinstance(value, Instance):
                merge(found, self._of_external_bases(value, self.rules.element), how)
                merge(found, {} if found else self.rules.iterated(value), how)
            elif isinstance(value, TypeParameter):
                merge(found, self.element(self.types.bound_of(value)), how)
            else:
                merge(found, with_strategy(self.rules.element(value), how))
        return found

    def _of_external_bases(self, value: Instance, of: Callable[[Value], Iterable[Value]]) -> Result:
        """The values that `of` gives for the external bases of an object's class, as of a list."""
        found: Result = {}
        given = self.classes.given(value)
        for item in self.classes.ancestors(value.path, value.scope):
            if item.external and item.arguments:
                for base in self.types.objects(External(item.external, item.arguments)):
                    inner = dict.fromkeys(of(base), Strategy.GENERIC)
                    merge(found, substituted(inner, given))
            if found:
                break
        return found

    def _index(self, file: SourceFile, _: int, item: Expression) -> Result:
        found: Result = {}
        for value, strategy in self.evaluate(file, item.of).items():
            how = max(strategy, Strategy.GENERIC)
            if isinstance(value, Instance):
                indexed = self.rules.indexed(value)
                merge(found, indexed or self._of_external_bases(value, self.rules.item), strategy)
            elif isinstance(value, TupleValue) and item.name.isdigit():
                merge(found, with_strategy(self._part_of(value, int(item.name)), how))
            else:
                merge(found, with_strategy(tuple(self.rules.item(value)), how))
        return found

    def _part(self, file: SourceFile, _: int, item: Expression) -> Result:
        if item.name.startswith(_OUT):
            return self.calls.output(file, item.of, int(item.name.removeprefix(_OUT)))
        found = self.rules.carried(file, item)
        if found:
            return found
        for value, strategy in self.evaluate(file, item.of).items():
            if not item.name.removeprefix("-").isdigit():
                merge(found, with_strategy(self.rules.key(value), strategy))
            elif isinstance(value, TupleValue):
                merge(found, with_strategy(self._part_of(value, int(item.name)), strategy))
            elif isinstance(value, Instance):
                merge(found, self.rules.deconstructed(value, int(item.name)), strategy)
            elif not isinstance(value, RecordValue):
                merge(found, with_strategy(self.rules.part(value, int(item.name)), strategy))
        return found

    def _part_of(self, value: TupleValue, at: int) -> tuple[Value, ...]:
        """A part by its place, which may be counted from the end."""
        return value.parts[at] if -len(value.parts) <= at < len(value.parts) else ()

    def _cast(self, file: SourceFile, _: int, item: Expression) -> Result:
        narrowed = self.rules.narrowed(file, item)
        if narrowed:
            return narrowed
        found: Result = {}
        for part in item.items:
            merge(found, self.types.instances(file, part.value))
        return found or self.evaluate(file, item.of)

    def _operator(self, file: SourceFile, _: int, item: Expression) -> Result:
        if item.name in COMPARISONS:
            return {ExternalInstance(self.rules.literal("bool")): Strategy.SCOPE}
        sides = [self.evaluate(file, part.value) for part in item.items]
        found: Result = {}
        for value in chain.from_iterable(sides):
            if isinstance(value, Instance):
                results = self.rules.method_results(value, f"operator {item.name}")
                merge(found, results, Strategy.OVERLOAD)
        if found:
            return found
        texts = ExternalInstance(self.rules.literal("str"))
        if any(texts in side for side in sides):
            return self.rules.joined(sides) or {texts: Strategy.SCOPE}
        return dict(sides[0] or sides[-1]) if sides else {}

    def _this(self, file: SourceFile, number: int, _: Expression) -> Result:
        scope = file.class_around(file.code.scope_of[number])
        if scope == NONE:
            return {}
        if file.code.scopes[scope].declaration == NONE:
            return self.anonymous(file, scope)
        owner = self.classes.canonical(ClassValue(file.path, scope))
        arguments = self.rules.own_arguments(file, scope, owner)
        return {Instance(owner.path, owner.scope, arguments): Strategy.RECEIVER}

    def anonymous(self, file: SourceFile, scope: int) -> Result:
        """An object of an anonymous class, as an object of its base."""
        number = file.function_expressions.get(scope, NONE)
        found = self.calls.expected_types(file, number) if number != NONE else {}
        return {v: Strategy.RECEIVER for v in found if isinstance(v, Instance)}

    def _super(self, file: SourceFile, number: int, item: Expression) -> Result:
        found: Result = {}
        for receiver in self._this(file, number, item):
            if isinstance(receiver, Instance):
                base = SuperValue(receiver.path, receiver.scope, receiver)
                merge(found, {base: Strategy.RECEIVER})
        return found
