"""Turns assignments into declarations: the first of each name.

Variables of modules and classes are declarations, once for each branch that sets them; so are
fields of objects at the first assignment in the class. Variables of functions are not, unless
their value is a `lambda`.
"""

from __future__ import annotations

import ast
from typing import Any

from code_graph.languages.python.declarations import (
    DeclarationBuilder,
    is_type_alias,
    kind_of_variable,
)
from code_graph.languages.python.scopes import CLASS, FUNCTION, MODULE, Block


class AssignmentWalker:
    """Adds the assignments of a file to its declarations."""

    def __init__(self, builder: DeclarationBuilder) -> None:
        """Add declarations to `builder`."""
        self.builder = builder
        self._variables: set[tuple[int, str, str]] = set()

    def add_assignment(self, node: ast.Assign, block: Block) -> None:
        """Add `x = y`."""
        for target in node.targets:
            self._bind(target, node, block, None)
            if isinstance(target, ast.Name) and target.id == "__all__":
                self._export(node.value, block)

    def add_annotated(self, node: ast.AnnAssign, block: Block) -> None:
        """Add `x: t` or `x: t = y`."""
        self._bind(node.target, node, block, node.annotation)

    def add_type_alias(self, node: Any, block: Block) -> None:  # noqa: ANN401 new in Python 3.12
        """Add `type x = y`."""
        if block.scope.kind != FUNCTION:
            self.builder.add_type_alias(node.name, node, block, node.value)

    def _bind(
        self, target: ast.expr, node: ast.stmt, block: Block, annotation: ast.expr | None
    ) -> None:
        """Bind a target, which declares a name the first time."""
        targets: list[ast.expr] = [target]
        while targets:
            target = targets.pop()
            if isinstance(target, ast.Name):
                self._bind_name(target, node, block, annotation)
            elif isinstance(target, ast.Attribute):
                self._bind_field(target, node, block, annotation)
            elif isinstance(target, ast.Tuple | ast.List):
                targets += reversed(target.elts)
            elif isinstance(target, ast.Starred):
                targets.append(target.value)

    def _bind_name(
        self, target: ast.Name, node: ast.stmt, block: Block, annotation: ast.expr | None
    ) -> None:
        name, scope = target.id, block.scope
        value = getattr(node, "value", None)
        if scope.kind == FUNCTION and (name in scope.outside or not isinstance(value, ast.Lambda)):
            return
        key = (block.owner, name, block.context)
        if key not in self._variables and name != "__all__":
            self._variables.add(key)
            if isinstance(value, ast.Lambda):
                self.builder.add_lambda(target, node, value, block)
            else:
                is_type = annotation is not None and is_type_alias(annotation)
                kind = "type" if is_type else kind_of_variable(name, scope.kind)
                self.builder.add_variable(target, node, kind, block, annotation)
            if scope.kind == CLASS and block.around is not None:
                block.around.fields.add(name)

    def _bind_field(
        self, target: ast.Attribute, node: ast.stmt, block: Block, annotation: ast.expr | None
    ) -> None:
        """Add `self.x = …` in a method as a field, unless the class has it already."""
        around, value = block.around, target.value
        if around is None or block.scope.kind != FUNCTION:
            return
        is_own = isinstance(value, ast.Name) and value.id == block.scope.receiver
        if is_own and target.attr not in around.fields:
            around.fields.add(target.attr)
            self.builder.add_field(target, node, around.number, block, annotation)

    def _export(self, value: ast.expr, block: Block) -> None:
        if block.scope.kind == MODULE and isinstance(value, ast.List | ast.Tuple):
            names = (item.value for item in value.elts if isinstance(item, ast.Constant))
            self.builder.exported |= {name for name in names if isinstance(name, str)}
