"""Lowers elements of JSX: a component is called with an object of its properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.expressions import NONE, Argument, Op
from code_graph.languages.ecmascript.lower.types import TypeSyntax
from code_graph.treesitter.code.lowering import first

if TYPE_CHECKING:
    from tree_sitter import Node


class Elements(TypeSyntax):
    """Lowers elements, their properties and children."""

    def embedded(self, node: Node) -> int:
        """`{a}` in an element."""
        number = NONE
        for child in node.named_children:
            if child.type == "spread_element":
                number = self.lower(first(child))
            elif child.type != "comment":
                number = self.lower(child)
        return number

    def element(self, node: Node) -> int:
        """An element; of an HTML element the properties are only evaluated."""
        opening = node.child_by_field_name("open_tag") or node
        name = opening.child_by_field_name("name")
        of = NONE
        if name is not None and self._is_component(name):
            of = self._tag(name)
            of = self._applied(of, opening)
        attributes = opening.children_by_field_name("attribute")
        items = [self._attribute(child) for child in attributes]
        children = self._children(node) if opening is not node else []
        if of == NONE:
            return self.code.add(Op.CALL, NONE)
        if len(children) == 1:
            items.append(Argument(children[0].value, "children"))
        elif children:
            items.append(Argument(self.code.add(Op.LIST, NONE, "", children), "children"))
        closing = node.child_by_field_name("close_tag")
        end = None if closing is None else closing.child_by_field_name("name")
        if end is not None:
            self._tag(end)
        properties = self.code.add(Op.OBJECT, NONE, "", items)
        return self.code.add(Op.CALL, of, "", [Argument(properties)])

    def _applied(self, of: int, opening: Node) -> int:
        types = opening.child_by_field_name("type_arguments")
        return (
            of
            if types is None
            else self.code.add(Op.APPLY, of, "", self.arguments(types.named_children))
        )

    def _tag(self, name: Node) -> int:
        return self.lower(name)

    def _is_component(self, name: Node) -> bool:
        if name.type != "identifier":
            return name.type != "jsx_namespace_name"
        first = self.source.text[name.start_byte]
        return not (first.islower() or "-" in self.source.of(name))

    def _attribute(self, node: Node) -> Argument:
        """A property; without a value it is true."""
        if node.type != "jsx_attribute":
            return Argument(self.lower(node), "*")
        children = [child for child in node.named_children if not child.is_extra]
        key = self.source.of(children[0]) if children else ""
        if len(children) > 1:
            return Argument(self.lower(children[1]), key)
        return Argument(self.literal("bool"), key)

    def _children(self, node: Node) -> list[Argument]:
        found = []
        for child in node.named_children:
            kind = child.type
            if kind in ("jsx_expression", "jsx_element", "jsx_self_closing_element"):
                number = self.lower(child)
                if number != NONE:
                    found.append(Argument(number))
        return found
