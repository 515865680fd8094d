"""Lowers type annotations: quoted ones, generics, unions and callables."""

from __future__ import annotations

import ast
from typing import Final

from code_graph.expressions import NONE, Argument, Op
from code_graph.languages.python.lower.expressions import ExpressionLowering, last_name
from code_graph.languages.python.source import REFUSALS

_LONGEST_QUOTED: Final = 500
_DEEPEST: Final = 40
_CALLABLE: Final = "Callable"
_LITERAL: Final = "Literal"
_ANNOTATED: Final = "Annotated"
# what makes a type of others, so that an assigned one is an alias
_NAMES: Final = """
Annotated Awaitable Callable ClassVar Coroutine DefaultDict Deque Dict FrozenSet Generator
Iterable Iterator List Mapping Optional Sequence Set Tuple Type Union
"""
_MAKING: Final = frozenset(_NAMES.split())


class AnnotationLowering:
    """Adds types to the code of a file."""

    def __init__(self, expressions: ExpressionLowering) -> None:
        self._expressions = expressions
        self._code = expressions.code
        expressions.typed = self.lower
        self._depth = 0

    def lower(self, node: ast.AST | None) -> int:
        """Lower a type; its number, or NONE."""
        if node is None or self._depth > _DEEPEST:
            return NONE
        self._depth += 1
        try:
            return self._lower(node)
        finally:
            self._depth -= 1

    def _lower(self, node: ast.AST) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._quoted(node, node.value)
        if isinstance(node, ast.BinOp):
            items = [Argument(self.lower(node.left)), Argument(self.lower(node.right))]
            return self._code.add(Op.EITHER, items=[item for item in items if item.value != NONE])
        if isinstance(node, ast.Subscript):
            return self._generic(node)
        if isinstance(node, ast.List | ast.Tuple):
            return self._code.add(Op.TUPLE, items=[Argument(self.lower(e)) for e in node.elts])
        if isinstance(node, ast.Starred):
            return self.lower(node.value)
        return self._expressions.lower(node)

    def _generic(self, node: ast.Subscript) -> int:
        given = node.slice
        parts = list(given.elts) if isinstance(given, ast.Tuple) else [given]
        name = last_name(node.value)
        of = self._expressions.lower(node.value)
        if name == _LITERAL:
            return of
        if name == _ANNOTATED and parts:
            found = self.lower(parts[0])
            for extra in parts[1:]:
                self._expressions.lower(extra)
            return found
        if name == _CALLABLE and len(parts) == 2 and isinstance(parts[0], ast.List):
            items = [Argument(self.lower(item)) for item in parts[0].elts]
            return self._code.add(Op.CALLABLE, self.lower(parts[1]), items=items)
        if name == _CALLABLE and len(parts) == 2:
            self.lower(parts[0])
            return self._code.add(Op.CALLABLE, self.lower(parts[1]))
        return self._code.add(Op.APPLY, of, items=[Argument(self.lower(item)) for item in parts])

    def _quoted(self, node: ast.Constant, text: str) -> int:
        """A type in quotes; the places of its names are those in the string."""
        if len(text) > _LONGEST_QUOTED or "\n" in text:
            return NONE
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except REFUSALS:
            return NONE
        begin = node.col_offset + 1 + len(text) - len(text.lstrip())
        for inner in ast.walk(tree):
            if isinstance(inner, ast.expr):
                inner.lineno = inner.end_lineno = node.lineno
                inner.col_offset += begin
                inner.end_col_offset = (inner.end_col_offset or 0) + begin
        return self.lower(tree)


def is_type(node: ast.AST) -> bool:
    """True if a name means a generic type of `typing`."""
    return last_name(node) in _MAKING
