"""Guesses the type of an unknown receiver by other values of its name in the same file.

A parameter `db` of one function is likely what `db` is elsewhere in the file, and one named as
a class that the file knows, in small letters, an object of that. Only objects of the repository
count, of few classes, and only those that have the member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile, grouped
from code_graph.evaluate.values import ClassValue, FunctionValue, Instance, Result, merge
from code_graph.expressions import NONE, Binding, BindingKind, Op
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.evaluate.evaluation import Evaluation

_MOST_BINDINGS: Final = 12
_MOST_CLASSES: Final = 2
_DEEPEST: Final = 4
_NAMING: Final = frozenset({BindingKind.DECLARED, BindingKind.IMPORTED})
_HOLDING: Final = frozenset({BindingKind.ASSIGNED, BindingKind.PARAMETER, BindingKind.KEYWORD_ONLY})


class AlikeReceivers:
    """Finds the methods that a call of an unknown receiver is likely to reach."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def callees(self, file: SourceFile, number: int) -> Result:
        """The methods of the name that objects of the receiver's name have."""
        item = file.expressions[number]
        named = file.expressions[item.of] if item.of != NONE else item
        found: Result = {}
        if named.op != Op.MEMBER or named.of == NONE:
            return found
        for value in self._values(file, named.of, 0):
            members = self._evaluation.member(value, named.name)
            functions = {each: how for each, how in members.items() if _is_function(each)}
            merge(found, functions, Strategy.ALIKE)
        return found

    def _values(self, file: SourceFile, number: int, depth: int) -> Result:
        """The likely objects of an expression that has no known ones."""
        item = file.expressions[number]
        found: Result = {}
        if depth > _DEEPEST or self._evaluation.evaluate(file, number):
            return found
        if item.op == Op.NAME:
            return self._named(file, number)
        if item.of == NONE or item.op not in {Op.MEMBER, Op.INDEX, Op.CALL}:
            return found
        of = item.of
        if item.op == Op.CALL:
            called = self._called(file, of, depth)
            return self._evaluation.calls.call(file, number, called, item.items)
        for value in self._values(file, of, depth + 1):
            if item.op == Op.MEMBER:
                merge(found, self._evaluation.member(value, item.name))
            elif isinstance(value, Instance):
                merge(found, self._evaluation.item_of(value, item))
        return found

    def _called(self, file: SourceFile, number: int, depth: int) -> Result:
        """The likely functions of a called member."""
        item = file.expressions[number]
        found: Result = {}
        if item.op == Op.MEMBER and item.of != NONE:
            for value in self._values(file, item.of, depth + 1):
                merge(found, self._evaluation.member(value, item.name))
        return found

    def _named(self, file: SourceFile, number: int) -> Result:
        """The objects that other bindings of a name hold, or of the class that it is named as."""
        name = file.expressions[number].name
        own = self._evaluation.names.way(file, file.code.scope_of[number], name).holder
        found: Result = {}
        for row in file.cached("alike names", _holding).get(name, ())[:_MOST_BINDINGS]:
            if row.scope != own:
                merge(found, self._evaluation.names.bound(file, row))
        objects: Result = {
            value: how for value, how in found.items() if isinstance(value, Instance)
        }
        for row in () if objects else file.cached("alike classes", _classes).get(_key(name), ()):
            for value in self._evaluation.names.bound(file, row):
                if isinstance(value, ClassValue):
                    objects[Instance(value.path, value.scope)] = Strategy.ALIKE
        few = len({value[:2] for value in objects}) <= _MOST_CLASSES
        return objects if few else {}


def _is_function(value: object) -> bool:
    return isinstance(value, FunctionValue)


def _key(name: str) -> str:
    return name.replace("_", "").lower()


def _holding(file: SourceFile) -> dict[str, list[Binding]]:
    """The bindings of variables and parameters by name."""
    return grouped((row.name, row) for row in file.code.bindings if row.kind in _HOLDING)


def _classes(file: SourceFile) -> dict[str, list[Binding]]:
    """The classes that a module may declare or import, by their names in small letters."""
    rows = (row for row in file.code.bindings if row.scope == 0 and row.kind in _NAMING)
    return grouped((_key(row.name), row) for row in rows if row.name[:1].isupper())
