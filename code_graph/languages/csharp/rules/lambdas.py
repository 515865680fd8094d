"""Anonymous functions of C# as arguments: their parameters and results for a delegate type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from code_graph.declared.conversions import CONVERTED, MAYBE, NO, SAME
from code_graph.declared.overloads import bodies
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import substitute_all
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    Value,
    Values,
    merge,
    plain,
)
from code_graph.expressions import NONE, Op
from code_graph.languages.csharp.rules import library as known
from code_graph.languages.csharp.rules.containers import awaited
from code_graph.languages.csharp.rules.conversions import CSharpConversions
from code_graph.languages.csharp.rules.usings import LANGUAGE
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_MOST_STEPS: Final = 40
_MOST_EXPRESSIONS: Final = 400
_MOST_ARGUMENTS: Final = 20
# what a type parameter stands for that is not inferred
_OPEN: Final = ExternalInstance("")
_ASKING: Final = frozenset({Op.MEMBER, Op.INDEX})
_TASKS: Final = frozenset({"Task", "ValueTask"})
# external methods that give nothing
_VOID: Final = frozenset({"Add", "AddRange", "Clear", "WriteLine", "Write", "Dispose", "Sleep"})
# the parameters of an anonymous function, by their names
Given = Mapping[str, Values]


class Body(NamedTuple):
    """The words of the BODY of an anonymous function."""

    # value, nothing, never, step, call
    gives: str
    is_async: bool
    # true if it has no list of parameters
    takes_any: bool


_MODES: Final = frozenset({"async", "any"})
_UNKNOWN: Final = Body("call", False, False)  # noqa: FBT003 a row


class Lambdas:
    """Compares anonymous functions with the types of functions."""

    def __init__(self, evaluation: DeclaredEvaluation, conversions: CSharpConversions) -> None:
        self._evaluation = evaluation
        self._conversions = conversions

    def body(self, file: SourceFile, number: int) -> Body:
        """The words that the code of a file has for a function."""
        words = file.cached("bodies of functions", bodies).get(number)
        if words is None:
            return _UNKNOWN
        gives = min(words - _MODES, default="call")
        return Body(gives, "async" in words, "any" in words)

    def converts(self, file: SourceFile, number: int, declared: Value) -> int:
        """The conversion from an anonymous function to the type of a parameter."""
        typed = self._evaluation.calls.function_type(declared)
        if typed is None:
            known = self._conversions.is_known((declared,))
            return NO if known else MAYBE
        given, result = typed
        scope = file.expressions[number].of
        rows = file.parameters.get(scope, ())
        body = self.body(file, number)
        if not body.takes_any and len(rows) != len(given):
            return NO
        found = CONVERTED
        for row, types in zip(rows, given, strict=False):
            if row.annotation != NONE and types:
                mine = self._evaluation.types.instances(file, row.annotation)
                fits = self._conversions.best(mine, types)
                found = min(found, CONVERTED if fits == SAME else MAYBE if fits == MAYBE else NO)
        if found and any(
            types and not self._has(types, name)
            for name, types in zip((row.name for row in rows), given, strict=False)
            for name in self.asked(file, number).get(name, ())
        ):
            return NO
        return min(found, self._gives(file, number, body, given, result)) if found else NO

    def asked(self, file: SourceFile, number: int) -> dict[str, list[str]]:
        """The members that a function asks of each of its parameters; "this" for an index."""
        made: dict[int, dict[str, list[str]]] = file.cached("members of parameters", _no_members)
        found = made.get(number)
        if found is None:
            found = made[number] = {}
            scope = file.expressions[number].of
            names = {row.name for row in file.parameters.get(scope, ())}
            for at in range(number - 1, max(number - _MOST_EXPRESSIONS, 0), -1):
                if file.code.scope_of[at] < scope:
                    break
                item = file.expressions[at]
                of = file.expressions[item.of] if item.of != NONE and item.op in _ASKING else None
                if of is not None and of.op == Op.NAME and of.name in names:
                    name = item.name if item.op == Op.MEMBER else "this"
                    found.setdefault(of.name, []).append(name)
        return found

    def _has(self, types: Values, name: str) -> bool:
        """True if an object of one of these types may have a member."""
        return any(self._may_have(value, name) for value in types)

    def _may_have(self, value: Value, name: str) -> bool:
        if isinstance(value, ExternalInstance):
            return name in known.MEMBERS.get(value.name, (name,))
        if not isinstance(value, Instance) or name in known.OF_OBJECTS:
            return True
        if self._evaluation.classes.members(value, name):
            return True
        return any(self._evaluation.types.declaring(LANGUAGE, name))

    def _gives(  # noqa: PLR0911 one for each kind of body
        self,
        file: SourceFile,
        number: int,
        body: Body,
        given: tuple[Values, ...],
        result: Values,
    ) -> int:
        """The conversion of the result of a body to the result of a delegate type."""
        if body.gives == "never":
            return CONVERTED
        if body.is_async:
            tasks = [one for one in result if getattr(one, "name", "") in _TASKS]
            if result and not tasks:
                return NO if self._conversions.is_known(result) else MAYBE
            result = tuple(v for one in tasks for v in awaited(one))
            if not result or result == tuple(tasks):
                return NO if body.gives == "value" and tasks else CONVERTED
        is_void = not result
        if body.gives == "nothing":
            return CONVERTED if is_void else NO
        if body.gives == "value" and is_void:
            return NO
        if body.gives == "step" and is_void:
            return CONVERTED
        found = self.result(file, number, given)
        if found is None:
            return MAYBE
        if is_void:
            return CONVERTED
        if not found:
            return NO  # what it calls gives nothing
        return min(CONVERTED, self._conversions.best(found, result))

    def result(
        self, file: SourceFile, number: int, given: tuple[Values, ...]
    ) -> tuple[Value, ...] | None:
        """The values of a function for types of its parameters; None if unknown, () for nothing."""
        scope = file.expressions[number].of
        rows = file.parameters.get(scope, ())
        names = {row.name: types for row, types in zip(rows, given, strict=False)}
        for name in file.names_in.get(scope, ()) if rows else ():
            names.setdefault(name, ())  # a variable may come from a parameter
        found: list[Value] = []
        for item in file.results.get(scope, ()):
            values = self._evaluate(file, item.value, names)
            if values is None:
                return None
            found += values
        if not found and self.body(file, number).gives != "call":
            return None
        return tuple(found) if found or file.results.get(scope) else None

    def _evaluate(self, file: SourceFile, number: int, names: Given) -> Values | None:
        """The values of an expression in a function whose parameters have these types."""
        if not self._mentions(file, number, names):
            return self._known(file, number)
        item = file.expressions[number]
        if item.op == Op.NAME:
            return names[item.name] or None
        if item.op == Op.AWAIT:
            values = self._evaluate(file, item.of, names)
            rows = [v for one in values or () for v in awaited(one)]
            return tuple(rows) or None
        if item.op == Op.MEMBER:
            return self._member(file, number, names) or None
        if item.op == Op.CALL and item.of != NONE:
            return self._called(file, number, names)
        return None

    def _known(self, file: SourceFile, number: int) -> Values | None:
        """The values of an expression that asks nothing of parameters."""
        item = file.expressions[number]
        if item.op == Op.CALL:
            callees = self._evaluation.callees(file, number)
            if callees and all(self._is_void(value) for value in callees):
                return ()
        values = plain(self._evaluation.evaluate(file, number))
        return values if self._conversions.is_known(values) else None

    def _is_void(self, value: Value) -> bool:
        if isinstance(value, ExternalInstance) and value.name == CALLABLE:
            return bool(value.arguments) and not value.arguments[-1]
        if isinstance(value, External):
            return value.name.rpartition(".")[2] in _VOID
        return isinstance(value, FunctionValue) and self._evaluation.calls.is_void(value)

    def _member(self, file: SourceFile, number: int, names: Given) -> Values:
        """The values of a member of an expression."""
        item = file.expressions[number]
        found: Result = {}
        for value in (self._evaluate(file, item.of, names) or ()) if item.of != NONE else ():
            members = self._evaluation.names.member_of(file, number, value, item.name)
            merge(found, self._evaluation.names.values(members))
        return plain(found)

    def _called(self, file: SourceFile, number: int, names: Given) -> Values | None:
        """The values of a call, some arguments of which may be parameters; None if unknown."""
        item = file.expressions[number]
        if not self._mentions(file, item.of, names):
            functions = plain(self._evaluation.evaluate(file, item.of))
        elif file.expressions[item.of].op == Op.MEMBER:
            functions = self._member(file, item.of, names)
        else:
            return None
        if len(functions) > 1:
            functions = tuple(v for v in functions if self._takes(file, number, v, names))
        if functions and all(map(self._is_void, functions)):
            return ()
        found: list[Value] = []
        for value in functions:
            typed = self._evaluation.calls.function_type(value)
            if typed is None or self._is_void(value):
                return None
            found += typed[1]
        return tuple(found) if self._conversions.is_known(tuple(found)) else None

    def _takes(self, file: SourceFile, number: int, value: Value, names: Given) -> bool:
        """True if a function may take the arguments of a call."""
        if not isinstance(value, FunctionValue):
            return True
        calls = self._evaluation.calls
        item = file.expressions[number]
        matches = calls.overloads.matched(value, item.items)
        if matches is None:
            return False
        open_: dict[str, Values] = dict.fromkeys(calls.type_parameters(value), (_OPEN,))
        if open_ and not matches and file.expressions[item.of].op != Op.APPLY:
            return False  # nothing says its type arguments
        for match in matches if len(names) < _MOST_ARGUMENTS else ():
            at = item.items[match.position].value
            given = self._evaluate(file, at, names) if at != NONE else None
            types = substitute_all(plain(calls.parameter_type(value, match.parameter)), open_)
            if given and types and self._conversions.best(given, types) == NO:
                return False
        return True

    def _mentions(self, file: SourceFile, number: int, names: Given) -> bool:
        """True if a parameter is named in an expression."""
        left, steps = [number], 0
        while left and steps < _MOST_STEPS:
            at = left.pop()
            if at == NONE:
                continue
            steps += 1
            item = file.expressions[at]
            if item.op == Op.NAME and item.name in names:
                return True
            if item.op == Op.FUNCTION:
                return bool(names)  # what it takes may depend on them
            left.append(item.of)
            left += [part.value for part in item.items]
        return bool(left)


def _no_members(_: SourceFile) -> dict[int, dict[str, list[str]]]:
    return {}
