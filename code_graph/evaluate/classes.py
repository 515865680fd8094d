"""Classes: their bases, the order in which members are looked up, and members themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import name_key
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
    SuperValue,
    TupleValue,
    Value,
    Values,
    is_none,
    is_stand_in,
    merge,
)
from code_graph.expressions import NONE, Binding, BindingKind, Role
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

_MOST_CLASSES: Final = 100
# a member that runs a function when it is read
PROPERTY: Final = "builtins.property"
_CALL: Final = "__call__"
_BASES: Final = (Role.BASE, Role.IMPLEMENTS)


class Classes:
    """Looks members up in classes and their bases."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def ancestors(self, path: str, scope: int) -> Sequence[Ancestor]:
        """A class and its bases in lookup order, each once; external ones by name."""
        key = ("ancestors", path, scope)
        return self._evaluation.engine.unit(key, lambda: self._order(path, scope), ())

    def bases(self, path: str, scope: int) -> Result:
        """The direct bases of a class."""
        file = self._evaluation.file(path)
        if file is None:
            return {}
        declaration = file.code.scopes[scope].declaration
        self.depend_on_head(file, scope)
        clauses = [item for item in file.clauses.get(declaration, ()) if item.role in _BASES]
        return self._evaluation.evaluate_all(file, [item.value for item in clauses])

    def _order(self, path: str, scope: int) -> tuple[Ancestor, ...]:
        """C3 where it works, else depth first without repetitions."""
        lines: list[list[Ancestor]] = []
        direct: list[Ancestor] = []
        for base in self.bases(path, scope):
            if isinstance(base, ClassValue) and (base.path, base.scope) != (path, scope):
                above = self.ancestors(base.path, base.scope) or [Ancestor(base.path, base.scope)]
                line = [above[0]._replace(arguments=base.arguments), *above[1:]]
                lines.append(line)
                direct.append(line[0])
            elif isinstance(base, External):
                direct.append(Ancestor("", NONE, base.arguments, base.name))
                lines.append([direct[-1]])
        self._evaluation.engine.weigh(sum(map(len, lines)))
        return (Ancestor(path, scope), *_merge_orders([*lines, direct]))

    def own_member(self, path: str, scope: int, name: str) -> Result:
        """A member that a class itself has: bound in its body, or stored by its methods."""
        file = self._evaluation.file(path)
        if file is None:
            return {}
        self._evaluation.engine.depend_on(path, name_key(path, file.qualified(scope), name))
        return self._evaluation.names.in_class(file, scope, name)

    def stored_member(self, path: str, scope: int, name: str) -> Result:
        """A member that the methods of a class store in their object."""
        file = self._evaluation.file(path)
        if file is None:
            return {}
        key = ("stored", path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._stored(file, scope, name))

    def _stored(self, file: SourceFile, scope: int, name: str) -> Result:
        found: Result = {}
        self._evaluation.engine.depend_on(
            file.path, name_key(file.path, file.qualified(scope), name)
        )
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

    def member_of_instance(self, instance: Instance, name: str) -> Result:
        """A member of an object; functions are bound to it."""
        key = ("member", instance, name)
        return self._evaluation.engine.unit(key, lambda: self._of_instance(instance, name))

    def _of_instance(self, instance: Instance, name: str) -> Result:
        order = self.ancestors(instance.path, instance.scope)

        def own(number: int) -> Result:
            item = order[number]
            found = self._bound(self.own_member(item.path, item.scope, name), instance, item)
            if not found and self.inherits_property(order[number + 1 :], name):
                return {}
            stored = self.stored_member(item.path, item.scope, name)
            merge(found, self._substituted(stored, instance, item))
            typed = self._typed_by_base(order[number:], name) if found else {}
            return self._substituted(typed, instance, item) if typed else found

        return (
            self._first(order, 0, name, own, instance)
            or self._through_getattr(instance, name)
            or self._of_subclasses(instance, name)
        )

    def _typed_by_base(self, order: Sequence[Ancestor], name: str) -> Result:
        """The type that a base declares for what the first class of an order assigns only."""
        for number, item in enumerate(order):
            file = self._evaluation.file(item.path) if item.path else None
            if file is None:
                continue
            self._evaluation.engine.depend_on(
                item.path, name_key(item.path, file.qualified(item.scope), name)
            )
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

    def _first(
        self,
        order: Sequence[Ancestor],
        start: int,
        name: str,
        own: Callable[[int], Result],
        owner: Instance | ClassValue | None = None,
    ) -> Result:
        """The member of the first class that has it; an external one before it may have it."""
        outside: Result = {}
        nothing: Result = {}
        for number in range(start, len(order)):
            item = order[number]
            if not item.external:
                found = own(number)
                # a base may say what else it holds, or what a stand-in calls
                if found and all(is_none(value) or is_stand_in(value) for value in found):
                    merge(nothing, found)
                    continue
                if found and any(map(is_stand_in, nothing)):
                    return {value: max(how, Strategy.FLOW) for value, how in found.items()}
                if found and outside:
                    return {value: max(how, Strategy.FLOW) for value, how in found.items()}
                if found:
                    return found
                continue
            has_it = self._evaluation.language.has_member(item.external, name)
            if has_it is not False and not outside:
                outside = self._outside(item, owner, name)
            if has_it:
                break
        return nothing or outside

    def _outside(self, base: Ancestor, owner: Instance | ClassValue | None, name: str) -> Result:
        """A member of an external base."""
        del owner
        external = ExternalInstance(base.external, base.arguments)
        return self._evaluation.language.member_of_external(external, name) or {
            External(f"{base.external}.{name}"): Strategy.RECEIVER
        }

    def names_beginning(self, instance: Instance, begin: str) -> list[str]:
        """The members that begin so, of a class and of those of the repository that it extends."""
        found: dict[str, None] = {}
        for base in self.ancestors(instance.path, instance.scope):
            file = self._evaluation.file(base.path) if base.path else None
            if file is not None:
                key = name_key(file.path, file.qualified(base.scope), "")
                self._evaluation.engine.depend_on(file.path, key)
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

    def _of_subclasses(self, instance: Instance, name: str) -> Result:
        """A member that a class lacks, by the classes of its file that extend it: of a mixin."""
        file = self._evaluation.file(instance.path)
        found: Result = {}
        if file is None or not self._evaluation.engine.is_following or name.startswith("__"):
            return found
        key = ("subclasses", instance.path, instance.scope)
        below = self._evaluation.engine.unit(key, lambda: self._subclasses(file, instance.scope))
        for value in below:
            if isinstance(value, ClassValue):
                made = Instance(value.path, value.scope)
                merge(found, self.member_of_instance(made, name), Strategy.ARGUMENT)
        return found

    def _subclasses(self, file: SourceFile, scope: int) -> Result:
        """The classes of a file that extend one of its classes directly."""
        found: Result = {}
        for clause in file.bases[:_MOST_CLASSES]:
            below = file.scope_of_declaration.get(clause.declaration, NONE)
            if below in {NONE, scope}:
                continue
            for base in self._evaluation.evaluate(file, clause.value):
                if isinstance(base, ClassValue) and (base.path, base.scope) == (file.path, scope):
                    found[ClassValue(file.path, below)] = Strategy.ARGUMENT
        return found

    def _through_getattr(self, instance: Instance, name: str) -> Result:
        if name.startswith("__"):
            return {}
        return self._evaluation.calls.call_member(instance, "__getattr__")

    def _bound(self, members: Result, instance: Instance, owner: Ancestor) -> Result:
        """Members of a class seen through an object: methods bound, properties called."""
        found: Result = {}
        for value, strategy in members.items():
            if isinstance(value, FunctionValue) and value.receiver is None:
                for method in self._evaluation.calls.bind(value, instance):
                    if isinstance(method, FunctionValue) and self._evaluation.calls.is_property(
                        method
                    ):
                        merge(found, self._evaluation.calls.result(method), strategy)
                    else:
                        merge(found, {method: strategy})
            elif isinstance(value, ExternalInstance) and value.name == PROPERTY:
                for getter in value.arguments[0] if value.arguments else ():
                    if isinstance(getter, FunctionValue):
                        read = self._evaluation.calls.result(getter._replace(receiver=instance))
                        merge(found, read, strategy)
            elif isinstance(value, Instance):
                merge(found, self._described(value, instance), strategy)
            else:
                merge(found, self._substituted({value: strategy}, instance, owner))
        return found

    def _described(self, value: Instance, owner: Instance | ClassValue) -> Result:
        """An object that a class holds, or what it gives as a descriptor."""
        del owner
        found = self._evaluation.calls.call_member(value, "__get__", direct=True)
        return found or {value: Strategy.SCOPE}

    def member_of_class(self, owner: ClassValue, name: str) -> Result:
        """A member of a class itself; class methods are bound to it."""
        key = ("class member", owner, name)
        return self._evaluation.engine.unit(key, lambda: self._of_class(owner, name))

    def _of_class(self, owner: ClassValue, name: str) -> Result:
        order = self.ancestors(owner.path, owner.scope)

        def own(number: int) -> Result:
            item = order[number]
            found: Result = {}
            for value, strategy in self.own_member(item.path, item.scope, name).items():
                if isinstance(value, FunctionValue) and value.receiver is None:
                    merge(found, self._evaluation.calls.bind_to_class(value, owner), strategy)
                elif isinstance(value, Instance):
                    merge(found, self._described(value, owner), strategy)
                else:
                    merge(found, {value: strategy})
            if all(map(is_none, found)):  # set by its methods
                merge(found, self.stored_member(item.path, item.scope, name))
            return found

        return self._first(order, 0, name, own, owner) or self._of_metaclass(owner, name)

    def _of_metaclass(self, owner: ClassValue, name: str) -> Result:
        found: Result = {}
        for metaclass in self.metaclasses(owner):
            if isinstance(metaclass, ClassValue):
                for item in self.ancestors(metaclass.path, metaclass.scope):
                    for value, strategy in self.own_member(item.path, item.scope, name).items():
                        if isinstance(value, FunctionValue):
                            merge(found, {value._replace(receiver=owner): strategy})
                    if found:
                        return found
        return found

    def metaclasses(self, owner: ClassValue) -> Result:
        """The metaclasses of a class and its bases."""
        found: Result = {}
        for item in self.ancestors(owner.path, owner.scope):
            file = self._evaluation.file(item.path) if item.path else None
            if file is None:
                continue
            declaration = file.code.scopes[item.scope].declaration
            for clause in file.clauses.get(declaration, ()):
                if clause.role == Role.METACLASS:
                    merge(found, self._evaluation.evaluate(file, clause.value))
        return found

    def makers(self, owner: ClassValue) -> Result:
        """The functions that make objects of a class: `__new__`, and `__call__` of its class."""
        key = ("makers", owner.path, owner.scope)
        plain = ClassValue(owner.path, owner.scope)
        return self._evaluation.engine.unit(key, lambda: self._makers(plain))

    def _makers(self, owner: ClassValue) -> Result:
        found: Result = {}
        for value in (*self.member_of_class(owner, "__new__"), *self._of_metaclass(owner, _CALL)):
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
        """The containers that a class extends, with what they hold: `dict[str, Item]`, a tuple."""
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
                self._evaluation.engine.depend_on(
                    owner.path, name_key(owner.path, file.qualified(owner.scope), binding.name)
                )
                yield tuple(self._evaluation.instances(file, binding.annotation))

    def member_of_super(self, value: SuperValue, name: str) -> Result:
        """A member looked up after a class in the order of the receiver's class."""
        receiver = value.receiver
        order = self.ancestors(value.path, value.scope)

        def own(number: int) -> Result:
            item = order[number]
            members = self.own_member(item.path, item.scope, name)
            if isinstance(receiver, Instance):
                return self._bound(members, receiver, item)
            found: Result = {}
            for member, strategy in members.items():
                if isinstance(member, FunctionValue) and isinstance(receiver, ClassValue):
                    merge(found, self._evaluation.calls.bind_to_class(member, receiver), strategy)
                else:
                    merge(found, {member: strategy})
            return found

        found = self._first(order, 1, name, own)
        if found:
            return {member: max(how, Strategy.RECEIVER) for member, how in found.items()}
        return self._evaluation.language.member_of_external(
            ExternalInstance("builtins.object"), name
        )

    def is_subclass(self, value: Value, other: Value) -> bool:
        """True if the class of an object is, or derives from, that of another."""
        if isinstance(value, Instance) and isinstance(other, Instance):
            return any(
                (item.path, item.scope) == (other.path, other.scope)
                for item in self.ancestors(value.path, value.scope)
            )
        if isinstance(value, ExternalInstance) and isinstance(other, ExternalInstance):
            return value.name == other.name
        if isinstance(value, Instance) and isinstance(other, ExternalInstance):
            return any(
                item.external == other.name for item in self.ancestors(value.path, value.scope)
            )
        return False

    def narrowed(self, values: Result, declared: Result) -> Result:
        """Values of which a test shows the type: those that are of it, else the type itself."""
        found = {
            value: strategy
            for value, strategy in values.items()
            if any(self.is_subclass(value, other) for other in declared)
        }
        return found or dict(declared)

    def without(self, values: Result, excluded: Result) -> Result:
        """Values without those of the excluded classes."""
        others = [
            inner for value in excluded for inner in self._evaluation.language.instances(value)
        ]
        return {
            value: strategy
            for value, strategy in values.items()
            if not any(self.is_subclass(value, other) for other in others)
        }

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        """The names of a class's type parameters."""
        return self._evaluation.language.type_parameters(file, scope)

    def _substituted(self, values: Result, instance: Instance, owner: Ancestor) -> Result:
        """Values with type parameters of the class replaced by the object's type arguments."""
        if not any(mentions_parameter(value) for value in values):
            return dict(values)
        file = self._evaluation.file(owner.path)
        if file is None:
            return dict(values)
        own = (owner.path, owner.scope) == (instance.path, instance.scope)
        arguments = instance.arguments if own else owner.arguments
        names = self.type_parameters(file, owner.scope)
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

    def depend_on_head(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on the head of a class."""
        around = file.qualified(file.function_around(file.parent(scope)))
        declaration = file.code.scopes[scope].declaration
        name = file.declarations[declaration].name if declaration != NONE else ""
        self._evaluation.engine.depend_on(file.path, name_key(file.path, around, name))


def _is_object_of(value: Value, path: str, scope: int) -> bool:
    return isinstance(value, Instance | ClassValue) and (value.path, value.scope) == (path, scope)


def _merge_orders(lines: Sequence[Sequence[Ancestor]]) -> list[Ancestor]:
    """The C3 merge; where it has no solution the first candidate is taken."""
    rows = [[(_identity(item), item) for item in line] for line in lines if line]
    # the number of lines that have a class behind their first one that is left
    behind = Counter(name for row in rows for name, _ in row[1:])
    heads = [0] * len(rows)
    left = [*range(len(rows))]
    taken: set[tuple[str, int, str]] = set()
    found: list[Ancestor] = []
    while left and len(found) < _MOST_CLASSES:
        firsts = (rows[line][heads[line]] for line in left)
        name, best = next(
            (first for first in firsts if not behind[first[0]]), rows[left[0]][heads[left[0]]]
        )
        found.append(best)
        taken.add(name)
        behind[name] = 0
        for line in left:
            row, at = rows[line], heads[line]
            if row[at][0] != name:
                continue
            while at < len(row) and row[at][0] in taken:
                at += 1
            heads[line] = at
            if at < len(row):
                behind[row[at][0]] -= 1
        left = [line for line in left if heads[line] < len(rows[line])]
    return found


def _identity(item: Ancestor) -> tuple[str, int, str]:
    return item.path, item.scope, item.external
