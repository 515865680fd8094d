"""Finds where a Python file names what it declares, without recursion, so that any depth works."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import Any, Final

from code_graph.facts.model import Declaration, Use, number_names, sort_uses

# fields that hold no nodes
_NO_NODES: Final = frozenset(
    field
    for row in (
        "ctx id attr arg kind op ops conversion is_async",
        "type_comment name names module level rest tag kwd_attrs",
    )
    for field in row.split()
)
_FIELDS: Final[dict[type[ast.AST], tuple[str, ...]]] = {}


def find_uses(tree: ast.Module, declarations: Sequence[Declaration]) -> tuple[Use, ...]:
    """The lines that name a declaration elsewhere than where it is declared."""
    numbers = number_names([item.name for item in declarations])
    declared = {(item.name, item.name_line) for item in declarations}
    places = _mentions(tree, numbers, declared)
    return sort_uses({(numbers[name], line, name) for name, line in places})


def _mentions(
    tree: ast.Module, names: Collection[str], declared: Collection[tuple[str, int]]
) -> set[tuple[str, int]]:
    """Names among these with their lines, but for the places where they are bound first."""
    stack: list[Any] = [tree]
    places: set[tuple[str, int]] = set()
    fields_by_kind = _FIELDS
    while stack:
        node = stack.pop()
        kind = node.__class__
        if kind is ast.Name or kind is ast.Attribute:
            is_name = kind is ast.Name
            name = node.id if is_name else node.attr
            if name in names:
                place = name, node.end_lineno
                if node.ctx.__class__ is ast.Load or place not in declared:
                    places.add(place)
            if not is_name:
                stack.append(node.value)
        elif kind is not ast.Constant and node is not None:
            for field in fields_by_kind.get(kind) or _fields_of(kind):
                value = getattr(node, field)
                if value.__class__ is list:
                    stack += value
                elif isinstance(value, ast.AST):
                    stack.append(value)
    return places


def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that can contain nodes."""
    fields = _FIELDS[kind] = tuple(field for field in kind._fields if field not in _NO_NODES)
    return fields
