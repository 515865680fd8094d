"""What tests show of the types of names: `instanceof`, `typeof`, tags, predicates."""

from __future__ import annotations

from typing import Final

from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.evaluate.values import (
    CallableValue,
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Result,
    TypeVariable,
    Value,
    merge,
)
from repo_mcp.graph.model import Strategy
from repo_mcp.graph.rules.ecmascript.parts import EcmaScriptParts
from repo_mcp.graph.rules.ecmascript.types import literal_text
from repo_mcp.languages.code import NONE, Expression, Op, Role

_NOT: Final = "not"
_TRUTHS: Final = frozenset({"true", "false"})
_PREDICATES: Final = frozenset({"is", "asserts"})


class Narrowing:
    """Evaluates names where a test shows their types."""

    def __init__(self, evaluation: EcmaScriptParts) -> None:
        self._all = evaluation

    def value(self, file: SourceFile, number: int) -> Result:
        """The values of what is tested that the test lets pass."""
        item = file.expressions[number] if number != NONE else Expression(Op.OPAQUE)
        if item.op == Op.EITHER:
            found: Result = {}
            for part in item.items:
                merge(found, self.value(file, part.value))
            return found
        values = self._all.evaluate(file, item.of)
        if item.op != Op.CAST or not item.items:
            return values
        tested = item.items[0]
        test = file.expressions[tested.value]
        holds = tested.name != _NOT
        if test.op == Op.OBJECT:
            return self._tagged(file, values, test, holds=holds)
        if test.op == Op.CALLABLE and test.of == NONE:
            return {v: how for v, how in values.items() if _is_callable(v) == holds} or values
        if test.op == Op.CALL:
            shown = self._predicates(file, test)
        elif test.op == Op.LITERAL:
            shown = self._all.instances(file, tested.value)
        else:
            shown = self._all.names.as_instance(self._all.evaluate(file, tested.value))
        return self._kept(values, shown, holds=holds)

    def _kept(self, values: Result, shown: Result, *, holds: bool) -> Result:
        if not shown:
            return values
        classes = self._all.classes
        kept = {
            value: strategy
            for value, strategy in values.items()
            if any(classes.is_subclass(value, other) for other in shown) == holds
            or (not holds and isinstance(value, TypeVariable))
        }
        return kept if kept or not holds else dict(shown)

    def _tagged(self, file: SourceFile, values: Result, test: Expression, *, holds: bool) -> Result:
        part = test.items[0]
        if file.expressions[part.value].op == Op.LITERAL:
            return self._true(values, part.name, holds=holds)
        text = file.expressions[part.value].name
        found: Result = {}
        for value, strategy in values.items():
            texts = {literal_text(each) for each in self._all.member(value, part.name)}
            is_known = bool(texts) and "" not in texts
            if not is_known or (text in texts if holds else texts != {text}):
                merge(found, {value: strategy})
        return found or values

    def _true(self, values: Result, name: str, *, holds: bool) -> Result:
        """The values of which a member may be true, or may not."""
        found: Result = {}
        for value, strategy in values.items():
            texts = {literal_text(each) for each in self._all.member(value, name)}
            # of other types nobody knows whether the member is there
            if not texts <= _TRUTHS or str(holds).lower() in texts or not texts:
                merge(found, {value: strategy})
        return found or values

    def _predicates(self, file: SourceFile, call: Expression) -> Result:
        found: Result = {}
        for value in self._all.evaluate(file, call.of):
            if isinstance(value, FunctionValue | CallableValue):
                merge(found, self.predicate(value))
        return found

    def predicate(self, value: FunctionValue | CallableValue) -> Result:
        """The type that a function shows of its argument by giving true."""
        file = self._all.file(value.path)
        if file is None:
            return {}
        numbers: list[int] = []
        if isinstance(value, CallableValue):
            numbers.append(file.expressions[value.number].of)
        else:
            self._all.classes.ask_head(file, value.scope)
            declaration = file.code.scopes[value.scope].declaration
            clauses = file.clauses.get(declaration, ()) if declaration != NONE else ()
            numbers += [clause.value for clause in clauses if clause.role == Role.RESULT]
            for row in file.results.get(value.scope, ())[:1]:
                if row.value != NONE and file.expressions[row.value].op == Op.CAST:
                    numbers += [part.value for part in file.expressions[row.value].items]
        found: Result = {}
        for number in numbers:
            item = file.expressions[number] if number != NONE else Expression(Op.OPAQUE)
            while item.op == Op.OPERATOR and item.name in _PREDICATES and item.items:
                last = item.items[-1].value
                if item.name == "is":
                    merge(found, self._all.instances(file, last), Strategy.DECLARED)
                    break
                item = file.expressions[last] if last != NONE else Expression(Op.OPAQUE)
        return found


def _is_callable(value: Value) -> bool:
    if isinstance(value, ExternalInstance):
        return value.name in {"Function", "typing.Callable"}
    return isinstance(value, FunctionValue | CallableValue | ClassValue | TypeVariable)
