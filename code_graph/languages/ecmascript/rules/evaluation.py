"""Evaluates expressions of TypeScript and JavaScript, as values and as types, by their rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from code_graph.evaluate.dependencies import dependency_of
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation, LanguageParts
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    CallableValue,
    ClassValue,
    CreatedValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ModuleValue,
    ObjectValue,
    OpenType,
    RecordValue,
    Result,
    SuperValue,
    TupleValue,
    TypeVariable,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, BindingKind, Expression, Op, ScopeKind
from code_graph.languages.ecmascript.imports import EcmaScriptModules
from code_graph.languages.ecmascript.rules import library
from code_graph.languages.ecmascript.rules.calls import EcmaScriptCalls
from code_graph.languages.ecmascript.rules.context import ContextualTypes
from code_graph.languages.ecmascript.rules.definitions import list_given
from code_graph.languages.ecmascript.rules.library import EcmaScriptLanguage
from code_graph.languages.ecmascript.rules.members import EcmaScriptClasses
from code_graph.languages.ecmascript.rules.names import EcmaScriptNames
from code_graph.languages.ecmascript.rules.open_types import OpenTypes
from code_graph.languages.ecmascript.rules.shapes import EcmaScriptNarrowing, Shapes
from code_graph.languages.ecmascript.rules.types import EcmaScriptTypes, literal, literal_text
from code_graph.model import Strategy
from code_graph.projects.model import ImportOutcome
from code_graph.projects.tree import Probe

_LONGEST_PATH: Final = 5
# the object by which a module of CommonJS exports
_MODULE: Final = External("module")
_EXPORTS: Final = "exports"
_PARTS: Final = frozenset({Op.MEMBER, Op.INDEX})
# members that a key may mean
_MOST_KEYS: Final = 16


class Modules:
    """The modules that specifiers mean, seen from their files."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._modules = engine.files.finders.of(EcmaScriptModules)
        self._tree = engine.files.finders.projects.tree
        self._known: dict[tuple[str, str, str], tuple[Result, tuple[tuple[str, int], ...]]] = {}

    def find(self, specifier: str, path: str) -> Result:
        """The module of a specifier in a file: a file of the tree, or an external one."""
        # files of a folder find the same, but those that are modules by their names
        folder, _, name = path.rpartition("/")
        user = folder, name.rpartition(".")[2]
        known = self._known.get((specifier, *user))
        if known is None:
            notes: list[str] = []
            found = self._found(specifier, path, Probe(self._tree, notes.append))
            dependencies = tuple(dependency_of(note) for note in dict.fromkeys(notes))
            known = self._known[specifier, *user] = found, dependencies
        for other, key in known[1]:
            self._engine.depend_on(other, key)
        return known[0]

    def _found(self, specifier: str, path: str, probe: Probe) -> Result:
        found = self._modules.find(specifier, path, probe)
        if found.outcome == ImportOutcome.FILE:
            how = Strategy.VERSION if found.others else Strategy.IMPORT
            places = (found.path, *found.others)
            return {ModuleValue(one): how for one in places if one in self._engine.files.paths}
        if found.outcome == ImportOutcome.EXTERNAL:
            return {External(specifier.removeprefix("node:")): Strategy.IMPORT}
        return {}


class EcmaScriptEvaluation(Evaluation):
    """Evaluates the expressions of any file of TypeScript or JavaScript."""

    parts = LanguageParts(EcmaScriptLanguage, EcmaScriptNames, EcmaScriptClasses, EcmaScriptCalls)
    names: EcmaScriptNames
    classes: EcmaScriptClasses
    calls: EcmaScriptCalls
    language: EcmaScriptLanguage

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.modules = Modules(engine)
        self.types = EcmaScriptTypes(self)
        self.open_types = OpenTypes(self)
        self.context = ContextualTypes(self)
        self.narrowing = EcmaScriptNarrowing(self)
        self.shapes = Shapes(self)
        self._members |= {
            TypeVariable: self._member_of_variable,
            OpenType: self._member_of_open,
            ObjectValue: self.classes.member_of_object,
            CreatedValue: self.classes.member_of_created,
            CallableValue: self._member_of_callable,
        }
        self._handlers |= {
            Op.OBJECT: self._object,
            Op.TYPE_OF: self._of,
            Op.AWAIT: self._await,
            Op.CAST: self._cast,
            Op.THIS: self._this,
            Op.SUPER: self._super,
        }

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a declared type."""
        return self.types.instances(file, number)

    def signatures(self, file: SourceFile, number: int) -> Iterator[tuple[str, int]]:
        """The signature that a call calls of a function with several, or of a callable object."""
        item = file.expressions[number]
        functions = self.evaluate(file, item.of)
        every = sum(isinstance(value, FunctionValue) for value in functions)
        if every > 1:
            fitting = self.calls.fitting(file, functions, item.items)
            found = [value for value in fitting if isinstance(value, FunctionValue)]
            heads = map(self._head, found if len(found) < every else ())
            yield from (head for head in heads if head[1])
        elif not every:
            rows = self.calls.signatures_of_objects(functions)
            yield from ((owner.path, row.line) for owner, row in islice(rows, 1))

    def _head(self, value: FunctionValue) -> tuple[str, int]:
        """The place of the name of a function."""
        item = self.declaration_of(value)
        return value.path, 0 if item is None else item.name_line

    def limits(self, value: TypeVariable | OpenType) -> Result:
        """The constraint of a type parameter without an argument."""
        if isinstance(value, OpenType):
            found = self.open_types.limited(value)
        else:
            found = self.types.bound(value)
        return {v: how for v, how in found.items() if not isinstance(v, TypeVariable | OpenType)}

    def _member_of_variable(self, value: TypeVariable, name: str) -> Result:
        key = ("variable member", value, name)

        def compute() -> Result:
            found: Result = {}
            for bound, strategy in self.types.bound(value).items():
                merge(found, self.member(bound, name), strategy)
            return found

        return self.engine.unit(key, compute)

    def _member_of_open(self, value: OpenType, name: str) -> Result:
        found: Result = {}
        for limit, strategy in self.open_types.limited(value).items():
            if not isinstance(limit, OpenType):
                merge(found, self.member(limit, name), strategy)
        return found

    def _member_of_callable(self, value: CallableValue, name: str) -> Result:
        del value, name
        return {}

    def _member(self, file: SourceFile, number: int, item: Expression) -> Result:
        shown = self._shown(file, number, item)
        if shown is not None:
            return self.names.value_of_number(file, shown)
        if file.exports:
            if number in file.cached("given", list_given):
                return {External(f"module.exports.{item.name}"): Strategy.SCOPE}
            if item.name == _EXPORTS and _MODULE in self.evaluate(file, item.of):
                return self.names.whole(ModuleValue(file.path))
        return super()._member(file, number, item)

    def _shown(self, file: SourceFile, number: int, item: Expression) -> int | None:
        """The binding that shows the type of a path such as `a.b` at its place."""
        if item.name not in file.cached("paths", _narrowed_paths):
            return None
        parts = [item.name]
        inner = file.expressions[item.of] if item.of != NONE else item
        while inner.op in _PARTS and inner.name and inner.of != NONE and len(parts) < _LONGEST_PATH:
            parts.append(inner.name)
            inner = file.expressions[inner.of]
        if inner.op not in {Op.NAME, Op.THIS}:
            return None
        parts.append("this" if inner.op == Op.THIS else inner.name)
        path = ".".join(reversed(parts))
        region = file.code.scope_of[number]
        for scope in file.around(region):
            rows = file.binding_numbers.get((scope, path))
            if rows:
                return self.names.narrowing(file, scope, rows, number, region)
            if (scope, parts[-1]) in file.bindings and file.kind(scope) != ScopeKind.CLASS:
                return None
        return None

    def _applied(self, value: Value, given: tuple[Values, ...]) -> Value:
        if isinstance(value, External) and library.METHOD in value.name:
            return value  # its argument is what it is bound to
        return super()._applied(value, given)

    def _of(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self.evaluate(file, item.of)

    def _text(self, _file: SourceFile, _number: int, item: Expression) -> Result:
        return {literal(item.name): Strategy.SCOPE}

    def _collection(self, file: SourceFile, _: int, item: Expression) -> Result:
        if item.items and len(item.items) <= 4 and not any(part.name for part in item.items):
            parts = tuple(plain(self.evaluate(file, part.value)) for part in item.items)
            return {TupleValue(parts): Strategy.SCOPE}
        return {ExternalInstance("Array", (self._values(file, item.items),)): Strategy.SCOPE}

    def _object(self, file: SourceFile, number: int, _: Expression) -> Result:
        return {ObjectValue(file.path, number): Strategy.SCOPE}

    def _await(self, file: SourceFile, _: int, item: Expression) -> Result:
        return library.awaited(self.evaluate(file, item.of))

    def _cast(self, file: SourceFile, number: int, item: Expression) -> Result:
        return self._cast_of(file, number) or self.evaluate(file, item.of)

    def _index(self, file: SourceFile, number: int, item: Expression) -> Result:
        shown = self._shown(file, number, item) if item.name else None
        if shown is not None:
            return self.names.value_of_number(file, shown)
        found: Result = {}
        names = [item.name] if item.name else self._names_of_key(file, item)
        computed = "" if item.name else self._computed_name(file, item)
        for value, strategy in self.evaluate(file, item.of).items():
            given = self.member(value, computed) if computed else {}
            if given:
                pass
            elif isinstance(value, TupleValue) and item.name.isdigit():
                given = self._part_of(value, item.name)
            elif names and not isinstance(value, TupleValue | ExternalInstance):
                for name in names:
                    merge(given, self.member(value, name))
            else:
                given = self._of_any_key(value)
            merge(found, given, max(strategy, Strategy.FLOW))
        return found

    def _names_of_key(self, file: SourceFile, item: Expression) -> list[str]:
        """The names of the members that a key may mean; none if it may be any."""
        if not item.items:
            return []
        texts = [literal_text(each) for each in self.evaluate(file, item.items[0].value)]
        return texts[:_MOST_KEYS] if all(texts) else []

    def _computed_name(self, file: SourceFile, item: Expression) -> str:
        """The name of a member that is computed from a constant, as in `a[Symbol.iterator]`."""
        number = item.items[0].value if item.items else NONE
        parts: list[str] = []
        while number != NONE and len(parts) < _LONGEST_PATH:
            inner = file.expressions[number]
            if inner.op not in {Op.NAME, Op.MEMBER}:
                return ""
            parts.append(inner.name)
            number = inner.of
        text = ".".join(reversed(parts))
        return f"[{text}]" if len(parts) > 1 or text.isupper() else ""

    def _of_any_key(self, value: Value) -> Result:
        """The members at an unknown key; an object of a class has its index signature alone."""
        found = self.member(value, "[]") if isinstance(value, Instance | ObjectValue) else {}
        return found if found or isinstance(value, Instance) else self.classes.values_of(value)

    def _elements(self, value: Value) -> Result:
        if isinstance(value, TupleValue):
            return self.classes.values_of(value)
        if isinstance(value, Instance | ObjectValue):
            found: Result = {}
            for name in ("[Symbol.iterator]", "[Symbol.asyncIterator]"):
                results = self.calls.results(plain(self.member(value, name)))
                for inner in results:
                    if inner != value:
                        merge(found, with_strategy(self.language.element(inner), Strategy.GENERIC))
            return found
        if isinstance(value, TypeVariable | OpenType):
            found = {}
            for bound in self.limits(value):
                merge(found, self._elements(bound))
            return found
        return with_strategy(self.language.element(value), Strategy.GENERIC)

    def _this(self, file: SourceFile, number: int, _: Expression) -> Result:
        region = file.code.scope_of[number]
        for scope in file.around(region):
            rows = file.binding_numbers.get((scope, "this"))
            shown = self.names.narrowing(file, scope, rows, number, region) if rows else None
            if shown is not None:
                binding = file.code.bindings[shown]
                if binding.line:  # a parameter that says what `this` is
                    return self._cast_of(file, binding.value)
                return self.narrowing.value(file, binding.value)
            if file.kind(scope) == ScopeKind.CLASS:
                return self._own_object(file, scope, region)
            if file.kind(scope) == ScopeKind.FUNCTION and file.class_around(scope) == NONE:
                found = self._of_literal(file, scope)
                number = file.function_expressions.get(scope, NONE)
                if not found and number != NONE:
                    found = self.context.expected_this(file, number)
                if found:
                    return found
        return {}

    def _cast_of(self, file: SourceFile, number: int) -> Result:
        parts = file.expressions[number].items if number != NONE else ()
        return self.types.union(file, [part.value for part in parts])

    def _own_object(self, file: SourceFile, scope: int, region: int) -> Result:
        method = file.method_around(region)
        declaration = NONE if method == NONE else file.code.scopes[method].declaration
        if declaration != NONE and "static" in file.declarations[declaration].modifiers:
            return {ClassValue(file.path, scope): Strategy.RECEIVER}
        return {Instance(file.path, scope): Strategy.RECEIVER}

    def _of_literal(self, file: SourceFile, scope: int) -> Result:
        """The object whose method a function is, or the object that it makes."""
        number = file.function_expressions.get(scope, NONE)
        around = file.cached("methods", _list_methods)
        if number in around:
            kind, place = around[number]
            if kind == "object":
                declared = self.context.declared_type(file, place)
                return declared or {ObjectValue(file.path, place): Strategy.RECEIVER}
            found: Result = {}
            for value in self.evaluate(file, place):
                if isinstance(value, ClassValue | FunctionValue):
                    merge(found, {Instance(value.path, value.scope): Strategy.RECEIVER})
            return found
        declaration = file.code.scopes[scope].declaration
        if (
            declaration != NONE
            and file.language == "javascript"
            and file.declarations[declaration].name[:1].isupper()
        ):
            return {Instance(file.path, scope): Strategy.RECEIVER}
        return {}

    def _super(self, file: SourceFile, number: int, _: Expression) -> Result:
        scope = file.class_around(file.code.scope_of[number])
        if scope == NONE:
            return {}
        found: Result = {}
        for receiver, strategy in self._own_object(file, scope, file.code.scope_of[number]).items():
            merge(found, {SuperValue(file.path, scope, receiver): strategy})
        return found

    def _function_member(self, value: FunctionValue, name: str) -> Result:
        if name == "prototype":
            return {Instance(value.path, value.scope): Strategy.RECEIVER}
        if name in {"call", "apply", "bind"}:
            return {External(f"Function{library.METHOD}{name}", ((value,),)): Strategy.FLOW}
        return super()._function_member(value, name)


def _narrowed_paths(file: SourceFile) -> frozenset[str]:
    """The last names of paths of which tests show types."""
    return frozenset(
        item.name.rpartition(".")[2]
        for item in file.code.bindings
        if item.kind == BindingKind.NARROWED and "." in item.name
    )


def _list_methods(file: SourceFile) -> dict[int, tuple[str, int]]:
    """The literal or class that holds a function, by the function's expression."""
    found: dict[int, tuple[str, int]] = {}
    for number, item in enumerate(file.expressions):
        if item.op == Op.OBJECT:
            for part in item.items:
                if part.value != NONE and file.expressions[part.value].op == Op.FUNCTION:
                    found[part.value] = "object", number
    for store in file.code.stores:
        target = file.expressions[store.target]
        if store.value == NONE or file.expressions[store.value].op != Op.FUNCTION:
            continue
        inner = file.expressions[target.of] if target.of != NONE else target
        if inner.op == Op.MEMBER and inner.name == "prototype" and inner.of != NONE:
            found[store.value] = "class", inner.of
    return found


__all__ = ["EcmaScriptEvaluation", "External", "RecordValue"]
