"""Members of classes, interfaces, enums, namespaces and literals of TypeScript and JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.classes import Classes
from code_graph.evaluate.dependencies import body_key, export_key, name_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    CallableValue,
    ClassValue,
    CreatedValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ObjectValue,
    OpenType,
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
from code_graph.expressions import NONE, Argument, BindingKind, MemberStore, Op, Role, ScopeKind
from code_graph.languages.ecmascript.rules import library
from code_graph.languages.ecmascript.rules.ambient import is_declarations
from code_graph.languages.ecmascript.rules.delegates import Delegates
from code_graph.languages.ecmascript.rules.types import Given, enumerator, is_open
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

# bases of a class, declarations that make it, and stores of a member that are considered
_MOST: Final = 60
_MERGED: Final = frozenset({"class", "interface", "namespace", "module", "enum"})
INDEX: Final = "[]"
# what a type says that constructs objects
NEW: Final = "new"
# type parameters that limit each other
_MOST_LIMITS: Final = 5
MAPPED: Final = "mapped"
_SPREAD: Final = "*"


class Row(NamedTuple):
    """A binding that makes a member."""

    file: SourceFile
    number: int


class EcmaScriptClasses(Classes):
    """Looks members up in what declarations of one name make together, and in their bases."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        super().__init__(evaluation)
        self._ecma = evaluation
        self.delegates = Delegates(evaluation)

    def parts(self, path: str, scope: int) -> list[tuple[SourceFile, int]]:
        """The bodies of the declarations of a name in one scope, that of the given one first."""
        file = self._ecma.file(path)
        if file is None:
            return []
        found = [(file, scope)]
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE or file.declarations[declaration].kind not in _MERGED:
            return found
        name = file.declarations[declaration].name
        around = next(
            (each for each in file.around(file.parent(scope)) if (each, name) in file.bindings),
            NONE,
        )
        if around == NONE:
            return found
        found += self._added(file, scope, around, name)
        self._ecma.names.depend_on(file, around, name)
        for row in file.bindings[around, name][:_MOST]:
            other = file.scope_of_declaration.get(row.declaration, NONE)
            if other not in {NONE, scope} and file.kind(other) != ScopeKind.FUNCTION:
                found.append((file, other))
        return found

    def line(self, path: str, scope: int) -> Result:
        """A class or interface and all of its bases, with type arguments; the nearest first."""
        return self._ecma.engine.unit(("line", path, scope), lambda: self._line(path, scope))

    def _line(self, path: str, scope: int) -> Result:
        found: Result = {}
        bases: Result = {}
        for file, part in self.parts(path, scope):
            own: tuple[Values, ...] = tuple(
                (variable,) for variable in self._ecma.types.variables_of_scope(file, part)
            )
            found[ClassValue(file.path, part, own)] = Strategy.SCOPE
            merge(bases, self._bases_of(file, part))
        for base, strategy in bases.items():
            if not isinstance(base, Instance):
                merge(found, {base: strategy})
                continue
            given = self.given_of(base)
            for value in self.line(base.path, base.scope):
                for inner in self._ecma.types.replace(value, given):
                    if len(found) < _MOST:
                        found.setdefault(inner, strategy)
        return found

    def _bases_of(self, file: SourceFile, scope: int) -> Result:
        """The objects of the bases that the head of a class or interface names."""
        declaration = file.code.scopes[scope].declaration
        found: Result = {}
        if declaration == NONE:
            for row in file.bindings.get((scope, "super"), ()):
                merge(found, self.base_objects(file, row.value))
            return found
        self._evaluation.depend_on_class(file, scope)
        is_class = file.declarations[declaration].kind == "class"
        for clause in file.clauses.get(declaration, ()):
            if clause.role == Role.BASE:
                if is_class:
                    merge(found, self.base_objects(file, clause.value))
                else:
                    merge(found, self._ecma.instances(file, clause.value))
        alias = [c for c in file.clauses.get(declaration, ()) if c.role == Role.ALIAS]
        for clause in alias:
            if clause.value != NONE and file.expressions[clause.value].op != Op.OBJECT:
                merge(found, self._ecma.instances(file, clause.value))
        return found

    def base_objects(self, file: SourceFile, number: int) -> Result:
        """The objects of what a class extends, which is a value."""
        found: Result = {}
        for value, strategy in self._ecma.evaluate(file, number).items():
            if isinstance(value, ClassValue):
                merge(found, {Instance(value.path, value.scope, value.arguments): strategy})
            elif isinstance(value, FunctionValue):
                merge(found, {Instance(value.path, value.scope): strategy})
            else:
                for inner in library.based(value):
                    merge(found, {inner: strategy})
        merge(found, self.made(self._ecma.evaluate(file, number)))
        for value, strategy in self.mixed(file, number).items():
            if isinstance(value, ClassValue):
                merge(found, {Instance(value.path, value.scope, value.arguments): strategy})
        return found

    def _added(
        self, file: SourceFile, scope: int, around: int, name: str
    ) -> Iterator[tuple[SourceFile, int]]:
        """The parts that other files add by `declare module "./m"` to a declaration of a module."""
        if not is_declarations(file.path):
            return
        names = self._ecma.names
        target = names.augmented(file, around) or file.path
        for path, module in names.augmenting(target):
            other = self._ecma.file(path)
            if other is None:
                continue
            if self._is_whole(file, around, name) and target == file.path:
                yield other, module
            names.depend_on(other, module, name)
            for row in other.bindings.get((module, name), ()):
                inner = other.scope_of_declaration.get(row.declaration, NONE)
                if inner != NONE and (other.path, inner) != (file.path, scope):
                    yield other, inner

    def _is_whole(self, file: SourceFile, around: int, name: str) -> bool:
        """True for what a module of CommonJS exports as a whole: all that adds to it is in it."""
        self._ecma.engine.depend_on(file.path, export_key(file.path, "="))
        return not around and any(row.local == name for row in file.exports.get("=", ()))

    def made(self, values: Result, depth: int = _MOST_LIMITS) -> Result:
        """The objects that constructors make whose type alone is known, as of a mixin."""
        found: Result = {}
        for value in values:
            if isinstance(value, TypeVariable | OpenType) and depth:
                limits = dict.fromkeys(self._ecma.limits(value), Strategy.GENERIC)
                merge(found, self.made(limits, depth - 1))
                for inner in limits:
                    if isinstance(inner, ClassValue):
                        made = Instance(inner.path, inner.scope, inner.arguments)
                        merge(found, {made: Strategy.GENERIC})
            elif isinstance(value, CallableValue):
                merge(found, self._ecma.calls.results([value]), Strategy.GENERIC)
            elif isinstance(value, Instance | ObjectValue):
                signatures = plain(self._ecma.member(value, NEW))
                merge(found, self._ecma.calls.results(signatures), Strategy.GENERIC)
        return {each: how for each, how in found.items() if isinstance(each, Instance)}

    def mixed(self, file: SourceFile, number: int) -> Result:
        """The classes that a mixin is called with, where what it gives extends its parameter."""
        item = file.expressions[number]
        found: Result = {}
        if item.op != Op.CALL or item.of == NONE:
            return found
        for value in self._ecma.evaluate(file, item.of):
            owner = self._ecma.file(value.path) if isinstance(value, FunctionValue) else None
            if owner is None or not isinstance(value, FunctionValue):
                continue
            names = [row.name for row in owner.parameters.get(value.scope, ())]
            for at in self._extended_parameters(owner, value, names):
                argument = item.items[at].value if at < len(item.items) else NONE
                if argument != NONE:
                    merge(found, self._ecma.evaluate(file, argument), Strategy.GENERIC)
                    merge(found, self.mixed(file, argument), Strategy.GENERIC)
        return found

    def _extended_parameters(
        self, owner: SourceFile, value: FunctionValue, names: list[str]
    ) -> Iterator[int]:
        """The positions of the parameters that the class that a function gives extends."""
        for made in self._ecma.calls.result(value):
            if not isinstance(made, ClassValue) or made.path != owner.path:
                continue
            declaration = owner.code.scopes[made.scope].declaration
            heads = [row.value for row in owner.bindings.get((made.scope, "super"), ())]
            for clause in owner.clauses.get(declaration, ()) if declaration != NONE else ():
                heads += [clause.value] if clause.role == Role.BASE else []
            for head in heads:
                item = owner.expressions[head] if head != NONE else None
                if item is not None and item.op == Op.NAME and item.name in names:
                    yield names.index(item.name)

    def ancestors(self, path: str, scope: int) -> list[Ancestor]:
        """A class and its bases; external ones by name."""
        found = []
        for value in self.line(path, scope):
            if isinstance(value, ClassValue):
                found.append(Ancestor(value.path, value.scope, value.arguments))
            elif isinstance(value, ExternalInstance):
                found.append(Ancestor("", NONE, value.arguments, value.name))
        return found

    def given_of(self, value: Instance | ClassValue) -> Given:
        """The type variables of an object's class with their arguments."""
        found: Given = {}
        for file, scope in self.parts(value.path, value.scope):
            variables = self._ecma.types.variables_of_scope(file, scope)
            found.update(self._ecma.types.zipped(variables, value.arguments))
        return found

    # rows: where members are declared

    def rows(self, value: Instance | ClassValue, name: str, *, skip: bool = False) -> list[Row]:
        """The bindings that make a member of the nearest class that has it."""
        key = ("rows", value, name, skip)
        places = self._ecma.engine.unit(key, lambda: self._rows(value, name, skip=skip), ())
        rows = ((self._ecma.file(path), number) for path, number in places)
        return [Row(file, number) for file, number in rows if file is not None]

    def _rows(
        self, value: Instance | ClassValue, name: str, *, skip: bool
    ) -> tuple[tuple[str, int], ...]:
        is_static = isinstance(value, ClassValue)
        own: set[tuple[str, int]] = set()
        if skip:
            own = {(file.path, scope) for file, scope in self.parts(value.path, value.scope)}
        nearest: dict[tuple[str, int], None] = {}
        group: set[tuple[str, int]] = set()
        for item in self.line(value.path, value.scope):
            if not isinstance(item, ClassValue) or (item.path, item.scope) in own:
                continue
            if nearest and (item.path, item.scope) not in group:
                break
            file = self._ecma.file(item.path)
            if file is None:
                continue
            self._ecma.names.depend_on(file, item.scope, name)
            for number in file.binding_numbers.get((item.scope, name), ()):
                if self._is_static(file, number) == is_static:
                    nearest[item.path, number] = None
            if nearest and not group:
                group = {(f.path, s) for f, s in self.parts(item.path, item.scope)}
        return tuple(nearest)

    def given_at(self, value: Instance | ClassValue, path: str, scope: int) -> Given:
        """The type variables of a base of an object's class, as the object gives them."""
        given, types = self.given_of(value), self._ecma.types
        bases = (each for each in self.line(value.path, value.scope) if each[:2] == (path, scope))
        base, file = next(bases, None), self._ecma.file(path)
        if not isinstance(base, ClassValue) or file is None:
            return given
        found = dict(given)
        variables = types.variables_of_scope(file, scope)
        for name, values in zip(variables, base.arguments, strict=False):
            inner = tuple(part for item in values for part in types.replace(item, given))
            if inner != (name,):
                found[name] = inner
        return found

    def outer_bases(self, value: Instance | ClassValue) -> Iterator[Values]:
        """The bases of an object's class that are no classes: literals, something external."""
        given = self.given_of(value)
        for item in self.line(value.path, value.scope):
            if not isinstance(item, ClassValue):
                yield self._ecma.types.replace(item, given)

    def _is_static(self, file: SourceFile, number: int) -> bool:
        declaration = file.code.bindings[number].declaration
        if declaration == NONE:
            return False
        item = file.declarations[declaration]
        return "static" in item.modifiers or item.kind == "enumerator"

    # members as values

    def _of_instance(self, instance: Instance, name: str) -> Result:
        found: Result = {}
        for row in self.rows(instance, name):
            merge(found, self._value_of_row(row, instance))
        if found:
            return found
        found = self._inherited(instance, name)
        if all(isinstance(value, External) for value in found):  # a base may have anything
            stored = dict(self._stored_in(instance, name))
            for literal in self.prototypes(instance):
                merge(stored, self._ecma.member(literal, name), Strategy.FLOW)
            return stored or found
        return found

    def prototypes(self, instance: Instance) -> Result:
        """The object literals that are the prototype of a function: `F.prototype = { … }`."""
        key = ("prototypes", instance.path, instance.scope)
        return self._ecma.engine.unit(key, lambda: self._prototypes(instance))

    def _prototypes(self, instance: Instance) -> Result:
        file = self._ecma.file(instance.path)
        found: Result = {}
        if file is None:
            return found
        around = file.function_around(file.parent(instance.scope))
        self._ecma.engine.depend_on(file.path, body_key(file.path, file.qualified(around)))
        for store in file.stores.get("prototype", ())[:_MOST]:
            target = file.expressions[store.target]
            if NONE in {target.of, store.value}:
                continue
            if file.expressions[store.value].op != Op.OBJECT:
                continue
            for owner in self._ecma.evaluate(file, target.of):
                is_own = isinstance(owner, FunctionValue | ClassValue)
                if is_own and owner[:2] == (instance.path, instance.scope):
                    merge(found, self._ecma.evaluate(file, store.value))
        return found

    def _inherited(self, instance: Instance, name: str) -> Result:
        """A member of a base that is no class: a type literal, something external."""
        found: Result = {}
        for bases in self.outer_bases(instance):
            for base in bases:
                merge(found, self._ecma.member(base, name))
            if found:
                return found
        if name != INDEX:
            for row in self.rows(instance, INDEX):
                merge(found, self._value_of_row(row, instance), Strategy.GENERIC)
        return found

    def _stored_in(self, instance: Instance, name: str) -> Result:
        """A member that methods, or assignments to the prototype, store: of JavaScript."""
        for item in self.line(instance.path, instance.scope):
            if isinstance(item, ClassValue):
                found = self.stored_member(item.path, item.scope, name)
                if found:
                    return found
        return {}

    def _stored(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        self._ecma.names.depend_on(file, scope, name)
        for store in file.stores.get(name, ())[:_MOST]:
            target = file.expressions[store.target]
            if target.of == NONE:
                continue
            receivers = self._ecma.evaluate(file, target.of)
            if any(
                isinstance(each, Instance) and (each.path, each.scope) == (file.path, scope)
                for each in receivers
            ):
                merge(found, self._ecma.evaluate(file, store.value))
        return found

    def _value_of_row(self, row: Row, receiver: Instance | ClassValue) -> Result:
        file, binding = row.file, row.file.code.bindings[row.number]
        types = self._ecma.types
        if binding.kind == BindingKind.DECLARED and binding.declaration != NONE:
            scope = file.scope_of_declaration.get(binding.declaration)
            if scope is not None and file.kind(scope) == ScopeKind.FUNCTION:
                function = FunctionValue(file.path, scope, receiver)
                kind = file.declarations[binding.declaration].kind
                if kind == "getter":
                    return self._ecma.calls.result(function)
                if kind == "setter":
                    return {}
                return {function: Strategy.RECEIVER}
        declared = binding.declaration
        if declared != NONE and file.declarations[declared].kind == "enumerator":
            return {enumerator(receiver.path, receiver.scope, file, binding): Strategy.RECEIVER}
        values = self._ecma.names.value_of_number(file, row.number)
        if binding.annotation != NONE and not values:
            values = self._ecma.instances(file, binding.annotation)
        if not any(is_open(each) for each in values):
            return values
        return types.replaced(values, self.given_at(receiver, file.path, binding.scope))

    def _of_class(self, owner: ClassValue, name: str) -> Result:
        found: Result = {}
        if name == "prototype":
            return {Instance(owner.path, owner.scope, owner.arguments): Strategy.RECEIVER}
        for file, scope in self.parts(owner.path, owner.scope):
            if file.kind(scope) == ScopeKind.MODULE:
                merge(found, self._ecma.names.in_scope(file, scope, name))
        for row in self.rows(owner, name):
            merge(found, self._value_of_row(row, owner))
        return found

    def member_of_super(self, value: SuperValue, name: str) -> Result:
        """A member of the bases of a class, for the object or the class that asks."""
        found: Result = {}
        receiver = value.receiver
        if isinstance(receiver, Instance | ClassValue):
            for row in self.rows(receiver, name, skip=True):
                merge(found, self._value_of_row(row, receiver), Strategy.RECEIVER)
        if not found and isinstance(receiver, Instance):
            return self._inherited(receiver, name)
        return found

    def member_of_object(self, value: ObjectValue, name: str) -> Result:
        """A member of an object literal or a type literal."""
        key = ("object member", value, name)
        if value.kind == MAPPED:
            open_types = self._ecma.open_types
            return self._ecma.engine.unit(key, lambda: open_types.member_of_mapped(value, name))
        return self._ecma.engine.unit(key, lambda: self._of_object(value, name))

    def _of_object(self, value: ObjectValue, name: str) -> Result:
        file = self._ecma.file(value.path)
        if file is None:
            return {}
        found: Result = {}
        items = file.expressions[value.number].items
        last = -1
        for at, part in enumerate(items):
            if part.name == name and part.value != NONE:
                last = at
                merge(found, self.value_of_item(file, part, value))
        for part in items[last + 1 :]:
            if part.name == _SPREAD:
                for inner in self._ecma.evaluate(file, part.value):
                    merge(found, self._ecma.member(inner, name))
        if not found and name != INDEX:
            for part in items:
                if part.name == INDEX and part.value != NONE:
                    merge(found, self.value_of_item(file, part, value), Strategy.GENERIC)
        return self._ecma.types.replaced(found, dict(value.given))

    def member_of_created(self, value: CreatedValue, name: str) -> Result:
        """A member that is stored in an object after it was made, else that of its prototype."""
        key = ("created member", value, name)
        return self._ecma.engine.unit(key, lambda: self._of_created(value, name))

    def _of_created(self, value: CreatedValue, name: str) -> Result:
        file = self._ecma.file(value.path)
        found: Result = {}
        if file is None:
            return found
        for store in self.stores_in_created(file, value, name):
            merge(found, self._ecma.evaluate(file, store.value), Strategy.FLOW)
        for base in {} if found else self._ecma.evaluate(file, value.number):
            merge(found, self._ecma.member(base, name), Strategy.GENERIC)
        for holder in () if found else self.delegates.holders(value, name):
            for held in self.member_of_created(value, holder):
                merge(found, self._ecma.member(held, name), Strategy.GENERIC)
        return found

    def stores_in_created(
        self, file: SourceFile, value: CreatedValue, name: str
    ) -> Iterator[MemberStore]:
        """The places of the function that makes an object which store a member in it."""
        scope = file.code.scope_of[value.number]
        around = file.function_around(scope)
        owner = file.class_around(scope)
        self._ecma.engine.depend_on(file.path, body_key(file.path, file.qualified(around)))
        if owner != NONE:
            self._ecma.engine.depend_on(file.path, name_key(file.path, file.qualified(owner), name))
        for store in file.stores.get(name, ())[:_MOST]:
            target = file.expressions[store.target]
            if NONE not in (target.of, store.value):
                inside = file.function_around(file.code.scope_of[store.target])
                if inside == around and value in self._ecma.evaluate(file, target.of):
                    yield store

    def value_of_item(self, file: SourceFile, part: Argument, value: ObjectValue) -> Result:
        """The values of a property of an object literal."""
        if value.kind == "type":
            typed = self._ecma.instances(file, part.value)
            return self._ecma.types.replaced(typed, dict(value.given))
        found: Result = {}
        for inner, strategy in self._ecma.evaluate(file, part.value).items():
            if isinstance(inner, FunctionValue) and inner.receiver is None:
                declaration = (
                    file.code.scopes[inner.scope].declaration if inner.path == file.path else NONE
                )
                if declaration != NONE and file.declarations[declaration].kind == "getter":
                    merge(found, self._ecma.calls.result(inner), strategy)
                else:
                    merge(found, {inner: strategy})
            else:
                merge(found, {inner: strategy})
        return self._ecma.types.replaced(found, dict(value.given))

    def keys_of(self, value: Value) -> Iterator[str]:
        """The names of the members of a literal or an object of a class."""
        if isinstance(value, ObjectValue) and value.kind == MAPPED:
            yield from self._ecma.open_types.names_of_mapped(value)
        elif isinstance(value, ObjectValue):
            file = self._ecma.file(value.path)
            if file is not None:
                for part in file.expressions[value.number].items:
                    if part.name and part.name != _SPREAD:
                        yield part.name
        elif isinstance(value, Instance):
            for item in self.line(value.path, value.scope):
                if isinstance(item, ClassValue):
                    file = self._ecma.file(item.path)
                    if file is not None:
                        self._ecma.names.depend_on(file, item.scope, "")
                    yield from () if file is None else file.names_in.get(item.scope, ())
                elif isinstance(item, ObjectValue):
                    yield from self.keys_of(item)

    def values_of(self, value: Value) -> Result:
        """The values of all properties of an object."""
        found: Result = {}
        if isinstance(value, ObjectValue) and value.kind == MAPPED:
            return self._ecma.open_types.values_of_mapped(value)
        if isinstance(value, ObjectValue | Instance):
            for name in list(dict.fromkeys(self.keys_of(value)))[:_MOST]:
                merge(found, self._ecma.member(value, name), Strategy.GENERIC)
        elif isinstance(value, ExternalInstance) and value.arguments:
            merge(found, with_strategy(value.arguments[-1], Strategy.GENERIC))
        elif isinstance(value, TupleValue):
            for part in value.parts:
                merge(found, with_strategy(part, Strategy.GENERIC))
        elif isinstance(value, ClassValue):
            file = self._ecma.file(value.path)
            if file is not None and file.kind(value.scope) == ScopeKind.CLASS:
                merge(found, {Instance(value.path, value.scope): Strategy.GENERIC})
        return found

    def is_subclass(self, value: Value, other: Value) -> bool:
        """True if the class of an object is, or derives from, that of another."""
        if isinstance(value, Instance) and isinstance(other, Instance):
            return any(
                isinstance(item, ClassValue)
                and (item.path, item.scope) == (other.path, other.scope)
                for item in self.line(value.path, value.scope)
            )
        if isinstance(value, ExternalInstance) and isinstance(other, ExternalInstance):
            return value.name == other.name
        return value[:2] == other[:2] and value.__class__ is other.__class__


def fixed(values: Values) -> Result:
    """Values as a result that was declared."""
    return with_strategy(values, Strategy.DECLARED)


__all__ = ["EcmaScriptClasses", "Row", "fixed", "plain"]
