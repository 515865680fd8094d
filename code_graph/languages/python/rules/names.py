"""Names in Python: classes bind what is below them, decorators and types say what a name holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.evaluate.names import VALUED, NameLookup
from code_graph.evaluate.source_file import SourceFile, Way
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    Value,
)
from code_graph.expressions import NONE, Binding, BindingKind, ScopeKind
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

# types of which any value may be
_OPEN: Final = frozenset({"typing.Any", "typing.Callable", "builtins.object"})
_WRITING: Final = frozenset({"setter", "deleter"})


class PythonNames(NameLookup):
    """Looks names up in the scopes of files."""

    _evaluation: PythonEvaluation

    def way_at(self, file: SourceFile, scope: int, name: str, at: int) -> Way:
        """The path for an expression: what a class binds below it means what is around the class.

        So it is in the interpreter, and where annotations are read later nearly always.
        """
        way = file.ways.get((scope, name)) or self.way(file, scope, name)
        if not way.is_of_class or file.bindings[way.holder, name][0].at <= at:
            return way
        outer = self.way(file, file.parent(way.holder), name)
        if outer.holder == NONE and not self._evaluation.language.undeclared(file, name):
            return way
        return outer._replace(
            is_crossing=True,
            dependencies=(*way.dependencies, *outer.dependencies),
            is_of_class=False,
        )

    def in_class(self, file: SourceFile, scope: int, name: str) -> Result:
        """The bindings of a name by the body of a class; of properties, what reads them."""
        found = super().in_class(file, scope, name)
        if not any(self._writes(value) for value in found):
            return found
        getter: Result = {}
        for binding in reversed(file.bindings[scope, name]):
            if not getter and binding.kind == BindingKind.DECLARED:
                values = self.value_of(file, binding)
                getter = {value: how for value, how in values.items() if not self._writes(value)}
        return getter

    def _writes(self, value: Value) -> bool:
        """True for the part of a property that sets or deletes it."""
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return False
        return not _WRITING.isdisjoint(self._evaluation.calls.kinds(file, value.scope))

    def value_of(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a binding, of which its type says more where there is one."""
        is_typed = binding.annotation != NONE and binding.kind in VALUED
        typed = self._evaluation.instances(file, binding.annotation) if is_typed else {}
        return self._assigned(file, binding, typed) if typed else super().value_of(file, binding)

    def _assigned(self, file: SourceFile, binding: Binding, typed: Result) -> Result:
        """A variable with a type: what it is assigned, where that says more than the type does."""
        says_nothing = all(map(_is_open, typed))
        is_local = file.kind(binding.scope) == ScopeKind.FUNCTION and not any(
            isinstance(value, Instance) and value.arguments for value in typed
        )
        if binding.value == NONE or not (says_nothing or is_local):
            return typed
        classes = self._evaluation.classes
        found: Result = {
            value: max(how, Strategy.DECLARED)
            for value, how in self._evaluation.evaluate(file, binding.value).items()
            if (says_nothing and isinstance(value, FunctionValue | ClassValue | Instance))
            or (
                isinstance(value, Instance)
                and any(classes.is_subclass(value, other) for other in typed)
            )
        }
        return found or typed

    def declared(self, file: SourceFile, declaration: int) -> Result:
        """A declaration as a value: a function or class as its decorators leave it."""
        found = super().declared(file, declaration)
        return self._evaluation.calls.decorated(file, declaration, found)


def _is_open(value: Value) -> bool:
    return isinstance(value, ExternalInstance) and value.name in _OPEN
