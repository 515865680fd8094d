"""What Python's assignments bind: a declaration the first time, a write from then on.

Variables of modules and classes are declarations, once for each branch they are set in; of an
object's own variables the first assignment of its class. Variables of functions are none, unless
what they name is a `lambda`.
"""

from __future__ import annotations

import ast
from typing import Any

from repo_mcp.languages.python.declarations import (
    DeclarationBuilder,
    is_type_alias,
    kind_of_variable,
)
from repo_mcp.languages.python.scopes import CLASS, FUNCTION, MODULE, Block
from repo_mcp.languages.python.uses import WRITE, Uses


class AssignmentWalker:
    """Takes the assignments of a file."""

    def __init__(self, declared: DeclarationBuilder, uses: Uses) -> None:
        """Remember where to put what is found."""
        self.declared = declared
        self.uses = uses
        self._variables: set[tuple[int, str, str]] = set()

    def plainly(self, node: ast.Assign, block: Block) -> None:
        """Take `x = y`."""
        self._use(block, node.value)
        for target in node.targets:
            self._bound(target, node, block, None)
            if isinstance(target, ast.Name) and target.id == "__all__":
                self._export(node.value, block)

    def with_annotation(self, node: ast.AnnAssign, block: Block) -> None:
        """Take `x: t` or `x: t = y`."""
        self.uses.types(node.annotation, block.owner, block.scope)
        self._use(block, node.value)
        self._bound(node.target, node, block, node.annotation)

    def again(self, node: ast.AugAssign, block: Block) -> None:
        """Take `x += y`: it declares nothing."""
        self._use(block, node.value)
        target = node.target
        if isinstance(target, ast.Name):
            scope, name = block.scope, target.id
            if scope.kind == FUNCTION and name not in scope.outside:
                scope.bound.add(name)
            else:
                use = (name, "", WRITE, target.lineno, target.col_offset, block.owner, name)
                scope.uses.append(use)
        else:
            self._use(block, target)

    def to_type(self, node: Any, block: Block) -> None:  # noqa: ANN401 not there before 3.12
        """Take `type x = y`."""
        self.uses.types(node.value, block.owner, block.scope)
        if block.scope.kind == FUNCTION:
            block.scope.bound.add(node.name.id)
        else:
            self.declared.type_alias(node.name, node, block, node.value)
            block.scope.known.add(node.name.id)

    def _bound(
        self, target: ast.expr, node: ast.stmt, block: Block, annotation: ast.expr | None
    ) -> None:
        """What an assignment binds: a declaration the first time, a write from then on."""
        targets: list[ast.expr] = [target]
        while targets:
            target = targets.pop()
            if isinstance(target, ast.Name):
                self._bound_name(target, node, block, annotation)
            elif isinstance(target, ast.Attribute):
                if not self._bound_field(target, node, block, annotation):
                    self._use(block, target)
            elif isinstance(target, ast.Tuple | ast.List):
                targets += reversed(target.elts)
            elif isinstance(target, ast.Starred):
                targets.append(target.value)
            else:
                self._use(block, target)

    def _bound_name(
        self, target: ast.Name, node: ast.stmt, block: Block, annotation: ast.expr | None
    ) -> None:
        name, scope = target.id, block.scope
        value = getattr(node, "value", None)
        if scope.kind == FUNCTION and (name in scope.outside or not isinstance(value, ast.Lambda)):
            self.uses.stored(target, block.owner, scope)
            return
        key = (block.owner, name, block.context)
        if key in self._variables:
            use = (name, "", WRITE, target.lineno, target.col_offset, block.owner, name)
            scope.uses.append(use)
        elif name != "__all__":
            self._variables.add(key)
            if isinstance(value, ast.Lambda):
                self.declared.lambda_function(target, node, value, block)
            else:
                is_type = annotation is not None and is_type_alias(annotation)
                kind = "type" if is_type else kind_of_variable(name, scope.kind)
                self.declared.variable(target, node, kind, block, annotation)
            scope.known.add(name)
            if scope.kind == CLASS and block.around is not None:
                block.around.fields.add(name)

    def _bound_field(
        self, target: ast.Attribute, node: ast.stmt, block: Block, annotation: ast.expr | None
    ) -> bool:
        """Take `self.x = …` in a method unless the class is known to have it."""
        around, value = block.around, target.value
        if around is None or block.scope.kind != FUNCTION:
            return False
        is_own = isinstance(value, ast.Name) and value.id == block.scope.receiver
        if not is_own or target.attr in around.fields:
            return False
        around.fields.add(target.attr)
        self.declared.field(target, node, around.number, block, annotation)
        return True

    def _export(self, value: ast.expr, block: Block) -> None:
        if block.scope.kind == MODULE and isinstance(value, ast.List | ast.Tuple):
            names = (item.value for item in value.elts if isinstance(item, ast.Constant))
            self.declared.exported |= {name for name in names if isinstance(name, str)}

    def _use(self, block: Block, *nodes: ast.AST | None) -> None:
        self.uses.expressions(nodes, block.owner, block.scope)
