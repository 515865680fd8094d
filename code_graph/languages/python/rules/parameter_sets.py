"""The sets of arguments that `pytest.mark.parametrize` gives to the parameters of a test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Argument, Binding, BindingKind, Expression, Op, Role

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

_MARK: Final = "parametrize"
# an argument, or a row of them, with marks and a name of its own
_ROW: Final = "param"
_LITERAL: Final = frozenset({Op.LIST, Op.TUPLE, Op.SET})
_OF_MARK: Final = 2
_OWN: Final = frozenset({"self", "cls"})
_MOST: Final = 60
_DEEPEST: Final = 3


def given_arguments(file: SourceFile, binding: Binding) -> list[int]:
    """The expressions that the marks of a test give to one of its parameters."""
    declaration = file.code.scopes[binding.scope].declaration
    found: list[int] = []
    for clause in file.clauses.get(declaration, ()) if declaration != NONE else ():
        if clause.role == Role.DECORATOR and clause.value != NONE:
            found += _given(file, clause.value, binding.name)
    return found[:_MOST]


def spread_arguments(file: SourceFile, binding: Binding) -> list[tuple[int, int]]:
    """The lists, named and not written in the mark, that give arguments to a parameter of a test.

    With each stands the place of the argument in a row, or NONE where a row is the argument.
    """
    declaration = file.code.scopes[binding.scope].declaration
    found: list[tuple[int, int]] = []
    for clause in file.clauses.get(declaration, ()) if declaration != NONE else ():
        if clause.role != Role.DECORATOR or clause.value == NONE:
            continue
        item = file.expressions[clause.value]
        if not _is_mark(file, item):
            continue
        names, rows = _names(file, item.items[0].value), item.items[1].value
        if binding.name in names and rows != NONE and not _items(file, rows):
            found.append((rows, names.index(binding.name) if len(names) > 1 else NONE))
    return found


def texts_of(
    evaluation: PythonEvaluation, file: SourceFile, number: int, depth: int = 0
) -> list[str]:
    """The texts that an expression may be, where all that it may be is written beside it."""
    if number == NONE or depth > _DEEPEST:
        return []
    item = file.expressions[number]
    if item.op == Op.TEXT:
        return [item.name]
    parts: list[int] = []
    if item.op == Op.EITHER:
        parts = [part.value for part in item.items]
    elif item.op == Op.ELEMENT:
        parts = [part.value for part in _items(file, item.of)]
    elif item.op == Op.MEMBER and item.of != NONE and file.expressions[item.of].name in _OWN:
        owner = file.class_around(file.code.scope_of[number])
        rows = file.bindings.get((owner, item.name), ())
        parts = [row.value for row in rows if row.kind == BindingKind.ASSIGNED]
    elif item.op == Op.NAME:
        scope = file.code.scope_of[number]
        way = evaluation.names.way(file, scope, item.name)
        for binding in file.bindings.get((way.holder, item.name), ()):
            if binding.kind == BindingKind.ASSIGNED:
                parts.append(binding.value)
            else:
                parts += given_arguments(file, binding)
    found = (text for part in parts for text in texts_of(evaluation, file, part, depth + 1))
    return [*dict.fromkeys(found)][:_MOST]


def _given(file: SourceFile, mark: int, name: str) -> Iterator[int]:
    item = file.expressions[mark]
    if not _is_mark(file, item):
        return
    names = _names(file, item.items[0].value)
    if name not in names:
        return
    at = names.index(name)
    for row in _items(file, item.items[1].value):
        if len(names) == 1:
            yield from [part.value for part in _marked(file, row.value)][:1]
        else:
            parts = _marked(file, row.value)
            if len(parts) == 1:
                parts = [*_items(file, parts[0].value)]
            yield from (part.value for part in parts[at : at + 1])


def _is_mark(file: SourceFile, item: Expression) -> bool:
    is_named = item.op == Op.CALL and item.of != NONE and file.last_name(item.of) == _MARK
    return is_named and len(item.items) >= _OF_MARK


def _names(file: SourceFile, number: int) -> list[str]:
    """The names in `"a, b"` or `("a", "b")`."""
    if number == NONE:
        return []
    item = file.expressions[number]
    texts = (
        [item]
        if item.op == Op.TEXT
        else [file.expressions[part.value] for part in _items(file, number) if part.value != NONE]
    )
    return [name.strip() for text in texts for name in text.name.split(",")]


def _items(file: SourceFile, number: int) -> tuple[Argument, ...]:
    """The items of a literal, or of one that a name of the module stands for."""
    item = file.expressions[number] if number != NONE else None
    if item is not None and item.op == Op.NAME:
        rows = file.bindings.get((0, item.name)) or []
        is_literal = len(rows) == 1 and rows[0].kind == BindingKind.ASSIGNED
        item = file.expressions[rows[0].value] if is_literal and rows[0].value != NONE else None
    return item.items if item is not None and item.op in _LITERAL else ()


def _marked(file: SourceFile, number: int) -> list[Argument]:
    """The arguments of `pytest.param(a, b)`; anything else is one."""
    item = file.expressions[number] if number != NONE else None
    if item is not None and item.op == Op.CALL and file.last_name(item.of) == _ROW:
        return [part for part in item.items if not part.name]
    return [Argument(number)] if number != NONE else []
