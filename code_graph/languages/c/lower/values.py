"""Lowers expressions of C.

Constants say nothing. A comparison and the like has no value; a sum has that of its first operand,
which may be a pointer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.expressions import NONE, Argument, Op
from code_graph.languages.c.lower.types import CTypes

if TYPE_CHECKING:
    from tree_sitter import Node

    from code_graph.treesitter.code.declared_types import Step

_POINTERS: Final = frozenset("+-|&")
# initialisers may nest as deeply as nodes
_TOO_DEEP: Final = 100


class CValues(CTypes):
    """Expressions and initialisers."""

    def chain_start(self, node: Node, spine: list[tuple[Node, Step]]) -> int:
        """The first node of a chain, and its innermost call."""
        if spine[-1][0].type == "call_expression":
            return self.first_call(spine.pop()[0], node)
        return self.first_of_chain(node)

    def first_call(self, node: Node, function: Node) -> int:
        """The innermost call of a chain."""
        return self.step(node, self.first_of_chain(function))

    def first_of_chain(self, node: Node) -> int:
        """The first node of a chain of calls and members."""
        return self.lower(node)

    def step(self, node: Node, of: int) -> int:
        """One step of a chain."""
        children = node.children
        kind = node.type
        last = children[-1]
        if kind == "field_expression":
            return self.field(of, last)
        if kind == "call_expression":
            return self.code.add(Op.CALL, of, items=self.argument_list(last))
        name, items = "", []
        for child in children[1:]:
            if child.is_named:
                items.append(Argument(self.lower(child)))
                if child.type == "number_literal":
                    name = self.source.of(child)[:80]
        return self.code.add(Op.INDEX, of, name, items)

    def field(self, of: int, node: Node) -> int:
        """A member of a value."""
        if node.type == "field_identifier":
            return self.member(of, node)
        return self.lower(node)

    def argument_list(self, node: Node) -> list[Argument]:
        """Positional arguments; macros may take types and statements."""
        return [
            Argument(self.lower(child))
            for child in node.children
            if child.is_named and not child.is_extra
        ]

    def comma(self, node: Node) -> int:
        """Several expressions; the last gives the value."""
        left, last = node, NONE
        rest = []
        while left.type == "comma_expression" and left.children:
            rest.append(left.children[-1])
            left = left.children[0]
        self.lower(left)
        for one in reversed(rest):
            last = self.lower(one)
        return last

    def operation(self, operator: str, left: int, right: int) -> int:
        """The value of a binary operator; only pointers are followed."""
        if operator not in _POINTERS:
            return NONE
        return left if left != NONE else right

    def compound_literal(self, node: Node) -> int:
        """A new value of a type."""
        declared = self.lower(node.child_by_field_name("type"))
        value = node.child_by_field_name("value")
        return self.cast(NONE if value is None else self.initializer(value, declared), declared)

    def offset_of(self, node: Node) -> int:
        """The member of a type whose place is asked."""
        of = self.lower(node.child_by_field_name("type"))
        member = node.child_by_field_name("member")
        if member is not None:
            self.field(of, member)
        return NONE

    def assignment(self, node: Node) -> int:
        """An assignment; its value has the type of the target."""
        children = node.children
        target = self.lower(children[0])
        value = self.lower(children[-1])
        if children[1].type == "=":
            self.store(target, value)
        return target

    # initialisers

    def initializer_list(self, node: Node) -> int:
        """An initialiser of a type that is not known."""
        return self.initializer(node, NONE)

    def initializer(self, node: Node, of: int, arrays: int = 0) -> int:
        """The value of a variable or field of a type, with dimensions of arrays."""
        if node.type != "initializer_list":
            return self.lower(node)
        if self._depth > _TOO_DEEP:
            return self._names_only(node)
        self._depth += 1
        items: list[Argument] = []
        is_object = False
        for child in node.children:
            if not child.is_named or child.is_extra:
                continue
            if child.type == "initializer_pair":
                one = self.designated(child, of, arrays)
                is_object = is_object or one.name != ""
                items.append(one)
            else:
                inner = of if arrays else NONE
                items.append(Argument(self.initializer(child, inner, arrays - 1)))
        self._depth -= 1
        known = [item for item in items if item.value != NONE]
        if is_object:
            return self.code.add(Op.OBJECT, items=known) if known else NONE
        return self.code.add(Op.LIST, items=items) if known else NONE

    def designated(self, node: Node, of: int, arrays: int) -> Argument:
        """A value for a field or element."""
        name = ""
        inner, left = of, arrays
        for child in node.children:
            kind = child.type
            if kind == "field_designator" and child.children:
                field = child.children[-1]
                name = name or self.spelled(field)
                inner, left = self.member(inner, field), 0
            elif kind == "field_identifier":
                name = name or self.spelled(child)
                inner, left = self.member(inner, child), 0
            elif kind in {"subscript_designator", "subscript_range_designator"}:
                self.opaque(child)
                inner, left = (inner if left else NONE), left - 1
        value = node.child_by_field_name("value")
        return Argument(NONE if value is None else self.initializer(value, inner, left), name)
