"""Narrowing by tests of names: `isinstance`, `type(x) is T`, `not`, `and`, `or`."""

from __future__ import annotations

import ast
from typing import Final

from code_graph.expressions import NONE, Argument, BindingKind, Op
from code_graph.languages.python.lower.expressions import ExpressionLowering, path_of

# the name of a CAST's type that the value is not of
NOT: Final = "not"
_ARGUMENTS: Final = 2
_DEEPEST: Final = 20
_TESTS: Final = frozenset({"isinstance", "type"})


class Narrowing:
    """Binds names to the types that a test shows, in the current scope."""

    def __init__(self, expressions: ExpressionLowering) -> None:
        self._expressions = expressions
        self._code = expressions.code
        expressions.narrow = lambda test, holds: self.apply(test, holds=holds)
        expressions.narrows = self.shows

    def shows(self, test: ast.expr, depth: int = 0) -> bool:
        """True if a test may show types."""
        if depth > _DEEPEST:
            return False
        if isinstance(test, ast.UnaryOp):
            return self.shows(test.operand, depth + 1)
        if isinstance(test, ast.BoolOp):
            return any(self.shows(part, depth + 1) for part in test.values)
        if isinstance(test, ast.Compare):
            test = test.left
        return isinstance(test, ast.Call) and _last_name(test.func) in _TESTS

    def apply(self, test: ast.expr | None, *, holds: bool, depth: int = 0) -> None:
        """Narrow by a test that holds, or does not."""
        if test is None or depth > _DEEPEST:
            return
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.apply(test.operand, holds=not holds, depth=depth + 1)
        elif isinstance(test, ast.BoolOp):
            # of a failed `and`, or an `or` that holds, no part is certain
            if isinstance(test.op, ast.And) == holds:
                for part in test.values:
                    self.apply(part, holds=holds, depth=depth + 1)
        elif isinstance(test, ast.Call):
            self._call(test, holds=holds)
        elif isinstance(test, ast.Compare):
            self._compare(test, holds=holds)

    def narrow(self, subject: ast.expr, value: int) -> None:
        """Bind a name to a value that a pattern shows."""
        if isinstance(subject, ast.Name) and value != NONE:
            self._expressions.bind(subject.id, subject, kind=BindingKind.NARROWED, value=value)

    def _call(self, test: ast.Call, *, holds: bool) -> None:
        function = test.func
        if not isinstance(function, ast.Name) or len(test.args) != _ARGUMENTS:
            return
        if function.id == "isinstance":
            self._cast(test.args[0], test.args[1], holds=holds)

    def _compare(self, test: ast.Compare, *, holds: bool) -> None:
        """`type(x) is T`."""
        left, operator = test.left, test.ops[0]
        if (
            isinstance(left, ast.Call)
            and isinstance(left.func, ast.Name)
            and left.func.id == "type"
            and len(left.args) == 1
            and isinstance(operator, ast.Is | ast.Eq)
            and holds
        ):
            self._cast(left.args[0], test.comparators[0], holds=holds)

    def _cast(self, subject: ast.expr, kind: ast.expr, *, holds: bool) -> None:
        kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
        if isinstance(subject, ast.Name):
            value = self._expressions.name(subject)
            types = self._types(kinds, holds=holds)
            self.narrow(subject, self._code.add(Op.CAST, value, items=types))
            return
        path = path_of(subject)
        if path:
            shown = self._expressions.shown.setdefault(path, [])
            given = tuple(self._types(kinds, holds=holds))
            shown.append((self._code.scope, self._expressions.function_scope(), given))

    def _types(self, kinds: list[ast.expr], *, holds: bool) -> list[Argument]:
        return [Argument(self._expressions.lower(item), "" if holds else NOT) for item in kinds]


def _last_name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""
