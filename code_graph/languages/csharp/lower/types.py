"""Lowers names and types of C#; a nullable type is the type itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.expressions import NONE, Argument, Op
from code_graph.treesitter.code.forms import Forms

if TYPE_CHECKING:
    from tree_sitter import Node


class CSharpTypes(Forms):
    """Names and types."""

    # types

    def generic_name(self, node: Node) -> int:
        """A name with type arguments."""
        return self.apply(self.name(node.children[0]), node.children[-1])

    def apply(self, of: int, arguments: Node | None) -> int:
        """A generic with its type arguments, which `typeof(A<,>)` leaves out."""
        children = () if arguments is None else arguments.children
        items = [self.lower(child) for child in children if child.is_named]
        items = items or [NONE] * (len(children) - 1)
        return self.code.add(Op.APPLY, of, items=list(map(Argument, items)))

    def qualified_name(self, node: Node) -> int:
        """A name in a namespace or type; `global::` is left out."""
        children = node.children
        if children[0].type == "identifier" and self.spelled(children[0]) == "global":
            return self.lower(children[-1])
        return self.named_member(self.lower(children[0]), children[-1])

    def named_member(self, of: int, name: Node) -> int:
        """A member whose name may have type arguments."""
        if name.type == "generic_name":
            return self.apply(self.member(of, name.children[0]), name.children[-1])
        return self.member(of, name)

    def array_type(self, node: Node) -> int:
        """An array is a list."""
        element = self.lower(node.child_by_field_name("type"))
        self.lower(node.child_by_field_name("rank"))
        return self.list_of([element])

    def tuple_type(self, node: Node) -> int:
        """A tuple with names."""
        items: list[Argument] = []
        for child in node.named_children:
            name = child.child_by_field_name("name")
            items.append(Argument(self.lower(child), "" if name is None else self.spelled(name)))
        return self.code.add(Op.TUPLE, items=items)

    def typed(self, node: Node) -> int:
        """The type in a node."""
        return self.lower(node.child_by_field_name("type") or node.children[0])

    def function_pointer_type(self, node: Node) -> int:
        """The type of a function."""
        items = [
            Argument(self.lower(child))
            for child in node.named_children
            if child.type == "function_pointer_parameter"
        ]
        result = self.lower(node.child_by_field_name("returns"))
        return self.code.add(Op.CALLABLE, result, items=items)


def name_of(node: Node) -> Node:
    """The node of the last name in a type or member."""
    while node.type in {"qualified_name", "alias_qualified_name", "member_access_expression"}:
        node = node.children[-1]
    while node.type in {"generic_name", "nullable_type", "conditional_access_expression"}:
        node = node.children[0 if node.type != "conditional_access_expression" else -1]
    return node.children[-1] if node.type == "member_binding_expression" else node
