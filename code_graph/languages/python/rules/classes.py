"""Classes of Python: descriptors, properties, metaclasses, mocks, and tuples that have names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.classes import Classes
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter, substituted
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    TupleValue,
    Value,
    Values,
    is_none,
    merge,
)
from code_graph.expressions import NONE, Binding, BindingKind
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

# a member that runs a function when it is read
PROPERTY: Final = "builtins.property"
_STAND_INS: Final = "unittest.mock."


class PythonClasses(Classes):
    """Members of classes, with what descriptors and metaclasses make of them."""

    _evaluation: PythonEvaluation

    def _stored(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        self._evaluation.names.depend_on(file, scope, name)
        for store in file.stores.get(name, ()):
            place = file.code.scope_of[store.target]
            if file.class_around(place) != scope and not self._evaluation.engine.is_following:
                continue
            receiver = self._evaluation.evaluate(file, file.expressions[store.target].of)
            if not any(_is_object_of(value, file.path, scope) for value in receiver):
                continue
            typed = self._evaluation.instances(file, store.annotation)
            merge(found, typed or self._evaluation.evaluate(file, store.value))
        return self._evaluation.containers.filled_member(file, scope, name, found)

    def _by_class(
        self, order: Sequence[Ancestor], number: int, instance: Instance, name: str
    ) -> Result:
        item = order[number]
        found = self._bound(self.own_member(item.path, item.scope, name), instance, item)
        if not found and self.inherits_property(order[number + 1 :], name):
            return {}
        stored = self.stored_member(item.path, item.scope, name)
        merge(found, self._substituted(stored, instance, item))
        typed = self._typed_by_base(order[number:], name) if found else {}
        return self._substituted(typed, instance, item) if typed else found

    def _typed_by_base(self, order: Sequence[Ancestor], name: str) -> Result:
        """The declared type of a base for a member that the class only assigns."""
        for number, item in enumerate(order):
            file = self._evaluation.file(item.path) if item.path else None
            if file is None:
                continue
            self._evaluation.names.depend_on(file, item.scope, name)
            typed = False
            for row in (
                *file.bindings.get((item.scope, name), ()),
                *(
                    store
                    for store in file.stores.get(name, ())
                    if file.class_around(file.code.scope_of[store.target]) == item.scope
                ),
            ):
                if isinstance(row, Binding) and row.kind != BindingKind.ASSIGNED:
                    return {}
                typed = typed or row.annotation != NONE
                if number and row.annotation != NONE:
                    return self._evaluation.instances(file, row.annotation)
            if typed:
                return {}
        return {}

    def _is_placeholder(self, value: Value) -> bool:
        """True for None, and for an object of a test that may call another one, as a mock does."""
        is_mock = isinstance(value, ExternalInstance) and value.name.startswith(_STAND_INS)
        return is_mock or is_none(value)

    def _outside(self, base: Ancestor, owner: Instance | ClassValue | None, name: str) -> Result:
        """A member of an external base, which may depend on the class that inherits it."""
        found = self._evaluation.language.inherited(owner, base.external, name)
        return found or super()._outside(base, owner, name)

    def names_beginning(self, instance: Instance, begin: str) -> list[str]:
        """The members with this prefix, of a class and its bases in the repository."""
        found: dict[str, None] = {}
        for base in self.ancestors(instance.path, instance.scope):
            file = self._evaluation.file(base.path) if base.path else None
            if file is not None:
                self._evaluation.names.depend_on(file, base.scope, "")
                names = file.names_in.get(base.scope, ())
                found.update((name, None) for name in names if name.startswith(begin))
        return [*found]

    def inherits_property(self, order: Sequence[Ancestor], name: str) -> bool:
        """True if the first class of an order that binds a name makes it a property."""
        for item in order:
            if not item.external:
                for value in self.own_member(item.path, item.scope, name):
                    return isinstance(value, FunctionValue) and self._evaluation.calls.is_property(
                        value
                    )
        return False

    def _missing(self, instance: Instance, name: str) -> Result:
        if name.startswith("__"):
            return {}
        found = self._evaluation.calls.call_member(instance, "__getattr__")
        return found or super()._missing(instance, name)

    def _bound(self, members: Result, receiver: Value | None, owner: Ancestor) -> Result:
        """Members of a class seen through an object: methods bound, properties called."""
        found: Result = {}
        for value, strategy in members.items():
            if isinstance(receiver, Instance):
                merge(found, self._seen(value, receiver, owner), strategy)
            elif isinstance(receiver, ClassValue) and isinstance(value, FunctionValue):
                merge(found, {self._evaluation.calls.bind(value, receiver): strategy})
            else:
                merge(found, {value: strategy})
        return found

    def _seen(self, value: Value, instance: Instance, owner: Ancestor) -> Result:
        """A member of a class seen through an object."""
        calls = self._evaluation.calls
        found: Result = {}
        if isinstance(value, FunctionValue) and value.receiver is None:
            method = calls.bind(value, instance)
            return calls.result(method) if calls.is_property(method) else {method: Strategy.SCOPE}
        if isinstance(value, ExternalInstance) and value.name == PROPERTY:
            for getter in value.arguments[0] if value.arguments else ():
                if isinstance(getter, FunctionValue):
                    merge(found, calls.result(getter._replace(receiver=instance)))
            return found
        if isinstance(value, Instance):
            return self._described(value, instance)
        return self._substituted({value: Strategy.SCOPE}, instance, owner)

    def _described(self, value: Instance, owner: Instance | ClassValue) -> Result:
        """An object that a class holds, which may put descriptors in its own place."""
        calls, language = self._evaluation.calls, self._evaluation.language
        found = calls.call_member(value, "__get__", direct=True)
        for descriptor, how in () if found else language.placed.of(value).items():
            if isinstance(descriptor, Instance):
                merge(found, calls.call_member(descriptor, "__get__"), how)
        return found or {language.held_by(value, owner): Strategy.SCOPE}

    def _of_class(self, owner: ClassValue, name: str) -> Result:
        order = self.ancestors(owner.path, owner.scope)

        def own(number: int) -> Result:
            item = order[number]
            found: Result = {}
            for value, strategy in self.own_member(item.path, item.scope, name).items():
                if isinstance(value, FunctionValue) and value.receiver is None:
                    merge(found, {self._evaluation.calls.bind(value, owner): strategy})
                elif isinstance(value, Instance):
                    merge(found, self._described(value, owner), strategy)
                else:
                    merge(found, {value: strategy})
            if all(map(is_none, found)):  # set by its methods
                merge(found, self.stored_member(item.path, item.scope, name))
            return found

        return self._first(order, 0, name, own, owner) or super()._of_class(owner, name)

    def makers(self, owner: ClassValue) -> Result:
        """The functions that make objects of a class: `__new__`, and `__call__` of its class."""
        key = ("makers", owner.path, owner.scope)
        plain = ClassValue(owner.path, owner.scope)
        return self._evaluation.engine.unit(key, lambda: self._makers(plain))

    def _makers(self, owner: ClassValue) -> Result:
        found: Result = {}
        for value in (
            *self.member_of_class(owner, "__new__"),
            *self._of_metaclass(owner, "__call__"),
        ):
            if isinstance(value, FunctionValue):
                found[value] = Strategy.SYNTAX
        return found

    def elements_of_class(self, owner: ClassValue) -> Result:
        """The elements of a class in an iteration: the members of an enum, by its metaclass."""
        for item in self.ancestors(owner.path, owner.scope):
            if item.external.rpartition(".")[2] in {"Enum", "IntEnum", "StrEnum", "Flag"}:
                return {Instance(owner.path, owner.scope): Strategy.GENERIC}
        found: Result = {}
        for value, strategy in self._of_metaclass(owner, "__iter__").items():
            if isinstance(value, FunctionValue):
                merge(
                    found, self._evaluation.element(self._evaluation.calls.result(value)), strategy
                )
        return found

    def held(self, instance: Instance) -> Iterator[Value]:
        """The containers that a class extends, with their elements: `dict[str, Item]`, a tuple."""
        order = self.ancestors(instance.path, instance.scope)
        for number, item in enumerate(order):
            if item.external.endswith(".NamedTuple") and number:
                yield TupleValue(tuple(self._fields(order[number - 1])))
            elif item.external and item.arguments:
                base = External(item.external, item.arguments)
                for value in self._evaluation.language.instances(base):
                    if not isinstance(value, Instance):
                        yield value

    def as_tuple(self, instance: Instance) -> TupleValue | None:
        """The parts of an object that is a tuple."""
        found = self.held(instance)
        return next((value for value in found if isinstance(value, TupleValue)), None)

    def _fields(self, owner: Ancestor) -> Iterator[Values]:
        """The types of the fields that a class declares, in order."""
        file = self._evaluation.file(owner.path) if owner.path else None
        for binding in () if file is None else file.code.bindings:
            if file and binding.scope == owner.scope and binding.annotation != NONE:
                self._evaluation.names.depend_on(file, owner.scope, binding.name)
                yield tuple(self._evaluation.instances(file, binding.annotation))

    def narrowed(self, values: Result, declared: Result) -> Result:
        """Values narrowed by a type test: the matching ones, else the type itself."""
        found = {
            value: strategy
            for value, strategy in values.items()
            if any(self.is_subclass(value, other) for other in declared)
        }
        return found or dict(declared)

    def without(self, values: Result, excluded: Result) -> Result:
        """Values without objects of the excluded classes."""
        others = [
            inner for value in excluded for inner in self._evaluation.language.instances(value)
        ]
        return {
            value: strategy
            for value, strategy in values.items()
            if not any(self.is_subclass(value, other) for other in others)
        }

    def _substituted(self, values: Result, instance: Instance, owner: Ancestor) -> Result:
        """Values with type parameters of the class replaced by the object's type arguments."""
        file = self._evaluation.file(owner.path)
        if file is None or not any(map(mentions_parameter, values)):
            return values
        own = (owner.path, owner.scope) == (instance.path, instance.scope)
        arguments = instance.arguments if own else owner.arguments
        names = self._evaluation.language.type_parameters(file, owner.scope)
        return substituted(values, dict(zip(names, arguments, strict=False)))

    def substituted(
        self, values: Result, receiver: Value | None, path: str, class_scope: int
    ) -> Result:
        """The result of a method with the type parameters of its receiver's class replaced."""
        if not isinstance(receiver, Instance) or class_scope == NONE:
            return values
        for item in self.ancestors(receiver.path, receiver.scope):
            if (item.path, item.scope) == (path, class_scope):
                return self._substituted(values, receiver, item)
        return values


def _is_object_of(value: Value, path: str, scope: int) -> bool:
    return isinstance(value, Instance | ClassValue) and (value.path, value.scope) == (path, scope)
