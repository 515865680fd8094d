"""Containers: the elements added to lists, sets and mappings later.

Places are followed within the file that makes the container.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ExternalInstance,
    Instance,
    RecordValue,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    plain,
)
from code_graph.expressions import NONE, Binding, Op
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

_MOST_PLACES: Final = 60

_Test = Callable[[int], bool]
# the operation and name of an expression
Key: TypeAlias = tuple[int, str]


class _Addition(NamedTuple):
    """A place that adds to a container: a call of a method, or a stored value."""

    method: str  # empty for a store
    number: int
    target: int
    key: str = ""
    is_inner: bool = False


class Containers:
    """Adds to containers what other places of their file put into them."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def filled(self, file: SourceFile, binding: Binding, found: Result) -> Result:
        """The value of a name, with all elements added through this name."""

        def is_target(number: int) -> bool:
            return self._is_bound_in(file, number, binding)

        return self._with(file, found, (Op.NAME, binding.name), is_target)

    def filled_member(self, file: SourceFile, scope: int, name: str, found: Result) -> Result:
        """The value of a member, with all that methods of its class add to it."""

        def is_target(number: int) -> bool:
            return file.class_around(file.code.scope_of[number]) == scope

        return self._with(file, found, (Op.MEMBER, name), is_target)

    def mapped(self, value: Value) -> Values:
        """The values of a mapping."""
        if isinstance(value, RecordValue):
            return tuple(inner for _, values in value.parts for inner in values)
        if isinstance(value, ExternalInstance) and value.arguments:
            return value.arguments[-1]
        return ()

    def _with(self, file: SourceFile, found: Result, key: Key, is_target: _Test) -> Result:
        if not any(map(self._is_container, found)):
            return found
        added: Result = {}
        keyed: dict[str, Result] = {}
        additions = file.cached("additions", self._additions).get(key, ())
        rows = [row for row in additions if is_target(row.target)]
        kind = self._evaluation.language.literal("list")
        for row in rows[:_MOST_PLACES]:
            if not row.method:
                value = self._evaluation.evaluate(file, row.number)
                merge(keyed.setdefault(row.key, {}), value)
            elif row.is_inner:  # added to a list in a container
                inner: Result = {}
                self._add(file, row.number, row.method, inner, {})
                listed = ExternalInstance(kind, (plain(inner),))
                merge(added, {listed: Strategy.FLOW})
            else:
                self._add(file, row.number, row.method, added, keyed)
        return self._extended(found, self._unknown(found, added), keyed)

    def _unknown(self, found: Result, added: Result) -> Result:
        """Added values that no element of a container is a base of: its type holds these."""
        known = [
            value
            for held in found
            if isinstance(held, ExternalInstance) and held.arguments
            for value in held.arguments[-1]
            if isinstance(value, Instance)
        ]
        if not known:
            return added
        is_subclass = self._evaluation.classes.is_subclass
        return {
            value: how
            for value, how in added.items()
            if value in known or not any(is_subclass(value, other) for other in known)
        }

    def _add(
        self,
        file: SourceFile,
        number: int,
        method: str,
        added: Result,
        keyed: dict[str, Result],
    ) -> None:
        """Add the values of one call of a method, without a key or by it."""
        item = file.expressions[number]
        language = self._evaluation.language
        at = language.adding.get(method, 0)
        if len(item.items) <= at:
            return
        for part in item.items if method in language.extending else ():
            if part.name and part.name not in {"*", "**"}:
                named = self._evaluation.evaluate(file, part.value)
                merge(keyed.setdefault(part.name, {}), named)
        value = self._evaluation.evaluate(file, item.items[at].value)
        if method not in language.extending:
            merge(added, value)
            return
        for inner in value:
            if isinstance(inner, RecordValue):
                for key, values in inner.parts:
                    merge(keyed.setdefault(key, {}), dict.fromkeys(values, Strategy.FLOW))
            elif isinstance(inner, TupleValue):
                merge(added, self._evaluation.element({inner: Strategy.FLOW}))
            else:
                merge(added, dict.fromkeys(self.mapped(inner), Strategy.FLOW))

    def _extended(self, found: Result, added: Result, keyed: dict[str, Result]) -> Result:
        result: Result = {}
        for value, strategy in found.items():
            if isinstance(value, RecordValue):
                parts = dict(value.parts)
                for key, values in keyed.items():
                    parts[key] = tuple(dict.fromkeys((*parts.get(key, ()), *plain(values))))
                if added:
                    parts[""] = plain(added)
                result[value._replace(parts=tuple(parts.items()))] = strategy
            elif isinstance(value, ExternalInstance) and self._is_container(value):
                more = dict(added)
                for values in keyed.values():
                    merge(more, values)
                *rest, last = value.arguments or ((),)
                grown = tuple(dict.fromkeys((*last, *plain(more))))
                result[value._replace(arguments=(*rest, grown))] = strategy
            else:
                result[value] = strategy
        return result

    def _is_container(self, value: Value) -> bool:
        if isinstance(value, ExternalInstance):
            return value.name in self._evaluation.language.containers
        return isinstance(value, RecordValue)

    def _is_bound_in(self, file: SourceFile, number: int, binding: Binding) -> bool:
        name = file.expressions[number].name
        for scope in file.around(file.code.scope_of[number]):
            if (scope, name) in file.bindings:
                return scope == binding.scope
        return False

    def _additions(self, file: SourceFile) -> dict[Key, list[_Addition]]:
        """The places of a file that add to a container, by the name or member that holds it."""
        found: dict[Key, list[_Addition]] = defaultdict(list)
        language = self._evaluation.language
        for method in (*language.adding, *language.extending):
            for number in file.calls.get(method, ()):
                member = file.expressions[file.expressions[number].of]
                if member.op != Op.MEMBER or member.of == NONE:
                    continue
                holder = self._holding(file, member.of)
                target = member.of if holder == NONE else holder
                item = file.expressions[target]
                row = _Addition(method, number, target, is_inner=holder != NONE)
                found[item.op, item.name].append(row)
        for store in file.code.stores:
            place = file.expressions[store.target]
            if place.op == Op.INDEX and place.of != NONE:
                item = file.expressions[place.of]
                row = _Addition("", store.value, place.of, key=place.name)
                found[item.op, item.name].append(row)
        return dict(found)

    def _holding(self, file: SourceFile, number: int) -> int:
        """The container of an item: `c` of `c[k]`, or of a call that stores a value."""
        item = file.expressions[number]
        if item.op == Op.INDEX:
            return item.of
        called = file.expressions[item.of] if item.op == Op.CALL and item.of != NONE else item
        is_default = (
            called.op == Op.MEMBER and called.name == self._evaluation.language.value_or_stored
        )
        return called.of if is_default else NONE
