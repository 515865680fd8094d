"""Members that an object passes on to another one which it holds, as the package `delegates` does.

After `delegate(proto, "response").method("set").access("body")`, an object that is made of `proto`
has `set` and `body`, and means those of its member `response`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import body_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import CreatedValue, External, ExternalInstance, ObjectValue
from code_graph.expressions import NONE, Op

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

_PACKAGE: Final = "delegates"
_PASSING: Final = ("method", "access", "getter", "setter", "fluent")
_OF_CALL: Final = 2
_DEEPEST: Final = 3
# a chain of calls has one for each member
_LONGEST: Final = 200


class Delegates:
    """Finds the members of objects that mean members of others which they hold."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        """Nothing is looked for yet."""
        self._ecma = evaluation

    def holders(self, value: CreatedValue, name: str) -> Iterator[str]:
        """The members of an object whose member of this name it passes on."""
        for literal in self._literals(value, 0):
            file = self._ecma.file(literal.path)
            if file is None:
                continue
            rows = file.cached("delegated", _delegated).get(name, ())
            if rows:
                self._ecma.engine.depend_on(file.path, body_key(file.path, ""))
            for function, owner, holder in rows:
                if self._is_of_package(file, function) and literal in self._ecma.evaluate(
                    file, owner
                ):
                    yield holder

    def _literals(self, value: CreatedValue, depth: int) -> Iterator[ObjectValue]:
        """The literals that an object is made of."""
        file = self._ecma.file(value.path)
        for base in {} if file is None else self._ecma.evaluate(file, value.number):
            if isinstance(base, ObjectValue):
                yield base
            elif isinstance(base, CreatedValue) and depth < _DEEPEST:
                yield from self._literals(base, depth + 1)

    def _is_of_package(self, file: SourceFile, number: int) -> bool:
        return any(
            isinstance(value, External | ExternalInstance) and value.name.startswith(_PACKAGE)
            for value in self._ecma.evaluate(file, number)
        )


def _delegated(file: SourceFile) -> dict[str, list[tuple[int, int, str]]]:
    """By the members that are passed on: what is called, the object, and its member with them."""
    found: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for number in (number for name in _PASSING for number in file.calls.get(name, ())):
        items = file.expressions[number].items
        text = file.expressions[items[0].value] if items and items[0].value != NONE else None
        root = _root(file, number)
        if text is None or text.op != Op.TEXT or root == NONE:
            continue
        owner, holder = (part.value for part in file.expressions[root].items)
        if NONE not in (owner, holder) and file.expressions[holder].op == Op.TEXT:
            row = (file.expressions[root].of, owner, file.expressions[holder].name)
            found[text.name].append(row)
    return dict(found)


def _root(file: SourceFile, number: int) -> int:
    """The call that a chain of calls begins with, if it has two arguments; or NONE."""
    for _ in range(_LONGEST):
        called = file.expressions[number].of
        named = file.expressions[called] if called != NONE else None
        if named is None or named.op != Op.MEMBER or named.of == NONE:
            break
        number = named.of
        if file.expressions[number].op != Op.CALL:
            return NONE
    item = file.expressions[number]
    return number if item.of != NONE and len(item.items) == _OF_CALL else NONE
