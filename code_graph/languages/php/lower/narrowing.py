"""Lowers branches of PHP with what `instanceof` shows of a variable.

Variables that are assigned in a branch which shows a type are those of the function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, BindingKind, ScopeKind
from code_graph.languages.php.lower.values import NAMES, THIS, PhpValues
from code_graph.treesitter.code.declared_types import ShownType

if TYPE_CHECKING:
    from tree_sitter import Node


_LEAVING: Final = frozenset({"return_statement", "exit_statement", "throw_expression"})
_BOTH: Final = frozenset({"&&", "and"})
# parts of a condition, and nodes around one, that are looked into
_MOST_PARTS: Final = 20


class PhpNarrowing(PhpValues):
    """Branches by the types of variables."""

    def begin(self) -> None:
        """Begin outside of any branch."""
        super().begin()
        # by the open branches that show types: the scope of the function's variables
        self._homes: dict[int, int] = {}

    def if_statement(self, node: Node) -> int:
        """A condition and its branches."""
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("body")
        self.lower(condition)
        self.shown(condition, body)
        others = node.children_by_field_name("alternative")
        self.lower_each(others)
        if not others and _leaves(body) and self.code.scope == self.home():
            for name, declared in _refuted(condition):
                if self.spelled(name) != THIS:
                    self.bind_shown(name, declared)
        return NONE

    def else_if(self, node: Node) -> int:
        """A further condition with its branch."""
        with self.flow(ScopeKind.BRANCH):
            condition = node.child_by_field_name("condition")
            self.lower(condition)
            self.shown(condition, node.child_by_field_name("body"))
        return NONE

    def branch(self, node: Node) -> int:
        """Statements that run once or not at all."""
        with self.flow(ScopeKind.BRANCH):
            self.lower_each(node.children)
        return NONE

    def shown(self, condition: Node | None, body: Node | None) -> None:
        """A branch, with the types that its condition shows."""
        tests = [*_shown(condition)]
        if not tests or body is None:
            self.in_branch(body)
            return
        home = self.home()
        with self.showing() as branch:
            self._homes[branch] = home
            for name, declared in tests:
                if self.spelled(name) != THIS:
                    self.bind_shown(name, declared)
            names = dict.fromkeys(self.spelled(name) for name, _ in tests)
            self._shown += tuple(ShownType(name, branch) for name in names)
            self.lower(body)
            del self._homes[branch]

    def home(self) -> int:
        """The scope of the variables of the function around."""
        here = self.code.binding_scope()
        return self._homes.get(here, here)

    def bind_name(
        self,
        node: Node | None,
        kind: BindingKind = BindingKind.ASSIGNED,
        value: int = NONE,
        annotation: int = NONE,
        declaration: int = NONE,
        scope: int | None = None,
    ) -> None:
        """Bind a variable of the function; branches around show no type of it from here on."""
        if node is not None and scope is None and self.code.binding_scope() in self._homes:
            scope, text = self.home(), self.spelled(node)
            ended = [v for v in self._shown if v.name == text and self._homes[v.branch] == scope]
            self.end_shown(ended, value, annotation)
        super().bind_name(node, kind, value, annotation, declaration, scope)


def _shown(condition: Node | None) -> Iterator[tuple[Node, Node]]:
    """The variables whose type a condition shows where it holds, with the types."""
    left, count = [] if condition is None else [condition], 0
    while left and count < _MOST_PARTS:
        one, count = left.pop(), count + 1
        operator = one.child_by_field_name("operator")
        if one.type == "parenthesized_expression" or (
            operator is not None and operator.type.lower() in _BOTH
        ):
            left += [child for child in one.children if child.is_named]
        elif operator is not None and operator.type.lower() == "instanceof":
            name, declared = one.children[0], one.children[-1]
            if name.type == "variable_name" and declared.type in NAMES:
                yield name, declared


def _refuted(condition: Node | None) -> Iterator[tuple[Node, Node]]:
    """The same where a condition does not hold: that `instanceof` gives no."""
    one = _inner(condition)
    if one is not None and one.type == "unary_op_expression" and one.children[0].type == "!":
        inner = _inner(one.children[-1])
        operator = None if inner is None else inner.child_by_field_name("operator")
        if operator is not None and operator.type.lower() == "instanceof":
            yield from _shown(inner)


def _inner(node: Node | None) -> Node | None:
    """An expression without the parentheses around it."""
    for _ in range(_MOST_PARTS):
        if node is None or node.type != "parenthesized_expression":
            return node
        node = next((child for child in node.children if child.is_named), None)
    return None


def _leaves(body: Node | None) -> bool:
    """True if a branch ends by leaving the function."""
    for _ in range(_MOST_PARTS):
        if body is None or body.type in _LEAVING:
            break
        inner = [child for child in body.children if child.is_named and not child.is_extra]
        is_around = body.type in {"compound_statement", "expression_statement"}
        body = inner[-1] if inner and is_around else None
    return body is not None
