"""Results that are the receiver of a method, or made of its class: `return self`, `return cls(…)`.

A method that a class inherits gives objects of that class. So does what it keeps in a variable
first, and what another method of the receiver gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, FunctionValue, Instance, Result, merge
from code_graph.expressions import NONE, BindingKind, Expression, Op
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

# assignments between a result and the receiver, and bindings of each name
_DEEPEST: Final = 4
_MOST_BINDINGS: Final = 8


class OwnResults:
    """Follows the results of one method back to its receiver."""

    def __init__(
        self, evaluation: PythonEvaluation, file: SourceFile, method: FunctionValue
    ) -> None:
        self._evaluation = evaluation
        self._file = file
        self._scope = method.scope
        self._receiver = method.receiver
        rows = file.parameters.get(method.scope)
        self._first = rows[0].name if rows and method.receiver is not None else ""

    def of(self, number: int, depth: int = 0) -> Result:
        """The values of an expression that are the receiver's or of its class; else nothing."""
        if not self._first or number == NONE or depth > _DEEPEST:
            return {}
        item = self._file.expressions[number]
        if item.op == Op.NAME:
            return self._of_name(item, depth)
        if item.op != Op.CALL or item.of == NONE:
            return {}
        called = self._file.expressions[item.of]
        if called.op == Op.NAME:
            return self._of_function(item, called)
        if called.op == Op.MEMBER:
            return self._of_member(item, called)
        return self._constructed(self.of(item.of, depth + 1))  # `type(self)(…)`

    def _of_name(self, item: Expression, depth: int) -> Result:
        if item.name == self._first and self._receiver is not None:
            return {self._receiver: Strategy.RECEIVER}
        found: Result = {}
        is_own = False
        for row in self._file.bindings.get((self._scope, item.name), ())[:_MOST_BINDINGS]:
            if row.value == NONE or row.kind != BindingKind.ASSIGNED:
                return {}
            own = self.of(row.value, depth + 1)
            is_own = is_own or bool(own)
            merge(found, own or self._evaluation.evaluate(self._file, row.value))
        return found if is_own else {}

    def _of_function(self, item: Expression, called: Expression) -> Result:
        """`cls(…)`, and `type(self)`, which is a class."""
        owner = self._receiver
        if called.name == self._first and isinstance(owner, ClassValue):
            return self._constructed({owner: Strategy.FLOW})
        is_type = called.name == "type" and len(item.items) == 1
        if is_type and isinstance(owner, Instance) and self._is_receiver(item.items[0].value):
            return {ClassValue(owner.path, owner.scope, owner.arguments): Strategy.FLOW}
        return {}

    def _of_member(self, item: Expression, called: Expression) -> Result:
        """`cls.other(…)`, `self.__class__(…)` and `object.__new__(cls)`."""
        owner = self._receiver
        is_new = called.name == "__new__" and bool(item.items)
        if is_new and isinstance(owner, ClassValue) and self._is_receiver(item.items[0].value):
            return {Instance(owner.path, owner.scope, owner.arguments): Strategy.FLOW}
        if owner is None or not self._is_receiver(called.of):
            return {}
        if called.name == "__class__" and isinstance(owner, Instance):
            made = ClassValue(owner.path, owner.scope, owner.arguments)
            return self._constructed({made: Strategy.FLOW})
        found: Result = {}
        for member in self._evaluation.member(owner, called.name):
            if isinstance(member, FunctionValue) and member.receiver is not None:
                merge(found, self._evaluation.calls.result(member))
        return found

    def _constructed(self, classes: Result) -> Result:
        found: Result = {}
        for value in classes:
            if isinstance(value, ClassValue):
                merge(found, self._evaluation.calls.construct(self._file, value))
        return found

    def _is_receiver(self, number: int) -> bool:
        item = self._file.expressions[number] if number != NONE else None
        return item is not None and item.op == Op.NAME and item.name == self._first
