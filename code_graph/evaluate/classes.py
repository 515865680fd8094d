"""Classes: their bases, the order in which members are looked up, and members themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import name_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    SuperValue,
    Value,
    is_none,
    merge,
)
from code_graph.expressions import NONE, Role
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

_MOST_CLASSES: Final = 100
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
        self._evaluation.depend_on_class(file, scope)
        clauses = [item for item in file.clauses.get(declaration, ()) if item.role in _BASES]
        return self._evaluation.evaluate_all(file, [item.value for item in clauses])

    def _order(self, path: str, scope: int) -> tuple[Ancestor, ...]:
        """The linearization: C3 where it works, else depth first without repetitions."""
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

    def bodies(self, path: str, scope: int) -> Iterator[tuple[SourceFile, int]]:
        """The bodies of a class, by their files and scopes; languages may have several."""
        file = self._evaluation.file(path)
        if file is not None:
            yield file, scope

    def stored_member(self, path: str, scope: int, name: str) -> Result:
        """A member that the methods of a class store in their object."""
        key = ("stored", path, scope, name)
        return self._evaluation.engine.unit(key, lambda: self._all_stored(path, scope, name))

    def _all_stored(self, path: str, scope: int, name: str) -> Result:
        found: Result = {}
        for file, body in self.bodies(path, scope):
            merge(found, self._stored(file, body, name))
        return found

    def _stored(self, file: SourceFile, scope: int, name: str) -> Result:
        """The values that methods in one body of a class store in a member."""
        del file, scope, name
        return {}

    def member_of_instance(self, instance: Instance, name: str) -> Result:
        """A member of an object; functions are bound to it."""
        key = ("member", instance, name)
        return self._evaluation.engine.unit(key, lambda: self._of_instance(instance, name))

    def _of_instance(self, instance: Instance, name: str) -> Result:
        order = self.ancestors(instance.path, instance.scope)

        def own(number: int) -> Result:
            return self._by_class(order, number, instance, name)

        return self._first(order, 0, name, own, instance) or self._missing(instance, name)

    def _by_class(
        self, order: Sequence[Ancestor], number: int, instance: Instance, name: str
    ) -> Result:
        """A member of an object by one class of its order: bound in its body, or stored."""
        item = order[number]
        found = self._bound(self.own_member(item.path, item.scope, name), instance, item)
        merge(found, self.stored_member(item.path, item.scope, name))
        return found

    def _bound(self, members: Result, receiver: Value | None, owner: Ancestor) -> Result:
        """Members of a class seen through an object: functions are bound to it."""
        del owner
        return {
            value._replace(receiver=receiver)
            if isinstance(value, FunctionValue) and value.receiver is None
            else value: how
            for value, how in members.items()
        }

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
                if all(map(self._is_placeholder, found)):
                    merge(nothing, found)
                    continue
                is_unsure = bool(outside) or not all(map(is_none, nothing))
                least = Strategy.FLOW if is_unsure else Strategy.SCOPE
                return {value: max(how, least) for value, how in found.items()}
            has_it = self._evaluation.language.has_member(item.external, name)
            if has_it is not False and not outside:
                outside = self._outside(item, owner, name)
            if has_it:
                break
        return nothing or outside

    def _is_placeholder(self, value: Value) -> bool:
        """True for a placeholder that another value replaces."""
        return is_none(value)

    def _outside(self, base: Ancestor, owner: Instance | ClassValue | None, name: str) -> Result:
        """A member of an external base."""
        del owner
        external = ExternalInstance(base.external, base.arguments)
        return self._evaluation.language.member_of_external(external, name) or {
            External(f"{base.external}.{name}"): Strategy.RECEIVER
        }

    def _missing(self, instance: Instance, name: str) -> Result:
        """A member that a class lacks, by the classes of its file that extend it: of a mixin."""
        file = self._evaluation.file(instance.path)
        found: Result = {}
        if file is None or not self._evaluation.engine.is_following:
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

    def member_of_class(self, owner: ClassValue, name: str) -> Result:
        """A member of a class itself; class methods are bound to it."""
        key = ("class member", owner, name)
        return self._evaluation.engine.unit(key, lambda: self._of_class(owner, name))

    def _of_class(self, owner: ClassValue, name: str) -> Result:
        return self._of_metaclass(owner, name)

    def _of_metaclass(self, owner: ClassValue, name: str) -> Result:
        """A member of a class that its metaclasses have; functions are bound to the class."""
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
            for file, body in self.bodies(item.path, item.scope) if item.path else ():
                clauses = file.clauses.get(file.code.scopes[body].declaration, ())
                rows = [clause.value for clause in clauses if clause.role == Role.METACLASS]
                merge(found, self._evaluation.evaluate_all(file, rows))
        return found

    def member_of_super(self, value: SuperValue, name: str) -> Result:
        """A member looked up after a class in the order of the receiver's class."""
        order = self.ancestors(value.path, value.scope)

        def own(number: int) -> Result:
            item = order[number]
            return self._bound(self.own_member(item.path, item.scope, name), value.receiver, item)

        found = self._first(order, 1, name, own)
        if found:
            return {member: max(how, Strategy.RECEIVER) for member, how in found.items()}
        language = self._evaluation.language
        return language.member_of_external(ExternalInstance(language.literal("object")), name)

    def is_subclass(self, value: Value, other: Value) -> bool:
        """True if the class of an object is the class of another, or derives from it."""
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
