"""Tells objects of C++ from pointers to them, by how their variables and results are written.

Values have no pointers: `T x` and `T *x` are one type for all that looks members up. An operator
is a function only of the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
)
from code_graph.expressions import NONE, Binding, BindingKind, Op, ScopeKind
from code_graph.identity import split_parameters
from code_graph.languages.cpp.operands import ADDRESS

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_ARGUMENTS: Final = re.compile(r"<[^<>]*>")
_POINTING: Final = re.compile(r"[*\[]")
_WORD: Final = re.compile(r"\w+")
_NO_TYPES: Final = frozenset(
    """
    class const constexpr enum explicit extern friend inline mutable register static struct
    thread_local typename union virtual volatile
    """.split()  # noqa: SIM905 a list of words reads better
)
_DEEPEST: Final = 20


class Pointers:
    """The number of pointers from an expression to an object; None if that is not known."""

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        self._evaluation = evaluation

    def _operated(self, file: SourceFile, number: int) -> Result:
        """The functions that an operator calls."""
        operators = self._evaluation.implied
        return {} if operators is None else operators.at(file, number)

    def count(self, file: SourceFile, number: int, name: str, depth: int = 0) -> int | None:  # noqa: PLR0911 one for each operation
        """The pointers to an object of a type by its name; 0 for the object itself."""
        if number == NONE or depth > _DEEPEST:
            return None
        item = file.expressions[number]
        if item.op == Op.THIS:
            return 1
        if item.op == Op.NEW:
            return 0
        if item.op == Op.NAME:
            return self._of_name(file, number, name, depth)
        if item.op == Op.MEMBER:
            return self._of_declared(file, number, name)
        if item.op == Op.CALL:
            return self._of_results(self._evaluation.callees(file, number), name)
        if item.op == Op.OPERATOR:
            return self._of_operator(file, number, name, depth)
        if item.op == Op.EITHER:
            marked = item.items[0].name if len(item.items) == 1 else ""
            counts = {self.count(file, part.value, name, depth + 1) for part in item.items}
            inner = counts.pop() if len(counts) == 1 else None
            return None if inner is None else inner + len(marked)
        if item.op == Op.CAST:
            return self._of_type(file, item.items[0].value, name) if item.items else None
        if item.op in {Op.INDEX, Op.ELEMENT}:
            return self._of_element(file, number, name)
        return None

    def _of_operator(self, file: SourceFile, number: int, name: str, depth: int) -> int | None:
        """Of what a pointer leads to; an operator that a type declares says its result itself."""
        item = file.expressions[number]
        operand = item.items[0]
        if len(item.items) == 1 and item.name == "*":
            inner = self.count(file, operand.value, name, depth + 1)
            if inner is not None and inner + (operand.name == ADDRESS):
                return inner + (operand.name == ADDRESS) - 1
        return self._of_results(self._operated(file, number), name)

    def _of_results(self, functions: Result, name: str) -> int | None:
        """Of the results of functions, as these are written."""
        counts: set[int | None] = set()
        for value in functions:
            if isinstance(value, ClassValue):
                counts.add(0)
            elif isinstance(value, FunctionValue):
                file = self._evaluation.file(value.path)
                declaration = NONE if file is None else file.code.scopes[value.scope].declaration
                counts.add(self._written(value.path, declaration, name))
            else:
                counts.add(None)
        return counts.pop() if len(counts) == 1 else None

    def _of_element(self, file: SourceFile, number: int, name: str) -> int | None:
        """Of an element of a container whose type is written without a pointer."""
        item = file.expressions[number]
        values = self._evaluation.evaluate(file, item.of)
        if any(isinstance(value, Instance) for value in values):
            is_index = item.op == Op.INDEX
            return self._of_results(self._operated(file, number), name) if is_index else None
        is_held = any(isinstance(v, ExternalInstance) and v.arguments for v in values)
        texts = [*self._texts(file, item.of)] if is_held else []
        is_plain = all(name in _WORD.findall(text) for text in texts) and bool(texts)
        return 0 if is_plain and not any(map(_POINTING.search, texts)) else None

    def _of_name(self, file: SourceFile, number: int, name: str, depth: int) -> int | None:
        for scope in file.around(file.code.scope_of[number]):
            rows = file.bindings.get((scope, file.expressions[number].name), ())
            if not rows:
                continue
            if file.kind(scope) in {ScopeKind.MODULE, ScopeKind.CLASS}:
                break
            counts = {self._of_binding(file, row, name, depth) for row in rows}
            return counts.pop() if len(counts) == 1 else None
        return self._of_declared(file, number, name)

    def _of_binding(self, file: SourceFile, row: Binding, name: str, depth: int) -> int | None:
        declared = parameter_text(file, row)
        if declared:
            return _pointers_in(declared, name, row.name)
        if row.annotation == NONE:
            return self.count(file, row.value, name, depth + 1)
        if row.kind == BindingKind.PARAMETER and row.scope not in file.function_expressions:
            return None
        return self._of_type(file, row.annotation, name)

    def _of_type(self, file: SourceFile, number: int, name: str) -> int | None:
        """Of what is declared with a type as an expression, in which pointers are marked."""
        declared = file.expressions[number]
        if declared.op == Op.EITHER:
            return len(declared.items[0].name)
        return 0 if file.last_name(number) == name else None

    def _of_declared(self, file: SourceFile, number: int, name: str) -> int | None:
        counts = {
            self._written(value.path, value.declaration, name)
            for value in self._evaluation.names.resolve(file, number)
            if isinstance(value, MemberValue)
        }
        return counts.pop() if len(counts) == 1 else None

    def _written(self, path: str, declaration: int, name: str) -> int | None:
        file = self._evaluation.file(path)
        if file is None or declaration == NONE:
            return None
        self._evaluation.classes.depend_on_declaration(file, declaration)
        return _pointers_in(file.declarations[declaration].returns, name)

    def _texts(self, file: SourceFile, number: int) -> Iterator[str]:
        """The types of a variable, member or result as they are written."""
        item = file.expressions[number]
        if item.op == Op.NAME:
            for scope in file.around(file.code.scope_of[number]):
                for row in file.bindings.get((scope, item.name), ()):
                    text = parameter_text(file, row) or _type_text(file, row.annotation)
                    if text:
                        yield text
        if item.op in {Op.NAME, Op.MEMBER}:
            for value in self._evaluation.names.resolve(file, number):
                other = (
                    self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
                )
                if other is not None and isinstance(value, MemberValue):
                    self._evaluation.classes.depend_on_declaration(other, value.declaration)
                    yield other.declarations[value.declaration].returns


def spellings(operator: str) -> tuple[str, str]:
    """The names of the function of an operator: with a blank or without."""
    return f"operator{operator}", f"operator {operator}"


def parameters_of(file: SourceFile, scope: int) -> list[str]:
    """The parameters of a function as they are written."""
    declaration = file.code.scopes[scope].declaration
    return (
        [] if declaration == NONE else split_parameters(file.declarations[declaration].parameters)
    )


def points(parameter: str) -> bool:
    """True if a parameter is a pointer or an array as it is written."""
    return _POINTING.search(parameter.partition("=")[0]) is not None


def parameter_text(file: SourceFile | None, row: Binding) -> str:
    """The text of a parameter; empty for other variables and in lambdas."""
    rows = [] if file is None else file.parameters.get(row.scope, [])
    if file is None or row not in rows:
        return ""
    parts, at = parameters_of(file, row.scope), rows.index(row)
    return parts[at] if at < len(parts) else ""


def _type_text(file: SourceFile, number: int) -> str:
    """The names in the type of a variable, with a mark if there is a pointer in it."""
    words: list[str] = []
    left = [number]
    while left:
        number = left.pop()
        item = file.expressions[number] if number != NONE else None
        if item is not None and item.op != Op.FUNCTION:
            words += [item.name, *(part.name for part in item.items)]
            left += [item.of, *(part.value for part in item.items)]
    return " ".join(words)


def _pointers_in(text: str, name: str, own: str = "") -> int | None:
    """The pointers in a type as it is written, if it is that of a name; `own` is the variable's."""
    text = text.partition("=")[0]
    for _ in range(_DEEPEST):
        shorter = _ARGUMENTS.sub("", text)
        if shorter == text:
            break
        text = shorter
    count = len(_POINTING.findall(text))
    if count:
        return count
    words = [word for word in _WORD.findall(text) if word not in _NO_TYPES]
    if own and len(words) > 1 and words[-1] == own:
        words.pop()
    return 0 if words and words[-1] == name else None
