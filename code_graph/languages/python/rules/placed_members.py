"""Members that an object of a class puts in its own place when the class is made.

Django calls `contribute_to_class(cls, name)` of what the body of a model holds. Such an object may
store a descriptor under its own name: `setattr(cls, name, Descriptor(…))`. It is what code that
reads the member gets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import FunctionValue, Instance, Result, merge
from code_graph.expressions import NONE, Op
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

_HOOK: Final = "contribute_to_class"
_SETTING: Final = "setattr"
_OF_SETTING: Final = 3
_READING: Final = "__get__"


class PlacedMembers:
    """Finds the descriptors that objects of classes put in their places."""

    def __init__(self, evaluation: PythonEvaluation) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation

    def of(self, value: Instance) -> Result:
        """The descriptors that stand where a class holds this object."""
        key = ("placed", value.path, value.scope)
        return self._evaluation.engine.unit(key, lambda: self._find(value))

    def _find(self, value: Instance) -> Result:
        found: Result = {}
        classes = self._evaluation.classes
        plain = Instance(value.path, value.scope)
        members = classes.member_of_instance(plain, _HOOK)
        if not any(isinstance(member, FunctionValue) for member in members):
            return found
        for base in classes.ancestors(value.path, value.scope):
            file = self._evaluation.file(base.path) if base.path else None
            if file is not None:
                merge(found, self._set_in(file, base.scope))
        return found

    def _set_in(self, file: SourceFile, scope: int) -> Result:
        """The descriptors that methods of a class store under names which they do not write."""
        found: Result = {}
        for number in file.calls.get(_SETTING, ()):
            items = file.expressions[number].items
            if file.class_around(file.code.scope_of[number]) != scope or len(items) != _OF_SETTING:
                continue
            name, made = items[1].value, items[2].value
            if NONE in {name, made} or file.expressions[name].op == Op.TEXT:
                continue
            for value in self._evaluation.evaluate(file, made):
                if isinstance(value, Instance) and self._is_descriptor(value):
                    found[value] = Strategy.FLOW
        return found

    def _is_descriptor(self, value: Instance) -> bool:
        members = self._evaluation.classes.member_of_instance(value, _READING)
        return any(isinstance(member, FunctionValue) for member in members)
